import { WordIndex } from "../languages/word-index.ts";

/**
 * What a word says about the number beside it.
 *
 * - `strong`: names a verification code and nothing else.
 * - `confirmation`, `passcode`: as strong, unless the mail is about a booking or a meeting.
 * - `weak`: may name any code; counts only when it leads directly to the number.
 * - `hint`: speaks of proving who one is, without naming a code.
 * - `instruction`: tells the reader to type something.
 * - `digits`: names what is to be typed by its form ("the four digits below").
 * - `purpose`: speaks of what a code is asked for, and of much else; counts beside an instruction only.
 * - `number`: names another kind of number; the one it leads to is never a code.
 * - `soft`: as `number`, unless the same sentence names a code ("code for your account: 482913").
 * - `booking`, `meeting`, `coupon`: as `number`, and colour the whole mail.
 */
export type LabelKind =
  | "strong"
  | "confirmation"
  | "passcode"
  | "weak"
  | "hint"
  | "instruction"
  | "digits"
  | "purpose"
  | "number"
  | "soft"
  | "booking"
  | "meeting"
  | "coupon";

/** A key word found in a text; `end` is the offset behind it. */
export interface Label {
  kind: LabelKind;
  start: number;
  end: number;
}

type Words = Partial<Record<LabelKind, string>>;

