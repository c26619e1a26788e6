import type { Declaration } from "./css-properties.ts";
import { costOfCss, declarationsOf, isFilterFar, UNSURE } from "./css-properties.ts";
import { MAX_CONDITIONS, NOT_JUDGED, rulesOf, type Rule, type Rules, type Sheet } from "./css-rules.ts";
import { classesOf, idOf, isRoot, matches, type Part, type Selectable, type Work } from "./css-selectors.ts";
import { hintsOf, linksOf, NO_HINTS } from "./html-hints.ts";
import { beginLine, cutsOff, fits, isInline, isLarge, isOver, isPositioned, isPushing } from "./css-boxes.ts";
import { isData, plainAddress } from "./css-text.ts";
import { pxOfLine, styled, type Declared } from "./styled.ts";
import { UNJUDGED, type TextStyle } from "./text-style.ts";

/**
 * Steps of work for one mail: comparisons of elements with selectors, and everything that is copied or expanded for an element. A
 * newsletter with a large sheet needs some ten thousand.
 */
const MAX_WORK = 250_000;
/** Steps that each element costs, whatever its style. */
const ELEMENT_COST = 1;
const STYLE_COST = 8;
/** A value of so many characters costs some steps more, the square of its length: functions in it are read several times. */
const LONG_VALUE_CHARS = 32;
/** Style attributes whose declarations are kept: mails repeat a few dozen. */
const MAX_KNOWN_STYLES = 500;
/** Different style attributes that are read in one mail, in characters. */
const MAX_STYLE_CHARS = 150_000;

const NO_DECLARATIONS: readonly Declaration[] = [];
const NO_MATCHES: readonly Match[] = [];
const NO_DECLARED: Declared = new Map();

/** Bits of what may hold or not, beside the conditions of the sheets. */
const LOOSELY = 1 << MAX_CONDITIONS;
const FIRST_LINE = LOOSELY << 1;

/** A rule that matches an element, with the bits of the conditions under which it does. */
interface Match {
  rule: Rule;
  conditions: number;
}

/** Says for each element of a mail, parents first, how its text is shown. What cannot be judged within the limits is not shown. */
export class Cascade {
  readonly #sheets: Rules;
  readonly #rules: RuleIndex | null;
  readonly #known = new Map<string, readonly Declaration[]>();
  readonly #work: Work = { left: MAX_WORK, isLoose: false };
  /** Combinations of conditions by which the mail is judged, beside that in which none holds. */
  readonly #worlds: readonly number[];
  #styleCharsLeft = MAX_STYLE_CHARS;
  #rootFontSize = 16;
  #links: readonly Declaration[] | undefined;
  readonly #siblings = new WeakMap<TextStyle, Map<string, Sibling>>();
  readonly #spoilt = new Set<Selectable>();
  readonly #covers = new Set<Selectable>();
  /** The elements that may stand over others, with their declarations. */
  readonly #over = new Map<Selectable, Declared>();
  /** Whether the mail is beyond the limits, so that some of it was not judged. */
  isCut = false;

  constructor(sheets: readonly Sheet[]) {
    this.#sheets = rulesOf(sheets);
    const { rules, conditions, isCut } = this.#sheets;
    this.isCut = isCut;
    this.#rules = rules.length === 0 ? null : new RuleIndex(rules);
    const hasLines = rules.some(({ selector }) => selector.part === "line");
    this.#worlds = combinations((1 << conditions) - 1 + LOOSELY + (hasLines ? FIRST_LINE : 0));
  }

