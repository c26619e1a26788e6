import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCode, NOTHING_FOUND, readCode, type FoundCode } from "../../../src/mail/code/find-code.ts";
import { HOSTILE, hostileText } from "../../../scripts/eval/hostile.ts";
import { htmlToText } from "../../../src/mail/text/html-text.ts";

const mail = (subject: string, text: string, html = "", fromAddress = "no-reply@acme.example") => ({
  subject,
  text,
  html,
  fromAddress,
});

const codeOf = (subject: string, text: string): string | null => findCode(mail(subject, text)).code;

/** Language or form, subject, text, the code. */
const CODES: [string, string, string, string][] = [
  ["en", "Your verification code", "Your verification code is 482913.", "482913"],
  ["en subject only", "482913 is your Acme code", "Hello,\n\nwelcome back.", "482913"],
  ["en subject bracketed", "[482913] Acme verification code", "", "482913"],
  ["en subject behind a colon", "Acme login code: 5821", "", "5821"],
  ["en prefix", "Google Verification Code", "G-482913 is your Google verification code.", "482913"],
  ["en Facebook prefix", "", "FB-48291 is your Facebook confirmation code", "48291"],
  [
    "en own line",
    "Sign in to Acme",
    "Here is your login code:\n\n482913\n\nIt expires in 10 minutes.",
    "482913",
  ],
  ["en own line, key word in subject", "Your security code", "Hi Ann,\n\n482913\n\nThanks", "482913"],
  ["en spaced", "", "Your one-time password: 482 913", "482913"],
  ["en hyphenated", "", "Your Slack confirmation code: 482-913", "482913"],
  ["en letters with hyphen", "", "Your confirmation code is XK4-9PL.", "XK4-9PL"],
  ["en device code", "", "Enter this device code: WDJB-MJHT", "WDJB-MJHT"],
  ["en alphanumeric", "Your access code", "Your access code:\n\nA7K2P9\n", "A7K2P9"],
  ["en lower alphanumeric", "", "Verification code: a7k2p9", "a7k2p9"],
  ["en capitals alone", "", "Your verification code is:\n\nKQXZPT\n", "KQXZPT"],
  ["en eight digits", "", "Use code 48291357 to sign in.", "48291357"],
  ["en four digits", "", "Your PIN is 4829. Keep it safe.", "4829"],
  ["en ten digits", "", "Your OTP is 4829135706", "4829135706"],
  ["en use to sign in", "", "Use 482913 to sign in to your account.", "482913"],
  ["en enter to verify", "", "Enter 482913 to verify your email.", "482913"],
  ["en key word behind", "", "482913 is your one-time passcode for Acme.", "482913"],
  ["en boxes with spaces", "", "Your verification code\n\n4 8 2 9 1 3\n", "482913"],
  ["en boxes by line", "", "Your verification code\n\n4\n8\n2\n9\n1\n3\n\nThanks", "482913"],
  ["en boxes with tabs", "", "Your verification code:\n4\t8\t2\t9\t1\t3", "482913"],
  ["en bold", "", "Your code is **482913**.", "482913"],
  ["en quoted", "", 'Your code is "482913"', "482913"],
  ["en no space", "", "Code:482913", "482913"],
  ["en service between", "", "Your verification code for Example Account is 482913", "482913"],
  ["en order beside", "", "Your verification code for order 99812 is 482913", "482913"],
  ["en account beside", "", "Your verification code for your Acme account: 482913", "482913"],
  ["en year as code", "", "Your verification code is 2024.", "2024"],
  ["en date beside", "", "On 2024-03-15 you asked for a code.\nYour code: 482913\n© 2024 Acme", "482913"],
  ["en validity", "", "Your code expires in 1440 minutes.\n\nCode: 482913", "482913"],
  ["en caption below", "", "482913\nis your verification code", "482913"],
  ["en WebOTP", "", "Your code is below.\n\n@acme.example #482913", "482913"],
  ["en phone beside", "", "Security code: 482913. Questions? Call 1-800-555-0199.", "482913"],
  [
    "en forward",
    "Fwd: Your code",
    "---------- Forwarded message ---------\nFrom: Acme\nDate: today\n\nYour verification code is 482913",
    "482913",
  ],
  ["en non-breaking space", "", "Your verification code is 482\u00a0913", "482913"],
  ["en zero width", "", "Your verification code is 48\u200b2913", "482913"],
  ["en full width", "", "Your verification code is ４８２９１３", "482913"],
  ["en above old mail", "", "Your code is 482913\n\n> Your code is 111222", "482913"],
  ["en Apple", "", "Your Apple ID Code is: 482913. Don't share it with anyone.", "482913"],
  ["en Steam", "", "Here is the Steam Guard code you need to login to account ann:\n\nK7M2Q\n", "K7M2Q"],
  [
    "en hint and own line",
    "Verify your email",
    "Enter the following to finish signing up:\n\n482913\n",
    "482913",
  ],
  ["en two-factor", "", "Two-factor authentication code: 482913", "482913"],
  ["zh", "【阿里云】验证码", "您的验证码是482913，5分钟内有效，请勿泄露。", "482913"],
  ["zh key word first", "", "【微信】验证码：482913，用于登录", "482913"],
  ["zh key word behind", "", "482913（登录验证码），十分钟内有效", "482913"],
  ["zh is your", "", "482913 是您的 Acme 验证码", "482913"],
  ["zh Hant", "您的驗證碼", "您的驗證碼為 482913，請於10分鐘內輸入。", "482913"],
  ["zh Hant own line", "登入驗證", "您的一次性密碼：\n\n482913\n", "482913"],
  [
    "zh link behind",
    "",
    "您的验证码是482913，请访问https://acme.example/x?code=123456，5分钟内有效",
    "482913",
  ],
  ["ja", "認証コードのお知らせ", "認証コードは 482913 です。", "482913"],
  ["ja own line", "", "確認コード\n\n482913\n\n有効期限は10分です。", "482913"],
  ["ja behind", "", "482913 があなたの認証コードです", "482913"],
  ["ja one-time", "", "ワンタイムパスワード：482913", "482913"],
  ["ko", "", "인증번호는 482913입니다.", "482913"],
  ["ko bracketed", "", "[Acme] 인증번호 [482913]를 입력해 주세요", "482913"],
  ["ko own line", "인증 코드 안내", "아래 인증 코드를 입력하세요.\n\n482913\n", "482913"],
  ["es", "Tu código de verificación", "Tu código de verificación es 482913", "482913"],
  ["es behind", "", "482913 es tu código de Acme", "482913"],
  ["es one-time", "", "Tu contraseña de un solo uso: 482-913", "482913"],
  ["pt", "", "Seu código de verificação é: 482913", "482913"],
  ["pt own line", "Código de acesso", "Use o código abaixo para entrar:\n\n482913\n", "482913"],
  ["fr", "Votre code de vérification", "Votre code de vérification est 482913.", "482913"],
  ["fr behind", "", "482 913 est votre code de connexion", "482913"],
  ["de", "Ihr Bestätigungscode", "Ihr Bestätigungscode lautet: 482913", "482913"],
  ["de behind", "", "482913 ist Ihr Sicherheitscode.", "482913"],
  ["de TAN", "", "Ihre TAN: 482913", "482913"],
  ["it", "", "Il tuo codice di verifica è 482913", "482913"],
  ["it own line", "", "Inserisci questo codice per accedere:\n\n482913\n", "482913"],
  ["ru", "Код подтверждения", "Ваш код подтверждения: 482913", "482913"],
  ["ru behind", "", "482913 — ваш код для входа в Acme", "482913"],
  ["tr", "", "Doğrulama kodunuz: 482913", "482913"],
  ["tr capital", "", "DOĞRULAMA KODU: 482913", "482913"],
  ["ar", "", "رمز التحقق الخاص بك هو 482913", "482913"],
  ["ar digits", "", "رمز التحقق: ٤٨٢٩١٣", "482913"],
  ["hi", "", "आपका सत्यापन कोड 482913 है", "482913"],
  ["hi own line", "", "आपका ओटीपी:\n\n482913", "482913"],
  ["vi", "", "Mã xác minh của bạn là 482913", "482913"],
  ["id", "", "Kode verifikasi Anda adalah 482913", "482913"],
  ["nl", "", "Je verificatiecode is 482913", "482913"],
  ["pl", "", "Twój kod weryfikacyjny to 482913", "482913"],
  ["pl own line", "", "Kod do logowania:\n\n482 913", "482913"],
];

