import type { HidingKind } from "../style/text-style.ts";
import { readStyled, type StyledElement, type StyledReader } from "./html-document.ts";
import type { HtmlElement } from "./html-tree.ts";
import {
  countInvisible,
  NOTHING_INVISIBLE,
  withoutInvisible,
  type InvisibleTally,
} from "./invisible-characters.ts";
import { TextLayout } from "./text-layout.ts";

/** Characters of the longest link that is kept; browsers have a similar limit. */
const MAX_LINK_CHARS = 8_192;

/** How the text of an HTML is written. */
export interface Writing {
  /** Whether a picture stands as its description. */
  describesImages: boolean;
  /** The text behind a link: its `url` begins with http, https or mailto, `text` is what is seen of it, or "". */
  link: (url: string, text: string, hasImage: boolean) => string;
  /** Changes each piece of text before it is written. */
  write?: (text: string) => string;
  /** Elements that are left out, beside those that are hidden. */
  isLeftOut?: (element: HtmlElement) => boolean;
  /** Characters of the HTML that are read. */
  maxChars?: number;
}

/** A text that is not shown: why, and the words. */
export interface HiddenPassage {
  kind: HidingKind | "comments" | "alt";
  text: string;
}

/** The text that a reader of HTML sees, and what is hidden from him. */
export interface ShownText {
  text: string;
  /** Hidden texts; each is the content of one element or comment. */
  passages: HiddenPassage[];
  /** Invisible characters within what is shown. */
  invisible: InvisibleTally;
  /** Pictures that are shown or asked for. */
  images: number;
  /** Whether the text goes on behind what is read. */
  isCut: boolean;
}

/** The text of an HTML text whose styles are not judged: also what they hide. Counts as cut. */
export function readUnstyled(html: string, writing: Writing): ShownText {
  const reader = new ShownReader(writing);
  readStyled(html.toWellFormed(), reader, { ...writing, judges: "elements" });
  return { ...reader.result(), isCut: true };
}

/** The text that a reader of an HTML text sees. Linear in the input. */
export function readShown(html: string, writing: Writing): ShownText {
  const reader = new ShownReader(writing);
  const isCut = readStyled(html.toWellFormed(), reader, writing);
  return { ...reader.result(), isCut };
}

interface OpenLink {
  url: string;
  mark: number;
  hasImage: boolean;
}

/** Elements that hold code and no text. */
const CODE = new Set(["script", "style"]);
const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
/** Blocks followed by a blank line. */
const PARAGRAPHS = words("p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table hr figure");
/** Blocks that stand on lines of their own. */
const BLOCKS = words(
  "address article aside body caption center dd details dialog dir div dt fieldset figcaption footer form header hgroup " +
    "html legend li main menu nav option optgroup section select summary tbody textarea tfoot thead tr",
);
/** Characters of hidden texts that are kept. */
const MAX_HIDDEN_CHARS = 200_000;

class ShownReader implements StyledReader {
  readonly #writing: Writing;
  readonly #layout = new TextLayout();
  readonly #passages = new Map<HtmlElement | number, { kind: HiddenPassage["kind"]; texts: string[] }>();
  readonly #invisible: InvisibleTally = { ...NOTHING_INVISIBLE, spelt: "" };
  #hiddenCharsLeft = MAX_HIDDEN_CHARS;
  #images = 0;
  #link: OpenLink | null = null;
  #quoteDepth = 0;

  constructor(writing: Writing) {
    this.#writing = writing;
  }

