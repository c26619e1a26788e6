/** The properties of a message of the bench. */
export interface MailOptions {
  to: string;
  /** Unique in a mailbox: it makes the Message-ID, the subject and the choice of the text. */
  serial: string;
  /** About this many bytes. Over 8 KB most of it is one base64 attachment. */
  sizeBytes: number;
  /** A word to be found by search. */
  needle?: string;
  code?: string;
}

/** Words of the texts: as many as a plain mailbox has, with a few frequent and many rare ones. */
const VOCABULARY = 6_000;
const TEXTS = 512;
const SMALL_BYTES = 8_192;
const LINE_CHARS = 72;
const BASE64_LINE = 76;
/** Bytes of the header fields below. */
const HEADER_BYTES = 780;

let seed = 0x2f6e2b1;
/** xorshift32: the same mails in every run. */
function random(): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
}

const SYLLABLES = [
  "ka",
  "ro",
  "mi",
  "ten",
  "lu",
  "sor",
  "va",
  "ne",
  "bel",
  "do",
  "gri",
  "sha",
  "pon",
  "te",
  "wim",
  "ul",
];
const words = Array.from({ length: VOCABULARY }, () =>
  Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join(""),
);
/** Zipf-like: the square favours the first words. */
const word = (): string => words[Math.floor(random() ** 3 * VOCABULARY)] ?? "mail";

const texts = new Map<number, string[]>();
const attachments = new Map<number, string>();

/** One message, ASCII with CRLF: text alone when small, text and an attachment when large. */
export function composeMail(options: MailOptions): string {
  const { serial, needle, code } = options;
  const number = hash(serial);
  const extra = `${needle === undefined ? "" : `The word is ${needle}.\r\n`}${code === undefined ? "" : `Your verification code is ${code}.\r\n`}`;
  const subject =
    code === undefined ? `${words[number % VOCABULARY] ?? ""} report ${serial}` : "Your verification code";
  const head = headOf(options, subject);
  if (options.sizeBytes <= SMALL_BYTES) {
    const text = pick(textsOf(Math.max(200, options.sizeBytes - HEADER_BYTES)), number);
    return `${head}Content-Type: text/plain; charset=utf-8\r\n\r\nHello,\r\n\r\n${extra}${text}`;
  }
  const text = pick(textsOf(1_000), number);
  return (
    `${head}Content-Type: multipart/mixed; boundary="=_bench"\r\n\r\n--=_bench\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${extra}${text}\r\n--=_bench\r\n` +
    `Content-Type: application/pdf; name="report.pdf"\r\nContent-Disposition: attachment; filename="report.pdf"\r\n` +
    `Content-Transfer-Encoding: base64\r\n\r\n${attachmentOf(options.sizeBytes - 2_200)}\r\n--=_bench--\r\n`
  );
}

function headOf({ to, serial }: MailOptions, subject: string): string {
  return (
    `Received: from mx1.sender.example (mx1.sender.example [192.0.2.17])\r\n\tby mx.mailkeep.test with ESMTPS id 4bQ${serial};\r\n` +
    `\tTue, 03 Nov 2026 10:11:12 +0000\r\n` +
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=sender.example; s=s1;\r\n` +
    `\th=from:to:subject:date:message-id; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;\r\n` +
    `\tb=Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9v\r\n` +
    `From: Bench Sender <bench@sender.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\n` +
    `Date: Tue, 03 Nov 2026 10:11:12 +0000\r\nMessage-ID: <${serial}@sender.example>\r\nMIME-Version: 1.0\r\n`
  );
}

function textsOf(chars: number): string[] {
  const known = texts.get(chars);
  if (known !== undefined) return known;
  const made = Array.from({ length: TEXTS }, () => textOf(chars));
  texts.set(chars, made);
  return made;
}

function textOf(chars: number): string {
  let text = "";
  let line = "";
  while (text.length + line.length < chars) {
    line += `${word()} `;
    if (line.length > LINE_CHARS) {
      text += `${line.trimEnd()}\r\n`;
      line = "";
    }
  }
  return `${text}${line.trimEnd()}\r\n`;
}

function attachmentOf(encodedBytes: number): string {
  const known = attachments.get(encodedBytes);
  if (known !== undefined) return known;
  const lines = Math.max(1, Math.floor(encodedBytes / (BASE64_LINE + 2)));
  const bytes = Uint8Array.from({ length: (BASE64_LINE / 4) * 3 * 97 }, () => Math.floor(random() * 256));
  const some = Buffer.from(bytes).toString("base64").match(/.{76}/g) ?? [];
  const made = Array.from({ length: lines }, (_, index) => some[index % some.length]).join("\r\n");
  attachments.set(encodedBytes, made);
  return made;
}

function pick(from: readonly string[], number: number): string {
  return from[number % from.length] ?? "";
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  return value >>> 0;
}
