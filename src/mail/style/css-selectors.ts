import { opaqueString, splitOutside, wordsOfValue } from "./css-text.ts";

/** An element as selectors see it. Siblings are those elements of one parent that came before. */
export interface Selectable {
  name: string;
  namespace: "html" | "svg" | "math";
  attributes: ReadonlyMap<string, string>;
  parent: Selectable | null;
  previous: Selectable | null;
  /** Its classes as selectors write them; null until they are asked for. */
  classes: readonly string[] | null;
}

interface AttributeTest {
  name: string;
  operator: string;
  /** In lower case. */
  value: string;
}

/** Conditions on one element, and how it stands to the element of the next compound: " ", ">", "+", "~"; "" for none. */
interface Compound {
  tag: string;
  ids: readonly string[];
  classes: readonly string[];
  tests: readonly AttributeTest[];
  pseudos: readonly Pseudo[];
  towards: string;
}

type Pseudo =
  | { kind: "any" | "none"; of: readonly Compound[][] }
  | { kind: "nth"; step: number; offset: number }
  | { kind: "root" | "link" | "checked" };

/** A complex selector, its rightmost compound first. */
export interface Selector {
  compounds: readonly Compound[];
  specificity: number;
  /** Whether parts of it are not read, so that it may match fewer elements than it seems to. */
  isUnsure: boolean;
}

/** Compounds of one selector, and brackets in it, that are read. */
const MAX_COMPOUNDS = 40;
/** Selectors in one pair of brackets. */
const MAX_LISTED = 200;
const MAX_DEPTH = 3;

/** States that no mail has while it is read, and parts of elements. */
const NEVER =
  /^(?::(?:hover|focus|focus-within|focus-visible|active|visited|target|before|after|first-letter|placeholder|selection)|::(?!first-line).*)$/;

/** The selectors of a prelude, which is plain CSS. Those that can match nothing are left out. */
export function selectorsOf(prelude: string): Selector[] {
  const list = splitOutside(prelude, ",");
  const read = list.map((text) => new SelectorText(text.trim()).read());
  // One member that is not valid makes the whole rule void in browsers; whether it is, is not known here.
  const isUnsure = read.some((one) => one === "unread" || (one !== "never" && one.isUnsure));
  return read.flatMap((one, at) => {
    if (one === "never") return [];
    if (one === "unread") return list[at]?.trim() === "" ? [] : [lastOf(list[at] ?? "")];
    return [isUnsure ? { ...one, isUnsure } : one];
  });
}

/** A selector that cannot be read, as the part of it that names the element; of any element if that cannot be read either. */
function lastOf(text: string): Selector {
  const last = wordsOfValue(text.replaceAll(/[\s>+~]/g, " ")).at(-1) ?? "";
  const read = new SelectorText(last).read();
  const isRead = read !== "never" && read !== "unread";
  return {
    compounds: isRead ? read.compounds : [ANY],
    specificity: isRead ? read.specificity : 0,
    isUnsure: true,
  };
}

const ANY: Compound = { tag: "*", ids: [], classes: [], tests: [], pseudos: [], towards: "" };

/** Pseudo-classes without brackets. */
const SIMPLE: Readonly<Record<string, Pseudo>> = {
  ":root": { kind: "root" },
  ":link": { kind: "link" },
  ":any-link": { kind: "link" },
  ":checked": { kind: "checked" },
  ":first-child": { kind: "nth", step: 0, offset: 1 },
};

/** A compound while it is read. */
interface OpenCompound extends Compound {
  ids: string[];
  classes: string[];
  tests: AttributeTest[];
  pseudos: Pseudo[];
}

type ReadSelector = Selector | "never" | "unread";

