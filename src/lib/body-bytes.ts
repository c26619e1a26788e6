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
 * The bytes of a request's body piece by piece, all in one buffer: a piece is good until the next is asked for. Whoever stops
 * reading ends the body. Throws {@link BodyLost}.
 */
export function bodyBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  return bytesOf(body, (error) => new BodyLost(error));
}

/** As `bodyBytes`, for a stream that comes from no client, such as a blob. Throws the error of the stream. */
export function streamBytes(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  return bytesOf(stream, (error) => error);
}

async function* bytesOf(
  stream: ReadableStream<Uint8Array>,
  errorOf: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = byteReader(stream);
  const failed = (error: unknown): never => {
    throw errorOf(error);
  };
  try {
    for (let buffer = new ArrayBuffer(READ_BYTES); ;) {
      const read = await reader.readAtLeast(LEAST_BYTES, new Uint8Array(buffer)).catch(failed);
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

/** A request's body is a stream of bytes; one that a caller in this process made need not be. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return body.pipeThrough(new IdentityTransformStream()).getReader({ mode: "byob" });
  }
}
