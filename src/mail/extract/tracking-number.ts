/** Carriers whose numbers can be told by their form and their check digit, and those that are known by name alone. */
export type Carrier = string;

/** The carrier that a number's form tells, if any, and whether its check digit is right; null where it has none. */
export interface Verdict {
  carrier: Carrier | null;
  isValid: boolean | null;
}

const digits = (text: string): number[] => Array.from(text, Number);

/** GS1's modulo 10 (SSCC and kin): from the right, without the check digit, every other digit counts three times. */
function isGs1(number: string): boolean {
  const body = digits(number.slice(0, -1)).toReversed();
  const sum = body.reduce((total, digit, at) => total + digit * (at % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10 === Number(number.at(-1));
}

/** UPS "1Z": letters count as digits (A = 2, B = 3, …), every second character twice. */
function isUps(number: string): boolean {
  const body = Array.from(number.slice(2, -1), (character) =>
    /\d/.test(character) ? Number(character) : (character.charCodeAt(0) - 63) % 10,
  );
  const sum = body.reduce((total, value, at) => total + value * (at % 2 === 0 ? 1 : 2), 0);
  return (10 - (sum % 10)) % 10 === Number(number.at(-1));
}

/** UPU S10 §4: the weights of the eight digits, and the check digits of the remainders 10 and 11. */
const S10_WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];

function isS10(number: string): boolean {
  const body = digits(number.slice(2, 10));
  const sum = body.reduce((total, digit, at) => total + digit * (S10_WEIGHTS[at] ?? 0), 0);
  const rest = 11 - (sum % 11);
  const check = rest === 10 ? 0 : rest === 11 ? 5 : rest;
  return check === Number(number.charAt(10));
}

/** FedEx's 12 digits: weights 3, 1, 7 in turn, modulo 11, of which 10 counts as 0. */
function isFedExExpress(number: string): boolean {
  const weights = [3, 1, 7];
  const sum = digits(number.slice(0, -1)).reduce(
    (total, digit, at) => total + digit * (weights[at % 3] ?? 0),
    0,
  );
  return (sum % 11) % 10 === Number(number.at(-1));
}

/** The rest of a division by 7, as DHL Express, Yamato, Sagawa and Korea's carriers have it. */
function isModulo7(number: string): boolean {
  const rest = digits(number.slice(0, -1)).reduce((carried, digit) => (carried * 10 + digit) % 7, 0);
  return rest === Number(number.at(-1));
}

/** Posts by the country at the end of an S10 number. */
const POSTS: Readonly<Record<string, Carrier>> = {
  US: "USPS",
  GB: "Royal Mail",
  DE: "Deutsche Post",
  CN: "China Post",
  HK: "Hongkong Post",
  TW: "Chunghwa Post",
  JP: "Japan Post",
  KR: "Korea Post",
  FR: "La Poste",
  NL: "PostNL",
  BE: "bpost",
  ES: "Correos",
  PT: "CTT",
  IT: "Poste Italiane",
  PL: "Poczta Polska",
  RU: "Russian Post",
  TR: "PTT",
  IN: "India Post",
  VN: "Vietnam Post",
  ID: "Pos Indonesia",
  BR: "Correios",
  CA: "Canada Post",
  AU: "Australia Post",
  NZ: "New Zealand Post",
  CH: "Swiss Post",
  AT: "Österreichische Post",
  SE: "PostNord",
  DK: "PostNord",
  NO: "Posten",
  FI: "Posti",
  IE: "An Post",
  SG: "Singapore Post",
  SA: "Saudi Post",
  EG: "Egypt Post",
};

interface Form {
  form: RegExp;
  carrier: (number: string) => Carrier | null;
  isValid: ((number: string) => boolean) | null;
  /** False if many other numbers look so: it takes the carrier's name, or a label. */
  isTelling: boolean;
}

/** Forms that tell their carrier by themselves; the first that fits counts. */
const FORMS: readonly Form[] = [
  { form: /^1Z[A-Z0-9]{15}\d$/, carrier: () => "UPS", isValid: isUps, isTelling: true },
  {
    // Of other endings the carriers' own numbers are, which look the same and have no check digit.
    form: new RegExp(`^[A-Z]{2}\\d{9}(?:${Object.keys(POSTS).join("|")})$`),
    carrier: (number) => POSTS[number.slice(11)] ?? null,
    isValid: isS10,
    isTelling: true,
  },
  // The Intelligent Mail package barcode, with or without the ZIP code (420…) before it.
  {
    form: /^(?:420\d{5}(?:\d{4})?)?9[1-5]\d{20}$/,
    carrier: () => "USPS",
    isValid: (number) => isGs1(number.slice(-22)),
    isTelling: true,
  },
  {
    form: /^96\d{20}$/,
    carrier: () => "FedEx",
    isValid: (number) => isGs1(number.slice(-15)),
    isTelling: true,
  },
  {
    form: /^(?:JJD|JD0|JVGL|GM\d{3}|3S[A-Z]{4})[A-Z0-9]{8,20}$/,
    carrier: dhlOrPostNl,
    isValid: null,
    isTelling: true,
  },
  { form: /^003404\d{14}$/, carrier: () => "DHL", isValid: isGs1, isTelling: true },
  { form: /^SF\d{12,13}$/, carrier: () => "SF Express", isValid: null, isTelling: false },
];

function dhlOrPostNl(number: string): Carrier {
  return number.startsWith("3S") ? "PostNL" : "DHL";
}

/** Forms of numbers that say nothing alone, by the carrier that the mail names. */
const CHECKED: Readonly<Record<Carrier, readonly { form: RegExp; isValid: (number: string) => boolean }[]>> =
  {
    FedEx: [
      { form: /^\d{12}$/, isValid: isFedExExpress },
      { form: /^\d{15}$/, isValid: isGs1 },
      { form: /^\d{20}$/, isValid: isGs1 },
      { form: /^96\d{20}$/, isValid: (number) => isGs1(number.slice(-15)) },
    ],
    UPS: [{ form: /^1Z/, isValid: (number) => number.length === 18 && isUps(number) }],
    USPS: [
      { form: /^\d{20}$/, isValid: isGs1 },
      { form: /^\d{22}$/, isValid: isGs1 },
    ],
    DHL: [
      { form: /^\d{10}$/, isValid: isModulo7 },
      { form: /^\d{20}$/, isValid: isGs1 },
    ],
    Yamato: [{ form: /^\d{12}$/, isValid: isModulo7 }],
    Sagawa: [{ form: /^\d{12}$/, isValid: isModulo7 }],
  };

/** Judges a number by its form, in a mail that names `carriers`; null if it has the form of no tracking number. */
export function judge(number: string, carriers: readonly Carrier[]): Verdict | null {
  const telling = FORMS.find(({ form }) => form.test(number));
  if (telling !== undefined) {
    return { carrier: telling.carrier(number), isValid: telling.isValid?.(number) ?? null };
  }
  const forms = carriers.flatMap((carrier) =>
    (Object.hasOwn(CHECKED, carrier) ? (CHECKED[carrier] ?? []) : []).map((form) => ({ carrier, ...form })),
  );
  const fitting = forms.filter(({ form }) => form.test(number));
  if (fitting.length === 0) return null;
  const right = fitting.find(({ isValid }) => isValid(number));
  return { carrier: (right ?? fitting[0])?.carrier ?? null, isValid: right !== undefined };
}

/** Numbers that tell their carrier alone, with the blanks that mails put into them. */
export const TELLING_NUMBER =
  /(?<![A-Z0-9])(?:1Z(?: ?[A-Z0-9]){16}|[A-Z]{2} ?\d{3} ?\d{3} ?\d{3} ?[A-Z]{2}|9[1-5](?: ?\d){20}|96(?: ?\d){20}|003404(?: ?\d){14}|JJD(?: ?\d){16,20}|JD0(?: ?\d){15,18})(?![A-Z0-9])/g;
