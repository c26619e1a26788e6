import { Cascade } from "../style/cascade.ts";
import type { Sheet } from "../style/css-rules.ts";
import { PAGE_STYLE, type TextStyle } from "../style/text-style.ts";
import { OpenElements, VOID_ELEMENTS, type OpenElement } from "./html-elements.ts";
import { TagReader } from "./tag-reader.ts";

/** A text, the start or the end of an element, or a comment, in the order of the document. */
type Piece =
  | { kind: "text" | "comment"; text: string }
  | { kind: "start" | "end"; element: OpenElement }
  | { kind: "newline" };

/** An element with its style, and the outermost element around it that is hidden. */
export interface StyledElement {
  element: OpenElement;
  style: TextStyle;
  /** Null where it is not hidden. */
  hiddenBy: OpenElement | null;
}

/** Reads the pieces of a document, with the styles of all elements known. */
export interface PieceReader {
  text: (text: string, within: StyledElement) => void;
  start: (started: StyledElement) => void;
  end: (ended: StyledElement) => void;
  comment: (text: string) => void;
  newline: () => void;
}

/** Whether styles are judged, or every element counts as shown but for those that never have text for a reader. */
type Judging = "styles" | "elements";

const NO_CASCADE = { styleOf: (_: OpenElement, parent: TextStyle): TextStyle => parent, isCut: false };

/**
 * Shows `reader` an HTML text in the order it is written. Elements for which `isLeftOut` holds count as hidden. Returns whether
 * the text goes on behind the limits.
 */
export function readStyled(
  html: string,
  reader: PieceReader,
  isLeftOut?: (element: OpenElement) => boolean,
  judging: Judging = "styles",
): boolean {
  const document = new DocumentReader(html);
  document.read();
  const cascade = judging === "styles" ? new Cascade(document.sheets) : NO_CASCADE;
  const root: StyledElement = { element: document.root, style: PAGE_STYLE, hiddenBy: null };
  const open: StyledElement[] = [root];
  for (const piece of document.pieces) {
    const top = open.at(-1) ?? root;
    if (piece.kind === "text") reader.text(piece.text, top);
    else if (piece.kind === "comment") reader.comment(piece.text);
    else if (piece.kind === "newline") reader.newline();
    else if (piece.kind === "start") {
      const started = styledIn(top, piece.element, cascade, isLeftOut);
      if (!VOID_ELEMENTS.has(piece.element.name)) open.push(started);
      reader.start(started);
    } else {
      open.pop();
      reader.end(top);
    }
  }
  return document.isCut || cascade.isCut;
}

function styledIn(
  parent: StyledElement,
  element: OpenElement,
  cascade: Pick<Cascade, "styleOf">,
  isLeftOut?: (element: OpenElement) => boolean,
): StyledElement {
  const own = cascade.styleOf(element, parent.style);
  const isGone = own.gone === null && (element.dropped || isLeftOut?.(element) === true);
  const style: TextStyle = isGone ? { ...own, gone: "css", hidden: "css" } : own;
  return { element, style, hiddenBy: style.hidden === null ? null : (parent.hiddenBy ?? element) };
}

class DocumentReader extends TagReader {
  readonly pieces: Piece[] = [];
  readonly sheets: Sheet[] = [];
  readonly #elements = new OpenElements();
  #run: string[] = [];

  constructor(html: string) {
    // HTML §13.2.5.42: outside of SVG and MathML this is a comment, which ends at the first `>`.
    super(html.replaceAll("<![CDATA[", "<!-CDATA["));
  }

  get root(): OpenElement {
    return this.#elements.root;
  }

  read(): void {
    this.readTokens();
    this.#flush();
  }

  protected override text(text: string): void {
    this.#run.push(text);
  }

  protected override comment(text: string): void {
    this.#flush();
    this.pieces.push({ kind: "comment", text });
  }

  protected override startTag(): void {
    this.#flush();
    const element = this.#elements.open(this.tag, this.attributes, this.#onEnd);
    this.pieces.push({ kind: "start", element });
  }

  protected override selfClosingTag(): void {
    this.startTag();
    // `<svg/>` has no content; `<div/>` is a start tag to a browser.
    if (this.tag === "svg" || this.#elements.top.dropped) this.#elements.close(this.tag, this.#onEnd);
  }

  protected override endTag(name: string): void {
    this.#flush();
    if (name === "br") this.pieces.push({ kind: "newline" });
    else if (!VOID_ELEMENTS.has(name)) this.#elements.close(name, this.#onEnd);
  }

  readonly #onEnd = (element: OpenElement): void => {
    this.pieces.push({ kind: "end", element });
  };

  #flush(): void {
    if (this.#run.length === 0) return;
    const text = this.#run.join("");
    this.#run = [];
    const { top } = this.#elements;
    if (top.name === "style") this.#sheet(top, text);
    else this.pieces.push({ kind: "text", text });
  }

  #sheet({ attributes, parent }: OpenElement, text: string): void {
    const isInert = parent?.dropped === true && parent.name !== "head";
    const type = attributes.get("type")?.trim().toLowerCase() ?? "";
    if (!isInert && (type === "" || type === "text/css")) {
      this.sheets.push({ text, media: attributes.get("media") ?? "" });
    }
  }
}
