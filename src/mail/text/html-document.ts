import { Cascade } from "../style/cascade.ts";
import { sheetOfLink, type Sheet } from "../style/css-rules.ts";
import { PAGE_STYLE, UNJUDGED, type TextStyle } from "../style/text-style.ts";
import { readTree, walk, type HtmlElement } from "./html-tree.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements whose content is never text for a reader. */
const DROPPED = words(
  "script style head title template noscript iframe noembed noframes audio video canvas datalist select meter progress",
);
/** Attributes of an `<object>` that may load something in the place of its content. */
const LOADING = ["data", "type", "classid"];
/** Elements of MathML whose own text is shown. */
const TOKENS = words("mi mn mo ms mtext");
const PREFORMATTED = words("pre listing textarea xmp plaintext");

/** An element with its style, the outermost element around it that is hidden, and what it is in. */
export interface StyledElement {
  element: HtmlElement;
  style: TextStyle;
  /** Null where it is not hidden. */
  hiddenBy: HtmlElement | null;
  preformatted: boolean;
  quoteDepth: number;
  listDepth: number;
  /** Of the innermost list: the number of its next item; null in an unordered one. Shared by the items. */
  list: { next: number | null };
}

/** Reads a document in the order of its tree, with the styles of all elements known. */
export interface StyledReader {
  text: (text: string, within: StyledElement) => void;
  start: (started: StyledElement) => void;
  end: (ended: StyledElement) => void;
  comment: (text: string) => void;
}

/** How a document is read. */
export interface Reading {
  /** Characters of the HTML that are read; all of it, unless it says otherwise. */
  maxChars?: number;
  /** Elements that count as hidden, beside those that are. */
  isLeftOut?: (element: HtmlElement) => boolean;
  /** Whether styles are judged, or every element counts as shown but for those that never have text for a reader. */
  judges?: "styles" | "elements";
}

/** Shows `reader` the tree of an HTML text. Returns whether the text goes on behind the limits. */
export function readStyled(html: string, reader: StyledReader, reading: Reading = {}): boolean {
  const { maxChars = html.length, judges = "styles" } = reading;
  const tree = readTree(html, maxChars);
  const rest = html.slice(tree.length);
  const found = new Findings(tree.document);
  const cascade = judges === "styles" ? new Cascade([...found.sheets, ...sheetsIn(rest)]) : null;
  const styles = cascade === null ? null : stylesOf(tree.document, cascade);
  const hidesAll = found.hasElementsInShadow || (rest !== "" && mayHideAll(rest, found.sheets));
  const root = rootOf(tree.document, cascade, hidesAll);
  const open: StyledElement[] = [root];
  const top = (): StyledElement => open.at(-1) ?? root;
  walk(tree.document, {
    text: ({ text }) => {
      const around = found.hasHiddenText(top().element) ? hidden(top()) : top();
      // A box may cut off the end.
      const shown = cascade?.shownOf(text, around.style) ?? text.length;
      if (shown > 0) reader.text(text.slice(0, shown), around);
      if (shown < text.length) reader.text(text.slice(shown), hidden(around));
    },
    comment: ({ text }) => {
      reader.comment(text);
    },
    start: (element) => {
      const around = top();
      const isSpoilt = around.style === UNJUDGED || cascade?.isSpoilt(element) === true;
      const own =
        isSpoilt && cascade?.isCover(element) !== true ? UNJUDGED : (styles?.get(element) ?? PAGE_STYLE);
      const isIn = around.style.gone !== null && around.style !== UNJUDGED;
      const isGone = isIn || found.isGone(element) || reading.isLeftOut?.(element) === true;
      const started = within(around, element, isGone && own.gone === null ? gone(own) : own);
      open.push(started);
      cascade?.begin(element, started.style, around.style);
      reader.start(started);
    },
    end: () => {
      const ended = open.pop();
      if (ended === undefined) return;
      cascade?.end(ended.element, ended.style, top().style);
      reader.end(ended);
    },
  });
  return tree.isCut || html.length > maxChars || cascade?.isCut === true;
}

