import {
  foreignContent,
  html as names,
  InsertionMode,
  Parser,
  Tokenizer,
  Token,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from "parse5";

/** Elements and comments of a text that are read. A long newsletter has some thousand elements. */
const MAX_NODES = 30_000;
/** Where more elements are open, an element stands beside the one that it is in, as in Chromium and WebKit. */
const MAX_DEPTH = 512;
/**
 * Characters in the attributes of elements that the parser opens again, as it does with `<b>` and `<a>` in each block that follows
 * one in which they were not closed: a long attribute must not multiply.
 */
const MAX_REPEATED_CHARS = 400_000;

interface Linked {
  parent: HtmlElement | null;
  before: HtmlNode | null;
  after: HtmlNode | null;
}

/** A run of text, or a comment. */
export interface HtmlText extends Linked {
  kind: "text" | "comment";
  text: string;
}

/** An element of a document, or the document itself, whose name is "". */
export interface HtmlElement extends Linked {
  kind: "element";
  /** In lower case, but for SVG's own. */
  name: string;
  namespace: "html" | "svg" | "math";
  /** Name in lower case → value; "" where it has none. */
  attributes: ReadonlyMap<string, string>;
  first: HtmlNode | null;
  last: HtmlNode | null;
  /** The element before it in the same parent; null for the first. */
  previous: HtmlElement | null;
  /** The last element in it. */
  newest: HtmlElement | null;
  /** Its classes, once a style sheet asks for them. */
  classes: readonly string[] | null;
}

export type HtmlNode = HtmlText | HtmlElement;

/** The tree of an HTML text. */
export interface HtmlTree {
  document: HtmlElement;
  /** How many characters of the text it is made of. */
  length: number;
  /** Whether it may lack some of what follows, beyond the limits. */
  isCut: boolean;
}

/**
 * The tree that browsers build from an HTML text (HTML §13.2) where scripts do not run. Linear in the text, within the limits above.
 * A tag or a style sheet that goes past `maxChars` is read to its end.
 */
export function readTree(html: string, maxChars = html.length): HtmlTree {
  const builder = new TreeBuilder();
  const parser = new MailParser(builder, html, maxChars);
  builder.parser = parser;
  parser.tokenizer.write(html, true);
  const length = builder.isFull ? parser.tokenizer.preprocessor.offset + 1 : html.length;
  return { document: builder.document, length, isCut: builder.isFull };
}

type Types = TreeAdapterTypeMap<
  HtmlNode,
  HtmlElement,
  HtmlNode,
  HtmlElement,
  HtmlElement,
  HtmlElement,
  HtmlText,
  HtmlText,
  HtmlElement,
  HtmlText
>;
type Attributes = Token.Attribute[];

const { NS, TAG_ID } = names;
const NAMESPACES: Readonly<Partial<Record<names.NS, HtmlElement["namespace"]>>> = {
  [NS.SVG]: "svg",
  [NS.MATHML]: "math",
};
const NAMESPACE_URIS = { html: NS.HTML, svg: NS.SVG, math: NS.MATHML } as const;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

const newElement = (name: string, namespace: HtmlElement["namespace"]): HtmlElement => ({
  kind: "element",
  name,
  namespace,
  attributes: NO_ATTRIBUTES,
  parent: null,
  before: null,
  after: null,
  first: null,
  last: null,
  previous: null,
  newest: null,
  classes: null,
});
const newText = (kind: HtmlText["kind"], text: string): HtmlText => ({
  kind,
  text,
  parent: null,
  before: null,
  after: null,
});

/** Puts together what the parser finds, and stops it at the limits. The content of a `<template>` is the element's own. */
class TreeBuilder implements TreeAdapter<Types> {
  readonly document = newElement("", "html");
  parser: MailParser | null = null;
  isFull = false;
  #mode: names.DOCUMENT_MODE = names.DOCUMENT_MODE.NO_QUIRKS;
  /** Every document has `<html>`, `<head>` and `<body>`. */
  #nodes = -3;
  #repeatedChars = 0;
  readonly #merged = new Map<HtmlElement, Map<string, string>>();
  /** By the list that the parser has of them, which is the same for each element that it opens again. */
  readonly #attributes = new Map<Attributes, { read: ReadonlyMap<string, string>; chars: number }>();

  createDocument(): HtmlElement {
    return this.document;
  }

  createDocumentFragment(): HtmlElement {
    return newElement("", "html");
  }

  createElement(name: string, namespace: names.NS, attributes: Attributes): HtmlElement {
    const element = newElement(name, NAMESPACES[namespace] ?? "html");
    if (attributes.length > 0) element.attributes = this.#read(attributes);
    this.#count();
    return element;
  }

  createCommentNode(text: string): HtmlText {
    this.#count();
    return newText("comment", text);
  }

  createTextNode(text: string): HtmlText {
    return newText("text", text);
  }

  appendChild(parent: HtmlElement, child: HtmlNode): void {
    link(child, parent, parent.last, null);
  }

  insertBefore(parent: HtmlElement, child: HtmlNode, next: HtmlNode): void {
    link(child, parent, next.before, next);
  }

  insertText(parent: HtmlElement, text: string): void {
    this.#insertText(parent, text, parent.last, null);
  }

  insertTextBefore(parent: HtmlElement, text: string, next: HtmlNode): void {
    this.#insertText(parent, text, next.before, next);
  }

  detachNode(node: HtmlNode): void {
    const { parent, before, after } = node;
    if (parent === null) return;
    if (before === null) parent.first = after;
    else before.after = after;
    if (after === null) parent.last = before;
    else after.before = before;
    node.parent = null;
    node.before = null;
    node.after = null;
  }

  /** A second `<html>` or `<body>` adds what the first does not have. */
  adoptAttributes(element: HtmlElement, attributes: Attributes): void {
    const added = attributes.filter(({ name }) => !element.attributes.has(name));
    if (added.length === 0) return;
    const merged = this.#merged.get(element) ?? new Map(element.attributes);
    this.#merged.set(element, merged);
    for (const { name, value } of added) merged.set(name, value);
    element.attributes = merged;
  }

  setTemplateContent(): void {}
  getTemplateContent(template: HtmlElement): HtmlElement {
    return template;
  }

  getFirstChild(parent: HtmlElement): HtmlNode | null {
    return parent.first;
  }

  getChildNodes(parent: HtmlElement): HtmlNode[] {
    const children: HtmlNode[] = [];
    for (let child = parent.first; child !== null; child = child.after) children.push(child);
    return children;
  }

  getParentNode({ parent }: HtmlNode): HtmlElement | null {
    return parent;
  }

  getAttrList({ attributes }: HtmlElement): Attributes {
    return Array.from(attributes, ([name, value]) => ({ name, value }));
  }

  getTagName({ name }: HtmlElement): string {
    return name;
  }

  getNamespaceURI({ namespace }: HtmlElement): names.NS {
    return NAMESPACE_URIS[namespace];
  }

  getTextNodeContent({ text }: HtmlText): string {
    return text;
  }

  getCommentNodeContent({ text }: HtmlText): string {
    return text;
  }

  setDocumentMode(_: HtmlElement, mode: names.DOCUMENT_MODE): void {
    this.#mode = mode;
  }

  getDocumentMode(): names.DOCUMENT_MODE {
    return this.#mode;
  }

  // A declaration of the type is no node here.
  setDocumentType(): void {}
  getDocumentTypeNodeName(): string {
    return "";
  }
  getDocumentTypeNodePublicId(): string {
    return "";
  }
  getDocumentTypeNodeSystemId(): string {
    return "";
  }

  isTextNode(node: HtmlNode): node is HtmlText {
    return node.kind === "text";
  }
  isCommentNode(node: HtmlNode): node is HtmlText {
    return node.kind === "comment";
  }
  isDocumentTypeNode(node: HtmlNode): node is HtmlText {
    return !this.isTextNode(node) && !this.isCommentNode(node) && !this.isElementNode(node);
  }
  isElementNode(node: HtmlNode): node is HtmlElement {
    return node.kind === "element";
  }

  // Places in the text are not asked for.
  setNodeSourceCodeLocation(): void {}
  getNodeSourceCodeLocation(): null {
    return null;
  }
  updateNodeSourceCodeLocation(): void {}

  #insertText(parent: HtmlElement, text: string, before: HtmlNode | null, after: HtmlNode | null): void {
    const noscript = this.parser?.endedNoscript ?? null;
    const tooMany = parent.name === "style" ? 0 : (this.parser?.charsBehindEnd ?? 0);
    if (this.isFull || tooMany >= text.length) return;
    if (tooMany > 0) text = text.slice(0, -tooMany);
    if (noscript !== null) {
      link(newText("text", text), noscript, noscript.last, null);
      return;
    }
    if (before?.kind === "text") before.text += text;
    else link(newText("text", text), parent, before, after);
  }

  #read(attributes: Attributes): ReadonlyMap<string, string> {
    const known = this.#attributes.get(attributes);
    if (known !== undefined) {
      this.#repeatedChars += known.chars;
      if (this.#repeatedChars > MAX_REPEATED_CHARS) this.stop();
      return known.read;
    }
    const read = new Map<string, string>();
    let chars = 0;
    for (const { prefix = "", name, value } of attributes) {
      read.set(prefix === "" ? name : `${prefix}:${name}`, value);
      chars += name.length + value.length;
    }
    this.#attributes.set(attributes, { read, chars });
    return read;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) this.stop();
  }

  /** Adds no text any more, and reads no more than the tag at hand. */
  stop(): void {
    this.isFull = true;
    this.parser?.tokenizer.pause();
  }
}

