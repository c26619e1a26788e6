import { plainLines, withoutQuotation } from "../text/own-text.ts";
import { htmlToText, textToSnippet } from "../text/html-text.ts";
import type { NamedAddress } from "../mime/parsed-mail.ts";

/** The parts of a mail that are read. */
export interface ExtractMail {
  subject: string;
  text: string;
  /** "" if none. */
  html: string;
  from: NamedAddress;
  /** ISO 8601: dates without a year are near it. */
  receivedAt: string;
  /** The iCalendar files of the mail. */
  calendars: readonly string[];
}

/** A shop's mail with its style sheets; data of schema.org stand in its head. */
export const MAX_HTML_CHARS = 400_000;

/** Lines of a text that are looked at, and characters of each: a line of a mail is a row of a table or a paragraph. */
const MAX_LINES = 1_500;
const MAX_LINE_CHARS = 600;

/** A plain text part as short as this beside HTML may be no more than "open this in an HTML program". */
const STUB_CHARS = 250;

/** A text as the rules read it. */
export interface ReadText {
  subject: string;
  /** The lines that the sender wrote, in plain characters, links masked, without empty lines. */
  lines: readonly string[];
  /** The same lines with the characters as written; cells of tables are four blanks apart in both. */
  written: readonly string[];
  /** The same as it is: links are in it. */
  raw: string;
}

/** The text of a mail as the rules read it: the HTML's where the plain part says nothing. */
export function readText({ subject, text, html }: ExtractMail): ReadText {
  const isStub = html !== "" && text.trim().length <= STUB_CHARS;
  const shown = isStub ? longer(htmlToText(html, MAX_HTML_CHARS), text) : text;
  const own = withoutQuotation(shown, subject);
  // A cell of a table ends a label as a colon does.
  const written = own
    .filter((line) => line.trim() !== "")
    .slice(0, MAX_LINES)
    .map((line) =>
      line
        .slice(0, 2 * MAX_LINE_CHARS)
        .trim()
        .replaceAll("\t", "    ")
        .slice(0, MAX_LINE_CHARS),
    );
  return {
    subject: plainLines([textToSnippet(subject, MAX_LINE_CHARS)]).join(" "),
    lines: written.map((line) => plainLines([line]).join(" ").trim()),
    written,
    raw: own.slice(0, MAX_LINES).join("\n"),
  };
}

const longer = (one: string, two: string): string => (one.trim().length >= two.trim().length ? one : two);
