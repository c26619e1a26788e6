import type { Language } from "./language.ts";

/** Lithuanian. */
export const lt: Language = {
  tag: "lt",
  keyWords: "whole",
  code: {
    strong: `
      patvirtinimo kod*, saugos kod*, saugumo kod*, prisijungimo kod*, vienkartinis kod*,
      vienkartinis slaptažod*, vienkartinį kod*, aktyvavimo kod*, autentifikavimo kod*, atsiėmimo kod*,
      paštomato kod*, durų kod*, sms kod*, registracijos kod*, garažo kod*, įrenginio kod*, laiptinės kod*,
      susiejimo kod*, raktų dėžutės kod*, laikinas kod*, seifo kod*, laikinasis kod*, spynos kod*,
      vienkartinio kod*, įėjimo kod*, vienkartiniu kod*, vartų kod*, spintelės kod*, užtvaro kod*,
      domofono kod*
    `,
    weak: "kodas, kodą, kodo, kodu, pin kod*, slaptažod*, kodui, kodai, slaptas žod*",
    hint: "patvirtin*, prisijung*",
    soft: "paskyr*, telefon*",
    number: `
      užsakym*, sąskait*, kliento kod*, kliento numer*, sutart*, siunt*, pašto kod*, įmonės kod*, pvm,
      asmens kod*, mokėtojo kod*, klaidos kod*, prekės kod*, metai, iš viso, suma, šalies kod*, banko kod*,
      brūkšnin*, mokyklos kod*, kurso kod*, išeities kod*, kliento nr, įmokos kod*
    `,
    booking: "rezervac*",
    meeting: "susitikimo id, susitikimo kod*, susitikimo slaptažod*",
    coupon: "nuolaid*, dovanų kupon*, akcijos kod*, rekomendacijos kod*, draugo kod*",
    instruction: `
      įvesk*, įvesti, naudok*, surink*, suvesk*, spausk*, paspausk*, parodyk*, įveda*, įvesdam*, rinkite,
      įvedus, suvesti, įrašyk*, padiktuok*, nurodyk*, įspausk*, prireiks
    `,
    device: `
      klaviatūr*, paštomat*, spintel*, dureles, durų, duris, durys, spyna, spynos, vartų, vartus, užtvar*
    `,
    secret: "niekam ne*, nesidalink*, nesidalyk*, neatskleisk*, niekada nepraš*, neperduok*",
    requested: `
      prašėte, neprašėte, tai ne jūs, gavome prašymą, nekreipkite dėmesio, ignoruok*, paprašėte,
      jūsų prašymu
    `,
    void: `
      ankstesnis kod*, ankstesni kod*, senas kod*, nebegalioj*, negalioj*, pakeičia, panaudotas, nebeveikia,
      neveikia, pasibaigė, senasis kod*, seni kod*
    `,
    fresh: "naujas kod*, naują kod*, naujasis kod*",
    expiry: "galioja, galios, galiojim*, galiojant*",
  },
  sentence: {
    leadsTo: "yra",
    ledBy: "yra",
    denies: "nėra, yra ne, niekada, nebe",
    units: "sek., sekund*, min., minut*, val., valand*, dien*, d., mėn*, metų, vnt., taš*, asmen*",
  },
  link: {
    proves: `
      patvirtin*, aktyvuo*, pakeisti slaptaž*, atkurti slaptaž*, nustatyti slaptaž*, priimti kvietim*,
      priimk kvietim*, atblok*, priimkite kvietim*, tai buvau aš, užbaigti registrac*, keisti slaptaž*,
      tai aš, atrakin*
    `,
    signsIn: "prisijung*",
    goesOn: "tęsti, čia, tęskite, tęsk, atidaryti",
    password: "slaptaž*",
    account: "paskyr*, el. pašt*, adres*, registrac*, prenumerat*, kvietim*, kvieči*",
    otherPurpose: `
      privatum*, taisykl*, pagalba, kontaktai, susisiek*, naršyklėje, sekti, patvirtinti dalyv*, sužinok*,
      peržiūrėti sąskait*, parduotuv*, patvirtinkite dalyv*, sužinoti*, žiūrėti sąskait*, pasiūlym*,
      patvirtinti vizit*, plačiau, apmokėti*
    `,
    refuses: `
      tai ne aš, ne aš, tai buvau ne aš, nebuvau aš, jei tai ne, neprašiau, neatpažįstu, atmesti, atmesk*,
      atsisaky*, neleisti, pranešti, praneškite, atšaukti, atšauk*, nutraukti, blokuo*, užblok*, užrakin*,
      ištrin*, pašalin*, įtartin*, atsijung*, ginčy*, uždraus*, neigti, neprisijung*, nepraš*, nedar*, nekūr*,
      nesutink*, nepažįst*, neatpaž*, nepatvirt*, nebuv*, neleis*, sustabdy*
    `,
    negates: "ne, nebuvau, nesu, niekada, ne*iau, ne*au, nežinau, kažkas kitas",
    agrees: "taip",
  },
  quoting: {
    wrote: "rašė, parašė",
    originalMessage: "pradinis laiškas",
    from: "nuo, siuntėjas",
    sent: "išsiųsta, data",
    forwarded: "persiųstas laiškas",
  },
  subject: {
    reply: "ats",
    invitation: "kvietimas, priminimas, patvirtin*, primin*, primen*, jūsų",
  },
  signature: {
    closings: "pagarbiai, linkėjimai",
  },
  dates: {
    untilDay: "iki",
    untilTime: "iki",
    oClock: "val.",
    afternoon: "po pietų, vakaro",
    deadline: "iki, ne vėliau kaip",
    morning: "ryto",
  },
  appointment: {
    when: "kada, data, data ir laikas, diena",
    time: "laikas",
    where: "kur, vieta, adresas, adresu",
    word: "rezerv*, vizit*, registracij*",
    title: "paslauga, procedūra, tema",
  },
  money: {
    grandTotal: "mokėtina suma, bendra suma, apmokėta",
    total: "iš viso, suma",
    partial: "tarpinė suma, pvm, be pvm, nuolaida, pristatymas",
    currencies: { EUR: "eurų" },
  },
  order: {
    numberLabel: "užsakymo numeris, užsakymo nr, užsakymas nr, užsakymas #",
    word: "užsakym*",
    quantity: "kiekis, vnt",
  },
  parcel: {
    numberLabel: `
      siuntos numeris, siuntos nr, sekimo numeris, sekimo kodas, siuntos kodas, pakuotės numeris
    `,
    nearNumber: "siunt*, siunta, siuntą",
    arrivalLabel: `
      numatomas pristatym*, pristatymo data, numatoma pristatymo, numatomas atvykimas, pristatymas, atvyks
    `,
    word: "siunta, siuntą, siuntos, užsakym*",
    statuses: {
      exception: "nepavyko pristatyti, vėluoja, vėluoj*, vėlav*, nepristatyt*",
      out_for_delivery: `
        pas kurjerį, bus pristatyta šiandien, kurjeris veža, pristatoma šiandien, išvežta pristatyti,
        šiandien pristat*
      `,
      delivered: "pristatyta, pristatytas, atsiimta, įteikta, pristatėme, atsiėmėte",
      in_transit: "pakeliui, keliauja",
      shipped: "išsiųsta, išsiųstas, išsiuntėme, perduota, perdavėme",
    },
    carrierLabel: "vežėjas, kurjeris, kurjerių tarnyba, siuntų tarnyba",
    notYet: "bus",
  },
  receipt: {
    payment: `
      sąskaita, kvitas, mokėjim*, užsakymo patvirtinimas, gavome, sumokėjote, jūsų mokėjimas, nuskaičiavome,
      nurašyta, auka, auką, apmokėta
    `,
    dateLabel: "mokėjimo data, sąskaitos data",
    due: "apmokėti iki",
    methodLabel: "mokėjimo būdas, apmokėjimo būdas",
    paidWith: "apmokėta, sumokėta, kortele",
    cash: "gryn*, kreditin*, debeto kortel*, banko kortel*, kortele, pavedim*",
    cardEnding: "besibaigianti, besibaigian*, baigiasi skaičiais",
    failed: "mokėjimas nepavyko",
    merchantLabel: "pardavėjas",
  },
};
