import { declarationsOf, plainCss, splitOutside, UNREAD, UNSURE, type Declaration } from "./css-text.ts";
import { lengthOf } from "./css-lengths.ts";
import { selectorsOf, type Selector } from "./css-selectors.ts";

/** Characters of all style sheets of a mail, and selectors in them, that are read. Gmail drops a sheet of more than 16 KB. */
export const MAX_SHEET_CHARS = 250_000;
export const MAX_SELECTORS = 6_000;
/** Characters of declarations that are read: rules inside of others are read once more for each rule around them. */
const MAX_BODY_CHARS = 2 * MAX_SHEET_CHARS;

/** A selector with what it declares; `order` is its place in the sheets. */
export interface Rule {
  selector: Selector;
  declarations: readonly Declaration[];
  order: number;
}

/** Whether rules under a condition apply: on every screen, only as far as they hide something, or never. */
type Validity = "sure" | "unsure" | "void";

/** The rules of a mail's style sheets. */
export interface Rules {
  rules: readonly Rule[];
  /** Whether the sheets are longer than the limits; then it is not known which text of the mail is shown. */
  isCut: boolean;
}

/** A style sheet of a mail, and the attribute `media` of its element. */
export interface Sheet {
  text: string;
  media: string;
  /** Set where it may not apply: then it hides, and shows nothing. */
  isUnsure?: true;
}

/** Reads style sheets in their order. Linear in their length. */
export function rulesOf(sheets: readonly Sheet[]): Rules {
  const reader = new SheetReader();
  let left = MAX_SHEET_CHARS;
  for (const { text, media, isUnsure } of sheets) {
    const validity = mediaValidity(media.toLowerCase());
    reader.read(plainCss(text.slice(0, left)), isUnsure === true ? both("unsure", validity) : validity);
    if (text.length > left) return { rules: reader.rules, isCut: true };
    left -= text.length;
  }
  return { rules: reader.rules, isCut: reader.isCut };
}

const CONDITION = /^@(media|supports|layer|container|scope|document|-moz-document)(?![\w-])\s*([^]*)$/i;

class SheetReader {
  readonly rules: Rule[] = [];
  #bodyCharsLeft = MAX_BODY_CHARS;
  #text = "";
  #at = 0;

  get isCut(): boolean {
    return this.rules.length > MAX_SELECTORS || this.#bodyCharsLeft < 0;
  }

