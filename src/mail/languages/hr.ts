import type { Language } from "./language.ts";

/** Croatian, and Bosnian. */
export const hr: Language = {
  tag: "hr",
  keyWords: "whole",
  code: {
    strong: `
      verifikacijsk*, verifikacion*, jednokratn*, kod za provjeru, kod za potvrdu, kod za prijavu,
      sigurnosni kod*, autorizacijski kod*, aktivacijski kod*, pristupni kod*, kod za preuzimanje,
      kod za preuzimanje narudžbe, kod za vrata, kod za otvaranje, kod za izlaz, kod za pristup,
      kod za registraciju, kod za promjenu, kod za aktivaciju, kod za autentifik*, autentifikacijsk*
    `,
    confirmation: "potvrdni kod*",
    weak: "kod, koda, kodom, lozinka, lozinku, lozinke, lozinkom, šifra, šifru, zaporka, zaporku, kodovi",
    hint: "potvrdite, prijav*, provjer*",
    soft: "račun, telefon, broj",
    number: `
      narudžb*, broj računa, faktur*, ugovora, kupca, poziv na broj, broj pošiljke, poštanski broj, oib,
      tel., barkod, šifra proizvoda, šifra artikla, ukupno, iznos, šifra kupca, šifra korisnika,
      broj ugovora, broj predmeta, mbo
    `,
    booking: "rezervacij*",
    coupon: "popust*, kupon*, kod za popust, promo kod*, promotivni kod*, poklon bon*, poklon kartic*",
    instruction: `
      unesite, upišite, upiši, koristite, recite, unesi, unijeti, unesete, unosom, upišeš, upisati, ukuca*,
      utipka*, otkuca*, pritisn*, reci, izgovori*, okrenite, trebat će vam, predoči*, upisom, upisivanj*
    `,
    device: `
      tipkovnic*, zaslon*, ekran*, displej*, ormarić*, pretinc*, bravu, bravom, vrata, vratima, rampu
    `,
    secret: "ne dijelite, nikome ne, nemojte dijeliti, ne otkrivajte, nikada neće tražiti, ne prosljeđujte",
    requested: `
      na vaš zahtjev, niste zatražili, zaprimili smo zahtjev, niste tražili, niste vi, niste to bili vi
    `,
    void: `
      prethodni kod, stari kod, ne vrijedi, nije važeći, nevažeći, zamjenjuje, iskorišten, je istekao,
      više ne vrijedi, više ne važi, poništen*, ne radi više, otkazan*, stara šifra, prethodna šifra,
      prijašnji kod
    `,
    fresh: "novi kod, nova šifra, novi pin, novi kodovi",
    expiry: "vrijedi, važi, ističe, istječe, vrijedit će, vrijede",
    meeting: "id sastanka, kod sastanka",
  },
  sentence: {
    leadsTo: "je, glasi",
    ledBy: "je",
    denies: "nije, nikad, nisu",
    prepositions: "za",
    units: "sekund*, minut*, sati, sata, dana, kom",
    fillers: "molimo",
  },
  link: {
    proves: `
      potvrdi, potvrdite, verificiraj*, aktiviraj*, poništi lozinku, promijeni lozinku, postavi lozinku,
      nova lozinka, prihvati*, dozvoli*, potvrđujem, potvrditi, nova šifra, novu lozinku, promjena lozinke,
      aktivacija, postavite lozinku, dovršite registraciju, ja sam, to sam ja, to sam bio, to sam bila,
      otključaj*, deblokiraj*, to sam bio ja, to sam bila ja
    `,
    signsIn: "prijavi se, prijavite se, prijava, uloguj se, za prijavu",
    goesOn: "nastavi, ovdje, nastavite, otvori, dalje",
    password: "lozink*",
    account: "račun, računa, e-mail*",
    otherPurpose: `
      pomoć, privatnost*, prati pošiljku, potvrdi dolazak, potvrdi termin, pogledaj*, uvjeti, uslovi,
      postavke, preuzmi*
    `,
    refuses: `
      to nisam ja, nisam ja, nisam bio, nisam bila, niste zatražili, ne prepoznajem, nije moje, odbij*,
      odbac*, prijavi zloupo*, prijavi aktivnost, prijavi pokušaj, prijavi sum*, prijavi problem,
      prijavite sum*, otkaži*, otkaz*, poništi zahtjev, poništi prijavu, opozov*, blokiraj*, zaključaj*,
      odjavi*, odjava, izbriši*, obriši*, ukloni*, sumnjiv*, zabrani*, povuci*, uskrat*, ne dopušt*,
      spriječi*, nepoznat*, zaustavi*, prekini*
    `,
    negates: "ne, nije, nisam, nisi, niste, ništa, nitko, ne znam, ne poznajem, ničemu, netko drugi",
    agrees: "da",
  },
  quoting: {
    wrote: "napisao, napisala, napisao/la",
    from: "od, šalje",
    sent: "poslano, datum",
    foldedStart: "dana",
    forwarded: "proslijeđena poruka",
  },
  subject: {
    reply: "odg",
    strippedReply: "odg",
    invitation: "potvrd*, podsjet*, vaš*",
  },
  signature: {
    closings: "srdačan pozdrav",
  },
  dates: {
    oClock: "sati, sata",
    untilTime: "do",
    morning: "ujutro",
    afternoon: "popodne, poslijepodne, navečer",
    deadline: "do, najkasnije, prije",
  },
  appointment: {
    when: "kada, termin, datum i vrijeme, datum, dan",
    time: "vrijeme",
    where: "gdje, mjesto, lokacija, adresa, adresi",
    word: "termin*, rezerv*",
    title: "pretraga, usluga, pregled, zahvat, tretman",
  },
  money: {
    grandTotal: "za platiti, ukupno za plaćanje, ukupan iznos, plaćeno",
    total: "ukupno, iznos",
    partial: "međuzbroj, popust, dostava, pdv, napojnica",
    currencies: {
      EUR: "eura",
    },
  },
  order: {
    numberLabel: "broj narudžbe, narudžba br.",
    word: "narudžb*",
    quantity: "kom",
  },
  parcel: {
    numberLabel: "broj pošiljke, broj paketa, broj za praćenje, kod za praćenje, tracking broj",
    nearNumber: "pošiljk*, paket*",
    arrivalLabel: `
      datum dostave, očekivana dostava, predviđena dostava, procijenjena dostava, dostava, stiže,
      bit će dostavljen*
    `,
    word: "pošiljk*, paket*, narudžb*",
    statuses: {
      exception: "nije uspjela, kasni, kašnjenj*, nije moguće, nije bilo moguće",
      out_for_delivery: "danas dostavlj*, u dostavi, na dostavi, dostavlja se danas, ukrcan*, stiže danas",
      delivered: "dostavljen, dostavljena, isporučen, isporučena, uručen*, dostavljeno, isporučeno",
      in_transit: "na putu, putuje",
      shipped: "poslana, poslan, otpremljen*, poslali, predan*, poslano",
    },
    notYet: "bit će, biće, će biti, će",
    carrierLabel: "dostavljač, prijevoznik, kurir, dostavna služba",
  },
  receipt: {
    payment: `
      račun, potvrda o plaćanju, uplata, plaćeno, primili smo, platili ste, vaša uplata, tvoja uplata,
      naplatili, terećen*, donacij*
    `,
    failed: "odbijen*",
    dateLabel: "datum plaćanja, datum računa",
    due: "dospijeć*",
    methodLabel: "način plaćanja",
    cardEnding: "završava na, završava s, završava brojem",
    paidWith: "plaćeno, karticom, putem, preko",
    cash: "gotovina, karticom, virman, pouzeće, pouzećem",
    merchantLabel: "prodavatelj",
  },
};
