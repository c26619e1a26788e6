import { encode } from "./charsets.ts";
import type { Fixture } from "./fixtures.ts";
import { bodyHtml, bodyText } from "./markup.ts";

/** RFC 2045 §6.8: characters of a line of Base64. */
const BASE64_LINE = 76;
/** RFC 2045 §6.7: as many of quoted-printable, the soft break included. */
const QUOTED_LINE = 75;
/** RFC 2047 §2: bytes in one encoded word, so that it stays below 75 characters. */
const WORD_BYTES = 33;

const BOUNDARY = "=_part_5c1f09";

/** The message of a fixture, RFC 5322 with CRLF. */
export function compose(fixture: Fixture): Uint8Array {
  const header = [
    `From: ${addressField(fixture)}`,
    "To: agent@mailkeep.test",
    `Subject: ${encodedText(fixture.subject, fixture.charset)}`,
    "Date: Tue, 18 Mar 2025 09:26:11 +0000",
    `Message-ID: <${fixture.id.replace("/", ".")}@corpus.example>`,
    "MIME-Version: 1.0",
    ...fixture.headers,
  ];
  return Buffer.concat([encode(`${header.join("\r\n")}\r\n`, "utf-8"), ...withCalendar(fixture)]);
}

/** From here on a body is the iCalendar file that is attached to the mail. */
const CALENDAR_START = /^BEGIN:VCALENDAR$/m;
const OUTER_BOUNDARY = "=_mixed_90ab12";

function withCalendar(fixture: Fixture): Uint8Array[] {
  const start = fixture.body.search(CALENDAR_START);
  if (start === -1) return bodyOf(fixture);
  const calendar = `${fixture.body.slice(start).replaceAll("\n", "\r\n")}\r\n`;
  const delimiter = (end = ""): Uint8Array => encode(`\r\n--${OUTER_BOUNDARY}${end}\r\n`, "utf-8");
  return [
    encode(`Content-Type: multipart/mixed; boundary="${OUTER_BOUNDARY}"\r\n`, "utf-8"),
    delimiter(),
    ...bodyOf({ ...fixture, body: fixture.body.slice(0, start).trimEnd() }),
    delimiter(),
    encode("Content-Type: text/calendar; charset=utf-8\r\n\r\n", "utf-8"),
    encode(calendar, "utf-8"),
    delimiter("--"),
  ];
}

function bodyOf(fixture: Fixture): Uint8Array[] {
  const { layout } = fixture;
  const html = (): Uint8Array[] => part(fixture, "html", bodyHtml(fixture));
  if (layout === "text") return part(fixture, "plain", bodyText(fixture.body));
  if (layout === "html") return html();
  const text =
    layout === "stub" ? "This message is best viewed in an HTML mail program." : bodyText(fixture.body);
  const delimiter = encode(`\r\n--${BOUNDARY}\r\n`, "utf-8");
  return [
    encode(`Content-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n`, "utf-8"),
    delimiter,
    ...part(fixture, "plain", text),
    delimiter,
    ...html(),
    encode(`\r\n--${BOUNDARY}--\r\n`, "utf-8"),
  ];
}

function part({ charset, encoding }: Fixture, subtype: string, text: string): Uint8Array[] {
  const bytes = encode(text.replaceAll("\n", "\r\n"), charset);
  const head = `Content-Type: text/${subtype}; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  return [encode(head, "utf-8"), transferEncoded(bytes, encoding)];
}

function transferEncoded(bytes: Uint8Array, encoding: string): Uint8Array {
  switch (encoding) {
    case "7bit":
      if (bytes.some((byte) => byte > 0x7f)) throw new Error("7bit with bytes that are not");
      return bytes;
    case "8bit":
      return bytes;
    case "base64":
      return Buffer.from(
        Buffer.from(bytes)
          .toString("base64")
          .replaceAll(new RegExp(`.{${BASE64_LINE}}`, "g"), "$&\r\n"),
      );
    case "quoted-printable":
      return Buffer.from(quotedPrintable(bytes));
    default:
      throw new Error(`No transfer encoding: ${encoding}`);
  }
}

function quotedPrintable(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("latin1").split("\r\n");
  return lines.map(quotedLine).join("\r\n");
}

function quotedLine(line: string): string {
  let quoted = "";
  let length = 0;
  for (const [at, character] of line.split("").entries()) {
    const isLiteral = /[!-<>-~]/.test(character) || (character === " " && at < line.length - 1);
    const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
    const written = isLiteral ? character : `=${hex}`;
    if (length + written.length > QUOTED_LINE) {
      quoted += "=\r\n";
      length = 0;
    }
    quoted += written;
    length += written.length;
  }
  return quoted;
}

/** An unstructured field or display name as encoded words where it is not ASCII (RFC 2047). */
function encodedText(text: string, charset: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (encode(word + character, charset).length > WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word]
    .map((each) => `=?${charset}?B?${Buffer.from(encode(each, charset)).toString("base64")}?=`)
    .join("\r\n ");
}

function addressField({ from, charset }: Fixture): string {
  const { name, address } = /^(?<name>.*) (?<address><[^>]+>)$/.exec(from)?.groups ?? {};
  if (name === undefined || address === undefined) return from;
  return `${encodedText(name, charset)} ${address}`;
}
