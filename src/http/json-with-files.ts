import { invalid, type Answer } from "../contract/problem.ts";
import type { RouteSpec } from "../contract/route.ts";
import { MAX_ATTACHMENTS, type StoredContent } from "../contract/sending.ts";
import { Base64Literal, LiteralError, mostDecoded } from "../lib/base64-literal.ts";
import { BREATH_BYTES, breath } from "../lib/breath.ts";
import { JsonBoundError, JsonScanner } from "../lib/json-scanner.ts";
import { done, refused } from "../lib/outcome.ts";
import { bodyBytes } from "../lib/body-bytes.ts";
import {
  beyondBound,
  beyondLimit,
  JSON_SHAPE,
  NOT_JSON,
  parseJson,
  type BodyLimit,
} from "./request-input.ts";
import type { KeepContent } from "../service/inline-files.ts";
import { UploadFault } from "../service/upload-body.ts";

/** The place of a file's content in a body. */
const CONTENT = ["attachments", null, "content"] as const;

/** The limits of a body. */
interface Limits {
  whole: BodyLimit;
  held: NonNullable<RouteSpec["inlineFiles"]>;
}

/**
 * Reads a JSON body that may carry files, in the same memory whatever its size: it decodes the content of a file while it
 * arrives, hands it to `keep`, and puts a StoredContent in its place.
 */
export async function readJsonWithFiles(
  body: ReadableStream<Uint8Array>,
  limits: Limits,
  keep: KeepContent,
): Promise<Answer<unknown>> {
  const reader = new JsonWithFiles(body, limits, keep);
  try {
    return await reader.read();
  } catch (error) {
    if (error instanceof UploadFault) return refused(error.problem);
    if (!(error instanceof JsonBoundError)) throw error;
    const isText = error.bound === "heldBytes";
    return refused(isText ? { ...beyondBound(error), error: limits.held.error } : beyondBound(error));
  } finally {
    reader.close();
  }
}

class JsonWithFiles {
  readonly #source: AsyncGenerator<Uint8Array, void, void>;
  readonly #limits: Limits;
  readonly #keep: KeepContent;
  readonly #scanner: JsonScanner;
  readonly #contents = new Map<string, StoredContent>();
  /** Begins the placeholder of a content. It is random, so that no caller can write one. */
  readonly #nonce = crypto.randomUUID();
  #piece: Uint8Array = new Uint8Array();
  #at = 0;
  #total = 0;
  #sinceBreath = 0;

  constructor(body: ReadableStream<Uint8Array>, limits: Limits, keep: KeepContent) {
    this.#source = bodyBytes(body);
    this.#limits = limits;
    this.#keep = keep;
    this.#scanner = new JsonScanner({ ...JSON_SHAPE, heldBytes: limits.held.heldBytes }, CONTENT);
  }

  async read(): Promise<Answer<unknown>> {
    while (await this.#next()) {
      while (this.#at < this.#piece.byteLength) {
        this.#at = this.#scanner.scan(this.#piece, this.#at);
        if (this.#scanner.isAtString) await this.#keepContent();
      }
    }
    const held = this.#scanner.held();
    if (held.byteLength === 0) return done({});
    const parsed = parseJson(held);
    return parsed.ok ? done(this.#withContents(parsed.value)) : parsed;
  }

  /** Stops reading the body. */
  close(): void {
    void this.#source.return().catch(() => {});
  }

  /** Reads the next piece; false at the end of the body. */
  async #next(): Promise<boolean> {
    if (this.#sinceBreath >= BREATH_BYTES) {
      this.#sinceBreath = 0;
      await breath();
    }
    const next = await this.#source.next().catch(() => {
      throw new UploadFault(BROKE_OFF);
    });
    if (next.done === true) return false;
    this.#piece = next.value;
    this.#at = 0;
    this.#total += next.value.byteLength;
    this.#sinceBreath += next.value.byteLength;
    if (this.#total > this.#limits.whole.bytes) throw new UploadFault(beyondLimit(this.#limits.whole));
    return true;
  }

  async #keepContent(): Promise<void> {
    if (this.#contents.size === MAX_ATTACHMENTS) {
      throw new UploadFault(invalid("attachments", `must hold at most ${MAX_ATTACHMENTS} files`));
    }
    // Four characters of base64 are three bytes.
    const mostBytes = Math.ceil(((this.#limits.whole.bytes - this.#total + this.#piece.byteLength) * 3) / 4);
    const kept = await this.#keep(this.#content(this.#scanner.place), mostBytes);
    if (!kept.ok) throw new UploadFault(kept.error);
    const placeholder = `${this.#nonce} ${this.#contents.size}`;
    this.#contents.set(placeholder, kept.value);
    this.#scanner.replace(placeholder);
  }

  /** The bytes of a file whose opening quote was read. Throws UploadFault. */
  async *#content(place: string): AsyncGenerator<Uint8Array, void, void> {
    const literal = new Base64Literal();
    let room = new Uint8Array();
    while (!literal.isOver) {
      if (this.#at === this.#piece.byteLength && !(await this.#next())) throw new UploadFault(NOT_JSON);
      const most = mostDecoded(this.#piece.byteLength);
      if (room.byteLength < most) room = new Uint8Array(most);
      const { at, decoded } = readLiteral(literal, { bytes: this.#piece, from: this.#at, room }, place);
      this.#at = at;
      if (decoded.byteLength > 0) yield decoded;
    }
  }

  #withContents(body: unknown): unknown {
    if (typeof body !== "object" || body === null || !("attachments" in body)) return body;
    for (const file of Array.isArray(body.attachments) ? (body.attachments as unknown[]) : []) {
      if (typeof file !== "object" || file === null || !("content" in file)) continue;
      if (typeof file.content === "string") file.content = this.#contents.get(file.content) ?? file.content;
    }
    return body;
  }
}

const BROKE_OFF = invalid("body", "broke off, or is not as long as its Content-Length says");

function readLiteral(
  literal: Base64Literal,
  { bytes, from, room }: { bytes: Uint8Array; from: number; room: Uint8Array },
  place: string,
): { at: number; decoded: Uint8Array } {
  try {
    return literal.read(bytes, from, room);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    throw new UploadFault(error.kind === "json" ? NOT_JSON : invalid(place, "must be base64"));
  }
}
