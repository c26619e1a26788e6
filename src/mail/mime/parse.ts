import { defaultFilename, safeFilename } from "./attachment-name.ts";
import { MAX_NESTING_DEPTH, parseBody, type ParsedBody, type ParsedFile } from "./body-parser.ts";
import { MAX_HEADER_BYTES, readHeaderBlock, skipEmptyLines } from "./header-block.ts";
import type { HeaderBlock, HeaderField } from "./header-block.ts";
import {
  ancestors,
  isoDate,
  MAX_REFERENCES,
  messageIds,
  namedAddresses,
  oneLine,
  subjectText,
} from "./header-values.ts";
import type { ParsedAttachment, ParsedMail } from "./parsed-mail.ts";
import { MAX_PARTS, readableLength } from "./part-limits.ts";

export { contentDigest } from "./content-digest.ts";

/** Bytes of the body that are read again if the parser failed: too few to reach any of its limits. */
const SALVAGE_BYTES = 256 * 1024;
/** The longest Content-ID, in characters; RFC 2045 §7 gives it the form of a message id. */
const MAX_CONTENT_ID_CHARS = 998;
/** The longest media type, in characters: RFC 6838 §4.2 allows 127 on each side. */
const MAX_CONTENT_TYPE_CHARS = 255;

/**
 * Reads a message as far as it can be read. Never throws: what is broken or over a limit is named in `faults`
 * (`headers_cut`, `too_many_parts`, `too_many_lines`, `text_cut`, `parse_failed`), and the caller keeps the raw bytes.
 */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const message = raw.subarray(skipEmptyLines(raw));
  const header = readHeaderBlock(message);
  const faults = new Set<string>();
  if (header.isCut) faults.add("headers_cut");
  const body = await readBody(message, header, faults);
  if (body.isHeaderCut) faults.add("headers_cut");
  if (body.isLineCut) faults.add("too_many_lines");
  if (body.isTextCut) faults.add("text_cut");
  if (body.files.length > MAX_PARTS) faults.add("too_many_parts");
  return {
    ...headerValues(header.fields),
    text: cleanText(body.text),
    html: cleanText(body.html),
    attachments: body.files.slice(0, MAX_PARTS).map(parsedAttachment),
    isTextCut: body.isTextCut,
    faults: [...faults],
  };
}

type HeaderValues = Omit<ParsedMail, "text" | "html" | "attachments" | "isTextCut" | "faults">;

function headerValues(fields: readonly HeaderField[]): HeaderValues {
  const all = (name: string): string[] =>
    fields.filter((field) => field.name === name).map(({ value }) => value);
  // RFC 5322 §3.6 allows these fields once. Of several the first counts, as DKIM verifiers and clients mostly have it.
  const first = (name: string): string => fields.find((field) => field.name === name)?.value ?? "";
  const messageId = messageIds(first("message-id"))[0] ?? null;
  const references = messageIds(first("references")).slice(-MAX_REFERENCES);
  const inReplyTo = messageIds(first("in-reply-to")).slice(0, MAX_REFERENCES);
  return {
    subject: subjectText(first("subject")),
    from: namedAddresses([first("from")])[0] ?? { name: "", address: "" },
    to: namedAddresses(all("to")),
    cc: namedAddresses(all("cc")),
    messageId,
    inReplyTo: inReplyTo.join(" ") || null,
    references: references.join(" ") || null,
    ancestorIds: ancestors(references, inReplyTo, messageId),
    date: isoDate(first("date")),
    headers: headerRecord(fields),
  };
}

function headerRecord(fields: readonly HeaderField[]): Record<string, string> {
  const values = new Map<string, string[]>();
  for (const { name, value } of fields) {
    const shown = oneLine(value, Infinity);
    const repeats = values.get(name);
    if (repeats === undefined) values.set(name, [shown]);
    else repeats.push(shown);
  }
  // fromEntries defines own properties, so a field called __proto__ is one like any other.
  return Object.fromEntries([...values].map(([name, repeats]) => [name, repeats.join("\n")]));
}