/** Lower case, separated by ", ". Languages written with spaces: a word counts only as a whole. */
const SPACED: Record<string, Words> = {
  en: {
    strong:
      "verification code, verification codes, verify code, verification pin, verification number, security code, authentication code, authenticator code, auth code, authorization code, authorisation code, login code, log-in code, log in code, login pin, logon code, sign-in code, sign in code, signin code, sign-up code, sign up code, signup code, one-time code, one time code, one-time password, one time password, one-time passcode, one time passcode, one-time pin, one time pin, single-use code, otp, otp code, otc, totp, 2fa code, 2fa token, two-factor code, two-factor authentication code, two-step verification code, mfa code, activation code, validation code, temporary code, temporary login code, device code, magic code, email code, registration code, reset code, password reset code, recovery pin, identification code, invite passcode",
    confirmation: "confirmation code, confirm code, confirmation pin",
    passcode: "passcode, pass code, temporary passcode, access code",
    weak: "code, pin, pin code, token",
    hint: "verify, verification, verifying, confirm, sign in, sign-in, signing in, log in, login, log-in, logging in, sign up, signing up, authenticate, authentication, two-factor, two-step, 2fa, enter this, enter the following, prove it's you, it's you",
    soft: "account, phone, number, card, id, user, member, device, mobile, email",
    number:
      "order, order number, order no., order id, order code, purchase order, po, invoice, invoice number, invoice no., bill, bill number, receipt, receipt number, ticket, ticket number, ticket id, case, case number, case id, tracking, tracking number, tracking code, tracking id, shipment, parcel, account number, account no., account id, acct, acct., customer number, customer id, client id, client number, member id, membership number, member number, user id, userid, employee id, reference, reference number, reference code, reference id, ref, ref., ref no., no., nr., nr, serial, serial number, serial no., model, model number, version, build, release, phone number, telephone, tel, tel., mobile number, cell, call, call us, fax, hotline, text, zip, zip code, zipcode, postal code, postcode, post code, pincode, area code, country code, dial code, dialing code, error code, error, status code, exit code, response code, source code, source, qr code, bar code, barcode, color, color code, colour, colour code, hex, background, dress code, tax code, tax id, vat, vat number, iban, swift code, bic, sort code, routing number, product code, item code, sku, item, part number, policy number, policy, claim number, contract, contract number, room, suite, po box, p.o. box, box, floor, apt, apt., unit, page, port, rfc, iso, isbn, issn, pull request, issue, commit, since, year, copyright, ending in, ends in, ending with, ends with, last four, last four digits, last 4 digits, card number, card ending, transaction, transaction id, transaction number, transfer, payment id, payment, balance, total, subtotal, amount, price, short code, backup code, backup codes, recovery code, recovery codes, gift card, batch, lot, ip, ip address, ext., extension, company number, registration number, registered number, licence number, license number, license key, patient id, student id, message id, request id, session id, job id, class code, course code, room code, module code, subject code, store code, branch code, agent code, stock code, style code, project code, batch code, plu code, hs code, commodity code, naics code, diagnosis code, plan code, group code, game code, terminal code, station code, airport code, city code, state code, unit code, building code, colour number, docket, folio, donation id, incident, article",
    booking:
      "confirmation:, confirmation #, booking, booking number, booking code, booking reference, booking id, reservation, reservation number, reservation code, itinerary, flight, flight number, record locator, pnr, confirmation number, confirmation no., check-in, boarding pass, e-ticket",
    meeting:
      "meeting id, meeting number, meeting code, webinar id, conference id, conference code, dial-in, dial in, join zoom meeting, join meeting, join the meeting, participant code, host key, join by phone, join with google meet, join the call, video call link, conference call, dial by your location",
    coupon:
      "promo, promo code, promotion code, promotional code, coupon, coupon code, discount, discount code, voucher, voucher code, gift code, referral code, referral, offer code, checkout, at checkout, % off, sale, invite code, invitation code, redeem, free shipping",
    instruction: "enter, type, type in, use, input, key in, copy, paste, submit, fill in, punch in",
    purpose:
      "approve, complete, finish, activate, continue, proceed, register, registration, connect, pair, unlock, authorize, authorise, access, set up, new device, new phone, confirmation",
    digits:
      "digits, numbers below, number below, following number, following numbers, these numbers, this number",
  },
  es: {
    strong:
      "código de verificación, codigo de verificacion, código de seguridad, codigo de seguridad, código de autenticación, código de un solo uso, código de uso único, código de inicio de sesión, código de activación, código temporal, código de validación, clave de un solo uso, contraseña de un solo uso, clave dinámica, clave temporal",
    confirmation: "código de confirmación, codigo de confirmacion",
    passcode: "código de acceso, codigo de acceso, clave de acceso, contraseña",
    weak: "código, codigo, clave",
    hint: "verificar, verifica, verificación, confirmar, confirma, iniciar sesión, inicia sesión, inicio de sesión, autenticación",
    soft: "cuenta, teléfono, tarjeta, número",
    number:
      "pedido, número de pedido, orden, factura, número de factura, recibo, ticket, billete, seguimiento, número de seguimiento, código de seguimiento, número de cuenta, número de cliente, referencia, número de referencia, código postal, codigo postal, c.p., tel., móvil, llame al, llama al, importe, año, código de error, código de barras, código qr, terminada en, termina en, núm., código de producto, código de cliente, código de artículo, código de país, código fuente, código swift, código del curso, artículo, expediente, incidencia",
    booking: "reserva, número de reserva, código de reserva, localizador, vuelo",
    meeting: "id de reunión, id de la reunión",
    coupon: "código promocional, código de descuento, cupón, descuento, código de cupón",
    instruction:
      "introduce, introduzca, introducir, ingresa, ingrese, ingresar, escribe, escriba, usa, use, utiliza, utilice, teclea, teclee, copia, copie, pon, ponga, indica, indique, digita, digite, inserta, introduciendo, ingresando",
    purpose:
      "activar, firmar, firma, completar, continuar, acceder, autorizar, aprobar, entrar, finalizar, registro, terminar, acceso, confirmar, vincular, conectar, activación, operación, autorización",
    digits: "números, dígitos, cifras, siguiente número, este número",
  },
  pt: {
    strong:
      "código de verificação, codigo de verificacao, código de segurança, código de autenticação, código de uso único, código de ativação, código de validação, código de login, código temporário, senha de uso único, senha temporária, código único",
    confirmation: "código de confirmação",
    passcode: "código de acesso, senha de acesso",
    weak: "código, codigo, senha, token",
    hint: "verificar, verifique, verificação, confirmar, confirme, iniciar sessão, fazer login, entrar, autenticação",
    soft: "conta, telefone, cartão, número",
    number:
      "pedido, número do pedido, encomenda, fatura, nota fiscal, recibo, rastreamento, código de rastreamento, código de rastreio, número da conta, número de cliente, protocolo, referência, cep, código postal, celular, ligue, valor, código de barras, código de erro, final, terminado em, boleto, cpf, cnpj, código do produto, código do cliente, código de país, código fonte, código do banco, código do curso, chamado, inscrição",
    booking: "reserva, número da reserva, código da reserva, localizador, voo",
    meeting: "id da reunião",
    coupon: "código promocional, cupom, código de desconto, desconto",
    instruction:
      "digite, insira, informe, use, utilize, coloque, introduza, digitar, inserir, escreva, copie, preencha, coloca, introduz, digita, usando, digitando",
    purpose:
      "acessar, concluir, continuar, ativar, autorizar, aprovar, finalizar, cadastro, acesso, aceder, vincular, conectar, ativação, autorização, entrar, confirmação",
    digits: "números, dígitos, número abaixo, este número, algarismos",
  },
  fr: {
    strong:
      "code de vérification, code de verification, code de sécurité, code de securite, code d'authentification, code d’authentification, code de connexion, code à usage unique, code d'activation, code d’activation, code de validation, code temporaire, mot de passe à usage unique, mot de passe temporaire, code unique",
    confirmation: "code de confirmation",
    passcode: "code d'accès, code d’accès, code secret",
    weak: "code, code pin",
    hint: "vérifier, vérifiez, vérification, confirmer, confirmez, confirmation, connexion, connecter, connectez-vous, authentification, identifier",
    soft: "compte, téléphone, carte, numéro",
    number:
      "commande, numéro de commande, n° de commande, facture, numéro de facture, reçu, billet, suivi, numéro de suivi, colis, numéro de compte, numéro client, numéro de client, référence, réf., code postal, code insee, code naf, code ape, tél., tél, appelez le, appelez, montant, année, code-barres, code d'erreur, se terminant par, n°, siret, siren, rcs, dossier, code article, code client, code produit, code pays, code source, code banque, code guichet, code barres, code cours, article, contrat",
    booking: "réservation, numéro de réservation, code de réservation, vol",
    meeting: "id de réunion, réunion",
    coupon: "code promo, code promotionnel, code de réduction, réduction, bon de réduction, code avantage",
    instruction:
      "saisissez, saisis, saisir, entrez, entre, entrer, tapez, tape, utilisez, utilise, indiquez, renseignez, recopiez, composez, copiez, saisie, renseigner, recopie, indique, taper, introduisez, mets, mettez",
    purpose:
      "poursuivre, continuer, activer, finaliser, valider, validez, valide, terminer, accéder, accès, inscription, autoriser, approuver, associer, connecter, activation, autorisation, validation, ouvrir",
    digits: "chiffres, numéro suivant, nombre suivant, ces chiffres",
  },
  de: {
    strong:
      "bestätigungscode, bestätigungs-code, verifizierungscode, verifizierungs-code, verifikationscode, sicherheitscode, sicherheits-code, anmeldecode, anmelde-code, login-code, logincode, einmalcode, einmal-code, einmalpasswort, einmal-passwort, einmalkennwort, authentifizierungscode, aktivierungscode, freischaltcode, prüfcode, tan, mtan, registrierungscode, zugriffscode, einmal-pin",
    passcode: "kenncode, zugangscode",
    weak: "code, kode, pin",
    hint: "bestätigen, bestätige, bestätigung, verifizieren, anmelden, anmeldung, einloggen, authentifizierung",
    soft: "konto, telefon, karte, nummer",
    number:
      "bestellung, bestellnummer, bestell-nr., auftrag, auftragsnummer, rechnung, rechnungsnummer, rechnungs-nr., beleg, quittung, sendung, sendungsnummer, sendungsverfolgung, paketnummer, kontonummer, kundennummer, kunden-nr., vorgangsnummer, referenz, referenznummer, aktenzeichen, postleitzahl, plz, telefonnummer, tel., mobil, betrag, summe, jahr, fehlercode, strichcode, qr-code, endet auf, hrb, steuernummer, vertragsnummer, ticketnummer, artikelcode, artikelnummer, ländercode, quellcode, bankleitzahl, kundencode, farbcode, kurscode, störung, vertragskonto",
    booking: "buchung, buchungsnummer, buchungscode, reservierung, reservierungsnummer, flug",
    meeting: "besprechungs-id, meeting-id, konferenz-id",
    coupon: "gutschein, gutscheincode, rabattcode, rabatt, aktionscode, gutschein-code",
    instruction:
      "geben sie, gib, eingeben, eingabe, tippen sie, tippe, verwenden sie, verwende, nutzen sie, nutze, benutzen sie, trage, tragen sie, übertragen sie, tragen, eintragen, eintippen, trag, nimm, nehmen sie, übernimm, tippt, gebt",
    purpose:
      "abschließen, fortfahren, fortzufahren, freigeben, freigabe, registrierung, aktivieren, freischalten, verbinden, zugang, einwahl, weiterzumachen, abzuschließen, koppeln, verknüpfen, aktivierung, genehmigen, beitreten, öffnen",
    digits: "zahl, zahlen, ziffern, zahlenfolge, folgende nummer",
  },
  it: {
    strong:
      "codice di verifica, codice di sicurezza, codice di autenticazione, codice monouso, codice usa e getta, codice di attivazione, codice temporaneo, codice di autorizzazione, password monouso, codice otp, codice di convalida",
    confirmation: "codice di conferma",
    passcode: "codice di accesso, codice d'accesso",
    weak: "codice",
    hint: "verifica, verificare, conferma, confermare, accedere, accedi, accesso, autenticazione",
    soft: "account, conto, telefono, carta, numero",
    number:
      "ordine, numero ordine, numero d'ordine, fattura, numero fattura, ricevuta, biglietto, spedizione, tracciamento, codice di tracciamento, numero di conto, numero cliente, codice cliente, riferimento, cap, codice postale, codice fiscale, partita iva, p.iva, tel., cellulare, chiama, importo, anno, codice errore, codice a barre, che termina con, codice articolo, codice prodotto, codice univoco, codice destinatario, codice paese, codice corso, codice sdi, pratica, articolo",
    booking: "prenotazione, numero di prenotazione, codice prenotazione, codice di prenotazione, volo",
    meeting: "id riunione",
    coupon: "codice promozionale, codice sconto, sconto, buono",
    instruction:
      "inserisci, inserisca, inserire, digita, digiti, digitare, usa, utilizza, utilizzi, immetti, copia, scrivi, riporta, riporti, inserendo, immetta, utilizzare, compila",
    purpose:
      "completare, completa, attivare, continuare, autorizzare, autorizza, proseguire, procedere, registrazione, entrare, collegare, attivazione, autorizzazione, accesso, associare, firmare, firma",
    digits: "numero seguente, seguente numero, cifre, numeri, questo numero",
  },
  ru: {
    strong:
      "код подтверждения, кода подтверждения, кодом подтверждения, проверочный код, код проверки, код безопасности, код авторизации, код аутентификации, код верификации, одноразовый код, одноразовый пароль, код активации, код входа, код для входа, секретный код, пин-код, защитный код",
    passcode: "код доступа, код приглашения",
    weak: "код, кода, кодом, пароль",
    hint: "подтвердить, подтвердите, подтверждения, подтверждение, войти, вход, входа, авторизации, проверка",
    soft: "аккаунт, аккаунта, счёт, телефон, номер, карта",
    number:
      "заказ, заказа, номер заказа, заказ №, счет, номер счета, счёта, квитанция, билет, отслеживания, трек-номер, трек-код, номер отправления, накладная, номер договора, договор, индекс, почтовый индекс, тел., телефон, номер телефона, звоните, сумма, год, код ошибки, штрих-код, инн, огрн, №, обращение, заявка, код товара, код страны, код клиента, код города, код курса, исходный код, артикул, лицевой счет, лицевой счёт",
    booking: "бронирование, бронирования, номер бронирования, код бронирования, рейс",
    meeting: "идентификатор конференции, идентификатор встречи",
    coupon: "промокод, купон, скидка, скидку, скидки",
    instruction:
      "введите, введи, вводите, ввести, укажите, используйте, используй, наберите, впишите, набери, вставьте, введя, ввод, впиши, напишите",
    purpose:
      "завершить, активировать, продолжить, одобрить, авторизоваться, регистрация, регистрации, регистрацию, доступ, доступа, личный кабинет, подключить, активация, активации, привязать, присоединиться, завершения, оплату, перевод",
    digits: "цифры, цифр, число, числа",
  },
  tr: {
    strong:
      "doğrulama kodu, doğrulama kodunuz, doğrulama kodun, dogrulama kodu, dogrulama kodunuz, güvenlik kodu, güvenlik kodunuz, onay kodu, onay kodunuz, onay kodun, giriş kodu, giriş kodunuz, tek kullanımlık kod, tek kullanımlık kodunuz, tek kullanımlık şifre, tek kullanımlık şifreniz, tek kullanımlık parola, aktivasyon kodu, aktivasyon kodunuz",
    passcode: "erişim kodu, erişim kodunuz",
    weak: "kod, kodu, kodunuz, kodun, kodunu, kodunuzu, koduyla, şifre, şifreniz, parola, parolanız",
    hint: "doğrula, doğrulama, doğrulamak, onayla, onaylamak, giriş yap, giriş yapmak, oturum aç",
    soft: "hesap, telefon, kart, numara",
    number:
      "sipariş, sipariş no, sipariş numarası, sipariş numaranız, fatura, fatura no, fatura numarası, bilet, kargo, takip no, takip numarası, takip kodu, hesap numarası, müşteri numarası, referans, posta kodu, tel., telefon numarası, arayın, tutar, yılı, hata kodu, barkod, ürün kodu, ülke kodu, müşteri kodu, stok kodu, ders kodu, kaynak kodu, abone no, dosya no",
    booking: "rezervasyon, rezervasyon numarası, rezervasyon kodu, uçuş",
    meeting: "toplantı kimliği, toplantı no",
    coupon: "indirim, indirim kodu, kupon, kupon kodu, promosyon kodu",
    instruction:
      "girin, gir, giriniz, kullan, kullanın, kullanınız, yazın, yaz, yazınız, tuşlayın, giriş yapın, girerek, girmeniz, yazarak, kullanarak, kullanmanız",
    purpose:
      "tamamlamak, tamamla, giriş, girişi, etkinleştirmek, devam, onaylayın, kaydı, kayıt, üyelik, bağlantıyı, katılmak, tamamlayın, onay, aktivasyon, başlamak",
    digits: "rakamları, rakamlar, rakamı, rakam, sayıyı, sayı, haneli",
  },
  vi: {
    strong:
      "mã xác minh, mã xác thực, mã xác nhận, mã bảo mật, mã otp, mã đăng nhập, mã kích hoạt, mã truy cập, mật khẩu dùng một lần, mã dùng một lần, mã pin",
    passcode: "mật khẩu",
    weak: "mã, mã số",
    hint: "xác minh, xác thực, xác nhận, đăng nhập",
    soft: "tài khoản, điện thoại, số, thẻ",
    number:
      "đơn hàng, mã đơn hàng, số đơn hàng, hóa đơn, hoá đơn, mã hóa đơn, mã vận đơn, vận đơn, số tài khoản, mã khách hàng, số điện thoại, mã bưu chính, mã bưu điện, hotline, gọi, số tiền, năm, mã lỗi, mã vạch, mã qr, mã sản phẩm, mã quốc gia, mã số thuế, mã hàng, mã bệnh nhân, mã môn, mã chứng khoán, mã nhân viên",
    booking: "đặt chỗ, mã đặt chỗ, mã đặt phòng, chuyến bay",
    meeting: "id cuộc họp",
    coupon: "mã giảm giá, giảm giá, khuyến mãi, mã khuyến mãi",
    instruction: "nhập, dùng, sử dụng, điền, gõ, ghi, nhập vào",
    purpose:
      "hoàn tất, kích hoạt, tiếp tục, phê duyệt, đăng ký, giao dịch, kết nối, tham gia, chuyển khoản, hoàn thành",
    digits: "chữ số, dãy số, số sau, số này, các số, con số",
  },
  id: {
    strong:
      "kode verifikasi, kode keamanan, kode otp, kode autentikasi, kode masuk, kode aktivasi, kode sekali pakai, kata sandi sekali pakai, kode login, kode rahasia",
    confirmation: "kode konfirmasi",
    passcode: "kode akses, kode sandi",
    weak: "kode",
    hint: "verifikasi, memverifikasi, konfirmasi, masuk, autentikasi",
    soft: "akun, telepon, kartu, nomor",
    number:
      "pesanan, nomor pesanan, no. pesanan, faktur, nomor faktur, tagihan, struk, tiket, resi, nomor resi, no. resi, kode resi, nomor rekening, nomor pelanggan, referensi, kode pos, nomor telepon, hubungi, jumlah, tahun, kode kesalahan, kode produk, kode negara, kode barang, kode toko, kode mata kuliah, kode bank, kode unik, id pelanggan, nomor pasien",
    booking: "pemesanan, kode booking, kode pemesanan, penerbangan",
    meeting: "id rapat",
    coupon: "kode promo, diskon, kupon, kode voucher, kode diskon",
    instruction:
      "masukkan, masukan, gunakan, pakai, ketik, ketikkan, isi, isikan, memasukkan, menggunakan, tulis, tuliskan, input, ketikan",
    purpose:
      "menyetujui, menyelesaikan, mengaktifkan, melanjutkan, aktivasi, pendaftaran, mendaftar, daftar, akses, mengonfirmasi, menghubungkan, bergabung, persetujuan",
    digits: "angka, digit",
  },
  nl: {
    strong:
      "verificatiecode, beveiligingscode, inlogcode, eenmalige code, eenmalig wachtwoord, authenticatiecode, activeringscode, activatiecode, controlecode, aanmeldcode, tan-code",
    confirmation: "bevestigingscode",
    passcode: "toegangscode",
    weak: "code, pincode",
    hint: "verifiëren, verifieer, verificatie, bevestigen, bevestig, inloggen, aanmelden, log in",
    soft: "account, telefoon, nummer, kaart",
    number:
      "bestelling, bestelnummer, ordernummer, factuur, factuurnummer, bon, zending, trackingnummer, track en trace, rekeningnummer, klantnummer, referentie, kenmerk, postcode, telefoonnummer, tel., bel, bedrag, jaar, foutcode, kvk, streepjescode, eindigend op, artikelcode, landcode, broncode, productcode, klantcode, cursuscode, storing, dossiernummer, patiëntnummer",
    booking: "boeking, boekingsnummer, boekingscode, reservering, reserveringsnummer, vlucht",
    meeting: "vergader-id, vergadering-id",
    coupon: "kortingscode, korting, actiecode, waardebon",
    instruction:
      "voer, vul, gebruik, typ, toets, invoeren, invullen, kopieer, tik, vult, voert, gebruikt, vermeld, neem",
    purpose:
      "activeren, toegang, afronden, af te ronden, doorgaan, verder te gaan, verbinden, goedkeuren, goed te keuren, registratie, koppelen, verbinding, activatie, af te maken, goedkeuring, te beginnen",
    digits: "cijfers, getal, onderstaande nummer",
  },
  pl: {
    strong:
      "kod weryfikacyjny, kodu weryfikacyjnego, kod bezpieczeństwa, kod autoryzacyjny, kod autoryzacji, kod uwierzytelniający, kod jednorazowy, jednorazowy kod, hasło jednorazowe, jednorazowe hasło, kod aktywacyjny, kod logowania, kod do logowania, kod sms",
    confirmation: "kod potwierdzający, kod potwierdzenia",
    passcode: "kod dostępu",
    weak: "kod, kodu, hasło",
    hint: "zweryfikować, zweryfikuj, weryfikacja, weryfikacji, potwierdź, potwierdzić, zaloguj, zalogować, logowania",
    soft: "konto, konta, telefon, karta, numer",
    number:
      "zamówienie, zamówienia, numer zamówienia, nr zamówienia, faktura, numer faktury, nr faktury, paragon, bilet, przesyłka, przesyłki, numer przesyłki, numer śledzenia, numer konta, numer klienta, kod pocztowy, tel., numer telefonu, kwota, rok, kod błędu, kod kreskowy, nip, regon, krs, sprawa, numer sprawy, kod produktu, kod kraju, kod klienta, kod artykułu, kod kursu, kod źródłowy, nr wizyty, numer artykułu",
    booking: "rezerwacja, rezerwacji, numer rezerwacji, kod rezerwacji, lot",
    meeting: "identyfikator spotkania",
    coupon: "kod rabatowy, kod promocyjny, rabat, kupon",
    instruction:
      "wpisz, podaj, wprowadź, użyj, przepisz, wpisać, skopiuj, podać, wprowadzić, wpisując, wprowadzając, wklej, użyć",
    purpose:
      "dokończyć, aktywować, kontynuować, autoryzować, zatwierdzić, zatwierdź, dostęp, rejestracja, rejestrację, rejestracji, połączyć, aktywacja, aktywacji, autoryzacja, dokończ, dołączyć",
    digits: "cyfry, cyfr, liczbę, poniższy numer",
  },
};

