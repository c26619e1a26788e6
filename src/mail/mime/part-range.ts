import type { ByteSpan } from "../large-body.ts";
import type { ScannedFile } from "./scanned-mail.ts";
import { streamDecoder } from "./stream-decoding.ts";

/** Where a file lies in the raw message, and how it is encoded there. */
type Place = Pick<ScannedFile, "span" | "encoding">;

/** The bytes of the raw message that a range of a file's content is decoded from: all of the file, if it is encoded. */
export function encodedSpan({ span, encoding }: Place, range: ByteSpan): ByteSpan {
  if (streamDecoder(encoding) !== null) return span;
  return { from: span.from + range.from, to: Math.min(span.to, span.from + range.to) };
}

/**
 * A range of a file's content, decoded from the bytes of `encodedSpan` as they come. A piece is valid until the next is asked
 * for. Where the range ends, no more bytes are asked for.
 */
export async function* decodedRange(
  encoded: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: string,
  range: ByteSpan,
): AsyncGenerator<Uint8Array, void> {
  const decoder = streamDecoder(encoding);
  if (decoder === null) {
    yield* encoded;
    return;
  }
  let target = new Uint8Array(0);
  let at = 0;
  const within = (length: number): Uint8Array => {
    const piece = target.subarray(Math.max(0, range.from - at), Math.max(0, Math.min(length, range.to - at)));
    at += length;
    return piece;
  };
  for await (const bytes of encoded) {
    if (at >= range.to) return;
    const room = decoder.room(bytes.length);
    if (target.length < room) target = new Uint8Array(room);
    const piece = within(decoder.decode(bytes, target));
    if (piece.length > 0) yield piece;
  }
  if (target.length < decoder.room(0)) target = new Uint8Array(decoder.room(0));
  const rest = within(decoder.end(target));
  if (rest.length > 0) yield rest;
}
