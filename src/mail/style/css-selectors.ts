import { opaqueString, splitOutside } from "./css-text.ts";

/** An element as selectors see it, in a tree that is whole. */
export interface Selectable {
  name: string;
  namespace: "html" | "svg" | "math";
  attributes: ReadonlyMap<string, string>;
  parent: Selectable | null;
  previous: Selectable | null;
  /** The last element inside it. */
  newest: Selectable | null;
  /** Its classes as selectors write them; null until they are asked for. */
  classes: readonly string[] | null;
}

/** Whether it is the `html` of the document. */
export const isRoot = (element: Selectable): boolean =>
  element.parent !== null && element.parent.parent === null;

interface AttributeTest {
  name: string;
  operator: string;
  value: string;
  /** Whether capitals are as good as small letters; null if that depends on the attribute. */
  isLoose: boolean | null;
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
  | { kind: "nth"; step: number; offset: number; isOfType: boolean; isFromEnd: boolean }
  | { kind: "root" | "link" | "visited" | "checked" };

/** The part of an element that a selector matches: all of it, its first line, or what a sheet puts into it. */
export type Part = "element" | "line" | "generated";

/** A complex selector, its rightmost compound first. */
export interface Selector {
  compounds: readonly Compound[];
  specificity: number;
  part: Part;
  /** Whether parts of it are not read, so that it may match fewer elements than it seems to. */
  isUnsure: boolean;
}

/** Compounds of one selector, and brackets in it, that are read. */
const MAX_COMPOUNDS = 40;
/** Selectors in one pair of brackets. */
const MAX_LISTED = 200;
const MAX_DEPTH = 3;

/** States that no mail has while it is read, and parts of elements that hold no text of it. */
const NEVER =
  /^:(?:hover|focus|focus-within|focus-visible|active|target|target-within|fullscreen|-webkit-full-screen|modal|popover-open|autofill|-webkit-autofill|user-valid|user-invalid|host)$|^::(?:placeholder|selection|marker|backdrop|file-selector-button|cue|spelling-error|grammar-error|target-text|-webkit-[\w-]+)$|^:(?:selection|placeholder)$/;
const PARTS: Readonly<Record<string, Part>> = {
  ":first-line": "line",
  "::first-line": "line",
  ":first-letter": "line",
  "::first-letter": "line",
  ":before": "generated",
  "::before": "generated",
  ":after": "generated",
  "::after": "generated",
};
/** Only some browsers know these; the others drop the whole rule. */
const OF_SOME = /^::?-(?:moz|ms|o|khtml)-|^::|^:(?:selection|placeholder|future|past|current)$/;

/** The selectors of a prelude, which is plain CSS, without those that can match nothing. */
export interface Selectors {
  selectors: Selector[];
  /** Whether browsers may leave out the whole rule, because they do not know one of the selectors. */
  isDoubtful: boolean;
}

const VOID: Selectors = { selectors: [], isDoubtful: false };

export function selectorsOf(prelude: string): Selectors {
  // No selector has these; a rule with one that is not valid is void as a whole.
  if (/[;{}!%/\ue001\ue003<]/.test(prelude)) return VOID;
  const list = splitOutside(prelude, ",").map((text) => text.trim());
  const texts = list.map((text) => new SelectorText(text));
  const read = texts.map((text) => text.read());
  if (read.includes("unread")) return VOID;
  return {
    selectors: read.flatMap((one) => (one === "never" || one === "unread" ? [] : [one])),
    isDoubtful:
      texts.some(({ isDoubtful }) => isDoubtful) ||
      read.some((one) => one !== "never" && one !== "unread" && one.isUnsure && list.length > 1),
  };
}

/** Pseudo-classes without brackets. */
const SIMPLE: Readonly<Record<string, Pseudo>> = {
  ":root": { kind: "root" },
  ":link": { kind: "link" },
  ":any-link": { kind: "link" },
  ":checked": { kind: "checked" },
  ":visited": { kind: "visited" },
  ":first-child": { kind: "nth", step: 0, offset: 1, isOfType: false, isFromEnd: false },
  ":last-child": { kind: "nth", step: 0, offset: 1, isOfType: false, isFromEnd: true },
  ":first-of-type": { kind: "nth", step: 0, offset: 1, isOfType: true, isFromEnd: false },
  ":last-of-type": { kind: "nth", step: 0, offset: 1, isOfType: true, isFromEnd: true },
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
  #part: Part = "element";
  isDoubtful = false;

  constructor(text: string, depth = 0) {
    this.#rest = text;
    this.#depth = depth;
  }

  read(): ReadSelector {
    const compounds: Compound[] = [];
    let towards = "";
    while (this.#rest !== "") {
      const isBehindPart = this.#part !== "element";
      const compound = this.#compound(towards);
      if (compound === null || isBehindPart) return "unread";
      // A longer one may match fewer elements than what is read of it.
      if (compounds.length === MAX_COMPOUNDS) this.#isUnsure = compounds.pop() !== undefined;
      compounds.unshift(compound);
      const [all, mark = ""] = /^\s*([>+~]?)\s*/.exec(this.#rest) ?? [""];
      this.#rest = this.#rest.slice(all.length);
      towards = mark === "" ? " " : mark;
      if ((all === "" && this.#rest !== "") || (mark !== "" && this.#rest === "")) return "unread";
    }
    if (this.#isNever) return "never";
    if (compounds.length === 0) return "unread";
    return { compounds, specificity: this.#specificity, isUnsure: this.#isUnsure, part: this.#part };
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
      if (NO_NAME.test(tag)) this.#isUnsure = true;
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
      /^\[\s*(?:\*?\|)?((?:[\w-]|\P{ASCII})+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"\s*|((?:[\w-]|\P{ASCII})+)(?:\s+|(?=\])))([is]?)\s*)?\]$/iu.exec(
        text ?? "",
      );
    if (parts === null) return null;
    const [, name = "", operator = "", quoted, bare, flag = ""] = parts;
    if (bare !== undefined && NO_NAME.test(bare)) this.#isUnsure = true;
    this.#specificity += WEIGHT.class;
    const isLoose = flag === "" ? null : flag.toLowerCase() === "i";
    return { name: name.toLowerCase(), operator, value: quoted ?? bare ?? "", isLoose };
  }

  #pseudo(): Pseudo | null {
    const name = (this.#take(/^::?[\w-]+/) ?? this.#take(/^:+/) ?? "").toLowerCase();
    const inside = this.#rest.startsWith("(") ? this.#brackets() : null;
    const simple = SIMPLE[name];
    const part = PARTS[name];
    if ((simple ?? part) !== undefined) return this.#plain(simple, part, inside !== null);
    return this.#other(name, inside);
  }

  #other(name: string, inside: string | null): Pseudo | null {
    if (NEVER.test(name) || OF_SOME.test(name)) {
      this.#isNever = true;
      if (inside !== null || OF_SOME.test(name)) this.isDoubtful = true;
    } else if (/^:nth-(?:last-)?(?:child|of-type)$/.test(name)) return this.#nth(name, inside ?? "");
    else if (/^:(?:not|is|where|-webkit-any)$/.test(name)) return this.#listed(name, inside ?? "");
    // An element with a text is not empty.
    else if (name === ":empty" && this.#rest === "") this.#isNever = true;
    else this.#isUnsure = true;
    return null;
  }

  #plain(simple: Pseudo | undefined, part: Part | undefined, hasBrackets: boolean): Pseudo | null {
    this.#isUnsure ||= hasBrackets;
    this.#part = part ?? this.#part;
    return simple === undefined ? null : this.#counted(simple);
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

  #nth(name: string, formula: string): Pseudo | null {
    const kind = { kind: "nth", isOfType: name.endsWith("type"), isFromEnd: name.includes("last") } as const;
    const text = formula
      .trim()
      .toLowerCase()
      .replace(/^odd$/, "2n+1")
      .replace(/^even$/, "2n");
    const [, step, sign = "", offset, alone] =
      /^(?:([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+))$/.exec(text) ?? [];
    if (alone !== undefined) return this.#counted({ ...kind, step: 0, offset: Number(alone) });
    if (step === undefined) {
      this.#isUnsure = true;
      return null;
    }
    const factor = /\d/.test(step) ? Number(step) : step === "-" ? -1 : 1;
    return this.#counted({ ...kind, step: factor, offset: Number(`${sign}${offset ?? 0}`) });
  }

  #listed(name: string, inside: string): Pseudo | null {
    const isNot = name === ":not";
    const all = splitOutside(inside, ",");
    const texts = this.#depth < MAX_DEPTH && all.length <= MAX_LISTED ? all : [];
    const read = texts.map((text) => new SelectorText(text.trim(), this.#depth + 1).read());
    const known = read.flatMap((one) => (one === "never" || one === "unread" ? [] : [one]));
    const isRead = known.every(({ isUnsure, part }) => !isUnsure && part === "element");
    if (texts.length === 0 || read.includes("unread") || !isRead) {
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
      return isRoot(element);
    case "link":
      return (element.name === "a" || element.name === "area") && element.attributes.has("href");
    // A link to the document itself leads to where its reader has been.
    case "visited":
      return element.name === "a" && /^\s*(?:#|$)/.test(element.attributes.get("href") ?? "x");
    case "nth":
      return isNth(pseudo, placeOf(element, pseudo, work));
    case "any":
      return pseudo.of.some((compounds) => matchesFrom(compounds, 0, element, work));
    case "checked":
      return (
        (element.name === "input" && element.attributes.has("checked")) ||
        (element.name === "option" && element.attributes.has("selected"))
      );
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

function placeOf(
  element: Selectable,
  { isOfType, isFromEnd }: { isOfType: boolean; isFromEnd: boolean },
  work: Work,
): number {
  let place = isFromEnd ? 0 : 1;
  const [first, last] = isFromEnd ? [element.parent?.newest ?? null, element] : [element.previous, null];
  for (let other = first; other !== null && work.left > 0; other = other.previous) {
    if (!isOfType || other.name === element.name) place += 1;
    work.left -= 1;
    if (other === last) break;
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

/** Stands in an attribute for data of a picture that is not read, so that a test of it may hold or not. */
export const LEFT_OUT = "data:,";

/** Characters of an attribute's value that cost as much as a comparison. */
const CHARS_PER_STEP = 32;

function passes(test: AttributeTest, attributes: ReadonlyMap<string, string>, work: Work): boolean {
  const written = attributes.get(test.name);
  if (written === undefined) return false;
  if (test.operator === "") return true;
  if (written.includes(LEFT_OUT)) return (work.isLoose = true);
  work.left -= Math.floor(written.length / CHARS_PER_STEP);
  if (work.left <= 0) return false;
  const own = opaqueString(written);
  if (test.isLoose !== true && compare(test.operator, own, test.value)) return true;
  if (test.isLoose === false || !compare(test.operator, own.toLowerCase(), test.value.toLowerCase()))
    return false;
  // Of some attributes capitals are as good as small letters.
  if (test.isLoose === null) work.isLoose = true;
  return true;
}

function compare(operator: string, own: string, value: string): boolean {
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