/** What it is, subject, text; none holds a code. */
const DECOYS: [string, string, string][] = [
  ["a year", "Our code of conduct 2024", "Read our code of conduct, updated 2024."],
  ["a copyright year", "Security news", "Verification code basics. © 2024 Acme Inc."],
  ["a date", "", "Your code expires on 2024-03-15."],
  ["a compact date", "", "Code freeze 20240315"],
  ["a slashed date", "", "Your code expires on 12/31/2024"],
  ["a German date", "", "Der Code gilt bis 31.12.2024"],
  ["a CJK date", "", "验证码有效期至2024年3月15日"],
  ["a time", "", "The code is valid until 10:30 or 1430 hours"],
  ["minutes", "", "Your code expires in 1440 minutes."],
  ["a price", "", "Enter the code at checkout. Total: $4829"],
  ["a price with decimals", "Your receipt", "Code: 4829.00 USD"],
  ["a price in yuan", "", "您的代码 4829元"],
  ["a price in euros", "", "Le code coûte 4829 €"],
  ["a phone number", "", "Verification code problems? Call 1-800-555-0199"],
  ["an international phone number", "", "Code not received? +1 415 555 2671"],
  ["a phone number in brackets", "", "Code help: (415) 555-2671"],
  ["a French phone number", "", "Votre code ? Appelez le 06 12 34 56 78"],
  ["an order", "Your order 482913", "Order number: 482913"],
  ["an order under its label", "Thanks for your purchase", "Order number\n482913\n"],
  ["a German order", "Bestellbestätigung", "Bestellnummer: 48291357"],
  ["a Chinese order", "", "订单号：48291357"],
  ["a Japanese order", "", "ご注文番号：48291357"],
  ["a Russian order", "", "Номер заказа: 482913"],
  ["an invoice", "Invoice 482913", "Please pay invoice 482913 by Friday. Use the code word."],
  ["a ticket", "[Ticket #482913] Login issue", "Your ticket 482913 about the login code was updated."],
  ["a tracking number", "Shipped", "Tracking code: 482913"],
  ["a tracking number in Spanish", "", "Código de seguimiento: 482913"],
  ["a meeting", "Invitation", "Join Zoom Meeting\nMeeting ID: 482 913 5706\nPasscode: 482913"],
  ["a meeting id with even groups", "", "Meeting ID: 482 913"],
  ["an account", "Statement", "Account number: 48291357"],
  ["an account ending", "", "We sent a code to the number ending in 4829"],
  ["a masked card", "", "Verification code sent for card **** 4829"],
  ["a ZIP code", "", "ZIP code: 94103"],
  ["a ZIP code in an address", "Your code", "Acme Inc, 1 Main St, San Francisco, CA 94103"],
  ["a postal code", "", "Code postal 75008"],
  ["an Indian PIN code", "", "Pincode: 560001"],
  ["a Japanese postal code", "", "〒100-0001 東京都"],
  ["a CSS colour", "Design", "The color code is #482913"],
  ["a bare CSS colour", "", "Code: color #336699; background #112233"],
  ["an IP address", "New login", "Sign in from 192.168.100.2001 code"],
  ["an IPv6 address", "", "login code request from 2001:0db8:85a3:0000:0000:8a2e:0370:7334"],
  ["a link", "", "Your code: https://acme.example/verify/482913"],
  ["a bare link", "", "Your code: acme.example/verify/482913"],
  ["a parameter of a link", "", "Verification code (https://acme.example/?code=482913)"],
  ["a mail address", "", "Your code was sent to 482913@qq.example"],
  ["a quoted code", "", "Thanks!\n\n> Your verification code is 482913"],
  [
    "an older mail",
    "",
    "Thanks!\n\nOn Mon, Jan 1, 2024 at 9:00 Acme <a@acme.example> wrote:\nYour verification code is 482913",
  ],
  [
    "an older mail, folded",
    "",
    "Thanks\n\nOn Mon, Jan 1, 2024, Acme <a@acme.example>\nwrote:\n\nYour code is 482913",
  ],
  ["an Outlook reply", "", "Thanks\n\n-----Original Message-----\nYour verification code is 482913"],
  ["a German reply", "", "Danke\n\nAm 01.01.2024 um 10:00 schrieb Acme:\nIhr Sicherheitscode ist 482913"],
  [
    "a German Outlook reply",
    "",
    "Danke\n\n-----Ursprüngliche Nachricht-----\nIhr Sicherheitscode ist 482913",
  ],
  ["a header block", "", "Thanks\n\nFrom: Acme\nSent: Monday\nTo: Ann\nSubject: Code\n\nYour code is 482913"],
  [
    "a French reply",
    "",
    "Merci\n\nLe lun. 1 janv. 2024 à 10:00, Acme a écrit :\nVotre code de vérification est 482913",
  ],
  ["a Chinese reply", "", "谢谢\n\n在 2024年1月1日，Acme 写道：\n您的验证码是482913"],
  ["a reply's subject", "Re: 482913 is your verification code", "What is this?"],
  ["a coupon", "Spring sale", "Use code SAVE20 at checkout for 20% off."],
  ["a numeric coupon", "", "Promo code: 4829"],
  ["a booking", "Your flight", "Booking reference\n\nXK49PL\n\nConfirmation code: XK49PL"],
  ["an error", "", "Error code: 4829"],
  ["a version", "Release", "Version 2024.1234 of the code is out; build 48291."],
  ["an RFC", "", "The code follows RFC 8601."],
  ["a count", "Weekly digest", "The code base has 5821 commits and 48291 users."],
  ["a bare number", "Hello", "482913"],
  ["a number without key word", "Hello", "We met 482913 at the fair."],
  ["a reference", "", "Reference: 482913. Log in to see it."],
  ["a bank code", "", "Sort code 12-34-56"],
  ["a customer number", "", "Kundennummer 482913"],
  ["an IBAN-like run", "", "Code 4829 1234 5678 9012"],
  ["a short code", "", "Text STOP to 48291. Reply with the word code."],
  ["product names", "", "Your code runs on iOS17 and Windows11."],
  ["a long run", "", "Your code is 482913482913482913"],
];

