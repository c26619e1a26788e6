import { MAX_BODY_BYTES } from "../../contract/limits.ts";
import { ContentDigest } from "./content-digest.ts";
import { HeaderReader, MAX_HEADER_BYTES } from "./header-block.ts";
import {
  bytesBeforeDeepNesting,
  contentHeader,
  isHeaderForParser,
  mailOf,
  NOTHING_READ,
  SALVAGE_BYTES,
} from "./parse.ts";
import { LineLimits } from "./part-limits.ts";
import { ScanParser, type ScannedBody } from "./scan-parser.ts";
import type { FileReader, ScannedMail } from "./scanned-mail.ts";

const LF = 0x0a;
const CR = 0x0d;
/** Bytes of a message without any field that are held: it is all text, of which no more is kept. */
const MAX_FIELDLESS_BYTES = MAX_BODY_BYTES + 8;

/** For messages whose files nobody reads. */
const NO_READER: FileReader = { wantedBytes: () => 0, read: () => {}, restart: () => {} };

/**
 * Reads a message while it passes in pieces, cut anywhere, in a few MB of memory whatever its size. It says of it what
 * `parseMail` says; of files it tells where they lie, their size and digest. Never throws: what is broken or over a limit is
 * named in `faults`.
 */
export class MailScanner {
  readonly #reader: FileReader;
  readonly #digest = new ContentDigest();
  readonly #limits = new LineLimits();
  readonly #header = new HeaderReader();
  /** The header as it is, as far as the parser may need it. */
  readonly #head = new Beginning();
  /** The beginning of the body, in case the parser fails. */
  readonly #start = new Beginning();
  #sizeBytes = 0;
  /** Where in the raw message its header begins: empty lines may stand before it. */
  #from = 0;
  /** Bytes from there on that are within the limit of lines. */
  #readableBytes = 0;
  #parser: ScanParser | null = null;
  #place: "before" | "header" | "body" = "before";
  #hasFailed = false;

  constructor(reader: FileReader = NO_READER) {
    this.#reader = reader;
  }

  /** Reads the next piece. It may be changed after the promise resolves. */
  async write(piece: Uint8Array): Promise<void> {
    this.#digest.update(piece);
    const offset = this.#sizeBytes;
    this.#sizeBytes += piece.length;
    let at = 0;
    if (this.#place === "before") {
      while (piece[at] === CR || piece[at] === LF) at++;
      this.#from = offset + at;
      if (at < piece.length) this.#place = "header";
    }
    if (at < piece.length) await this.#writeMessage(piece.subarray(at), offset + at);
  }

  /** Returns the message as far as it could be read, after its last piece. */
  async end(): Promise<ScannedMail> {
    if (this.#place !== "body") {
      this.#header.end();
      await this.#beginBody();
    }
    const body = (await this.#tried(() => this.#parser?.end())) ?? (await this.#salvaged());
    const { block } = this.#header;
    const faults = new Set<string>();
    if (block.isCut) faults.add("headers_cut");
    if (this.#limits.fault !== null) faults.add(this.#limits.fault);
    if (this.#hasFailed) faults.add("parse_failed");
    return {
      ...mailOf(block, body, faults),
      attachments: body.files,
      sizeBytes: this.#sizeBytes,
      digest: this.#digest.hex(),
    };
  }

  async #writeMessage(piece: Uint8Array, offset: number): Promise<void> {
    const readable = this.#limits.read(piece);
    this.#readableBytes += readable;
    if (this.#place === "body") {
      await this.#writeBody(piece, readable, offset);
      return;
    }
    const { block } = this.#header;
    const bodyStart = this.#header.read(piece);
    const mostBytes = block.fields.length === 0 ? MAX_FIELDLESS_BYTES : MAX_HEADER_BYTES + 1;
    this.#head.add(piece.subarray(0, bodyStart ?? piece.length), mostBytes);
    if (bodyStart === null) return;
    await this.#beginBody();
    const rest = Math.max(0, readable - bodyStart);
    await this.#writeBody(piece.subarray(bodyStart), rest, offset + bodyStart);
  }

  /** Gives the header to the parser. */
  async #beginBody(): Promise<void> {
    this.#place = "body";
    const parser = (this.#parser = new ScanParser(this.#reader, this.#from));
    await this.#tried(() => this.#writeHeader(parser, this.#readableBytes));
  }

  async #writeHeader(parser: ScanParser, readableBytes: number): Promise<void> {
    const { block } = this.#header;
    const head = this.#head.bytes.subarray(0, readableBytes);
    if (isHeaderForParser(block)) {
      await parser.write(head, this.#from);
      return;
    }
    const fields = contentHeader(block);
    await parser.write(fields, this.#from + block.bodyStart - fields.length);
    // A message without any field is text from its first line on.
    if (block.fields.length === 0) await parser.write(head, this.#from);
  }

  async #writeBody(piece: Uint8Array, readable: number, offset: number): Promise<void> {
    this.#start.add(piece, SALVAGE_BYTES);
    if (readable > 0) await this.#tried(() => this.#parser?.write(piece.subarray(0, readable), offset));
  }

  /** The parser refuses messages over its limits; then it reads no more. */
  async #tried<T>(read: () => Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await read();
    } catch {
      // The start of the body may still be within the limits: it is read again at the end.
      this.#hasFailed = true;
      this.#parser = null;
      return undefined;
    }
  }

  async #salvaged(): Promise<ScannedBody> {
    const { block } = this.#header;
    const body = this.#start.bytes;
    const parser = new ScanParser(this.#reader, this.#from);
    this.#reader.restart();
    try {
      await this.#writeHeader(parser, Infinity);
      const bytes = bytesBeforeDeepNesting(body);
      await parser.write(body.subarray(0, bytes), this.#from + block.bodyStart);
      return await parser.end();
    } catch {
      // Nothing of the structure can be read; the header fields and the raw bytes remain.
      this.#reader.restart();
      return { ...NOTHING_READ, files: [] };
    }
  }
}

/** The beginning of a stream. */
class Beginning {
  #buffer = new Uint8Array(8_192);
  #length = 0;

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Takes the next piece, as far as the beginning is shorter than `mostBytes`. */
  add(piece: Uint8Array, mostBytes: number): void {
    const taken = piece.subarray(0, Math.max(0, mostBytes - this.#length));
    if (taken.length === 0) return;
    const length = this.#length + taken.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(mostBytes, 2 * this.#buffer.length)));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(taken, this.#length);
    this.#length = length;
  }
}
