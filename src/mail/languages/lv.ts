import type { Language } from "./language.ts";

/** Latvian. */
export const lv: Language = {
  tag: "lv",
  keyWords: "whole",
  code: {
    strong: `
      apstiprinājuma kod*, verifikācijas kod*, drošības kod*, pārbaudes kod*, autorizācijas kod*,
      pieslēgšanās kod*, vienreizējais kod*, vienreizējā parole, aktivizācijas kod*, saņemšanas kod*,
      durvju kod*, autentifikācijas kod*, garāžas kod*, identifikācijas kod*, atslēgu kastītes kod*,
      reģistrācijas kod*, seifa kod*, atiestatīšanas kod*, slēdzenes kod*, ierīces kod*, ieejas kod*,
      pagaidu kod*, iebraukšanas kod*, pieejas kod*, pakomāta kod*, pagaidu parol*, vienreizējo kod*
    `,
    weak: "kods, kodu, koda, pin kod*, parole, paroli, kodam, kodus, paroles, parolei",
    hint: "apstiprin*, pieslēg*, pieteik*",
    soft: "konts, konta, kontu, kontam, tālrun*",
    number: `
      pasūtījum*, rēķin*, klienta numur*, klienta kod*, līgum*, sūtījum*, pasta indeks*, reģ. nr, pvn,
      kļūdas kod*, preces kod*, gada, kopā, summa, valsts kod*, bankas kod*, svītrkod*, skolas kod*,
      kursa kod*, klases kod*, personas kod*, klienta nr
    `,
    booking: "rezerv*, lidojum*",
    meeting: "sapulces id, sapulces kod*, sapulces parol*",
    coupon: "atlaid*, dāvanu kart*, akcijas kod*, atlaižu kod*, ieteikuma kod*",
    instruction: `
      ievadi*, ievadot, izmanto*, ierakstiet, ieraksti, nospied*, spied*, uzrād*, parād*, nosauc*, pasak*,
      ievada, ierakstīt, sastādiet, uzspied*, nolas*, nodiktē*
    `,
    device: `
      pakomāt*, skapīt*, nodalījum*, slēdzen*, durvīm, durvis, vārtiem, barjer*, namrun*, lauciņ*, restītes
    `,
    secret: "nevienam ne*, neizpaud*, nedalie*, neatklāj*, nepārsūt*, nenodod*, nekad neprasa",
    requested: `
      pieprasījāt, nepieprasījāt, saņēmām pieprasījumu, nebijāt jūs, ignorēj*, neesat jūs, jūsu pieprasījuma
    `,
    void: `
      iepriekšējais kod*, iepriekšējie kod*, vecais kod*, vairs nav derīg*, nav derīg*, aizstāj,
      ir izmantots, vairs nedarbojas, vairs nestrādā, nederīg*, beidzies, veco kod*, vecā parole
    `,
    fresh: "jaunais kod*, jauns kod*, jauno kod*",
    expiry: "derīg*, darbojas līdz, beigsies",
  },
  sentence: {
    leadsTo: "ir",
    ledBy: "ir",
    denies: "nav, bez, nevis, nekad",
    units: "sekund*, minūt*, stund*, dien*, mēne*, gad*, gab., punkt*",
  },
  link: {
    proves: `
      apstiprin*, aktiviz*, mainīt parol*, atjaunot parol*, atiestat*, iestatīt parol*, pieņemt uzaicin*,
      pieņemiet uzaicin*, pievienojies, pieņem uzaicin*, atļauj*, iestatiet parol*, izveidot parol*,
      tas biju es, es tas biju, atbloķē*
    `,
    signsIn: "pieslēg*, pieteik*, autorizē*, ieiet",
    goesOn: "turpināt, šeit, turpini, turpiniet, atvērt",
    password: "parole, paroli, paroles",
    account: "konts, konta, kontu, e-past*, adres*, reģistr*, uzaicinājum*, ielūgum*",
    otherPurpose: `
      privātum*, noteikum*, palīdzīb*, kontakti, pārlūk*, izseko*, apstiprināt dalīb*, biežāk uzdot*,
      skatīt rēķin*, iepirk*, apstiprini dalīb*, bieži uzdot*, apskatīt rēķin*, veikal*, apstiprināt vizīt*,
      sīkāk
    `,
    refuses: `
      tas nebiju es, nebiju es, neesmu es, es tas nebiju, nepieprasīju, neatpazīstu, noraid*, noliegt,
      atteik*, ziņot*, atcel*, atsaukt*, bloķē*, slēgt kontu, atrakst*, dzēst*, noņemt, aizdomīg*, apstrīd*,
      izrakst*, aizlieg*, liegt, nepiesl*, nebij*, neveic*, nepras*, nepiepras*, nepazīst*, neatļau*,
      nepiekr*, neizveid*, nav mans, nav mana, apturēt
    `,
    negates: "nē, nebiju, neesmu, nekad, ne*ju, ne*zu, nezinu, kāds cits",
    agrees: "jā",
  },
  quoting: {
    wrote: "rakstīja",
    originalMessage: "sākotnējais ziņojums",
    from: "no",
    sent: "nosūtīts, datums",
  },
  subject: {
    invitation: "uzaicinājums, atgādinājums, apstiprin*, atgādinā*, jūsu",
  },
  signature: {
    closings: "ar cieņu",
  },
  dates: {
    months: [
      "janvārī",
      "februārī",
      "martā",
      "aprīlī",
      "maijā",
      "jūnijā",
      "jūlijā",
      "augustā",
      "septembrī",
      "oktobrī",
      "novembrī",
      "decembrī",
    ],
    untilDay: "līdz",
    untilTime: "līdz",
    afternoon: "pēcpusdienā, vakarā",
    deadline: "līdz, vēlākais",
    morning: "no rīta",
  },
  appointment: {
    when: "kad, datums, diena, datums un laiks",
    time: "laiks",
    where: "kur, vieta, adrese, adresē",
    word: "rezerv*, vizīt*, pierakst*",
    title: "pakalpojums, procedūra, tēma",
  },
  money: {
    grandTotal: "kopā apmaksai, summa apmaksai, kopējā summa",
    total: "kopā, summa",
    partial: "starpsumma, pvn, atlaide, piegāde",
    currencies: { EUR: "eiro" },
  },
  order: {
    numberLabel: "pasūtījuma numurs, pasūtījuma nr, pasūtījums nr, pasūtījums #",
    word: "pasūtījum*",
    quantity: "skaits",
  },
  parcel: {
    numberLabel: `
      sūtījuma numurs, sūtījuma nr, izsekošanas numurs, izsekošanas kods, sūtījuma kods, pakas numurs
    `,
    nearNumber: "sūtījum*, paka, paku",
    arrivalLabel: `
      paredzamā piegāde, piegādes datums, paredzamais piegādes, paredzama, piegāde, pienāks, piegādāsim
    `,
    word: "sūtījum*, paka, paku, pasūtījum*",
    statuses: {
      exception: "neizdevās piegādāt, kavējas, aizkavē*, neizdevās",
      out_for_delivery: "nodots kurjeram, pie kurjera, kurjers piegādās, šodien piegād*",
      delivered: "piegādāts, piegādāta, izsniegt*, piegādājām, nogādāts",
      in_transit: "ceļā, devies ceļā",
      shipped: "nosūtīts, nosūtīta, nodota, nodots, izsūtīt*, nosūtījām",
    },
    carrierLabel: "pārvadātājs, kurjers, piegādātājs",
    notYet: "tiks",
  },
  receipt: {
    payment: `
      rēķins, čeks, maksājum*, pasūtījuma apstiprinājums, saņēmām, esam saņēmuši, samaksājāt, jūsu maksājums,
      ieturējām, ziedojum*, apmaksāts, apmaksāta
    `,
    dateLabel: "maksājuma datums, rēķina datums",
    methodLabel: "maksājuma veids",
    cardEnding: "kas beidzas ar, beidzas ar, ar beigām",
    paidWith: "apmaksāts, samaksāts, ar karti, izmantojot, caur, samaksāta",
    cash: "skaidr*, kredītkart*, debetkart*, karte, pārskaitījum*",
    failed: "maksājums neizdevās",
    due: "apmaksas termiņ*",
    merchantLabel: "tirgotājs",
  },
};
