import type { Language } from "./language.ts";

/** Turkish. */
export const tr: Language = {
  tag: "tr",
  keyWords: "whole",
  code: {
    strong: `
      doğrulama kodu, doğrulama kodunuz, doğrulama kodun, dogrulama kodu, dogrulama kodunuz, güvenlik kodu,
      güvenlik kodunuz, onay kodu, onay kodunuz, onay kodun, giriş kodu, giriş kodunuz, tek kullanımlık kod,
      tek kullanımlık kodunuz, tek kullanımlık şifre, tek kullanımlık şifreniz, tek kullanımlık parola,
      aktivasyon kodu, aktivasyon kodunuz
    `,
    passcode: "erişim kodu, erişim kodunuz",
    weak: `
      kod, kodu, kodunuz, kodun, kodunu, kodunuzu, koduyla, şifre, şifreniz, parola, parolanız
    `,
    hint: `
      doğrula, doğrulama, doğrulamak, onayla, onaylamak, giriş yap, giriş yapmak, oturum aç
    `,
    soft: "hesap, telefon, kart, numara",
    number: `
      sipariş, sipariş no, sipariş numarası, sipariş numaranız, fatura, fatura no, fatura numarası, bilet,
      kargo, takip no, takip numarası, takip kodu, hesap numarası, müşteri numarası, referans, posta kodu,
      tel., telefon numarası, arayın, tutar, yılı, hata kodu, barkod, ürün kodu, ülke kodu, müşteri kodu,
      stok kodu, ders kodu, kaynak kodu, abone no, dosya no
    `,
    booking: "rezervasyon, rezervasyon numarası, rezervasyon kodu, uçuş",
    meeting: "toplantı kimliği, toplantı no",
    coupon: "indirim, indirim kodu, kupon, kupon kodu, promosyon kodu",
    instruction: `
      girin, gir, giriniz, kullan, kullanın, kullanınız, yazın, yaz, yazınız, tuşlayın, giriş yapın,
      girerek, girmeniz, yazarak, kullanarak, kullanmanız
    `,
    purpose: `
      tamamlamak, tamamla, giriş, girişi, etkinleştirmek, devam, onaylayın, kaydı, kayıt, üyelik,
      bağlantıyı, katılmak, tamamlayın, onay, aktivasyon, başlamak
    `,
    digits: "rakamları, rakamlar, rakamı, rakam, sayıyı, sayı, haneli",
  },
  sentence: {
    leadsTo: "olarak, dir",
    ledBy: "için",
    denies: "değil",
    fillers: "lütfen",
    units: "dakika, saat, saniye",
  },
  link: {
    proves: `
      doğrula, doğrulayın, doğrulamak, onayla, onaylayın, etkinleştir, şifreyi sıfırla, şifremi sıfırla,
      şifre sıfırlama, sıfırla, sıfırlamak
    `,
    signsIn: "giriş yap, oturum aç",
    goesOn: "devam et, başla, buraya tıklayın",
    password: "şifre, şifreni, şifrenizi, şifremi, parola, parolanızı",
    account: "hesabını, hesabınızı, e-posta, e-postanı, üyeliğini",
    otherPurpose: "abonelikten çık, abonelikten ayrıl, gizlilik, yardım, destek",
    provesInPath: "sifre, dogrula, etkinlestir",
  },
  quoting: {
    wrote: "yazdı",
    originalMessage: "orijinal ileti, orijinal mesaj",
    from: "gönderen, kimden",
    sent: "gönderildi, tarih",
    forwarded: "iletilen mesaj, iletilmiş ileti",
  },
  subject: {
    reply: "ynt",
    strippedReply: "ynt",
    invitation: "davet, hatırlatma",
  },
  signature: {
    closings: `
      saygılarımla, saygılarımızla, iyi çalışmalar, teşekkürler, sevgiler, selamlar, iyi günler,
      teşekkür ederim, kolay gelsin
    `,
    footers: [".* için outlook'u edinin", ".{1,30}(?:dan|den|mdan|ımdan|umdan) gönderildi"],
  },
  localParts: {
    unread: "yanitlamayin",
  },
  dates: {
    months: [
      "ocak, oca",
      "şubat, şub",
      "mart, mar",
      "nisan, nis",
      "mayıs",
      "haziran, haz",
      "temmuz, tem",
      "ağustos, ağu",
      "eylül, eyl",
      "ekim, eki",
      "kasım, kas",
      "aralık, ara",
    ],
    untilTime: "ile",
  },
  appointment: {
    when: "ne zaman, tarih ve saat, randevu, tarih, başlangıç",
    time: "saat",
    where: "nerede, yer, konum, adres",
    title: "konu, etkinlik",
  },
  money: {
    grandTotal: `
      genel toplam, toplam tutar, ödenen tutar, sipariş tutarı, ödenecek tutar, toplam ücret
    `,
    total: "toplam, tutar",
    partial: "ara toplam, indirim, kargo, kdv, kargo ücreti",
  },
  order: {
    numberLabel: "sipariş numarası, sipariş no, sipariş numaranız, sipariş #, siparis no",
    word: "sipariş, siparişiniz",
    quantity: "adet",
  },
  parcel: {
    numberLabel: `
      takip numarası, takip no, kargo takip no, kargo takip numarası, gönderi numarası, gönderi takip no,
      takip kodu
    `,
    nearNumber: "kargo",
    arrivalLabel: "tahmini teslimat, teslimat tarihi, tahmini teslim, tahmini varış",
    word: "kargo, kargonuz, gönderi, siparişiniz, paketiniz",
    statuses: {
      exception: "teslim edilemedi, gecikti, gecikme yaşan",
      out_for_delivery: "dağıtıma çıktı, dağıtımda, bugün teslim edilecek",
      delivered: "teslim edildi, teslim edilmiştir",
      in_transit: "yolda, yola çıktı, kargoda, transfer sürecinde",
      shipped: "kargoya verildi, gönderildi, kargolandı, yola çıkarıldı",
    },
    notYet: "gönderildiğinde, teslim edilecek, kargoya verildiğinde",
  },
  receipt: {
    payment: "fatura, makbuz, ödemeniz alındı, fiş, ödeme onayı, ödeme makbuzu, dekont",
    failed: "ödeme başarısız, ödemeniz alınamadı, reddedildi",
    dateLabel: "ödeme tarihi, fatura tarihi, işlem tarihi, satın alma tarihi, tarih",
    due: "son ödeme tarihi",
    merchantLabel: "satıcı, üye işyeri",
    methodLabel: "ödeme yöntemi, ödeme şekli, ödeme tipi",
    cardEnding: "ile biten",
  },
};