function link(node: HtmlNode, parent: HtmlElement, before: HtmlNode | null, after: HtmlNode | null): void {
  node.parent = parent;
  node.before = before;
  node.after = after;
  if (before === null) parent.first = node;
  else before.after = node;
  if (after === null) parent.last = node;
  else after.before = node;
}

const HEADINGS = [TAG_ID.H1, TAG_ID.H2, TAG_ID.H3, TAG_ID.H4, TAG_ID.H5, TAG_ID.H6];
const ROW_GROUPS = new Set([TAG_ID.TBODY, TAG_ID.TFOOT, TAG_ID.THEAD]);
const TABLE_MODES = new Set([InsertionMode.IN_TABLE, InsertionMode.IN_TABLE_BODY, InsertionMode.IN_ROW]);

/**
 * parse5's parser, with what browsers do otherwise (`test/pages/html-tree.test.ts` compares the trees with Chromium's):
 * - The content of `<select>` is parsed like that of other elements, as HTML §13.2.6.4.7 has it since 2025.
 * - In a row, the end tag of a row group that is not open closes nothing.
 * - An end tag in SVG has SVG's spelling, so `</foreignObject>` there closes no HTML element of that name.
 * - Everything in SVG and MathML may hold CDATA sections, integration points included.
 * - NUL before the body is nothing.
 */