/** The styles of all elements: one that covers others may stand behind them. */
function stylesOf(document: HtmlElement, cascade: Cascade): ReadonlyMap<HtmlElement, TextStyle> {
  const styles = new Map<HtmlElement, TextStyle>();
  walk(document, {
    start: (element) => {
      const around = element.parent === null ? undefined : styles.get(element.parent);
      styles.set(element, cascade.styleOf(element, around ?? PAGE_STYLE));
    },
  });
  return styles;
}

function rootOf(document: HtmlElement, cascade: Cascade | null, hidesAll: boolean): StyledElement {
  const spoilt = cascade?.isSpoilt(document) === true ? UNJUDGED : PAGE_STYLE;
  const style = cascade !== null && hidesAll ? gone(PAGE_STYLE) : spoilt;
  return {
    element: document,
    style,
    hiddenBy: style.hidden === null ? null : document,
    preformatted: false,
    quoteDepth: 0,
    listDepth: 0,
    list: { next: null },
  };
}

const gone = (style: TextStyle): TextStyle => ({ ...style, gone: "css", hidden: "css" });

/** The text directly in an element that shows only some of what is in it. */
function hidden(styled: StyledElement): StyledElement {
  return styled.style.hidden === null
    ? { ...styled, style: gone(styled.style), hiddenBy: styled.element }
    : styled;
}

function within(parent: StyledElement, element: HtmlElement, style: TextStyle): StyledElement {
  const { name } = element;
  const isList = name === "ul" || name === "ol";
  return {
    element,
    style,
    hiddenBy: style.hidden === null ? null : (parent.hiddenBy ?? element),
    preformatted: parent.preformatted || PREFORMATTED.has(name),
    quoteDepth: parent.quoteDepth + (name === "blockquote" ? 1 : 0),
    listDepth: parent.listDepth + (isList ? 1 : 0),
    list: isList ? { next: name === "ol" ? 1 : null } : parent.list,
  };
}

/** Elements that can have a shadow tree (DOM §4.9), beside custom ones: their own content is shown only where the shadow says so. */
const HOSTS = words(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span",
);

/** Everything that has to be known of a whole tree before its texts are judged. */
class Findings {
  /** The style sheets, in the order of the tree. */
  readonly sheets: Sheet[] = [];
  /** Elements of which only some content is shown: `<details>` that are closed, and those with a shadow tree. */
  readonly closed = new Set<HtmlElement>();
  /** Whether a shadow tree has content of its own, which may stand over everything. */
  hasElementsInShadow = false;
  /** The first `<summary>` of each of them. */
  readonly #summaries = new Map<HtmlElement, HtmlElement>();
  readonly #groups = new Set<string>();
  #preferredSheets = "";
  #inert = 0;
  #uncertain = 0;

  constructor(document: HtmlElement) {
    walk(document, {
      start: (element) => {
        this.#start(element);
      },
      end: ({ name, namespace }) => {
        if (namespace !== "html") return;
        if (name === "template") this.#inert -= 1;
        if (name === "noscript") this.#uncertain -= 1;
      },
    });
  }

  /** Whether text directly in an element is not shown, whatever its style. */
  hasHiddenText(element: HtmlElement): boolean {
    return (element.namespace === "math" && !TOKENS.has(element.name)) || this.closed.has(element);
  }

  /** Whether nothing in an element is shown, whatever its style. */
  isGone(element: HtmlElement): boolean {
    const { name, namespace, attributes, parent } = element;
    if (namespace === "svg" || (namespace === "html" && DROPPED.has(name))) return true;
    if (name === "object" && LOADING.some((attribute) => attributes.has(attribute))) return true;
    return parent !== null && this.closed.has(parent) && this.#summaries.get(parent) !== element;
  }

