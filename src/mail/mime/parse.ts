import { parseBody, type ParsedBody, type ParsedFile } from "./body-parser.ts";
import { fileDescription } from "./file-description.ts";
import { MAX_NESTING_DEPTH } from "./header-limits.ts";
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
import { readableLength } from "./part-limits.ts";
import { cleanText } from "./part-text.ts";
import type { BodyStart } from "./transfer-decoding.ts";

export { contentDigest } from "./content-digest.ts";

/** Bytes of the body that are read again if the parser failed: too few to reach any of its limits. */
export const SALVAGE_BYTES = 256 * 1024;

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
  return { ...mailOf(header, body, faults), attachments: body.files.map(parsedAttachment) };
}

/** The members that come from header and texts of a message; adds what was left out of its body to the faults. */
export function mailOf(
  { fields }: HeaderBlock,
  body: Omit<ParsedBody, "files">,
  faults: Set<string>,
): Omit<ParsedMail, "attachments"> {
  if (body.isHeaderCut) faults.add("headers_cut");
  if (body.isLineCut) faults.add("too_many_lines");
  if (body.isTextCut) faults.add("text_cut");
  if (body.isPartCut) faults.add("too_many_parts");
  return {
    ...headerValues(fields),
    text: cleanText(body.text),
    html: cleanText(body.html),
    isTextCut: body.isTextCut,
    faults: [...faults],
  };
}

type HeaderValues = Omit<ParsedMail, "text" | "html" | "attachments" | "isTextCut" | "faults">;

function headerValues(fields: readonly HeaderField[]): HeaderValues {
  const all = (name: string): string[] =>
    fields.filter((field) => field.name === name).map(({ value }) => value);
  // RFC 5322 §3.6 allows these fields once. Of several the first is shown, as most programs do; the sender is then never proven
  // (`hasClearHeader`), because a signature covers the last.
  const first = (name: string): string => fields.find((field) => field.name === name)?.value ?? "";
  const messageId = messageIds(first("message-id"))[0] ?? null;
  const references = messageIds(first("references")).slice(-MAX_REFERENCES);
  const inReplyTo = messageIds(first("in-reply-to")).slice(0, MAX_REFERENCES);
  const senders = namedAddresses(all("from"));
  return {
    subject: subjectText(first("subject")),
    from: namedAddresses([first("from")])[0] ?? { name: "", address: "" },
    senders,
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
function forParser(message: Uint8Array, header: HeaderBlock): Uint8Array[] {
  if (isHeaderForParser(header)) return [message];
  // A message without any field is text from its first line on.
  const body = header.fields.length > 0 ? message.subarray(header.bodyStart) : message;
  return [contentHeader(header), body];
}

/** Whether the parser gets the header of a message as it is. */
export function isHeaderForParser({ fields, bodyStart, isCut }: HeaderBlock): boolean {
  return fields.length > 0 && !isCut && bodyStart <= MAX_HEADER_BYTES;
}

/** The fields about content alone, as a header. */
export function contentHeader({ fields }: HeaderBlock): Uint8Array {
  const content = fields.filter(({ name }) => name.startsWith("content-"));
  const head = content.map(({ name, value }) => `${name}: ${value}\n`).join("");
  return new TextEncoder().encode(`${head}\n`);
}

async function salvage(message: Uint8Array, header: HeaderBlock): Promise<ParsedBody> {
  const { bodyStart } = header;
  const part = message.subarray(0, bodyStart + SALVAGE_BYTES);
  const bytes = bodyStart + bytesBeforeDeepNesting(part.subarray(bodyStart));
  try {
    return await parseBody(forParser(part.subarray(0, bytes), header));
  } catch {
    // Nothing of the structure can be read; the header fields and the raw bytes remain.
    return { ...NOTHING_READ, files: [] };
  }
}

/** A body of which nothing can be read. */
export const NOTHING_READ = {
  text: "",
  html: "",
  isTextCut: false,
  isHeaderCut: false,
  isLineCut: false,
  isPartCut: false,
} as const;

/** How much of a body stands before the multiparts that lie too deep. */
export function bytesBeforeDeepNesting(body: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(body);
  const declarations = text.matchAll(/^content-type[ \t]*:\s*multipart/gim).map(({ index }) => index);
  return declarations.drop(MAX_NESTING_DEPTH - 2).next().value ?? body.length;
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
    const described = fileDescription(file.attachment, partIndex, file.body);
    this.#file = file;
    this.filename = described.filename;
    this.contentType = described.contentType;
    this.disposition = described.disposition;
    this.contentId = described.contentId;
    this.partIndex = partIndex;
  }

  get sizeBytes(): number {
    return this.#file.body.byteLength;
  }

  get content(): Uint8Array {
    return this.#file.body.start(this.sizeBytes).bytes;
  }

  start(maxBytes: number): BodyStart {
    return this.#file.body.start(maxBytes);
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
