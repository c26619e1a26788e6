import { sha256Hex } from "../../lib/hash.ts";
import { BodyMeter } from "./body-meter.ts";
import { BodyTexts } from "./body-texts.ts";
import { Delimiters, isDashed, MAX_DELIMITER_BYTES, type DelimiterKind } from "./delimiters.ts";
import { contentTypeOf, fileDescription } from "./file-description.ts";
import { MAX_HEADER_BYTES } from "./header-block.ts";
import { HeaderLimits, PARSER_LIMITS } from "./header-limits.ts";
import { HeldLine } from "./held-line.ts";
import { MAX_PARTS } from "./part-limits.ts";
import {
  bytesToRead,
  cleanText,
  isCalendar,
  isNamedFile,
  MAX_CALENDAR_BYTES,
  readAsText,
  setText,
  textOf,
  type StartOfBody,
} from "./part-text.ts";
import { PostalMimeInternals, type PartNode, type TextType } from "./postal-mime-internals.ts";
import type { FileReader, ScannedFile } from "./scanned-mail.ts";
import { EncodedBody } from "./transfer-decoding.ts";

const LF = 0x0a;
const DASH = 0x2d;
const DELIMITER = Buffer.from("\n--");

/** Where the parser stands: at the first byte of a line, within a line that is held, or within a body. */
type Place = "line start" | "held line" | "body";

/** The texts and files in the body of a message. */
export interface ScannedBody {
  text: string;
  html: string;
  files: ScannedFile[];
  isTextCut: boolean;
  isHeaderCut: boolean;
  isLineCut: boolean;
  isPartCut: boolean;
}

/**
 * postal-mime for a message that passes in pieces: it gets the lines of headers and the delimiters, as `parseBody` gives them,
 * and each body runs through a `BodyMeter`. Texts are decoded at the end of their part, so that no more is held than is kept.
 */
export class ScanParser extends PostalMimeInternals {
  readonly #reader: FileReader;
  readonly #delimiters = new Delimiters();
  readonly #limits = new HeaderLimits();
  readonly #texts = new BodyTexts();
  readonly #files: ScannedFile[] = [];
  readonly #held = new HeldLine();
  /** All parts in the order of the message, and where their headers begin. */
  readonly #nodes: { node: PartNode; headerFrom: number }[];
  /** Parts of which the body was read, from the first on. */
  #read = 0;
  #parts = 0;
  #isPartCut = false;
  #place: Place = "line start";

  /** `headerFrom` is where the header begins in the raw message. */
  constructor(reader: FileReader, headerFrom: number) {
    super(PARSER_LIMITS);
    this.#reader = reader;
    this.#nodes = [{ node: this.root, headerFrom }];
  }

  /** Whether a limit is reached: what follows is not read. */
  get isOver(): boolean {
    return this.#isPartCut || this.#limits.isLineCut;
  }