const NAME = /^(?:[\w-]|\P{ASCII})+/u;
const TAG = /^(?:\*|(?:[\w-]|\P{ASCII})+)/u;
/** The namespace of a name. Elements of HTML are in one. */
const NAMESPACE = /^(?:\*|(?:[\w-]|\P{ASCII})+)?\|(?!=)/u;
/** Browsers take no class or id that begins so. */
const NO_NAME = /^-?\d/;
const WEIGHT = { id: 1_000_000, class: 1_000, tag: 1 };

/** Reads one complex selector. */
class SelectorText {
  #rest: string;
  readonly #depth: number;
  #specificity = 0;
  #isUnsure = false;
  #isNever = false;

  constructor(text: string, depth = 0) {
    this.#rest = text;
    this.#depth = depth;
  }

  read(): ReadSelector {
    const compounds: Compound[] = [];
    let towards = "";
    while (this.#rest !== "") {
      const compound = this.#compound(towards);
      if (compound === null || compounds.length === MAX_COMPOUNDS) return "unread";
      compounds.unshift(compound);
      const [all, mark = ""] = /^\s*([>+~]?)\s*/.exec(this.#rest) ?? [""];
      this.#rest = this.#rest.slice(all.length);
      towards = mark === "" ? " " : mark;
      if (all === "" && this.#rest !== "") return "unread";
    }
    if (this.#isNever) return "never";
    if (compounds.length === 0) return "unread";
    return { compounds, specificity: this.#specificity, isUnsure: this.#isUnsure };
  }

  #take(form: RegExp): string | null {
    const found = form.exec(this.#rest)?.[0];
    if (found === undefined) return null;
    this.#rest = this.#rest.slice(found.length);
    return found;
  }

  #compound(towards: string): Compound | null {
    const found: OpenCompound = { tag: "*", ids: [], classes: [], tests: [], pseudos: [], towards };
    const start = this.#rest;
    const namespace = this.#take(NAMESPACE);
    if (namespace !== null && namespace !== "*|") this.#isUnsure = true;
    const tag = this.#take(TAG);
    if (tag !== null) {
      found.tag = tag.toLowerCase();
      if (tag !== "*") this.#specificity += WEIGHT.tag;
    }
    while (/^[#.[:]/.test(this.#rest)) if (!this.#condition(found)) return null;
    return this.#rest === start ? null : found;
  }

  /** Reads one id, class, attribute or pseudo-class into a compound; false if it cannot be read. */
  #condition(found: OpenCompound): boolean {
    const mark = this.#rest[0];
    if (mark === "[") {
      const test = this.#attribute();
      if (test !== null) found.tests.push(test);
      return test !== null;
    }
    if (mark === ":") {
      const pseudo = this.#pseudo();
      if (pseudo !== null) found.pseudos.push(pseudo);
      return true;
    }
    this.#rest = this.#rest.slice(1);
    const name = this.#take(NAME);
    if (name === null) return false;
    // It may also be one that an escape begins.
    if (NO_NAME.test(name)) this.#isUnsure = true;
    (mark === "#" ? found.ids : found.classes).push(name);
    this.#specificity += mark === "#" ? WEIGHT.id : WEIGHT.class;
    return true;
  }

  #attribute(): AttributeTest | null {
    const text = this.#take(/^\[[^\]]*\]/);
    const parts =
      /^\[\s*(?:\*?\|)?([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|([^\s"\]]+))\s*[is]?\s*)?\]$/i.exec(
        text ?? "",
      );
    if (parts === null) return null;
    const [, name = "", operator = "", quoted, bare] = parts;
    this.#specificity += WEIGHT.class;
    return { name: name.toLowerCase(), operator, value: (quoted ?? bare ?? "").toLowerCase() };
  }

  #pseudo(): Pseudo | null {
    const name = (this.#take(/^::?[\w-]+/) ?? this.#take(/^:+/) ?? "").toLowerCase();
    const inside = this.#rest.startsWith("(") ? this.#brackets() : null;
    const simple = SIMPLE[name];
    if (simple !== undefined) return this.#counted(simple);
    if (NEVER.test(name)) this.#isNever = true;
    else if (name === ":nth-child") return this.#nth(inside ?? "");
    else if (/^:(?:not|is|where|matches|-webkit-any)$/.test(name)) return this.#listed(name, inside ?? "");
    else this.#isUnsure = true;
    return null;
  }

  #counted(pseudo: Pseudo): Pseudo {
    this.#specificity += WEIGHT.class;
    return pseudo;
  }

  #brackets(): string {
    let depth = 0;
    for (let at = 0; at < this.#rest.length; at += 1) {
      if (this.#rest[at] === "(") depth += 1;
      if (this.#rest[at] !== ")") continue;
      depth -= 1;
      if (depth > 0) continue;
      const inside = this.#rest.slice(1, at);
      this.#rest = this.#rest.slice(at + 1);
      return inside;
    }
    const inside = this.#rest.slice(1);
    this.#rest = "";
    return inside;
  }

  #nth(formula: string): Pseudo | null {
    const text = formula.toLowerCase().replaceAll(/\s/g, "").replace("odd", "2n+1").replace("even", "2n");
    const [, step, offset, alone] = /^(?:([+-]?\d*)n([+-]\d+)?|([+-]?\d+))$/.exec(text) ?? [];
    if (alone !== undefined) return this.#counted({ kind: "nth", step: 0, offset: Number(alone) });
    if (step === undefined) {
      this.#isUnsure = true;
      return null;
    }
    const factor = /\d/.test(step) ? Number(step) : step === "-" ? -1 : 1;
    return this.#counted({ kind: "nth", step: factor, offset: Number(offset ?? 0) });
  }

  #listed(name: string, inside: string): Pseudo | null {
    const isNot = name === ":not";
    const all = splitOutside(inside, ",");
    const texts = this.#depth < MAX_DEPTH && all.length <= MAX_LISTED ? all : [];
    const read = texts.map((text) => new SelectorText(text.trim(), this.#depth + 1).read());
    const known = read.flatMap((one) => (one === "never" || one === "unread" ? [] : [one]));
    if (texts.length === 0 || read.includes("unread") || known.some(({ isUnsure }) => isUnsure)) {
      this.#isUnsure = true;
      // What is not known may be excluded, or may match nothing.
      return null;
    }
    if (name !== ":where") this.#specificity += Math.max(0, ...known.map(({ specificity }) => specificity));
    return { kind: isNot ? "none" : "any", of: known.map(({ compounds }) => [...compounds]) };
  }
}

/** How much work is left. One comparison of an element is one step. */
export interface Work {
  left: number;
  /** Set by a comparison that holds only if capitals are as good as small letters, which depends on the document. */
  isLoose: boolean;
}

/** Whether a selector matches an element; with `work` used up nothing does. "loosely" where only some programs say so. */
export function matches(selector: Selector, element: Selectable, work: Work): boolean | "loosely" {
  work.isLoose = false;
  return matchesFrom(selector.compounds, 0, element, work) && (work.isLoose ? "loosely" : true);
}

function matchesFrom(compounds: readonly Compound[], at: number, element: Selectable, work: Work): boolean {
  const compound = compounds[at];
  work.left -= 1;
  if (compound === undefined || work.left <= 0 || !matchesCompound(compound, element, work)) return false;
  const next = compounds[at + 1];
  if (next === undefined) return true;
  return matchesAround(compound.towards, element, work, (other) =>
    matchesFrom(compounds, at + 1, other, work),
  );
}

/** Whether `test` holds for an element that stands to this one as a combinator says. */
function matchesAround(
  towards: string,
  element: Selectable,
  work: Work,
  test: (other: Selectable) => boolean,
): boolean {
  const isSibling = towards === "+" || towards === "~";
  const isNear = towards === "+" || towards === ">";
  for (
    let other = isSibling ? element.previous : element.parent;
    other !== null && other.name !== "";
    other = isSibling ? other.previous : other.parent
  ) {
    if (test(other)) return true;
    if (isNear || work.left <= 0) return false;
  }
  return false;
}

function matchesCompound(compound: Compound, element: Selectable, work: Work): boolean {
  const { tag, ids, classes, tests, pseudos } = compound;
  const { attributes } = element;
  if (tag !== "*" && tag !== element.name) return false;
  work.left -= ids.length + classes.length + tests.length;
  if (!ids.every((id) => isIn([idOf(attributes)], id, work))) return false;
  if (classes.length > 0) {
    const own = classesOf(element);
    work.left -= own.length;
    if (!classes.every((name) => work.left > 0 && isIn(own, name, work))) return false;
  }
  return (
    tests.every((test) => passes(test, attributes, work)) &&
    pseudos.every((pseudo) => matchesPseudo(pseudo, element, work))
  );
}

function isIn(names: readonly string[], name: string, work: Work): boolean {
  if (names.includes(name)) return true;
  const lower = name.toLowerCase();
  if (!names.some((one) => one.toLowerCase() === lower)) return false;
  work.isLoose = true;
  return true;
}

function matchesPseudo(pseudo: Pseudo, element: Selectable, work: Work): boolean {
  switch (pseudo.kind) {
    case "root":
      return element.name === "html";
    case "link":
      return (element.name === "a" || element.name === "area") && element.attributes.has("href");
    case "nth":
      return isNth(pseudo, placeOf(element, work));
    case "any":
      return pseudo.of.some((compounds) => matchesFrom(compounds, 0, element, work));
    case "checked":
      return element.attributes.has("checked") || element.attributes.has("selected");
    case "none":
      return matchesNone(pseudo.of, element, work);
  }
}

/** An element that is excluded only loosely is not excluded, loosely. */
function matchesNone(of: readonly Compound[][], element: Selectable, work: Work): boolean {
  const wasLoose = work.isLoose;
  for (const compounds of of) {
    work.isLoose = false;
    if (matchesFrom(compounds, 0, element, work) && !work.isLoose) return false;
    if (work.isLoose) return true;
  }
  work.isLoose = wasLoose;
  return true;
}

function isNth({ step, offset }: { step: number; offset: number }, place: number): boolean {
  const past = place - offset;
  return step === 0 ? past === 0 : past % step === 0 && past / step >= 0;
}

function placeOf(element: Selectable, work: Work): number {
  let place = 1;
  for (let other = element.previous; other !== null && work.left > 0; other = other.previous) {
    place += 1;
    work.left -= 1;
  }
  return place;
}

/** The classes of an element as selectors write them. */
export function classesOf(element: Selectable): readonly string[] {
  const text = element.attributes.get("class") ?? "";
  element.classes ??= text === "" ? NO_CLASSES : opaqueString(text).split(/\s+/);
  return element.classes;
}

const NO_CLASSES: readonly string[] = [];

/** The id of an element as selectors write it; "" without one. */
export function idOf(attributes: ReadonlyMap<string, string>): string {
  return opaqueString(attributes.get("id") ?? "");
}

/** Characters of an attribute's value that cost as much as a comparison. */
const CHARS_PER_STEP = 32;

function passes(
  { name, operator, value }: AttributeTest,
  attributes: ReadonlyMap<string, string>,
  work: Work,
): boolean {
  const written = attributes.get(name);
  if (written === undefined) return false;
  if (operator === "") return true;
  work.left -= Math.floor(written.length / CHARS_PER_STEP);
  if (work.left <= 0) return false;
  const own = opaqueString(written.toLowerCase());
  if (value === "") return operator === "=" && own === "";
  switch (operator) {
    case "=":
      return own === value;
    case "~=":
      return own.split(/\s+/).includes(value);
    case "|=":
      return own === value || own.startsWith(`${value}-`);
    case "^=":
      return own.startsWith(value);
    case "$=":
      return own.endsWith(value);
    default:
      return own.includes(value);
  }
}
