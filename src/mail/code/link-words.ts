/** Lower case; languages written with spaces first (found as whole words), then the others (found anywhere). */
interface WordList {
  spaced: string;
  unspaced: string;
}

function matcher({ spaced, unspaced }: WordList): RegExp {
  const escaped = (list: string): string =>
    list
      .split(", ")
      .toSorted((a, b) => b.length - a.length)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|");
  const letter = "a-z\\u00c0-\\u024f\\u1e00-\\u1eff\\u0400-\\u04ff";
  return new RegExp(`(?<![${letter}])(?:${escaped(spaced)})(?![${letter}])|(?:${escaped(unspaced)})`);
}

/** Says outright what only a verification, sign-in or reset link does. */
export const PROVES = matcher({
  spaced:
    "verify, verify email, verify your, verification link, verifying, confirm your, confirm my, confirm email, confirm account, confirm subscription, confirm registration, confirm address, confirmation link, activate, activate account, activation link, reset password, reset your password, reset my password, change your password, change password, set password, set a new password, set your password, create a password, password reset, choose a new password, magic link, secure link, sign-in link, sign in link, login link, log-in link, validate, finish signing up, complete registration, complete your registration, complete sign up, complete signup, accept invitation, accept invite, yes, it's me, " +
    "verificar, verifica tu, verificar mi, confirmar, confirma tu, confirmar correo, activar, activa tu, restablecer, restablece tu, restablecer contraseña, cambiar contraseña, enlace mágico, enlace de verificación, " +
    "verificar e-mail, verifique seu, confirme seu, confirmar e-mail, ativar, ativar conta, ative, redefinir senha, redefinir, link mágico, link de verificação, " +
    "vérifier, vérifiez votre, vérifier mon, confirmer, confirmez votre, confirmer mon, activer, activer mon compte, activez votre, réinitialiser, réinitialisez, réinitialisation, lien magique, lien de connexion, " +
    "bestätigen, bestätige, e-mail bestätigen, verifizieren, aktivieren, konto aktivieren, zurücksetzen, passwort zurücksetzen, passwort ändern, anmeldelink, bestätigungslink, " +
    "verifica, verifica la tua, verifica email, conferma, conferma la tua, conferma il tuo, attiva, attiva il tuo, reimposta, reimposta la password, reimpostare, link magico, " +
    "подтвердить, подтвердите, подтверждения, активировать, активируйте, сбросить, сбросить пароль, сброса пароля, восстановить пароль, изменить пароль, " +
    "doğrula, doğrulayın, doğrulamak, onayla, onaylayın, etkinleştir, şifreyi sıfırla, şifremi sıfırla, şifre sıfırlama, sıfırla, sıfırlamak, " +
    "xác minh, xác nhận, xác thực, kích hoạt, đặt lại mật khẩu, cài đặt lại, thiết lập lại, " +
    "verifikasi, konfirmasi, aktifkan, aktivasi, atur ulang, setel ulang, reset kata sandi, " +
    "verifiëren, verifieer, bevestigen, bevestig, activeren, activeer, wachtwoord resetten, wachtwoord herstellen, herstellen, inloglink, " +
    "zweryfikuj, potwierdź, potwierdzenia, aktywuj, zresetuj, zresetować, resetowania hasła, zmień hasło, ustaw hasło",
  unspaced:
    "验证邮箱, 验证您的, 验证你的, 驗證您的, 驗證電子, 验证, 驗證, 确认邮箱, 确认您的, 確認您的, 激活, 啟用, 重置密码, 重設密碼, 重设密码, 重置, 魔法链接, 登录链接, 登入連結, " +
    "メールアドレスを確認, メールアドレスの確認, メールの確認, 確認する, 認証する, 認証, 有効化, 再設定, リセット, 本登録, ログインリンク, 登録を完了, " +
    "이메일 인증, 인증하기, 인증, 확인하기, 활성화, 재설정, 로그인 링크, " +
    "تأكيد, تحقق, التحقق, تفعيل, توثيق, إعادة تعيين, " +
    "सत्यापित करें, सत्यापित, पुष्टि करें, सक्रिय करें, पासवर्ड रीसेट, रीसेट करें",
});

