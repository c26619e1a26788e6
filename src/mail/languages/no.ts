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
    weak: "kode, koden, pinkode*, pin-kode*, passord*, kodene",
    hint: "bekreft, bekrefte, stadfest, stadfeste, logg inn, logge inn",
    soft: "konto*, telefon*, mobiln*, kort*, nummer",
    number: `
      ordre*, bestilling*, faktura*, kvittering*, kunden*, avtalen*, saksn*, billett*, sendingsn*, sporing*,
      kolli*, beløp*, landkode*, artikkeln*, feilkode*, kurskode*, statuskode*, strekkode*, qr-kode*
    `,
    booking: "booking*, reservasjon*",
    meeting: "møte-id, møtekode*, møtenummer*, møtepassord*",
    coupon: "rabatt*, gavekort*, kampanjekode*, vervekode*, vennekode*",
    instruction: `
      skriv, skriv inn, tast, tast inn, oppgi, bruk, trykk, legg inn, taster inn, slår inn, skriver inn,
      vis fram, vis frem, angi, les opp, taste inn, inntasting*
    `,
    void: `
      tidligere kode*, gamle kode*, gjelder ikke lenger, lenger gyldig*, gjeld ikkje lenger, erstatter,
      er brukt, ugyldig*, virker ikke lenger, fungerer ikke lenger, gjelder ikke, utløpt
    `,
    fresh: "ny kode, nye kode*",
    expiry: "gjelder i, gjelder til, gjeld i, gjeld til, gyldig*, utløper, én gang, innen",
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
      bekreftelseslenke*, godta, innloggingslenke*, godkjenn*, påloggingslenke*
    `,
    signsIn: "logg inn, logge inn, logg på",
    goesOn: "fortsett, klikk her, åpne, opne",
    password: "passord*",
    account: "konto*, e-post*, adresse*, invitasjon*, medlemskap*",
    otherPurpose: `
      meld deg av, avmeld*, hjelp*, kundeservice, ikke deg, ikke har bedt, bekreft din deltak*, les om,
      se ordre*, kjøp*, bekreft deltak*, innstilling*, se bestilling*, handle*, bekreft oppmøte*,
      nettleser*, se kvittering*, tilbud*
    `,
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
    partial: "delsum, rabatt*, mva, frakt*, levering*",
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
    nearNumber: "pakke*",
    arrivalLabel: `
      forventet levering, leveringsdato, leveres, forventet leveringsdato, forventet ankomst,
      beregnet levering
    `,
    word: "pakke*, sendingen, levering*, ordre*, sending*, forsendels*",
    statuses: {
      exception: "kunne ikke leveres, forsinket, forsinkelse, forseinka",
      out_for_delivery:
        "ute for levering, leveres i dag, lastet for utkjøring, ute på levering, hos sjåføren",
      delivered: "er levert, blitt levert, levert, utlevert",
      in_transit: "på vei, på veg, underveis",
      shipped: "er sendt, avsendt, sendt, sendt frå, overlevert",
    },
    notYet: "så snart, vil bli, blir, kommer til å",
    carrierLabel: "transportør, fraktselskap, sendes med, leveres av",
  },
  receipt: {
    payment: "kvittering*, faktura*, betalingen din, kjøpet ditt, ordrebekreftelse*",
    failed: "betalingen mislyktes",
    dateLabel: "betalingsdato, fakturadato, ordredato, dato",
    due: "forfall*",
    methodLabel: "betalingsmåte, betalingsmetode, betalt med",
    cardEnding: "slutter på",
    paidWith: "betalt med",
    cash: "kontant*, kort, faktura, avtalegiro, gavekort",
  },
};