describe("findCode: codes", () => {
  it.each(CODES)("finds the code (%s): %s / %s", (_kind, subject, text, code) => {
    expect(codeOf(subject, text)).toBe(code);
  });

  it("prefers the code that subject and text agree on", () => {
    expect(codeOf("482913 is your code", "Code: 5821\nYour login code is 482913")).toBe("482913");
  });

  it("takes the first of two equal codes", () => {
    expect(codeOf("", "Your code is 482913\nYour code is 571946")).toBe("482913");
  });
});

describe("findCode: what is no code", () => {
  it.each(DECOYS)("never takes %s: %s / %s", (_kind, subject, text) => {
    expect(codeOf(subject, text)).toBeNull();
  });

  it("does not read beyond the first 100,000 characters", () => {
    expect(codeOf("", `${"word ".repeat(20_000)}\nYour code is 482913`)).toBeNull();
    expect(codeOf("", `${"word ".repeat(19_000)}\nYour code is 482913`)).toBe("482913");
  });
});

/** Subject, text, html, the link. */
const LINKS: [string, string, string, string | null][] = [
  [
    "Verify your email",
    "Verify email (https://acme.example/v/8f3kd93kf02kd93k)",
    "",
    "https://acme.example/v/8f3kd93kf02kd93k",
  ],
  [
    "Reset your password",
    "Click the link below to reset your password:\n\nhttps://acme.example/reset?token=abc123def456ghi7\n\nThanks",
    "",
    "https://acme.example/reset?token=abc123def456ghi7",
  ],
  [
    "Sign in to Acme",
    "Sign in (https://click.esp.example/ls/click?upn=u001abcdefghijklmnop)\nUnsubscribe (https://acme.example/unsubscribe?t=abcdefghijklmnopq1)",
    "",
    "https://click.esp.example/ls/click?upn=u001abcdefghijklmnop",
  ],
  [
    "Confirm your account",
    "",
    '<p>Hi</p><a class="b" href="https://acme.example/confirm?a=1&amp;t=k2j3h4k5j6h7k8j9">Confirm <b>account</b></a> <a href="https://acme.example/help">Help</a>',
    "https://acme.example/confirm?a=1&t=k2j3h4k5j6h7k8j9",
  ],
  [
    "请验证您的邮箱",
    "请点击 https://acme.example/verify/8f3kd93kf02kd93k，完成验证。",
    "",
    "https://acme.example/verify/8f3kd93kf02kd93k",
  ],
  [
    "Bestätigen Sie Ihre E-Mail",
    "E-Mail bestätigen (https://acme.example/x/8f3kd93kf02kd93k)",
    "",
    "https://acme.example/x/8f3kd93kf02kd93k",
  ],
  [
    "Verify your email",
    "",
    '<div style="display:none"><a href="https://evil.example/verify/8f3kd93kf02kd93k">Verify your email</a></div>',
    null,
  ],
  [
    "Verify your email",
    "",
    '<!-- <a href="https://evil.example/verify/8f3kd93kf02kd93k">Verify your email</a> -->',
    null,
  ],
  ["Verify your email", "", '<a href="javascript:verify(8123456789012345)">Verify your email</a>', null],
  ["Verify your email", "Verify email (https://acme.example@evil.example/verify/8f3kd93kf02kd93k)", "", null],
  [
    "Your code",
    "Your code is 482913. Need help? https://acme.example/help/verification-code-8f3kd93kf02",
    "",
    null,
  ],
  [
    "Your code",
    "Your code is 482913.\nIf this wasn't you, secure your account: https://acme.example/reset?token=8f3kd93kf02kd93k",
    "",
    null,
  ],
  [
    "Our March newsletter",
    "Read more (https://click.esp.example/ls/click?upn=u001abcdefghijklmnop)\nLog in (https://acme.example/login)\nUnsubscribe (https://acme.example/u/abcdefghijklmnopq1)\nFollow us (https://facebook.com/acme)",
    "",
    null,
  ],
  [
    "Our March newsletter",
    "",
    '<a href="https://click.esp.example/a/8f3kd93kf02kd93k8f3">Shop now</a><img src="https://esp.example/open.gif"><a href="https://click.esp.example/b/8f3kd93kf02kd93k8f3">Unsubscribe</a>',
    null,
  ],
];

