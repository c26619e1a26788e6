import type { Language } from "./language.ts";

/** Italian. */
export const it: Language = {
  tag: "it",
  keyWords: "whole",
  code: {
    strong: `
      codice di verifica, codice di sicurezza, codice di autenticazione, codice monouso, codice usa e getta,
      codice di attivazione, codice temporaneo, codice di autorizzazione, password monouso, codice otp,
      codice di convalida
    `,
    confirmation: "codice di conferma",
    passcode: "codice di accesso, codice d'accesso",
    weak: "codice",
    hint: `
      verifica, verificare, conferma, confermare, accedere, accedi, accesso, autenticazione
    `,
    soft: "account, conto, telefono, carta, numero",
    number: `
      ordine, numero ordine, numero d'ordine, fattura, numero fattura, ricevuta, biglietto, spedizione,
      tracciamento, codice di tracciamento, numero di conto, numero cliente, codice cliente, riferimento,
      cap, codice postale, codice fiscale, partita iva, p.iva, tel., cellulare, chiama, importo, anno,
      codice errore, codice a barre, che termina con, codice articolo, codice prodotto, codice univoco,
      codice destinatario, codice paese, codice corso, codice sdi, pratica, articolo
    `,
    booking: `
      prenotazione, numero di prenotazione, codice prenotazione, codice di prenotazione, volo
    `,
    meeting: "id riunione",
    coupon: "codice promozionale, codice sconto, sconto, buono",
    instruction: `
      inserisci, inserisca, inserire, digita, digiti, digitare, usa, utilizza, utilizzi, immetti, copia,
      scrivi, riporta, riporti, inserendo, immetta, utilizzare, compila
    `,
    purpose: `
      completare, completa, attivare, continuare, autorizzare, autorizza, proseguire, procedere,
      registrazione, entrare, collegare, attivazione, autorizzazione, accesso, associare, firmare, firma
    `,
    digits: "numero seguente, seguente numero, cifre, numeri, questo numero",
  },
  sentence: {
    leadsTo: "è",
    ledBy: "è, per",
    fillers: "qui",
    prepositions: "per",
    units: "minuti, secondi, ore, giorni",
  },
  link: {
    proves: `
      verifica, verifica la tua, verifica email, conferma, conferma la tua, conferma il tuo, attiva,
      attiva il tuo, reimposta, reimposta la password, reimpostare, link magico
    `,
    signsIn: "accedi, accedere",
    goesOn: "continua, inizia, clicca qui",
    account: "indirizzo, iscrizione, registrazione",
    otherPurpose: `
      annulla iscrizione, disiscriviti, cancellati, cancella iscrizione, aiuto, assistenza, contatti
    `,
    provesInPath: "conferma, attiva",
  },
  quoting: {
    wrote: "ha scritto",
    originalMessage: "messaggio originale",
    from: "da",
    sent: "inviato, data",
    foldedStart: "il",
    forwarded: "messaggio inoltrato, inizio messaggio inoltrato",
  },
  subject: {
    reply: "rif",
    forward: "i",
    strippedReply: "rif",
    automatic: "risposta automatica",
    invitation: "invito, promemoria",
  },
  signature: {
    closings: `
      cordiali saluti, distinti saluti, saluti, un saluto, grazie, a presto, cordialmente, un caro saluto
    `,
    footers: ["scarica outlook per .*", "ottieni outlook per .*", "inviato da(?:l mio)? .{1,40}"],
  },
  localParts: {
    unread: "nonrispondere",
  },
  dates: {
    months: [
      "gennaio, gen",
      "febbraio, feb",
      "marzo, mar",
      "aprile, apr",
      "maggio, mag",
      "giugno, giu",
      "luglio, lug",
      "agosto, ago",
      "settembre, set",
      "ottobre, ott",
      "novembre, nov",
      "dicembre, dic",
    ],
    untilDay: "al, a",
    untilTime: "alle",
  },
  appointment: {
    when: "data e ora, appuntamento, inizio",
    time: "ora, ore",
    where: "dove, luogo, sede, indirizzo",
    title: "oggetto, evento, tema",
  },
  money: {
    grandTotal: `
      totale ordine, importo totale, totale pagato, importo pagato, totale fattura, totale da pagare
    `,
    total: "totale, importo",
    partial: "subtotale, sconto, spedizione, imponibile, risparmio, totale parziale",
  },
  order: {
    numberLabel: `
      numero ordine, numero d'ordine, n. ordine, ordine n., ordine n°, ordine nr., ordine #,
      numero dell'ordine, codice ordine, ordine numero
    `,
    word: "ordine",
    beforeNumber: "è",
    quantity: "quantità, q.tà",
  },
  parcel: {
    numberLabel: `
      numero di tracking, codice di tracciamento, numero di tracciamento, numero spedizione,
      codice spedizione, lettera di vettura, numero di spedizione
    `,
    nearNumber: "pacco, spedizione",
    arrivalLabel: "consegna prevista, data di consegna, consegna stimata, arrivo previsto",
    word: "pacco, spedizione, ordine",
    statuses: {
      exception: `
        non è stato possibile consegnare, tentativo di consegna, consegna non riuscita, in ritardo
      `,
      out_for_delivery: "in consegna, arriva oggi, consegna oggi",
      delivered: "è stato consegnato, è stata consegnata, consegnato, consegnata",
      in_transit: "in transito, è in viaggio, in viaggio",
      shipped: "spedito, spedita, è stato spedito",
    },
    notYet: `
      verrà spedito, verrà consegnato, sarà spedito, sarà consegnato, appena spedito
    `,
  },
  receipt: {
    payment: `
      ricevuta, fattura, pagamento ricevuto, scontrino, il tuo pagamento, pagamento effettuato,
      conferma di pagamento
    `,
    failed: "pagamento non riuscito, pagamento rifiutato, preventivo",
    dateLabel: "data fattura, data di pagamento, data pagamento, data acquisto, pagato il",
    due: "scadenza",
    merchantLabel: "esercente, venditore",
    methodLabel: "metodo di pagamento, pagato con, modalità di pagamento",
    cardEnding: "che termina con, che termina in",
  },
};
