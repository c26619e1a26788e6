import type { Language } from "./language.ts";

/** Slovene. */
export const sl: Language = {
  tag: "sl",
  keyWords: "whole",
  code: {
    strong: `
      enkratn*, varnostna koda, varnostno kodo, koda za preverjanje, koda za prijavo, kodo za prijavo,
      prijavna koda, aktivacijska koda, avtorizacijska koda, dostopna koda, koda za prevzem, koda za vstop,
      koda za prevzem naročila, kodo za prevzem, pin za prevzem, koda za vrata, koda za odpiranje,
      koda za odklep*, začasna koda, začasno kodo, začasno geslo, koda za dostop
    `,
    confirmation: "potrditvena koda, potrditveno kodo, potrditvene kode",
    weak: "koda, kodo, kode, kodi, geslo, gesla, geslom",
    hint: "potrdite, preveri*, prijav*, vpišite se",
    soft: "račun, telefon, številka",
    number: `
      naročil*, številka računa, pogodbe, kupca, sklic*, številka pošiljke, poštna številka,
      davčna številka, tel., šifra artikla, črtna koda, koda napake, znesek, skupaj, koda izdelka,
      šifra izdelka, koda države, emšo, matična številka
    `,
    booking: "rezervacij*",
    coupon: "popust*, kupon*, promocijsk*, koda za popust, kodo za popust, darilni bon*",
    instruction: `
      vnesite, vpišite, uporabite, pokaži*, vnesi, vnesti, vnesete, vnos*, vpišete, vpisati, vtipka*,
      natipka*, odtipka*, vpiši, povejte, povej, odčitaj*, uporabi, zavrti*
    `,
    device: `
      terminalu, paketnik*, omaric*, predalnik*, predalček*, ključavnic*, vratih, zapornic*, domofon*,
      daljinsk*
    `,
    secret: "nikomur ne, ne posredujte, ne razkri*, ne povejte, nikoli ne zahteva*",
    requested: `
      zahtevali ste, na vašo zahtevo, niste zahtevali, prezrite, prejeli smo zahtevo, niste bili vi,
      če tega niste
    `,
    void: `
      prejšnja koda, stara koda, ne velja, neveljavn*, nadomešča, bila uporabljena, je potekla, preklican*,
      ni več veljav*, razveljavljen*, stari pin, ne deluje več, pretekla, prejšnjo kodo, prejšnje geslo
    `,
    fresh: "nova koda, novo kodo, novo geslo, nov pin, nove kode, zadnja koda",
    expiry: "velja, veljavna, poteče, veljaven, veljavno",
    meeting: "id sestanka",
  },
  sentence: {
    leadsTo: "je, se glasi",
    ledBy: "je",
    denies: "ni, brez, nikoli, niso",
    prepositions: "za",
    units: "sekund*, minut*, ur, uri, ure, dni, kos, kosov, kosi",
    fillers: "prosimo",
  },
  link: {
    proves: `
      potrdite, potrdi, potrditev, aktiviraj*, ponastavi*, spremeni geslo, nastavi geslo, sprejmi*, odobri*,
      to sem jaz, novo geslo, sprememba gesla, potrjujem, potrditi, nastavite geslo, dokončaj registracijo,
      to sem bil, to sem bila, odkleni*, odblokiraj*
    `,
    signsIn: "prijava, prijavite se, prijavi se, prijavi me, vstopi, vstopite, prijavo",
    goesOn: "nadaljuj*, tukaj, klikni, naprej, odpri",
    password: "geslo, gesla",
    account: "račun, računa, e-pošt*, naslov*, naročnin*",
    otherPurpose: `
      pomoč, zasebnost*, popust*, potrdi udeležbo, potrdi termin, oglej*, pogoji, nastavitve,
      pogosta vprašanja, v brskalniku, več o, plačaj*
    `,
    refuses: `
      to nisem jaz, nisem jaz, nisem bil*, to nisem bil*, niste zahtevali, ne prepoznam, ni moje, zavrn*,
      odkloni*, prijavi zlorab*, prijavi poskus, prijavi dejavnost, prijavi sum*, prijavite sum*, prekliči*,
      preklic*, razveljavi*, blokiraj*, zaklen*, odjava, odjavi*, izbriši*, odstrani*, sumljiv*, zavrač*,
      prepove*, umakn*, ne dovol*, prepreč*, ustavi*, prekini*
    `,
    negates: "ne, nisem, nikoli, niste, nič, nihče, ne vem, ne poznam, ničesar, nekdo drug",
    agrees: "da",
  },
  quoting: {
    wrote: "napisal, napisala, napisal/-a",
    from: "od",
    sent: "poslano, datum",
    foldedStart: "dne",
    forwarded: "posredovano sporočilo",
  },
  subject: {
    reply: "odg",
    strippedReply: "odg",
    invitation: "potrd*, opomnik*, vaš*",
  },
  signature: {
    closings: "lep pozdrav, hvala",
  },
  dates: {
    months: [
      "januarja",
      "februarja",
      "marca",
      "aprila",
      "maja",
      "junija",
      "julija",
      "avgusta",
      "septembra",
      "oktobra",
      "novembra",
      "decembra",
    ],
    oClock: "uri, ure",
    untilTime: "do",
    morning: "zjutraj, dopoldne",
    afternoon: "popoldne, zvečer",
    deadline: "do, najkasneje, pred",
  },
  appointment: {
    when: "kdaj, termin, datum, dan",
    time: "ura",
    where: "kje, lokacija, naslov, naslovu, mesto, kraj",
    word: "termin*, rezerv*",
    title: "storitev, pregled, poseg, zadeva",
  },
  money: {
    grandTotal: "za plačilo, skupni znesek, plačano",
    total: "skupaj, znesek",
    partial: "popust, dostava, poštnina, ddv, vmesni seštevek",
    currencies: {
      EUR: "evrov",
    },
  },
  order: {
    numberLabel: "številka naročila, št. naročila",
    word: "naročil*",
    quantity: "količina, kos",
  },
  parcel: {
    numberLabel: `
      številka pošiljke, št. pošiljke, sledilna številka, številka za sledenje, številka paketa
    `,
    nearNumber: "pošiljk*, paket*",
    arrivalLabel: `
      predvidena dostava, datum dostave, predviden datum, pričakovana dostava, prispe, bo dostavljen*
    `,
    word: "pošiljk*, paket*, naročil*",
    statuses: {
      exception: "ni bilo mogoče dostaviti, zamuja, zamud*, dostava ni uspela",
      out_for_delivery: "danes dostav*, v dostavi, pri kurirju, prispe danes, dostavljamo danes",
      delivered: "dostavljen, dostavljena, vročen*, dostavili, dostavljeno",
      in_transit: "na poti, potuje",
      shipped: "odposlan*, poslana, predana kurirju, odposlali, poslali, oddana, poslano, poslan",
    },
    notYet: "bo, bodo",
    carrierLabel: "prevoznik, dostavna služba, kurir",
  },
  receipt: {
    payment: `
      račun, potrdilo o plačilu, plačano, prejeli smo, plačali ste, vaše plačilo, zaračunali, bremenili,
      donacij*, poravnan*
    `,
    failed: "zavrnjen*",
    dateLabel: "datum plačila, datum računa",
    due: "zapade*",
    methodLabel: "način plačila",
    cardEnding: "ki se konča z, konča na, konča z, ki se konča s",
    paidWith: "plačano, s kartico, prek, preko",
    cash: "gotovina, kartica, kartico, po povzetju",
    merchantLabel: "prodajalec",
  },
};
