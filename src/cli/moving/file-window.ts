import type { FileHandle } from "node:fs/promises";
import { Window } from "../../lib/archive/window.ts";

/** The first `sizeBytes` bytes of an open file. */
export function windowOn(handle: FileHandle, sizeBytes: number): Window {
  return new Window(sizeBytes, (offset, length) => readAt(handle, offset, length));
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
