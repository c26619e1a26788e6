import type { Language } from "./language.ts";

/** Malay. What it shares with Indonesian is mostly left to that. */
export const ms: Language = {
  tag: "ms",
  keyWords: "whole",
  code: {
    strong: `
      kod pengesahan, kod keselamatan, kod log masuk, kod pengaktifan, kod otp, kod tac, tac, no. tac,
      kod sekali guna, kata laluan sekali guna, kod pengambilan, kod kutipan, kod penghantaran, kod loker,
      kod pintu, kod masuk, kod parkir, pin pengambilan, pin loker, kod pendaftaran, kod tetapan semula,
      kod peranti, kod pagar, kod palang, kod garaj, kod pelawat, kod tetamu, kod cetak,
      kod buka, kod kunci, kod sementara, kod transaksi, nombor pengesahan
    `,
    passcode: "kod akses",
    weak: "kod, kata laluan, nombor pin, no. pin, kodnya, kata kunci",
    hint: "sahkan, mengesahkan, pengesahan, log masuk, identiti",
    soft: "akaun, telefon, kad, nombor",
    number: `
      kod pemulihan,
      no. pesanan, nombor pesanan, invois, no. invois, resit, no. resit, no. akaun, nombor akaun,
      no. pelanggan, rujukan, no. rujukan, kod rujukan, poskod, no. penjejakan, no. telefon, amaun,
      akaun berakhir, kad berakhir, kod produk, kod negara, kod bank, kod kelas, nombor plat, no. plat,
      no. ahli, kod biller, no. meter, no. siri
    `,
    booking: "tempahan",
    coupon: `
      diskaun, kod diskaun, baucar, kod baucar, kod promosi, kad hadiah, kod jemputan, jemput rakan,
      ajak rakan, promosi, jualan, penghantaran percuma
    `,
    instruction: `
      masukkan, taip, gunakan, tunjukkan, dail, imbas, beritahu, menaip, taipkan, kunci masuk, kemukakan,
      katakan, tunjuk, sila guna, serahkan
    `,
    device: `
      papan kekunci, pad kekunci, pad nombor, skrin, mesin, mangga kunci, peti besi, pintu pagar,
      televisyen, butang
    `,
    secret: `
      jangan dedahkan, jangan kongsi, jangan kongsikan, jangan beritahu, tidak akan meminta, rahsiakan
    `,
    requested: "permintaan anda, tak minta, tidak membuat, jika bukan, abaikan",
    void: `
      kod lama, kod sebelum ini, tidak lagi sah, telah tamat tempoh, menggantikan, telah digunakan,
      tidak sah, luput, terbatal, tidak boleh digunakan, tidak berfungsi, kod sebelumnya, kod terdahulu
    `,
    fresh: `
      kod baharu, kod baru, kod terkini, kata laluan baharu, pin baharu, ditukar kepada, mulai sekarang
    `,
    expiry: `
      sah selama, sah untuk, sah sehingga, tamat tempoh, sekali sahaja, sah hingga, sah dalam, dalam tempoh,
      akan luput
    `,
    meeting: "id mesyuarat, kata laluan mesyuarat, kod mesyuarat",
  },
  sentence: {
    leadsTo: "ialah, adalah",
    ledBy: "ialah, adalah",
    denies: "bukan, tidak, tiada",
    units: "minit, mata, orang, ringgit",
    fillers: "sila",
  },
  link: {
    proves: `
      sahkan, mengesahkan, aktifkan, tetapkan semula, set semula, terima jemputan, benarkan, luluskan,
      tukar kata laluan, kata laluan baharu, sertai, pengesahan e-mel, pengesahan akaun, cipta kata laluan,
      tetapkan kata laluan, pulihkan, ini saya, itu saya, buka kunci, nyahsekat
    `,
    signsIn: "log masuk",
    goesOn: "teruskan, klik di sini, sini, mula, seterusnya",
    password: "kata laluan",
    account: "akaun, e-mel, emel",
    otherPurpose: `
      bantuan, hubungi kami, tetapan, sahkan kehadiran, soalan lazim, terma, dasar, panduan, tawaran, diskaun,
      semak, jejak, muat turun
    `,
    refuses: `
      bukan saya, bukan anda, bukan awak, tidak meminta, tidak mengenali, tidak cam, tolak, menolak, laporkan,
      lapor, batal*, batalkan, tarik balik, sekat akaun, sekat akses, kunci akaun, nyahlanggan,
      berhenti melanggan, henti langgan, padam, mencurigakan, log keluar, nyahaktif*, nafi*, larang*, halang*,
      cegah, tarik diri, orang asing
    `,
    negates: "bukan, tidak, jangan, orang lain",
    agrees: "ya",
  },
  quoting: { from: "daripada", sent: "dihantar" },
  subject: { invitation: "jemputan, peringatan, pengesahan" },
  dates: {
    ordinals: "hb",
    oClock: "pagi",
    untilDay: "hingga",
    untilTime: "hingga",
    morning: "pagi",
    afternoon: "tengah hari, petang, malam, ptg",
    deadline: "hingga, sehingga, sebelum",
  },
  appointment: {
    when: "tarikh dan masa, tarikh, masa, hari, bila",
    time: "masa, pukul",
    where: "tempat, lokasi, alamat, di mana",
    word: "temujanji, janji, slot, tempahan",
    title: "acara, perkhidmatan, rawatan, tujuan, perkara",
  },
  money: {
    grandTotal: "jumlah bayaran, jumlah keseluruhan, jumlah perlu dibayar, jumlah dibayar, jumlah besar",
    total: "jumlah, amaun",
    partial: "jumlah kecil, subjumlah, diskaun, cukai, penghantaran, yuran, caj",
    currencies: { MYR: "rm, ringgit" },
  },
  order: {
    numberLabel: "nombor pesanan, no. pesanan, no. tempahan, nombor tempahan",
    word: "pesanan, tempahan",
    quantity: "kuantiti",
  },
  parcel: {
    numberLabel: `
      nombor penjejakan, no. penjejakan, no. konsainan, nombor konsainan, no. tracking, nombor tracking,
      nombor bungkusan
    `,
    nearNumber: "bungkusan, penghantaran",
    arrivalLabel: `
      jangkaan sampai, anggaran penghantaran, tarikh penghantaran, dijangka tiba, jangkaan penghantaran,
      dijangka, jangkaan tiba, akan tiba
    `,
    word: "bungkusan, penghantaran, pesanan",
    statuses: {
      exception: "tidak dapat dihantar, lewat, kelewatan, gagal dihantar, tertangguh",
      out_for_delivery: `
        keluar untuk penghantaran, akan dihantar hari ini, dengan kurier, sedang dihantar,
        dalam penghantaran hari ini, tiba hari ini
      `,
      delivered: "telah diserahkan, berjaya dihantar, telah sampai, diterima oleh",
      in_transit: "dalam perjalanan",
      shipped: "telah dihantar, telah dipos, telah dikeluarkan, diserahkan kepada kurier",
    },
    notYet: "sebaik sahaja, akan",
    carrierLabel: "kurier, syarikat kurier, penghantar",
  },
  receipt: {
    payment: `
      resit, invois, bayaran diterima, bayaran anda, pembelian anda, mengecaj, kami terima, telah kami terima,
      anda membayar, anda telah bayar, didebitkan, sumbangan anda, pembayaran anda
    `,
    failed: "pembayaran gagal, bayaran gagal",
    dateLabel: "tarikh bayaran, tarikh invois, tarikh transaksi, tarikh",
    due: "tarikh akhir",
    methodLabel: "kaedah pembayaran, cara bayaran, dibayar dengan",
    cardEnding: "berakhir dengan, yang berakhir",
    paidWith: "dibayar dengan, melalui, menggunakan",
    cash: "tunai, kad kredit, pindahan bank",
  },
};
