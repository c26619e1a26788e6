/** A line of a stream: CR LF, LF or CR end it (HTML Standard, 9.2.6). */
const LINE_END = /\r\n|\n|\r(?=[^\n])/;

/** The `data` of each event of a stream of Server-Sent Events. An event that the stream breaks off is dropped. */
export async function* sseData(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(LINE_END);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield data.join("\n");
        data = [];
      } else if (line === "data" || line.startsWith("data:")) {
        data.push(line.slice(5).replace(/^ /, ""));
      }
    }
  }
}

/** The lines of a stream of bytes, ended by line feeds alone: other line ends may stand inside JSON. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const chunk of stream) {
    const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
    parts.push(first);
    for (const line of more) {
      yield parts.join("");
      parts.length = 0;
      parts.push(line);
    }
  }
  const last = parts.join("");
  if (last !== "") yield last;
}
