import type { Language } from "./language.ts";

/** German. */
export const de: Language = {
  tag: "de",
  keyWords: "whole",
  code: {
    strong: `
      bestätigungscode, bestätigungs-code, verifizierungscode, verifizierungs-code, verifikationscode,
      sicherheitscode, sicherheits-code, anmeldecode, anmelde-code, login-code, logincode, einmalcode,
      einmal-code, einmalpasswort, einmal-passwort, einmalkennwort, authentifizierungscode,
      aktivierungscode, freischaltcode, prüfcode, tan, mtan, registrierungscode, zugriffscode, einmal-pin
    `,
    passcode: "kenncode, zugangscode",
    weak: "code, kode, pin",
    hint: `
      bestätigen, bestätige, bestätigung, verifizieren, anmelden, anmeldung, einloggen, authentifizierung
    `,
    soft: "konto, telefon, karte, nummer",
    number: `
      bestellung, bestellnummer, bestell-nr., auftrag, auftragsnummer, rechnung, rechnungsnummer,
      rechnungs-nr., beleg, quittung, sendung, sendungsnummer, sendungsverfolgung, paketnummer, kontonummer,
      kundennummer, kunden-nr., vorgangsnummer, referenz, referenznummer, aktenzeichen, postleitzahl, plz,
      telefonnummer, tel., mobil, betrag, summe, jahr, fehlercode, strichcode, qr-code, endet auf, hrb,
      steuernummer, vertragsnummer, ticketnummer, artikelcode, artikelnummer, ländercode, quellcode,
      bankleitzahl, kundencode, farbcode, kurscode, störung, vertragskonto
    `,
    booking: `
      buchung, buchungsnummer, buchungscode, reservierung, reservierungsnummer, flug
    `,
    meeting: "besprechungs-id, meeting-id, konferenz-id",
    coupon: "gutschein, gutscheincode, rabattcode, rabatt, aktionscode, gutschein-code",
    instruction: `
      geben sie, gib, eingeben, eingabe, tippen sie, tippe, verwenden sie, verwende, nutzen sie, nutze,
      benutzen sie, trage, tragen sie, übertragen sie, tragen, eintragen, eintippen, trag, nimm, nehmen sie,
      übernimm, tippt, gebt
    `,
    purpose: `
      abschließen, fortfahren, fortzufahren, freigeben, freigabe, registrierung, aktivieren, freischalten,
      verbinden, zugang, einwahl, weiterzumachen, abzuschließen, koppeln, verknüpfen, aktivierung,
      genehmigen, beitreten, öffnen
    `,
    digits: "zahl, zahlen, ziffern, zahlenfolge, folgende nummer",
  },
  sentence: {
    leadsTo: "ist, lautet",
    ledBy: "ist, zum, zur, um",
    denies: "nicht, kein, keine",
    fillers: "sie, bitte, dazu, dann, hier",
    prepositions: "für, bei",
    units: "uhr, minute, minuten, sekunde, sekunden, stunde, stunden, tage",
  },
  link: {
    proves: `
      bestätigen, bestätige, e-mail bestätigen, verifizieren, aktivieren, konto aktivieren, zurücksetzen,
      passwort zurücksetzen, passwort ändern, anmeldelink, bestätigungslink
    `,
    signsIn: "anmelden, anmeldung, einloggen",
    goesOn: "weiter, los geht's, loslegen, hier klicken",
    password: "passwort, passworts, kennwort",
    account: "konto, e-mail-adresse, anmeldung, registrierung",
    otherPurpose: `
      abmelden, abbestellen, abonnement kündigen, datenschutz, impressum, hilfe, kontakt,
      im browser ansehen, agb
    `,
    provesInPath: "passwort, kennwort, bestaetigen, bestaetigung, aktivieren, aktivierung",
  },
  quoting: {
    wrote: "schrieb",
    wroteBetween: "am … schrieb …",
    originalMessage: "ursprüngliche nachricht, originalnachricht",
    from: "von",
    sent: "gesendet, datum",
    foldedStart: "am, den",
    forwarded: "weitergeleitete nachricht, anfang der weitergeleiteten",
  },
  subject: {
    reply: "aw",
    forward: "wg",
    strippedReply: "aw",
    strippedForward: "wg",
    automatic: "automatische antwort",
    invitation: "einladung, erinnerung, terminbestätigung, bestätigung",
  },
  signature: {
    closings: `
      mit freundlichen grüßen, mit freundlichen grüssen, freundliche grüße, freundliche grüsse, viele grüße,
      liebe grüße, beste grüße, herzliche grüße, mit besten grüßen, schöne grüße, gruß, grüße, lg, vg, mfg,
      danke, vielen dank, danke und gruß
    `,
    footers: [
      "outlook für .* (?:beziehen|herunterladen)",
      "von meinem .{1,30} gesendet",
      "gesendet (?:von|mit|über) .{1,40}",
      "diese nachricht wurde von meinem .{1,40} gesendet.*",
    ],
  },
  localParts: {
    unread: "keineantwort, nichtantworten",
    sendsCodes: "tan",
  },
  dates: {
    months: [
      "januar, jan",
      "februar, feb",
      "märz, mrz, maerz",
      "april, apr",
      "mai",
      "juni, jun",
      "juli, jul",
      "august, aug",
      "september, sep",
      "oktober, okt",
      "november, nov",
      "dezember, dez",
    ],
    oClock: "uhr",
    untilDay: "bis",
    untilTime: "bis",
  },
  appointment: {
    when: `
      wann, datum und uhrzeit, termin am, termin, beginn, zeit, datum, uhrzeit, ihr termin
    `,
    time: "uhrzeit, zeit",
    where: "wo, ort, veranstaltungsort, treffpunkt, raum, adresse",
    title: "thema, betreff, veranstaltung, titel",
  },
  money: {
    grandTotal: `
      gesamtsumme, gesamtbetrag, gesamtpreis, rechnungsbetrag, endbetrag, zahlbetrag, bestellsumme,
      rechnungssumme, zu zahlen, zahlungsbetrag
    `,
    total: "summe, betrag, gesamt",
    partial: `
      zwischensumme, netto, nettobetrag, nettosumme, mwst, mehrwertsteuer, rabatt, versand, ersparnis,
      steuer, ust
    `,
    including: "inkl",
  },
  order: {
    numberLabel: `
      bestellnummer, bestellnr., bestell-nr., bestell-nr, auftragsnummer, bestellung nr., bestellung nr,
      bestellung #, auftrags-nr., bestell-id
    `,
    word: "bestellung, auftrag",
    beforeNumber: "lautet, ist",
    quantity: "menge, anzahl",
  },
  parcel: {
    numberLabel: `
      sendungsnummer, sendung nr., paket nr., sendungsnr., sendungs-nr., paketnummer, trackingnummer,
      tracking-nummer, sendungsverfolgung, sendungsverfolgungsnummer, sendungs-id
    `,
    beforeNumber: "nummer, lautet",
    nearNumber: "paket, sendung",
    arrivalLabel: `
      voraussichtliche zustellung, voraussichtliche lieferung, voraussichtlicher liefertermin,
      voraussichtlich, lieferdatum, liefertermin, lieferung am, zustellung am, ankunft
    `,
    word: "paket, sendung, lieferung, bestellung, päckchen",
    statuses: {
      exception: `
        konnte nicht zugestellt, nicht zugestellt werden, zustellversuch, verzögert sich,
        zustellung fehlgeschlagen
      `,
      out_for_delivery: `
        in zustellung, wird heute zugestellt, kommt heute, im zustellfahrzeug, zustellfahrzeug geladen
      `,
      delivered: `
        wurde zugestellt, zugestellt, wurde geliefert, ist angekommen, wurde abgegeben
      `,
      in_transit: "unterwegs, auf dem weg, in der zustellbasis, im transport",
      shipped: "versandt, verschickt, versendet, auf die reise, an dhl übergeben",
    },
    notYet: `
      sobald, wird versandt, wird verschickt, werden wir sie informieren, in kürze versendet
    `,
  },
  receipt: {
    payment: `
      rechnung, quittung, kassenbon, beleg, zahlungsbestätigung, zahlung erhalten, zahlungseingang,
      ihre zahlung, sie haben bezahlt, abgebucht, zahlungsbeleg, kaufbeleg
    `,
    failed: `
      zahlung fehlgeschlagen, konnte nicht abgebucht, abgelehnt, konnte nicht verarbeitet, angebot nr.,
      kostenvoranschlag
    `,
    dateLabel: `
      rechnungsdatum, zahlungsdatum, belegdatum, kaufdatum, buchungsdatum, bezahlt am, zahlung vom,
      rechnung vom, bestelldatum, datum
    `,
    due: "fällig, fälligkeit, nächste",
    merchantLabel: "händler, verkäufer, zahlungsempfänger",
    methodLabel: `
      zahlungsart, zahlungsmethode, bezahlt mit, bezahlt per, bezahlt via, zahlungsmittel, zahlart,
      zahlung per, zahlung mit
    `,
    cardEnding: "mit endziffern, endziffern, endend auf, endet auf",
  },
  organisation: {
    roles: "kundenservice, bestellungen",
    onlyRoles: "kundenservice, rechnung, bestellung",
    via: "über, durch",
  },
};
