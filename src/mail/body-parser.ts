import type { Attachment } from "postal-mime";
import { MAX_BODY_BYTES } from "../contract/limits.ts";
import { latin1 } from "../lib/latin1.ts";
import { lineEnd } from "./header-block.ts";
import { readHtml } from "./html-text.ts";
import { MAX_BOUNDARY_CHARS } from "./part-limits.ts";
import {
  PostalMimeInternals,
  type PartNode,
  type TextEntry,
  type TextType,
} from "./postal-mime-internals.ts";
import { BodyRange, EncodedBody } from "./transfer-decoding.ts";
import { cutToUtf8, wholeUtf8 } from "./utf8-cut.ts";

/** Multiparts inside multiparts. Honest mail stays below 10; the parser recurses once for each. */
export const MAX_NESTING_DEPTH = 100;
/** Bytes of part headers in all, postal-mime's own default: 1,000 parts with 2 KB each. */
const MAX_PART_HEADER_BYTES = 2 * 1024 * 1024;
/** Lines of part headers in all: 1,000 parts with 40 each. The parser takes 2 s for a million. */
const MAX_HEADER_LINES = 40_000;
/** Bytes of the header of one part: the parser copies a field character by character. */
const MAX_HEADER_BYTES_OF_PART = 256 * 1024;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** An iCalendar file is turned into UTF-8 up to this size, in bytes; a larger one stays as its sender encoded it. */
const MAX_CALENDAR_BYTES = 1_000_000;

/** One file of a message. */
export interface ParsedFile {
  attachment: Attachment;
  body: EncodedBody;
  /** The text of a file that is one, its charset decoded; null if it decodes to more than `maxBytes`. */
  readText: (maxBytes: number) => string | null;
}

/** The bodies and files of a message. */
export interface ParsedBody {
  text: string;
  html: string;
  files: ParsedFile[];
  /** Whether text or HTML beyond the limit is missing. */
  isTextCut: boolean;
  /** Whether header fields of parts beyond the limits are missing. */
  isHeaderCut: boolean;
  /** Whether lines beyond the limit were not read. */
  isLineCut: boolean;
}

/**
 * postal-mime with rules of our own: it reads lines in place, a body's in one stride; bodies are ranges of the message,
 * decoded when and as far as they are wanted; no top-level header is interpreted (header-values does, under limits),
 * undeclared charsets are told by their bytes, a named text that opens no multipart is a file (RFC 8621 §4.1.4),
 * and HTML becomes text by htmlToText, so that hidden nodes cannot slip in where plain and HTML parts mix.
 */
class BodyParser extends PostalMimeInternals {
  readonly #delimiters = new Delimiters();
  readonly #bytesLeft: Record<TextType, number> = { plain: MAX_BODY_BYTES, html: MAX_BODY_BYTES };
  readonly files: ParsedFile[] = [];
  isTextCut = false;
  isHeaderCut = false;
  /** Whether it stopped reading at so many lines. */
  isLineCut = false;
  #isLastCut = false;
  #headerLines = 0;
  #headerBytes = 0;
  #headerOf: PartNode | null = null;

  /** Reads a message that lies in one piece or several; each begins with a line. */
  async read(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let at = 0; at < bytes.length;) {
        const end = this.#endOfStride(bytes, at);
        const line = piece.subarray(at, endOfContent(bytes, at, end));
        if (this.#isDelimiter(line)) await this.processLine(line, false);
        else if (this.#fits(line)) this.currentNode.feed(line);
        this.#exchangeDecoder();
        at = this.isLineCut ? bytes.length : end;
      }
    }
    await this.finalize();
    // A forwarded or bounced message is a file, never mixed into the text of the one that carries it.
    this.forceRfc822Attachments = true;
    await this.collectNode(this.root, false, false);
  }

