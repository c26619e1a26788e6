import type { Declaration } from "./css-text.ts";
import { declarationsOf } from "./css-text.ts";
import { hides, rulesOf, type Rule, type Sheet } from "./css-rules.ts";
import { classesOf, idOf, matches, type Selectable, type Work } from "./css-selectors.ts";
import { hintsOf, linksOf, NO_HINTS } from "./html-hints.ts";
import { styled } from "./styled.ts";
import { UNJUDGED, type TextStyle } from "./text-style.ts";

/**
 * Steps of work for one mail: comparisons of elements with selectors, and everything that is copied or expanded for an element. A
 * newsletter with a large sheet needs some ten thousand.
 */
const MAX_WORK = 150_000;
/** Steps that each element costs, whatever its style. */
const ELEMENT_COST = 1;
/** A value of so many characters costs some steps more, the square of its length: functions in it are read several times. */
const LONG_VALUE_CHARS = 32;
/** Style attributes whose declarations are kept: mails repeat a few dozen. */
const MAX_KNOWN_STYLES = 500;
/** Different style attributes that are read in one mail, in characters. */
const MAX_STYLE_CHARS = 150_000;

const NO_DECLARATIONS: readonly Declaration[] = [];

/** Says for each element of a mail, parents first, how its text is shown. What cannot be judged within the limits is not shown. */
export class Cascade {
  readonly #rules: RuleIndex | null;
  readonly #known = new Map<string, readonly Declaration[]>();
  readonly #work: Work = { left: MAX_WORK, isLoose: false };
  #styleCharsLeft = MAX_STYLE_CHARS;
  #rootFontSize = 16;
  #links: readonly Declaration[] | undefined;
  /** Whether the mail is beyond the limits, so that some of it was not judged. */
  isCut = false;

  constructor(sheets: readonly Sheet[]) {
    const { rules, isCut } = rulesOf(sheets);
    this.isCut = isCut;
    this.#rules = rules.length === 0 ? null : new RuleIndex(rules);
  }

  /** The style of the texts directly in an element, by that of its parent. */
  styleOf(element: Selectable, parent: TextStyle): TextStyle {
    // Nothing in it can be seen, whatever its own style.
    if (parent.gone !== null) return parent;
    if (this.isCut) return UNJUDGED;
    this.#work.left -= ELEMENT_COST;
    this.#links = linksOf(element) ?? this.#links;
    const hints = hintsOf(element, this.#links);
    const matched = this.#rules?.declarationsOf(element, this.#work) ?? NO_DECLARATIONS;
    const inline = this.#inlineOf(element.attributes.get("style"));
    if (hints === NO_HINTS && matched.length === 0 && inline.length === 0) return this.#within(parent);
    const declared = cascaded(hints, matched, inline);
    this.#work.left -= inline.length + costOf(declared);
    if (this.#within(parent) === UNJUDGED) return UNJUDGED;
    const { name } = element;
    const style = styled(declared, parent, { name, rootFontSize: this.#rootFontSize, work: this.#work });
    if (name === "html") this.#rootFontSize = style.fontSize;
    return this.#within(style);
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
    this.#styleCharsLeft -= style.length;
    const read = declarationsOf(style);
    if (this.#known.size < MAX_KNOWN_STYLES) this.#known.set(style, read);
    return read;
  }
}

/** The declarations that count: important ones over others, then those of the element itself, then the later. */
function cascaded(
  hints: readonly Declaration[],
  matched: readonly Declaration[],
  inline: readonly Declaration[],
): Map<string, string> {
  const declared = new Map<string, string>();
  for (const list of [hints, matched, inline]) {
    for (const { name, value, important } of list) if (!important) declared.set(name, value);
  }
  for (const list of [matched, inline]) {
    for (const { name, value, important } of list) if (important) declared.set(name, value);
  }
  return declared;
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

  /** The declarations that the rules have for an element, weakest first. */
  declarationsOf(element: Selectable, work: Work): readonly Declaration[] {
    const found: Rule[] = [];
    const declarations = new Map<Rule, readonly Declaration[]>();
    const look = (key: string): void => {
      for (const rule of this.#byName.get(key) ?? []) {
        if (work.left <= 0) return;
        const match = matches(rule.selector, element, work);
        if (match === false) continue;
        work.left -= rule.declarations.length;
        if (work.left <= 0) return;
        found.push(rule);
        if (match === "loosely") declarations.set(rule, rule.declarations.filter(hides));
      }
    };
    look("*");
    look(element.name);
    const id = idOf(element.attributes).toLowerCase();
    if (id !== "") look(`#${id}`);
    const classes = new Set(classesOf(element).map((name) => name.toLowerCase()));
    work.left -= classes.size;
    for (const name of classes) look(`.${name}`);
    if (found.length === 0) return NO_DECLARATIONS;
    // Each declaration that is applied costs as much as a comparison.
    found.sort((one, two) => one.selector.specificity - two.selector.specificity || one.order - two.order);
    return found.flatMap((rule) => declarations.get(rule) ?? rule.declarations);
  }
}
