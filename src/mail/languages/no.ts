import type { Language } from "./language.ts";

/** Norwegian, Bokmål and Nynorsk. */
export const no: Language = {
  tag: "no",
  keyWords: "whole",
  code: {
    strong: `
      verifiseringskode*, sikkerhetskode*, tryggleikskode*, innloggingskode*, påloggingskode*, engangskode*,
      eingongskode*, engangspassord*, autentiseringskode*, aktiveringskode*, registreringskode*, sms-kode*,
      hentekode*, utleveringskode*, leveringskode*, skapkode*, dørkode*, portkode*, parkeringskode*,
      identifiseringskode*, garasjekode*, verifikasjonskode*, nøkkelbokskode*, godkjenningskode*,
      inngangskode*, tilbakestillingskode*, gjestekode*, nullstillingskode*, innsjekkingskode*,
      koblingskode*, terminalkode*
    `,
    confirmation: "bekreftelseskode*, stadfestingskode*",
    passcode: "tilgangskode*, adgangskode*",
    weak: "kode, koden, pinkode*, pin-kode*, passord*, kodene, sifrene",
    hint: "bekreft, bekrefte, stadfest, stadfeste, logg inn, logge inn, låse opp",
    soft: "konto*, telefon*, mobiln*, kort*, nummer",
    number: `
      ordre*, bestilling*, faktura*, kvittering*, kunden*, avtalen*, saksn*, billett*, sendingsn*, sporing*,
      kolli*, beløp*, landkode*, artikkeln*, feilkode*, kurskode*, statuskode*, strekkode*, qr-kode*,
      målernummer*, medlemsn*, fødselsnummer*
    `,
    booking: "booking*, reservasjon*",
    meeting: "møte-id, møtekode*, møtenummer*, møtepassord*",
    coupon: "rabatt*, gavekort*, kampanjekode*, vervekode*, vennekode*",
    instruction: `
      skriv, skriv inn, tast, tast inn, oppgi, bruk, trykk, legg inn, taster inn, slår inn, skriver inn,
      vis fram, vis frem, angi, les opp, taste inn, inntasting*, still den på, still inn, vri, du trenger,
      du treng, slå inn, skrive inn
    `,
    device: `
      skjermen, skapet, døren, døra, porten, grinda, bommen, nøkkelboks*, nøkkelskap*, hengelås*,
      fjernkontroll*, tv-en, feltet, i ruten, firkanttast*, pakkeautomat*, pakkeboks*
    `,
    secret: "ikke del, del aldri, ikkje del, ikke videre, gi aldri, aldri be deg, med noen andre",
    requested: `
      har bedt om, du ba om, ikke bedt om, ikkje bedt om, ikke deg som, ikkje deg som, det ikke deg,
      se bort fra
    `,
    void: `
      tidligere kode*, gamle kode*, gjelder ikke lenger, lenger gyldig*, gjeld ikkje lenger, erstatter,
      er brukt, ugyldig*, virker ikke lenger, fungerer ikke lenger, gjelder ikke, utløpt, den gamle,
      den forrige, har utløpt
    `,
    fresh: "ny kode, nye kode*, den nye er, fra nå av",
    expiry: `
      gjelder i, gjelder til, gjeld i, gjeld til, gyldig*, utløper, én gang, innen, virker til, gjelder kun
    `,
  },
  sentence: {
    leadsTo: "er",
    ledBy: "er, som",
    denies: "ikke, ikkje, aldri, uten, utan",
    units: "minutt*, poeng, kroner, kr",
  },
  link: {
    proves: `
      bekreft, bekrefte, stadfest*, verifiser*, aktiver*, tilbakestill*, godta invitasjon*,
      bekreftelseslenke*, godta, innloggingslenke*, godkjenn*, påloggingslenke*, det var meg, velg passord,
      det er meg, lås opp, opphev blokkering
    `,
    signsIn: "logg inn, logge inn, logg på",
    goesOn: "fortsett, klikk her, åpne, opne",
    password: "passord*",
    account: "konto*, e-post*, adresse*, invitasjon*, medlemskap*",
    otherPurpose: `
      hjelp*, kundeservice, bekreft din deltak*, les om, se ordre*, kjøp*, bekreft deltak*, innstilling*,
      se bestilling*, handle*, bekreft oppmøte*, nettleser*, se kvittering*, tilbud*, spor pakk*
    `,
    refuses: `
      det var ikke meg, ikke meg, ikke deg, ikke har bedt, kjenner ikke, gjenkjenner ikke, avvis*, avslå*,
      nekt*, rapporter*, meld fra, avbryt*, kanseller*, annuller*, trekk tilbake, blokker*, sperr*,
      meld deg av, meld meg av, avmeld*, slett*, fjern*, mistenkelig*, logg ut, deaktiver*, forhindr*, forby*,
      ikke tillat, benekt*, stopp*, stans*
    `,
    negates: "ikke, ikkje, nei, aldri, ingen, intet, ingenting, noen andre",
    agrees: "ja",
  },
  quoting: { from: "fra, frå", sent: "sendt" },
  subject: { reply: "sv", invitation: "invitasjon, påminnelse, bekreft*, stadfest*, påminn*, din, ditt" },
  signature: { closings: "med vennlig hilsen, vennlig hilsen, venleg helsing, mvh" },
  dates: {
    untilDay: "til",
    untilTime: "til",
    afternoon: "ettermiddag, kveld",
    deadline: "innen, senest, til og med",
  },
  appointment: {
    when: "når, dato, tid, dag",
    time: "klokken, tid",
    where: "sted, stad, adresse, adressen",
    title: "emne, behandling, tjeneste, teneste, undersøkelse, gjelder",
    word: `
      booking*, booket, reserv*, avtale*, timen, timebestilling*, timeavtale*, legetime*, tannlegetime*
    `,
  },
  money: {
    grandTotal: "å betale, totalbeløp",
    total: "total, totalt, beløp, sum",
    partial: "delsum, rabatt*, mva, frakt*, levering*, depositum, pant",
  },
  order: {
    numberLabel: "ordrenummer, ordrenr, bestillingsnummer",
    word: "ordre, bestilling, ordrebekreftelse, ordren, bestillingen",
    quantity: "antall",
  },
  parcel: {
    numberLabel: `
      sporingsnummer, sendingsnummer, kollinummer, pakkenummer, sporings-id, sporingskode, kolli-id, pakkenr
    `,
    nearNumber: "pakke*, sending*",
    arrivalLabel: `
      forventet levering, leveringsdato, leveres, forventet leveringsdato, forventet ankomst,
      beregnet levering, ankommer
    `,
    word: "pakke*, sendingen, levering*, ordre*, sending*, forsendels*",
    statuses: {
      exception: "kunne ikke leveres, forsinket, forsinkelse, forseinka",
      out_for_delivery: `
        ute for levering, leveres i dag, lastet for utkjøring, ute på levering, hos sjåføren, kommer i dag
      `,
      delivered: "er levert, blitt levert, levert, utlevert, hentet ut",
      in_transit: "på vei, på veg, underveis, på reise",
      shipped: "er sendt, avsendt, sendt, sendt frå, overlevert",
    },
    notYet: "så snart, vil bli, blir, kommer til å",
    carrierLabel: "transportør, fraktselskap, sendes med, leveres av",
  },
  receipt: {
    payment: `
      kvittering*, faktura*, betalingen din, kjøpet ditt, ordrebekreftelse*, betalt, vi har mottatt,
      du har betalt, vi har trukket, er belastet, gaven din, innbetaling*
    `,
    failed: "betalingen mislyktes",
    dateLabel: "betalingsdato, fakturadato, ordredato, dato",
    due: "forfall*",
    methodLabel: "betalingsmåte, betalingsmetode, betalt med",
    cardEnding: "slutter på, som slutter på, som ender på, sluttar på",
    paidWith: "betalt med, via, med kort",
    cash: "kontant*, kort, faktura, avtalegiro, gavekort",
  },
};
