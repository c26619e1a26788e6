import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { NO_ENDPOINT, problemBody } from "../../src/contract/problem.ts";
import { api, ask, createMailbox, deliver, OPERATOR, plainMessage, type TestMailbox } from "../harness.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let box: TestMailbox;
let email: string;

beforeAll(async () => {
  box = await createMailbox();
  email = (await deliver(box.mailbox, plainMessage())).body.id;
});

afterEach(() => {
  vi.restoreAllMocks();
});

const MAIL = { to: "ann@example.net", subject: "Hello", text: "Hello." };

async function reused(): Promise<Response> {
  const ask = { key: box.api_key, headers: { "Idempotency-Key": "used" } };
  await api("/v1/send", { ...ask, json: MAIL });
  return api("/v1/send", { ...ask, json: { ...MAIL, text: "Other." } });
}

describe("every answer", () => {
  const asked: [string, () => Promise<Response>][] = [
    ["200", () => api("/v1/inbox", { key: box.api_key })],
    ["200 of raw bytes", () => api(`/v1/emails/${email}/raw`, { key: box.api_key })],
    ["200 of a send", () => api("/v1/send", { key: box.api_key, json: MAIL })],
    ["200 of a reply", () => api(`/v1/emails/${email}/reply`, { key: box.api_key, json: { text: "Hi" } })],
    ["200 of /health", () => api("/health")],
    ["200 of /openapi.json", () => api("/openapi.json")],
    ["201", () => api("/v1/keys", { key: box.api_key, method: "POST" })],
    ["201 of an upload", () => api("/v1/attachments?filename=a", { key: box.api_key, body: "a" })],
    ["202", () => api(`/v1/inbound?to=${box.mailbox}`, { key: OPERATOR, body: plainMessage() })],
    ["204 of a preflight", () => api("/v1/inbox", { method: "OPTIONS" })],
    ["400", () => api("/v1/inbox?limit=0", { key: box.api_key })],
    ["401", () => api("/v1/inbox")],
    ["403", () => api("/v1/mailboxes", { key: box.api_key })],
    ["403 over plain http", () => api("http://api.example/v1/inbox")],
    ["404", () => api("/v1/emails/none", { key: box.api_key })],
    ["404 outside /v1", () => api("/nowhere")],
    ["405", () => api("/v1/inbox", { key: box.api_key, method: "PUT" })],
    ["413", () => api("/v1/mailbox", { key: box.api_key, method: "PATCH", body: " ".repeat(300_000) })],
    ["415", () => api("/v1/keys", { key: box.api_key, method: "POST", body: "a=b" })],
    ["422", () => reused()],
    ["501", () => api("/v1/send", { key: box.api_key, json: MAIL, vars: { OUTBOUND: "none" } })],
    ["503", () => api("/v1/me", { key: OPERATOR, vars: { AUTH_TOKEN: "short" } })],
  ];
  it.each(asked)("carries a request id, nosniff, no-store and CORS: %s", async (status, call) => {
    const response = await call();
    await response.arrayBuffer();
    expect(response.status).toBe(Number(status.slice(0, 3)));
    expect(response.headers.get("X-Request-Id")).toMatch(UUID);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    expect(response.headers.get("Set-Cookie")).toBeNull();
  });

  it("carries a request id of its own", async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await api("/health")).headers.get("X-Request-Id")),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it("does not take its request id from the client", async () => {
    const response = await api("/health", { headers: { "X-Request-Id": "mine" } });
    expect(response.headers.get("X-Request-Id")).toMatch(UUID);
  });

  it("is JSON in UTF-8 if it is an error", async () => {
    for (const path of ["/v1/inbox", "/nowhere", "/v1/bootstrap", "http://api.example/v1/inbox"]) {
      const response = await api(path);
      expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
      expect(typeof (await response.json<{ error: unknown }>()).error).toBe("string");
    }
  });
});

describe("a preflight", () => {
  it("allows every origin and the documented methods and headers, without a key", async () => {
    const response = await api("/v1/emails/x", {
      method: "OPTIONS",
      headers: { Origin: "https://app.example", "Access-Control-Request-Method": "PATCH" },
    });
    expect(response.status).toBe(204);
    const words = (name: string) => response.headers.get(name)?.split(", ") ?? [];
    expect(words("Access-Control-Allow-Methods")).toEqual([
      "GET",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "OPTIONS",
    ]);
    expect(words("Access-Control-Allow-Headers")).toEqual([
      "Content-Type",
      "Authorization",
      "Idempotency-Key",
      "Last-Event-ID",
    ]);
  });
});

