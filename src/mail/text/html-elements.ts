const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements whose content is never text for a reader. */
const DROPPED = words(
  "script style head title template iframe noembed noframes object applet audio video canvas datalist svg map",
);
const PREFORMATTED = words("pre textarea xmp");
/** Elements that may stand in a head; any other start tag ends it, as browsers do. */
const HEAD_CONTENT = words("base basefont bgsound link meta noscript script style template title");

export const VOID_ELEMENTS = words(
  "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr",
);

/** Blocks followed by a blank line. */
export const PARAGRAPHS = words("p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table hr figure");
/** Blocks that stand on lines of their own. */
export const BLOCKS = words(
  "address article aside body caption center dd details dialog dir div dt fieldset figcaption footer form header hgroup " +
    "html legend li main menu nav option optgroup section select summary tbody textarea tfoot thead tr",
);

/** An end tag inside one of these reaches no element outside it (HTML §13.2.4.2, "in scope"). */
const CELLS = words("td th caption table tr tbody thead tfoot html body template object svg");

const IMPLIED_END: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["li", words("li p")],
  ["dt", words("dt dd p")],
  ["dd", words("dt dd p")],
  ["td", words("td th p")],
  ["th", words("td th p")],
  ["tr", words("tr td th p")],
  ["tbody", words("tbody thead tfoot tr td th p")],
  ["tfoot", words("tbody thead tfoot tr td th p")],
  ["option", words("option")],
  ["a", words("a")],
]);
const PARAGRAPH = words("p");

/** One open element with the properties that its content inherits. */
export interface OpenElement {
  name: string;
  /** Name in lower case → value; "" where it has none. */
  attributes: ReadonlyMap<string, string>;
  /** The element around it; null for the document itself, whose name is "". */
  parent: OpenElement | null;
  /** The element before it in the same parent; null for the first. */
  previous: OpenElement | null;
  /** The newest element inside it. */
  newest: OpenElement | null;
  /** Its classes, once a style sheet asks for them. */
  classes: readonly string[] | null;
  /** Script, head, svg and the like, or inside one. */
  dropped: boolean;
  preformatted: boolean;
  quoteDepth: number;
  listDepth: number;
  /** Of the innermost list: the number of its next item; null in an unordered one. Shared by the items. */
  list: { next: number | null };
  /** Key under which it is counted; see {@link OpenElements}. */
  key: string;
  blockScope: number;
  cellScope: number;
}

const rootElement = (): OpenElement => ({
  name: "",
  attributes: new Map(),
  parent: null,
  previous: null,
  newest: null,
  classes: null,
  dropped: false,
  preformatted: false,
  quoteDepth: 0,
  listDepth: 0,
  list: { next: null },
  key: "root",
  blockScope: 0,
  cellScope: 0,
});

/**
 * The open elements of a document. htmlparser2's own Parser searches and shifts its stack for every tag, which
 * is quadratic (6 s for 320 kB of `<b>` and `</x>`). Here a count per name and scope tells at once whether an
 * end tag matches anything, and each search pops what it passes, so that the whole is linear at any depth.
 */
export class OpenElements {
  readonly root = rootElement();
  readonly #stack: OpenElement[] = [this.root];
  readonly #counts = new Map<string, number>();
  #scopes = 0;

  get top(): OpenElement {
    return this.#stack.at(-1) ?? this.root;
  }

  /** Opens an element and returns it, after the ends its start tag implies; `onEnd` sees each of those. */
  open(
    name: string,
    attributes: ReadonlyMap<string, string>,
    onEnd: (ended: OpenElement) => void,
  ): OpenElement {
    this.#endImplied(name, onEnd);
    const element = this.#scoped(inheriting(name, attributes, this.top));
    this.top.newest = element;
    if (VOID_ELEMENTS.has(name)) return element;
    this.#stack.push(element);
    this.#counts.set(element.key, (this.#counts.get(element.key) ?? 0) + 1);
    return element;
  }

  /** Ends the nearest element of that name which this end tag can reach, and all inside it, innermost first. */
  close(name: string, onEnd: (ended: OpenElement) => void): void {
    const key = keyOf(name, this.top);
    if (!this.#counts.has(key)) return;
    while (this.top.key !== key) this.#pop(onEnd);
    this.#pop(onEnd);
  }

  #scoped(element: OpenElement): OpenElement {
    const isCell = CELLS.has(element.name);
    if (!isCell && !isBlock(element.name)) return element;
    const scope = ++this.#scopes;
    return { ...element, blockScope: scope, cellScope: isCell ? scope : element.cellScope };
  }

  #endImplied(name: string, onEnd: (ended: OpenElement) => void): void {
    if (this.top.name === "head" && !HEAD_CONTENT.has(name)) this.#pop(onEnd);
    const ends = IMPLIED_END.get(name) ?? (isBlock(name) ? PARAGRAPH : undefined);
    while (ends?.has(this.top.name)) this.#pop(onEnd);
  }

  #pop(onEnd: (ended: OpenElement) => void): void {
    const ended = this.#stack.length > 1 ? this.#stack.pop() : undefined;
    if (ended === undefined) return;
    const left = (this.#counts.get(ended.key) ?? 1) - 1;
    if (left === 0) this.#counts.delete(ended.key);
    else this.#counts.set(ended.key, left);
    onEnd(ended);
  }
}

function isBlock(name: string): boolean {
  return PARAGRAPHS.has(name) || BLOCKS.has(name);
}

/** An inline end tag stops at the nearest block, a block's at the nearest cell, a cell's nowhere. */
function keyOf(name: string, parent: OpenElement): string {
  if (CELLS.has(name)) return `${name} 0`;
  return `${name} ${isBlock(name) ? parent.cellScope : parent.blockScope}`;
}

function inheriting(name: string, attributes: ReadonlyMap<string, string>, parent: OpenElement): OpenElement {
  const isList = name === "ul" || name === "ol";
  return {
    ...parent,
    name,
    attributes,
    parent,
    previous: parent.newest,
    newest: null,
    classes: null,
    key: keyOf(name, parent),
    dropped: parent.dropped || DROPPED.has(name),
    preformatted: parent.preformatted || PREFORMATTED.has(name),
    quoteDepth: parent.quoteDepth + (name === "blockquote" ? 1 : 0),
    listDepth: parent.listDepth + (isList ? 1 : 0),
    list: isList ? { next: name === "ol" ? 1 : null } : parent.list,
  };
}