/** Signs in: a magic link, or the way to any account page. */
export const SIGNS_IN = matcher({
  spaced:
    "sign in, sign-in, signin, log in, log-in, login, log me in, sign me in, let me in, signing in, logging in, authenticate, authorize, reset, iniciar sesión, inicia sesión, acceder, entrar, acessar, fazer login, se connecter, connexion, connectez-vous, anmelden, anmeldung, einloggen, accedi, accedere, войти, вход, giriş yap, oturum aç, đăng nhập, masuk, inloggen, aanmelden, zaloguj, zaloguj się, logowania",
  unspaced: "登录, 登入, ログイン, サインイン, 로그인, تسجيل الدخول, लॉग इन, लॉगिन",
});

/** On a button only: takes the reader on, to a sign-in or to anything else. */
export const GOES_ON = matcher({
  spaced:
    "continue, confirm, get started, start now, let's go, approve, proceed, open app, click here, " +
    "continuar, empezar, comenzar, haz clic aquí, começar, clique aqui, continuer, commencer, c'est parti, cliquez ici, weiter, los geht's, loslegen, hier klicken, " +
    "continua, inizia, clicca qui, продолжить, начать, нажмите здесь, devam et, başla, buraya tıklayın, tiếp tục, bắt đầu, bấm vào đây, lanjutkan, mulai, klik di sini, " +
    "doorgaan, aan de slag, klik hier, kontynuuj, zaczynamy, rozpocznij, kliknij tutaj",
  unspaced:
    "继续, 繼續, 确认, 確認, 立即开始, 立即開始, 点击这里, 點此, 続ける, はじめる, 始める, こちら, 계속, 시작하기, 여기, متابعة, ابدأ, اضغط هنا, जारी रखें, शुरू करें, यहाँ क्लिक",
});

/** What a link with a secret in it that is named by it lets the reader set. */
export const PASSWORD = matcher({
  spaced:
    "password, passwords, passwort, passworts, kennwort, mot de passe, contraseña, senha, wachtwoord, hasło, hasła, hasłem, пароль, пароля, şifre, şifreni, şifrenizi, şifremi, parola, parolanızı, mật khẩu, mật mã, kata sandi",
  unspaced: "密码, 密碼, パスワード, 비밀번호, كلمة المرور, كلمة مرور, पासवर्ड",
});

/** Beside "confirm" or "activate" in a subject: it is about proving who one is, and not about a discount. */
export const ACCOUNT = matcher({
  spaced:
    "account, email, e-mail, email address, address, registration, subscription, sign-up, signup, konto, e-mail-adresse, anmeldung, registrierung, compte, adresse, inscription, cuenta, correo, registro, suscripción, conta, cadastro, indirizzo, iscrizione, registrazione, e-mailadres, aanmelding, konta, rejestrację, adres, аккаунт, почту, адрес, регистрацию, hesabını, hesabınızı, e-posta, e-postanı, üyeliğini, tài khoản, địa chỉ, akun, alamat, pendaftaran",
  unspaced:
    "账户, 账号, 邮箱, 帳戶, 帳號, 電子郵件, アカウント, メールアドレス, 계정, 이메일, حسابك, الحساب, البريد, खाता, खाते, ईमेल",
});

