import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bridge } from "../../src/cli/mcp/bridge.ts";
import { mcpHeaders } from "../../src/cli/mcp/headers.ts";
import { linesOf, sseData } from "../../src/cli/mcp/sse-messages.ts";

interface Posted {
  body: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** Runs a bridge over lines of a host; resolves to what it wrote and posted. */
async function bridge(lines: readonly string[], answer: (posted: Posted) => Response | Promise<Response>) {
  const posted: Posted[] = [];
  const written: string[] = [];
  const notes: string[] = [];
  async function* input() {
    for (const line of lines) {
      yield Buffer.from(`${line}\n`);
      // Hosts write one message after the other.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  await new Bridge({
    input: input(),
    signal: new AbortController().signal,
    note: (text) => void notes.push(text),
    write: (line) => Promise.resolve(void written.push(line)),
    post: (body, headers, signal) => {
      const one = { body, headers, signal };
      posted.push(one);
      return Promise.resolve(answer(one));
    },
  }).run();
  for (const line of written) expect(line).toMatch(/^[^\n]+\n$/);
  return { posted, notes, answers: written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const call = (id: number, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
const result = (id: number, value: object = {}) => ({ jsonrpc: "2.0", id, result: value });
const idOf = ({ body }: Posted): number => (JSON.parse(body) as { id: number }).id;

function sse(...events: string[]): Response {
  return new Response(events.join(""), { headers: { "Content-Type": "text/event-stream" } });
}

describe("mailkeep mcp", () => {
  it("passes requests and their JSON answers on, one line each", async () => {
    const pretty = (posted: Posted) =>
      new Response(JSON.stringify(result(idOf(posted), { text: "a\u2028b" }), null, 2), {
        headers: { "Content-Type": "application/json" },
      });
    const { answers, posted } = await bridge([call(1), call(2)], pretty);
    expect(answers).toEqual([result(1, { text: "a\u2028b" }), result(2, { text: "a\u2028b" })]);
    expect(posted.map(({ body }) => body)).toEqual([call(1), call(2)]);
  });

  it("passes each message of a stream on as it comes, notifications before the answer", async () => {
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
    const { answers } = await bridge([call(1)], () =>
      sse(
        ": keepalive\n\n",
        `event: message\r\ndata: ${JSON.stringify(progress)}\r\n\r\n`,
        `id: 2\ndata: ${JSON.stringify(result(1)).slice(0, 10)}\ndata: ${JSON.stringify(result(1)).slice(10)}\n\n`,
        "data: cut off",
      ),
    );
    expect(answers).toEqual([progress, result(1)]);
  });

  it("sends the version that initialize agreed on with what follows", async () => {
    const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    const ready = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const { posted, answers } = await bridge([initialize, ready, call(1)], (one) =>
      one.body === ready
        ? new Response(null, { status: 202 })
        : Response.json(result(idOf(one), { protocolVersion: "2025-11-25" })),
    );
    expect(posted.map(({ headers }) => headers["MCP-Protocol-Version"])).toEqual([
      undefined,
      "2025-11-25",
      "2025-11-25",
    ]);
    expect(answers.map(({ id }) => id)).toEqual([0, 1]);
  });

  it("repeats version, method and name of a 2026 message in headers", () => {
    const params = {
      name: "wait_for_code",
      _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    };
    expect(mcpHeaders({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, null)).toMatchObject({
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "wait_for_code",
    });
    const unicode = { ...params, name: "größe" };
    expect(mcpHeaders({ method: "tools/call", params: unicode }, null)["Mcp-Name"]).toBe(
      `=?base64?${Buffer.from("größe").toString("base64")}?=`,
    );
    expect(mcpHeaders({ method: "constructor", params }, null)["Mcp-Name"]).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const message = { method: "tools/call", params: { ...params, name: name.toWellFormed() } };
        expect(() => new Headers(mcpHeaders(message, null))).not.toThrow();
      }),
    );
  });

  it("ends the call of a cancelled request, and answers it no more", async () => {
    const cancel = JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 },
    });
    let aborted: AbortSignal | null = null;
    const { answers } = await bridge([call(1), cancel, call(2)], (one) => {
      if (one.body === cancel) return new Response(null, { status: 202 });
      if (idOf(one) === 2) return Response.json(result(2));
      aborted = one.signal;
      return new Promise((_, reject) =>
        one.signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    });
    expect(answers).toEqual([result(2)]);
    expect(aborted).toMatchObject({ aborted: true });
  });

  it("answers requests side by side, a slow one last", async () => {
    const { answers } = await bridge([call(1), call(2)], async (one) => {
      if (idOf(one) === 1) await new Promise((resolve) => setTimeout(resolve, 100));
      return Response.json(result(idOf(one)));
    });
    expect(answers.map(({ id }) => id)).toEqual([2, 1]);
  });

  it("answers what it cannot pass on with an error that names the next step", async () => {
    const refusal = { error: "Unauthorized", code: "unauthorized", fix: "Get a key" };
    const refused = await bridge([call(1)], () => Response.json(refusal, { status: 401 }));
    expect(refused.answers).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32_000, message: expect.stringMatching(/Unauthorized.*mailkeep signup/) },
      },
    ]);
    const lost = await bridge([call(1)], () => Promise.reject(new Error("No connection")));
    expect([lost.answers, lost.notes]).toMatchObject([
      [{ id: 1, error: { message: "No connection" } }],
      ["No connection"],
    ]);
    const garbled = await bridge(["not json", call(2)], () => Response.json(result(2)));
    expect(garbled.answers).toMatchObject([{ id: null, error: { code: -32_700 } }, { id: 2 }]);
    const proxy = await bridge([call(3)], () => new Response("<h1>Bad Gateway</h1>", { status: 502 }));
    expect(proxy.answers).toMatchObject([{ id: 3, error: { message: "The service answered 502" } }]);
    const rejected = { jsonrpc: "2.0", id: 4, error: { code: -32_602, message: "Wrong" } };
    expect((await bridge([call(4)], () => Response.json(rejected, { status: 400 }))).answers).toEqual([
      rejected,
    ]);
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** The bytes of a text, cut anywhere. */
async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("streams that are cut anywhere", () => {
  it("give the same lines, ended by line feeds alone", async () => {
    const texts = fc.array(
      fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        const read = await all(linesOf(cut(`${lines.join("\n")}\n`, size)));
        expect(read).toEqual(lines);
      }),
      { numRuns: 40 },
    );
  });

  it("give the same events", async () => {
    const datas = fc.array(
      fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replaceAll(/[\r\n]/g, "x")),
    );
    const ends = fc.constantFrom("\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(datas, ends, fc.integer({ min: 1, max: 7 }), async (events, end, size) => {
        const text = events.map((data) => `event: message${end}data: ${data}${end}${end}`).join("");
        expect(await all(sseData(cut(text, size)))).toEqual(events);
      }),
      { numRuns: 40 },
    );
  });
});
