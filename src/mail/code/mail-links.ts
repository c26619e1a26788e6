/** Mail programs clip far smaller mails; what stands behind is a footer or hostile. */
const MAX_HTML_CHARS = 400_000;

/** As in `own-text`: a code mail is short. */
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

/** Where a link to the web is no trick: no control characters, no spaces, nothing before the scheme. */
function isWebUrl(url: string): boolean {
  return url.length <= MAX_URL_CHARS && /^https?:\/\/[^\s\p{Cc}<>"]+$/iu.test(url);
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
    links.push({ url, label, before: bracketed ? before.slice(0, before.length - line.length) : before });
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

const HIDING =
  /(?:^|[;"'\s])(?:display\s?:\s?none|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|font-size\s?:\s?0(?![.\d])|mso-hide\s?:\s?all|max-height\s?:\s?0(?![.\d]))/i;

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

function hrefOf(attributes: string): string {
  const match = /(?:^|[\s"'/])href\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
  return decodeEntities((match?.[1] ?? match?.[2] ?? match?.[3] ?? "").slice(0, 2 * MAX_URL_CHARS)).trim();
}

const isHidden = ({ attributes }: Tag): boolean =>
  attributes !== "" && (/\shidden(?:[\s=/]|$)/i.test(attributes) || HIDING.test(attributes));

/** Reads tags in order; what is hidden (CSS, `hidden`, comments, `<style>`) contributes neither links nor words. */
class AnchorReader {
  readonly links: MailLink[] = [];
  #words = "";
  #open: { url: string; before: string; wordsAt: number } | null = null;
  #hidden: { name: string; depth: number } | null = null;

  text(raw: string): void {
    if (this.#hidden !== null) return;
    // Only the last words matter, so the buffer stays short.
    if (this.#open === null) this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
    if (this.#words.length < 8 * MAX_LABEL_CHARS)
      this.#words += decodeEntities(raw.slice(-4 * MAX_LABEL_CHARS));
  }

  tag(tag: Tag): void {
    if (this.#hidden !== null) {
      if (tag.name !== this.#hidden.name) return;
      this.#hidden.depth += tag.closing ? -1 : 1;
      if (this.#hidden.depth === 0) this.#hidden = null;
      return;
    }
    if (tag.name === "a") this.#endLink();
    if (tag.closing || VOID.has(tag.name)) return;
    if (SILENT.has(tag.name) || isHidden(tag)) {
      this.#hidden = { name: tag.name, depth: 1 };
    } else if (tag.name === "a") {
      this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
      this.#open = { url: hrefOf(tag.attributes), before: this.#words, wordsAt: this.#words.length };
    }
  }

  #endLink(): void {
    if (this.#open === null) return;
    const { url, before, wordsAt } = this.#open;
    const label = this.#words
      .slice(wordsAt, wordsAt + 2 * MAX_LABEL_CHARS)
      .replace(/\s+/g, " ")
      .trim();
    if (isWebUrl(url)) this.links.push({ url, label: label.slice(0, MAX_LABEL_CHARS), before });
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
