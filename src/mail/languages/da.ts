import type { Language } from "./language.ts";

/** Danish. */
export const da: Language = {
  tag: "da",
  keyWords: "whole",
  code: {
    strong: `
      verifikationskode*, verificeringskode*, sikkerhedskode*, loginkode*, login-kode*, engangskode*,
      engangsadgangskode*, godkendelseskode*, aktiveringskode*, registreringskode*, nulstillingskode*,
      sms-kode*, hentekode*, afhentningskode*, udleveringskode*, leveringskode*, skabskode*, dørkode*,
      portkode*, parkeringskode*, kontrolkode*, garagekode*, identifikationskode*, nøglebokskode*,
      enhedskode*, indgangskode*, parringskode*, gæstekode*, tilknytningskode*, check-in-kode*,
      midlertidig kode
    `,
    confirmation: "bekræftelseskode*",
    weak: "kode, koden, pinkode*, pin-kode*, adgangskode*, koderne, kodeord*, cifrene",
    hint: "bekræft, bekræfte, log ind, logge ind, låse op",
    soft: "konto*, telefon*, mobiln*, kort*, nummer",
    number: `
      ordre*, bestilling*, faktura*, kvittering*, kunden*, aftalen*, sagsn*, billet*, forsendelse*, pakken*,
      sporing*, postnummer*, beløb*, tlf, landekode*, varekode*, varenummer*, kildekode*, fejlkode*,
      skolekode*, klassekode*, målernummer*, journalnummer*, medlemsn*
    `,
    booking: "booking*, reservation*",
    meeting: "møde-id, mødekode*, mødenummer*",
    coupon: "rabat*, gavekort*, kampagnekode*, tilbudskode*, voucherkode*",
    instruction: `
      indtast, indtaste, tast, skriv, brug, angiv, tast ind, tryk, trykker, taster, indtaster, indtastning*,
      fremvis, oplys, opgiv, nævn, vis koden, du skal bruge, drej, stil den på, læs op
    `,
    device: `
      tastatur*, skærmen, skabet, pakkeboks*, hoveddør*, døren, lågen, porten, bommen, dørtelefon*,
      nøgleboks*, hængelås*, fjernbetjening*, fjernsyn*, feltet, firkant*, automaten
    `,
    secret: "del ikke, del aldrig, ikke videre, giv aldrig, aldrig bede, til nogen, med nogen",
    requested: `
      har bedt om, du bad om, du anmodede, ikke bedt om, ikke anmodet, ikke dig der, var det ikke dig,
      se bort fra, ignorer
    `,
    void: `
      tidligere kode*, gamle kode*, gælder ikke længere, længere gyldig*, erstatter, er brugt, ugyldig*,
      virker ikke længere, virker ikke mere, gælder ikke mere, den gamle, den forrige, længere bruges
    `,
    fresh: "ny kode, nye kode*, den nye er",
    expiry: "gælder i, gælder til, gyldig*, udløber, én gang, inden for, virker til, gælder kun",
  },
  sentence: {
    leadsTo: "er",
    ledBy: "er, som",
    denies: "ikke, intet, uden",
    units: "minut*, point, kroner, kr, stk",
  },
  link: {
    proves: `
      bekræft, bekræfte, verificer*, aktiver*, nulstil*, accepter invitation*, bekræftelseslink*, godkend*,
      verifikationslink*, tillad*, det var mig, vælg adgangskode, det er mig, fjern blokering, lås op
    `,
    signsIn: "log ind, logge ind, log på",
    goesOn: "fortsæt, her, klik her, åbn, tryk her",
    password: "adgangskode*, kodeord*",
    account: "konto*, e-mail*, adresse*, invitation*, medlemskab*",
    otherPurpose: `
      hjælp*, kundeservice, bekræft din deltagelse, spørgsmål og svar, tilmeld dig, bekræft deltagelse*,
      ofte stillede spørgsmål, vis faktura*, køb*, bekræft din tid, læs mere, spor din, spor pakk*
    `,
    refuses: `
      det var ikke mig, ikke mig, ikke dig, ikke har bedt, genkender ikke, afvis*, afslå*, nægt*,
      anmeld misbrug, rapporter*, indberet*, annuller*, fortryd, tilbagekald*, bloker*, spær*, afmeld*,
      frameld*, slet, slet min, fjern, mistænkelig*, log ud, deaktiver*, træk tilbage, forhindr*, forbyd*,
      tillad ikke, ukendt person, benægt*, stop*, stands*
    `,
    negates: "ikke, nej, aldrig, ingen, intet, ingenting, en anden",
    agrees: "ja",
  },
  quoting: { from: "fra", sent: "sendt" },
  subject: {
    reply: "sv",
    strippedReply: "sv",
    invitation: "invitation, påmindelse, bekræft*, påmind*, din, dit",
  },
  signature: { closings: "med venlig hilsen, venlig hilsen, mvh" },
  dates: {
    untilDay: "til",
    untilTime: "til",
    afternoon: "eftermiddag, om eftermiddagen, om aftenen",
    deadline: "inden, senest, til og med",
  },
  appointment: {
    when: "hvornår, dato, tid, dag",
    time: "klokken, tid",
    where: "sted, adresse, lokation, adressen",
    title: "emne, aftale, behandling, ydelse, undersøgelse",
    word: "tid, tiden, booking*, booket, reserv*, aftale*",
  },
  money: {
    grandTotal: "i alt, at betale, samlet beløb, totalbeløb",
    total: "total, beløb",
    partial: "subtotal, rabat*, moms, fragt*, levering*, drikkepenge, depositum, pant",
  },
  order: {
    numberLabel: "ordrenummer, ordrenr, ordrenr., bestillingsnummer",
    word: "ordre, bestilling, ordrebekræftelse, ordren, bestillingen",
    quantity: "antal",
  },
  parcel: {
    numberLabel: `
      pakkenummer, sporingsnummer, forsendelsesnummer, trackingnummer, track and trace, track & trace,
      kollinummer
    `,
    nearNumber: "pakke*, forsendelse*",
    arrivalLabel: `
      forventet levering, leveringsdato, leveres, forventet leveringsdato, forventes leveret,
      forventet ankomst, ankommer
    `,
    word: "pakke*, forsendelse*, levering*, ordre*",
    statuses: {
      exception: "kunne ikke leveres, forsinket, forsinkelse",
      out_for_delivery: "ude til levering, leveres i dag, på vej til dig i dag, med chaufføren, kommer i dag",
      delivered: "er leveret, blevet leveret, leveret, udleveret",
      in_transit: "på vej, undervejs",
      shipped: "er sendt, afsendt, sendt, overdraget til",
    },
    notYet: "så snart, vil blive, bliver",
    carrierLabel: "fragtfirma, transportør, fragtmand, sendes med, leveres af",
  },
  receipt: {
    payment: `
      kvittering*, faktura*, din betaling, dit køb, ordrebekræftelse*, betalt, vi har modtaget, du har betalt,
      vi har trukket, er trukket, dit bidrag, din indbetaling, din donation
    `,
    failed: "betalingen mislykkedes, blev afvist",
    dateLabel: "betalingsdato, fakturadato, ordredato, dato",
    due: "forfald*",
    methodLabel: "betalingsmetode, betalingsmåde, betalt med",
    cardEnding: "ender på, slutter på, som ender på, slutcifre",
    paidWith: "betalt med, via, betalt via",
    cash: "kontant*, kort, dankort, faktura, gavekort",
  },
};