  #start(element: HtmlElement): void {
    const { name, namespace, parent } = element;
    let before = element.before;
    while (before !== null && before.kind !== "element") before = before.before;
    element.previous = before;
    if (parent !== null) parent.newest = element;
    if (name === "style" && namespace !== "math") this.#style(element);
    if (namespace !== "html") return;
    if (name === "link") this.#sheet(element, sheetOfLink(element.attributes));
    else if (name === "noscript") this.#uncertain += 1;
    else if (name === "template") this.#template(element);
    else if (name === "details") this.#details(element);
    else if (name === "summary" && parent?.name === "details" && !this.#summaries.has(parent))
      this.#summaries.set(parent, element);
  }

  #template({ attributes, parent, first }: HtmlElement): void {
    this.#inert += 1;
    const isShadow = /^(?:open|closed)$/i.test(attributes.get("shadowrootmode") ?? "");
    if (!isShadow || parent === null || !(HOSTS.has(parent.name) || parent.name.includes("-"))) return;
    this.closed.add(parent);
    this.hasElementsInShadow ||= first !== null;
  }

  /** Of the `<details>` of one name, only the first that is open stays so (HTML §4.11.1). */
  #details(details: HtmlElement): void {
    const { attributes } = details;
    const group = attributes.get("name") ?? "";
    const isOpen = attributes.has("open") && !this.#groups.has(group);
    if (!isOpen) this.closed.add(details);
    else if (group !== "") this.#groups.add(group);
  }

  #style(element: HtmlElement): void {
    const { attributes } = element;
    const type = attributes.get("type") ?? "";
    if (type !== "" && type.toLowerCase() !== "text/css") return;
    let text = "";
    for (let child = element.first; child !== null; child = child.after)
      if (child.kind === "text") text += child.text;
    this.#sheet(element, { text, media: attributes.get("media") ?? "" });
  }

  #sheet({ namespace, attributes }: HtmlElement, sheet: Sheet | null): void {
    if (sheet === null || this.#inert > 0) return;
    // Of sheets with a title, browsers use those with the title of the first; programs with scripts see none in `<noscript>`.
    const title = namespace === "html" ? (attributes.get("title") ?? "") : "";
    if (this.#preferredSheets === "" && sheet.isUnsure !== true) this.#preferredSheets = title;
    const isUnsure = this.#uncertain > 0 || (title !== "" && title !== this.#preferredSheets);
    this.sheets.push(isUnsure ? { ...sheet, isUnsure } : sheet);
  }
}

/** May hide, from behind the limits, the text before them: attributes of the whole body, and shadow trees. */
const MAY_HIDE_ALL = /<(?:html|body)[\s/]+[^\s/>]|<link\s[^<>]{0,400}data:|shadowrootmode/i;

/** May stand over the text before it, by an attribute or by the rule of a sheet. */
const MAY_COVER =
  /style\s*=[^<>]{0,400}(?:(?<![\w-])(?:position|translate)(?![\w-])|transform|drop-shadow|box-shadow|margin[^;<>]{0,60}-\d|&#|\\)|<(?:svg|math|dialog)/i;
const COVERING_RULE = /position\s*:\s*(?:absolute|fixed)/i;

function mayHideAll(rest: string, sheets: readonly Sheet[]): boolean {
  if (MAY_HIDE_ALL.test(rest) || MAY_COVER.test(rest)) return true;
  return COVERING_RULE.test(rest) || sheets.some(({ text }) => COVERING_RULE.test(text));
}

/** The style sheets in a text that is not parsed, and what it has of one that began before it. */
function sheetsIn(html: string): Sheet[] {
  const sheets: Sheet[] = [];
  const [mark] = /<\/?style(?![a-z])/i.exec(html) ?? [];
  if (mark?.startsWith("</") === true)
    sheets.push({ text: html.slice(0, html.indexOf(mark)), media: "", isUnsure: true });
  const starts = /<style(?![a-z])/gi;
  const ends = /<\/style(?![a-z])/gi;
  while (starts.exec(html) !== null) {
    const start = html.indexOf(">", starts.lastIndex);
    if (start === -1) break;
    ends.lastIndex = start;
    const end = ends.exec(html)?.index ?? html.length;
    sheets.push({ text: html.slice(start + 1, end), media: "", isUnsure: true });
    starts.lastIndex = end;
  }
  return sheets;
}