class MailParser extends Parser<Types> {
  /** Whether the element that is put into the tree has no content, as `<br>`. */
  #isClosed = false;

  /**
   * Where scripts run, the content of `<noscript>` is a text, up to the first end tag at `end`. No text in it is shown; if what follows
   * had another tree there, it is not read, because it is not known which part of it is shown.
   */
  #noscript: {
    element: HtmlElement;
    parent: HtmlElement | null;
    formatting: unknown;
    end: number;
    isOpen: boolean;
  } | null = null;
  readonly #builder: TreeBuilder;
  readonly #html: string;
  readonly #maxChars: number;

  constructor(builder: TreeBuilder, html: string, maxChars: number) {
    super({ scriptingEnabled: false, treeAdapter: builder });
    this.#builder = builder;
    this.#html = html;
    this.#maxChars = maxChars;
    this.#bindScopesToSelect();
    this.tokenizer = new MailTokenizer(this, () => this.currentNotInHTML);
  }

  /** How many characters the parser is past those that are read. */
  get charsBehindEnd(): number {
    return Math.max(this.tokenizer.preprocessor.offset - this.#maxChars, 0);
  }

  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (this.charsBehindEnd > 0) this.#builder.stop();
  }

  override onComment(token: Token.CommentToken): void {
    super.onComment(token);
    if (this.charsBehindEnd > 0) this.#builder.stop();
  }

  /** The element around the next text if it is a `<noscript>` that the text itself ended. */
  get endedNoscript(): HtmlElement | null {
    if (this.#noscript === null) return null;
    const { isOpen, end, element } = this.#noscript;
    if (this.tokenizer.preprocessor.offset > end) this.#builder.stop();
    return isOpen ? null : element;
  }

  override onItemPop(element: HtmlElement, isTop: boolean): void {
    super.onItemPop(element, isTop);
    if (element === this.#noscript?.element) this.#noscript.isOpen = false;
  }

  override onEndTag(token: Token.TagToken): void {
    super.onEndTag(token);
    if (this.charsBehindEnd > 0) this.#builder.stop();
    const noscript = this.#noscript;
    const { offset } = this.tokenizer.preprocessor;
    if (noscript === null || offset < noscript.end) return;
    this.#noscript = null;
    const { current, currentTagId } = this.openElements;
    // In the head a text ends it, and the head; the body has begun then.
    const isBehind =
      current === noscript.parent || (noscript.parent === this.headElement && currentTagId === TAG_ID.BODY);
    const isSame = isBehind && noscript.formatting === this.activeFormattingElements.newest;
    if (offset !== noscript.end || !isSame) this.#builder.stop();
  }

  override onNullCharacter(token: Token.CharacterToken): void {
    if (this.insertionMode >= InsertionMode.IN_BODY || this.tokenizer.inForeignNode)
      super.onNullCharacter(token);
  }

  override _appendElement(token: Token.TagToken, namespace: names.NS): void {
    this.#isClosed = true;
    super._appendElement(token, namespace);
    this.#isClosed = false;
  }

  override _attachElementToTree(
    element: HtmlElement,
    location: Token.LocationWithAttributes | null,
    place: { parent: HtmlElement; beforeElement: HtmlElement | null },
  ): void {
    const { parent, beforeElement } = place;
    const mostOpen = this.#isClosed ? MAX_DEPTH + 1 : MAX_DEPTH;
    const isTooDeep = beforeElement === null && this.openElements.depth > mostOpen;
    const around = (isTooDeep ? parent.parent : null) ?? parent;
    super._attachElementToTree(element, location, { parent: around, beforeElement });
  }

  override _startTagOutsideForeignContent(token: Token.TagToken): void {
    if (this.#isInSelect() && this.#endsSelect(token)) return;
    super._startTagOutsideForeignContent(token);
    // No mode is that of a select.
    const { insertionMode } = this;
    if (insertionMode === InsertionMode.IN_SELECT || insertionMode === InsertionMode.IN_SELECT_IN_TABLE)
      this._resetInsertionMode();
    if (token.tagID === TAG_ID.NOSCRIPT) this.#startNoscript();
  }

  override _endTagOutsideForeignContent(token: Token.TagToken): void {
    const { openElements } = this;
    if (token.tagID === TAG_ID.SELECT && this.#isInSelect()) {
      openElements.generateImpliedEndTags();
      openElements.popUntilTagNamePopped(TAG_ID.SELECT);
      return;
    }
    const isInPicture = openElements.current?.namespace === "svg";
    if (isInPicture && foreignContent.SVG_TAG_NAMES_ADJUSTMENT_MAP.has(token.tagName)) return;
    const isInRow = this.insertionMode === InsertionMode.IN_ROW;
    if (isInRow && ROW_GROUPS.has(token.tagID) && !openElements.hasInTableScope(token.tagID)) return;
    super._endTagOutsideForeignContent(token);
  }

  #startNoscript(): void {
    const { current, currentTagId, items, stackTop } = this.openElements;
    if (this.#noscript !== null || currentTagId !== TAG_ID.NOSCRIPT || current === undefined) return;
    const endTag = /<\/noscript(?=[\s/>])/gi;
    endTag.lastIndex = this.tokenizer.preprocessor.offset;
    const end = endTag.test(this.#html) ? this.#html.indexOf(">", endTag.lastIndex) : this.#html.length;
    const parent = items[this.openElements.slotBelow(stackTop)] ?? null;
    const formatting = this.activeFormattingElements.newest;
    this.#noscript = { element: current, parent, formatting, end, isOpen: true };
  }

  #isInSelect(): boolean {
    const { openElements } = this;
    return openElements.indexOfTopmost(TAG_ID.SELECT) !== -1 && openElements.hasInScope(TAG_ID.SELECT);
  }

  /** Ends what a start tag ends inside of a select. Returns whether the tag itself says no more. */
  #endsSelect({ tagID, attrs }: Token.TagToken): boolean {
    const { openElements } = this;
    const isInTable = TABLE_MODES.has(this.insertionMode);
    if (tagID === TAG_ID.SELECT) openElements.popUntilTagNamePopped(TAG_ID.SELECT);
    else if (tagID === TAG_ID.INPUT && !(isInTable && isHiddenInput(attrs)))
      openElements.popUntilTagNamePopped(TAG_ID.SELECT);
    else if (tagID === TAG_ID.OPTION) openElements.generateImpliedEndTagsWithExclusion(TAG_ID.OPTGROUP);
    else if (tagID === TAG_ID.OPTGROUP) openElements.generateImpliedEndTags();
    else if (tagID === TAG_ID.HR) {
      if (openElements.hasInButtonScope(TAG_ID.P)) this._closePElement();
      openElements.generateImpliedEndTags();
    }
    return tagID === TAG_ID.SELECT;
  }

  /** An end tag in a select reaches no element around it, and the mode of the parser is that of what is around the select. */
  #bindScopesToSelect(): void {
    const { openElements } = this;
    const topmostOf = openElements.indexOfTopmostOf.bind(openElements);
    openElements.indexOfTopmostOf = (tags) => topmostOf(tags.filter((tag) => tag !== TAG_ID.SELECT));
    const isReached = (slot: number): boolean => slot >= openElements.indexOfTopmost(TAG_ID.SELECT);
    const inScope = openElements.hasInScope.bind(openElements);
    openElements.hasInScope = (tag, element) =>
      inScope(tag, element) &&
      isReached(element == null ? openElements.indexOfTopmost(tag) : openElements._indexOf(element));
    for (const scope of ["hasInListItemScope", "hasInButtonScope"] as const) {
      const inThis = openElements[scope].bind(openElements);
      openElements[scope] = (tag) => inThis(tag) && isReached(openElements.indexOfTopmost(tag));
    }
    const headingInScope = openElements.hasNumberedHeaderInScope.bind(openElements);
    openElements.hasNumberedHeaderInScope = () => headingInScope() && isReached(topmostOf(HEADINGS));
  }
}

