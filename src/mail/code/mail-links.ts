import { readStyled, type StyledElement, type StyledReader } from "../text/html-document.ts";

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

/** Addresses in a text. A plain run behind a literal: linear. CJK text may follow a link without a space. */
export const TEXT_URL = /https?:\/\/[^\s<>"\u3000-\ud7ff\uf900-\uffef]+/gi;

/** A link at the end of a sentence or in brackets takes neither along. */
export function bareUrl(url: string): string {
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
    const url = bareUrl(match[0]);
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
const SILENT = new Set(["blockquote", "textarea"]);

/** How senders draw buttons: a coloured box around an `<a>`. */
const BUTTON_STYLE = /background|padding|display\s?:\s?(?:inline-)?block/i;
const BUTTON_CLASS = /btn|button|cta/i;

function isButton(attributes: ReadonlyMap<string, string>): boolean {
  const style = (attributes.get("style") ?? "").slice(0, MAX_URL_CHARS);
  return BUTTON_STYLE.test(style) || BUTTON_CLASS.test((attributes.get("class") ?? "").slice(0, 60));
}

/** Gathers links; what is hidden (CSS, `hidden`, comments, `<style>`) contributes neither links nor words. */
class AnchorReader implements StyledReader {
  readonly links: MailLink[] = [];
  #words = "";
  #open: { url: string; before: string; wordsAt: number; isButton: boolean } | null = null;

  text(text: string, { style }: StyledElement): void {
    if (style.hidden !== null) return;
    // Only the last words matter, so the buffer stays short.
    if (this.#open === null) this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
    this.#addWords(text);
  }

  start({ element, style }: StyledElement): void {
    if (style.hidden !== null) return;
    // A button that is a picture has its words there.
    if (element.name === "img" && this.#open !== null)
      this.#addWords(` ${element.attributes.get("alt") ?? ""} `);
    if (element.name !== "a") return;
    this.#endLink();
    this.#words = this.#words.slice(-2 * MAX_LABEL_CHARS);
    this.#open = {
      url: (element.attributes.get("href") ?? "").trim(),
      before: this.#words,
      wordsAt: this.#words.length,
      isButton: isButton(element.attributes),
    };
  }

  end({ element, style }: StyledElement): void {
    if (element.name === "a" && style.hidden === null) this.#endLink();
  }

  comment(): void {}

  #addWords(text: string): void {
    if (this.#words.length < 8 * MAX_LABEL_CHARS) this.#words += text.slice(-4 * MAX_LABEL_CHARS);
  }

  #endLink(): void {
    if (this.#open === null) return;
    const { url, before, wordsAt, ...form } = this.#open;
    const label = this.#words
      .slice(wordsAt, wordsAt + 2 * MAX_LABEL_CHARS)
      .replace(/\s+/g, " ")
      .trim();
    if (this.links.length < MAX_LINKS && isWebUrl(url)) {
      this.links.push({ url, label: label.slice(0, MAX_LABEL_CHARS), before, ...form });
    }
    this.#open = null;
    this.#words = "";
  }
}

/** The links of a document that its reader sees; none of one whose styles cannot be judged. */
export function htmlLinks(html: string): MailLink[] {
  const reader = new AnchorReader();
  try {
    readStyled(html, reader, { maxChars: MAX_HTML_CHARS, isLeftOut: ({ name }) => SILENT.has(name) });
  } catch {
    return [];
  }
  return reader.links;
}
