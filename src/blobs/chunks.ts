import type { Pieces } from "./store.ts";

/**
 * Cuts bytes into chunks of `chunkBytes`, the last one shorter; none for no bytes at all. All chunks are views of one buffer:
 * a chunk is good until the next one is asked for.
 */
export async function* chunksOf(
  pieces: Pieces,
  chunkBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const chunk = new Uint8Array(chunkBytes);
  let filled = 0;
  for await (const bytes of pieces) {
    for (let offset = 0; offset < bytes.byteLength;) {
      const piece = bytes.subarray(offset, offset + chunkBytes - filled);
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
