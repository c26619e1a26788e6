import type { Language } from "./language.ts";

/** French. */
export const fr: Language = {
  tag: "fr",
  keyWords: "whole",
  code: {
    strong: `
      code de vérification, code de verification, code de sécurité, code de securite,
      code d'authentification, code d’authentification, code de connexion, code à usage unique,
      code d'activation, code d’activation, code de validation, code temporaire,
      mot de passe à usage unique, mot de passe temporaire, code unique
    `,
    confirmation: "code de confirmation",
    passcode: "code d'accès, code d’accès, code secret",
    weak: "code, code pin",
    hint: `
      vérifier, vérifiez, vérification, confirmer, confirmez, confirmation, connexion, connecter,
      connectez-vous, authentification, identifier
    `,
    soft: "compte, téléphone, carte, numéro",
    number: `
      commande, numéro de commande, n° de commande, facture, numéro de facture, reçu, billet, suivi,
      numéro de suivi, colis, numéro de compte, numéro client, numéro de client, référence, réf.,
      code postal, code insee, code naf, code ape, tél., tél, appelez le, appelez, montant, année,
      code-barres, code d'erreur, se terminant par, n°, siret, siren, rcs, dossier, code article,
      code client, code produit, code pays, code source, code banque, code guichet, code barres, code cours,
      article, contrat
    `,
    booking: "réservation, numéro de réservation, code de réservation, vol",
    meeting: "id de réunion, réunion",
    coupon: `
      code promo, code promotionnel, code de réduction, réduction, bon de réduction, code avantage
    `,
    instruction: `
      saisissez, saisis, saisir, entrez, entre, entrer, tapez, tape, utilisez, utilise, indiquez,
      renseignez, recopiez, composez, copiez, saisie, renseigner, recopie, indique, taper, introduisez,
      mets, mettez
    `,
    purpose: `
      poursuivre, continuer, activer, finaliser, valider, validez, valide, terminer, accéder, accès,
      inscription, autoriser, approuver, associer, connecter, activation, autorisation, validation, ouvrir
    `,
    digits: "chiffres, numéro suivant, nombre suivant, ces chiffres",
  },
  sentence: {
    leadsTo: "est",
    ledBy: "est, pour",
    denies: "n'est, n’est",
    fillers: "ici, svp",
    prepositions: "de, du, pour, par",
    units: "heure, heures, jour, jours, seconde, secondes",
  },
  link: {
    proves: `
      vérifier, vérifiez votre, vérifier mon, confirmer, confirmez votre, confirmer mon, activer,
      activer mon compte, activez votre, réinitialiser, réinitialisez, réinitialisation, lien magique,
      lien de connexion
    `,
    signsIn: "se connecter, connexion, connectez-vous",
    goesOn: "continuer, commencer, c'est parti, cliquez ici",
    password: "mot de passe",
    account: "compte, adresse, inscription",
    otherPurpose: `
      désabonner, se désabonner, désinscrire, se désinscrire, confidentialité, aide, assistance,
      contactez-nous, voir dans le navigateur
    `,
    provesInPath: "mot-de-passe, mot_de_passe, motdepasse, mdp, confirmer, activer",
  },
  quoting: {
    wrote: "a écrit",
    originalMessage: "message d'origine, message original",
    from: "de",
    sent: "envoyé, date",
    foldedStart: "le",
    forwarded: "message transféré, début du message",
  },
  subject: {
    forward: "tr",
    strippedForward: "tr",
    automatic: "réponse automatique",
    invitation: "invitation, rappel, confirmation de rendez-vous",
  },
  signature: {
    closings: `
      cordialement, bien cordialement, bien à vous, bien à toi, salutations, meilleures salutations,
      sincères salutations, merci, merci d'avance, à bientôt, amicalement, bonne journée, sincèrement
    `,
    footers: [
      "télécharger outlook pour .*",
      "envoyé (?:de|depuis|à partir de) (?:mon |ma |l'application )?.{1,40}",
    ],
  },
  localParts: {
    unread: "nepasrepondre",
  },
  dates: {
    months: [
      "janvier, janv",
      "février, févr, fév",
      "mars",
      "avril, avr",
      "mai",
      "juin",
      "juillet, juil",
      "août, aoû",
      "septembre, sept",
      "octobre, oct",
      "novembre, nov",
      "décembre, déc",
    ],
    ordinals: "er",
    dayToMonth: "d'",
    untilDay: "au",
    untilTime: "à, au",
  },
  appointment: {
    when: "quand, date et heure, rendez-vous, date, début, le rendez-vous, horaire",
    time: "heure, horaire",
    where: "où, lieu, endroit, salle",
    title: "objet, sujet, événement",
  },
  money: {
    grandTotal: `
      total ttc, montant total, total à payer, montant payé, montant réglé, montant débité,
      total de la commande, net à payer
    `,
    total: "montant, total",
    partial: `
      sous-total, sous total, total ht, montant ht, remise, tva, frais de port, économie, livraison
    `,
    including: "dont, compris, inclus",
  },
  order: {
    numberLabel: `
      numéro de commande, numéro de votre commande, n° de commande, nº de commande, commande n°,
      commande nº, commande no, commande #, référence de commande, réf. commande, référence commande
    `,
    word: "commande",
    beforeNumber: "est",
    quantity: "quantité, qté",
  },
  parcel: {
    numberLabel: `
      numéro de suivi, colis n°, colis nº, n° de colis, n° de suivi, nº de suivi, numéro de colis, suivi n°,
      numéro d'expédition
    `,
    beforeNumber: "numéro",
    nearNumber: "colis, suivi",
    arrivalLabel: `
      livraison prévue, livraison estimée, date de livraison, arrivée prévue, sera livré, sera livrée,
      livraison le
    `,
    word: "colis, commande, livraison, envoi",
    statuses: {
      exception: `
        n'a pas pu être livré, échec de livraison, tentative de livraison, est retardé, livraison retardée
      `,
      out_for_delivery: "en cours de livraison, livré aujourd'hui, sera livré aujourd'hui",
      delivered: "a été livré, a été livrée, est livré, livré, livrée, bien été remis",
      in_transit: "en transit, en route, en chemin, en cours d'acheminement, acheminement",
      shipped: "expédié, expédiée, envoyé, a été remise à, a été remis à",
    },
    notYet: "dès que, sera livré, sera livrée, sera expédié, sera expédiée",
  },
  receipt: {
    payment: `
      facture, reçu, paiement reçu, paiement effectué, votre paiement, quittance, ticket de caisse,
      justificatif
    `,
    failed: "paiement refusé, échec du paiement, paiement a échoué, devis",
    dateLabel: `
      date de facture, date de paiement, date de la facture, date d'achat, payé le, date du paiement,
      facture du, réglé le, émise le
    `,
    due: "échéance, prochain",
    merchantLabel: "commerçant, vendeur, bénéficiaire",
    methodLabel: `
      mode de paiement, moyen de paiement, payé par, payé avec, réglé par, paiement par
    `,
    cardEnding: "se terminant par, finissant par",
  },
  organisation: {
    roles: "commandes, service client",
    via: "par",
  },
};
