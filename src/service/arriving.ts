import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { BREATH_BYTES } from "../lib/breath.ts";
import { GrowingBytes } from "../lib/growing-bytes.ts";
import { readHeaderBlock, skipEmptyLines } from "../mail/mime/header-block.ts";
import { MAX_ROW_BYTES } from "./blob-choice.ts";

/** Bytes that tell whether a message fits a row. The longest header that proves a sender has half as many. */
const OPENING_BYTES = MAX_ROW_BYTES + 1;

/** A message on its way into mailboxes: whole if it fits a row, else its bytes as they come. */
export type Arriving = WholeMessage | PassingMessage;

/** A message that is held in memory. */
export interface WholeMessage {
  raw: Uint8Array;
}

/** Thrown for a message that turns out to be longer than {@link MAX_MESSAGE_BYTES}. */
export class MessageTooLong extends Error {
  override readonly name = "MessageTooLong";

  constructor() {
    super(`Message too large (max ${MAX_MESSAGE_BYTES} bytes)`);
  }
}

/** Whether a message fits a row of its mailbox. */
export function isWhole(message: Arriving): message is WholeMessage {
  return !(message instanceof PassingMessage);
}

/** A message that is held in memory, whatever its size. Its bytes may not change. */
export function arrivingFrom(raw: Uint8Array): Arriving {
  if (raw.byteLength <= MAX_ROW_BYTES) return { raw };
  return new PassingMessage(headIn(raw.subarray(0, OPENING_BYTES)), slices(raw), raw.byteLength);
}

/**
 * Reads the beginning of a message, to its end if it fits a row.
 *
 * @param source its bytes; each piece is valid until the next is requested
 * @param sizeBytes how many there are; null if that is not known yet
 */
export async function arriving(
  source: AsyncIterable<Uint8Array>,
  sizeBytes: number | null,
): Promise<Arriving> {
  const pieces = source[Symbol.asyncIterator]();
  const opening = new GrowingBytes();
  const isLarge = (): boolean =>
    opening.length >= OPENING_BYTES || ((sizeBytes ?? 0) > MAX_ROW_BYTES && hasHeader(opening.from(0)));
  while (!isLarge()) {
    const next = await pieces.next();
    if (next.done === true) {
      expectSize(opening.length, sizeBytes);
      return { raw: opening.from(0) };
    }
    opening.add(next.value);
  }
  const bytes = opening.from(0);
  return new PassingMessage(headIn(bytes), resumed(bytes, pieces), sizeBytes);
}

/** A message that is too large for a row. Its bytes can be read once. */
export class PassingMessage {
  /** Its header, or as much of it as its first 512 KiB have. */
  readonly head: Uint8Array;
  /** How many bytes it has; null if that is not known yet. */
  readonly sizeBytes: number | null;
  readonly #source: AsyncGenerator<Uint8Array, void>;
  #isBegun = false;
  #bytes = 0;

  constructor(head: Uint8Array, source: AsyncGenerator<Uint8Array, void>, sizeBytes: number | null) {
    this.head = head;
    this.#source = source;
    this.sizeBytes = sizeBytes;
  }

  /** Bytes that were read so far. */
  get passedBytes(): number {
    return this.#bytes;
  }

  /**
   * Its bytes, once; each piece is valid until the next is requested. Throws {@link MessageTooLong}, and if there are not as many
   * as announced. Whoever stops before the end calls `drain` or `close`.
   */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    // What is left of a message would look like one.
    if (this.#isBegun) throw new Error("The message was read already");
    this.#isBegun = true;
    for (;;) {
      // Not by a loop over the source, which would close it if the reader stops.
      const next = await this.#source.next();
      if (next.done === true) break;
      this.#bytes += next.value.byteLength;
      if (this.#bytes > MAX_MESSAGE_BYTES) throw new MessageTooLong();
      yield next.value;
    }
    expectSize(this.#bytes, this.sizeBytes);
  }

  /** Reads and drops what is left: a client that is still sending would not hear a refusal. Never throws. */
  async drain(): Promise<void> {
    this.#isBegun = true;
    try {
      for await (const piece of this.#source) {
        this.#bytes += piece.byteLength;
        if (this.#bytes > MAX_MESSAGE_BYTES) return;
      }
    } catch {
      // The client went away, and hears nothing more.
    }
  }

  /** Ends its source, which sends no more bytes. */
  async close(): Promise<void> {
    // A generator that never ran returns without ending the stream that it would read.
    if (!this.#isBegun) await this.#source.next().catch(() => {});
    this.#isBegun = true;
    await this.#source.return();
  }
}

/** Ends the source of a message that is read no further. */
export async function closeMessage(message: Arriving): Promise<void> {
  if (!isWhole(message)) await message.close();
}

/** Whether a beginning of a message has the whole header, and more. */
function hasHeader(opening: Uint8Array): boolean {
  return headIn(opening).byteLength < opening.byteLength;
}

function headIn(opening: Uint8Array): Uint8Array {
  const from = skipEmptyLines(opening);
  const end = from + readHeaderBlock(opening.subarray(from)).bodyStart;
  return opening.slice(0, end);
}

/** A message of which the end is missing would look complete. */
function expectSize(bytes: number, sizeBytes: number | null): void {
  if (sizeBytes !== null && bytes !== sizeBytes)
    throw new Error(`The message does not have the ${sizeBytes} bytes that were announced`);
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += BREATH_BYTES) yield bytes.subarray(at, at + BREATH_BYTES);
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield* slicesOf(bytes);
}

/** The bytes of `opening`, then those of `rest`, which is closed with this. */
async function* resumed(
  opening: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* slicesOf(opening);
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    await rest.return?.();
  }
}
