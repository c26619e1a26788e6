import { lazy } from "../lazy.ts";
import { listed, UNSPACED } from "../languages/matching.ts";
import { currencies, languages } from "../tables/tables.ts";

/** The currency that each sign shared by several countries means in one mail; null where the mail does not tell. */
export interface MoneyContext {
  /** ISO 4217, of signs that are ambiguous. */
  dollar: string | null;
  yen: string;
  krone: string;
  rupee: string;
  pound: string;
  riyal: string | null;
  dirham: string | null;
  dinar: string | null;
  shilling: string | null;
  /** Of `lei`. */
  leu: string;
  /** Of `руб.`. */
  ruble: string;
  /** Of `49,-`: kroner in Scandinavia; elsewhere the mail's own currency. */
  dash: string | null;
}

/** Codes of ISO 4217 that stand in texts for themselves; other codes are words as well. */
const CODES =
  "AED AFN AMD ARS AUD AZN BAM BDT BGN BHD BND BOB BRL BWP BYN CAD CHF CLP CNY COP CRC CZK DKK DOP DZD EGP ETB EUR GBP GEL GHS GTQ HKD HNL HRK HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KRW KWD KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MUR MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SEK SGD SYP THB TND TRY TTD TWD TZS UAH UGX USD UYU UZS VND XAF XOF YER ZAR ZMW";

/** Signs and names that several countries share. */
const SHARED: Readonly<Record<string, keyof MoneyContext>> = {
  $: "dollar",
  "＄": "dollar",
  dollar: "dollar",
  dollars: "dollar",
  "¥": "yen",
  "￥": "yen",
  元: "yen",
  圓: "yen",
  块: "yen",
  kr: "krone",
  "kr.": "krone",
  kroner: "krone",
  kronor: "krone",
  rs: "rupee",
  "rs.": "rupee",
  "₨": "rupee",
  rupees: "rupee",
  "£": "pound",
  ريال: "riyal",
  درهم: "dirham",
  dh: "dirham",
  دينار: "dinar",
  sh: "shilling",
  shilingi: "shilling",
  "sh.": "shilling",
  lei: "leu",
  leu: "leu",
  руб: "ruble",
  "руб.": "ruble",
  рублей: "ruble",
  рубля: "ruble",
  р: "ruble",
  "р.": "ruble",
};

/** Longest sign or name, its blanks included. */
export const MAX_SIGN_CHARS = 16;

interface Signs {
  codeOf: ReadonlyMap<string, string>;
  /** Beginnings of names that take endings. */
  stems: ReadonlyMap<string, string>;
}

const signs = lazy((): Signs => {
  const codeOf = new Map<string, string>(CODES.split(" ").map((code) => [code.toLowerCase(), code]));
  const stems = new Map<string, string>();
  for (const names of [currencies(), ...languages().map(({ money }) => money?.currencies ?? {})]) {
    for (const [code, words] of Object.entries(names)) {
      for (const word of listed(words)) {
        const stem = word.replace(/\*$/, "");
        const known = stem === word ? codeOf : stems;
        if (!known.has(stem) && !Object.hasOwn(SHARED, word)) known.set(stem, code);
        if (stem !== word && !codeOf.has(stem)) codeOf.set(stem, code);
      }
    }
  }
  return { codeOf, stems };
});

/** The ISO 4217 code of a sign, a code or a name; undefined if it is none, null if it is one that the mail does not explain. */
function currencyOf(sign: string, context: MoneyContext): string | null | undefined {
  const lower = sign.trim().toLowerCase();
  const shared = Object.hasOwn(SHARED, lower) ? SHARED[lower] : undefined;
  return shared === undefined ? signs().codeOf.get(lower) : context[shared];
}

const LETTER = /[\p{L}\p{M}]/u;

/** A sign beside a number. */
export interface Sign {
  text: string;
  currency: string | null;
}

/** The length of the longest sign that these characters can hold: none has digits. */
const lengthOf = (run: readonly string[] | null): number => Math.min(MAX_SIGN_CHARS, run?.[0]?.length ?? 0);

/** The sign that ends this text, as before a number; null if none does. One of letters stands apart from other letters. */
export function signAtEnd(text: string, context: MoneyContext): Sign | null {
  const trimmed = text.endsWith(" ") ? text.slice(0, -1) : text;
  for (let length = lengthOf(/\D*$/.exec(trimmed)); length > 0; length -= 1) {
    const sign = trimmed.slice(-length);
    if (/^\s|\s$/.test(sign) || isInWord(trimmed.at(-length - 1), sign.charAt(0))) continue;
    const currency = currencyOf(sign, context);
    if (currency !== undefined) return { text: sign, currency };
  }
  return null;
}