/** What no verification link is called. */
export const OTHER_PURPOSE = matcher({
  spaced:
    "unsubscribe, opt out, opt-out, manage preferences, preferences, email settings, notification settings, update your profile, privacy, privacy policy, terms, terms of service, terms of use, legal, help, help center, help centre, support, contact, contact us, faq, learn more, read more, view in browser, view online, view this email, web version, blog, careers, download the app, app store, google play, facebook, twitter, instagram, linkedin, youtube, tiktok, pinterest, report, report this, not you, wasn't you, were not you, was not you, wasn't me, was not me, this wasn't, if this wasn't, did not request, didn't request, didn’t request, don't recognize, didn't sign, didn't create, didn't make, secure your account, cancel, cancel this, delete my account, refer a friend, about us, " +
    "cancelar suscripción, darse de baja, darme de baja, date de baja, política de privacidad, ayuda, soporte, contacto, ver en el navegador, cancelar inscrição, descadastrar, política de privacidade, ajuda, suporte, contato, ver no navegador, " +
    "désabonner, se désabonner, désinscrire, se désinscrire, confidentialité, aide, assistance, contactez-nous, voir dans le navigateur, abmelden, abbestellen, abonnement kündigen, datenschutz, impressum, hilfe, kontakt, im browser ansehen, agb, " +
    "annulla iscrizione, disiscriviti, cancellati, cancella iscrizione, aiuto, assistenza, contatti, отписаться, отказаться от рассылки, конфиденциальности, помощь, поддержка, поддержки, abonelikten çık, abonelikten ayrıl, gizlilik, yardım, destek, " +
    "hủy đăng ký, trợ giúp, hỗ trợ, chính sách, berhenti berlangganan, bantuan, privasi, afmelden, uitschrijven, privacybeleid, hulp, wypisz się, zrezygnuj, polityka prywatności, pomoc, kontakt",
  unspaced:
    "退订, 取消订阅, 取消訂閱, 隐私, 隱私, 帮助, 幫助, 联系我们, 聯絡我們, 在浏览器中查看, 配信停止, 登録解除, メルマガ解除, プライバシー, ヘルプ, お問い合わせ, 수신거부, 수신 거부, 구독 취소, 개인정보, 고객센터, 도움말, إلغاء الاشتراك, الخصوصية, مساعدة, सदस्यता समाप्त, सदस्यता रद्द, गोपनीयता, सहायता",
});

/** Names of paths, parameters and sub-domains under which such links live. */
export const PROVING_PATH =
  /(?:^|[^a-z])(?:e?mail[-_]?)?(?:verif(?:y|ication|ies|icar|ied)?|verify[-_]?e?mail|confirm(?:ation|ations|e|ar)?|activat(?:e|ion)|magic|magic[-_]?link|magiclink|passwordless|reset|reset[-_]?password|resetpassword|password[-_]?reset|passwords?|set[-_]?password|otp|one[-_]?time|validat(?:e|ion)|optin|opt[-_]in|verifyemail|confirmemail|accept[-_]invite|action[-_]token|passwort|kennwort|mot[-_]?de[-_]?passe|mdp|contrasena|senha|wachtwoord|haslo|sifre|mat[-_]khau|bestaetig(?:en|ung)|aktivier(?:en|ung)|confirmer|confirmacion|confirmacao|conferma|attiva|activar|ativar|activer|bevestig(?:en)?|potwierdz|aktywuj|dogrula|etkinlestir|xac[-_]nhan|xac[-_]minh|verifikasi|konfirmasi|aktivasi)(?![a-z])/;

export const SIGN_IN_PATH =
  /(?:^|[^a-z])(?:login|log[-_]in|signin|sign[-_]in|signup|sign[-_]up|auth|callback|oauth|sso|session|sessions|account|accounts|token|code|key|invite|invitation|register|registration)(?![a-z])/;

/** Paths that only a footer links to, and files that no one opens to sign in. */
export const OTHER_PATH =
  /(?:^|[^a-z])(?:unsubscribe|unsub|opt[-_]?out|optout|preferences|privacy|terms|tos|legal|help|support|faq|contact|blog|careers|about|policies|policy|webversion|view[-_]?in[-_]?browser|viewinbrowser|pixel|beacon|open\.(?:gif|php|aspx)|report[-_]?abuse|not[-_]?me|cancel)(?![a-z])|\.(?:png|gif|jpe?g|webp|svg|ico|css|js|woff2?|ttf|ics|pdf|dtd)$/;

export const SOCIAL_HOST =
  /(?:^|\.)(?:facebook\.com|fb\.com|twitter\.com|x\.com|instagram\.com|linkedin\.com|youtube\.com|youtu\.be|tiktok\.com|pinterest\.com|threads\.net|bsky\.app|discord\.gg|t\.me|wa\.me|vk\.com|weibo\.com|reddit\.com|medium\.com|play\.google\.com|apps\.apple\.com|itunes\.apple\.com|g\.page|goo\.gl|w3\.org|schema\.org)$/;
