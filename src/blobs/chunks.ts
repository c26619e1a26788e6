import type { Pieces } from "./store.ts";

/** What the buffer begins with: it grows with what comes, so that a slow or small source holds no more than it brought. */
const FIRST_BYTES = 65_536;

/**
 * Cuts bytes into chunks of `chunkBytes`, the last one shorter; none for no bytes at all. Chunks are views of one buffer: one
 * is good until the next is asked for.
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
