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
  deg: 1,
  turn: 360,
  rad: 180 / Math.PI,
  grad: 0.9,
};

const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?$/;
const FUNCTION = /^(?:calc|min|max|clamp|-webkit-calc|-moz-calc)\(/;

/** A CSS length, number or angle in px, as a number, or in degrees; null if the text is none. */
export function lengthOf(value: string, base: LengthBase): number | null {
  if (FUNCTION.test(value)) return new Calculation(value, base).result();
  const parts = NUMBER.exec(value);
  if (parts === null) return null;
  return Number(parts[1]) * unitPx(parts[2] ?? "px", base);
}

function unitPx(unit: string, { em, rem, whole }: LengthBase): number {
  if (unit === "em") return em;
  if (unit === "rem") return rem;
  if (unit === "%") return whole / 100;
  if (unit === "ex" || unit === "ch") return em / 2;
  // Of units that are not known, a number is as large as in em.
  return PX_OF_UNIT[unit] ?? em;
}

/** Tokens of one formula that are read, and how deep its brackets go. */
const MAX_TOKENS = 200;
const MAX_DEPTH = 16;
const TOKEN = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?|[a-z-]{1,20}\(|[-+*/(),]/g;

/** Evaluates `calc()`, `min()`, `max()` and `clamp()`. */
class Calculation {
  readonly #tokens: string[];
  readonly #base: LengthBase;
  #at = 0;

  constructor(text: string, base: LengthBase) {
    this.#tokens = (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS);
    this.#base = base;
  }

  result(): number | null {
    const value = this.#sum(0);
    return Number.isNaN(value) ? null : value;
  }

  #sum(depth: number): number {
    if (depth > MAX_DEPTH) return Number.NaN;
    let sum = this.#product(depth);
    for (;;) {
      const sign = this.#tokens[this.#at];
      if (sign === undefined || sign === ")" || sign === ",") return sum;
      // In `1px -2px` the sign is part of the number.
      if (sign === "+" || sign === "-") this.#at += 1;
      const next = this.#product(depth);
      if (Number.isNaN(next)) return next;
      sum += sign === "-" ? -next : next;
    }
  }

  #product(depth: number): number {
    let product = this.#value(depth);
    for (;;) {
      const sign = this.#tokens[this.#at];
      if (sign !== "*" && sign !== "/") return product;
      this.#at += 1;
      const next = this.#value(depth);
      product = sign === "*" ? product * next : product / next;
    }
  }

  #value(depth: number): number {
    const token = this.#tokens[this.#at] ?? "";
    this.#at += 1;
    if (token.endsWith("(")) return this.#called(token, depth);
    return NUMBER.test(token) ? (lengthOf(token, this.#base) ?? Number.NaN) : Number.NaN;
  }

  #called(name: string, depth: number): number {
    const values = [this.#sum(depth + 1)];
    while (this.#tokens[this.#at] === ",") {
      this.#at += 1;
      values.push(this.#sum(depth + 1));
    }
    this.#at += 1;
    const [first = Number.NaN, second = first, third = second] = values;
    if (name === "min(") return Math.min(...values);
    if (name === "max(") return Math.max(...values);
    if (name === "clamp(") return Math.max(first, Math.min(second, third));
    return first;
  }
}