/** As above, for scripts that write words together or glue particles to them: found anywhere. */
const UNSPACED: Record<string, Words> = {
  zh: {
    strong:
      "验证码, 驗證碼, 校验码, 校驗碼, 动态码, 動態碼, 动态密码, 動態密碼, 安全码, 安全碼, 安全代码, 安全代碼, 验证代码, 驗證代碼, 一次性密码, 一次性密碼, 一次性代码, 一次性代碼, 激活码, 啟用碼, 登录码, 登入碼, 认证码, 認證碼, 短信码, 授权码, 授權碼, 口令码",
    confirmation: "确认码, 確認碼",
    weak: "代码, 代碼, 密码, 密碼, 口令",
    hint: "验证, 驗證, 登录, 登入, 确认, 確認, 身份认证",
    soft: "账号, 帳號, 账户, 帳戶, 手机, 手機",
    number:
      "订单, 訂單, 订单号, 訂單號, 订单编号, 訂單編號, 发票, 發票, 发票号码, 發票號碼, 快递单号, 运单号, 運單號, 物流单号, 单号, 單號, 追蹤碼, 客户编号, 客戶編號, 工单, 账号：, 手机号, 手機號碼, 电话, 電話, 客服, 热线, 熱線, 邮编, 郵遞區號, 邮政编码, 金额, 金額, 尾号, 尾號, 末四位, 版本, 错误代码, 錯誤代碼, 编号, 編號, 备案, 备案号, 号码, 號碼, 二维码, 条形码, 产品代码, 產品代碼, 股票代码, 股票代號, 国家代码, 國家代碼, 源代码, 原始碼, 发票代码, 机构代码, 商品编码, 課程代碼, 课程代码, 統一編號, 户号, 用戶編號",
    booking: "预订, 預訂, 预订号, 訂位代號, 航班, 酒店确认号",
    meeting: "会议号, 會議號, 会议id, 會議id, 会议 id, 會議 id",
    coupon: "优惠码, 優惠碼, 优惠券, 優惠券, 折扣, 折扣码, 折扣碼, 邀请码, 邀請碼, 兑换码, 兌換碼",
    instruction: "输入, 輸入, 填写, 填寫, 填入, 使用, 键入, 鍵入, 填上, 输入如下, 打入",
    purpose:
      "完成, 激活, 啟用, 绑定, 綁定, 注册, 註冊, 继续, 繼續, 授权, 授權, 开通, 開通, 连接, 連接, 交易, 转账, 轉帳, 支付, 付款, 加入",
    digits: "数字, 數字",
  },
  ja: {
    strong:
      "認証コード, 認証番号, セキュリティコード, セキュリティ コード, ワンタイムパスワード, ワンタイムコード, ワンタイム パスワード, ワンタイムキー, 検証コード, ログインコード, 本人確認コード, 認証キー, 二段階認証コード",
    confirmation: "確認コード, 確認番号",
    passcode: "パスコード, アクセスコード",
    weak: "コード, 暗証番号, パスワード",
    hint: "認証, ログイン, 本人確認, サインイン, 確認のため",
    soft: "アカウント, 電話, カード",
    number:
      "注文番号, ご注文番号, 注文, 請求書番号, 請求書, 領収書, 伝票番号, お問い合わせ番号, 追跡番号, お客様番号, 会員番号, 口座番号, 整理番号, 受付番号, 電話番号, 郵便番号, 〒, 金額, 合計, エラーコード, バージョン, 商品コード, 管理番号, qrコード, バーコード, 下4桁, 証券コード, 店舗コード, 国番号, ソースコード, 銀行コード, 支店コード, 講座コード, 診察券番号",
    booking: "予約番号, ご予約番号, 予約, 便名, 確認番号（予約）",
    meeting: "ミーティングid, ミーティング id, 会議id",
    coupon: "クーポン, クーポンコード, 割引, プロモーションコード, 招待コード",
    instruction: "入力, 使用, ご利用ください, 使って, 記入, 打ち込, 入れて",
    purpose: "完了, 登録, 続ける, 続行, 有効化, お手続き, 承認, 連携, 接続, 振込, 支払, 参加, 取引",
    digits: "数字",
  },
  ko: {
    strong:
      "인증번호, 인증 번호, 인증코드, 인증 코드, 확인코드, 확인 코드, 보안코드, 보안 코드, 일회용 비밀번호, 일회용 코드, 로그인 코드, 본인확인 번호, 보안번호, 활성화 코드",
    passcode: "암호",
    weak: "코드, 비밀번호, 번호",
    hint: "인증, 로그인, 본인 확인, 확인하",
    soft: "계정, 카드, 휴대폰",
    number:
      "주문번호, 주문 번호, 주문, 송장번호, 송장 번호, 운송장 번호, 운송장번호, 청구서, 영수증, 계좌번호, 계좌 번호, 고객번호, 고객 번호, 접수번호, 전화번호, 전화, 고객센터, 우편번호, 우편 번호, 금액, 합계, 오류 코드, 사업자등록번호, 참조번호, 상품 코드, 상품코드, 종목 코드, 종목코드, 국가 코드, 소스 코드, 지점 코드, 과목 코드, 환자번호",
    booking: "예약번호, 예약 번호, 예약, 항공편",
    meeting: "회의 id, 미팅 id",
    coupon: "쿠폰, 할인, 할인 코드, 쿠폰 번호, 프로모션 코드, 초대 코드",
    instruction: "입력, 사용, 적어, 넣어, 기입, 적으",
    purpose: "완료, 등록, 가입, 계속, 승인, 활성화, 진행, 연결, 결제, 이체, 참여, 거래",
    digits: "숫자",
  },
  ar: {
    strong:
      "رمز التحقق, رمز التأكيد, رمز الأمان, رمز التفعيل, رمز المصادقة, كود التحقق, كود التفعيل, كود التأكيد, كلمة المرور لمرة واحدة, كلمة مرور لمرة واحدة, رمز لمرة واحدة, الرمز السري",
    passcode: "رمز الدخول, رمز الوصول",
    weak: "رمزك, الرمز, رمز, كود, الكود",
    hint: "التحقق, تأكيد, تسجيل الدخول, المصادقة",
    soft: "حساب, هاتف, بطاقة",
    number:
      "رقم الطلب, الطلب, طلبك, فاتورة, رقم الفاتورة, رقم التتبع, رقم الشحنة, رقم الحساب, رقم الهاتف, هاتف:, اتصل, الرمز البريدي, رمز بريدي, المبلغ, رقم العميل, رقم المرجع, رقم التذكرة, رمز المنتج, رمز الدولة, كود المنتج, رمز الفرع, رمز المقرر, رقم الهوية",
    booking: "رقم الحجز, الحجز, رمز الحجز, رحلة",
    meeting: "معرف الاجتماع",
    coupon: "رمز الخصم, كود الخصم, خصم, قسيمة",
    instruction: "أدخل, ادخل, استخدم, استعمل, اكتب, إدخال, كتابة, استعمال, أدخلي, استخدمي, أدخِل",
    purpose:
      "إتمام, إكمال, تفعيل, متابعة, الموافقة, الدخول, للدخول, التسجيل, الربط, التحويل, الاتصال, الانضمام, الدفع",
    digits: "الأرقام, الارقام, أرقام, الرقم التالي",
  },
  hi: {
    strong:
      "सत्यापन कोड, सुरक्षा कोड, ओटीपी, वन-टाइम पासवर्ड, वन टाइम पासवर्ड, पुष्टिकरण कोड, प्रमाणीकरण कोड, लॉगिन कोड, वेरिफिकेशन कोड, एकबारगी पासवर्ड",
    passcode: "एक्सेस कोड",
    weak: "कोड, पिन, पासवर्ड",
    hint: "सत्यापित, सत्यापन, पुष्टि, लॉग इन, लॉगिन",
    soft: "खाता, खाते, फ़ोन, कार्ड",
    number:
      "ऑर्डर, ऑर्डर नंबर, ऑर्डर संख्या, चालान, इनवॉइस, बिल, रसीद, टिकट, ट्रैकिंग, खाता संख्या, खाता नंबर, ग्राहक संख्या, मोबाइल नंबर, फ़ोन नंबर, पिन कोड, पिनकोड, राशि, संदर्भ, उत्पाद कोड, देश कोड, आईएफएससी कोड, शाखा कोड, पाठ्यक्रम कोड, आवेदन संख्या",
    booking: "बुकिंग, आरक्षण, उड़ान, पीएनआर",
    meeting: "मीटिंग आईडी",
    coupon: "प्रोमो कोड, छूट, कूपन, कूपन कोड",
    instruction:
      "दर्ज करें, दर्ज कर, डालें, उपयोग करें, लिखें, इस्तेमाल करें, टाइप करें, भरें, डालकर, दर्ज करके, लिखकर, डालिए, उपयोग करके",
    purpose: "पूरा करने, पूरा करें, जारी रखने, सक्रिय, पंजीकरण, स्वीकृत, भुगतान, जोड़ना, शुरू, लेनदेन",
    digits: "अंक, अंकों, संख्याएँ",
  },
};

