import type { Language } from "./language.ts";

/** Indonesian. */
export const id: Language = {
  tag: "id",
  keyWords: "whole",
  code: {
    strong: `
      kode verifikasi, kode keamanan, kode otp, kode autentikasi, kode masuk, kode aktivasi,
      kode sekali pakai, kata sandi sekali pakai, kode login, kode rahasia
    `,
    confirmation: "kode konfirmasi",
    passcode: "kode akses, kode sandi",
    weak: "kode",
    hint: "verifikasi, memverifikasi, konfirmasi, masuk, autentikasi",
    soft: "akun, telepon, kartu, nomor",
    number: `
      pesanan, nomor pesanan, no. pesanan, faktur, nomor faktur, tagihan, struk, tiket, resi, nomor resi,
      no. resi, kode resi, nomor rekening, nomor pelanggan, referensi, kode pos, nomor telepon, hubungi,
      jumlah, tahun, kode kesalahan, kode produk, kode negara, kode barang, kode toko, kode mata kuliah,
      kode bank, kode unik, id pelanggan, nomor pasien
    `,
    booking: "pemesanan, kode booking, kode pemesanan, penerbangan",
    meeting: "id rapat",
    coupon: "kode promo, diskon, kupon, kode voucher, kode diskon",
    instruction: `
      masukkan, masukan, gunakan, pakai, ketik, ketikkan, isi, isikan, memasukkan, menggunakan, tulis,
      tuliskan, input, ketikan
    `,
    purpose: `
      menyetujui, menyelesaikan, mengaktifkan, melanjutkan, aktivasi, pendaftaran, mendaftar, daftar, akses,
      mengonfirmasi, menghubungkan, bergabung, persetujuan
    `,
    digits: "angka, digit",
  },
  sentence: {
    leadsTo: "adalah, ialah",
    ledBy: "adalah, untuk",
    fillers: "anda",
    prepositions: "untuk",
    units: "menit, detik, jam, hari",
  },
  link: {
    proves: `
      verifikasi, konfirmasi, aktifkan, aktivasi, atur ulang, setel ulang, reset kata sandi
    `,
    signsIn: "masuk",
    goesOn: "lanjutkan, mulai, klik di sini",
    password: "kata sandi",
    account: "akun, alamat, pendaftaran",
    otherPurpose: "berhenti berlangganan, bantuan, privasi",
    provesInPath: "verifikasi, konfirmasi, aktivasi",
  },
  quoting: {
    wrote: "menulis",
    originalMessage: "pesan asli",
    from: "dari",
    sent: "terkirim, dikirim, tanggal",
    foldedStart: "pada",
    forwarded: "pesan diteruskan, pesan yang diteruskan",
  },
  subject: {
    invitation: "undangan, pengingat",
  },
  signature: {
    closings: `
      salam, salam hormat, hormat saya, terima kasih, hormat kami, salam hangat, terima kasih banyak
    `,
    footers: ["dapatkan outlook untuk .*", "dikirim (?:dari|dengan|melalui) .{1,40}"],
  },
  dates: {
    months: [
      "januari, jan",
      "februari, peb, pebruari",
      "maret, mar",
      "april, apr",
      "mei",
      "juni, jun",
      "juli, jul",
      "agustus, agu",
      "september, sep",
      "oktober, okt",
      "november, nov",
      "desember, des",
    ],
    untilTime: "sampai, s.d.",
  },
  appointment: {
    when: "kapan, tanggal dan waktu, waktu, jadwal, tanggal, hari/tanggal",
    time: "jam, pukul, waktu",
    where: "di mana, tempat, lokasi",
    title: "topik, acara, agenda",
  },
  money: {
    grandTotal: `
      total pembayaran, total bayar, total tagihan, jumlah yang dibayar, jumlah pembayaran, total pesanan,
      total belanja
    `,
    total: "jumlah, total",
    partial: "ongkos kirim, ongkir, diskon, biaya pengiriman, total harga barang",
  },
  order: {
    numberLabel: `
      nomor pesanan, no. pesanan, no pesanan, id pesanan, pesanan #, nomor order, kode pesanan
    `,
    word: "pesanan",
    quantity: "jumlah",
  },
  parcel: {
    numberLabel: "nomor resi, no. resi, no resi, nomor pelacakan, kode resi",
    nearNumber: "resi, paket",
    arrivalLabel: `
      estimasi tiba, perkiraan tiba, tanggal pengiriman, estimasi sampai, perkiraan sampai, estimasi
    `,
    word: "paket anda, pesanan, kiriman",
    statuses: {
      exception: "gagal dikirim, gagal diantar, tertunda, pengiriman gagal",
      out_for_delivery: "sedang diantar, sedang dalam pengantaran, akan tiba hari ini, dibawa kurir",
      delivered: "telah diterima, telah sampai, sudah sampai, terkirim, paket diterima",
      in_transit: "dalam perjalanan, sedang dalam proses pengiriman",
      shipped: "telah dikirim, dikirim, sudah dikirim, dikirimkan, telah diserahkan",
    },
    notYet: "akan dikirim, setelah dikirim",
  },
  receipt: {
    payment: `
      kwitansi, struk, faktur, pembayaran diterima, bukti pembayaran, pembayaran berhasil, invoice
    `,
    failed: "pembayaran gagal, ditolak",
    dateLabel: "tanggal pembayaran, tanggal transaksi, tanggal faktur, tanggal",
    due: "jatuh tempo",
    merchantLabel: "penjual",
    methodLabel: "metode pembayaran, dibayar dengan, cara pembayaran",
    cardEnding: "berakhiran",
  },
};