  /** Reads the next piece, which lies at `offset` in the raw message. Throws where postal-mime does. */
  async write(piece: Uint8Array, offset: number): Promise<void> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = 0; at < bytes.length && !this.isOver;) {
      if (this.#place === "line start") this.#place = this.#placeAt(bytes, at);
      at = this.#place === "body" ? this.#passBody(bytes, at) : await this.#readHeld(bytes, at, offset);
    }
  }

  /** Returns the texts and files, after the last piece. */
  async end(): Promise<ScannedBody> {
    if (this.#held.length > 0 && !this.isOver) await this.#readLine(0);
    await this.finalize();
    this.#finishBefore(this.#nodes.length);
    const { isHeaderCut, isLineCut } = this.#limits;
    const texts = this.#texts.joined();
    const isPartCut = this.#isPartCut;
    return { ...texts, files: this.#files, isTextCut: this.#texts.isCut, isHeaderCut, isLineCut, isPartCut };
  }

  get #isDigested(): boolean {
    return this.#reader.wantsDigests === true;
  }

  get #isInHeader(): boolean {
    return this.currentNode.state === "header";
  }

  #placeAt(bytes: Buffer, at: number): Place {
    if (this.#isInHeader) return "held line";
    if (this.boundaries.length === 0) return "body";
    const mayBeDashed = at + 1 < bytes.length ? isDashed(bytes, at) : bytes[at] === DASH;
    return mayBeDashed ? "held line" : "body";
  }

  /** Passes the body on, up to the next line that may be a delimiter. */
  #passBody(bytes: Buffer, at: number): number {
    const next = this.boundaries.length === 0 ? -1 : bytes.indexOf(DELIMITER, at);
    let end = bytes.length;
    if (next !== -1) end = next + 1;
    else if (at < end - 1 && bytes[end - 2] === LF && bytes[end - 1] === DASH) end -= 1;
    this.#feedBody(bytes.subarray(at, end));
    if (bytes[end - 1] === LF) this.#place = "line start";
    return end;
  }

  async #readHeld(bytes: Buffer, at: number, offset: number): Promise<number> {
    const held = this.#held;
    if (!this.#isInHeader && held.length === 1 && bytes[at] !== DASH) return this.#releaseHeld(at);
    const found = bytes.indexOf(LF, at);
    const end = found === -1 ? bytes.length : found + 1;
    const isLong = held.length + end - at > MAX_DELIMITER_BYTES;
    if (!this.#isInHeader && isLong) return this.#releaseHeld(at);
    held.add(bytes.subarray(at, end));
    if (found !== -1) await this.#readLine(offset + end);
    return end;
  }

  /** The held line is no delimiter. */
  #releaseHeld(at: number): number {
    this.#feedBody(this.#held.bytes);
    this.#held.clear();
    this.#place = "body";
    return at;
  }

  /** Reads the held line, which is complete; the next one lies at `offset`. */
  async #readLine(offset: number): Promise<void> {
    const { content, length } = this.#held;
    const kind = this.#delimiters.kindOf(content, length, this.boundaries);
    if (kind !== null) await this.#readDelimiter(content, kind, offset);
    else if (!this.#isInHeader) this.#feedBody(this.#held.bytes);
    else if (this.#limits.fits(this.currentNode, content)) this.#readHeaderLine(content, offset);
    this.#held.clear();
    this.#place = "line start";
  }

  #readHeaderLine(line: Uint8Array, offset: number): void {
    const node = this.currentNode;
    node.feed(line);
    // The empty line at the end of the header installs a decoder.
    if (node.contentDecoder !== null) node.contentDecoder = this.#meterFor(node, offset);
  }

  async #readDelimiter(line: Uint8Array, kind: DelimiterKind, offset: number): Promise<void> {
    if (kind === "part" && this.#parts === MAX_PARTS) {
      this.#isPartCut = true;
      return;
    }
    await this.processLine(line, false);
    if (kind === "end") return;
    const node = this.currentNode;
    this.#parts += 1;
    this.#nodes.push({ node, headerFrom: offset });
    const { contentDecoder } = node.parentNode ?? node;
    if (contentDecoder instanceof BodyMeter) contentDecoder.discard();
  }

  #feedBody(bytes: Uint8Array): void {
    const { contentDecoder } = this.currentNode;
    if (contentDecoder instanceof BodyMeter) contentDecoder.update(bytes);
  }

  #meterFor(node: PartNode, offset: number): BodyMeter {
    const plan = {
      encoding: node.contentTransferEncoding.encoding,
      keptBytes: this.#bytesToKeep(node),
      // A multipart that has no parts in the end is a text, or a file.
      isFile: node.contentType.multipart !== false || !this.#isText(node),
      isDigested: this.#isDigested,
    };
    const meter: BodyMeter = new BodyMeter(offset, plan, () => this.#finish(node, meter));
    return meter;
  }

  #bytesToKeep(node: PartNode): number {
    const { value } = node.contentType.parsed;
    if (node.contentType.multipart !== false || this.#isText(node)) {
      return bytesToRead(node, this.#texts.bytesLeft(textTypeOf(node)));
    }
    const contentType = contentTypeOf(value);
    return Math.max(
      bytesToRead(node, this.#reader.wantedBytes(contentType)),
      isCalendar(node) ? MAX_CALENDAR_BYTES : 0,
      contentType === "message/rfc822" ? MAX_HEADER_BYTES : 0,
    );
  }

  #isText(node: PartNode): boolean {
    return this.isInlineTextNode(node) && !isNamedFile(node);
  }

  /** Takes a part whose body is over. Parts before it that end within their header never had a body. */
  #finish(node: PartNode, meter: BodyMeter): void {
    // A part of a multipart with parts is one of the nodes that follow.
    if (node.childNodes.length > 0) return;
    const index = this.#nodes.findLastIndex((each) => each.node === node);
    this.#finishBefore(index);
    this.#take(node, meter, this.#nodes[index]?.headerFrom ?? 0);
    this.#read = index + 1;
  }

  #finishBefore(index: number): void {
    for (; this.#read < index; this.#read++) {
      const { node, headerFrom } = this.#nodes[this.#read] ?? { node: this.root, headerFrom: 0 };
      if (node.childNodes.length > 0) continue;
      const plan = { encoding: "", keptBytes: 0, isFile: true, isDigested: this.#isDigested };
      this.#take(node, new BodyMeter(headerFrom, plan, () => {}), headerFrom);
    }
  }

  #take(node: PartNode, meter: BodyMeter, headerFrom: number): void {
    readAsText(node);
    if (this.#isText(node)) this.#takeText(node, meter);
    else this.#takeFile(node, meter, headerFrom);
    node.content = null;
  }

  #takeText(node: PartNode, meter: BodyMeter): void {
    const type = textTypeOf(node);
    const isStart = setText(node, meter, this.#texts.bytesLeft(type));
    this.#texts.add(alternativeOf(node) ?? node, type, { text: node.getTextContent(), isStart });
  }

  #takeFile(node: PartNode, meter: BodyMeter, headerFrom: number): void {
    const start = isCalendar(node) ? meter.start(MAX_CALENDAR_BYTES) : null;
    node.content = start?.isWhole ? start.bytes : null;
    this.collectAttachment(node, new ArrayBuffer(0), false, false);
    const attachment = this.attachments.pop();
    if (attachment === undefined) return;
    const converted =
      node.content === null || typeof attachment.content === "string"
        ? null
        : new Uint8Array(attachment.content);
    const body: StartOfBody = converted === null ? meter : new EncodedBody(converted, "");
    const file: ScannedFile = {
      ...fileDescription(attachment, this.#files.length, body),
      sizeBytes: converted?.byteLength ?? meter.byteLength,
      sha256: converted === null || !this.#isDigested ? meter.digest() : sha256Hex(converted),
      span: meter.span,
      encoding: node.contentTransferEncoding.encoding,
      headerFrom,
      isConverted: converted !== null,
    };
    this.#files.push(file);
    const readText = (maxBytes: number): string | null =>
      converted === null ? textOf(node, meter, maxBytes) : convertedText(converted, maxBytes);
    this.#reader.read({
      ...file,
      start: (maxBytes) => body.start(maxBytes),
      readText: (maxBytes) => {
        const text = readText(maxBytes);
        return text === null ? null : cleanText(text);
      },
    });
  }
}

function textTypeOf({ contentType }: PartNode): TextType {
  return contentType.parsed.value === "text/html" ? "html" : "plain";
}

/** The closest multipart/alternative around a part. */
function alternativeOf(node: PartNode): PartNode | null {
  for (let around = node.parentNode; around !== undefined; around = around.parentNode) {
    if (around.contentType.multipart === "alternative") return around;
  }
  return null;
}

function convertedText(converted: Uint8Array, maxBytes: number): string | null {
  return converted.byteLength <= maxBytes ? new TextDecoder().decode(converted) : null;
}
