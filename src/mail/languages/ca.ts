import type { Language } from "./language.ts";

/** Catalan. */
export const ca: Language = {
  tag: "ca",
  keyWords: "whole",
  code: {
    strong: `
      codi de verificació, codi de seguretat, codi d'autenticació, codi d’autenticació, codi d'un sol ús,
      codi d’un sol ús, codi d'inici de sessió, codi d'activació, codi de validació, codi de confirmació,
      codi de recollida, codi de la porta, codi d'accés, codi d’accés, codi de restabliment,
      codi de la caixa de claus, codi de registre, codi del cadenat, codi d'identificació, codi del pany,
      codi de dispositiu, codi de convidat, codi de vinculació, codi d'hoste, codi de signatura,
      codi de lliurament, codi temporal
    `,
    weak: "codi, contrasenya, codis, contrasenyes, paraula de pas, combinació",
    hint: "verificació, inicia sessió, autenticació, verificar, confirmar, identificar",
    soft: "compte, targeta",
    number: `
      comanda, rebut, número de client, codi de client, contracte, codi postal, codi de seguiment,
      codi de barres, codi d'error, codi de producte, truca, acabada en, número de contracte, pòlissa,
      sinistre, expedient
    `,
    booking: "codi de reserva",
    meeting: "id de la reunió, codi de la reunió",
    coupon: `
      codi promocional, codi de descompte, descompte, codis promocionals, targeta regal, val de descompte
    `,
    instruction: `
      introdueix*, escriu*, utilitz*, introduïu, introduir, marqueu, tecleja*, prem, premeu, mostreu,
      digues, digueu, digui, posa, poseu, posa-hi, indiqueu, gireu, prémer, necessitaràs, necessitareu
    `,
    device: `
      teclat, pany, cadenat, caixa de claus, porter automàtic, intèrfon, comandament, requadre, coixinet,
      botó verd, armariet, reixa
    `,
    secret: "no el compart*, no el comuni*, amb ningú, a ningú, mai et demana*, mai us demana*",
    requested: `
      has demanat, heu demanat, has sol·licitat, heu sol·licitat, no heu estat, no has estat, ignora aquest,
      ignoreu aquest, podeu ignorar
    `,
    void: `
      codi anterior, codis anteriors, codi antic, ja no és vàlid, ja no serveix, ha caducat, ja no funciona,
      ja no val, ha deixat de, l'anterior, el vell, anul·lat
    `,
    fresh: "codi nou, nou codi, el nou és, a partir d'ara",
    expiry: "vàlid, caduca, serveix fins, és bo",
  },
  sentence: {
    leadsTo: "és",
    ledBy: "és",
    denies: "no és, no són, sense",
    prepositions: "per a",
    units: "segons, minuts, hores, dies, setmanes, mesos, anys, punts",
  },
  link: {
    proves: `
      verificar, verifiqueu, confirmeu, activa, restableix*, restablir, canvia la contrasenya,
      accepta la invitació, accepteu, uneix-te, acceptar, uniu-vos, confirma el, autoritz*, confirmo,
      he estat jo, soc jo, sóc jo, era jo, desbloqueja*
    `,
    signsIn: "inicia sessió, iniciar sessió, inicieu sessió, accedeix, entreu",
    goesOn: "continua, fes clic aquí, feu clic aquí, continueu, obre",
    password: "contrasenya",
    account: "compte, adreça, registre, correu, invitació",
    otherPurpose: `
      privacitat, avís legal, condicions, ajuda, contacta, al navegador, confirma l'assistència, contacte,
      opina, confirmeu l'assistència, més informació, enquesta, confirma la teva assistència, saber-ne més
    `,
    refuses: `
      no he estat jo, no soc jo, no sóc jo, no era jo, si no has estat, no ho reconec, no reconec,
      no he sol·licitat, no ho he demanat, rebutja*, rebutg*, denega*, denúncia, denuncia*, cancel·la*,
      anul·la*, revoca*, bloqueja*, bloqueig, donar-se de baixa, dona't de baixa, donar de baixa, elimina*,
      esborra*, sospitos*, tanca la sessió, impugna*, informa'n, reporta*, retira, retirar, treu-me, impedeix,
      no autoritz*, nega, negar
    `,
    negates: "no he, no ho, no soc, no sóc, no vaig, no és, no era, no em, jo no, una altra persona",
    agrees: "sí",
  },
  quoting: {
    wrote: "va escriure",
    wroteBetween: "missatge de … del dia …",
    originalMessage: "missatge original",
    sent: "enviat, enviat el",
    forwarded: "missatge reenviat",
  },
  subject: {
    invitation: "invitació, recordatori, recordatori*, confirma*",
  },
  signature: {
    closings: "salutacions",
  },
  dates: {
    untilTime: "a les",
    morning: "del matí",
    afternoon: "de la tarda, del vespre, de la nit",
    deadline: "fins al, fins a, abans del",
  },
  appointment: {
    when: "quan, data i hora, dia i hora, data, dia",
    where: "lloc, adreça, ubicació",
    word: "cita, reserva*",
    title: "servei, motiu, tractament, assumpte",
  },
  money: {
    grandTotal: "import total, import a pagar, total de la comanda",
    partial: "descompte, enviament, base imposable",
  },
  order: {
    numberLabel: "número de comanda, número de la comanda, comanda núm., comanda #",
    word: "comanda",
    quantity: "quantitat",
  },
  parcel: {
    numberLabel: `
      número de seguiment, codi de seguiment, número d'enviament, codi d'enviament, localitzador,
      número d'expedició
    `,
    nearNumber: "paquet, enviament",
    arrivalLabel: `
      lliurament previst, data de lliurament, entrega prevista, data prevista, arribarà, data d'entrega
    `,
    word: "paquet, enviament, comanda",
    statuses: {
      exception: "no s'ha pogut lliurar, no s'ha pogut entregar, endarrerit, retard, incidència",
      out_for_delivery: "en repartiment, arriba avui, arribarà avui",
      delivered: "lliurat, lliurada, entregat, entregada",
      in_transit: "en camí, en trànsit, de camí",
      shipped: `
        s'ha enviat, hem enviat, enviat, enviada, expedit, lliurat al transportista,
        hem lliurat el teu paquet a
      `,
    },
    notYet: "s'enviarà, serà, seran, s'entregarà",
    carrierLabel: "transportista, empresa de transport, missatgeria",
  },
  receipt: {
    payment: `
      factura, rebut, pagament rebut, el teu pagament, hem rebut, has pagat, heu pagat, hem cobrat, donació
    `,
    dateLabel: "data de factura, data de pagament, data de càrrec",
    due: "venciment",
    merchantLabel: "venedor",
    methodLabel: "forma de pagament, mètode de pagament",
    cardEnding: "acabada en, que acaba en, acabada amb",
    paidWith: "pagat amb, pagada amb, mitjançant, amb targeta",
    cash: "efectiu, targeta de crèdit, targeta de dèbit, targeta, transferència",
  },
};