async function readBody(message: Uint8Array, header: HeaderBlock, faults: Set<string>): Promise<ParsedBody> {
  const { bytes, fault } = readableLength(message);
  if (fault !== null) faults.add(fault);
  try {
    return await parseBody(forParser(message.subarray(0, bytes), header));
  } catch {
    // The parser refuses messages over its limits; the start of the body may still be within them.
    faults.add("parse_failed");
    return await salvage(message, header);
  }
}

/** The message for the parser: its own header if it is within the limits, else only the fields about content, then the body. */
function forParser(message: Uint8Array, { fields, bodyStart, isCut }: HeaderBlock): Uint8Array[] {
  if (fields.length > 0 && !isCut && bodyStart <= MAX_HEADER_BYTES) return [message];
  // A message without any field is text from its first line on.
  const body = fields.length > 0 ? message.subarray(bodyStart) : message;
  const content = fields.filter(({ name }) => name.startsWith("content-"));
  const head = content.map(({ name, value }) => `${name}: ${value}\n`).join("");
  return [new TextEncoder().encode(`${head}\n`), body];
}

async function salvage(message: Uint8Array, header: HeaderBlock): Promise<ParsedBody> {
  const part = message.subarray(0, header.bodyStart + SALVAGE_BYTES);
  try {
    return await parseBody(forParser(beforeDeepNesting(part, header.bodyStart), header));
  } catch {
    // Nothing of the structure can be read; the header fields and the raw bytes remain.
    return { text: "", html: "", files: [], isTextCut: false, isHeaderCut: false, isLineCut: false };
  }
}

function beforeDeepNesting(message: Uint8Array, bodyStart: number): Uint8Array {
  const text = new TextDecoder("latin1").decode(message.subarray(bodyStart));
  const declarations = text.matchAll(/^content-type[ \t]*:\s*multipart/gim).map(({ index }) => index);
  const deepest = declarations.drop(MAX_NESTING_DEPTH - 2).next().value;
  return deepest === undefined ? message : message.subarray(0, bodyStart + deepest);
}

function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "").toWellFormed();
}

/** A file of a message: the values of its header, and access to its bytes, which stay encoded in the message. */
class FileOfMessage implements ParsedAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly disposition: string | null;
  readonly contentId: string | null;
  readonly partIndex: number;
  readonly #file: ParsedFile;

  constructor(file: ParsedFile, partIndex: number) {
    const { attachment } = file;
    this.#file = file;
    this.contentType =
      oneLine(attachment.mimeType.toLowerCase(), MAX_CONTENT_TYPE_CHARS) || "application/octet-stream";
    this.filename =
      safeFilename(attachment.filename ?? "") ||
      (this.contentType === "message/rfc822"
        ? messageFilename(file.body.start(MAX_HEADER_BYTES).bytes)
        : defaultFilename(partIndex, this.contentType));
    this.disposition = oneLine(attachment.disposition ?? "", MAX_CONTENT_TYPE_CHARS) || null;
    const contentId = (attachment.contentId ?? "").replace(/^\s*<|>\s*$/g, "");
    this.contentId = oneLine(contentId, MAX_CONTENT_ID_CHARS) || null;
    this.partIndex = partIndex;
  }

  get sizeBytes(): number {
    return this.#file.body.byteLength;
  }

  get content(): Uint8Array {
    return this.#file.body.start(this.sizeBytes).bytes;
  }

  pieces(): Iterable<Uint8Array> {
    return this.#file.body.pieces();
  }

  readText(maxBytes: number): string | null {
    const text = this.#file.readText(maxBytes);
    return text === null ? null : cleanText(text);
  }
}

function parsedAttachment(file: ParsedFile, partIndex: number): ParsedAttachment {
  return new FileOfMessage(file, partIndex);
}

function messageFilename(start: Uint8Array): string {
  const { fields } = readHeaderBlock(start);
  const subject = subjectText(fields.find(({ name }) => name === "subject")?.value ?? "");
  const name = safeFilename(subject.replaceAll(/[/\\:]/g, "-"));
  return name === "" ? "message.eml" : safeFilename(`${name}.eml`);
}
