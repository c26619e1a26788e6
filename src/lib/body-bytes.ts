/** Read at a time at most. */
const READ_BYTES = 65_536;
/**
 * A body that comes byte by byte is gathered by the runtime until so many are there, or it ends: a call for each byte would
 * cost more than the byte.
 */
const LEAST_BYTES = 4_096;

/** A body whose client went away before it was sent whole: reading it fails in no other way. */
export class BodyLost extends Error {
  override readonly name = "BodyLost";

  constructor(cause: unknown) {
    super("The client went away", { cause });
  }
}

/** A small body, read by the runtime in one call. Throws {@link BodyLost}. */
export async function wholeBody(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw new BodyLost(error);
  }
}

/**
 * The bytes of a body piece by piece, all in one buffer: a piece is good until the next is asked for. Whoever stops reading
 * wants no more of it. Throws {@link BodyLost}.
 */
export async function* bodyBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = byteReader(body);
  try {
    for (let buffer = new ArrayBuffer(READ_BYTES); ;) {
      const read = await reader.readAtLeast(LEAST_BYTES, new Uint8Array(buffer)).catch(lost);
      if (read.value !== undefined && read.value.byteLength > 0) {
        buffer = read.value.buffer as ArrayBuffer;
        yield read.value;
      }
      if (read.done) return;
    }
  } finally {
    // What was read to its end does not mind.
    void reader.cancel().catch(() => {});
  }
}

function lost(error: unknown): never {
  throw new BodyLost(error);
}

/** A request's body is a stream of bytes; one that a caller in this process made need not be. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return body.pipeThrough(new IdentityTransformStream()).getReader({ mode: "byob" });
  }
}
