import type { Language } from "./language.ts";

/** French. */
export const fr: Language = {
  tag: "fr",
  keyWords: "whole",
  code: {
    strong: `
      code de vérification, code de sécurité, code d'authentification, code d’authentification,
      code de connexion, code à usage unique, code d'activation, code d’activation, code de validation,
      code temporaire, mot de passe à usage unique, mot de passe temporaire, code unique, code de retrait,
      code de livraison, code du casier, code casier, code de consigne, code d'ouverture, code d’ouverture,
      code de la porte, code porte, code d'entrée, code d’entrée, code portail, code digicode, digicode,
      pin de retrait, code de récupération de colis, code de réinitialisation, code boîte à clés,
      code d'identification, code de la serrure, code d'inscription, code de la grille,
      code d'enregistrement, code du coffre, code sms, code de l'immeuble, code reçu, code immeuble
    `,
    confirmation: "code de confirmation",
    passcode: "code d'accès, code d’accès, code secret",
    weak: "code, code pin, mot de passe, code numérique, combinaison",
    hint: `
      vérifier, vérifiez, vérification, confirmer, confirmez, confirmation, connexion, connecter,
      connectez-vous, authentification, identifier, vous connecter
    `,
    soft: "compte, téléphone, carte, numéro",
    number: `
      commande, numéro de commande, n° de commande, facture, numéro de facture, reçu, billet, suivi,
      numéro de suivi, colis, numéro de compte, numéro client, numéro de client, référence, réf.,
      code postal, code insee, code naf, code ape, tél., tél, appelez le, appelez, montant, année,
      code-barres, code d'erreur, se terminant par, n°, siret, siren, rcs, dossier, code article,
      code client, code produit, code pays, code source, code banque, code guichet, code barres, code cours,
      article, contrat, n° client, n° de client, numéro de contrat, n° de contrat, numéro de dossier,
      numéro d'adhérent
    `,
    booking: `
      réservation, numéro de réservation, code de réservation, vol, référence de réservation, dossier voyage
    `,
    meeting: "id de réunion, réunion, nip de conférence, numéro de conférence, code de conférence",
    coupon: `
      code promo, code promotionnel, code de réduction, réduction, bon de réduction, code avantage,
      code de parrainage, code parrainage, parrainage, code parrain
    `,
    instruction: `
      saisissez, saisis, saisir, entrez, entre, entrer, tapez, tape, utilisez, utilise, indiquez,
      renseignez, recopiez, composez, copiez, saisie, renseigner, recopie, indique, taper, introduisez,
      mets, mettez, présentez, montrez, dites, dictez, donnez ce, communiquez ce, inscrivez, introduire,
      introduis, composer, compose, tapant, rentrez, tournez, donnez-lui, énoncez, dis-lui, aurez besoin
    `,
    device: `
      clavier, écran, borne, casier, consigne, porte, portillon, barrière, interphone, serrure, cadenas,
      coffre, boîte à clés, télécommande, télé, champ, touche dièse
    `,
    secret: `
      ne le communiquez, ne communiquez, ne partagez, ne le partagez, à personne, jamais demander,
      demandera jamais
    `,
    requested: `
      avez demandé, as demandé, pas demandé, pas à l'origine, n'était pas vous, pas toi, ignorez ce,
      ignore ce
    `,
    void: `
      code précédent, codes précédents, ancien code, anciens codes, n'est plus valable, n’est plus valable,
      n'est plus valide, n’est plus valide, ne sont plus valables, plus valide, remplace, remplacé par,
      a expiré, a été utilisé, a déjà été utilisé, annule et remplace, ne fonctionne plus, ne marche plus,
      est plus bon, l'ancien, annulé, ne sert plus
    `,
    fresh: "nouveau code, nouveau pin, dernier code, code le plus récent, le nouveau est, à la place",
    expiry: `
      valable, est valable, valide pendant, valide jusqu, est valide, expire, expirera, une seule fois,
      usage unique, valables
    `,
  },
  sentence: {
    leadsTo: "est",
    ledBy: "est, pour",
    denies: "n'est, n’est, pas, sans, jamais, aucun",
    fillers: "ici, svp",
    prepositions: "de, du, pour, par",
    units: "heure, heures, jour, jours, seconde, secondes",
  },
  link: {
    proves: `
      vérifier, vérifiez votre, vérifier mon, confirmer, confirmez votre, confirmer mon, activer,
      activer mon compte, activez votre, réinitialiser, réinitialisez, réinitialisation, lien magique,
      lien de connexion, accepter, rejoignez, je confirme, autoriser, je valide, approuver, définir,
      c'est moi, c'était moi, c'était bien moi, c'est bien moi, débloquer, déverrouiller
    `,
    signsIn: "se connecter, connexion, connectez-vous, me connecter, ouvrir une session",
    goesOn: "continuer, commencer, c'est parti, cliquez ici, cliquez, ici",
    password: "mot de passe",
    account: "compte, adresse, inscription, courriel, abonnement",
    otherPurpose: `
      confidentialité, aide, assistance, contactez-nous, voir dans le navigateur, confirmer ma présence,
      mentions légales, boutique, confirmez votre présence, conditions, voir ma commande, profiter,
      confirmer votre présence, vie privée, voir la commande, j'en profite, suivre mon colis, en savoir plus
    `,
    refuses: `
      ce n'était pas moi, ce n'est pas moi, n'est pas moi, n'était pas moi, pas moi, pas vous, n'étiez pas,
      n'avez pas demandé, pas demandé, pas à l'origine, ne reconnais, refuser, refusez, refuse, refus,
      rejeter, rejetez, décliner, signaler, signalez, signalement, annuler, annulez, annulation, révoquer,
      révoquez, bloquer, bloquez, contester, désabonner, se désabonner, désinscrire, se désinscrire,
      désinscription, désabonnement, supprimer, désactiver, verrouiller, suspect*, se déconnecter,
      déconnecter, interdire, m'opposer, s'opposer, empêcher, retirer ma demande, désavouer, ne plus recevoir,
      ne pas autoriser, ne pas confirmer, retirer, abandonner, dénoncer, me retirer, arrêter, stopper,
      refuser l'accès
    `,
    negates: `
      non, jamais, n'est, n'était, n'ai, n'étais, n'étiez, aucun, rien, personne, aucune, quelqu'un d'autre
    `,
    agrees: "oui",
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
    invitation: "invitation, rappel, confirmation de rendez-vous, rappel*, confirm*, votre",
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
    ordinals: "er",
    dayToMonth: "d'",
    untilDay: "au",
    untilTime: "à, au",
    morning: "du matin",
    afternoon: "de l'après-midi, du soir",
    deadline: "jusqu'au, avant le, au plus tard le",
  },
  appointment: {
    when: "quand, date et heure, rendez-vous, date, début, le rendez-vous, horaire, jour",
    time: "heure, horaire",
    where: "où, lieu, endroit, salle, adresse",
    title: `
      objet, sujet, événement, prestation, soin, motif, examen, motif de consultation, cours, séance
    `,
    word: "rendez-vous, rdv, réserv*",
  },
  money: {
    grandTotal: `
      total ttc, montant total, total à payer, montant payé, montant réglé, montant débité,
      total de la commande, net à payer
    `,
    total: "montant, total",
    partial: `
      sous-total, sous total, total ht, montant ht, remise, tva, frais de port, économie, livraison,
      pourboire, acompte
    `,
  },
  order: {
    numberLabel: `
      numéro de commande, numéro de votre commande, n° de commande, nº de commande, commande n°,
      commande nº, commande no, commande #, référence de commande, réf. commande, référence commande
    `,
    word: "commande",
    quantity: "quantité, qté",
  },
  parcel: {
    numberLabel: `
      numéro de suivi, colis n°, colis nº, n° de colis, n° de suivi, nº de suivi, numéro de colis, suivi n°,
      numéro d'expédition, code de suivi, suivi
    `,
    beforeNumber: "numéro",
    nearNumber: "colis, suivi",
    arrivalLabel: `
      livraison prévue, livraison estimée, date de livraison, arrivée prévue, sera livré, sera livrée,
      livraison le, livraison estimée au, prévue le, date estimée, arrivera, arrive le
    `,
    word: "colis, commande, livraison, envoi",
    statuses: {
      exception: `
        n'a pas pu être livré, échec de livraison, tentative de livraison, est retardé, livraison retardée,
        retardé, retard de livraison
      `,
      out_for_delivery: `
        en cours de livraison, livré aujourd'hui, sera livré aujourd'hui, arrive aujourd'hui
      `,
      delivered: "a été livré, a été livrée, est livré, livré, livrée, bien été remis, déposé dans votre",
      in_transit: "en transit, en route, en chemin, en cours d'acheminement, acheminement",
      shipped: `
        expédié, expédiée, envoyé, a été remise à, a été remis à, remis au transporteur, confié à, confiée à
      `,
    },
    notYet: "dès que, sera livré, sera livrée, sera expédié, sera expédiée, sera, seront, va être",
    carrierLabel: "transporteur, livreur, expédié par, livré par",
  },
  receipt: {
    payment: `
      facture, reçu, paiement reçu, paiement effectué, votre paiement, quittance, ticket de caisse,
      justificatif, avons débité, avons reçu, avez payé, vous avez réglé, a été débité, a été prélevé,
      votre don, votre achat, encaissé
    `,
    failed: "paiement refusé, échec du paiement, paiement a échoué, devis",
    dateLabel: `
      date de facture, date de paiement, date de la facture, date d'achat, payé le, date du paiement,
      facture du, réglé le, émise le
    `,
    due: "échéance, prochain",
    merchantLabel: "commerçant, vendeur, bénéficiaire",
    methodLabel: "mode de paiement, moyen de paiement, payé par, payé avec, réglé par, paiement par",
    cardEnding: "se terminant par, finissant par, terminant par, se termine par, terminée par",
    paidWith: `
      payé avec, payée avec, payé par, réglé par, réglé avec, payé via, débité sur, débité de, avec votre,
      via, par carte
    `,
    cash: `
      espèces, en espèces, carte bancaire, carte de crédit, carte de débit, carte bleue, cb, virement,
      virement bancaire, prélèvement, prélèvement automatique, chèque, carte cadeau, contre remboursement
    `,
  },
  organisation: {
    roles: "commandes, service client",
    via: "par",
  },
};
