import { decodeWords } from "postal-mime";
import { invalid, type Answer } from "../../contract/problem.ts";
import { MAX_CUSTOM_HEADERS } from "../../contract/sending.ts";
import { done, refused, type Outcome } from "../../lib/outcome.ts";
import { recipientAddress } from "../address/address.ts";
import { messageIds, oneLine } from "../mime/header-values.ts";
import type { NamedAddress } from "../mime/parsed-mail.ts";

/** UTF-16 units of a display name; encoded, it makes some twenty lines. */
const MAX_NAME_CHARS = 256;
/** Leaves `In-Reply-To: <…>` room on a line of 998 (RFC 5322 §2.1.1): an id cannot be folded. */
const MAX_ID_CHARS = 900;
/** A name and its value must share a line, however it is folded. */
const MAX_HEADER_NAME_CHARS = 76;
/** Bytes of names and values together: what Cloudflare's sending binding takes, so that every transport takes them. */
export const MAX_CUSTOM_HEADER_BYTES = 16_384;

const NO_BREAKS = "must not contain CR, LF or NUL";

/** A header field as it is to be read: its value is Unicode text on one line. */
export interface OutgoingField {
  name: string;
  value: string;
}

/**
 * Whether a text could end its header line (RFC 5322 §2.2) or the command of a mail server. Such a text is refused rather
 * than cleaned: its author tries to write a header or was tricked into it.
 */
function breaksLine(text: string): boolean {
  return /[\r\n\0]/.test(text);
}

/** A value that will stand on one header line; `field` is where the caller wrote it. */
export function lineOf(field: string, text: string): Answer<string> {
  return breaksLine(text) ? refused(invalid(field, NO_BREAKS)) : done(oneLine(text, Infinity));
}

/**
 * Reads `addr`, `<addr>` or `Name <addr>`: one address, its name free text, quoted or not. The form is that of a header, so
 * encoded words in the name (RFC 2047) are decoded. Lists, groups and comments (RFC 5322 §3.4) are none of these: what one
 * reader takes for a name, another would take for a second recipient.
 */
export function readNamedAddress(written: string): Outcome<NamedAddress, string> {
  if (breaksLine(written)) return refused(NO_BREAKS);
  const text = written.trim();
  const open = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  const address = recipientAddress(open === -1 ? text : text.slice(open + 1, -1));
  if (address === null) return refused(`must be an address such as ann@example.com or Ann <ann@example.com>`);
  const name = displayName(text.slice(0, Math.max(open, 0)));
  return name.ok ? done({ name: name.value, address }) : name;
}

/** A display name as Unicode text. */
function displayName(phrase: string): Outcome<string, string> {
  const name = readName(unquotedPhrase(phrase.trim()));
  if (!name.ok || name.value.length <= MAX_NAME_CHARS) return name;
  return refused(`must have a name of at most ${MAX_NAME_CHARS} characters`);
}

/**
 * The name of a person or a file on one line. Readers decode encoded words (RFC 2047) in names wherever they stand, quotes
 * or not: so they are decoded here, and what would still read as one is refused.
 */
export function readName(written: string): Outcome<string, string> {
  const decoded = decodeWords(written);
  if (breaksLine(written) || breaksLine(decoded)) return refused(NO_BREAKS);
  const name = oneLine(decoded, Infinity);
  return decodeWords(name) === name ? done(name) : refused("must not hide an encoded word in a name");
}

function unquotedPhrase(phrase: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(phrase) ?? [];
  return quoted === undefined ? phrase : quoted.replace(/\\(.)/gs, "$1");
}

/** The addresses of a field, in order; the first that is none is named as `to.2`. Those that are read already stay so. */
export function readAddresses(
  field: string,
  entries: readonly (string | NamedAddress)[],
): Answer<NamedAddress[]> {
  const addresses: NamedAddress[] = [];
  for (const [index, entry] of entries.entries()) {
    const read = typeof entry === "string" ? readNamedAddress(entry) : done(entry);
    if (!read.ok) return refused(invalid(entries.length === 1 ? field : `${field}.${index}`, read.error));
    addresses.push(read.value);
  }
  return done(addresses);
}

/** Whether an id may be written into a header: ASCII without blanks, on one line (RFC 5322 §3.6.4). */
export function isSendableId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(id) && id.length <= MAX_ID_CHARS;
}

