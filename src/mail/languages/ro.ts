import type { Language } from "./language.ts";

/** Romanian. */
export const ro: Language = {
  tag: "ro",
  keyWords: "whole",
  code: {
    strong: `
      cod de verificare, codul de verificare, codul tău de verificare, codul dvs. de verificare,
      cod de securitate, codul de securitate, cod de autentificare, codul de autentificare,
      codul de confirmare, cod unic, codul unic, codul de activare, parola unică, codul de ridicare,
      codul de deschidere, codul de acces, cod de confirmare, codul lockerului, cod de validare,
      codul sertarului, codul de validare, codul ușii, cod de activare, codul porții, codul de resetare,
      codul barierei, cod de resetare, codul garajului, cod de ridicare, cod de acces
    `,
    weak: "codul, codului, cod pin, parola, cod, coduri, codurile, combinația",
    hint: "verificar*, verifică, confirmare, confirmă, autentific*",
    soft: "contul",
    number: `
      codului de client, codul de client,
      comanda, comenzii, factur*, cod client, contractul*, cod poștal, cod fiscal, c.u.i., cod produs,
      cod de eroare, cod de bare, cnp, suma, cod de client, codul client, număr client, număr contract,
      număr de contract, nr. contract, codul poștal
    `,
    booking: "rezervar*, zbor*, bilet*",
    meeting: "id întâlnire, codul întâlnirii, parola întâlnirii",
    coupon: `
      cod de reducere, cod promoțional, reducere, codul de reducere, codul promoțional, coduri de reducere
    `,
    instruction: `
      introdu, introduceți, folosi*, tastează, tastați, scrie, scrieți, apasă, apăsați, arată, arătați,
      spune, spuneți, dictează, tastezi, introduci, formează, formați, rotiți, citește-i, spune-i,
      ai nevoie de, aveți nevoie de
    `,
    device: `
      ecranul*, easybox*, sertar*, poart*, barier*, turnichet*, interfon*, lacăt*, seif*, cutia cu chei,
      yala, telecomand*, televizor*, câmpul, căsuța, tasta diez
    `,
    secret: `
      nu îl comunica*, nu comunica, nu comunicați, nu îl da, nimănui, cu nimeni, nu vă vom cere,
      nu cerem niciodată
    `,
    requested: `
      ați solicitat, ai solicitat, ai cerut, ați cerut, nu ați inițiat, nu ați fost, nu ai fost tu,
      ignorați, ignoră
    `,
    void: `
      codul anterior, codurile anterioare, codul vechi, nu mai este valabil, nu mai sunt valabile,
      a expirat, nu mai funcționează, nu mai merge, nu mai e valabil, cel vechi, cel anterior, anulat
    `,
    fresh: "noul cod, cod nou, un nou cod, cel nou este",
    expiry: "valabil, expiră, valabilă",
  },
  sentence: {
    leadsTo: "este",
    ledBy: "este",
    denies: "nu este, nu e, nu sunt, fără",
    prepositions: "pentru, la",
    units: "de secunde, secunde, de minute, ore, de ore, zile, luni, ani, puncte, persoane, buc",
  },
  link: {
    proves: `
      verifică, verificați, confirmă, confirmați, activează, activați, resetează parola, resetare parolă,
      schimbă parola, acceptă invitația, acceptă, aprobați, acceptați, autorizează, confirmare, permite,
      setează parola, am fost eu, eu am fost, sunt eu, deblochează, deblocare, aprobă, aprob*
    `,
    signsIn: "conectare, autentifică*",
    goesOn: "continuă, aici, continuați, deschide",
    password: "parola, parolei",
    account: "contul, adresa, cont, contului",
    otherPurpose: `
      confidențialitate, termeni, ajutor, în browser, dacă nu, confirmă participarea, citește*, vezi comanda,
      cumpără*, confirmă prezența, mai multe, vezi factura, magazin*, confirmați prezența, detalii
    `,
    refuses: `
      nu am fost eu, nu eu, nu sunt eu, nu ai fost tu, nu ați fost, nu recunosc, nu am solicitat, nu am cerut,
      n-am fost, n-am cerut, nu e al meu, refuz*, resping*, raporteaz*, raportați, raport, semnaleaz*,
      semnalați, anulea*, anula*, revoc*, blocheaz*, blocați, blocare, contest*, dezabon*, dezactiv*, șterge*,
      elimin*, suspect*, deconect*, renunț*, interzi*, retrag*, împiedic*, nu permite, nu autoriz*, neag*,
      oprește*, opriți, întrerup*
    `,
    negates: `
      niciodată, nici, nu am, nu eu, nu sunt, nu este, nu e, nu a, nu recunosc, nimic, nimeni, altcineva
    `,
    agrees: "da",
  },
  quoting: {
    wrote: "a scris",
    originalMessage: "mesaj original",
    from: "de la",
    sent: "trimis, data",
    foldedStart: "în",
  },
  subject: {
    invitation: "invitație, confirm*, reamint*, memento",
  },
  signature: {
    closings: "cu stimă",
  },
  dates: {
    untilTime: "până la",
    morning: "dimineața",
    afternoon: "după-amiaza, seara",
    deadline: "până, până pe, până la, până în data de",
  },
  appointment: {
    when: "când, data și ora, programare, data, ziua",
    time: "ora",
    where: "unde, locația, adresa, adresă, loc, locul, sediul",
    word: "programar*, programări*, rezerv*",
    title: "serviciu, serviciul, procedură, consultație, subiect",
  },
  money: {
    grandTotal: "total de plată, suma totală, total comandă, total achitat, total încasat",
    total: "suma",
    partial: "tva, reducere, transport",
    currencies: { RON: "lei" },
  },
  order: {
    numberLabel: "număr comandă, numărul comenzii, nr. comandă, comanda #",
    word: "comanda, comandă, comenzii, comenzi, comenzile",
    quantity: "cantitate",
  },
  parcel: {
    numberLabel: "număr awb, cod de urmărire, awb, număr de urmărire, cod awb, număr colet",
    nearNumber: "colet*, livrare",
    arrivalLabel: "livrare estimată, data livrării, data estimată, estimare livrare, livrarea, ajunge",
    word: "colet*, comanda, livrare",
    statuses: {
      exception: "nu a putut fi livrat*, întârzi*, întârzie*, nu am putut livra, nu s-a putut livra",
      out_for_delivery: "în curs de livrare, la curier, în livrare, la livrare, ajunge astăzi, ajunge azi",
      delivered: "livrat, livrată, a fost livrat*",
      in_transit: "pe drum, în tranzit, este pe drum",
      shipped: "expediat*, predat curierului, trimis, a fost trimis*, am expediat, predat către",
    },
    notYet: "va fi livrat*, va fi, vor fi, va",
    carrierLabel: "curier, firma de curierat, transportator, curierat",
  },
  receipt: {
    payment: `
      factura, factură, chitanță, bon fiscal, plata, încasat, ați plătit, am primit, am încasat,
      plata dumneavoastră, plata ta, ai plătit, am debitat, donați*, chitanța, achitat
    `,
    dateLabel: "data plății, data facturii",
    due: "scadent*, scadență",
    methodLabel: "metoda de plată",
    cardEnding: "terminat în, se termină în, se termină cu, terminată în",
    paidWith: "plătit cu, achitat cu, prin, plătită cu",
    cash: "numerar, ramburs, card bancar, transfer bancar",
  },
};
