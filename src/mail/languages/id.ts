import type { Language } from "./language.ts";

/** Indonesian. */
export const id: Language = {
  tag: "id",
  keyWords: "whole",
  code: {
    strong: `
      kode verifikasi, kode keamanan, kode otp, kode autentikasi, kode masuk, kode aktivasi,
      kode sekali pakai, kata sandi sekali pakai, kode login, kode rahasia, kode pengambilan, kode ambil,
      kode penerimaan, kode serah terima, pin pengambilan, pin pengiriman, kode loker, pin loker,
      kode pintu, kode parkir, kode registrasi, kode pendaftaran, kode reset,
      kode otorisasi, kode persetujuan, kode gerbang, kode pagar, kode garasi, kode palang, kode otentikasi,
      kode sms, kode validasi, kode sementara
    `,
    confirmation: "kode konfirmasi",
    passcode: "kode akses, kode sandi",
    weak: "kode, kata sandi, kodenya, kodemu, sandi",
    hint: "verifikasi, memverifikasi, konfirmasi, masuk, autentikasi",
    soft: "akun, telepon, kartu, nomor",
    number: `
      kode pemulihan, kode cadangan,
      pesanan, nomor pesanan, no. pesanan, faktur, nomor faktur, tagihan, struk, tiket, resi, nomor resi,
      no. resi, kode resi, nomor rekening, nomor pelanggan, referensi, kode pos, nomor telepon, hubungi,
      jumlah, tahun, kode kesalahan, kode produk, kode negara, kode barang, kode toko, kode mata kuliah,
      kode bank, kode unik, id pelanggan, nomor pasien, kode sekolah, kode kelas, kode wilayah, kode area,
      kode pajak, npwp, nomor referensi
    `,
    booking: "pemesanan, kode booking, kode pemesanan, penerbangan",
    meeting: "id rapat, kode rapat, sandi rapat, gabung rapat",
    coupon: `
      kode promo, diskon, kupon, kode voucher, kode diskon, kode referral, kode undangan, kode kupon,
      ajak teman, gratis ongkir, kode ajakan, keranjang
    `,
    instruction: `
      masukkan, masukan, gunakan, pakai, ketik, ketikkan, isi, isikan, memasukkan, menggunakan, tulis,
      tuliskan, input, ketikan, sebutkan, tekan, tunjukan, ketuk, perlihatkan, bacakan, pencet, masukin,
      mengetik, sebut, dimasukkan, ucapkan, salin, tunjukkan, putar, ketikin, berikan, beritahukan, sebutin,
      diketik
    `,
    device: `
      papan tombol, layar, loker, gembok, kunci pintu, kotak kunci, pintu, gerbang, palang, interkom,
      televisi
    `,
    secret: "jangan bagikan, jangan berikan, jangan beri tahu, tidak pernah meminta, kepada siapa pun",
    requested: `
      anda minta, anda meminta, kamu minta, menerima permintaan, atas permintaan, bukan anda, bukan kamu,
      tidak meminta
    `,
    void: `
      kode sebelumnya, kode lama, tidak berlaku lagi, tidak lagi berlaku, sudah tidak berlaku, menggantikan,
      digantikan, telah digunakan, sudah digunakan, telah kedaluwarsa, sudah kedaluwarsa, telah kadaluarsa,
      hangus, dibatalkan, tidak valid, sudah dipakai, terpakai, pin lama, sandi lama, tidak berlaku,
      tak berlaku
    `,
    fresh: "kode baru, kode terbaru, pin baru, sandi baru, kata sandi baru, diganti menjadi",
    expiry: `
      berlaku selama, berlaku hingga, berlaku sampai, berlaku untuk, akan kedaluwarsa, kedaluwarsa dalam,
      satu kali, sekali pakai, dalam waktu, berlaku, kedaluwarsa pada
    `,
  },
  sentence: {
    leadsTo: "adalah, ialah",
    ledBy: "adalah, untuk",
    fillers: "anda, silakan, mohon",
    prepositions: "untuk",
    units: "menit, detik, jam, hari",
    denies: "tanpa, jangan, belum",
  },
  link: {
    proves: `
      verifikasi, konfirmasi, aktifkan, aktivasi, atur ulang, setel ulang, reset kata sandi, terima undangan,
      setujui, izinkan, gabung, bergabung, kata sandi baru, buat kata sandi, ganti kata sandi,
      ubah kata sandi, ini saya, itu saya, buka kunci, buka blokir
    `,
    signsIn: "masuk",
    goesOn: "lanjutkan, mulai, klik di sini, lanjut, klik, di sini, disini, buka",
    password: "kata sandi, sandi",
    account: "akun, alamat, pendaftaran, langganan, surel",
    otherPurpose: `
      bantuan, privasi, lihat, konfirmasi kehadiran, syarat, preferensi, pengaturan, kebijakan, pertanyaan,
      belanja, unduh, lacak
    `,
    refuses: `
      bukan saya, itu bukan saya, ini bukan saya, bukan anda, bukan kamu, bukan dari saya, bukan milik saya,
      tidak mengenali, tidak meminta, tidak kenal, tolak, menolak, laporkan, lapor, melaporkan, batal*,
      batalkan, membatalkan, pembatalan, cabut, blokir, memblokir, kunci akun, berhenti berlangganan,
      berhenti langganan, hapus, mencurigakan, keluar dari, nonaktifkan, sangkal, hentikan, larang*,
      tarik kembali, cegah, keluarkan saya, orang asing, setop, tidak tahu, tidak mendaftar
    `,
    negates: "bukan, tidak, jangan, orang lain",
    agrees: "ya",
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
    invitation: "undangan, pengingat, konfirmasi*",
  },
  signature: {
    closings: `
      salam, salam hormat, hormat saya, terima kasih, hormat kami, salam hangat, terima kasih banyak
    `,
    footers: ["dapatkan outlook untuk .*", "dikirim (?:dari|dengan|melalui) .{1,40}"],
  },
  dates: {
    months: ["", "peb, pebruari", "", "", "", "", "", "", "", "", "", ""],
    untilTime: "sampai, s.d.",
    morning: "pagi",
    afternoon: "sore, malam, siang",
    deadline: "sampai, hingga, sebelum, paling lambat",
  },
  appointment: {
    when: "kapan, tanggal dan waktu, waktu, jadwal, tanggal, hari/tanggal, hari",
    time: "jam, pukul, waktu",
    where: "di mana, tempat, lokasi, alamat",
    title: "topik, acara, agenda, layanan, keperluan, perawatan",
    word: "janji, jadwal, reservasi*, booking",
  },
  money: {
    grandTotal: `
      total pembayaran, total bayar, total tagihan, jumlah yang dibayar, jumlah pembayaran, total pesanan,
      total belanja
    `,
    total: "jumlah, total",
    partial: "ongkos kirim, ongkir, diskon, biaya pengiriman, total harga barang, uang muka",
  },
  order: {
    numberLabel: `
      nomor pesanan, no. pesanan, no pesanan, id pesanan, pesanan #, nomor order, kode pesanan
    `,
    word: "pesanan, order",
    quantity: "jumlah",
  },
  parcel: {
    numberLabel: `
      nomor resi, no. resi, no resi, nomor pelacakan, kode resi, resi, nomor awb, nomor pengiriman
    `,
    nearNumber: "resi, paket",
    arrivalLabel: `
      estimasi tiba, perkiraan tiba, tanggal pengiriman, estimasi sampai, perkiraan sampai, estimasi,
      perkiraan pengiriman, estimasi pengiriman, akan tiba, tiba pada
    `,
    word: "paket anda, pesanan, kiriman, paket",
    statuses: {
      exception: `
        gagal dikirim, gagal diantar, tertunda, pengiriman gagal, terlambat, keterlambatan, gagal antar,
        tidak dapat diantar
      `,
      out_for_delivery: `
        sedang diantar, sedang dalam pengantaran, akan tiba hari ini, dibawa kurir, kurir sedang menuju,
        dibawa oleh kurir, sedang dikirim oleh kurir, tiba hari ini
      `,
      delivered: `
        telah diterima, telah sampai, sudah sampai, terkirim, paket diterima, sudah diterima, telah tiba,
        diterima oleh, sudah tiba
      `,
      in_transit: "dalam perjalanan, sedang dalam proses pengiriman, transit di",
      shipped: "telah dikirim, dikirim, sudah dikirim, dikirimkan, telah diserahkan",
    },
    notYet: "akan dikirim, setelah dikirim, akan",
    carrierLabel: "kurir, ekspedisi, jasa kirim, jasa pengiriman, dikirim dengan",
  },
  receipt: {
    payment: `
      kwitansi, struk, faktur, pembayaran diterima, bukti pembayaran, pembayaran berhasil, invoice,
      kami terima, telah kami terima, anda membayar, anda telah membayar, didebit, donasi anda,
      pembayaran sebesar
    `,
    failed: "pembayaran gagal, ditolak",
    dateLabel: "tanggal pembayaran, tanggal transaksi, tanggal faktur, tanggal",
    due: "jatuh tempo",
    merchantLabel: "penjual",
    methodLabel: "metode pembayaran, dibayar dengan, cara pembayaran",
    cardEnding: "berakhiran, berakhir dengan, berujung",
    paidWith: `
      dibayar dengan, dibayar menggunakan, dibayar melalui, membayar dengan, menggunakan, melalui, lewat
    `,
    cash: `
      tunai, kartu kredit, kartu debit, transfer bank, bayar di tempat, cod, virtual account, kartu hadiah
    `,
  },
};
