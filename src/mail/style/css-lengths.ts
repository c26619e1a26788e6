/** Sizes that relative lengths refer to, in px. */
export interface LengthBase {
  /** The font size for `em`. */
  em: number;
  /** The font size of the root for `rem`. */
  rem: number;
  /** 100 %. */
  whole: number;
}

/** The window in which a mail is judged, in px: that of a desk. */
export const WINDOW = { width: 1280, height: 800 } as const;

const PX_OF_UNIT: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  vw: WINDOW.width / 100,
  vh: WINDOW.height / 100,
  vmin: WINDOW.height / 100,
  vmax: WINDOW.width / 100,
  vi: WINDOW.width / 100,
  vb: WINDOW.height / 100,
};
const DEGREES: Readonly<Record<string, number>> = { deg: 1, turn: 360, rad: 180 / Math.PI, grad: 0.9 };
/** Units of lengths that depend on what is not known here. */
const UNREAD_UNIT = /^(?:r?(?:cap|ic|lh|ex|ch)|cq(?:w|h|i|b|min|max))$/;

/** A measured value: its amount in px, as a number, or in degrees. */
export interface Measure {
  amount: number;
  kind: "number" | "length" | "percent" | "angle";
}

const NUMBER = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?$/;
const FUNCTION = /^-?[a-z][a-z-]*\(/;

/** Measures a value; null if it measures nothing, "unread" if it may, in a way that is not read here. */
export function measureOf(value: string, base: LengthBase): Measure | "unread" | null {
  if (FUNCTION.test(value)) return new Calculation(value, base).result();
  const [, number, unit = ""] = NUMBER.exec(value) ?? [];
  if (number === undefined) return null;
  const count = Number(number);
  if (unit === "") return { amount: count, kind: "number" };
  if (unit === "%") return { amount: (count * base.whole) / 100, kind: "percent" };
  const degrees = DEGREES[unit];
  if (degrees !== undefined) return { amount: count * degrees, kind: "angle" };
  const px = pxOf(unit, base);
  if (px !== undefined) return { amount: count * px, kind: "length" };
  return UNREAD_UNIT.test(unit) ? "unread" : null;
}

/** A CSS length, number or angle in px, as a number, or in degrees; null if the text is none, or one that is not read. */
export function lengthOf(value: string, base: LengthBase): number | null {
  const measure = measureOf(value, base);
  return measure === null || measure === "unread" ? null : measure.amount;
}

function pxOf(unit: string, { em, rem }: LengthBase): number | undefined {
  if (unit === "em") return em;
  if (unit === "rem") return rem;
  if (unit === "ex" || unit === "ch") return em / 2;
  return PX_OF_UNIT[unit] ?? PX_OF_UNIT[unit.replace(/^[sld](?=v)/, "")];
}

/** Tokens of one formula that are read, and how deep its brackets go. */
const MAX_TOKENS = 200;
const MAX_DEPTH = 16;
const TOKEN = / ([+-]) |\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?|[a-z-]{0,20}\(|[*/),])/y;

/** Evaluates `calc()`, `min()`, `max()` and `clamp()`. Whatever is not clearly a formula of these is not read. */
class Calculation {
  readonly #tokens: string[] = [];
  readonly #base: LengthBase;
  #at = 0;

  constructor(text: string, base: LengthBase) {
    this.#base = base;
    TOKEN.lastIndex = 0;
    for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
      this.#tokens.push(found[1] ?? found[2] ?? "");
      if (TOKEN.lastIndex === text.length) return;
      if (this.#tokens.length === MAX_TOKENS) break;
    }
    this.#tokens.length = 0;
  }

  result(): Measure | "unread" {
    const value = this.#sum(0);
    const isRead = value !== null && this.#at === this.#tokens.length && Number.isFinite(value.amount);
    return isRead ? value : "unread";
  }

  #sum(depth: number): Measure | null {
    let sum = depth > MAX_DEPTH ? null : this.#product(depth);
    for (;;) {
      const sign = this.#tokens[this.#at];
      if (sum === null || (sign !== "+" && sign !== "-")) return sum;
      this.#at += 1;
      const next = this.#product(depth);
      const kind = next === null ? null : common(sum.kind, next.kind);
      if (next === null || kind === null) return null;
      sum = { amount: sum.amount + (sign === "-" ? -next.amount : next.amount), kind };
    }
  }

  #product(depth: number): Measure | null {
    let product = this.#value(depth);
    for (;;) {
      const sign = this.#tokens[this.#at];
      if (product === null || (sign !== "*" && sign !== "/")) return product;
      this.#at += 1;
      const next = this.#value(depth);
      if (
        next === null ||
        (sign === "/" ? next : product.kind === "number" ? product : next).kind !== "number"
      )
        return null;
      const amount = sign === "*" ? product.amount * next.amount : product.amount / next.amount;
      product = { amount, kind: product.kind === "number" ? next.kind : product.kind };
    }
  }

  #value(depth: number): Measure | null {
    const token = this.#tokens[this.#at] ?? "";
    this.#at += 1;
    if (token.endsWith("(")) return this.#called(token, depth);
    const value = NUMBER.test(token) ? measureOf(token, this.#base) : null;
    return value === "unread" ? null : value;
  }

  #called(name: string, depth: number): Measure | null {
    const values = [this.#sum(depth + 1)];
    while (this.#tokens[this.#at] === ",") {
      this.#at += 1;
      values.push(this.#sum(depth + 1));
    }
    if (this.#tokens[this.#at] !== ")") return null;
    this.#at += 1;
    const read = values.flatMap((value) => value ?? []);
    const kind = read.reduce<Measure["kind"] | null>(
      (all, each) => all && common(all, each.kind),
      read[0]?.kind ?? null,
    );
    if (kind === null || read.length !== values.length) return null;
    const amount = called(
      name,
      read.map((value) => value.amount),
    );
    return amount === null ? null : { amount, kind };
  }
}

function called(name: string, [first = 0, ...rest]: readonly number[]): number | null {
  const [second = 0, third = 0] = rest;
  if (name === "min(") return Math.min(first, ...rest);
  if (name === "max(") return Math.max(first, ...rest);
  if (name === "clamp(" && rest.length === 2) return Math.max(first, Math.min(second, third));
  return /^(?:calc|-webkit-calc|-moz-calc|)\($/.test(name) && rest.length === 0 ? first : null;
}

function common(one: Measure["kind"], two: Measure["kind"]): Measure["kind"] | null {
  if (one === two) return one;
  const isLength = (kind: Measure["kind"]): boolean => kind === "length" || kind === "percent";
  return isLength(one) && isLength(two) ? "length" : null;
}