  /** The style of the texts directly in an element, by that of its parent. */
  styleOf(element: Selectable, parent: TextStyle): TextStyle {
    // Nothing in it can be seen, whatever its own style.
    if (parent.gone !== null) return parent;
    if (this.isCut) return UNJUDGED;
    this.#work.left -= ELEMENT_COST;
    this.#links = linksOf(element) ?? this.#links;
    const hints = hintsOf(element, this.#links);
    this.#readMarkup(element, parent);
    const matched = this.#rules?.matchesOf(element, this.#work) ?? NO_MATCHES;
    const inline = this.#inlineOf(element.attributes.get("style"));
    if (hints === NO_HINTS && matched.length === 0 && inline.length === 0) return this.#within(parent);
    if (matched.some(({ conditions }) => conditions >= NOT_JUDGED)) return UNJUDGED;
    const { style, effects } = this.#siblingBy({ hints, matched, inline }, element, parent);
    if (isRoot(element)) this.#rootFontSize = style.fontSize;
    this.#affect(effects, element, style);
    return this.#within(style);
  }

  /** Whether the texts of an element cannot be judged: something in it may cover them or move them away. Known once all have styles. */
  isSpoilt(element: Selectable): boolean {
    return this.#spoilt.has(element);
  }

  /** Whether an element stands over what it spoils. */
  isCover(element: Selectable): boolean {
    return this.#covers.has(element);
  }

  /** Fills the box that an element is in with what begins there, in the order of the document. */
  begin({ name, attributes }: Selectable, style: TextStyle, around: TextStyle): void {
    const declared = style === around ? NO_DECLARED : (style.declared ?? NO_DECLARED);
    const isBreak = name === "br";
    if (around.gone !== null || (!isBreak && isInline(declared, name)) || declared.get("display") === "none")
      return;
    // An invisible box may still take its space.
    const place = style.gone === null ? style.place : around.place;
    const isOwn = place.full !== around.place.full;
    const margin = PARAGRAPHS.has(name) && !declared.has("margin-top") ? style.fontSize : 0;
    const sizes = [
      pxOf(declared, "height"),
      pxOf(declared, "min-height"),
      Number.parseFloat(attributes.get("height") ?? "0") || 0,
    ];
    const above =
      margin + Math.max(0, pxOf(declared, "margin-top")) + pxOf(declared, "padding-top") + Math.max(...sizes);
    beginLine(
      place,
      pxOfLine(style.lineHeight, style.fontSize),
      isBreak ? 1 : 0,
      isBreak || isOwn ? 0 : above,
    );
  }

  /** The same for the end of an element. */
  end({ name }: Selectable, style: TextStyle, around: TextStyle): void {
    if (style.place.full === null || style.gone !== null || style.place.full !== around.place.full) return;
    const declared = style === around ? NO_DECLARED : (style.declared ?? NO_DECLARED);
    if (isInline(declared, name)) return;
    const below = Math.max(0, pxOf(declared, "margin-bottom")) + pxOf(declared, "padding-bottom");
    beginLine(style.place, pxOfLine(style.lineHeight, style.fontSize), 0, below);
  }

  /** How many characters of a text are shown by the box that it is in. */
  shownOf(text: string, style: TextStyle): number {
    if (style.place.full === null || style.gone !== null) return text.length;
    const lineHeight = pxOfLine(style.lineHeight, style.fontSize);
    // Ends of lines in it may be shown as such.
    if (style.isOneLine && /[\r\n]/.test(text))
      beginLine(style.place, lineHeight, text.split("\n").length - 1, 0);
    return fits(text, style.place, { fontSize: style.fontSize, lineHeight, isOneLine: style.isOneLine });
  }

  #affect(effects: readonly Effect[], element: Selectable, { declared }: TextStyle): void {
    if (declared !== null && isOver(declared)) this.#over.set(element, declared);
    for (const effect of effects) this.#apply(effect, element);
  }

