import type { Language } from "./language.ts";

/** Estonian. */
export const et: Language = {
  tag: "et",
  keyWords: "whole",
  code: {
    strong: `
      kinnituskood*, turvakood*, sisselogimiskood*, ühekordne kood*, ühekordse kood*, ühekordne parool*,
      aktiveerimiskood*, kontrollkood*, väljastuskood*, uksekood*, kapikood*, avamiskood*, tuvastuskood*,
      võtmekapi kood*, verifitseerimiskood*, lukukood*, autentimiskood*, sissepääsukood*,
      registreerimiskood*, läbipääsukood*, lähtestamiskood*, ligipääsukood*, seadmekood*, juurdepääsukood*
    `,
    weak: "kood*, pin-kood*, parool*, salasõna*, numbrikood*, pin kood*, pin2, kombinatsioon*",
    hint: "kinnita*, sisselogimi*, avamiseks, logimiseks",
    soft: "konto, kontole, telefon*",
    number: `
      tellimus*, arve*, kliendinumber*, leping*, viitenumber*, saadetis*, jälgimiskood*, pakikood*,
      postiindeks*, registrikood*, isikukood*, veakood*, tootekood*, aasta, kokku, summa, lähtekood*,
      riigikood*, ribakood*, triipkood*, pangakood*, koolikood*, kliendikood*, lepingunumber*, reg nr
    `,
    booking: "broneeri*",
    meeting: "koosoleku id, koosoleku kood*, koosoleku parool*",
    coupon: "sooduskood*, kinkekaar*, allahindlus*, soodustus*, kampaania*, kinkekood*",
    instruction: `
      sisesta*, kasuta*, tipi*, trüki*, vajuta*, näidake, öelge, ütle, kirjuta, kirjutage, ette näita*,
      nimeta*, trükkige, toksi*, keera*, sea numbrid, loe ette, läheb vaja
    `,
    device: `
      klaviatuur*, ekraan*, sõrmistik*, pakiautomaa*, kapp, kapi, ukse*, värav*, tõkkepuu*, fonoluk*,
      tabaluk*, võtmekap*, seif*, puldi*, teler*, lahtri*, väljale, luuk, luugi, rohelist nuppu
    `,
    secret: "ära jaga, ärge jagage, ärge andke, ära anna, kellelegi, ei küsi kunagi",
    requested: `
      tellisite, tellisid, palusite, palusid, taotlesite, ei tellinud, ei taotlenud, kui see ei olnud,
      ignoreeri*
    `,
    void: `
      eelmine kood*, varasem kood*, vana kood*, ei kehti, kehtetu*, asendab, on aegunud, enam ei kehti,
      enam ei tööta, ei tööta, aegunud, tühistatud, vana enam, ei ava
    `,
    fresh: "uus kood*, uue kood*, uus on",
    expiry: "kehtib, aegub, töötab kuni, kehtivus*",
  },
  sentence: {
    leadsTo: "on",
    ledBy: "on",
    denies: "ei ole, pole, mitte, ilma, ega",
    units: "sekund*, minut*, tund*, tunni, päev*, kuud, aasta*, tk, inimes*, punkti",
  },
  link: {
    proves: `
      kinnita*, aktiveeri*, muuda parool*, lähtesta parool*, loo parool*, uus parool*, võta kutse*,
      kinnituslin*, luba, sisselogimislin*, see olin mina, see olen mina, nõustu, tühista blokeering
    `,
    signsIn: "logi sisse, sisselogimi*, sisene",
    goesOn: "jätka, ava, siia, siit, alusta",
    password: "parool*",
    account: "konto, kontot, e-posti, aadress*, registreeri*, kutse, uudiskir*",
    otherPurpose: `
      privaatsus*, tingimused, abi, klienditugi, kontakt*, brauseris, jälgi*, kinnita osalemi*, loe lisaks,
      pood*, kinnita oma osalemi*, loe edasi, vaata tellimus*, pakkumis*, kinnita osavõt*, loe rohkem
    `,
    refuses: `
      see ei olnud mina, ei olnud mina, pole mina, ei tunne ära, ei taotlenud, keeldu*, lükka tagasi,
      tagasi lükata, teata, teatage, tühista*, katkesta*, blokeeri*, lukusta*, loobu*, kustuta*, eemalda*,
      kahtla*, logi välja, vaidlusta*, keela, keelata, keelu*, ära luba, eitan, eita, takista*, võõras, lükka*
    `,
    negates: "ei, polnud, keegi teine",
    agrees: "jah",
  },
  quoting: {
    wrote: "kirjutas",
    wroteBetween: "kontaktisik … kirjutas kuupäeval …",
    originalMessage: "algsõnum",
    from: "saatja",
    sent: "saadetud, kuupäev",
    forwarded: "edastatud sõnum",
  },
  subject: {
    reply: "vs",
    forward: "ed",
    automatic: "automaatvastus",
    invitation: "kutse, meeldetuletus, kinnit*, meeldetulet*",
  },
  signature: {
    closings: "lugupidamisega",
  },
  dates: {
    months: [
      "jaanuaril",
      "veebruaril",
      "märtsil",
      "aprillil",
      "mail",
      "juunil",
      "juulil",
      "augustil",
      "septembril",
      "oktoobril",
      "novembril",
      "detsembril",
    ],
    untilDay: "kuni",
    untilTime: "kuni",
    afternoon: "pärastlõunal, õhtul",
    deadline: "kuni, hiljemalt, enne",
  },
  appointment: {
    when: "millal, aeg, kuupäev, päev",
    time: "kell, kellaaeg",
    where: "kus, koht, asukoht, aadress, aadressil",
    word: "broneering*, aeg, visii*",
    title: "teenus, protseduur, teema",
  },
  money: {
    grandTotal: "kokku tasuda, tasuda, kogusumma, tasutud",
    total: "kokku, summa",
    partial: "vahesumma, käibemaks*, allahindlus, tarne, jootraha, pant",
    currencies: { EUR: "eurot" },
  },
  order: {
    numberLabel: "tellimuse number, tellimuse nr, tellimus nr, tellimus #",
    word: "tellimus*",
    quantity: "kogus",
  },
  parcel: {
    numberLabel: `
      jälgimisnumber, jälgimiskood, saadetise number, pakikood, paki number, jälgimise number,
      saadetise kood
    `,
    nearNumber: "pakk, paki, saadetis*",
    arrivalLabel: `
      tarneaeg, eeldatav tarne*, saabub, eeldatav kättetoimetamine, kohaletoimetamine, eeldatav saabumine,
      jõuab kohale
    `,
    word: "pakk, paki, saadetis*, tellimus*",
    statuses: {
      exception: "ei õnnestunud, hilineb, hilinemi*, viibi*, ebaõnnestus",
      out_for_delivery: "kulleri käes, jõuab täna, kulleriga teel, väljastamisel, kulleril",
      delivered: "kätte toimetatud, väljastatud, üle antud saajale, kohale toimetatud, toimetasime kohale",
      in_transit: "teel, on teel",
      shipped: "välja saadetud, teele pandud, saatsime, on saadetud, üle antud",
    },
    carrierLabel: "vedaja, kuller, kullerfirma, transpordifirma",
    notYet: "saadetakse, toimetatakse",
  },
  receipt: {
    payment: `
      arve, kviitung, makse, tellimuse kinnitus, maksekinnitus, makstud, tasutud, oleme kätte saanud, laekus,
      tasusite, maksite, debiteeri*, annetus*
    `,
    dateLabel: "makse kuupäev, arve kuupäev, kuupäev",
    due: "maksetähtaeg, tähtaeg",
    methodLabel: "makseviis",
    cardEnding: "lõpuga, mis lõpeb, lõppeva, viimased neli numbrit",
    paidWith: "makstud, tasutud, kaudu, kaardiga",
    cash: "sularaha*, krediitkaar*, deebetkaar*, pangakaar*, ülekan*",
    failed: "makse ebaõnnestus",
  },
};