/** The sign that begins this text, as behind a number; null if none does. */
export function signAtStart(text: string, context: MoneyContext): Sign | null {
  const trimmed = text.replace(/^ {1,2}/, "");
  for (let length = lengthOf(/^\D*/.exec(trimmed)); length > 0; length -= 1) {
    const sign = trimmed.slice(0, length);
    if (/^\s|\s$/.test(sign) || isInWord(trimmed.charAt(length), sign.charAt(length - 1))) continue;
    const currency = currencyOf(sign, context);
    if (currency !== undefined) return { text: sign, currency };
  }
  return signByStem(trimmed);
}

function signByStem(text: string): Sign | null {
  const word = /^[\p{L}\p{M}]{2,20}/u.exec(text)?.[0] ?? "";
  for (let length = word.length; length > 1; length -= 1) {
    const currency = signs().stems.get(word.slice(0, length).toLowerCase());
    if (currency !== undefined) return { text: word, currency };
  }
  return null;
}

/** Whether a sign is a part of a longer word or number at this neighbour. */
function isInWord(neighbour: string | undefined, edge: string): boolean {
  if (neighbour === undefined || neighbour === "" || UNSPACED.test(edge)) return false;
  return LETTER.test(edge) && LETTER.test(neighbour) && !UNSPACED.test(neighbour);
}

/** The currency that a heading names at its end: `Amount (DKK)`, `Sum, EUR`, `TOTAL PLN`; null if it names none. */
export function currencyOfHeading(text: string, context: MoneyContext): string | null {
  const end = text.slice(-MAX_HEADING_CHARS);
  const named =
    /[(（,،]\s?([^()（）,،]{1,16})[)）]?\s*:?$/u.exec(end)?.[1] ??
    /(?<![\p{L}\d])([A-Z]{3})\s*:?$/u.exec(end)?.[1];
  return named === undefined ? null : (currencyOf(named, context) ?? null);
}

const MAX_HEADING_CHARS = 40;

/** Currencies by country (ISO 3166-1 in lower case), of those whose signs others share. */
const DOLLARS: Readonly<Record<string, string>> = {
  au: "AUD",
  ca: "CAD",
  nz: "NZD",
  sg: "SGD",
  hk: "HKD",
  tw: "TWD",
  mx: "MXN",
  ar: "ARS",
  cl: "CLP",
  co: "COP",
  us: "USD",
};
const KRONER: Readonly<Record<string, string>> = { se: "SEK", no: "NOK", dk: "DKK", is: "ISK" };
const RUPEES: Readonly<Record<string, string>> = { pk: "PKR", lk: "LKR", np: "NPR", in: "INR" };
const RIYALS: Readonly<Record<string, string>> = { sa: "SAR", qa: "QAR", om: "OMR", ye: "YER" };
const DIRHAMS: Readonly<Record<string, string>> = { ae: "AED", ma: "MAD" };
const DINARS: Readonly<Record<string, string>> = {
  kw: "KWD",
  jo: "JOD",
  bh: "BHD",
  tn: "TND",
  dz: "DZD",
  iq: "IQD",
};
const SHILLINGS: Readonly<Record<string, string>> = { ke: "KES", tz: "TZS", ug: "UGX" };

