import { MAX_HTML_BYTES, MAX_TEXT_BYTES } from "../../contract/sending.ts";
import type { AnsweredMail } from "./answered-mail.ts";
import { htmlToText } from "../text/html-text.ts";
import type { NamedAddress } from "../mime/parsed-mail.ts";

/** Bytes of an answered message that are quoted; the recipient has the rest. */
const MAX_QUOTE_BYTES = 64_000;
/** The most that escaping makes of one byte: `"` becomes `&quot;`. */
const ESCAPED_BYTES = 6;
/** Addresses of a field that a forward shows. */
const MAX_SHOWN_ADDRESSES = 20;
/** Stands where a text was cut. */
const CUT_MARK = "\n[…]";

/** The bodies of a message; "" for one it has not. */
export interface Bodies {
  text: string;
  html: string;
}

/**
 * An answer with the answered message below it, in each body that the answer has, within the limits of bodies. In HTML
 * it is quoted by its text: foreign markup, pictures and hidden parts included, would go out in the sender's name.
 */
export function withQuote(answer: Bodies, mail: AnsweredMail): Bodies {
  const line = attribution(mail);
  return {
    text: answer.text === "" ? "" : `${answer.text}${quotedText(answer.text, line, mail.text)}`,
    html: answer.html === "" ? "" : beforeBodyEnd(answer.html, quotedHtml(answer.html, line, mail.text)),
  };
}

function quotedText(above: string, line: string, text: string): string {
  const intro = `\n\n${line}\n`;
  const quoted = cut(text.trimEnd(), MAX_QUOTE_BYTES).replace(/^(>?)/gm, (_, level: string) =>
    level === "" ? "> " : ">>",
  );
  return within(MAX_TEXT_BYTES - bytes(above), intro, quoted);
}

function quotedHtml(above: string, line: string, text: string): string {
  const open = `<div><br>${escapeHtml(line)}</div><blockquote type="cite" style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">`;
  const room = Math.floor((MAX_HTML_BYTES - bytes(above) - bytes(open) - 100) / ESCAPED_BYTES);
  return room <= 0
    ? ""
    : `${open}${asHtml(cut(text.trimEnd(), Math.min(room, MAX_QUOTE_BYTES)))}</blockquote>`;
}

/** `On Sat, 21 Nov 2026 08:30:00 GMT, Ann <ann@example.com> wrote:` */
function attribution({ date, from }: AnsweredMail): string {
  const when = date === null ? "" : `On ${new Date(date).toUTCString()}, `;
  return `${when}${shownAddress(from)} wrote:`;
}

function shownAddress({ name, address }: NamedAddress): string {
  return name === "" ? address : `${name} <${address}>`;
}

/** The bodies of a forward: the note, then the forwarded message, with its whole HTML where the limits have room for it. */
export function forwardedBodies(note: Bodies, mail: AnsweredMail): Bodies {
  const head = forwardHead(mail);
  const noteText = note.text === "" ? htmlToText(note.html) : note.text;
  const opening = noteText === "" ? "" : `${noteText}\n\n`;
  const text = `${opening}${within(MAX_TEXT_BYTES - bytes(opening), `${head}\n\n`, mail.text)}`;
  if (mail.html === "" && note.html === "") return { text, html: "" };
  return { text, html: forwardedHtml(note.html === "" ? asHtml(note.text) : note.html, head, mail) };
}

function forwardHead({ from, date, subject, to, cc }: AnsweredMail): string {
  const lines: readonly [string, string][] = [
    ["From", shownAddress(from)],
    ["Date", date === null ? "" : new Date(date).toUTCString()],
    ["Subject", subject],
    ["To", shownList(to)],
    ["Cc", shownList(cc)],
  ];
  const shown = lines.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`);
  return ["---------- Forwarded message ----------", ...shown].join("\n");
}

function shownList(addresses: readonly NamedAddress[]): string {
  const shown = addresses.slice(0, MAX_SHOWN_ADDRESSES).map(shownAddress);
  return [...shown, ...(addresses.length > MAX_SHOWN_ADDRESSES ? ["…"] : [])].join(", ");
}

function forwardedHtml(noteHtml: string, head: string, mail: AnsweredMail): string {
  const above = `<div>${noteHtml}</div><br><div>${asHtml(head)}</div><br>`;
  const room = MAX_HTML_BYTES - bytes(above) - 100;
  if (mail.html !== "" && bytes(mail.html) <= room) return afterBodyStart(mail.html, above);
  const text = mail.text === "" ? htmlToText(mail.html) : mail.text;
  return `${above}<div>${asHtml(cut(text, Math.max(0, Math.floor(room / ESCAPED_BYTES))))}</div>`;
}

/** Inserts `above` at the beginning of the page's body, behind its head. */
function afterBodyStart(html: string, above: string): string {
  const body = html.search(/<body[\s>]/i);
  const end = body === -1 ? -1 : html.indexOf(">", body);
  return `${html.slice(0, end + 1)}${above}${html.slice(end + 1)}`;
}

function beforeBodyEnd(html: string, below: string): string {
  const end = html.search(/<\/body\s*>\s*(?:<\/html\s*>\s*)?$/i);
  return end === -1 ? `${html}${below}` : `${html.slice(0, end)}${below}${html.slice(end)}`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** `intro` and `text`, cut to `maxBytes`; "" where not even the intro has room. */
function within(maxBytes: number, intro: string, text: string): string {
  const room = maxBytes - bytes(intro);
  return room <= bytes(CUT_MARK) ? "" : `${intro}${cut(text, room)}`;
}

/** At most `maxBytes` of UTF-8, cut between characters and marked so. */
function cut(text: string, maxBytes: number): string {
  if (bytes(text) <= maxBytes) return text;
  const kept = new TextEncoder().encode(text).subarray(0, Math.max(0, maxBytes - bytes(CUT_MARK)));
  // A stream waits for the rest of a character that is cut in two, and so leaves it out.
  return `${new TextDecoder().decode(kept, { stream: true })}${CUT_MARK}`;
}

function asHtml(text: string): string {
  return escapeHtml(text).replace(/\r\n?|\n/g, "<br>\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