/** Letters of the scripts written with spaces: a key word must not be cut out of a longer word. */
const LETTER = "a-z\\u00c0-\\u024f\\u1e00-\\u1eff\\u0400-\\u04ff";

const KIND_OF = new Map<string, LabelKind>();

/** The words of all languages. One that two of them have keeps the kind of the first that lists it. */
function wordsOf(tables: Record<string, Words>): string[] {
  const words: string[] = [];
  for (const table of Object.values(tables)) {
    for (const [kind, list] of Object.entries(table)) {
      for (const word of list.split(", ")) {
        words.push(word);
        if (!KIND_OF.has(word)) KIND_OF.set(word, kind as LabelKind);
      }
    }
  }
  return [...new Set(words)];
}

const LABELS = new WordIndex(wordsOf(SPACED), wordsOf(UNSPACED), LETTER);

/** Lower case of the same length, so that offsets stay: Turkish `İ` would become two characters. */
export function lowered(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase();
}

/** The key words of a lower-cased text, in order, none overlapping. */
export function labelsIn(lowerText: string): Label[] {
  const labels: Label[] = [];
  for (const { word, start, end } of LABELS.findIn(lowerText)) {
    const kind = KIND_OF.get(word);
    if (kind !== undefined) labels.push({ kind, start, end });
  }
  return labels;
}

/** Ends a lead from key word to number: "code is", "code:", "код —", "認証コードは". */
export const LEADS_TO =
  /(?:[:：=→\-–—»>]|(?:^|[^a-z\u00c0-\u024f\u0400-\u04ff])(?:is|are|as|es|é|e|est|ist|lautet|è|это|adalah|ialah|là|la|to|jest|brzmi|olarak|dir|هو|هي|is now|use|enter|below|following)|[是为為は]|です|है|은|는|إلى|이)[\s"'“”‘’「『【《«([*_:：]*$/;

/** Begins a lead from number to key word: "482913 is your …", "482913（验证码）". */
export const LED_BY =
  /^["'”’」』】》»)\]*_]*\s*(?:[-–—:：=(（]|(?:is|es|é|est|ist|è|это|adalah|là|to|as|jest|para|pour|zum|zur|um|per|om|untuk|để|чтобы|для|aby|için|هو)(?![a-z\u00c0-\u024f])|[—–-]|[是为為はがをえ]|को|है|आपका|입니다|은|는|이|가|을|를)/;
