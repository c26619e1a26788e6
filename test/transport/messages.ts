/** A test message, generated the same way here and in the worker, because a request cannot carry every size. */
export type Recipe =
  | { kind: "text"; text: string }
  | { kind: "lines"; sizeBytes: number; chunkBytes?: number };

/** Contains what SMTP has to escape or preserve: dots, the end of a message, long lines, bytes that are neither ASCII nor UTF-8. */
const LINES = Buffer.concat([
  Buffer.from("Subject: lines\r\n\r\n.\r\n..\r\n.hidden\r\n\r\n.\r\nGrüße 👋\r\n"),
  Buffer.from([0x80, 0xff, 0xfe, 0x00, 0x1f, 0x0d, 0x0a]),
  Buffer.from(`${"x".repeat(998)}\r\n${"long ".repeat(2_000)}\r\n`),
  Buffer.from("QUIT\r\nRCPT TO:<z@z.example>\r\nlast\r\n"),
]);
const DEFAULT_CHUNK_BYTES = 65_536;

export function sizeOf(recipe: Recipe): number {
  return recipe.kind === "text" ? Buffer.byteLength(recipe.text) : recipe.sizeBytes;
}

/** Ends with CRLF. */
function* pieces(recipe: Recipe): Generator<Uint8Array> {
  if (recipe.kind === "text") return yield Buffer.from(recipe.text);
  const { sizeBytes, chunkBytes = DEFAULT_CHUNK_BYTES } = recipe;
  const block = Buffer.concat(Array.from({ length: Math.ceil(chunkBytes / LINES.length) + 1 }, () => LINES));
  let at = 0;
  const bodyBytes = sizeBytes - 2;
  while (at < bodyBytes) {
    const from = at % LINES.length;
    const length = Math.min(chunkBytes, bodyBytes - at);
    at += length;
    yield block.subarray(from, from + length);
  }
  yield Buffer.from("\r\n");
}

export function bytesOf(recipe: Recipe): Buffer {
  return Buffer.concat([...pieces(recipe)]);
}

export function streamOf(recipe: Recipe): ReadableStream<Uint8Array> {
  const made = pieces(recipe);
  return new ReadableStream(
    {
      pull(controller) {
        const next = made.next();
        if (next.done) controller.close();
        // A copy: a byte stream's consumer may take the buffer with it.
        else controller.enqueue(new Uint8Array(next.value));
      },
    },
    { highWaterMark: 0 },
  );
}