class MailTokenizer extends Tokenizer {
  readonly #isInForeign: () => boolean;

  constructor(parser: MailParser, isInForeign: () => boolean) {
    super(parser.options, parser);
    this.#isInForeign = isInForeign;
  }

  /** Blanks inside of a run of text join it: a token for each word would cost three times as much. */
  override _stateData(codePoint: number): void {
    const isBlank = codePoint === 0x20 || codePoint === 0x0a || codePoint === 0x09 || codePoint === 0x0c;
    if (isBlank && this.currentCharacterToken?.type === Token.TokenType.CHARACTER) this._extendRun(codePoint);
    else super._stateData(codePoint);
  }

  override _stateMarkupDeclarationOpen(codePoint: number): void {
    const { inForeignNode } = this;
    this.inForeignNode = this.#isInForeign();
    super._stateMarkupDeclarationOpen(codePoint);
    this.inForeignNode = inForeignNode;
  }
}

function isHiddenInput(attributes: Attributes): boolean {
  return attributes.some(({ name, value }) => name === "type" && value.toLowerCase() === "hidden");
}

/** Reads the nodes of a tree. */
export interface NodeReader {
  start: (element: HtmlElement) => void;
  end?: (element: HtmlElement) => void;
  text?: (text: HtmlText) => void;
  comment?: (comment: HtmlText) => void;
}

/** Shows `reader` everything in an element in the order of the tree. */
export function walk(top: HtmlElement, reader: NodeReader): void {
  let node: HtmlNode | null = top.first;
  while (node !== null) {
    if (node.kind !== "element") {
      reader[node.kind]?.(node);
    } else {
      reader.start(node);
      if (node.first !== null) {
        node = node.first;
        continue;
      }
      reader.end?.(node);
    }
    while (node.after === null) {
      const parent: HtmlElement | null = node.parent;
      if (parent === null || parent === top) return;
      reader.end?.(parent);
      node = parent;
    }
    node = node.after;
  }
}