describe("HEAD", () => {
  it.each(["/v1/inbox", "/v1/me", "/health", "/openapi.json", "/docs", "/v1/emails/none", "/nowhere"])(
    "answers %s as GET does, without a body",
    async (path) => {
      const get = await api(path, { key: box.api_key });
      await get.arrayBuffer();
      const head = await api(path, { key: box.api_key, method: "HEAD" });
      expect(head.status).toBe(get.status);
      expect(head.headers.get("Content-Type")).toBe(get.headers.get("Content-Type"));
      expect(await head.text()).toBe("");
    },
  );

  it("does not consume a code", async () => {
    const own = await createMailbox();
    await deliver(own.mailbox, plainMessage({ subject: "Your code", body: "Your code is 482913" }));
    const path = "/v1/code?consume=true&timeout=1";
    const head = await api(path, { key: own.api_key, method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const first = await ask<{ code: string | null }>(path, { key: own.api_key });
    const second = await ask<{ code: string | null }>(path, { key: own.api_key });
    expect([first.body.code, second.body.code]).toEqual(["482913", null]);
  });

  it("does not poll a claim", async () => {
    const session = crypto.randomUUID();
    const head = await api(`/v1/claim/poll?session=${session}`, { method: "HEAD" });
    expect([head.status, head.headers.get("Allow")]).toEqual([405, "GET"]);
  });

  it("does nothing on a path that only takes POST", async () => {
    expect((await api("/v1/bootstrap", { method: "HEAD" })).status).toBe(405);
  });
});

describe("a server error", () => {
  it("is 500 with the request's id and no details", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const MAILBOX = {
      getByName: () => {
        throw new Error("SELECT secret FROM /internal/path");
      },
    };
    const { status, body, headers } = await ask("/v1/inbox", { key: box.api_key, vars: { MAILBOX } });
    expect(status).toBe(500);
    const request_id = headers.get("X-Request-Id") ?? "";
    expect(body).toEqual(
      problemBody({ code: "internal", error: "Internal server error", extra: { request_id } }),
    );
    expect(log).toHaveBeenCalledOnce();
    expect(JSON.stringify(log.mock.calls)).not.toContain(box.api_key.slice(3));
  });

  it("is 500 if the budget of wrong keys cannot be read, and never grants access", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const CLIENT_BUDGET = {
      getByName: () => {
        throw new Error("gone");
      },
    };
    const { status, body } = await ask("/v1/inbox", {
      key: `mk_${"0".repeat(64)}`,
      vars: { CLIENT_BUDGET },
    });
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: "internal" });
  });
});

describe("plain http", () => {
  it("is refused before any other check, even with a valid key", async () => {
    for (const path of ["/v1/inbox", "/v1/bootstrap", "/health", "/nowhere"]) {
      const { status, body } = await ask(`http://api.example${path}`, { key: box.api_key });
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: "https_required" });
    }
    expect((await api("http://api.example/v1/inbox", { method: "OPTIONS" })).status).toBe(403);
  });

  it.each(["localhost", "localhost:8787", "127.0.0.1:8787", "127.1.2.3", "[::1]:8787"])(
    "is served on loopback: %s",
    async (host) => {
      expect((await api(`http://${host}/v1/inbox`, { key: box.api_key })).status).toBe(200);
    },
  );

  it.each(["127.0.0.1.example", "localhost.example", "0.0.0.0", "10.0.0.1", "[::2]", "1.127.0.0"])(
    "is refused on what only looks like loopback: %s",
    async (host) => {
      expect((await api(`http://${host}/v1/inbox`, { key: box.api_key })).status).toBe(403);
    },
  );

  it("is served only if ALLOW_HTTP is clearly true", async () => {
    const url = "http://api.example/v1/inbox";
    expect((await api(url, { key: box.api_key, vars: { ALLOW_HTTP: "true" } })).status).toBe(200);
    expect((await api(url, { key: box.api_key, vars: { ALLOW_HTTP: "false" } })).status).toBe(403);
    expect((await api(url, { key: box.api_key, vars: { ALLOW_HTTP: "" } })).status).toBe(403);
    expect((await api(url, { key: box.api_key, vars: { ALLOW_HTTP: "perhaps" } })).status).toBe(503);
  });

  it("is not treated as https because of a header", async () => {
    const headers = { "X-Forwarded-Proto": "https", Forwarded: "proto=https" };
    expect((await api("http://api.example/v1/inbox", { key: box.api_key, headers })).status).toBe(403);
  });
});

