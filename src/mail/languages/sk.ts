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
      kód od dverí, kód od brány, kód na bránu, autorizačn*, verifikačný kód*, autentifikačný kód*,
      kód ku dverám, registračný kód*
    `,
    confirmation: "potvrdzovací kód",
    weak: "kód, kódu, kódom, heslo, kódov, heslom, pinom",
    hint: "overte, overiť, overeni*, prihlá*, potvrďte, verifik*",
    soft: "účet, telefón, číslo",
    number: `
      objednáv*, faktúr*, zmluvy, zákazníka, variabilný symbol, vs, číslo zásielky, psč, ičo, tel.,
      čiarový kód, kód chyby, celkom, spolu, kód tovaru, kód banky, qr kód*, číslo zmluvy, číslo účtu,
      špecifický symbol, dič
    `,
    booking: "rezerváci*",
    coupon: `
      zľav*, kupón*, poukaz*, akciový kód*, darčekov*, odporuč*, pri pokladni, v košíku, uplatniť zľav*
    `,
    instruction: `
      zadajte, vložte, použite, zadaj, ťukni*, vpíšte, stlač*, ukáž, povedz*, navoľ*, vytoč*, vlož, použi,
      otoč*, predlož*
    `,
    device: "zámok, zámke, dvierk*, domáci telefón, trezor*, ovládač*, televíz*, políčk*, mriežk*, krížik",
    secret: "nezdieľaj*, neprezrádzaj*, nepreposielaj*, nehovor*, nikdy nepýta*, nikdy nežiada*",
    requested: `
      požiadali ste, na vašu žiadosť, nežiadali, nežiadal, dostali sme žiadosť, ste to neboli,
      neboli ste to, nie ste to vy
    `,
    void: `
      predchádzajúci kód, starý kód, neplatí, neplatný, nahrádza, bol použitý, vypršal*, pôvodný kód*,
      bol už použitý, stratil platnosť, predošlý kód*, nahraden*
    `,
    fresh: "nový kód, zmenený na, aktuálny kód",
    expiry: "platí, platnosť, platný, vyprší, platné, použite do, exspiruje",
    meeting: "id stretnutia, heslo stretnutia, id schôdze",
  },
  sentence: {
    leadsTo: "je, znie",
    ledBy: "je",
    denies: "nie je, nikdy",
    prepositions: "pre, na, k, do",
    units: "sek., sekúnd*, minút*, hod., hodin*, dní, dni, ks",
  },
  link: {
    proves: `
      overiť, overte, potvrdiť, potvrďte, aktivovať, obnoviť heslo, zmeniť heslo, nastaviť heslo,
      prijať pozv*, potvrdíš, obnovenie hesla, overenie adresy, overenie e-mail*, potvrdenie adresy,
      dokončiť registráciu, vytvoriť heslo, to som bol, to som bola, to som ja, odblokovať, odomknúť
    `,
    signsIn: "prihlásiť, prihláste, prihlásenie, vstúpiť",
    goesOn: "pokračovať, kliknite, otvoriť",
    password: "hesl*",
    account: "účet, účtu, e-mail*",
    otherPurpose: `
      osobných údajov, podmienky, zľav*, nastavenia, v prehliadači, potvrdiť termín, stiahnuť, zaplatiť
    `,
    refuses: `
      to som nebol*, nebol som, nebola som, nie som to ja, nespoznávam, nežiadal*, nie je moje, odmietnuť,
      odmietn*, odmietam, zamietn*, nahlásiť, nahlás*, zrušiť, zruš*, storno, odvolať, zablokovať, zablokuj*,
      blokovať, odhlásiť odber, odhlásiť sa z, odhlásenie, odhlásiť, zmazať, odstrániť, podozriv*, zakázať,
      odoprieť, odopr*, vziať späť, popr*, neprihl*, nežiad*, nevykon*, neurob*, nevytv*, neregistr*,
      neschval*, nesúhl*, nepovol*, zabrániť, cudzí prístup
    `,
    negates: "nie, nikdy, nebol, nebola, ne*l, ne*la, nikto, neviem, ničom, nič, nepoznám, niekto iný",
    agrees: "áno",
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
    partial: "medzisúčet, zľava, doprava, dph, záloha",
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
      dátum doručenia, predpokladané doručenie, plánované doručenie, očakávané doručenie, doručenie, dorazí,
      doručíme
    `,
    word: "zásielk*, balík*, objednávk*",
    statuses: {
      exception: "nepodarilo doručiť, meškanie, mešká, oneskor*, nezastihol",
      out_for_delivery: "dnes doručíme, u kuriéra, na rozvoze",
      delivered: "doručený, doručená, doručené, doručili",
      in_transit: "na ceste, je na ceste, mieri k vám",
      shipped: `
        odoslaná, odoslali, odovzdaná kuriérovi, odoslaný, expedov*, odoslané, odovzdali kuriérovi,
        odovzdali kuriér*
      `,
    },
    notYet: "bude, budú",
    carrierLabel: "dopravca, kuriér, prepravca",
  },
  receipt: {
    payment: `
      faktúra, účtenka, doklad, potvrdenie platby, zaplatené, prijali sme, dostali sme, zaplatili ste,
      vašu platbu, platba prijatá, strhli, uhraden*
    `,
    failed: "zamietnutá",
    dateLabel: "dátum platby, dátum vystavenia",
    due: "splatn*",
    methodLabel: "spôsob platby, platba",
    cardEnding: "končiaca, končí na, končiacou na, končiacej na, s koncovkou",
    paidWith: "zaplatené, kartou, cez",
    cash: "hotovosť, kartou, prevodom, dobierka",
    merchantLabel: "predajca",
  },
};