/** Words that texts hold in one country only: names of it and its towns, its tax numbers, taxes, telephone code, ways of paying. */
const TRACES: Readonly<Record<string, RegExp>> = {
  au: /\b(?:abn \d|acn \d|australia|sydney|melbourne|brisbane|perth|adelaide)|\b(?:nsw|vic|qld) \d{4}\b|\+61\b/,
  ca: /\b(?:gst\/hst|hst|tps|tvq|qst|canada|québec|quebec|montréal|montreal|toronto|vancouver|ottawa|calgary)\b|\b[a-z]\d[a-z] ?\d[a-z]\d\b|interac/,
  nz: /\b(?:new zealand|aotearoa|auckland|wellington|christchurch|nzbn)\b|\+64\b/,
  sg: /\b(?:singapore|uen|paynow)\b|\+65\b/,
  hk: /hong kong|香港|九龍|新界|\+852\b|octopus|八達通/,
  tw: /taiwan|台灣|臺灣|台北|臺北|高雄|台中|臺中|新北|桃園|\+886\b|統一編號|統編/,
  mx: /\b(?:m[eé]xico|cdmx|rfc:? [a-zñ&]{3,4}\d{6}|guadalajara|monterrey|oxxo|spei|cfdi)\b|\+52\b/,
  ar: /\b(?:argentina|buenos aires|cuit|caba|rosario|c[oó]rdoba capital)\b|\+54\b/,
  cl: /\b(?:chile|santiago|rut:? \d|webpay|valpara[ií]so|concepci[oó]n|ñuñoa|boleta electr[oó]nica)\b|\+56\b/,
  co: /\b(?:colombia|bogot[aá]|medell[ií]n|cali|nit:? \d|nequi|daviplata|pse)\b|\+57\b/,
  us: /\b(?:usa|united states|u\.s\.|[a-z]{2} \d{5}(?:-\d{4})?)\b/,
  pk: /pakistan|پاکستان|lahore|karachi|islamabad|لاہور|کراچی|اسلام آباد|راولپنڈی|\+92\b|jazzcash|easypaisa/,
  lk: /sri lanka|colombo|இலங்கை|கொழும்பு|யாழ்ப்பாண|ශ්‍රී|\+94\b/,
  np: /nepal|kathmandu|नेपाल|काठमाड|काठमांडू|\+977\b|esewa|khalti/,
  in: /\bindia\b|gstin|भारत|இந்தியா|\+91\b|\bupi\b/,
  sa: /saudi|السعودية|الرياض|جدة|الدمام|\+966\b|مدى|\bmada\b/,
  qa: /qatar|قطر|الدوحة|\+974\b/,
  om: /\boman\b|عمان، سلطنة|سلطنة عمان|عُمان|مسقط|\+968\b/,
  ye: /yemen|اليمن|صنعاء|عدن|\+967\b/,
  ae: /\buae\b|emirates|dubai|abu dhabi|الإمارات|دبي|أبوظبي|أبو ظبي|الشارقة|\+971\b/,
  ma: /morocco|maroc|المغرب|الدار البيضاء|مراكش|الرباط|casablanca|\+212\b/,
  kw: /kuwait|الكويت|\+965\b|\bknet\b/,
  jo: /\bjordan\b|الأردن|عمّان|إربد|\+962\b/,
  bh: /bahrain|البحرين|المنامة|\+973\b|benefitpay/,
  tn: /tunisi|تونس|صفاقس|\+216\b/,
  dz: /alg[eé]ri|الجزائر|وهران|\+213\b/,
  iq: /\biraq\b|العراق|بغداد|البصرة|أربيل|\+964\b/,
  ke: /kenya|nairobi|mombasa|\+254\b|safaricom/,
  tz: /tanzania|dar es salaam|arusha|dodoma|mwanza|zanzibar|\+255\b/,
  ug: /uganda|kampala|\+256\b/,
  by: /беларус|минск|гродно|брест|гомел|витебск|могил[её]в|\+375\b|унп/,
  md: /moldov|chișinău|chisinau|bălți|\+373\b/,
  eg: /egypt|مصر|القاهرة|الإسكندرية|الجيزة|طنطا|\+20\b/,
  se: /\b(?:sverige|stockholm|göteborg|malmö|uppsala|swish|bankgiro)\b|\+46\b/,
  no: /\b(?:norge|oslo|bergen|trondheim|stavanger|vipps|bankaxept)\b|\+47\b/,
  dk: /\b(?:danmark|københavn|aarhus|odense|aalborg|dankort|cvr)\b|\+45\b/,
  is: /ísland|reykjav[ií]k|akureyri|kópavog|hafnarf|[ðþ]/,
};

/** Words that only one of the Scandinavian languages has in mails about money. */
const KRONER_WORDS: Readonly<Record<string, RegExp>> = {
  se: /[äö]|(?<!\p{L})(?:och|inte|betalning|tack|kvitto|summa|vara|antal)(?!\p{L})/gu,
  dk: /(?<!\p{L})(?:tak|dig|jer|af|modtaget|beløb|i alt|fragt|heraf|antal|uge|ordrebekræftelse|moms|kr\.)(?!\p{L})/gu,
  no: /(?<!\p{L})(?:takk|deg|dere|av|mottatt|bestillingen|beløp|totalt|frakt|porto|herav|hvorav|antall|uke|ordrebekreftelse|mva|merverdiavgift|vennlig hilsen|å betale|trakk)(?!\p{L})/gu,
};

/** The dollars whose codes a text may name. */
const DOLLAR_CODE = /\b(?:USD|AUD|CAD|NZD|SGD|HKD|TWD|MXN|ARS|CLP|COP)\b/g;