  #apply(effect: Effect, element: Selectable): void {
    if (effect === "spoils all") this.#spoil(rootOf(element));
    else if (effect === "spoils its parent") this.#spoil(element.parent);
    else if (effect === "spoils itself") this.#spoil(element);
    else if (effect === "spoils its table") this.#spoilTable(element);
    else if (effect === "covers from inside") this.#coverFrom(element);
    else {
      if (!effect.isInside) this.#covers.add(element);
      this.#spoil(holderOf(element, effect));
    }
  }

  /** Something is painted in an element that stands over others. */
  #coverFrom(painted: Selectable): void {
    let over: Selectable | null = painted.parent;
    for (; over !== null; over = over.parent) {
      this.#work.left -= ELEMENT_COST;
      const covers = this.#over.get(over);
      if (covers === undefined) continue;
      this.#apply({ covers, isInside: false }, over);
      return;
    }
  }

  #spoilTable(column: Selectable): void {
    let table = column.parent;
    while (table?.name === "colgroup") table = table.parent;
    this.#spoil(table);
  }

  /** Applies the effects of an element's attributes on others. */
  #readMarkup(element: Selectable, parent: TextStyle): void {
    const { name, attributes } = element;
    if (parent.isOver && isPaintedWide(element, NO_DECLARED)) this.#coverFrom(element);
    if (name === "meta") this.#readMeta(element);
    if (name === "svg" && attributes.has("overflow")) this.#spoil(rootOf(element));
    const isColumn = name === "col" || name === "colgroup";
    if (isColumn && (attributes.get("width") ?? "").startsWith("0")) this.#spoilTable(element);
  }

  #readMeta({ attributes, parent }: Selectable): void {
    const isScheme = attributes.get("name")?.trim().toLowerCase() === "color-scheme";
    if (isScheme && parent !== null && !/light|normal/i.test(attributes.get("content") ?? "light"))
      this.#spoil(rootOf(parent));
  }

  #spoil(element: Selectable | null): void {
    if (element !== null) this.#spoilt.add(element);
  }

  /** The style by everything that declares something of it: that of an element beside it, if the same does. */
  #siblingBy(sources: Sources, element: Selectable, parent: TextStyle): Sibling {
    const { hints, matched, inline } = sources;
    const key = `${element.name} ${matched.map(({ rule, conditions }) => `${rule.order}.${conditions}`).join(" ")}`;
    const known = this.#siblings.get(parent) ?? new Map<string, Sibling>();
    this.#siblings.set(parent, known);
    const sibling = known.get(key);
    if (sibling?.hints === hints && sibling.inline === inline && !isRoot(element)) return sibling;
    const style = this.#styleIn(0, element, parent, sources);
    const isSplit = parent.others.length > 0 || matched.some(({ conditions }) => conditions > 0);
    if (isSplit && style.gone === null) this.#addOthers(style, element, parent, sources);
    // A box that cuts off is filled by its own content only.
    const effects = [style, ...new Set(style.others)].flatMap((one) => effectsOf(element, one));
    const own = { hints, inline, style, effects: [...effects, ...this.#generatedBy(matched)] };
    if (style.place.full === parent.place.full) known.set(key, own);
    return own;
  }

  /** The effects of generated content on the texts of its element. */
  #generatedBy(matched: readonly Match[]): readonly Effect[] {
    const rules = matched.map(({ rule }) => rule);
    if (!rules.some(({ selector }) => selector.part === "generated")) return [];
    const declared = cascaded(NO_DECLARATIONS, rules, NO_DECLARATIONS, "generated");
    const isOut = isPushing(declared, "span", BASE) || [...declared.values()].includes(UNSURE);
    if (isOut) return ["spoils itself"];
    return isOver(declared) && isPainted(declared) ? [{ covers: declared, isInside: true }] : [];
  }

  #addOthers(style: TextStyle, element: Selectable, parent: TextStyle, sources: Sources): void {
    // Most conditions change nothing for most elements.
    const asked = sources.matched.reduce((bits, { conditions }) => bits | conditions, 0);
    const known: { bits: number; around: TextStyle; own: TextStyle }[] = [];
    const others = this.#worlds.map((world, at) => {
      const [bits, around] = [world & asked, parent.others[at] ?? parent];
      const same = known.find((one) => one.bits === bits && one.around === around);
      const own =
        same?.own ??
        (bits === 0 && around === parent
          ? { ...style, others: [] }
          : this.#styleIn(bits, element, around, sources));
      if (same === undefined) known.push({ bits, around, own });
      return own;
    });
    style.others = others;
    style.gone = others.find(({ gone }) => gone !== null)?.gone ?? null;
    style.hidden ??= others.find(({ hidden }) => hidden !== null)?.hidden ?? null;
  }

  /** The style under a combination of conditions. */
  #styleIn(
    world: number,
    element: Selectable,
    parent: TextStyle,
    { hints, matched, inline }: Sources,
  ): TextStyle {
    const holding = matched.filter(({ conditions }) => (conditions & ~world) === 0).map(({ rule }) => rule);
    const declared = cascaded(hints, holding, inline);
    this.#work.left -= STYLE_COST + inline.length + costOf(declared);
    if (this.#within(parent) === UNJUDGED) return UNJUDGED;
    const context = {
      name: element.name,
      rootFontSize: this.#rootFontSize,
      hints: hints === NO_HINTS ? NO_DECLARED : cascaded(hints, [], NO_DECLARATIONS),
      sheets: this.#sheets,
      work: this.#work,
    };
    const style = styled(declared, parent, context);
    const frames = this.#framesOf(declared);
    for (const frame of frames) {
      this.#work.left -= frame.length;
      const moved = styled(
        new Map([...declared, ...frame.map(({ name, value }) => [name, value] as const)]),
        parent,
        context,
      );
      style.gone ??= moved.gone;
      style.hidden ??= moved.hidden;
    }
    return style;
  }

  /** The steps of an element's animations. */
  #framesOf(declared: Declared): readonly (readonly Declaration[])[] {
    const animation = declared.get("animation-name");
    if (animation === undefined || this.#sheets.keyframes.size === 0) return [];
    if (animation.includes("var(")) return [[{ name: "animation-name", value: UNSURE, important: false }]];
    const names = animation.split(/[\s,]+/).map((name) => name.replaceAll('"', ""));
    return names.flatMap((name) => this.#sheets.keyframes.get(name) ?? []);
  }

  /** A style, if the work that it took was within the limits. */
  #within(style: TextStyle): TextStyle {
    if (this.#work.left <= 0 || this.#styleCharsLeft < 0) this.isCut = true;
    return this.isCut ? UNJUDGED : style;
  }

  #inlineOf(style: string | undefined): readonly Declaration[] {
    if (style === undefined || style === "") return NO_DECLARATIONS;
    const known = this.#known.get(style);
    if (known !== undefined) return known;
    this.#styleCharsLeft -= costOfCss(style);
    const read = this.#styleCharsLeft < 0 ? NO_DECLARATIONS : declarationsOf(style);
    if (this.#known.size < MAX_KNOWN_STYLES) this.#known.set(style, read);
    return read;
  }
}

/** Everything that may declare something of an element. */
interface Sources {
  hints: readonly Declaration[];
  /** Weakest first, but for layers. */
  matched: readonly Match[];
  inline: readonly Declaration[];
}

/** The newest style of its kind inside of another, and what it was made of beside the rules. */
interface Sibling extends Omit<Sources, "matched"> {
  style: TextStyle;
  effects: readonly Effect[];
}

/** A box that stands over texts: of an element itself, or of what a sheet puts into one. */
interface Cover {
  covers: Declared;
  isInside: boolean;
}

/** The effect of an element on the texts around it: they are moved away, or covered. */
type Effect =
  | Cover
  | "spoils all"
  | "spoils its parent"
  | "spoils itself"
  | "spoils its table"
  | "covers from inside";

/** All combinations of some bits, but for none. */
function combinations(bits: number): number[] {
  const found: number[] = [];
  for (let some = bits; some > 0; some = (some - 1) & bits) found.push(some);
  return found.toReversed();
}

/** Elements with a blank line before them. */
const PARAGRAPHS = new Set("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre figure hr".split(" "));

function rootOf(element: Selectable): Selectable {
  let root = element;
  while (root.parent !== null) root = root.parent;
  return root;
}

/** Around an element that stands over others: what these are in. */
function holderOf(element: Selectable, { covers, isInside }: Cover): Selectable | null {
  if (covers.get("position") === "fixed") return rootOf(element);
  if (!isPositioned(covers)) return isInside ? element : element.parent;
  if (pxOf(covers, "height") > 60 || pxOf(covers, "width") > 600) return rootOf(element);
  let holder = isInside ? element : element.parent;
  while (
    holder?.parent != null &&
    !/position\s*:\s*(?:relative|absolute|fixed)/i.test(holder.attributes.get("style") ?? "")
  )
    holder = holder.parent;
  return holder;
}

const BASE = { em: 16, rem: 16, whole: 0 };
const pxOf = (declared: Declared, name: string): number => {
  const value = declared.get(name) ?? "";
  return value.endsWith("px") ? Number.parseFloat(value) : 0;
};

const isColumn = (name: string, declared: Declared): boolean =>
  name === "col" || name === "colgroup" || (declared.get("display") ?? "").startsWith("table-column");

/** Whether a column hides what is in its cells, or paints behind it. */
const isColumnOdd = (declared: Declared): boolean =>
  (declared.get("visibility") ?? "visible") !== "visible" ||
  isPainted(declared) ||
  (declared.get("width") ?? "").startsWith("0");

/** The effects of a style on the texts around its element. */
function effectsOf(element: Selectable, { declared, fontSize, isOver: isWithinOver }: TextStyle): Effect[] {
  const { name } = element;
  if (declared === null || declared.get("display") === "none") return [];
  const effects: Effect[] = [];
  if (isColumn(name, declared)) {
    if (isColumnOdd(declared)) effects.push("spoils its table");
  } else if (
    isPushing(declared, name, { ...BASE, em: fontSize }) ||
    declared.get("letter-spacing") === UNSURE ||
    declared.get("word-spacing") === UNSURE
  )
    effects.push("spoils its parent");
  if (paintsFar(name, declared)) effects.push("spoils all");
  if (isCovering(element, declared)) effects.push({ covers: declared, isInside: false });
  else if (isWithinOver && !isOver(declared) && isPaintedWide(element, declared))
    effects.push("covers from inside");
  return effects;
}

/** Whether a box paints something behind its own text. */
function isPainted(declared: Declared): boolean {
  const color = declared.get("background-color") ?? "transparent";
  const image = declared.get("background-image") ?? "none";
  return (
    !/^(?:transparent|initial|unset|#0000|rgba\(.*, ?0\))$/.test(color) ||
    /gradient|data/.test(image) ||
    [
      image,
      declared.get("backdrop-filter"),
      declared.get("border-image"),
      declared.get("outline"),
      declared.get("box-shadow"),
    ].includes(UNSURE)
  );
}

/** Elements that paint, beside pictures, whatever their style says. */
const PAINTING = new Set("dialog iframe object embed video svg math select meter progress".split(" "));

/** Whether something is painted far outside of a box. */
const paintsFar = (name: string, declared: Declared): boolean =>
  (name === "svg" && declared.has("overflow-x") && !cutsOff(declared, "overflow-x")) ||
  isFilterFar(declared.get("filter") ?? "") ||
  FAR_PAINT.some((property) => declared.get(property) === UNSURE);

/** Properties that may paint far beyond their element. */
const FAR_PAINT = ["box-shadow", "outline", "outline-width", "outline-offset"];

const isPicture = ({ name, attributes, parent }: Selectable): boolean =>
  ((name === "img" || name === "input") &&
    (isData(attributes.get("src")) || /data:/i.test(plainAddress(attributes.get("srcset") ?? "")))) ||
  (name === "img" && parent?.name === "picture");

/** Whether an element paints something that may be wide enough to cover a text. */
function isPaintedWide(element: Selectable, declared: Declared): boolean {
  if (!isPicture(element) && !PAINTING.has(element.name) && !isPainted(declared)) return false;
  const side = (name: string): number =>
    pxOf(declared, name) || Number.parseFloat(element.attributes.get(name) ?? "") || Infinity;
  return side("width") > 60 && side("height") > 12 && !isInline(declared, element.name);
}

function isCovering(element: Selectable, declared: Declared): boolean {
  if (!isOver(declared)) return false;
  return (
    isPicture(element) ||
    PAINTING.has(element.name) ||
    ((isLarge(declared) || declared.has("grid-area")) &&
      (isPainted(declared) || pxOf(declared, "border-top-width") > 10))
  );
}

/**
 * The declarations that count: important ones over others, and of these the earlier layers; then those of the element itself, then
 * the later.
 */
function cascaded(
  hints: readonly Declaration[],
  matched: readonly Rule[],
  inline: readonly Declaration[],
  part: Part = "element",
): Map<string, string> {
  const declared = new Map<string, string>();
  const apply = (list: readonly Declaration[], isImportant: boolean): void => {
    for (const { name, value, important } of list) {
      if (important !== isImportant) continue;
      if (name === "all") resetAll(declared, value, hints);
      else declared.set(name, value);
    }
  };
  const own = matched.filter(({ selector }) => selector.part === part);
  const layered = own.some(({ layer }, at) => layer.rank !== own[at - 1]?.layer.rank && at > 0)
    ? [
        own.toSorted((one, two) => one.layer.rank - two.layer.rank),
        own.toSorted((one, two) => two.layer.rank - one.layer.rank),
      ]
    : [own, own];
  apply(hints, false);
  for (const rule of layered[0] ?? []) apply(rule.declarations, false);
  apply(inline, false);
  for (const rule of layered[1] ?? []) apply(rule.declarations, true);
  apply(inline, true);
  // The first line is inside of the element.
  for (const { selector, declarations } of matched) {
    if (selector.part !== "line") continue;
    apply(declarations, false);
    apply(declarations, true);
  }
  return declared;
}

/** `all`: every property but the custom ones. */
function resetAll(declared: Map<string, string>, value: string, hints: readonly Declaration[]): void {
  for (const name of declared.keys()) if (!name.startsWith("--")) declared.delete(name);
  if (value === "revert") for (const hint of hints) declared.set(hint.name, hint.value);
  else if (value === "initial")
    for (const name of ["color", "font-size", "visibility", "text-indent"]) declared.set(name, value);
  else if (value !== "unset") declared.set("all", UNSURE);
}

function costOf(declared: ReadonlyMap<string, string>): number {
  let steps = declared.size;
  for (const value of declared.values()) steps += Math.floor((value.length / LONG_VALUE_CHARS) ** 2);
  return steps;
}

/** Rules by what their rightmost compound asks for, as browsers keep them. */
class RuleIndex {
  readonly #byName = new Map<string, Rule[]>();

  constructor(rules: readonly Rule[]) {
    for (const rule of rules) {
      const [last] = rule.selector.compounds;
      if (last === undefined) continue;
      const [id] = last.ids;
      const [name] = last.classes;
      const key =
        id === undefined
          ? name === undefined
            ? last.tag
            : `.${name.toLowerCase()}`
          : `#${id.toLowerCase()}`;
      const same = this.#byName.get(key);
      if (same === undefined) this.#byName.set(key, [rule]);
      else same.push(rule);
    }
  }

  /** The rules that match an element, weakest first. */
  matchesOf(element: Selectable, work: Work): readonly Match[] {
    const found: Match[] = [];
    const look = (key: string): void => {
      for (const rule of this.#byName.get(key) ?? []) {
        if (work.left <= 0) return;
        const match = matches(rule.selector, element, work);
        if (match === false) continue;
        // Each declaration that is applied costs as much as a comparison.
        work.left -= rule.declarations.length;
        if (work.left <= 0) return;
        const isLine = rule.selector.part === "line";
        found.push({
          rule,
          conditions: rule.conditions | (match === "loosely" ? LOOSELY : 0) | (isLine ? FIRST_LINE : 0),
        });
      }
    };
    look("*");
    look(element.name);
    const id = idOf(element.attributes).toLowerCase();
    if (id !== "") look(`#${id}`);
    const classes = new Set(classesOf(element).map((name) => name.toLowerCase()));
    work.left -= classes.size;
    for (const name of classes) look(`.${name}`);
    if (found.length === 0) return NO_MATCHES;
    return found.sort(
      ({ rule: one }, { rule: two }) =>
        one.selector.specificity - two.selector.specificity || one.order - two.order,
    );
  }
}
