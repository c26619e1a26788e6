import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { faultResponse, readMessage } from "../../src/http/mcp/message.ts";
import { serveMessage, type McpServer } from "../../src/http/mcp/protocol.ts";
import { eraOf, META } from "../../src/http/mcp/revision.ts";
import { invalidParams, resourceNotFound, RpcError } from "../../src/http/mcp/rpc-error.ts";
import type { Form } from "../../src/http/mcp/transport.ts";

const INFO = { name: "one", title: "One", version: "1.2.3" };
const CAPABILITIES = { tools: {}, resources: {}, prompts: {} };
const INSTRUCTIONS = "Do as you like.";
const HINT = { ttlMs: 1_000, cacheScope: "public" } as const;
const TOOLS = [{ name: "echo", description: "Says it again.", inputSchema: { type: "object" as const } }];
const PROMPTS = [{ name: "greet", description: "Greets.", arguments: [] }];
const RESOURCES = [{ uri: "mail://1", name: "one", mimeType: "text/plain" }];
const TEMPLATES = [{ uriTemplate: "mail://{id}", name: "mail", description: "A mail." }];

const echoed = (input: unknown) => ({
  content: [{ type: "text" as const, text: JSON.stringify(input) }],
  structuredContent: { input },
});
const greeting = (name = "you") => ({
  description: "Greets.",
  messages: [{ role: "user" as const, content: { type: "text" as const, text: `Hello, ${name}` } }],
});
const contents = (uri: string) => ({ contents: [{ uri, mimeType: "text/plain", text: "one" }] });

const ANY = z.looseObject({});
const Call = z.object({ name: z.string(), arguments: ANY.optional() });
const Greet = z.object({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() });
const Listing = z.object({ cursor: z.string().optional() });

const OURS: McpServer = {
  info: INFO,
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
  discoverCache: HINT,
  methods: {
    "tools/list": { params: Listing, cache: HINT, answer: () => ({ tools: TOOLS }) },
    "tools/call": {
      params: Call,
      answer: async ({ name, arguments: input }: z.output<typeof Call>, { notify, signal }) => {
        if (name === "tell") notify("notifications/progress", { progressToken: 1, progress: 1 });
        if (name === "fail") throw new Error("a secret");
        if (name === "hang") await new Promise((resolve) => signal.addEventListener("abort", resolve));
        if (name === "none") throw invalidParams("Unknown tool");
        return echoed(input ?? {});
      },
    },
    "resources/list": { params: Listing, cache: HINT, answer: () => ({ resources: RESOURCES }) },
    "resources/templates/list": {
      params: Listing,
      cache: HINT,
      answer: () => ({ resourceTemplates: TEMPLATES }),
    },
    "resources/read": {
      params: z.object({ uri: z.string() }),
      cache: HINT,
      answer: ({ uri }: { uri: string }) => {
        if (uri !== "mail://1") throw resourceNotFound(uri);
        return contents(uri);
      },
    },
    "prompts/list": { params: Listing, cache: HINT, answer: () => ({ prompts: PROMPTS }) },
    "prompts/get": {
      params: Greet,
      answer: ({ arguments: values }: z.output<typeof Greet>) => greeting(values?.["name"]),
    },
  },
};

/** The same server, made with the library of the protocol's authors. */
function theirs(): Server {
  const names = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "server/discover",
  ];
  const server = new Server(INFO, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    cacheHints: Object.fromEntries(names.map((name) => [name, HINT])),
  });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", ({ params }) => {
    if (params.name === "none") throw invalidParams("Unknown tool");
    return echoed(params.arguments ?? {});
  });
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", ({ params }) => {
    if (params.uri !== "mail://1") throw resourceNotFound(params.uri);
    return contents(params.uri);
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", ({ params }) => greeting(params.arguments?.["name"]));
  return server;
}

interface Sent {
  body: unknown;
  headers: Record<string, string | undefined>;
}

function requestOf({ body, headers }: Sent, signal?: AbortSignal): Request {
  const sent = Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined);
  const text = JSON.stringify(body);
  return new Request("http://localhost/mcp", {
    method: "POST",
    body: text,
    headers: [
      ["Content-Length", String(Buffer.byteLength(text))],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
      ...sent,
    ],
    signal,
  });
}

