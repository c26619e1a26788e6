import type { Language } from "./language.ts";

/** Dutch. */
export const nl: Language = {
  tag: "nl",
  keyWords: "whole",
  code: {
    strong: `
      verificatiecode, beveiligingscode, inlogcode, eenmalige code, eenmalig wachtwoord, authenticatiecode,
      activeringscode, activatiecode, controlecode, aanmeldcode, tan-code, ophaalcode, afhaalcode,
      afhaal-pin, bezorgcode, leveringscode, pakketcode, lockercode, kluiscode, kluisjescode, deurcode,
      poortcode, parkeercode, openingscode, validatiecode, sleutelkluiscode, resetcode, sleutelcode,
      registratiecode, slotcode, koppelcode, entreecode, koppelingscode, ingangscode, apparaatcode,
      inrijcode
    `,
    confirmation: "bevestigingscode",
    passcode: "toegangscode",
    weak: "code, pincode, wachtwoord, wachtwoorden, pincodes, combinatie",
    hint: `
      verifiëren, verifieer, verificatie, bevestigen, bevestig, inloggen, aanmelden, log in, ontgrendelen
    `,
    soft: "account, telefoon, nummer, kaart",
    number: `
      bestelling, bestelnummer, ordernummer, factuur, factuurnummer, bon, zending, trackingnummer,
      track en trace, rekeningnummer, klantnummer, referentie, kenmerk, postcode, telefoonnummer, tel., bel,
      bedrag, jaar, foutcode, kvk, streepjescode, eindigend op, artikelcode, landcode, broncode,
      productcode, klantcode, cursuscode, storing, dossiernummer, patiëntnummer, meternummer, meterstand,
      lidnummer, relatienummer, contractnummer, polisnummer, zaaknummer, meldingsnummer, kenteken,
      betalingskenmerk
    `,
    booking: `
      boeking, boekingsnummer, boekingscode, reservering, reserveringsnummer, vlucht, boekingsreferentie
    `,
    meeting: "vergader-id, vergadering-id, vergadercode, vergadernummer, inbelnummer, inbelcode",
    coupon: `
      kortingscode, korting, actiecode, waardebon, kortingscodes, kortingsbon, cadeaukaart, cadeaubon,
      cadeaucode
    `,
    instruction: `
      voer, vul, gebruik, typ, toets, invoeren, invullen, kopieer, tik, vult, voert, gebruikt, vermeld,
      neem, druk, drukt, toetst, typt, toon, laat zien, noem, zeg, geef door, intoetsen, intypen, toont,
      vertel de, draai, zet de, geef de, heb je nodig, hebt u nodig, in te voeren
    `,
    device: `
      toetsenbord, cijferslot, scherm, kluisje, pakketautomaat, automaat, voordeur, deur, poort, slagboom,
      sleutelkluis, sleutelkastje, hangslot, kluis, afstandsbediening, veld, vakje, hekje
    `,
    secret: `
      niet met anderen, niet delen, met niemand, aan niemand, niet door aan, vragen nooit, nooit om uw
    `,
    requested: `
      aangevraagd, je gevraagd, op uw verzoek, op jouw verzoek, jij dit niet, u dit niet, jij niet,
      niet zelf, negeer
    `,
    void: `
      vorige code, oude code, eerdere code, niet meer geldig, niet langer geldig, ongeldig*, vervangt,
      vervangen door, is gebruikt, al gebruikt, is verlopen, werkt niet meer, geldt niet meer, vervallen,
      verlopen, de oude, de vorige, ingetrokken
    `,
    fresh: "nieuwe code, nieuwe pincode, nieuwste code, laatste code, de nieuwe is, vanaf nu",
    expiry: `
      geldig tot, geldig voor, is geldig, minuten geldig, verloopt, vervalt, één keer, eenmalig, binnen,
      werkt tot, geldt tot, nog geldig
    `,
  },
  sentence: {
    ledBy: "om",
    denies: "niet, geen, nooit, zonder, niet meer",
    fillers: "je, u, nu, even, dan, hier",
    prepositions: "voor, bij",
    units: "uur, dagen",
  },
  link: {
    proves: `
      verifiëren, verifieer, bevestigen, bevestig, activeren, activeer, wachtwoord resetten,
      wachtwoord herstellen, herstellen, inloglink, accepteer, toestaan, accepteren, dat was ik, bevestigt,
      goedkeuren, ik was het, ik was dit, deblokkeren, ontgrendel*
    `,
    signsIn: "inloggen, aanmelden, inlog",
    goesOn: "doorgaan, aan de slag, klik hier, ga verder, verder",
    password: "wachtwoord",
    account: "e-mailadres, aanmelding, uitnodiging, uitgenodigd",
    otherPurpose: `
      privacybeleid, hulp, bevestig je aanwezigheid, bekijk online, beoordeel, aanwezigheid bevestigen,
      veelgestelde vragen, webversie, vragenlijst, bevestig je afspraak, klantenservice, bekijk factuur,
      enquête, afspraak bevestigen, privacyverklaring
    `,
    refuses: `
      dat was ik niet, ik was dit niet, ik was het niet, niet ik, was jij dit niet, was u dit niet,
      niet door mij, niet van mij, niet aangevraagd, herken ik niet, herken dit niet, weigeren, weiger,
      afwijzen, wijs af, afkeuren, misbruik melden, dit melden, meld dit, meld misbruik, rapporteer*,
      rapporteren, annuleer, annuleren, intrekken, blokkeer, blokkeren, betwist*, afmelden, uitschrijven,
      opzeggen, verwijderen, verwijder, verdacht*, uitloggen, stopzetten, deactiveren, vergrendel*, ontzeg*,
      ontken*, haal mij, haal me, trek in, terugtrekken, niet toestaan, verbied*, vreemde, stop*, tegenhouden
    `,
    negates: "niet, geen, nee, nooit, niets, niemand, iemand anders",
    agrees: "ja",
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
    invitation: "uitnodiging, herinnering, bevestig*, herinner*, uw",
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
    untilTime: "tot",
    morning: "'s ochtends",
    afternoon: "'s middags, 's avonds",
    deadline: "tot, tot en met, uiterlijk, vóór",
  },
  appointment: {
    when: "wanneer, datum en tijd, afspraak, aanvang, dag, datum",
    time: "uur, tijd",
    where: "waar, locatie, plaats, adres",
    title: "onderwerp, wat, behandeling, dienst, onderzoek, reden",
    word: "afspraak*, reserver*, geboekt",
  },
  money: {
    grandTotal: `
      totaalbedrag, te betalen, totaal betaald, betaald bedrag, factuurbedrag, totaal incl. btw
    `,
    total: "totaal, bedrag",
    partial: "subtotaal, tussentotaal, korting, btw, verzendkosten, excl. btw, fooi, statiegeld",
  },
  order: {
    numberLabel: "bestelnummer, ordernummer, bestelling #, bestelling nr., order-id, bestellingsnummer",
    word: "bestelling, bestelbevestiging, orderbevestiging, order",
    quantity: "aantal",
  },
  parcel: {
    numberLabel: `
      track & trace-code, track&trace, track & trace, trackingcode, volgnummer, zendingsnummer, barcode,
      trackingnummer, track-en-tracecode, pakketnummer
    `,
    nearNumber: "pakket, zending",
    arrivalLabel: `
      verwachte bezorging, verwachte levering, bezorgdatum, leverdatum, bezorgmoment, verwacht op,
      verwachte leverdatum, levering op, bezorging op, geleverd op, wordt bezorgd op
    `,
    word: "pakket, zending, bestelling, levering",
    statuses: {
      exception: `
        kon niet worden bezorgd, bezorging mislukt, is vertraagd, niet bezorgd, vertraging, vertraagd
      `,
      out_for_delivery: `
        wordt vandaag bezorgd, vandaag bezorgd, de bezorger is onderweg, komt vandaag, onderweg naar u toe
      `,
      delivered: "is bezorgd, bezorgd, afgeleverd, geleverd, bij de buren",
      in_transit: "is onderweg, onderweg",
      shipped: "verzonden, verstuurd, overgedragen aan",
    },
    notYet: "zodra, wordt verzonden, wordt, worden, zal",
    carrierLabel: "vervoerder, bezorgdienst, koerier, verzonden met, pakketdienst",
  },
  receipt: {
    payment: `
      factuur, bon, kassabon, betaling ontvangen, betalingsbewijs, je betaling, uw betaling, bonnetje,
      hebben wij ontvangen, hebben we ontvangen, je hebt betaald, u hebt betaald, u heeft betaald,
      afgeschreven, geïncasseerd, donatie, je aankoop
    `,
    failed: "betaling mislukt, betaling geweigerd, offerte",
    dateLabel: "factuurdatum, betaaldatum, aankoopdatum, betaald op, besteldatum",
    due: "vervaldatum",
    merchantLabel: "verkoper, begunstigde",
    methodLabel: "betaalmethode, betaald met, betaalwijze, betaald via",
    cardEnding: "eindigend op, eindigt op, met einde",
    paidWith: "betaald met, betaald via, betaald per, met je, met uw, van je, van uw, via",
    cash: `
      contant, pin, pinpas, bankpas, creditcard, overschrijving, bankoverschrijving, automatische incasso,
      achteraf betalen, cadeaukaart, rembours, factuur
    `,
  },
};