  /** Where the line ends that begins at `at`; in a body, all lines up to the next that may be a delimiter are one. */
  #endOfStride(bytes: Buffer, at: number): number {
    if (this.currentNode.state === "header" || isDashed(bytes, at)) return lineEnd(bytes, at);
    const next = this.boundaries.length === 0 ? -1 : bytes.indexOf("\n--", at);
    return next === -1 ? bytes.length : next + 1;
  }

  #isDelimiter(line: Uint8Array): boolean {
    return isDashed(line, 0) && this.#delimiters.mayBe(line, this.boundaries);
  }

  /** The line that ends a part's header installs its decoder; it is exchanged before the first line of the body. */
  #exchangeDecoder(): void {
    const node = this.currentNode;
    if (node.contentDecoder !== null && !(node.contentDecoder instanceof BodyRange)) {
      node.contentDecoder = new BodyRange();
    }
  }

  /** Whether a line is within the limits of headers, if it is of one. */
  #fits(line: Uint8Array): boolean {
    const node = this.currentNode;
    if (node.state !== "header" || line.length === 0) return true;
    if (this.#headerOf !== node) {
      this.#headerOf = node;
      this.#headerBytes = 0;
    }
    this.#headerLines += 1;
    this.#headerBytes += line.length;
    if (this.#headerLines > MAX_HEADER_LINES) this.isLineCut = true;
    if (this.#headerBytes > MAX_HEADER_BYTES_OF_PART) this.isHeaderCut = true;
    return this.#headerLines <= MAX_HEADER_LINES && this.#headerBytes <= MAX_HEADER_BYTES_OF_PART;
  }

  /** A multipart whose delimiter never comes has no parts to show, and its lines are all there is to read. */
  override collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void> {
    const { contentType } = node;
    if (contentType.multipart !== false && node.childNodes.length === 0) {
      contentType.multipart = false;
      contentType.parsed = { value: "text/plain", params: {} };
    }
    return super.collectNode(node, alternative, related);
  }

  /** Decodes the node's body as far as it will be kept. */
  override isInlineTextNode(node: PartNode): boolean {
    if (!super.isInlineTextNode(node) || isNamedFile(node)) return false;
    const type = node.contentType.parsed.value === "text/html" ? "html" : "plain";
    this.#isLastCut = setText(node, bodyOf(node), this.#bytesLeft[type]);
    if (this.#isLastCut) this.isTextCut = true;
    return true;
  }

  override addTextEntry(selector: PartNode, type: TextType, item: TextEntry): void {
    // A character that the cut went through is decoded to a replacement.
    const read = this.#isLastCut ? item.value.replace(/\uFFFD{1,3}$/, "") : item.value;
    const value = cutToUtf8(read, this.#bytesLeft[type]);
    if (value !== read) this.isTextCut = true;
    // Where nothing is left, the separators between empty texts are not wanted either.
    if (this.#bytesLeft[type] > 0) super.addTextEntry(selector, type, { ...item, value });
    this.#bytesLeft[type] -= Buffer.byteLength(value);
  }

  override collectAttachment(
    node: PartNode,
    _content: ArrayBuffer,
    related: boolean,
    isTooDeep: boolean,
  ): void {
    const body = bodyOf(node);
    const isCalendar = /^(?:text\/calendar|application\/ics)$/.test(node.contentType.parsed.value);
    const start = isCalendar ? body.start(MAX_CALENDAR_BYTES) : null;
    node.content = start?.isWhole ? start.bytes : null;
    super.collectAttachment(node, new ArrayBuffer(0), related, isTooDeep);
    const attachment = this.attachments.at(-1);
    if (attachment === undefined) return;
    const { content } = attachment;
    if (node.content === null || typeof content === "string") {
      this.files.push({ attachment, body, readText: (maxBytes) => textOf(node, body, maxBytes) });
    } else {
      const converted = new EncodedBody(new Uint8Array(content), "");
      const readText = (maxBytes: number) =>
        converted.byteLength <= maxBytes ? new TextDecoder().decode(content) : null;
      this.files.push({ attachment, body: converted, readText });
    }
    node.content = null;
  }

  /** The texts of the message; replaces the renderer that strips tags without regard to hidden nodes. */
  texts(): { text: string; html: string } {
    const entries = [...this.textMap.values()];
    const texts: string[] = [];
    let left = MAX_BODY_BYTES;
    for (const { plain, html } of entries) {
      // An empty plain part beside the real HTML is a sender's habit, not a text.
      const own = notBlank(joined(plain));
      const text = own ?? this.#textOfHtml(left > 0 ? joined(html) : "");
      if (own === undefined && left <= 0 && html !== undefined) this.isTextCut = true;
      if (text !== "") texts.push(text);
      left -= Buffer.byteLength(text);
    }
    // Where the HTML part is the body, a plain part beside it (a list's footer) is in the text alone.
    const html = entries.map((entry) => joined(entry.html)).filter((text) => text !== undefined);
    return { text: this.#cut(texts.join("\n")), html: this.#cut(html.join("\n")) };
  }

  #textOfHtml(html = ""): string {
    const { text, isCut } = readHtml(html);
    if (isCut) this.isTextCut = true;
    return text;
  }

  #cut(text: string): string {
    const cut = cutToUtf8(text, MAX_BODY_BYTES);
    if (cut !== text) this.isTextCut = true;
    return cut;
  }
}

/** Tells lines that may be delimiters from the thousands that only begin as one does, whatever the boundaries are. */
class Delimiters {
  readonly #known = new Set<string>();
  #count = 0;
  #last: { value: Uint8Array } | undefined;

  /** Whether the parser should look at it: without blanks at its end, the line is a boundary that is open. */
  mayBe(line: Uint8Array, boundaries: readonly { value: Uint8Array }[]): boolean {
    if (boundaries.length === 0) return false;
    this.#learn(boundaries);
    const text = latin1(line.subarray(2, MAX_BOUNDARY_CHARS + 4)).trimEnd();
    const known = this.#known;
    if (known.has(text) || known.has(text.slice(0, MAX_BOUNDARY_CHARS))) return true;
    return text.endsWith("--") && known.has(text.slice(0, -2).trimEnd());
  }

  #learn(boundaries: readonly { value: Uint8Array }[]): void {
    const last = boundaries.at(-1);
    if (boundaries.length === this.#count && last === this.#last) return;
    this.#count = boundaries.length;
    this.#last = last;
    this.#known.clear();
    for (const { value } of boundaries) {
      this.#known.add(latin1(value.subarray(0, MAX_BOUNDARY_CHARS)).trimEnd());
    }
  }
}

/** Parses the MIME structure below the header. Throws where postal-mime does: nesting or part headers over the limits. */
export async function parseBody(pieces: readonly Uint8Array[]): Promise<ParsedBody> {
  const parser = new BodyParser({
    maxNestingDepth: MAX_NESTING_DEPTH,
    maxHeadersSize: MAX_PART_HEADER_BYTES,
  });
  await parser.read(pieces);
  const texts = parser.texts();
  const { files, isTextCut, isHeaderCut, isLineCut } = parser;
  return { ...texts, files, isTextCut, isHeaderCut, isLineCut };
}

function isDashed(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === DASH && bytes[at + 1] === DASH;
}

/** The end of lines `[start, end)` without the line end of the last one. */
function endOfContent(bytes: Buffer, start: number, end: number): number {
  const lastLine = Math.max(start, end < 2 ? 0 : bytes.lastIndexOf(LF, end - 2) + 1);
  let at = end;
  while (at > lastLine && (bytes[at - 1] === LF || bytes[at - 1] === CR)) at--;
  return at;
}

function bodyOf(node: PartNode): EncodedBody {
  const { content } = node;
  const encoded = content instanceof Uint8Array ? content : new Uint8Array(content ?? new ArrayBuffer(0));
  return new EncodedBody(encoded, node.contentTransferEncoding.encoding);
}

/** The text of a file; null if it is longer. */
function textOf(node: PartNode, body: EncodedBody, maxBytes: number): string | null {
  if (setText(node, body, maxBytes)) return null;
  const text = node.getTextContent();
  node.content = null;
  return text;
}

/**
 * Gives a node so much of its body, decoded, as `maxBytes` of UTF-8 can come of, and a charset if it declares none. Answers
 * whether something is left out.
 */
function setText(node: PartNode, body: EncodedBody, maxBytes: number): boolean {
  const { params } = node.contentType.parsed;
  // Only the two-byte encodings make fewer bytes of UTF-8 than they have.
  const isWide = /^\s*(?:utf-?16|ucs-?2|iso-10646)/i.test(params.charset ?? "");
  const { bytes, isWhole } = body.start(isWide ? 2 * maxBytes : maxBytes);
  const kept = isWhole || isWide ? bytes : wholeUtf8(bytes);
  node.content = kept;
  if (isUndeclared(params.charset)) params.charset = charsetOf(kept);
  return !isWhole;
}

function joined(entries: readonly TextEntry[] | undefined): string | undefined {
  return entries?.map(({ value }) => value).join("\n");
}

function notBlank(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}

function isNamedFile(node: PartNode): boolean {
  const isNamed = Boolean(
    node.contentDisposition.parsed.params.filename ?? node.contentType.parsed.params.name,
  );
  return isNamed && node.parentNode !== undefined && node.parentNode.childNodes[0] !== node;
}

/** us-ascii is the default (RFC 2045 §5.2), and what scripts declare that write UTF-8. */
function isUndeclared(charset: string | undefined): boolean {
  return (
    charset === undefined ||
    /^(?:|us-ascii|ascii|unknown.*|x-unknown|8bit|7bit|binary)$/i.test(charset.trim())
  );
}

function charsetOf(content: Uint8Array): "utf-8" | "windows-1252" {
  return isUtf8(content) ? "utf-8" : "windows-1252";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    UTF8.decode(bytes);
    return true;
  } catch {
    // The decoder throws at the first invalid sequence.
    return false;
  }
}