describe("findCode: links", () => {
  it("takes no link from a quoted older mail", () => {
    const link = "Verify your email (https://acme.example/verify/8f3kd93kf02kd93k)";
    expect(findCode(mail("Re: Verify your email", `Is this you?\n\n> ${link}`)).link).toBeNull();
    expect(
      findCode(mail("Re: Verify your email", `Hm\n-----Original Message-----\n${link}`)).link,
    ).toBeNull();
    const html =
      '<blockquote><a href="https://acme.example/verify/8f3kd93kf02kd93k">Verify your email</a></blockquote>';
    expect(findCode(mail("Re: Verify your email", "Is this you?", html)).link).toBeNull();
  });

  it.each(LINKS)("reads the link of %s / %s", (subject, text, html, link) => {
    expect(findCode(mail(subject, text, html)).link).toBe(link);
  });

  it("gives code and link of one mail", () => {
    const text =
      "Your login code is 482913\n\nOr use this link to sign in: https://acme.example/magic/8f3kd93kf02kd93k.";
    expect(findCode(mail("Your login code", text))).toMatchObject({
      code: "482913",
      link: "https://acme.example/magic/8f3kd93kf02kd93k",
    });
  });
});

/** Kind of mail, sender, subject, text, what is found: worded as large services word theirs. */
const MAILS: [
  string,
  { fromAddress: string; subject: string; text: string },
  Pick<FoundCode, "code" | "link">,
][] = [
  [
    "github",
    {
      fromAddress: "noreply@github.com",
      subject: "[GitHub] Please verify your device",
      text: "Hey ann!\n\nA sign in attempt requires further verification because we did not recognize your device. To complete the sign in, enter the verification code on the unrecognized device.\n\nDevice: Firefox 120 on Linux\nVerification code: 482913\n\nIf you did not attempt to sign in to your account, your password may be compromised. Visit https://github.com/settings/security to create a new, strong password for your GitHub account.\n\nThanks,\nThe GitHub Team",
    },
    { code: "482913", link: null },
  ],
  [
    "amazon",
    {
      fromAddress: "account-update@amazon.com",
      subject: "Amazon: Sign-in attempt",
      text: "Someone who knows your password is attempting to sign-in to your account.\n\nWhen: Nov 20, 2024 01:34 PM Pacific Standard Time\nDevice: Google Chrome Windows (Desktop)\nNear: California, United States\n\nIf this was you, your verification code is:\n\n482913\n\nDon't share it with others.\n\nIf you didn't request this, click here (https://www.amazon.com/a/c/r?k=abcdefghijklmnop1) to deny.",
    },
    { code: "482913", link: null },
  ],
  [
    "microsoft",
    {
      fromAddress: "account-security-noreply@accountprotection.microsoft.com",
      subject: "Microsoft account security code",
      text: "Please use the following security code for the Microsoft account an**n@example.com.\n\nSecurity code: 4829\n\nIf you don't recognize the account, click here to remove your email address.\n\nPrivacy Statement: https://go.microsoft.com/fwlink/?LinkID=521839\nMicrosoft Corporation, One Microsoft Way, Redmond, WA 98052",
    },
    { code: "4829", link: null },
  ],
  [
    "stripe",
    {
      fromAddress: "notifications@stripe.com",
      subject: "Verify your email for Stripe",
      text: "Verify your email address\n\nThanks for starting the new Stripe account creation process.\n\nVerify email address (https://dashboard.stripe.com/email_confirm/abcd1234efgh5678)\n\nVisit Stripe Support if you have any questions. (https://support.stripe.com)\nStripe, 354 Oyster Point Blvd, South San Francisco, CA 94080",
    },
    { code: null, link: "https://dashboard.stripe.com/email_confirm/abcd1234efgh5678" },
  ],
  [
    "linkedin",
    {
      fromAddress: "security-noreply@linkedin.com",
      subject: "Ann, here's your PIN 482913",
      text: "Please use this verification code to complete your sign in:\n\n482913\n\nThis code will expire in 15 minutes.",
    },
    { code: "482913", link: null },
  ],
  [
    "receipt",
    {
      fromAddress: "receipts@stripe.com",
      subject: "Your receipt from Acme #2048-4829",
      text: "Receipt from Acme\nAmount paid $48.29\nDate paid Mar 15, 2024\nPayment method Visa - 4829\nReceipt number 2048-4829\nInvoice number 8A2B4C6D-0003\nQuestions? Contact us at support@acme.example or call +1 415-555-2671.",
    },
    { code: null, link: null },
  ],
  [
    "news",
    {
      fromAddress: "news@substack.com",
      subject: "The best coding books of 2024",
      text: "View this post on the web at https://acme.substack.com/p/the-best\n\nRead the code in 1984 lines. In 2023, 4829 people confirmed it. Use code READ2024 for 20% off.\n\nUnsubscribe https://substack.com/redirect/2/eyJabcdefghijklmnop",
    },
    { code: null, link: null },
  ],
  [
    "issue",
    {
      fromAddress: "notifications@github.com",
      subject: "[acme/app] verification code not sent (Issue #4829)",
      text: "ann left a comment (acme/app#4829)\n\nSeeing error code 50012 when the verification code is requested. Commit 4829135 fixes it.\n\n—\nReply to this email directly, view it on GitHub (https://github.com/acme/app/issues/4829#issuecomment-1234567890), or unsubscribe (https://github.com/notifications/unsubscribe-auth/ABCDEF).",
    },
    { code: null, link: null },
  ],
  [
    "supabase",
    {
      fromAddress: "noreply@mail.app.supabase.io",
      subject: "Confirm Your Signup",
      text: "Confirm your signup\n\nFollow this link to confirm your user:\n\nConfirm your mail (https://x.supabase.co/auth/v1/verify?token=pkce_abcdef&type=signup&redirect_to=http://localhost:3000)\n\nAlternatively, enter the code: 482913",
    },
    {
      code: "482913",
      link: "https://x.supabase.co/auth/v1/verify?token=pkce_abcdef&type=signup&redirect_to=http://localhost:3000",
    },
  ],
  [
    "bank",
    {
      fromAddress: "x@bank.example",
      subject: "Transaction alert",
      text: "Your account ending 4829 was debited for Rs 4829.00 on 15-03-24 via UPI Ref No 407482913570. Not you? Call 18001234 or SMS BLOCK 4829 to 9812345678. Never share OTP or PIN with anyone.",
    },
    { code: null, link: null },
  ],
  [
    "welcome",
    {
      fromAddress: "x@acme.example",
      subject: "Welcome to Acme",
      text: "Get started (https://click.acme.example/ls/click?upn=abcdefghijklmnop1)\nLog in (https://acme.example/login)\nOur office: 1 Main St 94103",
    },
    { code: null, link: null },
  ],
  [
    "footer",
    {
      fromAddress: "x@acme.example",
      subject: "Your login code",
      text: "Your login code\n\n482913\n\nCode 482913 is valid 10 min.\n\nAcme GmbH, Hauptstr. 1, 10115 Berlin, HRB 123456, USt-ID DE123456789, Tel. 030 1234567",
    },
    { code: "482913", link: null },
  ],
];

