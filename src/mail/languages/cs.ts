import type { Language } from "./language.ts";

/** Czech. */
export const cs: Language = {
  tag: "cs",
  keyWords: "whole",
  code: {
    strong: `
      ověřovac*, jednorázov*, bezpečnostní kód*, přihlašovací kód*, přístupový kód*, aktivační kód*,
      vstupní kód*, sms kód*, kód pro vyzvednutí, kód pro vyzvednutí objednávky, výdejní kód*,
      heslo pro výdej, pin pro vyzvednutí, kód pro výdej, kód k vyzvednutí, kód pro otevření, autorizační*
    `,
    confirmation: "potvrzovací kód",
    weak: "kód, kódu, kódem, heslo, hesla, heslem",
    hint: "ověř*, přihlá*, potvrďte",
    soft: "účet, telefon, číslo",
    number: `
      objednáv*, faktur*, smlouvy, zákazníka, variabilní symbol, vs, číslo zásilky, psč, ičo, tel.,
      čárový kód, kód chyby, celkem, zdrojový kód, chybový kód, kód zboží
    `,
    booking: "rezervac*",
    coupon: "slev*, kupón*, poukaz*, promokód*, dárkov*, akční kód*, voucher*",
    instruction: `
      zadejte, vložte, použijte, ukažte, zadej, zadat, zadáte, zadáš, zadáním, vyťuk*, naťuk*, ťukn*,
      napište, vepište, vepiš, napiš
    `,
    void: `
      předchozí kód*, starý kód, neplatí, neplatný, nahrazuje, byl použit, vypršel*, zrušen*, původní kód*,
      expiroval*, nefunguje, starý pin, zneplatněn*, pozbyl*
    `,
    fresh: "nový kód*, nové heslo, nový pin",
    expiry: "platí, platnost, vyprší",
    meeting: "id schůzky",
  },
  sentence: {
    leadsTo: "je, zní",
    ledBy: "je",
    denies: "není, nikdy, ne, nejsou",
    prepositions: "pro, k, do",
    units: "sekund*, minut*, hodin*, dní, dny, ks",
    fillers: "prosím",
  },
  link: {
    proves: `
      ověř*, potvrdit, potvrďte, aktivovat, obnovit heslo, změnit heslo, nastavit heslo, aktivuj*,
      přijmout pozv*, schválit, povolit, nové heslo, nastavit nové, změna hesla, obnova hesla, potvrď,
      obnovení hesla
    `,
    signsIn: "přihlásit, přihlaste, přihlášení, přihlaš, přihlásím, vstoupit",
    goesOn: "pokračovat, zde, pokračujte, klikněte, otevřít, tady",
    password: "hesl*",
    account: "účet, účtu, e-mail*, odběr*",
    otherPurpose: `
      odhlásit odběr, nápověda, osobních údajů, podmínky, nežádal*, slev*, potvrdit účast, zobrazit,
      odhlášení, odhlásit se z, to jsem nebyl*, nastavení
    `,
    provesInPath: "heslo",
  },
  quoting: {
    wrote: "napsal, napsala, napsal(a)",
    from: "od",
    sent: "odesláno, datum",
    foldedStart: "dne",
    forwarded: "přeposlaná zpráva",
  },
  subject: {
    invitation: "potvrz*, připom*",
  },
  signature: {
    closings: "s pozdravem, děkuji",
  },
  dates: {
    oClock: "hod., hod",
    untilTime: "do, až",
    morning: "ráno, dopoledne",
    afternoon: "odpoledne, večer",
    deadline: "do, nejpozději, před",
  },
  appointment: {
    when: "kdy, termín, datum, den",
    time: "čas",
    where: "kde, místo, adresa, adrese",
    word: "termín*, rezerv*, návštěv*, schůzk*",
    title: "zakázka, úkon, služba, vyšetření, ošetření, předmět, co",
  },
  money: {
    grandTotal: "k úhradě, celková cena, celková částka, zaplaceno",
    total: "celkem",
    partial: "mezisoučet, sleva, doprava, dph",
  },
  order: {
    numberLabel: "číslo objednávky, objednávka č., objednávky č.",
    word: "objednávk*",
    quantity: "množství, ks",
  },
  parcel: {
    numberLabel: "číslo zásilky, sledovací číslo, číslo balíku, podací číslo, číslo pro sledování",
    nearNumber: "zásilk*, balík*",
    arrivalLabel: `
      datum doručení, předpokládané doručení, plánované doručení, očekávané doručení, doručení,
      předpokládaný termín
    `,
    word: "zásilk*, balík*, objednávk*",
    statuses: {
      exception: "nepodařilo doručit, zpožděn*, zpoždění, zdržel*",
      out_for_delivery: "dnes doručíme, u kurýra, doručuje kurýr, na rozvozu",
      delivered: "doručen, doručena, doručili",
      in_transit: "na cestě, je na cestě",
      shipped: "odeslána, odeslali, předána dopravci, odeslán, expedov*, předali dopravci",
    },
    notYet: "bude, budou",
    carrierLabel: "dopravce, kurýr, přepravce",
  },
  receipt: {
    payment: "faktura, účtenka, doklad, potvrzení platby, zaplaceno",
    failed: "zamítnuta",
    dateLabel: "datum platby, datum vystavení",
    due: "splatn*",
    methodLabel: "způsob platby, platba",
    cardEnding: "končící",
    paidWith: "zaplaceno, kartou",
    cash: "hotově, kartou, převodem, dobírka",
  },
};
