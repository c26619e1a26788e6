import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import {
  attemptDelivery,
  MAX_ANSWER_CHARS,
  type AttemptRequest,
  type AttemptTools,
} from "../../src/webhooks/attempt.ts";

const servers: Server[] = [];

/** Starts a target on loopback that answers as told; returns its address. */
async function target(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/hook`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Longer than any answer of a loopback server takes, so that only what hangs runs into it. */
const PATIENT_MS = 20_000;
const HURRIED_MS = 300;

const tools = (more: Partial<AttemptTools> = {}): AttemptTools => ({
  fetch,
  now: () => 0,
  allowPrivate: true,
  resolve: null,
  timeoutMs: PATIENT_MS,
  ...more,
});

const post = (url: string, more: Partial<AttemptRequest> = {}): AttemptRequest => ({
  url,
  headers: { "webhook-id": "evt_1" },
  body: '{"subject":"Grüße 👋"}',
  ...more,
});

const neverFetch: typeof fetch = () => Promise.reject(new Error("fetched"));

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    request.on("error", reject);
  });
}

const status =
  (code: number, headers: Record<string, string> = {}, body = ""): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end(body);

describe("an attempt", () => {
  it.each([200, 201, 202, 299])("succeeds on %d", async (code) => {
    const url = await target(status(code, {}, "thanks"));
    expect(await attemptDelivery(post(url), tools())).toEqual({
      ok: true,
      status: code,
      error: null,
      durationMs: 0,
      answer: "thanks",
    });
  });

  it("succeeds on 204, which has no body", async () => {
    const url = await target(status(204));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ ok: true, status: 204, answer: "" });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])("fails on %d", async (code) => {
    const url = await target(status(code, { "Retry-After": "1" }, "no"));
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: false, status: code, error: "status", answer: "no" });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])("fails on %d and never follows it", async (code) => {
    let asked = 0;
    const next = await target((_, response) => {
      asked += 1;
      response.end();
    });
    const url = await target(status(code, { Location: next }));
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: false, status: code, error: "redirect" });
    expect(asked).toBe(0);
  });

  it("posts exactly the body and the headers it was given, as JSON, and no credentials", async () => {
    const seen: { method?: string; headers: IncomingMessage["headers"]; body: string }[] = [];
    const url = await target((request, response) => {
      void readBody(request).then((body) => {
        seen.push({ method: request.method, headers: request.headers, body });
        response.end();
      });
    });
    const headers = {
      "webhook-id": "evt_1",
      "User-Agent": "Mailkeep/1",
      "X-Webhook-Event": "message.received",
    };
    await attemptDelivery(post(url, { headers }), tools());
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: "POST",
      body: post(url).body,
      headers: {
        "webhook-id": "evt_1",
        "user-agent": "Mailkeep/1",
        "x-webhook-event": "message.received",
        "content-type": "application/json",
        "accept-encoding": "identity",
      },
    });
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain("authorization");
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain("cookie");
  });

  it("measures its duration by the given clock, and never reports a negative one", async () => {
    const url = await target(status(200));
    const clock = (times: number[]) => () => times.shift() ?? 0;
    expect(await attemptDelivery(post(url), tools({ now: clock([5, 47]) }))).toMatchObject({
      durationMs: 42,
    });
    expect(await attemptDelivery(post(url), tools({ now: clock([47, 5]) }))).toMatchObject({ durationMs: 0 });
  });

  it("calls fetch as a plain function, as workerd demands", async () => {
    const seen: unknown[] = [];
    const plain = function (this: unknown): Promise<Response> {
      seen.push(this);
      return Promise.resolve(new Response("ok"));
    };
    const url = "http://127.0.0.1:1/";
    expect(await attemptDelivery(post(url), tools({ fetch: plain }))).toMatchObject({ ok: true });
    expect(seen).toEqual([undefined]);
  });
});

describe("an attempt at a target that does not answer", () => {
  it("times out when nothing comes", async () => {
    const url = await target(() => undefined);
    const result = await attemptDelivery(post(url), tools({ timeoutMs: HURRIED_MS }));
    expect(result).toMatchObject({ ok: false, status: null, error: "timeout", answer: "" });
  });

  it("times out with a fetch that does not heed its signal", async () => {
    const deaf: typeof fetch = () => new Promise<never>(() => undefined);
    const result = await attemptDelivery(
      post("http://127.0.0.1:1/"),
      tools({ fetch: deaf, timeoutMs: HURRIED_MS }),
    );
    expect(result).toMatchObject({ ok: false, status: null, error: "timeout" });
  });

  it("times out with a resolver that never answers", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const result = await attemptDelivery(
      post("https://hooks.example.com/"),
      tools({ fetch: neverFetch, allowPrivate: false, resolve, timeoutMs: HURRIED_MS }),
    );
    expect(result).toMatchObject({ ok: false, status: null, error: "timeout" });
  });

  it("fails when the connection is reset", async () => {
    const url = await target((request) => request.socket.resetAndDestroy());
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: false, status: null, error: "connection", answer: "" });
  });

  it("fails when nothing listens", async () => {
    const url = await target(status(200));
    const server = servers.pop();
    await new Promise((closed) => server?.close(closed));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ ok: false, error: "connection" });
  });

  it("fails when the answer is not HTTP", async () => {
    const url = await target((request) => request.socket.end("220 mail.example.com ESMTP\r\n"));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ ok: false, error: "connection" });
  });

  it("fails on 100 kB of headers", async () => {
    const url = await target(status(200, { "X-Large": "a".repeat(100_000) }));
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: false, status: null, error: "connection", answer: "" });
  });

  it("fails, and does not throw, on a header that cannot be sent", async () => {
    const url = await target(status(200));
    const headers = { "X-Webhook-Id": "a\r\nb: c" };
    expect(await attemptDelivery(post(url, { headers }), tools())).toMatchObject({ error: "connection" });
  });
});

describe("the answer", () => {
  /** Writes the same part until the peer goes away; tells how many bytes it got rid of. */
  function endless(response: ServerResponse, part: Buffer, sent: { bytes: number }): void {
    const write = (): void => {
      while (!response.destroyed && response.write(part)) sent.bytes += part.length;
    };
    response.on("drain", write);
    write();
  }

  it("is kept to 500 characters, not octets", async () => {
    const url = await target(status(500, {}, "👋".repeat(2_000)));
    const { answer } = await attemptDelivery(post(url), tools());
    expect(answer).toBe("👋".repeat(MAX_ANSWER_CHARS));
  });

  it("is kept whole up to 500 characters", async () => {
    const url = await target(status(500, {}, "é".repeat(MAX_ANSWER_CHARS)));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ answer: "é".repeat(MAX_ANSWER_CHARS) });
  });

  it("may be bytes that are no text", async () => {
    const url = await target((_, response) => response.end(Buffer.from([0x61, 0xff, 0x62])));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ ok: true, answer: "a\ufffdb" });
  });

  it("is cancelled when it does not end", async () => {
    const sent = { bytes: 0 };
    const gone = Promise.withResolvers<void>();
    const url = await target((_, response) => {
      response.on("close", () => gone.resolve());
      endless(response, Buffer.alloc(16_384, "x"), sent);
    });
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: true, status: 200, answer: "x".repeat(MAX_ANSWER_CHARS) });
    await gone.promise;
    // The sockets' buffers took some more.
    expect(sent.bytes).toBeLessThan(30_000_000);
  });

  it("is read no further than 64 KiB and one chunk", async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_024));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const send: typeof fetch = () => Promise.resolve(new Response(body));
    expect(await attemptDelivery(post("http://127.0.0.1:1/"), tools({ fetch: send }))).toMatchObject({
      ok: true,
    });
    expect(pulled).toBeLessThanOrEqual(66);
    expect(cancelled).toBe(true);
  });

  it("is cut off when it is a gzip bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));
    const url = await target((_, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(bomb);
    });
    const result = await attemptDelivery(post(url), tools());
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.answer.length).toBeLessThanOrEqual(MAX_ANSWER_CHARS);
  });

  it("is empty if its Content-Encoding is wrong, and the status counts", async () => {
    const url = await target(status(200, { "Content-Encoding": "gzip" }, "no gzip"));
    expect(await attemptDelivery(post(url), tools())).toMatchObject({ ok: true, status: 200, answer: "" });
  });

  it("may break off or hang: the status counts", async () => {
    const broken = await target((request, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("begun", () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    expect(await attemptDelivery(post(broken), tools())).toMatchObject({
      ok: true,
      status: 200,
      error: null,
    });
    const hanging = await target((_, response) => {
      response.writeHead(500).write("begun");
    });
    const result = await attemptDelivery(post(hanging), tools({ timeoutMs: HURRIED_MS }));
    expect(result).toMatchObject({ ok: false, status: 500, error: "status", answer: "begun" });
  });
});

describe("the target of an attempt", () => {
  const strict = (resolve: AttemptTools["resolve"] = null) =>
    tools({ fetch: neverFetch, allowPrivate: false, resolve });

  it.each([
    "http://hooks.example.com/",
    "https://127.0.0.1/",
    "https://2852039166/",
    "https://localhost/",
    "https://hooks.example.com:25/",
    "https://a@hooks.example.com/",
    "nonsense",
  ])("is refused without a connection when it is %j", async (url) => {
    expect(await attemptDelivery(post(url), strict())).toEqual({
      ok: false,
      status: null,
      error: "not_public",
      durationMs: 0,
      answer: "",
    });
  });

  it("is refused without a connection if its name now leads to a private address", async () => {
    const answers = [["8.8.8.8"], ["8.8.8.8", "169.254.169.254"]];
    const resolve = () => Promise.resolve(answers.shift() ?? []);
    let fetched = 0;
    const send: typeof fetch = () => {
      fetched += 1;
      return Promise.resolve(new Response("ok"));
    };
    const request = post("https://hooks.example.com/");
    const rebound = tools({ fetch: send, allowPrivate: false, resolve });
    expect(await attemptDelivery(request, rebound)).toMatchObject({ ok: true });
    expect(await attemptDelivery(request, rebound)).toMatchObject({ ok: false, error: "not_public" });
    expect(fetched).toBe(1);
  });

  it("counts as out of reach when its name has no address", async () => {
    const request = post("https://hooks.example.com/");
    const none = await attemptDelivery(
      request,
      strict(() => Promise.resolve([])),
    );
    const unknown = await attemptDelivery(
      request,
      strict(() => Promise.reject(new Error("ENOTFOUND"))),
    );
    for (const result of [none, unknown]) {
      expect(result).toMatchObject({ ok: false, status: null, error: "connection" });
    }
  });

  it("is not looked up for local work", async () => {
    const url = await target(status(200));
    const resolve = () => Promise.reject(new Error("asked"));
    expect(await attemptDelivery(post(url), tools({ resolve }))).toMatchObject({ ok: true });
  });
});