/** A Message-ID from a request, in angle brackets; null for "". */
export function readMessageId(field: string, written: string): Answer<string | null> {
  if (breaksLine(written)) return refused(invalid(field, NO_BREAKS));
  if (written.trim() === "") return done(null);
  const [id, ...more] = messageIds(written);
  return id !== undefined && more.length === 0 && isSendableId(id)
    ? done(id)
    : refused(invalid(field, "must be one Message-ID such as <id@example.com>"));
}

/**
 * Fields that no caller may write, lower case, and those that begin so, with a hyphen at the end.
 *
 * Fields that the request sets elsewhere, or that only the service may set, would stand in the message twice, and readers differ
 * in which they believe (RFC 5322 §3.6). Traces, results and signatures are believed because the sender cannot write them.
 * Delivered-To and similar fields imitate mail loops; Errors-To and CFBL-* lead reports elsewhere; fields that relays take for a
 * command could add recipients that no limit has counted.
 */
const DENIED: readonly string[] = // Stated by the request or by the service.
  (
    "from sender reply-to to cc bcc subject date message-id in-reply-to references mime-version content- resent- " +
    "apparently-to x-mailkeep- " +
    // Traces of delivery (RFC 5321 §4.4, RFC 5436) and where reports go (RFC 3464, RFC 9477).
    "return-path received delivered-to x-original-to envelope-to original- errors-to cfbl- " +
    // Results and signatures (RFC 6376, 7208, 8601, 8617).
    "dkim-signature domainkey-signature arc- authentication-results received-spf " +
    // Commands to relays: SendGrid, Amazon SES, Mandrill, Mailgun, Postmark, SparkPost.
    "x-smtpapi x-ses- x-mc- x-mailgun- x-pm- x-msys-api"
  ).split(" ");

function isDenied(lowerName: string): boolean {
  return DENIED.some((denied) =>
    denied.endsWith("-") ? lowerName.startsWith(denied) : lowerName === denied,
  );
}

const UNSUBSCRIBE_LINK = "<(?:https://|mailto:)[^<>\\s]+>";

/** Fields that mail clients act on without asking, by their lower-case names: how they must read (RFC 2369 §3.2, RFC 8058 §3.1). */
const ACTED_ON: ReadonlyMap<string, { form: RegExp; rule: string }> = new Map([
  [
    "list-unsubscribe",
    {
      form: new RegExp(`^${UNSUBSCRIBE_LINK}(?: ?, ?${UNSUBSCRIBE_LINK})*$`, "i"),
      rule: "must hold https: or mailto: links in angle brackets, such as <https://example.com/leave>",
    },
  ],
  [
    "list-unsubscribe-post",
    { form: /^List-Unsubscribe=One-Click$/, rule: "must be List-Unsubscribe=One-Click (RFC 8058)" },
  ],
]);

/** The reason why a custom field is refused; null if it is fine. */
function fieldFault(name: string, value: string, seen: ReadonlySet<string>): string | null {
  // RFC 5322 §3.6.8 ftext; beyond what tokens allow, some readers stop at the odd character.
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || name.length > MAX_HEADER_NAME_CHARS) {
    return `must be named by letters, digits and hyphens, at most ${MAX_HEADER_NAME_CHARS}`;
  }
  if (isDenied(name.toLowerCase())) return "is written by the service and cannot be set";
  if (seen.has(name.toLowerCase())) return "must be given once";
  if (breaksLine(value)) return NO_BREAKS;
  const line = oneLine(value, Infinity);
  if (line === "") return "must not be empty";
  const actedOn = ACTED_ON.get(name.toLowerCase());
  return actedOn === undefined || actedOn.form.test(line) ? null : actedOn.rule;
}

/** The custom header fields of a request, in order. */
export function customHeaders(headers: Readonly<Record<string, string>>): Answer<OutgoingField[]> {
  const entries = Object.entries(headers);
  const bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.join()), 0);
  if (entries.length > MAX_CUSTOM_HEADERS || bytes > MAX_CUSTOM_HEADER_BYTES) {
    return refused(
      invalid(
        "headers",
        `must be at most ${MAX_CUSTOM_HEADERS} fields of ${MAX_CUSTOM_HEADER_BYTES} bytes in all`,
      ),
    );
  }
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const fault = fieldFault(name, value, seen);
    // The name may be anything: it is shown only as far as it is one.
    if (fault !== null) return refused(invalid(`headers.${oneLine(name, MAX_HEADER_NAME_CHARS)}`, fault));
    seen.add(name.toLowerCase());
  }
  return done(entries.map(([name, value]) => ({ name, value: oneLine(value, Infinity) })));
}
