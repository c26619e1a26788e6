import { withoutInvisible } from "./invisible-characters.ts";
import { readShown, readUnstyled } from "./shown-text.ts";

/** Characters of a snippet, unless the caller says otherwise. */
const SNIPPET_CHARS = 200;

/**
 * The text a reader of this HTML sees: blocks as lines, links as `text (https://…)`, quotes with `> `, nothing
 * from scripts, comments and what styles hide. Linear in the input at any nesting.
 */
export function htmlToText(html: string, maxChars?: number): string {
  return readHtml(html, maxChars).text;
}

/**
 * As `htmlToText`, which reads at most `maxChars` of the HTML; `isCut` says that the HTML is beyond the limits of what is read. Never throws: a mail whose styles cannot be
 * judged has the text without them, and counts as cut.
 */
export function readHtml(html: string, maxChars = html.length): { text: string; isCut: boolean } {
  for (const read of [readShown, readUnstyled]) {
    try {
      const { text, isCut } = read(html, { ...LINKS_IN_BRACKETS, maxChars });
      return { text, isCut };
    } catch {
      // The next reader does less.
    }
  }
  return { text: "", isCut: true };
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

/** Links as `text (https://…)`. A picture without a description is still a button; a link around nothing is not. */
const LINKS_IN_BRACKETS = {
  describesImages: true,
  link: (url: string, text: string, hasImage: boolean): string => {
    if (text === "") return hasImage ? ` ${url} ` : "";
    return namesItself(text, url) ? "" : ` (${url})`;
  },
};

function namesItself(text: string, url: string): boolean {
  if (text === url || `mailto:${text}` === url) return true;
  return /^https?:\/\//i.test(text) && text.replace(/\/$/, "") === url.replace(/\/$/, "");
}
