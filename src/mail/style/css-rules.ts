import { lengthOf } from "./css-lengths.ts";
import { costOfCss, declarationsIn, isUnderstood, type Declaration } from "./css-properties.ts";
import { selectorsOf, type Selector } from "./css-selectors.ts";
import {
  CssScanner,
  isCustom,
  lowerCss,
  plainAddress,
  plainCss,
  revealed,
  splitOutside,
  writtenOf,
} from "./css-text.ts";

/** Characters of all style sheets of a mail, and selectors in them, that are read. Gmail drops a sheet of more than 16 KB. */
export const MAX_SHEET_CHARS = 250_000;
export const MAX_SELECTORS = 6_000;
/** Characters of selectors that are put together of rules inside of others. */
const MAX_NESTED_CHARS = 100_000;
const MAX_DEPTH = 50;
const MAX_IMPORTS = 20;
/** Steps of one animation. */
const MAX_FRAMES = 200;
/** Conditions that may hold or not: the mail is judged with all of their combinations. */
export const MAX_CONDITIONS = 3;

/** A layer of the cascade (CSS Cascade 5 §6.4). */
interface Layer {
  rank: number;
  inner: Map<string, Layer>;
}

/** A selector with what it declares; `order` is its place in the sheets. */
export interface Rule {
  selector: Selector;
  declarations: readonly Declaration[];
  order: number;
  layer: Readonly<Pick<Layer, "rank">>;
  /** The conditions that it depends on, each a bit; what it matches is hidden if it has `NOT_JUDGED`. */
  conditions: number;
}

/** Bit of a rule of which nobody can say whether it applies. */
export const NOT_JUDGED = 1 << 30;

/** The contents of the style sheets of a mail. */
export interface Rules {
  rules: readonly Rule[];
  /** Number of the conditions that may hold or not. */
  conditions: number;
  /** The steps of animations, by name. */
  keyframes: ReadonlyMap<string, readonly (readonly Declaration[])[]>;
  /** Names of fonts in the mail itself whose letters may have any size and form. */
  fonts: ReadonlySet<string>;
  /** Custom properties that are registered, which have other values than those that are written. */
  registered: ReadonlySet<string>;
  /** Whether the sheets are longer than the limits; then it is not known which text of the mail is shown. */
  isCut: boolean;
}

/** A style sheet of a mail, and the attribute `media` of its element. */
export interface Sheet {
  text: string;
  media: string;
  /** Set where it may not apply. */
  isUnsure?: true;
}

/** The style sheet that a `link` holds in its address; null where it holds none. Sheets that lie elsewhere are not loaded. */
export function sheetOfLink(attributes: ReadonlyMap<string, string>): Sheet | null {
  const relations = (attributes.get("rel") ?? "").toLowerCase().split(/\s+/);
  if (!relations.includes("stylesheet") || attributes.has("disabled")) return null;
  const text = sheetInAddress(attributes.get("href") ?? "");
  if (text === null) return null;
  const media = attributes.get("media") ?? "";
  // The reader's program may let him choose it.
  return relations.includes("alternate") ? { text, media, isUnsure: true } : { text, media };
}