async function byOurs(sent: Sent, form: Form = "json", signal?: AbortSignal): Promise<Response> {
  const request = requestOf(sent, signal);
  const read = await readMessage(request);
  if (!read.ok) return faultResponse(read.error);
  const era = eraOf(request, read.value);
  if (!era.ok) return faultResponse(era.error, read.value.id);
  return serveMessage(request, { message: read.value, era: era.value }, { server: OURS, form });
}

async function byTheirs(sent: Sent): Promise<Response> {
  const request = requestOf(sent);
  if (!(await isLegacyRequest(request, sent.body))) {
    const { fetch } = createMcpHandler(theirs, { legacy: "reject", responseMode: "auto" });
    return fetch(request, { parsedBody: sent.body });
  }
  const server = theirs();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const response = await transport.handleRequest(request, { parsedBody: sent.body });
  await transport.close();
  return response;
}

interface Answer {
  status: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const body: Omit<Answer, "status"> = text === "" ? {} : JSON.parse(text);
  return { status: response.status, ...body };
}

/** The library calls wrong parameters its own fault, and a message that is none a parse error. */
const CODES = new Map([
  [-32_603, -32_602],
  [-32_700, -32_600],
]);
/** Errors whose words and data are those of the library. */
const TOLD_ALIKE = [-32_020, -32_022];

function expectSame(ours: Answer, library: Answer, isRequest: boolean): void {
  const code = library.error?.code ?? 0;
  expect(ours.status).toBe(library.status);
  expect(ours.result).toEqual(library.result);
  expect(ours.error?.code ?? 0).toBe(CODES.get(code) ?? code);
  const isTold = isRequest && TOLD_ALIKE.includes(code);
  expect(isTold ? ours.error : null).toEqual(isTold ? library.error : null);
}

const STATELESS = "2026-07-28";
const META_MEMBERS = {
  [META.version]: fc.constantFrom<unknown>(STATELESS, STATELESS, STATELESS, "2025-11-25", "2030-01-01", 7),
  [META.capabilities]: fc.constantFrom<unknown>({}, {}, { roots: {} }, 7, { roots: 7 }),
  [META.clientInfo]: fc.constantFrom<unknown>({ name: "test", version: "1" }, { name: "test" }, 7),
  [META.logLevel]: fc.constantFrom<unknown>("info", "loud"),
  progressToken: fc.constantFrom<unknown>(1, "a", 1.5),
};
const goodMeta = {
  [META.version]: STATELESS,
  [META.capabilities]: {},
  [META.clientInfo]: { name: "test", version: "1" },
};
const meta = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constant(goodMeta) },
  { weight: 2, arbitrary: fc.record(META_MEMBERS, { requiredKeys: [] }) },
);
const METHODS = [
  "initialize",
  "ping",
  "server/discover",
  ...Object.keys(OURS.methods),
  "completion/complete",
  "notifications/initialized",
  "no/such",
  "__proto__",
];
const some = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values);
const params = fc.record({
  name: some<unknown>("echo", "echo", "none", 7, "ä"),
  uri: some<unknown>("mail://1", "mail://2", 7),
  arguments: some<unknown>({}, { name: "world" }, { name: 7 }, 7, [1]),
  cursor: some<unknown>("next", 7),
  protocolVersion: some<unknown>("2025-06-18", "1999-01-01", 7),
  capabilities: some<unknown>({}, {}, 7),
  clientInfo: some<unknown>({ name: "test", version: "1" }, { name: "test", version: "1" }, {}),
  _meta: meta,
});
const sent = fc
  .record({
    jsonrpc: fc.constantFrom<unknown>("2.0", "2.0", "2.0", "2.0", "1.0"),
    id: some<unknown>(1, "a", 2, "b", 1.5),
    method: fc.constantFrom(...METHODS),
    params: fc.oneof({ weight: 6, arbitrary: params }, { weight: 1, arbitrary: some<unknown>([], 7) }),
    other: fc.constantFrom(undefined, undefined, undefined, undefined, 1),
  })
  .chain((body) => {
    const { name, uri } = (body.params ?? {}) as { name?: unknown; uri?: unknown };
    const named = typeof name === "string" && body.method !== "resources/read" ? name : uri;
    const encoded = `=?base64?${Buffer.from(String(named)).toString("base64")}?=`;
    return fc.record({
      body: fc.constant(body),
      headers: fc.record({
        "MCP-Protocol-Version": some(
          STATELESS,
          STATELESS,
          STATELESS,
          "2025-11-25",
          "1999-01-01",
          "2030-01-01",
        ),
        "Mcp-Method": some(body.method, body.method, body.method, "tools/list"),
        "Mcp-Name": some(encoded, encoded, encoded, "echo", "=?base64?!?="),
      }),
    });
  });

