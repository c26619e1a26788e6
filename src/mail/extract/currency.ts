import { lazy } from "../lazy.ts";
import { da } from "../languages/da.ts";
import { LANGUAGES } from "../languages/index.ts";
import { anyOf, isWrittenIn, listed } from "../languages/matching.ts";
import { sv } from "../languages/sv.ts";

/** The currency that each sign shared by several countries means in one mail. */
export interface MoneyContext {
  /** ISO 4217, of signs that are ambiguous. */
  dollar: string;
  yen: string;
  krone: string;
  rupee: string;
  pound: string;
}

/** Codes that stand in texts for themselves; others are words as well. */
const CODES =
  "AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JOD JPY KRW KWD KZT LKR MAD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RMB RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU VND ZAR";

/** Signs of one currency, in lower case. Its names are the languages' (`MoneyWords.currencies`). */
const SIGNS: Readonly<Record<string, string>> = {
  us$: "USD",
  a$: "AUD",
  au$: "AUD",
  c$: "CAD",
  ca$: "CAD",
  hk$: "HKD",
  nt$: "TWD",
  s$: "SGD",
  nz$: "NZD",
  mx$: "MXN",
  r$: "BRL",
  "€": "EUR",
  "₩": "KRW",
  "₹": "INR",
  zł: "PLN",
  kč: "CZK",
  ft: "HUF",
  лв: "BGN",
  "₽": "RUB",
  руб: "RUB",
  "руб.": "RUB",
  "₴": "UAH",
  грн: "UAH",
  "₺": "TRY",
  tl: "TRY",
  "₫": "VND",
  đ: "VND",
  vnđ: "VND",
  rp: "IDR",
  "rp.": "IDR",
  "฿": "THB",
  "₱": "PHP",
  "₪": "ILS",
  "ر.س": "SAR",
  "د.إ": "AED",
  "ج.م": "EGP",
  rmb: "CNY",
  "fr.": "CHF",
};

const SHARED: Readonly<Record<string, keyof MoneyContext>> = {
  $: "dollar",
  "¥": "yen",
  "￥": "yen",
  元: "yen",
  kr: "krone",
  "kr.": "krone",
  rs: "rupee",
  "rs.": "rupee",
  "£": "pound",
};

/** Names of currencies in all languages, and the ISO 4217 code of each. */
const names = lazy(() => {
  const codeOf = new Map<string, string>();
  for (const { money } of LANGUAGES) {
    for (const [code, words] of Object.entries(money?.currencies ?? {})) {
      for (const word of listed(words)) if (!codeOf.has(word)) codeOf.set(word, code);
    }
  }
  return codeOf;
});

/** Source of an expression for every sign, name and code of a currency, the longest first. */
export const currencySign = lazy(() =>
  anyOf([
    ...new Set([...CODES.split(" "), ...Object.keys(SIGNS), ...Object.keys(SHARED), ...names().keys()]),
  ]),
);

const KNOWN_CODES: ReadonlySet<string> = new Set(CODES.split(" "));

/** The ISO 4217 code of a sign, a code or a word; null if it is none. */
export function currencyOf(sign: string, context: MoneyContext): string | null {
  const upper = sign.trim().toUpperCase();
  if (upper === "RMB") return "CNY";
  if (KNOWN_CODES.has(upper)) return upper;
  const lower = sign.trim().toLowerCase();
  const shared = SHARED[lower];
  if (shared !== undefined) return context[shared];
  return SIGNS[lower] ?? names().get(lower) ?? null;
}

/** Countries by the end of the sender's host. */
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
};
const KRONER: Readonly<Record<string, string>> = { se: "SEK", no: "NOK", dk: "DKK", is: "ISK" };
const RUPEES: Readonly<Record<string, string>> = { pk: "PKR", lk: "LKR", np: "NPR" };

/** The dollars whose codes a text may name. */
const DOLLAR_CODE = /\b(?:USD|AUD|CAD|NZD|SGD|HKD|TWD|MXN)\b/g;

/** Characters that only Japanese, only traditional and only simplified Chinese write often. */
const KANA = /[\u3040-\u30ff]/;
const TRADITIONAL = /[訂單號總額實價貨運費發時間]/;

/** Reads the country of a mail out of its sender and its words. */
export function moneyContext(text: string, fromAddress: string): MoneyContext {
  const country = countriesOf(fromAddress);
  const pick = (table: Readonly<Record<string, string>>): string | null =>
    country.map((name) => table[name]).find((code) => code !== undefined) ?? null;
  const named = new Set(text.match(DOLLAR_CODE) ?? []);
  const [only] = named.size === 1 ? named : [];
  return {
    dollar: only ?? pick(DOLLARS) ?? "USD",
    yen: yenOf(text, country),
    krone: pick(KRONER) ?? kroneOf(text),
    rupee: pick(RUPEES) ?? "INR",
    pound: country.includes("eg") ? "EGP" : "GBP",
  };
}

/** Of ¥ and 元: Japanese has kana, and Chinese of Taiwan its own characters. */
function yenOf(text: string, country: readonly string[]): string {
  const isChinese = /[\u4e00-\u9fff]/.test(text) && !KANA.test(text) && !country.includes("jp");
  if (!isChinese) return "JPY";
  return country.includes("tw") || TRADITIONAL.test(text) ? "TWD" : "CNY";
}

/** The last labels of the sender's host: a country's own, or one below which a test's or a service's name stands. */
function countriesOf(address: string): string[] {
  const labels = address
    .slice(address.lastIndexOf("@") + 1)
    .toLowerCase()
    .split(".");
  return labels.slice(1).toReversed();
}

/** Swedish and Danish are told by a few words of every receipt; what is neither is taken as Norwegian. */
function kroneOf(text: string): string {
  if (isWrittenIn(sv, text)) return "SEK";
  return isWrittenIn(da, text) ? "DKK" : "NOK";
}