describe("a deployment with an invalid setting", () => {
  it.each([
    ["MAIL_DOMAIN", "no domain"],
    ["MAIL_DOMAIN", "127.0.0.1"],
    ["MAIL_DOMAIN", "me@agents.example"],
    ["DKIM_DOMAIN", "_x.agents.example"],
    ["AUTH_TOKEN", "x".repeat(31)],
    ["KEY_SECRET", "y".repeat(31)],
    ["WEBHOOK_SECRET", "z".repeat(15)],
    ["WEBHOOK_SECRET_PREVIOUS", "z".repeat(15)],
    ["ALLOW_PRIVATE_WEBHOOKS", "sometimes"],
    ["DOH_URL", "ftp://resolver.example/"],
    ["MAIL_HOST", "mx1.example.com,127.0.0.1"],
    ["MAIL_HOST", ","],
    ["SPF_MECHANISMS", 'include:x" "y'],
    ["EVENT_RETENTION_DAYS", "3651"],
    ["TRUST_CLIENT_ADDRESS", "perhaps"],
    ["BAD_KEY_LIMIT", "many"],
    ["REQUEST_LIMIT", "many"],
    ["MODEL_SEARCH_LIMIT", "-1"],
    ["BOOTSTRAP_PER_HOUR", "-1"],
    ["PUBLIC_URL", "not a url"],
    ["BOOTSTRAP", "maybe"],
    ["MAILBOX_QUOTA_BYTES", "5 GB"],
  ])("answers 503 that names %s and not its value", async (name, value) => {
    const { status, body } = await ask<{ error: string; code: string }>("/health", {
      vars: { [name]: value },
    });
    expect(status).toBe(503);
    expect(body.code).toBe("misconfigured");
    expect(body.error).toContain(name);
    expect(body.error).not.toContain(value);
  });

  it("is not reported for the variables of the tests", async () => {
    expect(env.MAIL_DOMAIN).toBe("mailkeep.test");
    expect((await ask("/health")).body).toMatchObject({ status: "ok", worker: "mailkeep" });
  });
});

describe("an unknown path", () => {
  it("is 401 without a valid key, 404 with one, for every method", async () => {
    for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
      expect((await api("/v1/nowhere", { method })).status).toBe(401);
      expect((await api("/v1/nowhere", { method, key: `mk_${"0".repeat(64)}` })).status).toBe(401);
      const known = await ask("/v1/nowhere", { method, key: box.api_key });
      expect([known.status, known.body]).toEqual([404, problemBody(NO_ENDPOINT)]);
      expect((await api("/v1/nowhere", { method, key: OPERATOR })).status).toBe(404);
    }
  });

  it("is 404 without a key outside /v1", async () => {
    expect((await api("/nowhere")).status).toBe(404);
    expect((await api("/v2/inbox")).status).toBe(404);
    expect((await api("/docs/nothing.js")).status).toBe(404);
  });

  it.each(["/v1/inbox/", "//v1/inbox", "/v1//inbox", "/V1/inbox", "/v1/emails//raw"])(
    "never serves a near miss: %s",
    async (path) => {
      const response = await api(`https://api.example${path}`, { key: box.api_key });
      expect(response.status).toBe(404);
    },
  );
});

