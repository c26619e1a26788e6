import type { Pieces } from "./store.ts";

/** First size of the buffer. It grows with the bytes that arrive, so that a slow or small source takes little memory. */
const FIRST_BYTES = 65_536;

/**
 * Cuts bytes into chunks of `chunkBytes`, the last one shorter; no bytes make no chunk. Chunks are views of one buffer: a chunk
 * is valid until the next is requested.
 */
export async function* chunksOf(
  pieces: Pieces,
  chunkBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  let chunk = new Uint8Array(Math.min(FIRST_BYTES, chunkBytes));
  let filled = 0;
  for await (const bytes of pieces) {
    for (let offset = 0; offset < bytes.byteLength;) {
      const piece = bytes.subarray(offset, offset + chunkBytes - filled);
      chunk = withRoomFor(chunk, filled + piece.byteLength, chunkBytes);
      chunk.set(piece, filled);
      offset += piece.byteLength;
      filled += piece.byteLength;
      if (filled < chunkBytes) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function withRoomFor(
  chunk: Uint8Array<ArrayBuffer>,
  bytes: number,
  mostBytes: number,
): Uint8Array<ArrayBuffer> {
  if (bytes <= chunk.byteLength) return chunk;
  const larger = new Uint8Array(Math.min(mostBytes, Math.max(bytes, 2 * chunk.byteLength)));
  larger.set(chunk);
  return larger;
}
