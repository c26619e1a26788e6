import { hiding, type Hiding } from "../text/html-hiding.ts";

/** Mail programs clip far smaller mails; what stands behind is a footer or hostile. */
const MAX_HTML_CHARS = 400_000;

/** As many as are read for codes: a mail with a code or a link to confirm is short. */
const MAX_TEXT_CHARS = 100_000;

/** A mail with more links is a newsletter. */
const MAX_LINKS = 500;

/** Signed links reach 2,000 characters; browsers stop before 8,192. */
const MAX_URL_CHARS = 4_096;

/** A button has a few words. */
const MAX_LABEL_CHARS = 120;

/** A link of the mail with what the reader sees of it. */
export interface MailLink {
  /** As written, entities decoded. */
  url: string;
  /** Its own words; "" for a bare address. */
  label: string;
  /** The words before it. */
  before: string;
  /** Whether it looks like a button. */
  isButton: boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g,
    (all, decimal, hex, name) => {
      if (typeof name === "string") return ENTITIES[name] ?? all;
      const point = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}

/**
 * Whether a link leads to the web without a trick: no white space, and in its authority no `@` (a name before it only ever
 * deceives), no backslash (programs disagree on the host behind it) and nothing invisible.
 */
function isWebUrl(url: string): boolean {
  return (
    url.length <= MAX_URL_CHARS &&
    /^https?:\/\/(?![^/?#]*[@\\\p{Cf}])[^\s\p{Cc}<>"/]+[^\s\p{Cc}<>"]*$/iu.test(url)
  );
}

// A plain run behind a literal: linear. CJK text may follow a link without a space.
const TEXT_URL = /https?:\/\/[^\s<>"\u3000-\ud7ff\uf900-\uffef]+/gi;

/** A link at the end of a sentence or in brackets takes neither along. */
function trimmed(url: string): string {
  const end = url.replace(/[.,;:!?'’”»\]}*_]{1,8}$/, "");
  return end.endsWith(")") && !end.includes("(") ? end.slice(0, -1).replace(/[.,;:!?]{1,8}$/, "") : end;
}

/** The links of a plain text: `label (https://…)`, or bare ones with the lines above. */
export function textLinks(text: string): MailLink[] {
  const capped = text.slice(0, MAX_TEXT_CHARS);
  const links: MailLink[] = [];
  let previousEnd = 0;
  for (const match of capped.matchAll(TEXT_URL)) {
    if (links.length >= MAX_LINKS) break;
    const from = Math.max(previousEnd, match.index - 2 * MAX_LABEL_CHARS);
    const before = capped.slice(from, match.index);
    previousEnd = match.index + match[0].length;
    const url = trimmed(match[0]);
    if (!isWebUrl(url)) continue;
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const bracketed = /[(<[]\s?$/.test(line);
    const label = bracketed ? line.slice(-MAX_LABEL_CHARS, -1).trim() : "";
    const own = bracketed ? before.slice(0, before.length - line.length) : before;
    links.push({ url, label, before: own, isButton: false });
  }
  return links;
}

/** Elements whose content is no text of this mail; in a `blockquote` stands an older one. */
const SILENT = new Set([
  "script",
  "style",
  "title",
  "textarea",
  "template",
  "noscript",
  "head",
  "svg",
  "blockquote",
]);

const VOID = new Set([
  "br",
  "img",
  "hr",
  "input",
  "meta",
  "link",
  "area",
  "base",
  "col",
  "source",
  "wbr",
  "embed",
]);

/** Hides an element too, beside what `hiding` reads: in Outlook, and in preheaders. */
const HIDING = /(?:^|[;\s])(?:mso-hide\s?:\s?all|max-height\s?:\s?0(?![.\d]))/i;

/** How senders draw buttons: a coloured box around an `<a>`. */
const BUTTON =
  /background|padding|display\s?:\s?(?:inline-)?block|class\s?=\s?["'][^"']{0,60}(?:btn|button|cta)/i;

interface Tag {
  name: string;
  closing: boolean;
  attributes: string;
  end: number;
}

const TAG_NAME = /[a-z][a-z0-9:-]{0,20}/iy;
const TAG_STOP = /[>"']/g;

/** The tag at `<`; null where the document ends within it, undefined where `<` is text. */
function tagAt(html: string, at: number): Tag | null | undefined {
  const closing = html[at + 1] === "/";
  TAG_NAME.lastIndex = at + (closing ? 2 : 1);
  const name = TAG_NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return undefined;
  const attributesAt = TAG_NAME.lastIndex;
  TAG_STOP.lastIndex = attributesAt;
  for (;;) {
    const stop = TAG_STOP.exec(html);
    if (stop === null) return null;
    if (stop[0] === ">")
      return { name, closing, attributes: html.slice(attributesAt, stop.index), end: stop.index + 1 };
    const end = html.indexOf(stop[0], stop.index + 1);
    if (end < 0) return null;
    TAG_STOP.lastIndex = end + 1;
  }
}

const ATTRIBUTE = /([^\s"'=/]+)(?:\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const READ_ATTRIBUTES = new Set(["href", "style", "hidden", "size"]);

/** The attributes of a tag that matter here; of two of one name the first counts. */
function attributesOf(tag: Tag): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", double, single, bare] of tag.attributes.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!READ_ATTRIBUTES.has(key) || found.has(key)) continue;
    const value = (double ?? single ?? bare ?? "").slice(0, 2 * MAX_URL_CHARS);
    found.set(key, decodeEntities(value).trim());
  }
  return found;
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

const SHOWN: Hiding = { removed: false, tiny: false, invisible: false };
const TINY: Hiding = { ...SHOWN, tiny: true };

/** Whether a tag hides its element whatever stands within. */
function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  const { removed, invisible } = hiding(attributes, SHOWN);
  return removed || invisible || HIDING.test(attributes.get("style") ?? "");
}

/** The size that an element gives its text: none, so that nobody reads it, or one that can be read; null where it keeps that around it. */
type Size = "none" | "readable" | null;

function sizeOf(attributes: ReadonlyMap<string, string>): Size {
  if (hiding(attributes, SHOWN).tiny) return "none";
  return hiding(attributes, TINY).tiny ? null : "readable";
}

/** An element that is open, by its name, and how many of that name are open in it. */
interface Region {
  name: string;
  depth: number;
}

/** The region after a tag; null where the tag ends it. */
function followed(region: Region, tag: Tag): Region | null {
  if (tag.name !== region.name) return region;
  const depth = region.depth + (tag.closing ? -1 : 1);
  return depth === 0 ? null : { name: region.name, depth };
}

/** Reads tags in order; what is hidden (CSS, `hidden`, comments, `<style>`) contributes neither links nor words. */
class AnchorReader {
  readonly links: MailLink[] = [];
  #words = "";
  #open: { url: string; before: string; wordsAt: number; isButton: boolean } | null = null;
  #hidden: Region | null = null;
  /** The outermost element whose text has no size, and an element in it that sets one again. Layouts without gaps are made so. */
  #tiny: Region | null = null;
  #sized: Region | null = null;

  text(raw: string): void {
    if (this.#hidden !== null || this.#isTiny()) return;
    // Only the last words matter, so the buffer stays short.
    if (this.#open === null) this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
    if (this.#words.length < 8 * MAX_LABEL_CHARS)
      this.#words += decodeEntities(raw.slice(-4 * MAX_LABEL_CHARS));
  }

  tag(tag: Tag): void {
    if (this.#hidden !== null) {
      this.#hidden = followed(this.#hidden, tag);
      return;
    }
    if (tag.name === "a") this.#endLink();
    if (VOID.has(tag.name)) return;
    if (tag.closing) this.#followSize(tag, null);
    else this.#opened(tag);
  }

  #opened(tag: Tag): void {
    const attributes = tag.attributes === "" ? NO_ATTRIBUTES : attributesOf(tag);
    const size = sizeOf(attributes);
    if (SILENT.has(tag.name) || isHidden(attributes) || (size === "none" && this.#sized !== null)) {
      this.#hidden = { name: tag.name, depth: 1 };
      return;
    }
    this.#followSize(tag, size);
    if (tag.name !== "a" || this.#isTiny()) return;
    this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
    this.#open = {
      url: attributes.get("href") ?? "",
      before: this.#words,
      wordsAt: this.#words.length,
      isButton: BUTTON.test(tag.attributes.slice(0, MAX_URL_CHARS)),
    };
  }

  #isTiny(): boolean {
    return this.#tiny !== null && this.#sized === null;
  }

  #followSize(tag: Tag, size: Size): void {
    const opened: Region = { name: tag.name, depth: 1 };
    if (this.#tiny === null) {
      if (size === "none") this.#tiny = opened;
      return;
    }
    if (this.#sized !== null) this.#sized = followed(this.#sized, tag);
    else if (size === "readable") this.#sized = opened;
    this.#tiny = followed(this.#tiny, tag);
    if (this.#tiny === null) this.#sized = null;
  }

  #endLink(): void {
    if (this.#open === null) return;
    const { url, before, wordsAt, isButton } = this.#open;
    const label = this.#words
      .slice(wordsAt, wordsAt + 2 * MAX_LABEL_CHARS)
      .replace(/\s+/g, " ")
      .trim();
    if (isWebUrl(url)) this.links.push({ url, label: label.slice(0, MAX_LABEL_CHARS), before, isButton });
    this.#open = null;
    this.#words = "";
  }
}

/**
 * The visible `<a href>` of a document. A scan that never goes back over what it has read: an HTML parser's stack of
 * open elements is quadratic on unclosed ones.
 */
export function htmlLinks(html: string): MailLink[] {
  const capped = html.slice(0, MAX_HTML_CHARS);
  const reader = new AnchorReader();
  let at = 0;
  let textFrom = 0;
  while (reader.links.length < MAX_LINKS) {
    at = capped.indexOf("<", at);
    if (at < 0) break;
    const comment = capped.startsWith("<!--", at);
    const tag = comment ? undefined : tagAt(capped, at);
    if (tag === null) break;
    if (tag === undefined && !comment) {
      at += 1;
      continue;
    }
    reader.text(capped.slice(textFrom, at));
    const commentEnd = comment ? capped.indexOf("-->", at + 4) : 0;
    if (commentEnd < 0) break;
    if (tag !== undefined) reader.tag(tag);
    at = tag === undefined ? commentEnd + 3 : tag.end;
    textFrom = at;
  }
  return reader.links;
}
