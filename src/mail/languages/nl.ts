import type { Language } from "./language.ts";

/** Dutch. */
export const nl: Language = {
  tag: "nl",
  keyWords: "whole",
  code: {
    strong: `
      verificatiecode, beveiligingscode, inlogcode, eenmalige code, eenmalig wachtwoord, authenticatiecode,
      activeringscode, activatiecode, controlecode, aanmeldcode, tan-code
    `,
    confirmation: "bevestigingscode",
    passcode: "toegangscode",
    weak: "code, pincode",
    hint: `
      verifiëren, verifieer, verificatie, bevestigen, bevestig, inloggen, aanmelden, log in
    `,
    soft: "account, telefoon, nummer, kaart",
    number: `
      bestelling, bestelnummer, ordernummer, factuur, factuurnummer, bon, zending, trackingnummer,
      track en trace, rekeningnummer, klantnummer, referentie, kenmerk, postcode, telefoonnummer, tel., bel,
      bedrag, jaar, foutcode, kvk, streepjescode, eindigend op, artikelcode, landcode, broncode,
      productcode, klantcode, cursuscode, storing, dossiernummer, patiëntnummer
    `,
    booking: `
      boeking, boekingsnummer, boekingscode, reservering, reserveringsnummer, vlucht
    `,
    meeting: "vergader-id, vergadering-id",
    coupon: "kortingscode, korting, actiecode, waardebon",
    instruction: `
      voer, vul, gebruik, typ, toets, invoeren, invullen, kopieer, tik, vult, voert, gebruikt, vermeld, neem
    `,
    purpose: `
      activeren, toegang, afronden, af te ronden, doorgaan, verder te gaan, verbinden, goedkeuren,
      goed te keuren, registratie, koppelen, verbinding, activatie, af te maken, goedkeuring, te beginnen
    `,
    digits: "cijfers, getal, onderstaande nummer",
  },
  sentence: {
    ledBy: "om",
    denies: "niet, geen",
    fillers: "je, u, nu, even, dan, hier",
    prepositions: "voor, bij",
    units: "uur, dagen",
  },
  link: {
    proves: `
      verifiëren, verifieer, bevestigen, bevestig, activeren, activeer, wachtwoord resetten,
      wachtwoord herstellen, herstellen, inloglink
    `,
    signsIn: "inloggen, aanmelden",
    goesOn: "doorgaan, aan de slag, klik hier",
    password: "wachtwoord",
    account: "e-mailadres, aanmelding",
    otherPurpose: "afmelden, uitschrijven, privacybeleid, hulp",
    provesInPath: "wachtwoord, bevestig, bevestigen",
  },
  quoting: {
    wrote: "schreef",
    wroteBetween: "op … schreef …",
    originalMessage: "oorspronkelijk bericht",
    from: "van",
    sent: "verzonden, datum",
    foldedStart: "op",
    forwarded: "doorgestuurd bericht, begin doorgestuurd",
  },
  subject: {
    reply: "antw",
    strippedReply: "antw",
    strippedForward: "doorst",
    automatic: "automatisch antwoord",
    invitation: "uitnodiging, herinnering",
  },
  signature: {
    closings: `
      met vriendelijke groet, met vriendelijke groeten, vriendelijke groet, groet, groeten, groetjes, mvg,
      bedankt, dank je wel, alvast bedankt
    `,
    footers: [
      "outlook voor .* downloaden",
      "download outlook voor .*",
      "verstuurd vanaf (?:mijn )?.{1,40}",
      "verzonden (?:vanaf|met|vanuit) .{1,40}",
    ],
  },
  localParts: {
    unread: "geenantwoord",
  },
  dates: {
    months: [
      "januari, jan, januarij",
      "februari, feb, febr",
      "maart, mrt",
      "april, apr",
      "mei",
      "juni, jun",
      "juli, jul",
      "aug",
      "september, sep, sept",
      "oktober, okt",
      "november, nov",
      "december, dec",
    ],
    untilTime: "tot",
  },
  appointment: {
    when: "wanneer, datum en tijd, afspraak, aanvang",
    time: "uur, tijd",
    where: "waar, locatie, plaats",
    title: "onderwerp",
  },
  money: {
    grandTotal: `
      totaalbedrag, te betalen, totaal betaald, betaald bedrag, factuurbedrag, totaal incl. btw
    `,
    total: "totaal, bedrag",
    partial: "subtotaal, tussentotaal, korting, btw, verzendkosten, excl. btw",
  },
  order: {
    numberLabel: `
      bestelnummer, ordernummer, bestelling #, bestelling nr., order-id, bestellingsnummer
    `,
    word: "bestelling",
    quantity: "aantal",
  },
  parcel: {
    numberLabel: `
      track & trace-code, track&trace, track & trace, trackingcode, volgnummer, zendingsnummer, barcode,
      trackingnummer
    `,
    nearNumber: "pakket, zending",
    arrivalLabel: `
      verwachte bezorging, verwachte levering, bezorgdatum, leverdatum, bezorgmoment, verwacht op
    `,
    word: "pakket, zending, bestelling",
    statuses: {
      exception: "kon niet worden bezorgd, bezorging mislukt, is vertraagd, niet bezorgd",
      out_for_delivery: `
        wordt vandaag bezorgd, vandaag bezorgd, de bezorger is onderweg, komt vandaag
      `,
      delivered: "is bezorgd, bezorgd, afgeleverd",
      in_transit: "is onderweg, onderweg",
      shipped: "verzonden, verstuurd",
    },
    notYet: "zodra, wordt verzonden",
  },
  receipt: {
    payment: `
      factuur, bon, kassabon, betaling ontvangen, betalingsbewijs, je betaling, uw betaling, bonnetje
    `,
    failed: "betaling mislukt, betaling geweigerd, offerte",
    dateLabel: "factuurdatum, betaaldatum, aankoopdatum, betaald op, besteldatum",
    due: "vervaldatum",
    merchantLabel: "verkoper, begunstigde",
    methodLabel: "betaalmethode, betaald met, betaalwijze, betaald via",
    cardEnding: "eindigend op",
  },
};