describe("a known path with the wrong method", () => {
  it.each([
    ["PUT", "/v1/inbox", "GET"],
    ["POST", "/v1/me", "GET"],
    ["GET", "/v1/mailbox/resume", "PATCH"],
    ["POST", "/v1/mailbox/resume", "PATCH"],
    ["POST", "/v1/mailbox", "DELETE, GET, PATCH"],
    ["PUT", "/v1/emails/some-id", "DELETE, GET, PATCH"],
    ["DELETE", "/v1/keys", "GET, POST"],
    ["PUT", "/v1/mailboxes", "GET, POST"],
    ["POST", "/v1/mailboxes/a@b.c", "DELETE, GET"],
    ["GET", "/v1/attachments", "POST"],
  ])("is 405 with Allow: %s %s", async (method, path, allow) => {
    const answer = await ask(path, { method, key: box.api_key });
    expect(answer.status).toBe(405);
    expect(answer.body).toMatchObject({ code: "method_not_allowed" });
    expect(answer.headers.get("Allow")?.split(", ").toSorted().join(", ")).toBe(allow);
  });

  it("is 401 without a valid key, but 405 at once on a path that needs none", async () => {
    expect((await api("/v1/inbox", { method: "PUT" })).status).toBe(401);
    const open = await api("/v1/bootstrap");
    expect([open.status, open.headers.get("Allow")]).toEqual([405, "POST"]);
  });
});

describe("the order of checks", () => {
  const BAD_BODY = { method: "POST", body: "{", headers: { "Content-Type": "application/json" } };

  it("is transport, key, method, scope, other mailbox, paused, input", async () => {
    const paused = await createMailbox();
    await ask("/v1/mailbox/pause", { key: paused.api_key, method: "PATCH" });
    const other = "mailbox=x@elsewhere.example";
    const from = (path: string, extra = {}) => ask(path, { key: paused.api_key, ...extra });
    expect((await ask(`http://api.example/v1/keys?${other}`, BAD_BODY)).body).toMatchObject({
      code: "https_required",
    });
    expect((await ask(`/v1/keys?${other}`, BAD_BODY)).status).toBe(401);
    expect((await from(`/v1/inbox?${other}`, BAD_BODY)).status).toBe(405);
    expect((await from(`/v1/mailboxes?${other}`, BAD_BODY)).body).toMatchObject({
      code: "insufficient_scope",
    });
    expect((await from(`/v1/keys?${other}`, BAD_BODY)).body).toMatchObject({ error: "forbidden" });
    expect((await from("/v1/keys", BAD_BODY)).body).toEqual({ error: "Mailbox is paused" });
    await ask("/v1/mailbox/resume", { key: paused.api_key, method: "PATCH" });
    expect((await from("/v1/keys", BAD_BODY)).status).toBe(400);
    expect((await from("/v1/keys")).status).toBe(200);
  });
});

describe("an unknown path", () => {
  it("is 403 while the mailbox is paused, for its key and for an operator who names it, and 404 again after", async () => {
    const { mailbox, api_key } = await createMailbox();
    const calls: [key: string, path: string][] = [
      [api_key, "/v1/nothing"],
      [OPERATOR, `/v1/nothing?mailbox=${mailbox}`],
    ];
    const statuses = async () =>
      Promise.all(calls.map(async ([key, path]) => (await ask(path, { key })).status));
    expect(await statuses()).toEqual([404, 404]);
    await ask("/v1/mailbox/pause", { key: api_key, method: "PATCH" });
    expect(await statuses()).toEqual([403, 403]);
    const { body, headers } = await ask("/v1/nothing", { key: api_key });
    expect(body).toEqual({ error: "Mailbox is paused" });
    expect(headers.get("Mailkeep-Fix")).toContain("PATCH /v1/mailbox/resume");
    expect((await ask("/v1/nothing", { key: OPERATOR })).status).toBe(404);
    expect((await ask("/v1/nothing")).status).toBe(401);
    await ask("/v1/mailbox/resume", { key: api_key, method: "PATCH" });
    expect(await statuses()).toEqual([404, 404]);
  });

  it("is 404 for an operator who names a mailbox that does not exist, and 405 where only the method is wrong", async () => {
    for (const named of ["nobody-here@mailkeep.test", "nonsense"]) {
      expect((await ask(`/v1/nothing?mailbox=${named}`, { key: OPERATOR })).body).toMatchObject({
        error: "Endpoint not found",
      });
      expect((await ask(`/v1/inbox?mailbox=${named}`, { key: OPERATOR, method: "PUT" })).status).toBe(405);
    }
  });
});

describe("what needs no credential", () => {
  it("is /health, /openapi.json and /docs", async () => {
    expect((await ask("/health")).body).toMatchObject({ status: "ok" });
    expect((await ask("/openapi.json")).body).toMatchObject({ openapi: "3.1.0" });
    const docs = await api("/docs");
    expect(docs.status).toBe(200);
    const page = await docs.text();
    expect(docs.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(docs.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