describe("readCode", () => {
  it("gives no code when the reader throws, and version 0", () => {
    const fail = (): FoundCode => {
      throw new RangeError("a fault of the reader");
    };
    expect(readCode(mail("", "Your code is 482913"), fail)).toEqual({ ...NOTHING_FOUND, reader: 0 });
  });

  it("gives the version of the reader", () => {
    expect(readCode(mail("", "Hello")).reader).toBeGreaterThan(1);
  });
});

describe("findCode: whole mails", () => {
  it.each(MAILS)("reads a mail like that of %s", (_kind, parts, found) => {
    expect(findCode({ ...parts, html: "" })).toMatchObject(found);
  });
});

/** Digits of other scripts as ASCII, letters and digits only. */
function bare(text: string): string {
  const digits = text.replace(/\p{Nd}/gu, (digit) => {
    const unit = digit.codePointAt(0) ?? 0;
    const zero = [0xff10, 0x06f0, 0x0966, 0x0660].find((start) => unit >= start && unit <= start + 9);
    return zero === undefined ? digit : String(unit - zero);
  });
  return digits.normalize("NFKC").replace(/[^0-9A-Za-z]/g, "");
}

const word = fc.constantFrom(
  "code",
  "verification code",
  "验证码",
  "인증번호",
  "is",
  ":",
  "\n",
  "482913",
  "482 913",
  "G-482913",
  "XK4-9PL",

  "order",
  "2024",
  "#",
  "$",
  ">",
  "https://a.example/482913",
  "<a href='https://a.example/verify/1'>",
  "٤٨٢٩",
  "４８２９",

  "wrote:",
  "4",
  "8",
  "İ",
  "\u200b",
  "WDJB-MJHT",
  "(",
  ")",
  "-",
  ".",
  "*",
  "@acme.example #4829",
);
const prose = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")),
  fc.array(word, { maxLength: 40 }).map((words) => words.join("")),
);

