import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  api,
  bootstrap,
  createMailbox,
  deliver,
  OPERATOR,
  plainMessage,
  setVariables,
  type Ask,
  type TestMailbox,
} from "../harness.ts";
import {
  callTool,
  LEGACY,
  MODERN,
  readAnswer,
  REVISIONS,
  rpc,
  rpcHeaders,
  rpcMessage,
  type RpcAsk,
} from "../mcp.ts";
import { runs } from "../runs.ts";

let box: TestMailbox;
let temporary: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
  temporary = await bootstrap();
  await deliver(box.mailbox, plainMessage({ subject: "Hello" }));
});

const WRONG_KEY = `mk_${"0".repeat(64)}`;
const CALL = { name: "check_mail", arguments: {} };

/** Sends a body as it is. */
const post = async (body: BodyInit | null, asked: Ask = {}) => {
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...asked.headers,
  };
  return readAnswer(
    await api("/mcp", { key: box.api_key, method: "POST", ...asked, body: body ?? undefined, headers }),
  );
};

describe("who may connect", () => {
  it.each([
    ["no key", undefined],
    ["a wrong key", WRONG_KEY],
    ["no credential at all", "abc"],
  ])("%s gets 401 that says where to get one, whatever it asks", async (_, key) => {
    const asks: [string, object][] = [
      ["tools/call", CALL],
      ["tools/call", { name: "wait_for_code", arguments: {} }],
      ["tools/call", { name: "no_such_tool" }],
      ["tools/list", {}],
      ["server/discover", {}],
      ["no/such/method", {}],
    ];
    for (const [method, params] of asks) {
      const response = await api("/mcp", {
        key,
        json: rpcMessage(method, params, {}),
        headers: rpcHeaders(method, params, MODERN),
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toContain(
        'resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"',
      );
      expect(await response.json()).toMatchObject({
        code: "unauthorized",
        upgrade: "https://api.example/claim",
        fix: expect.stringContaining("POST https://api.example/v1/bootstrap"),
      });
    }
  });

  it("the document that the 401 names says how a key is sent", async () => {
    const response = await api("/.well-known/oauth-protected-resource/mcp");
    expect(await response.json()).toMatchObject({
      resource: "https://api.example/mcp",
      bearer_methods_supported: ["header"],
    });
  });

  it("keys of every scope, and the operator", async () => {
    const counts = new Map<string, number>();
    for (const key of [box.api_key, temporary.api_key, OPERATOR]) {
      for (const revision of REVISIONS) {
        const { result } = await rpc("tools/list", {}, { key, revision });
        counts.set(`${key.slice(0, 3)} ${revision}`, (result["tools"] as unknown[]).length);
      }
    }
    expect([...counts.values()]).toEqual([8, 8, 4, 4]);
    expect((await rpc("tools/list", {}, { key: box.api_key })).result["tools"]).toHaveLength(12);
  });

  it("a key of one mailbox is refused at the address of another", async () => {
    const path = `/mcp?mailbox=${encodeURIComponent(temporary.mailbox)}`;
    const response = await api(path, {
      key: box.api_key,
      json: rpcMessage("tools/call", CALL, {}),
      headers: rpcHeaders("tools/call", CALL, MODERN),
    });
    expect(response.status).toBe(403);
    expect(
      (await rpc("tools/list", {}, { key: box.api_key, path: `/mcp?mailbox=${box.mailbox}` })).status,
    ).toBe(200);
  });

  it.each(["GET", "DELETE", "PUT"])("%s is 405", async (method) => {
    const response = await api("/mcp", { method, key: box.api_key });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  it("a page of another site is refused, of this one not", async () => {
    const list = (headers: Record<string, string>, path = "/mcp", vars: Ask["vars"] = {}) =>
      rpc("tools/list", {}, { key: box.api_key, headers, path, vars });
    expect((await list({ Origin: "https://evil.example" })).status).toBe(403);
    expect((await list({ Origin: "null" })).status).toBe(403);
    expect((await list({ Origin: "https://api.example" })).status).toBe(200);
    const published = { PUBLIC_URL: "https://mail.example.org" };
    expect((await list({}, "/mcp", published)).status).toBe(403);
    expect((await list({}, "https://mail.example.org/mcp", published)).status).toBe(200);
    expect(
      (await list({ Origin: "https://mail.example.org" }, "https://mail.example.org/mcp", published)).status,
    ).toBe(200);
    expect((await list({}, "http://127.0.0.1:8787/mcp", published)).status).toBe(200);
    expect((await list({ Origin: "http://localhost:6274" }, "http://127.0.0.1:8787/mcp")).status).toBe(200);
    expect((await list({}, "http://rebound.example/mcp", { ALLOW_HTTP: "true" })).status).toBe(403);
    expect((await list({}, "http://192.0.2.7:8787/mcp", { ALLOW_HTTP: "true" })).status).toBe(200);
  });

  it("a preflight allows the header fields of the protocol", async () => {
    const { headers } = await api("/mcp", { method: "OPTIONS" });
    expect(headers.get("Access-Control-Allow-Headers")).toContain(
      "MCP-Protocol-Version, Mcp-Method, Mcp-Name",
    );
  });

  it("a message counts as one request, whatever its tool calls", async () => {
    const own = await createMailbox();
    const vars = { REQUEST_LIMIT: "3" };
    await setVariables(own.mailbox, vars);
    const results = [];
    for (let call = 0; call < 4; call += 1)
      results.push(await callTool(own.api_key, "mailbox_status", {}, { vars }));
    expect(results.map(({ isError = false }) => isError)).toEqual([false, false, false, true]);
    expect(results[3]?.value).toMatchObject({
      code: "rate_limited",
      retryable: true,
      retry_after_seconds: expect.any(Number),
    });
    expect((await rpc("tools/list", {}, { key: own.api_key, vars })).status).toBe(429);
  });
});

describe("revisions", () => {
  it("2026-07-28 discovers, and lists can be cached", async () => {
    const { result } = await rpc("server/discover", {}, { key: box.api_key });
    expect(result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
    const list = await rpc("tools/list", {}, { key: box.api_key });
    expect(list.result).toMatchObject({ ttlMs: 300_000, cacheScope: "private", resultType: "complete" });
    expect((await rpc("tools/list", {}, { key: box.api_key })).result).toEqual(list.result);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26"])(
    "%s shakes hands, without a session",
    async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } };
      const { result, headers } = await rpc("initialize", params, {
        key: box.api_key,
        revision: LEGACY,
        headers: { "MCP-Protocol-Version": "" },
      });
      expect(result).toMatchObject({ protocolVersion, serverInfo: { name: "mailkeep" } });
      expect(headers.get("Mcp-Session-Id")).toBeNull();
      expect(
        (await rpc("notifications/initialized", {}, { key: box.api_key, revision: LEGACY, id: null })).status,
      ).toBe(202);
      expect((await rpc("ping", {}, { key: box.api_key, revision: LEGACY })).result).toEqual({});
    },
  );

  it("a client that takes JSON alone is answered in JSON, also where a tool waits", async () => {
    for (const accept of ["application/json", "*/*", ""]) {
      const headers = { Accept: accept };
      const params = { name: "wait_for_code", arguments: { timeout_seconds: 1 } };
      for (const revision of REVISIONS) {
        const answer = await rpc("tools/call", params, {
          key: box.api_key,
          revision,
          headers,
          meta: { progressToken: 1 },
        });
        expect(answer.headers.get("Content-Type")).toContain("application/json");
        expect(answer.result["structuredContent"]).toMatchObject({ code: null });
      }
    }
  });
});

describe("the header fields of a message", () => {
  it("must agree with it", async () => {
    await rpc("tools/call", CALL, { key: box.api_key });
    const call = (asked: RpcAsk, params: object = CALL) =>
      rpc("tools/call", params, { key: box.api_key, ...asked });
    const headers = rpcHeaders("tools/call", CALL, MODERN);
    expect((await call({ headers: { ...headers, "Mcp-Name": "read_mail" } })).status).toBe(400);
    expect((await call({ headers: { ...headers, "Mcp-Method": "tools/list" } })).status).toBe(400);
    expect((await call({ headers: { ...headers, "MCP-Protocol-Version": LEGACY } })).status).toBe(400);
    expect((await call({ meta: { "io.modelcontextprotocol/clientCapabilities": 7 } })).error?.code).toBe(
      -32_602,
    );
    expect((await call({ revision: LEGACY, headers: { "MCP-Protocol-Version": "1999-01-01" } })).status).toBe(
      400,
    );
    expect((await call({}, { name: "check_mail", arguments: [1] })).error?.code).toBe(-32_602);
  });
});

describe("wrong messages", () => {
  it.each([
    ["no JSON", "{", 400, -32_700],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, -32_700],
    ["nothing", "", 400, -32_600],
    ["a number", "7", 400, -32_600],
    ["null", "null", 400, -32_600],
    ["a batch", JSON.stringify([rpcMessage("tools/list", {}, {})]), 400, -32_600],
    ["an empty batch", "[]", 400, -32_600],
    ["no version", '{"id":1,"method":"ping"}', 400, -32_600],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32_600],
    [
      "an id of 257 characters",
      JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(257), method: "ping" }),
      400,
      -32_600,
    ],
    ["an id that is no whole number", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600],
    ["an id beyond all numbers", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', 400, -32_600],
    [
      "a method of 65 characters",
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(65) }),
      400,
      -32_600,
    ],
    ["a method that is a list", '{"jsonrpc":"2.0","id":1,"method":[]}', 400, -32_600],
    ["params that are a list", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', 400, -32_600],
    [
      "33 levels",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(32)}1${"}".repeat(33)}`,
      400,
      -32_700,
    ],
    [
      "10,001 values",
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "ping",
        params: { a: Array.from({ length: 6 }, () => Array(1_999).fill(0)) },
      }),
      400,
      -32_700,
    ],
    [
      "3,100,001 bytes",
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(3_100_000) } }),
      413,
      -32_000,
    ],
  ])("%s is refused", async (_, body, status, code) => {
    const answer = await post(body);
    expect([answer.status, answer.error?.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.error).length).toBeLessThan(400);
  });

  it("takes an id of 256 characters, and a method of 64", async () => {
    const id = "x".repeat(256);
    const answer = await post(JSON.stringify({ jsonrpc: "2.0", id, method: "x".repeat(64) }));
    expect(answer.error).toMatchObject({ code: -32_601 });
  });

  it("takes an email with the longest texts, and refuses what is longer by its own limit", async () => {
    const own = await createMailbox();
    const send = (text: string, html: string) =>
      callTool(own.api_key, "send_mail", { to: box.mailbox, subject: "Long", text, html });
    expect((await send("x".repeat(500_000), '"'.repeat(999_000))).isError).toBeUndefined();
    expect((await send("x".repeat(500_001), "")).value).toMatchObject({
      code: expect.stringMatching(/invalid|too_large/),
    });
  });

  it("refuses another media type", async () => {
    const answer = await post("{}", { headers: { "Content-Type": "text/plain" } });
    expect([answer.status, answer.error?.code]).toEqual([415, -32_000]);
  });

  it("reads no large body of a caller without a right key", async () => {
    let pulled = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
    expect((await post(endless(), { key: WRONG_KEY })).status).toBe(401);
    const before = pulled;
    expect(before).toBeLessThan(5);
    const answer = await post(endless());
    expect(answer.status).toBe(413);
    expect(pulled - before).toBeLessThan(80);
  });

  it.each(REVISIONS)("whatever JSON a client sends, the answer is no server error (%s)", async (revision) => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const method = fc.oneof(
      fc.constantFrom(
        "tools/call",
        "tools/list",
        "initialize",
        "resources/read",
        "prompts/get",
        "notifications/cancelled",
      ),
      fc.string({ maxLength: 20 }),
    );
    const params = fc.oneof(
      value,
      fc.record({
        name: fc.constantFrom("check_mail", "read_mail", "organize", "send_mail"),
        arguments: value,
        _meta: value,
      }),
      fc.record({ name: value, arguments: value, uri: value, requestId: value, protocolVersion: value }),
    );
    const body = fc.oneof(
      value,
      fc.record({ jsonrpc: fc.constant("2.0"), id: value, method, params }, { requiredKeys: ["jsonrpc"] }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status } = await post(JSON.stringify(sent), {
          headers: { "MCP-Protocol-Version": revision },
        });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: runs(100) },
    );
  });

  it.each(REVISIONS)("an unknown method is -32601, and costs no server error (%s)", async (revision) => {
    const { error } = await rpc("no/such", {}, { key: box.api_key, revision });
    expect(error?.code).toBe(-32_601);
    expect(
      (await rpc("subscriptions/listen", { notifications: {} }, { key: box.api_key, revision })).error?.code,
    ).toBe(-32_601);
  });

  it("prototype keys are no tools, arguments or prompts", async () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect((await callTool(box.api_key, name)).answer.error?.code).toBe(-32_602);
    }
    const { value } = await callTool(
      box.api_key,
      "check_mail",
      JSON.parse('{"__proto__":{"limit":1},"constructor":1}') as object,
    );
    expect(value["emails"]).toHaveLength(1);
  });

  it("wrong types of arguments are errors of the tool that name the field", async () => {
    const wrong: [string, object, string][] = [
      ["check_mail", { limit: "x" }, "limit: must be a number"],
      ["check_mail", { limit: 0 }, "limit: must be at least 1"],
      ["check_mail", { unread_since: 1.5 }, "after: must be a whole number of at least 0"],
      ["read_mail", {}, "id: is required"],
      ["read_mail", { id: "x".repeat(65) }, "id: must be at most 64 characters"],
      ["search_mail", { query: "" }, "query: is required (or its alias q)"],
      ["organize", { ids: Array(51).fill("x") }, "ids: must name at most 50 emails"],
      ["send_mail", { to: "nobody", subject: "x", text: "x" }, "to: "],
    ];
    for (const [name, input, text] of wrong) {
      const { isError, value } = await callTool<{ code: string; message: string }>(box.api_key, name, input);
      expect(isError).toBe(true);
      expect(value.code).toBe("invalid");
      expect(value.message).toContain(text);
    }
  });
});
