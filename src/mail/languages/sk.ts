import type { Language } from "./language.ts";

/** Slovak. */
export const sk: Language = {
  tag: "sk",
  keyWords: "whole",
  code: {
    strong: `
      overovac*, jednorazov*, bezpečnostný kód*, prihlasovací kód*, prístupový kód*, aktivačný kód*,
      sms kód*, kód na vyzdvihnutie, kód na vyzdvihnutie objednávky, výdajný kód*, heslo na výdaj,
      pin na vyzdvihnutie, pin na prevzatie, kód na výdaj, kód na prevzatie, kód na otvorenie, vstupný kód*,
      kód od dverí, kód od brány, kód na bránu, autorizačn*
    `,
    confirmation: "potvrdzovací kód",
    weak: "kód, kódu, kódom, heslo, kódov, heslom, pinom",
    hint: "overte, overiť, overeni*, prihlá*, potvrďte",
    soft: "účet, telefón, číslo",
    number: `
      objednáv*, faktúr*, zmluvy, zákazníka, variabilný symbol, vs, číslo zásielky, psč, ičo, tel.,
      čiarový kód, kód chyby, celkom, spolu, kód tovaru, kód banky, qr kód*, číslo zmluvy, číslo účtu
    `,
    booking: "rezerváci*",
    coupon: `
      zľav*, kupón*, poukaz*, akciový kód*, darčekov*, odporuč*, pri pokladni, v košíku, uplatniť zľav*
    `,
    instruction: "zadajte, vložte, použite, zadaj, ťukni*, vpíšte, stlač*, ukáž, povedz*, navoľ*, vytoč*",
    void: `
      predchádzajúci kód, starý kód, neplatí, neplatný, nahrádza, bol použitý, vypršal*, pôvodný kód*,
      bol už použitý, stratil platnosť
    `,
    fresh: "nový kód",
    expiry: "platí, platnosť, platný, vyprší",
    meeting: "id stretnutia, heslo stretnutia, id schôdze",
  },
  sentence: {
    leadsTo: "je, znie",
    ledBy: "je",
    denies: "nie je",
    prepositions: "pre, na, k, do",
    units: "sek*, minút*, hod*, dní, dni, ks",
  },
  link: {
    proves: `
      overiť, overte, potvrdiť, potvrďte, aktivovať, obnoviť heslo, zmeniť heslo, nastaviť heslo,
      prijať pozv*, potvrdíš, obnovenie hesla, overenie adresy, overenie e-mail*, potvrdenie adresy
    `,
    signsIn: "prihlásiť, prihláste, prihlásenie, vstúpiť",
    goesOn: "pokračovať, kliknite, otvoriť",
    password: "hesl*",
    account: "účet, účtu, e-mail*",
    otherPurpose: `
      odhlásiť odber, osobných údajov, podmienky, nežiadal*, zľav*, odhlásenie, odhlásiť sa z,
      to som nebol*, nastavenia, v prehliadači, potvrdiť termín
    `,
    provesInPath: "overenie",
  },
  quoting: {
    wrote: "napísal, napísala, napísal(a)",
    from: "od",
    sent: "odoslané, dátum",
    foldedStart: "dňa",
    forwarded: "preposlaná správa",
  },
  subject: {
    invitation: "potvrd*, pripom*",
  },
  signature: {
    closings: "s pozdravom, ďakujem",
  },
  dates: {
    oClock: "hod., hod",
    untilTime: "do, až",
    morning: "ráno, dopoludnia",
    afternoon: "popoludní, večer",
    deadline: "do, najneskôr, pred",
  },
  appointment: {
    when: "kedy, termín, dátum, deň",
    time: "čas",
    where: "kde, miesto, adresa, adrese",
    word: "termín*, rezerv*, návštev*, stretnuti*",
    title: "úkon, služba, vyšetrenie, ošetrenie, predmet",
  },
  money: {
    grandTotal: "na úhradu, k úhrade, celková cena, celková suma, zaplatené",
    total: "spolu, celkom",
    partial: "medzisúčet, zľava, doprava, dph",
  },
  order: {
    numberLabel: "číslo objednávky, objednávka č., objednávky č.",
    word: "objednávk*",
    quantity: "množstvo, ks",
  },
  parcel: {
    numberLabel: "číslo zásielky, sledovacie číslo, číslo balíka, podacie číslo",
    nearNumber: "zásielk*, balík*",
    arrivalLabel: `
      dátum doručenia, predpokladané doručenie, plánované doručenie, očakávané doručenie, doručenie
    `,
    word: "zásielk*, balík*, objednávk*",
    statuses: {
      exception: "nepodarilo doručiť, meškanie, mešká, oneskor*",
      out_for_delivery: "dnes doručíme, u kuriéra, na rozvoze",
      delivered: "doručený, doručená, doručené, doručili",
      in_transit: "na ceste, je na ceste",
      shipped: "odoslaná, odoslali, odovzdaná kuriérovi, odoslaný, expedov*, odoslané",
    },
    notYet: "bude, budú",
    carrierLabel: "dopravca, kuriér, prepravca",
  },
  receipt: {
    payment: "faktúra, účtenka, doklad, potvrdenie platby, zaplatené",
    failed: "zamietnutá",
    dateLabel: "dátum platby, dátum vystavenia",
    due: "splatn*",
    methodLabel: "spôsob platby, platba",
    cardEnding: "končiaca",
    paidWith: "zaplatené, kartou",
    cash: "hotovosť, kartou, prevodom, dobierka",
  },
};
