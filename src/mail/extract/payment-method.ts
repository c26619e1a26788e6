import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { labelled, phrases } from "./labelled-values.ts";

/** Names of cards, wallets and ways of paying, and what each is called in an answer. */
const METHODS: readonly (readonly [RegExp, string])[] = [
  [/(?<!\p{L})visa(?!\p{L})/u, "Visa"],
  [/(?<!\p{L})master ?card(?!\p{L})/u, "Mastercard"],
  [/(?<!\p{L})(?:american express|amex)(?!\p{L})/u, "American Express"],
  [/(?<!\p{L})maestro(?!\p{L})/u, "Maestro"],
  [/(?<!\p{L})jcb(?!\p{L})/u, "JCB"],
  [/(?<!\p{L})unionpay(?!\p{L})|银联/u, "UnionPay"],
  [/(?<!\p{L})mir(?!\p{L})|(?<!\p{L})мир(?!\p{L})/u, "Mir"],
  [/(?<!\p{L})rupay(?!\p{L})/u, "RuPay"],
  [/(?<!\p{L})mada(?!\p{L})|مدى/u, "mada"],
  [/apple ?pay/, "Apple Pay"],
  [/google ?pay/, "Google Pay"],
  [/paypal/, "PayPal"],
  [/klarna/, "Klarna"],
  [/(?<!\p{L})ideal(?!\p{L})/u, "iDEAL"],
  [/(?<!\p{L})blik(?!\p{L})/u, "BLIK"],
  [/(?<!\p{L})twint(?!\p{L})/u, "TWINT"],
  [/(?<!\p{L})upi(?!\p{L})/u, "UPI"],
  [/(?<!\p{L})pix(?!\p{L})/u, "Pix"],
  [/(?<!\p{L})bizum(?!\p{L})/u, "Bizum"],
  [/(?<!\p{L})gopay(?!\p{L})/u, "GoPay"],
  [/(?<!\p{L})ovo(?!\p{L})/u, "OVO"],
  [/(?<!\p{L})momo(?!\p{L})/u, "MoMo"],
];

/** Digits at the end of a card's number: behind dots or stars, or the words for "ending in". */
const lastDigits = lazy(() => {
  const endingIn = anyOf(wordsOf(({ receipt }) => receipt?.cardEnding));
  return new RegExp(`(?:[•*·xX.…∙●]{2,16}[ -]?|(?:${endingIn}) ?[:：#]?\\s?)(?<digits>\\d{4})(?!\\d)`, "iu");
});

const methodLabel = phrases(({ receipt }) => receipt?.methodLabel);

const MAX_METHOD_CHARS = 40;

/**
 * The method of payment: a card or wallet by name with its last digits, or the text behind a label as it is; null if the
 * text does not tell. Ways of paying that a footer lists are none.
 */
export function paymentMethodIn(lines: readonly string[]): string | null {
  for (const { value } of labelled(lines, methodLabel())) {
    const known = knownMethod(value);
    if (known !== null) return known;
  }
  const card = lines.find((line) => lastDigits().test(line) && namesIn(line).length === 1);
  if (card !== undefined) return knownMethod(card);
  const [first] = labelled(lines, methodLabel()).filter(({ isLabel, value }) => isLabel && isMethod(value));
  return first?.value.trim().replace(/[.;,]$/, "") ?? null;
}

function namesIn(value: string): string[] {
  const lower = lowered(value);
  return METHODS.filter(([name]) => name.test(lower)).map(([, method]) => method);
}

/** A way of paying by its usual name; null where several or none are named. */
function knownMethod(value: string): string | null {
  const names = namesIn(value);
  const [name] = names;
  if (name === undefined || names.length > 2) return null;
  const last =
    lastDigits().exec(value)?.groups?.digits ??
    /(?<!\d)\d{4}(?!\d)/.exec(value.slice(0, MAX_METHOD_CHARS))?.[0];
  return last === undefined ? name : `${name} ${last}`;
}

const isMethod = (value: string): boolean =>
  value.length <= MAX_METHOD_CHARS && /^[\p{L}]/u.test(value) && !/[!?。]|\d{5}/u.test(value);