describe("findCode: any input", () => {
  it("never throws, and gives only codes that stand in subject or text and can be typed", () => {
    fc.assert(
      fc.property(prose, prose, prose, (subject, text, html) => {
        const { code, link } = findCode({ subject, text, html, fromAddress: subject });
        expect(link === null || /^https?:\/\//i.test(link)).toBe(true);
        if (code === null) return;
        expect(code).toMatch(/^[0-9]{4,10}$|^[A-Z0-9-]{4,12}$/i);
        expect(`${bare(subject)} ${bare(text)} ${bare(htmlToText(html))}`).toContain(bare(code));
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds any six digits after a key word, however they are grouped", () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(digits, fc.constantFrom("", " ", "-", "\u00a0"), (code, gap) => {
        expect(codeOf("", `Your verification code is ${code.slice(0, 3)}${gap}${code.slice(3)}`)).toBe(code);
      }),
    );
  });

  it.each(HOSTILE.map((unit) => [JSON.stringify(unit), unit]))(
    "reads a megabyte of %s to the end",
    (_shown, unit) => {
      const text = hostileText(unit, 1_000_000);
      const found = findCode({ subject: text, text, html: text, fromAddress: text });
      expect(found.code === null || /^[0-9]{4,10}$|^[0-9A-Z]{4,10}$/.test(found.code)).toBe(true);
    },
  );

  /** Below, a measurement says nothing. */
  const NOISE_MS = 4;

  /** CPU time in ms that reading so many characters takes, the least of several tries: the machine has other work too. */
  const costOf = (unit: string, characters: number): number => {
    const text = hostileText(unit, characters);
    const tries = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      findCode({ subject: text, text, html: text, fromAddress: text });
      return process.cpuUsage(before).user / 1_000;
    });
    return Math.min(...tries);
  };

  it.each(HOSTILE.map((unit) => [JSON.stringify(unit), unit]))(
    "grows with the length of %s and not with its square",
    (_shown, unit) => {
      // Below the limits at which texts are cut. Four times the text is sixteen times the work of a quadratic reader.
      const [one, four] = [costOf(unit, 22_000), costOf(unit, 88_000)];
      expect(four).toBeLessThan(10 * Math.max(one, NOISE_MS));
    },
  );
});
