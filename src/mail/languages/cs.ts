import type { Language } from "./language.ts";

/** Czech. */
export const cs: Language = {
  tag: "cs",
  keyWords: "whole",
  code: {
    strong: `
      ověřovac*, jednorázov*, bezpečnostní kód*, přihlašovací kód*, přístupový kód*, aktivační kód*,
      vstupní kód*, sms kód*, kód pro vyzvednutí, kód pro vyzvednutí objednávky, výdejní kód*,
      heslo pro výdej, pin pro vyzvednutí, kód pro výdej, kód k vyzvednutí, kód pro otevření, autorizační*,
      verifikační kód*, autentizační kód*, kód ke dveřím, kód k boxu
    `,
    confirmation: "potvrzovací kód",
    weak: "kód, kódu, kódem, heslo, hesla, heslem",
    hint: "ověř*, přihlá*, potvrďte",
    soft: "účet, telefon, číslo",
    number: `
      objednáv*, faktur*, smlouvy, zákazníka, variabilní symbol, vs, číslo zásilky, psč, ičo, tel.,
      čárový kód, kód chyby, celkem, zdrojový kód, chybový kód, kód zboží, rodné číslo, konstantní symbol
    `,
    booking: "rezervac*",
    coupon: "slev*, kupón*, poukaz*, promokód*, dárkov*, akční kód*, voucher*",
    instruction: `
      zadejte, vložte, použijte, ukažte, zadej, zadat, zadáte, zadáš, zadáním, vyťuk*, naťuk*, ťukn*,
      napište, vepište, vepiš, napiš, řekněte, řekni, nahlaste, nadiktuj*, opište, budete potřebovat,
      nastavte
    `,
    device: `
      klávesnic*, obrazov*, terminál*, boxu, zámek, zámku, dveře, dveří, dvířk*, brank*, bránu, závor*,
      turniket*
    `,
    secret: "nikomu, nesděluj*, neposkytuj*, nepřeposílej*, nesdílej*, neprozrazuj*",
    requested: `
      požádali jste, na vaši žádost, nežádali, nežádal, ignoruj*, obdrželi jsme žádost, jste to nebyli
    `,
    void: `
      předchozí kód*, starý kód, neplatí, neplatný, nahrazuje, byl použit, vypršel*, zrušen*, původní kód*,
      expiroval*, nefunguje, starý pin, zneplatněn*, pozbyl*, předchozí heslo, staré heslo
    `,
    fresh: "nový kód*, nové heslo, nový pin, nové kódy",
    expiry: "platí, platnost, vyprší, platná, použijte do",
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
      obnovení hesla, dokončit registraci, aktivace účtu, byl jsem to, byla jsem to, jsem to já, to jsem byl,
      to jsem byla, odblokovat, odemknout, jsem to byl, jsem to byla, to jsem byl já, to jsem byla já
    `,
    signsIn: "přihlásit, přihlaste, přihlášení, přihlaš, přihlásím, vstoupit",
    goesOn: "pokračovat, zde, pokračujte, klikněte, otevřít, tady",
    password: "hesl*",
    account: "účet, účtu, e-mail*, odběr*",
    otherPurpose: `
      nápověda, osobních údajů, podmínky, slev*, potvrdit účast, zobrazit, nastavení, stáhnout, více informac*
    `,
    refuses: `
      to jsem nebyl*, nebyl jsem, nebyla jsem, nejsem to já, nepoznávám, nežádal*, není moje, odmítnout,
      odmítn*, odmítám, zamítn*, nahlásit, nahlas*, zrušit, zruš*, storno, odvolat, zablokovat, zablokuj*,
      blokovat, uzamknout, odhlásit odběr, odhlásit se z, odhlášení, odhlásit, odhlaste, smazat, odstranit,
      podezřel*, nepovolit, zakázat, odepř*, odepřít, vzít zpět, popř*, nepřihl*, nežád*, neprov*, neudělal*,
      nevytv*, nezad*, neregistr*, neschval*, nesouhl*, nepovol*, zabránit, cizí přístup
    `,
    negates: `
      ne, není, nikdy, nebyl, nebyla, nejsem, ne*l, ne*la, nikdo, nevím, ničem, nic, neznám, nevidím,
      někdo jiný
    `,
    agrees: "ano",
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
    when: "kdy, termín, datum, den, začátek",
    time: "čas",
    where: "kde, místo, adresa, adrese",
    word: "termín*, rezerv*, návštěv*, schůzk*",
    title: "zakázka, úkon, služba, vyšetření, ošetření, předmět, co",
  },
  money: {
    grandTotal: "k úhradě, celková cena, celková částka, zaplaceno",
    total: "celkem",
    partial: "mezisoučet, sleva, doprava, dph, záloha",
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
      předpokládaný termín, dorazí, doručíme
    `,
    word: "zásilk*, balík*, objednávk*",
    statuses: {
      exception: "nepodařilo doručit, zpožděn*, zpoždění, zdržel*, nezastihl*",
      out_for_delivery: "dnes doručíme, u kurýra, doručuje kurýr, na rozvozu, dnes dorazí",
      delivered: "doručen, doručena, doručili, doručeno",
      in_transit: "na cestě, je na cestě, míří k vám",
      shipped: "odeslána, odeslali, předána dopravci, odeslán, expedov*, předali dopravci, odesláno",
    },
    notYet: "bude, budou",
    carrierLabel: "dopravce, kurýr, přepravce",
  },
  receipt: {
    payment: `
      faktura, účtenka, doklad, potvrzení platby, zaplaceno, přijali jsme, obdrželi jsme, zaplatili jste,
      vaši platbu, platba přijata, strhli, děkujeme za platbu
    `,
    failed: "zamítnuta",
    dateLabel: "datum platby, datum vystavení",
    due: "splatn*",
    methodLabel: "způsob platby, platba",
    cardEnding: "končící, končí na, končící na, s koncovkou, končící číslem",
    paidWith: "zaplaceno, kartou, přes, uhrazeno",
    cash: "hotově, kartou, převodem, dobírka",
    merchantLabel: "prodejce",
  },
};
