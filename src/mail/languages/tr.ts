import type { Language } from "./language.ts";

/** Turkish. */
export const tr: Language = {
  tag: "tr",
  keyWords: "whole",
  code: {
    strong: `
      teslimat kodu*, teslim kodu*, teslim alma kodu*, teslimat şifre*, dolap kodu*, dolap şifre*,
      kapı kodu*, kapı şifre*, otopark kodu*, tek seferlik kod*, tek seferlik şifre*, doğrulama kod*,
      onay kod*, güvenlik kod*, giriş kod*, aktivasyon kod*, tek kullanımlık şifre*, tek kullanımlık kod*,
      kayıt kodu*, tek kullanımlık parola*, sıfırlama kod*, sms şifre*, giriş şifre*, onay şifre*,
      geçici şifre*
    `,
    passcode: "erişim kodu, erişim kodunuz",
    weak: `
      kod, kodu, kodunuz, kodun, kodunu, kodunuzu, koduyla, şifre, şifreniz, parola, parolanız, şifreyi,
      şifrenizi, şifren, şifresi, kodlar*, parolası
    `,
    hint: "doğrula, doğrulama, doğrulamak, onayla, onaylamak, giriş yap, giriş yapmak, oturum aç",
    soft: "hesap, telefon, kart, numara",
    number: `
      sipariş, sipariş no, sipariş numarası, sipariş numaranız, fatura, fatura no, fatura numarası, bilet,
      kargo, takip no, takip numarası, takip kodu, hesap numarası, müşteri numarası, referans, posta kodu,
      tel., telefon numarası, arayın, tutar, yılı, hata kodu, barkod, ürün kodu, ülke kodu, müşteri kodu,
      stok kodu, ders kodu, kaynak kodu, abone no, dosya no, vergi kodu, vergi no, kimlik no,
      abone numarası, tesisat no, poliçe no, tc kimlik no, müşteri no
    `,
    booking: "rezervasyon, rezervasyon numarası, rezervasyon kodu, uçuş",
    meeting: "toplantı kimliği, toplantı no, toplantı numarası, toplantı kodu, toplantı şifresi",
    coupon: `
      indirim, indirim kodu, kupon, kupon kodu, promosyon*, hediye çeki, hediye kartı, kampanya kodu,
      hediye kodu, davet kodu, sepette
    `,
    instruction: `
      girin, gir, giriniz, kullan, kullanın, kullanınız, yazın, yaz, yazınız, giriş yapın, girerek, yazarak,
      kullanarak, kullanmanız, gösterin, söyleyin, tuşla*, girme*, girecek*, yazman*, yazacak*, yazarsan*,
      okut*, göstermeniz, söylemeniz, çevirin, basınız, kopyala*, söyle, göster, bildirin, girip, gerekecek,
      ihtiyacınız olacak, okuyun
    `,
    device: `
      tuş takım*, kiosk*, dolab*, dolap, kilit*, kapıya, kapının, kapıdaki, bariyer*, turnike*, diyafon*
    `,
    secret: "kimseyle paylaş*, kimse ile paylaş*, paylaşmayın*, paylaşma, kimseye verme*, asla isteme*",
    requested: `
      talebiniz üzerine, talep ettiniz, talep ettiğiniz, talebi aldık, siz değilseniz, sen değilsen,
      yok sayın*, görmezden gel*
    `,
    void: `
      önceki kod*, eski kod*, artık geçerli değil*, geçerli değil*, geçersiz*, yerine geçer, kullanılmış*,
      kullanıldı, süresi doldu, süresi dolmuş*, iptal edil*, geçerliliğini yitir*, dikkate almayın,
      süresi geçmiş*, eski şifre*, önceki şifre*, hükümsüz*, eski parola*, önceki parola*
    `,
    fresh: "yeni kod*, yeni pin*, en son kod*, yeni şifre*, yeni parola*",
    expiry: `
      geçerlidir, geçerli olacak*, süreyle geçerli*, geçerlilik süresi, süresi dolacak*, sona er*, bir kez,
      tek seferlik, içinde, geçerli, geçerliliği
    `,
  },
  sentence: {
    leadsTo: "olarak, dir",
    ledBy: "için",
    denies: "değil, yok, asla, olmadan, değildir",
    fillers: "lütfen",
    units: "dakika, saat, saniye",
  },
  link: {
    proves: `
      doğrula, doğrulayın, doğrulamak, onayla, onaylayın, etkinleştir, şifreyi sıfırla, şifremi sıfırla,
      şifre sıfırlama, sıfırla, sıfırlamak, kabul et, izin ver, yeni şifre*, şifre belirle*, şifre oluştur*,
      şifremi unuttum, şifre yenile*, şifremi yenile, şifre değiştir, şifremi değiştir, bendim, bu benim,
      bu bendim, kilidi aç, engeli kaldır
    `,
    signsIn: "giriş yap, oturum aç, giriş, oturum açın, bağlan",
    goesOn: "devam et, başla, buraya tıklayın, devam, tıkla, tıklayın, buradan, ilerle",
    password: "şifre, şifreni, şifrenizi, şifremi, parola, parolanızı",
    account: "hesabını, hesabınızı, e-posta, e-postanı, üyeliğini, hesap, hesabın, üyelik*",
    otherPurpose: `
      gizlilik, yardım, destek, indir*, randevuyu onayla*, katılımı onayla*, tercih*, ayarlar, iletişim, sss,
      sık sorulan, kvkk, aydınlatma, detay*, görüntüle*
    `,
    refuses: `
      ben değildim, ben değilim, bana ait değil, siz değilseniz, sen değilsen, ben yapmadım, ben istemedim,
      talep etmedim, istemedim, tanımıyorum, reddet*, reddi*, kabul etme, kabul etmiyorum, izin verme, bildir,
      bildirin, bildiriyorum, şikayet*, rapor et, ihbar*, iptal*, vazgeç*, geri al, geri çek, engelle*,
      kilitle*, askıya al*, abonelikten çık*, abonelikten ayrıl*, abonelik iptali, hesabımı sil, hesabı sil, sil,
      kaldır*, şüpheli*, çıkış yap, oturumu kapat, itiraz*, yasakla*, inkar*, onaylamıyorum, izin vermiyorum,
      listeden çık*, çıkar, durdur*, bilmiyorum, haberim yok
    `,
    negates: `
      değil, değildim, değilim, değildi, hayır, asla, *madım, *medim, *mıyorum, *miyorum, *muyorum, başkası
    `,
    agrees: "evet",
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
    invitation: "davet, hatırlatma, hatırlat*, onay*",
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
    untilTime: "ile",
    morning: "sabah, öö",
    afternoon: "öğleden sonra, akşam, ös",
    deadline: "kadar, değin",
  },
  appointment: {
    when: "ne zaman, tarih ve saat, randevu, tarih, başlangıç, gün",
    time: "saat",
    where: "nerede, yer, konum, adres, adresi, adresinde",
    title: "konu, etkinlik, hizmet, işlem, muayene",
    word: "randevu*, rezervasyon*",
  },
  money: {
    grandTotal: "genel toplam, toplam tutar, ödenen tutar, sipariş tutarı, ödenecek tutar, toplam ücret",
    total: "toplam, tutar",
    partial: "ara toplam, indirim, kargo, kdv, kargo ücreti, bahşiş",
  },
  order: {
    numberLabel: "sipariş numarası, sipariş no, sipariş numaranız, sipariş #, siparis no",
    word: "sipariş, siparişiniz, sipariş*",
    quantity: "adet",
  },
  parcel: {
    numberLabel: `
      takip numarası, takip no, kargo takip no, kargo takip numarası, gönderi numarası, gönderi takip no,
      takip kodu, kargo takip, barkod no, gönderi no, takip, gönderi kodu
    `,
    nearNumber: "kargo",
    arrivalLabel: `
      tahmini teslimat, teslimat tarihi, tahmini teslim, tahmini varış, beklenen teslimat,
      tahmini teslim tarihi, teslim tarihi, ulaşacak
    `,
    word: "kargo, kargonuz, gönderi, siparişiniz, paketiniz, kargo*, paket*, gönderiniz",
    statuses: {
      exception: `
        teslim edilemedi, gecikti, gecikme yaşan, gecikme, gecikmiştir, ulaştırılamadı, adreste bulunamadı
      `,
      out_for_delivery: `
        dağıtıma çıktı, dağıtımda, bugün teslim edilecek, dağıtıma çıkmıştır, kuryede, bugün ulaşacak
      `,
      delivered: "teslim edildi, teslim edilmiştir, teslim ettik",
      in_transit: "yolda, yola çıktı, kargoda, transfer sürecinde, transfer merkezi",
      shipped: `
        kargoya verildi, gönderildi, kargolandı, yola çıkarıldı, kargoya verilmiştir, kargoya verdik,
        kargoya teslim edildi, kargoladık, kargo firmasına teslim edildi
      `,
    },
    notYet: "gönderildiğinde, teslim edilecek, kargoya verildiğinde, edilecek, verilecek, edilecektir",
    carrierLabel: "kargo firması, kargo şirketi, taşıyıcı, kurye",
  },
  receipt: {
    payment: `
      fatura, makbuz, ödemeniz alındı, fiş, ödeme onayı, ödeme makbuzu, dekont, tahsil ettik, ödediniz,
      ödeme yaptınız, ödemeniz, tahsil edildi, çekildi, bağışınız, tahsilat
    `,
    failed: "ödeme başarısız, ödemeniz alınamadı, reddedildi",
    dateLabel: "ödeme tarihi, fatura tarihi, işlem tarihi, satın alma tarihi, tarih",
    due: "son ödeme tarihi",
    merchantLabel: "satıcı, üye işyeri",
    methodLabel: "ödeme yöntemi, ödeme şekli, ödeme tipi",
    cardEnding: "ile biten, son dört hanesi",
    paidWith: "kartınızdan, kartınız ile, hesabınızdan, ile ödendi, aracılığıyla",
    cash: "nakit, kredi kartı, banka kartı, havale, eft, kapıda ödeme, hediye kartı, cüzdan",
  },
};