/** Characters that Chinese never writes, and those that simplified Chinese writes otherwise. */
const KANA = /[\u3040-\u30ff]/;
const TRADITIONAL = /[訂單號總額實價貨運費發時間]/;
const MAX_CONTEXT_CHARS = 50_000;

/** Reads the country of a mail out of its sender and its words. */
export function moneyContext(text: string, fromAddress: string): MoneyContext {
  const opening = text.slice(0, MAX_CONTEXT_CHARS);
  const lower = opening.toLowerCase();
  const hosts = countriesOf(fromAddress);
  const isFrom = (country: string): boolean =>
    hosts.includes(country) || (TRACES[country]?.test(lower) ?? false);
  const pick = (table: Readonly<Record<string, string>>): string | null => {
    const host = hosts.find((country) => Object.hasOwn(table, country));
    const traced = host === undefined ? Object.keys(table).filter(isFrom) : [host];
    const [only = ""] = traced.length === 1 ? traced : [];
    return table[only] ?? null;
  };
  const krone = pick(KRONER) ?? kroneOf(lower);
  return {
    dollar: codeOfDollar(opening) ?? pick(DOLLARS) ?? dollarOf(lower),
    yen: yenOf(opening, hosts),
    krone: krone ?? "NOK",
    dash: krone,
    rupee: pick(RUPEES) ?? rupeeOf(opening),
    pound: isFrom("eg") ? "EGP" : "GBP",
    riyal: pick(RIYALS) ?? "SAR",
    dirham: pick(DIRHAMS),
    dinar: pick(DINARS),
    shilling: pick(SHILLINGS),
    leu: isFrom("md") ? "MDL" : "RON",
    ruble: isFrom("by") ? "BYN" : "RUB",
  };
}

/** The dollar that a text names by its code, where it names one alone. */
function codeOfDollar(text: string): string | null {
  const named = new Set(text.match(DOLLAR_CODE) ?? []);
  const [only = null] = named.size === 1 ? named : [];
  return only;
}

/** The dollar of a mail that names no country: by its language, where that is spoken in one country with dollars. */
function dollarOf(lower: string): string | null {
  if (/[\u4e00-\u9fff]/.test(lower)) return TRADITIONAL.test(lower) ? "TWD" : "USD";
  if (/\b(?:votre|vous|nous)\b/.test(lower)) return "CAD";
  if (/\b(?:pedido|pago|compra|gracias|recibo)\b/.test(lower))
    return /\$ ?\d{1,3}(?:,\d{3})*\.\d{2}\b/.test(lower) ? "MXN" : null;
  return "USD";
}

/** Of ¥ and 元: Japanese has kana, and Chinese of Taiwan its own characters. */
function yenOf(text: string, country: readonly string[]): string {
  const isChinese = /[\u4e00-\u9fff]/.test(text) && !KANA.test(text) && !country.includes("jp");
  if (!isChinese) return "JPY";
  if (country.includes("hk") || TRACES.hk?.test(text.toLowerCase())) return "HKD";
  return country.includes("tw") || TRADITIONAL.test(text) ? "TWD" : "CNY";
}

/** Urdu is written in Pakistan, Sinhala in Sri Lanka. */
function rupeeOf(text: string): string {
  if (/[\u0600-\u06ff]/.test(text)) return "PKR";
  return /[\u0d80-\u0dff]/.test(text) ? "LKR" : "INR";
}

/**
 * The labels of the sender's host that may be countries (ISO 3166-1), the last first: the top level if it is one ("co.uk" is not
 * Colombia), else all labels but the first ("mail.shop.mx.example").
 */
function countriesOf(address: string): string[] {
  const labels = address
    .slice(address.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(".");
  const top = labels.at(-1) ?? "";
  return top.length === 2 ? [top] : labels.slice(1).toReversed();
}

/** Words that tell a Scandinavian language: one may be a name. */
const MIN_WORDS = 2;

/** The kroner of a Scandinavian mail: of the language that has most of its words in it; null if it is in none of them. */
function kroneOf(lower: string): string | null {
  const votes = Object.entries(KRONER_WORDS).map(
    ([country, words]) => [country, lower.match(words)?.length ?? 0] as const,
  );
  const [best] = votes.toSorted(([, one], [, two]) => two - one);
  const isSure = best !== undefined && best[1] >= MIN_WORDS;
  return isSure ? (KRONER[best[0]] ?? null) : null;
}