describe("the protocol", () => {
  it("answers every message as the library of its authors does", async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(sent, async (message) => {
        const ours = await answerOf(await byOurs(message));
        const plain = { ...message, body: JSON.parse(JSON.stringify(message.body)) as unknown };
        const library = await answerOf(await byTheirs(plain));
        const key = `${ours.status} ${ours.error?.code ?? "result"}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
        // The library takes a handshake with wrong parameters for another message, and may find fault with its header fields.
        fc.pre(message.body.method !== "initialize" || ours.error?.code !== -32_602);
        // It takes an `initialize` without an id for a handshake, and lets its header fields name any revision.
        fc.pre(message.body.method !== "initialize" || message.body.id !== undefined);
        expectSame(ours, library, message.body.id !== undefined);
      }),
      { numRuns: 500 },
    );
    const kinds = ["200 result", "202 result", "200 -32602", "200 -32601", "404 -32601", "400 -32600"];
    const faults = ["400 -32020", "400 -32602", "400 -32000"];
    expect([...seen.keys()]).toEqual(expect.arrayContaining([...kinds, ...faults]));
  });

  const call = (name: string): Sent => ({
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } },
    headers: {},
  });

  it("refuses a progress token that is longer than an id may be, because a wait sends it again and again", async () => {
    const waiting = (progressToken: string): Sent => ({
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "echo", _meta: { progressToken } },
      },
      headers: {},
    });
    expect((await byOurs(waiting("p".repeat(256)))).status).toBe(200);
    const { status, error } = await answerOf(await byOurs(waiting("p".repeat(257))));
    expect([status, error?.code]).toEqual([400, -32_600]);
  });

  it("answers in a stream from the first news on, and else in JSON", async () => {
    const told = await byOurs(call("tell"), "stream-when-told");
    expect(told.headers.get("Content-Type")).toBe("text/event-stream");
    const text = await told.text();
    const events = [...text.matchAll(/^event: message\ndata: (.+)\n\n/gm)].map(([, data = ""]) =>
      JSON.parse(data),
    );
    expect(events).toMatchObject([{ method: "notifications/progress" }, { id: 1, result: {} }]);
    const untold = await byOurs(call("echo"), "stream-when-told");
    expect(untold.headers.get("Content-Type")).toContain("application/json");
    expect((await byOurs(call("tell"))).headers.get("Content-Type")).toContain("application/json");
  });

  it("ends the work when the client is gone, by its signal or by its stream", async () => {
    const gone = new AbortController();
    const hanging = byOurs(call("hang"), "stream-when-told", gone.signal);
    gone.abort();
    expect((await hanging).status).toBe(499);
    const stream = await byOurs(call("hang"), "stream");
    await stream.body?.cancel();
  });

  it("tells nothing of an unexpected error but where the log has it", async () => {
    const { error } = await answerOf(await byOurs(call("fail")));
    expect(error?.code).toBe(-32_603);
    expect(error?.message).toMatch(/^Internal error; the log has it as [0-9a-f-]{36}$/);
  });

  it("keeps an error's code, data and status", async () => {
    const failing: McpServer = {
      ...OURS,
      methods: {
        fail: {
          params: ANY,
          answer: () => {
            throw new RpcError(-32_021, "No", { data: { one: 1 }, status: 400 });
          },
        },
      },
    };
    const message = { jsonrpc: "2.0" as const, id: 1, method: "fail" };
    const response = await serveMessage(
      requestOf({ body: message, headers: {} }),
      { message, era: "handshake" },
      { server: failing, form: "json" },
    );
    expect(await answerOf(response)).toMatchObject({
      status: 400,
      error: { code: -32_021, message: "No", data: { one: 1 } },
    });
  });
});
