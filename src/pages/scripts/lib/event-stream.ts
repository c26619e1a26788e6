/** A block of an event stream: its `id:` and `data:`, each null if absent. */
export interface Block {
  id: string | null;
  data: string | null;
}

/**
 * Blocks of a `text/event-stream` as they arrive (HTML Standard, 9.2.6), and a null for each comment, which says that the
 * stream lives. It reads what our service writes: one line of `data`, lines that end in LF.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<Block | null> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  let rest = "";
  for await (const text of reader) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(text: string): Block | null {
  if (text.startsWith(":")) return null;
  const block: Block = { id: null, data: null };
  for (const line of text.split("\n")) {
    const [, name, value] = /^(id|data): ?(.*)$/.exec(line) ?? [];
    if (name === "id") block.id = value ?? "";
    else if (name === "data") block.data = value ?? "";
  }
  return block;
}