  read(text: string, validity: Validity): void {
    this.#text = text;
    this.#at = 0;
    const conditions: Validity[] = [validity];
    while (this.#at < text.length && !this.isCut) {
      const end = this.#next(/[{};]/g);
      if (end === -1) return;
      const prelude = preludeOf(text.slice(this.#at, end));
      this.#at = end + 1;
      if (text[end] === "}") {
        if (conditions.length > 1) conditions.pop();
      } else if (text[end] === "{") {
        const condition = CONDITION.exec(prelude);
        if (condition === null) this.#block(prelude, conditions.at(-1) ?? "sure");
        else conditions.push(both(conditions.at(-1) ?? "sure", validityOf(condition)));
      }
    }
  }

  #next(marks: RegExp): number {
    marks.lastIndex = this.#at;
    return marks.exec(this.#text)?.index ?? -1;
  }

  /** Reads what stands in braces: declarations, and rules inside them. */
  #block(prelude: string, validity: Validity): void {
    const { own, inner } = this.#body();
    // Fonts, pages and key frames style no element.
    if (prelude.startsWith("@") || validity === "void") return;
    this.#rule(prelude, own, validity);
    // A rule inside another matches at most what its own selector matches.
    for (const { prelude: nested, body } of inner) {
      const isPlain = !nested.startsWith("@") && !nested.includes("&");
      this.#rule(isPlain ? nested : "*", body, "unsure");
    }
  }

  #body(): { own: string; inner: { prelude: string; body: string }[] } {
    const inner: { prelude: string; body: string }[] = [];
    let own = "";
    const open: { prelude: string; start: number }[] = [];
    let start = this.#at;
    for (;;) {
      const end = this.#next(/[{};]/g);
      const mark = end === -1 ? "" : this.#text[end];
      const stop = end === -1 ? this.#text.length : end;
      this.#at = stop + 1;
      if (mark === ";" && open.length === 0) {
        own += this.#text.slice(start, stop + 1);
        start = stop + 1;
      } else if (mark === "{") {
        open.push({ prelude: preludeOf(this.#text.slice(start, stop)), start: stop + 1 });
        start = stop + 1;
      } else if (mark !== ";") {
        const ended = open.pop();
        if (ended === undefined) return { own: own + this.#text.slice(start, stop), inner };
        inner.push({ prelude: ended.prelude, body: this.#text.slice(ended.start, stop) });
        start = stop + 1;
        if (mark === "") return { own, inner };
      } else {
        start = stop + 1;
      }
    }
  }

  #rule(prelude: string, body: string, validity: Validity): void {
    this.#bodyCharsLeft -= body.length;
    if (this.isCut) return;
    const declarations = declarationsOf(body);
    if (declarations.length === 0) return;
    const hiding = declarations.filter(hides);
    for (const selector of selectorsOf(prelude)) {
      const chosen = validity === "unsure" || selector.isUnsure ? hiding : declarations;
      if (this.isCut) return;
      if (chosen.length > 0) this.rules.push({ selector, declarations: chosen, order: this.rules.length });
    }
  }
}

/** The text before a brace, without long gaps, which regular expressions would pass over again and again. */
function preludeOf(text: string): string {
  return text.trim().replaceAll(/\s{20,}/g, " ");
}

/** Values that can only hide, by property. */
const HIDING: Readonly<Record<string, RegExp>> = {
  display: /^none$/,
  visibility: /^(?:hidden|collapse)$/,
  opacity: /^0?\.?0*$/,
  color: /^transparent$/,
  "-webkit-text-fill-color": /^transparent$/,
  "font-size": /^0/,
  "line-height": /^0/,
  height: /^0/,
  "max-height": /^0/,
  width: /^0/,
  "max-width": /^0/,
  "overflow-x": /^(?:hidden|clip)$/,
  "overflow-y": /^(?:hidden|clip)$/,
  "content-visibility": /^hidden$/,
};

/** Whether a declaration can only hide. */
export function hides({ name, value }: Declaration): boolean {
  return name === UNREAD || name === UNSURE || isHidingValue(name, value);
}

function isHidingValue(name: string, value: string): boolean {
  return HIDING[name]?.test(value) ?? false;
}

const ORDER: readonly Validity[] = ["sure", "unsure", "void"];

function both(one: Validity, two: Validity): Validity {
  return ORDER[Math.max(ORDER.indexOf(one), ORDER.indexOf(two))] ?? "void";
}

function validityOf([, name = "", condition = ""]: RegExpExecArray): Validity {
  return name.toLowerCase() === "media" ? mediaValidity(condition.toLowerCase()) : "unsure";
}

/** Widths of windows in px: a rule that holds for some of them only may hide, and shows nothing. */
const WIDTHS = [1024, 1280, 1600];

/** A list of media queries: of a screen in light colours, with a window as wide as those of a desk. */
export function mediaValidity(list: string): Validity {
  if (list.trim() === "") return "sure";
  const results = splitOutside(list.replaceAll(/\s+/g, " "), ",").map((query) => queryValidity(query.trim()));
  return results.reduce((best, each) => (ORDER.indexOf(each) < ORDER.indexOf(best) ? each : best), "void");
}

function queryValidity(query: string): Validity {
  const isNot = /^not\s/.test(query);
  const parts = query.replace(/^(?:only|not)\s+/, "").split(/\s+and\s+/);
  const each = parts.map(partValidity);
  const all = each.reduce(both, "sure");
  if (!isNot) return all;
  if (all === "unsure") return all;
  return all === "void" ? "sure" : "void";
}

function partValidity(part: string): Validity {
  if (/^[a-z]+$/.test(part)) return part === "screen" || part === "all" ? "sure" : "void";
  const [, feature = "", value = ""] = /^\(\s*([\w-]+)\s*(?::\s*([^()]*?)\s*)?\)$/.exec(part) ?? [];
  if (/^(?:min|max)-(?:device-)?width$/.test(feature)) return widthValidity(feature, value);
  if (feature === "prefers-color-scheme" && value === "light") return "sure";
  if (feature === "prefers-color-scheme" && value === "dark") return "void";
  return "unsure";
}

function widthValidity(feature: string, value: string): Validity {
  const px = /^(?:\d*\.?\d+(?:px|r?em|pt|in|cm|mm)|0)$/.test(value)
    ? lengthOf(value, { em: 16, rem: 16, whole: 0 })
    : null;
  if (px === null) return "unsure";
  const fitting = WIDTHS.filter((width) => (feature.startsWith("min") ? width >= px : width <= px));
  if (fitting.length === 0) return "void";
  return fitting.length === WIDTHS.length ? "sure" : "unsure";
}
