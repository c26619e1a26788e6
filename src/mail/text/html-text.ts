import { BLOCKS, OpenElements, PARAGRAPHS, VOID_ELEMENTS, type OpenElement } from "./html-elements.ts";
import { TagReader } from "./tag-reader.ts";
import { TextLayout } from "./text-layout.ts";

/** Characters of the longest link that is kept; browsers have a similar limit. */
const MAX_LINK_CHARS = 8_192;
/** Characters of a snippet, unless the caller says otherwise. */
const SNIPPET_CHARS = 200;

/**
 * Invisible characters, which can hide text from a reader: controls, zero-width and fillers, bidi controls,
 * variation selectors, and the tags from U+E0000 on, which spell ASCII invisibly. Not U+FE0E and U+FE0F of emoji.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/gu;
/** The joiners have a use only between characters beyond ASCII: in emoji, Persian, Indic scripts. */
const IDLE_JOINER =
  /(?<![^\p{ASCII}\s\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\s\u200c\u200d])/gu;

/**
 * The text a reader of this HTML sees: blocks as lines, links as `text (https://…)`, quotes with `> `, nothing
 * from scripts, comments and hidden nodes. Linear in the input at any nesting. Style sheets are not applied.
 */
export function htmlToText(html: string): string {
  return readHtml(html).text;
}

/** As `htmlToText`; `isCut` says that the HTML goes on behind as many tags as are read. */
export function readHtml(html: string): { text: string; isCut: boolean } {
  const reader = new HtmlReader(html.toWellFormed());
  const text = reader.read();
  return { text, isCut: reader.isCut };
}

/** The first words of a text on one line, cut at a word, with `…` where something was cut. */
export function textToSnippet(text: string, maxChars = SNIPPET_CHARS): string {
  let snippet = "";
  for (const [word] of text.matchAll(/\S+/g)) {
    const shown = visible(word.slice(0, 2 * maxChars + 2));
    if (shown === "") continue;
    const longer = snippet === "" ? shown : `${snippet} ${shown}`;
    if (longer.length > maxChars)
      return `${snippet === "" ? cut(shown, maxChars - 1) : cut(snippet, maxChars - 1)}…`;
    snippet = longer;
  }
  return snippet;
}

function cut(text: string, maxChars: number): string {
  const end =
    text.length > maxChars && /[\ud800-\udbff]/.test(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return text.slice(0, Math.max(end, 0)).trimEnd();
}

/** Matches the visible part of a word; nearly every word is visible as a whole. */
function visible(word: string): string {
  return /^[!-~]*$/.test(word) ? word : withoutInvisible(word.toWellFormed());
}

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "").replace(IDLE_JOINER, "");
}

interface OpenLink {
  url: string;
  mark: number;
  hasImage: boolean;
}

class HtmlReader extends TagReader {
  readonly #elements = new OpenElements();
  readonly #layout = new TextLayout();
  #run: string[] = [];
  #link: OpenLink | null = null;

  read(): string {
    this.readTokens();
    this.#flush();
    this.#endLink();
    return this.#layout.toString();
  }

  protected override text(text: string): void {
    this.#run.push(text);
  }

  protected override startTag(): void {
    this.#flush();
    const element = this.#elements.open(this.tag, this.attributes, this.#onEnd);
    if (!isHidden(element)) this.#start(element);
  }

  protected override selfClosingTag(): void {
    this.startTag();
    // `<svg/>` has no content; `<div/>` is a start tag to a browser.
    if (this.tag === "svg" || this.#elements.top.dropped) this.#elements.close(this.tag, this.#onEnd);
  }

  protected override endTag(name: string): void {
    this.#flush();
    if (name === "br") this.#layout.newline();
    else if (!VOID_ELEMENTS.has(name)) this.#elements.close(name, this.#onEnd);
  }

  #start(element: OpenElement): void {
    const { name, quoteDepth } = element;
    if (name === "br") this.#layout.newline();
    else if (name === "li") this.#layout.item(marker(element), element.listDepth);
    else if (name === "td" || name === "th") this.#layout.cell();
    else if (name === "img") this.#image(quoteDepth);
    else if (name === "a") this.#startLink();
    else this.#breakFor(name);
  }

  readonly #onEnd = (ended: OpenElement): void => {
    if (ended.name === "a") this.#endLink();
    if (ended.name === "li") this.#layout.endItem();
    if (!isHidden(ended)) this.#breakFor(ended.name);
  };

  #breakFor(name: string): void {
    if (PARAGRAPHS.has(name)) this.#layout.break(2);
    else if (BLOCKS.has(name)) this.#layout.break(1);
  }

  #flush(): void {
    if (this.#run.length === 0) return;
    const text = this.#run.join("");
    this.#run = [];
    const { top } = this.#elements;
    if (isHidden(top)) return;
    const shown = withoutInvisible(text);
    if (top.preformatted) this.#layout.writePreformatted(shown, top.quoteDepth);
    else this.#layout.write(shown, top.quoteDepth);
  }

  #image(quoteDepth: number): void {
    if (this.#link !== null) this.#link.hasImage = true;
    this.#layout.write(withoutInvisible(this.attributes.get("alt") ?? ""), quoteDepth);
  }

  #startLink(): void {
    this.#endLink();
    const url = webLink(this.attributes.get("href") ?? "");
    this.#link = url === null ? null : { url, mark: this.#layout.mark, hasImage: false };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = null;
    if (link === null) return;
    const text = this.#layout.since(link.mark).trim();
    const { quoteDepth } = this.#elements.top;
    if (text === "") {
      // A picture without a description is still a button; a link around nothing is not.
      if (link.hasImage) this.#layout.write(` ${link.url} `, quoteDepth);
    } else if (!namesItself(text, link.url)) {
      this.#layout.write(` (${link.url})`, quoteDepth);
    }
  }
}

function isHidden(element: OpenElement): boolean {
  return element.dropped || element.removed || element.tiny || element.invisible;
}

function marker(item: OpenElement): string {
  const { list } = item;
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

function namesItself(text: string, url: string): boolean {
  if (text === url || `mailto:${text}` === url) return true;
  return /^https?:\/\//i.test(text) && text.replace(/\/$/, "") === url.replace(/\/$/, "");
}