  result(): Omit<ShownText, "isCut"> {
    this.#endLink();
    const passages = [...this.#passages.values()].map(({ kind, texts }) => ({
      kind,
      text: texts.join(" ").trim(),
    }));
    return { text: this.#layout.toString(), passages, invisible: this.#invisible, images: this.#images };
  }

  text(text: string, { element, style, hiddenBy, preformatted, quoteDepth }: StyledElement): void {
    if (hiddenBy !== null && style.hidden !== null) {
      if (!CODE.has(element.name)) this.#hide(hiddenBy, style.hidden, text);
      return;
    }
    const shown = this.#cleaned(text);
    this.#quoteDepth = quoteDepth;
    if (preformatted) this.#layout.writePreformatted(shown, quoteDepth);
    else this.#layout.write(shown, quoteDepth);
  }

  comment(text: string): void {
    // Outlook's conditions around what everybody else is shown.
    if (/^\s*\[(?:if\b[^\]]*|endif)\]\s*$/i.test(text)) return;
    this.#hide(this.#passages.size, "comments", text);
  }

  start(started: StyledElement): void {
    const { element, style } = started;
    const { name } = element;
    if (name === "img") this.#image(started);
    if (style.hidden !== null) return;
    if (name === "br") this.#layout.newline();
    else if (name === "li") this.#layout.item(marker(started), started.listDepth);
    else if (name === "td" || name === "th") this.#layout.cell();
    else if (name === "a") this.#startLink(element);
    else if (name === "input") this.#button(started);
    else this.#breakFor(name);
  }

  end({ element, style }: StyledElement): void {
    const { name } = element;
    if (name === "a") this.#endLink();
    if (name === "li") this.#layout.endItem();
    if (style.hidden === null) this.#breakFor(name);
  }

  #breakFor(name: string): void {
    if (PARAGRAPHS.has(name)) this.#layout.break(2);
    else if (BLOCKS.has(name)) this.#layout.break(1);
  }

  #cleaned(text: string): string {
    const shown = countInvisible(text, this.#invisible);
    return this.#writing.write?.(shown) ?? shown;
  }

  /** Only words count: mails fill gaps with blanks and invisible characters. */
  #hide(by: HtmlElement | number, kind: HiddenPassage["kind"], text: string): void {
    if (!WORD.test(text)) return;
    const kept = text.slice(0, this.#hiddenCharsLeft).replaceAll(/\s+/g, " ").trim().toWellFormed();
    this.#hiddenCharsLeft -= kept.length;
    const known = this.#passages.get(by);
    if (known === undefined) this.#passages.set(by, { kind, texts: [kept] });
    else known.texts.push(kept);
  }

  #image({ element: { attributes }, style, quoteDepth }: StyledElement): void {
    const isHidden = style.hidden !== null;
    this.#images += 1;
    if (this.#link !== null && !isHidden) this.#link.hasImage = true;
    const description = attributes.get("alt") ?? "";
    if (this.#writing.describesImages && !isHidden)
      this.#layout.write(this.#cleaned(description), quoteDepth);
    else this.#hide(this.#passages.size, "alt", description);
  }

  #button({ element: { attributes }, quoteDepth }: StyledElement): void {
    if (!/^(?:submit|button|reset)$/i.test(attributes.get("type") ?? "")) return;
    this.#layout.write(this.#cleaned(attributes.get("value") ?? ""), quoteDepth);
  }

  #startLink({ attributes }: HtmlElement): void {
    this.#endLink();
    const url = webLink(attributes.get("href") ?? "");
    this.#link = url === null ? null : { url, mark: this.#layout.mark, hasImage: false };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = null;
    if (link === null) return;
    const text = this.#layout.since(link.mark).trim();
    const mark = this.#writing.link(link.url, text, link.hasImage);
    if (mark !== "") this.#layout.write(mark, this.#quoteDepth);
  }
}

/** A letter, a digit or a picture. */
const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

function marker({ list }: StyledElement): string {
  return list.next === null ? "- " : `${list.next++}. `;
}

function webLink(href: string): string | null {
  // Browsers drop tabs and line ends inside a URL, so `java\nscript:` must be judged without them.
  const url = withoutInvisible(href)
    .replace(/[\t\r\n]/g, "")
    .trim()
    .replaceAll(" ", "%20");
  return url.length <= MAX_LINK_CHARS && /^(?:https?:\/\/|mailto:)[^\s]/i.test(url) ? url : null;
}