function sheetInAddress(address: string): string | null {
  const [, type = "", coding, data = ""] =
    /^data:([^,;]*)(?:;[^,;]*)*?(;\s*base64\s*)?,([^#]*)/i.exec(plainAddress(address)) ?? [];
  if (!/^text\/css$/i.test(type.trim())) return null;
  try {
    const bytes =
      coding === undefined
        ? data
        : Array.from(
            atob(decodeURIComponent(data)),
            (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`,
          ).join("");
    return decodeURIComponent(bytes.replaceAll(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    // A text in another encoding: its rules are not known.
    return "*{opacity:if()}";
  }
}

/** Whether rules apply: `isVoid` they never do; else if all of their conditions hold. */
interface When {
  isVoid: boolean;
  conditions: readonly string[];
}
const ALWAYS: When = { isVoid: false, conditions: [] };
const NEVER: When = { isVoid: true, conditions: [] };
/** Stands for a condition that is judged for each element anew. */
const FOR_EACH = "*";

const onlyIf = (when: When, next: When): When => ({
  isVoid: when.isVoid || next.isVoid,
  conditions: [...when.conditions, ...next.conditions],
});

/** Reads style sheets in their order. Linear in their length. */
export function rulesOf(sheets: readonly Sheet[]): Rules {
  const reader = new SheetReader();
  for (const { text, media, isUnsure } of sheets) {
    const when = mediaOf(media.toLowerCase());
    reader.read(text, isUnsure === true ? onlyIf(when, { isVoid: false, conditions: ["unsure"] }) : when);
  }
  return reader.result();
}

/** The context of the rule that is read. */
interface Around {
  when: When;
  layer: Layer;
  /** The selectors of the rule around it; null outside of rules. */
  selectors: string | null;
  depth: number;
}

class SheetReader {
  readonly #rules: (Omit<Rule, "conditions"> & { when: readonly string[] })[] = [];
  readonly #keyframes = new Map<string, (readonly Declaration[])[]>();
  readonly #fonts = new Set<string>();
  readonly #registered = new Set<string>();
  readonly #unlayered: Layer = { rank: 0, inner: new Map() };
  #charsLeft = MAX_SHEET_CHARS;
  #nestedCharsLeft = MAX_NESTED_CHARS;
  #importsLeft = MAX_IMPORTS;
  #scanner = new CssScanner("");
  #mayImport = false;

  get #isCut(): boolean {
    return this.#rules.length > MAX_SELECTORS || this.#charsLeft < 0 || this.#nestedCharsLeft < 0;
  }

  read(text: string, when: When, layer = this.#unlayered): void {
    this.#charsLeft -= costOfCss(text);
    if (this.#isCut || when.isVoid) return;
    const outer = this.#scanner;
    this.#scanner = new CssScanner(plainCss(text));
    this.#mayImport = true;
    this.#contents({ when, layer, selectors: null, depth: 0 }, true);
    this.#scanner = outer;
  }

  result(): Rules {
    rank(this.#unlayered, 0);
    const names = [...new Set(this.#rules.flatMap(({ when }) => when))].filter((name) => name !== FOR_EACH);
    const bitOf = (name: string): number =>
      name === FOR_EACH || names.length > MAX_CONDITIONS ? NOT_JUDGED : 1 << names.indexOf(name);
    return {
      rules: this.#rules.map(({ when, ...rule }) => ({
        ...rule,
        conditions: when.reduce((bits, name) => bits | bitOf(name), 0),
      })),
      conditions: names.length > MAX_CONDITIONS ? 0 : names.length,
      keyframes: this.#keyframes,
      fonts: this.#fonts,
      registered: this.#registered,
      isCut: this.#isCut,
    };
  }

  /** Reads rules and declarations up to the end of the block. */
  #contents(around: Around, isTop = false): void {
    const scanner = this.#scanner;
    let own = "";
    const flush = (): void => {
      if (around.selectors !== null) this.#rule(around.selectors, own, around);
      own = "";
    };
    for (let start = scanner.at; scanner.at <= scanner.text.length && !this.#isCut; start = scanner.at) {
      const mark = this.#nextOf(start, isTop);
      const text = scanner.text.slice(start, mark === "" ? scanner.text.length : scanner.at - 1);
      if (mark === "{") {
        flush();
        this.#block(preludeOf(text), around);
      } else {
        if (isAtRule(text)) this.#statement(preludeOf(text), around);
        else own += `${text};`;
        if (mark !== ";") break;
      }
    }
    flush();
  }

  /** The mark that ends a declaration, or the beginning of a rule. */
  #nextOf(start: number, isTop: boolean): string {
    const scanner = this.#scanner;
    for (;;) {
      const mark = scanner.next();
      const text = scanner.text.slice(start, scanner.at);
      if (mark === "{" && !isTop && isCustom(text)) scanner.skipBlock();
      // Outside of rules both are part of the next selector.
      else if (!(isTop && (mark === "}" || (mark === ";" && !isAtRule(text))))) return mark;
    }
  }

  #block(prelude: string, around: Around): void {
    if (!isAtRule(prelude)) {
      this.#mayImport = false;
      const selectors = this.#nested(prelude, around.selectors);
      if (around.depth < MAX_DEPTH && !around.when.isVoid)
        this.#contents({ ...around, selectors, depth: around.depth + 1 });
      else this.#scanner.skipBlock();
      return;
    }
    const [, name = "", rest = ""] = /^@([\w-]+)\s*([^]*)$/.exec(lowerCss(prelude)) ?? [];
    if (name !== "layer" || rest === "") this.#mayImport = false;
    const inner = this.#inner(name, rest, around);
    if (inner === null || inner.when.isVoid || around.depth >= MAX_DEPTH) {
      this.#named(name, rest, around);
      return;
    }
    this.#contents({ ...inner, depth: around.depth + 1 });
  }

  /** The context of the rules in an at-rule; null if no rules for elements are in it. */
  #inner(name: string, rest: string, around: Around): Around | null {
    const under = (when: When): Around => ({ ...around, when: onlyIf(around.when, when) });
    switch (name) {
      case "media":
        return under(mediaOf(rest));
      case "supports":
        return under(supportOf(rest));
      case "layer":
        return { ...around, layer: layerIn(around.layer, rest) };
      case "container":
      case "scope":
      case "starting-style":
        return under({ isVoid: false, conditions: [FOR_EACH] });
      case "document":
      case "-moz-document":
        return under(NEVER);
      default:
        return null;
    }
  }

  /** Reads a block that is not rules for elements. */
  #named(name: string, rest: string, around: Around): void {
    const start = this.#scanner.at;
    this.#scanner.skipBlock();
    const text = this.#scanner.text.slice(start, this.#scanner.at - 1);
    if (around.when.isVoid) return;
    if (name === "property") this.#registered.add(rest.trim());
    else if (name === "font-face" && isOddFont(text)) this.#fonts.add(familyOf(text));
    else if (/^(?:-\w+-)?keyframes$/.test(name)) {
      const frames = text.split("{", MAX_FRAMES + 2).slice(1);
      if (frames.length > MAX_FRAMES) this.#charsLeft = -1;
      // Of two animations of one name, the later one counts, unless a condition keeps it from that.
      const key = rest.trim().replaceAll('"', "");
      const read = frames.map((frame) => declarationsIn(frame.split("}", 1)[0] ?? ""));
      this.#keyframes.set(key, [...(this.#keyframes.get(key) ?? []), ...read].slice(-MAX_FRAMES));
    }
  }

  #statement(prelude: string, around: Around): void {
    const [, name = "", rest = ""] = /^@([\w-]+)\s*([^]*)$/.exec(prelude) ?? [];
    const kind = name.toLowerCase();
    if (kind === "layer") for (const one of rest.split(",")) layerIn(around.layer, one);
    else if (kind === "import" && this.#mayImport && around.depth === 0) this.#import(rest, around);
    else if (kind !== "charset") {
      // Types of elements are then those of another namespace.
      if (kind === "namespace" && /^(?:"|url\()/i.test(rest)) this.#namespaced = true;
      this.#mayImport = false;
    }
  }

  #namespaced = false;

  #import(rest: string, { when, layer }: Around): void {
    const [, address = "", behind = ""] = /^(?:url\(\s*)?"([^"]*)"\s*\)?([^]*)$/i.exec(rest) ?? [];
    const text = sheetInAddress(revealed(address));
    if (text === null) return;
    if ((this.#importsLeft -= 1) < 0) {
      this.#charsLeft = -1;
      return;
    }
    const [, isLayer, name, supports, media = ""] =
      /^\s*(layer(?:\(([^()]*)\))?)?\s*(?:supports(\((?:[^()]|\([^()]*\))*\)))?([^]*)$/i.exec(
        lowerCss(behind),
      ) ?? [];
    const within = isLayer === undefined ? layer : layerIn(layer, name ?? "");
    const isHere = onlyIf(when, mediaOf(media));
    this.read(
      text,
      supports === undefined ? isHere : onlyIf(isHere, { isVoid: false, conditions: [supports] }),
      within,
    );
    this.#mayImport = true;
  }

  /** The selectors of a rule inside another (CSS Nesting). */
  #nested(prelude: string, around: string | null): string {
    if (around === null) return prelude.includes("&") ? prelude.replaceAll("&", ":root") : prelude;
    const parent = `:is(${around})`;
    const selectors = splitOutside(prelude, ",").map((one) => {
      const text = one.trim();
      return text.includes("&") ? text.replaceAll("&", () => parent) : `${parent} ${text}`;
    });
    this.#nestedCharsLeft -= selectors.reduce((sum, { length }) => sum + length, 0);
    return this.#isCut ? "" : selectors.join(",");
  }

  #rule(prelude: string, body: string, { when, layer }: Around): void {
    if (this.#isCut || when.isVoid || body.trim() === "") return;
    const declarations = declarationsIn(body);
    if (declarations.length === 0) return;
    const { selectors, isDoubtful } = selectorsOf(prelude);
    // One selector that is not valid makes the whole rule void, if the browser does not know it.
    const doubts = isDoubtful ? [prelude] : [];
    for (const selector of selectors) {
      if (this.#isCut) return;
      const isUnsure = selector.isUnsure || this.#namespaced;
      const conditions = isUnsure ? [FOR_EACH] : doubts;
      const order = this.#rules.length;
      this.#rules.push({ selector, declarations, order, layer, when: [...when.conditions, ...conditions] });
    }
  }
}

const isAtRule = (text: string): boolean => /^(?:\s|<!--|-->)*@/.test(text);

/** The text before a brace, without long gaps, which regular expressions would pass over again and again. */
function preludeOf(text: string): string {
  return text
    .replaceAll(/\s{20,}/g, " ")
    .replace(/^(?:\s|<!--|-->)+/, "")
    .trim();
}

function layerIn(layer: Layer, name: string): Layer {
  let found = layer;
  const names = name.trim() === "" ? [`{${layer.inner.size}`] : name.trim().split(".");
  for (const one of names.slice(0, MAX_DEPTH)) {
    const inner: Layer = found.inner.get(one) ?? { rank: 0, inner: new Map() };
    found.inner.set(one, inner);
    found = inner;
  }
  return found;
}

/** Layers count more the later they are, and what is in no layer counts most. */
function rank(layer: Layer, from: number): number {
  let next = from;
  for (const inner of layer.inner.values()) next = rank(inner, next);
  layer.rank = next;
  return next + 1;
}

/** Whether the letters of a font may have another size or form than their characters: it lies in the mail, or is resized. */
function isOddFont(text: string): boolean {
  return (
    /size-adjust|ascent-override|descent-override|line-gap-override/i.test(text) || /"data\ue13a/i.test(text)
  );
}

function familyOf(text: string): string {
  const [, family = ""] = /font-family\s*:\s*([^;]*)/i.exec(text) ?? [];
  return family.replaceAll('"', "").trim().toLowerCase();
}

/** A condition of `@supports`: known where it asks for what is judged here, and for nothing else. */
function supportOf(condition: string): When {
  const [, text = ""] = /^\(([^()]*)\)$/.exec(condition.trim()) ?? [];
  const written = writtenOf(text);
  if (written !== null && isUnderstood(written)) return ALWAYS;
  return { isVoid: false, conditions: [condition.replaceAll(/\s+/g, " ")] };
}

/** Widths of windows in px: a condition that holds for some of them only is judged both ways. */
const WIDTHS = [1024, 1280, 1600];

/** A list of media queries: of a screen in light colours, with a window as wide as those of a desk. */
export function mediaOf(list: string): When {
  if (list.trim() === "") return ALWAYS;
  const queries = splitOutside(list.replaceAll(/\s+/g, " "), ",").map((query) => query.trim());
  const results = queries.map(queryResult);
  if (results.includes(true)) return ALWAYS;
  if (!results.includes(null)) return NEVER;
  return { isVoid: false, conditions: [`@${queries.filter((_, at) => results[at] === null).join(",")}`] };
}

/** Null: it depends on the program and its window. */
type Result = boolean | null;

const every = (results: readonly Result[]): Result =>
  results.includes(false) ? false : results.includes(null) ? null : true;
const not = (result: Result): Result => (result === null ? null : !result);

function queryResult(query: string): Result {
  const isNot = /^not (?!\()/.test(query);
  const [first = "", ...rest] = query
    .replace(isNot ? /^not / : /^only (?=[a-z])/, "")
    .split(/ and (?=[(\w])/);
  const isType = /^[a-z-]+$/.test(first);
  if (isType && /^(?:not|only|and|or|layer)$/.test(first)) return false;
  const type = isType ? first === "screen" || first === "all" : partResult(first);
  const result = every([type, ...rest.map(partResult)]);
  return isNot ? not(result) : result;
}

function partResult(part: string): Result {
  const negated = /^not (\(.*\))$/.exec(part)?.[1];
  if (negated !== undefined) return not(partResult(negated));
  const [, feature = "", value] = /^\(\s*([\w-]+)\s*(?::\s*([^()]*?)\s*)?\)$/.exec(part) ?? [];
  if (/^(?:min|max)-(?:device-)?width$/.test(feature)) return widthResult(feature, value ?? "");
  if (feature === "prefers-color-scheme" && value === "light") return true;
  if (feature === "prefers-color-scheme" && value === "dark") return false;
  return FEATURES[value === undefined ? feature : `${feature}:${value}`] ?? null;
}

/** The answers of mail programs on a desktop. */
const FEATURES: Readonly<Record<string, boolean>> = {
  color: true,
  monochrome: false,
  "-webkit-min-device-pixel-ratio:0": true,
  "min--moz-device-pixel-ratio:0": false,
  grid: false,
  "grid:0": true,
  "prefers-contrast:more": false,
  "forced-colors:active": false,
  "inverted-colors:inverted": false,
  "-ms-high-contrast:none": false,
  "-ms-high-contrast:active": false,
  "-ms-high-contrast": false,
};

function widthResult(feature: string, value: string): Result {
  const px = /^(?:\d*\.?\d+(?:px|r?em|pt|in|cm|mm)|0)$/.test(value)
    ? lengthOf(value, { em: 16, rem: 16, whole: 0 })
    : null;
  if (px === null) return null;
  const fitting = WIDTHS.filter((width) => (feature.startsWith("min") ? width >= px : width <= px));
  if (fitting.length === 0) return false;
  return fitting.length === WIDTHS.length ? true : null;
}
