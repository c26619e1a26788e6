import type { Language } from "./language.ts";

/** Italian. */
export const it: Language = {
  tag: "it",
  keyWords: "whole",
  code: {
    strong: `
      codice di verifica, codice di sicurezza, codice di autenticazione, codice monouso, codice usa e getta,
      codice di attivazione, codice temporaneo, codice di autorizzazione, password monouso, codice otp,
      codice di convalida, codice di ritiro, codice ritiro, codice di consegna, codice di apertura,
      codice apertura, codice armadietto, codice locker, codice porta, codice della porta,
      codice del cancello, codice di ingresso, codice d'ingresso, pin di ritiro, pin di consegna,
      codice di sblocco, codice di ripristino, codice del garage, codice di registrazione,
      codice della cassetta, codice di identificazione, codice della cassaforte, codice dispositivo,
      codice serratura, codice del dispositivo, codice di entrata, codice di abbinamento, codice ospite
    `,
    confirmation: "codice di conferma",
    passcode: "codice di accesso, codice d'accesso",
    weak: "codice, codici, parola chiave, combinazione",
    hint: `
      verifica, verificare, conferma, confermare, accedere, accedi, accesso, autenticazione, sbloccare,
      entrare
    `,
    soft: "account, conto, telefono, carta, numero",
    number: `
      ordine, numero ordine, numero d'ordine, fattura, numero fattura, ricevuta, biglietto, spedizione,
      tracciamento, codice di tracciamento, numero di conto, numero cliente, codice cliente, riferimento,
      cap, codice postale, codice fiscale, partita iva, p.iva, tel., cellulare, chiama, importo, anno,
      codice errore, codice a barre, che termina con, codice articolo, codice prodotto, codice univoco,
      codice destinatario, codice paese, codice corso, codice sdi, pratica, articolo, numero pratica,
      numero contratto, numero di contratto, contratto, codice utente, codice contratto, numero tessera,
      tessera, matricola, targa, polizza
    `,
    booking: `
      prenotazione, numero di prenotazione, codice prenotazione, codice di prenotazione, volo,
      numero prenotazione
    `,
    meeting: "id riunione, id della riunione, codice riunione, partecipa alla riunione",
    coupon: `
      codice promozionale, codice sconto, sconto, buono, codice promo, codici sconto, codice coupon,
      codice amico
    `,
    instruction: `
      inserisci, inserisca, inserire, digita, digiti, digitare, usa, utilizza, utilizzi, immetti, copia,
      scrivi, riporta, riporti, inserendo, immetta, utilizzare, compila, inseriscilo, digitalo, componi,
      premi, prema, mostra, mostri, comunica, comunichi, dica, dillo, inserirlo, digitarlo, ricopia, ricopi,
      componga, da inserire, ti servirà, le servirà
    `,
    device: `
      tastiera, tastierino, schermo, armadietto, sportello, portone, cancello, citofono, serratura,
      lucchetto, cassetta, cassaforte, sbarra, tornello, telecomando, cancelletto, tasto verde
    `,
    secret: `
      non condivider*, non condivida, non lo condivid*, non comunicar*, non divulg*, con nessuno, a nessuno
    `,
    requested: `
      hai richiesto, ha richiesto, hai chiesto, l'hai chiesto, non sei stato tu, non è stato lei,
      ignora questo, ignori questo
    `,
    void: `
      codice precedente, codici precedenti, vecchio codice, non è più valido, non è più valida,
      non sono più validi, non più valido, sostituisce, sostituito da, è scaduto, è già stato utilizzato,
      è stato utilizzato, è stato usato, non funziona più, non vale più, non è valido, il precedente,
      quello vecchio
    `,
    fresh: "nuovo codice, nuovo pin, ultimo codice, codice più recente, il nuovo è, al suo posto",
    expiry: `
      valido per, valido fino, è valido, valida per, scade, scadrà, una sola volta, una volta sola,
      vale fino, vale per
    `,
  },
  sentence: {
    leadsTo: "è",
    ledBy: "è, per",
    denies: "non, senza",
    fillers: "qui",
    prepositions: "per",
    units: "minuti, secondi, ore, giorni",
  },
  link: {
    proves: `
      verifica, verifica la tua, verifica email, conferma, conferma la tua, conferma il tuo, attiva,
      attiva il tuo, reimposta, reimposta la password, reimpostare, link magico, accetta, unisciti, accettare,
      autorizza, accetto, approva, sono stato io, sono stata io, sono io, ero io, sblocca
    `,
    signsIn: "accedi, accedere, entra",
    goesOn: "continua, qui, inizia, clicca qui, clicca, apri",
    account: "indirizzo, iscrizione, registrazione, invito, abbonamento",
    otherPurpose: `
      aiuto, assistenza, contatti, conferma la presenza, condizioni, acquista, conferma la tua presenza,
      termini, vedi ordine, negozio, conferma presenza, domande frequenti, vedi l'ordine, offerte,
      conferma partecipazione, traccia
    `,
    refuses: `
      non sono stato io, non sono stata io, non sono io, non ero io, non sei stato tu, non sei stata tu,
      non sei tu, non riconosco, non lo riconosco, non ho richiesto, non l'ho richiesto, non hai richiesto,
      non è mio, rifiuta*, nega, negare, respingi, respingere, declina, segnala*, annulla*,
      annulla iscrizione, revoca*, blocca, bloccare, contesta, disiscriv*, cancellati, cancella iscrizione,
      cancella, cancellare, elimina, eliminare, disattiva, sospett*, esci, disconnetti, impedisci, ritira*,
      togli*, toglimi, rimuovi*, non autorizz*, disconosc*, vieta, ripudia, rinuncia, ferma, fermare,
      interrompi, stop
    `,
    negates: "non, niente, nessuno, nulla, qualcun altro",
    agrees: "sì",
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
    invitation: "invito, promemoria, conferm*",
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
    untilDay: "al, a",
    untilTime: "alle",
    morning: "del mattino, di mattina",
    afternoon: "del pomeriggio, di sera",
    deadline: "fino al, entro, entro il",
  },
  appointment: {
    when: "data e ora, appuntamento, inizio, data, giorno",
    time: "ora, ore",
    where: "dove, luogo, sede, indirizzo, presso",
    title: `
      oggetto, evento, tema, prestazione, visita, esame, servizio, trattamento, motivo, lezione, corso
    `,
    word: "appuntament*, prenotazion*, prenotat*",
  },
  money: {
    grandTotal: `
      totale ordine, importo totale, totale pagato, importo pagato, totale fattura, totale da pagare
    `,
    total: "totale, importo",
    partial: "subtotale, sconto, spedizione, imponibile, risparmio, totale parziale, mancia, acconto",
  },
  order: {
    numberLabel: `
      numero ordine, numero d'ordine, n. ordine, ordine n., ordine n°, ordine nr., ordine #,
      numero dell'ordine, codice ordine, ordine numero
    `,
    word: "ordine, ordini",
    quantity: "quantità, q.tà",
  },
  parcel: {
    numberLabel: `
      numero di tracking, codice di tracciamento, numero di tracciamento, numero spedizione,
      codice spedizione, lettera di vettura, numero di spedizione, codice tracking, tracking, tracciatura,
      numero del pacco
    `,
    nearNumber: "pacco, spedizione",
    arrivalLabel: `
      consegna prevista, data di consegna, consegna stimata, arrivo previsto, consegna il, prevista per,
      arriverà, arriva il
    `,
    word: "pacco, spedizione, ordine",
    statuses: {
      exception: `
        non è stato possibile consegnare, tentativo di consegna, consegna non riuscita, in ritardo, ritardo
      `,
      out_for_delivery: "in consegna, arriva oggi, consegna oggi, in consegna oggi, arriverà oggi",
      delivered: "è stato consegnato, è stata consegnata, consegnato, consegnata",
      in_transit: "in transito, è in viaggio, in viaggio",
      shipped: `
        spedito, spedita, è stato spedito, affidato al corriere, affidata al corriere, partito, partita
      `,
    },
    notYet: "verrà spedito, verrà consegnato, sarà spedito, sarà consegnato, appena spedito, verrà, sarà",
    carrierLabel: "corriere, vettore, spedizioniere, spedito con",
  },
  receipt: {
    payment: `
      ricevuta, fattura, pagamento ricevuto, scontrino, il tuo pagamento, pagamento effettuato,
      conferma di pagamento, abbiamo ricevuto, hai pagato, ha pagato, abbiamo addebitato, è stato addebitato,
      donazione, il tuo acquisto
    `,
    failed: "pagamento non riuscito, pagamento rifiutato, preventivo",
    dateLabel: "data fattura, data di pagamento, data pagamento, data acquisto, pagato il",
    due: "scadenza",
    merchantLabel: "esercente, venditore",
    methodLabel: "metodo di pagamento, pagato con, modalità di pagamento",
    cardEnding: "che termina con, che termina in, terminante con, che finisce con, terminante in",
    paidWith: `
      pagato con, pagata con, pagato tramite, pagamento con, addebitato su, addebitato sulla, con la tua,
      tramite, via
    `,
    cash: `
      contanti, in contanti, carta di credito, carta di debito, carta, bonifico, bonifico bancario,
      addebito diretto, contrassegno, alla consegna, carta regalo, buono regalo
    `,
  },
};
