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
      aktivierungscode, freischaltcode, prüfcode, tan, mtan, registrierungscode, zugriffscode, einmal-pin,
      abholcode, abhol-code, abhol-pin, abholpin, zustellcode, liefercode, liefer-pin, paketcode,
      schließfachcode, fachcode, öffnungscode, türcode, tür-code, tür-pin, eingangscode, zutrittscode,
      torcode, parkcode, sms-code, garagencode, sms-tan, einlasscode, smstan, einfahrtscode, freigabecode,
      haustürcode, signaturcode, gästecode, unterschriftscode, gastcode, validierungscode
    `,
    passcode: "kenncode, zugangscode",
    weak: "code, kode, pin, passwort, kennwort, geheimzahl, geheimnummer, zahlenkombination, kombination",
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
      bankleitzahl, kundencode, farbcode, kurscode, störung, vertragskonto, zählernummer, zählerstand,
      zähler, mitgliedsnummer, mitglieds-nr., versicherungsnummer, versicherten-nr., schadennummer,
      matrikelnummer, kennzeichen, verwendungszweck
    `,
    booking: `
      buchung, buchungsnummer, buchungscode, reservierung, reservierungsnummer, flug, buchungs-nr.,
      buchungsreferenz
    `,
    meeting: "besprechungs-id, meeting-id, konferenz-id, konferenznummer, konferenz-pin, einwahlnummer",
    coupon: `
      gutschein, gutscheincode, rabattcode, rabatt, aktionscode, gutschein-code, gutscheincodes, werbecode,
      empfehlungscode, freundschaftscode
    `,
    instruction: `
      geben sie, gib, eingeben, eingabe, tippen sie, tippe, verwenden sie, verwende, nutzen sie, nutze,
      benutzen sie, trage, tragen sie, übertragen sie, tragen, eintragen, eintippen, trag, nimm, nehmen sie,
      übernimm, tippt, gebt, drücken sie, drück, drücke, nennen sie, nenne, nenn, zeigen sie, zeig, zeige,
      sagen sie, sag, tippst, tipp, drückst, vorzeigen, stellen sie, stell, drehen sie, brauchst du,
      brauchen sie
    `,
    device: `
      tastatur, tastenfeld, bildschirm, packstation, automat, schließfach, haustür, wohnungstür, schranke,
      schranken, drehkreuz, schlüsselkasten, schlüsselbox, zahlenschloss, tresor, fernbedienung, fernseher,
      feld, raute
    `,
    secret: "nicht weitergeben, niemals weiter, nicht mit anderen, niemandem, fragen sie nie, werden sie nie",
    requested: "angefordert, nicht von ihnen, sie das nicht, du das nicht, ignorieren sie, ignorier",
    void: `
      alter code, alte code, alten code, bisherige code, bisherigen code, vorherige code, vorheriger code,
      vorherigen code, frühere code, früheren code, nicht mehr gültig, nicht länger gültig, ungültig*,
      ersetzt, wurde verwendet, bereits verwendet, ist abgelaufen, gilt nicht mehr, gelten nicht mehr,
      funktioniert nicht mehr, abgelaufen, der alte, verbraucht
    `,
    fresh: `
      neuer code, neue code, neuen code, neue pin, neuen pin, neuester code, neueste code, der neue ist,
      ab sofort gilt
    `,
    expiry: `
      gültig bis, gültig für, ist gültig, minuten gültig, stunden gültig, gilt bis, läuft ab, verfällt,
      nur einmal, einmal verwend*, innerhalb von, innerhalb der, gilt noch, nutzbar
    `,
  },
  sentence: {
    leadsTo: "ist, lautet",
    ledBy: "ist, zum, zur, um",
    denies: "nicht, kein, keine, keinen, keinem, keiner, niemals, ohne",
    fillers: "sie, bitte, dazu, dann, hier",
    prepositions: "für, bei",
    units: "uhr, minute, minuten, sekunde, sekunden, stunde, stunden, tage",
  },
  link: {
    proves: `
      bestätigen, bestätige, e-mail bestätigen, verifizieren, aktivieren, konto aktivieren, zurücksetzen,
      passwort zurücksetzen, passwort ändern, anmeldelink, bestätigungslink, annehmen, zulassen, freischalten,
      erlauben, freigeben, genehmigen, das war ich, beitreten, ich war es, ich war das, entsperren,
      das bin ich, ich bin's, bin ich
    `,
    signsIn: `
      anmelden, anmeldung, einloggen, melden sie sich, melde dich, melden sie sich an, melde dich an
    `,
    goesOn: "weiter, los geht's, loslegen, hier klicken, öffnen, hier",
    password: "passwort, passworts, kennwort",
    account: "konto, e-mail-adresse, anmeldung, registrierung, benutzerkonto, kundenkonto",
    otherPurpose: `
      datenschutz, impressum, hilfe, kontakt, im browser ansehen, agb, teilnahme bestätigen, hilfecenter,
      kundenservice, bezahlen, termin bestätigen, so funktioniert, rechnung ansehen, bewerten,
      lieferung bestätigen, hinweise, rechnung anzeigen, umfrage, verfolgen
    `,
    refuses: `
      das war ich nicht, war ich nicht, ich war das nicht, ich war es nicht, waren sie das nicht,
      warst du das nicht, sie das nicht, du das nicht, das nicht waren, das nicht warst, nicht von mir,
      nicht von ihnen, nicht ich, nicht sie, nicht angefordert, nicht veranlasst, erkenne ich nicht,
      kenne ich nicht, ablehnen, ablehnung, lehne ab, zurückweisen, verweigern, abweisen, abbrechen,
      stornieren, stornierung, widerrufen, widerspruch, widersprechen, melden, missbrauch melden, sperren,
      sperrung, abmelden, abbestellen, austragen, kündigen, abonnement kündigen, deaktivieren, löschen,
      entfernen, verwerfen, rückgängig, sitzung beenden, sitzungen beenden, blockieren, unterbinden,
      verhindern, verdächtig*, betrug, unbefugt*, verwehren, untersagen, zurückziehen, zurücknehmen,
      aus dem verteiler, aus der liste, mich austragen, fremden zugriff, kein zugriff, nicht zulassen,
      nicht erlauben, nicht bestätigen, nicht autorisier*, widerspreche, stopp*, abwürgen,
      damit habe ich nichts
    `,
    negates: `
      nicht, nein, kein, keine, keinen, niemals, nie, nichts, niemand, weder, jemand anderes, jemand anders
    `,
    agrees: "ja",
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
    invitation: "einladung, erinnerung, terminbestätigung, bestätigung, erinner*, bestätig*, ihr*, dein*",
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
    months: ["", "", "mrz, maerz", "", "", "", "", "", "", "", "", ""],
    oClock: "uhr",
    untilDay: "bis",
    untilTime: "bis",
    morning: "morgens, vormittags",
    afternoon: "nachmittags, abends",
    deadline: "bis, bis zum, vor dem, spätestens",
  },
  appointment: {
    when: "wann, datum und uhrzeit, termin am, termin, beginn, zeit, datum, uhrzeit, ihr termin, tag",
    time: "uhrzeit, zeit",
    where: "wo, ort, veranstaltungsort, treffpunkt, raum, adresse, standort",
    title: `
      thema, betreff, veranstaltung, titel, leistung, behandlung, anliegen, terminart, untersuchung, kurs,
      anlass, was
    `,
    word: "termin*, buchung*, gebucht, reservier*",
  },
  money: {
    grandTotal: `
      gesamtsumme, gesamtbetrag, gesamtpreis, rechnungsbetrag, endbetrag, zahlbetrag, bestellsumme,
      rechnungssumme, zu zahlen, zahlungsbetrag
    `,
    total: "summe, betrag, gesamt",
    partial: `
      zwischensumme, netto, nettobetrag, nettosumme, mwst, mehrwertsteuer, rabatt, versand, ersparnis,
      steuer, ust, trinkgeld, pfand
    `,
  },
  order: {
    numberLabel: `
      bestellnummer, bestellnr., bestell-nr., bestell-nr, auftragsnummer, bestellung nr., bestellung nr,
      bestellung #, auftrags-nr., bestell-id
    `,
    word: "bestellung, auftrag, bestellbestätigung, auftragsbestätigung, bestellungen",
    quantity: "menge, anzahl",
  },
  parcel: {
    numberLabel: `
      sendungsnummer, sendung nr., paket nr., sendungsnr., sendungs-nr., paketnummer, trackingnummer,
      tracking-nummer, sendungsverfolgung, sendungsverfolgungsnummer, sendungs-id, trackingcode, paket-nr.,
      sendungscode
    `,
    beforeNumber: "nummer, lautet",
    nearNumber: "paket, sendung",
    arrivalLabel: `
      voraussichtliche zustellung, voraussichtliche lieferung, voraussichtlicher liefertermin,
      voraussichtlich, lieferdatum, liefertermin, lieferung am, zustellung am, ankunft, zustelltermin,
      zustelldatum, voraussichtlich am, kommt am, trifft am
    `,
    word: "paket, sendung, lieferung, bestellung, päckchen",
    statuses: {
      exception: `
        konnte nicht zugestellt, nicht zugestellt werden, zustellversuch, verzögert sich,
        zustellung fehlgeschlagen, verspätet, verspätung
      `,
      out_for_delivery: `
        in zustellung, wird heute zugestellt, kommt heute, im zustellfahrzeug, zustellfahrzeug geladen,
        kommt noch heute
      `,
      delivered: `
        wurde zugestellt, zugestellt, wurde geliefert, ist angekommen, wurde abgegeben, beim nachbarn
      `,
      in_transit: "unterwegs, auf dem weg, in der zustellbasis, im transport",
      shipped: `
        versandt, verschickt, versendet, auf die reise, an dhl übergeben, übergeben, unterwegs gebracht
      `,
    },
    notYet: `
      sobald, wird versandt, wird verschickt, werden wir sie informieren, in kürze versendet, wird, werden
    `,
    carrierLabel: `
      versanddienstleister, zustelldienst, paketdienst, versandpartner, versandart, transporteur,
      versand mit, versand durch
    `,
  },
  receipt: {
    payment: `
      rechnung, quittung, kassenbon, beleg, zahlungsbestätigung, zahlung erhalten, zahlungseingang,
      ihre zahlung, sie haben bezahlt, abgebucht, zahlungsbeleg, kaufbeleg, haben wir erhalten,
      sie haben gezahlt, du hast bezahlt, wurde abgebucht, ihre spende, deine spende, eingezogen,
      dankend erhalten
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
    cardEnding: "mit endziffern, endziffern, endend auf, endet auf, mit der endung, endung, endnummer",
    paidWith: `
      bezahlt mit, bezahlt per, bezahlt via, gezahlt mit, per, mit ihrer, mit deiner, von ihrem, von deinem
    `,
    cash: `
      bar, barzahlung, kreditkarte, debitkarte, ec-karte, girocard, lastschrift, bankeinzug, überweisung,
      banküberweisung, vorkasse, nachnahme, rechnung, geschenkkarte, gutschein
    `,
  },
  organisation: {
    roles: "kundenservice, bestellungen",
    onlyRoles: "kundenservice, rechnung, bestellung",
    via: "über, durch",
  },
};
