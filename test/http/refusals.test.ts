import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ProblemBody, STATUS, type ProblemCode } from "../../src/contract/problem.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { routes, type RouteId } from "../../src/contract/routes.ts";
import { openApi } from "../../src/http/openapi.ts";
import { adviceFault } from "../answer-schema.ts";
import {
  advance,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  deliver,
  message,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  setVariables,
  type Ask,
  type TestMailbox,
} from "../harness.ts";

let box: TestMailbox;
let temporary: TestMailbox;
let paused: TestMailbox;

const DAY_MS = 86_400_000;
const MAIL = { to: "ann@example.net", subject: "Hello", text: "Hello." };
const OPEN = { CLAIM_APPROVAL: "open" };

beforeAll(async () => {
  box = await createMailbox();
  temporary = await bootstrap();
  paused = await createMailbox();
  await ask("/v1/mailbox/pause", { key: paused.api_key, method: "PATCH" });
});
afterEach(() => {
  resetClock();
  vi.restoreAllMocks();
});

const all = Object.entries<RouteSpec>(routes).filter(([, { path }]) => path.startsWith("/v1/")) as [
  RouteId,
  RouteSpec,
][];
const inFull = ({ path }: RouteSpec, id = "none") => path.replaceAll(/:\w+/g, id);
const own = (path: string, asked: Ask = {}) => api(path, { key: box.api_key, ...asked });

/** Reads a refusal; the harness checks its schema, its advice, and that the header has the same advice. */
async function refusalOf(response: Response): Promise<{ status: number; code: string; fix: string }> {
  const body = ProblemBody.parse(await response.json());
  const fix = response.headers.get("Mailkeep-Fix") ?? "";
  expect(fix).toMatch(/^[\x20-\x7e]{10,500}$/);
  return { status: response.status, code: body.code ?? "", fix };
}

async function reused(): Promise<Response> {
  const headers = { "Idempotency-Key": "used" };
  await own("/v1/send", { json: MAIL, headers });
  return own("/v1/send", { json: { ...MAIL, text: "Other." }, headers });
}

async function fileOutOfRange(): Promise<Response> {
  const mail = message(
    ["Subject: A file", 'Content-Disposition: attachment; filename="a.bin"', "Content-Type: application/x"],
    "0123",
  );
  const { id } = (await deliver(box.mailbox, mail)).body;
  const email = await ask<{ attachments: { id: string }[] }>(`/v1/emails/${id}`, { key: box.api_key });
  return own(`/v1/attachments/${email.body.attachments[0]?.id}`, { headers: { Range: "bytes=999-" } });
}

async function full(): Promise<Response> {
  const other = await createMailbox();
  await setVariables(other.mailbox, { MAILBOX_QUOTA_BYTES: "0" });
  return api("/v1/attachments?filename=a.bin", { key: other.api_key, body: "0123" });
}

async function startedClaim(vars: Ask["vars"]): Promise<string> {
  const headers = { "CF-Connecting-IP": clientAddress() };
  const name = `refused-${crypto.randomUUID().slice(0, 8)}`;
  const { body } = await ask<{ device_code: string }>("/v1/claim/start", { json: { name }, headers, vars });
  return body.device_code;
}

const confirm = (code: string, vars: Ask["vars"], origin = "https://api.example") =>
  api("/v1/claim/confirm", {
    json: { device_code: code },
    headers: { Origin: origin, "CF-Connecting-IP": clientAddress() },
    vars,
  });

function failing(): Promise<Response> {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const getByName = () => {
    throw new Error("no object");
  };
  return own("/v1/inbox", { vars: { MAILBOX: { getByName } } });
}

async function tooMany(): Promise<Response> {
  const headers = { "CF-Connecting-IP": clientAddress() };
  const vars = { BOOTSTRAP_PER_HOUR: "0" };
  return api("/v1/bootstrap", { method: "POST", headers, vars });
}

/** No room for a mail is a temporary refusal: its sender tries again. */
async function noRoomForMail(): Promise<Response> {
  const other = await createMailbox();
  await setVariables(other.mailbox, { MAILBOX_QUOTA_BYTES: "0" });
  return api(`/v1/inbound?to=${other.mailbox}`, { key: OPERATOR, body: plainMessage() });
}

/** A mail that the rules of its mailbox refuse. */
async function againstRules(receive: unknown, headers: string[] = []): Promise<Response> {
  const other = await createMailbox();
  await api("/v1/mailbox/rules", { key: other.api_key, method: "PUT", json: { receive } });
  return api(`/v1/inbound?to=${other.mailbox}`, {
    key: OPERATOR,
    body: plainMessage({ headers }),
    vars: { AUTHSERV_ID: "mx.test" },
  });
}

/** A real refusal of each code. One without a call does not compile. */
const REFUSED: Record<ProblemCode, { call: () => Promise<Response>; fix: RegExp }> = {
  unauthorized: { call: () => api("/v1/inbox"), fix: /Authorization: Bearer .*POST \/v1\/bootstrap/ },
  wrong_mailbox: {
    call: () => own("/v1/inbox?mailbox=x@elsewhere.example"),
    fix: /^Leave the other address out/,
  },
  wrong_sender: {
    call: () => own("/v1/send", { json: { ...MAIL, from: "x@elsewhere.example" } }),
    fix: /^Leave `from` out/,
  },
  paused: { call: () => api("/v1/inbox", { key: paused.api_key }), fix: /PATCH \/v1\/mailbox\/resume/ },
  insufficient_scope: {
    call: () => api("/v1/send", { key: temporary.api_key, json: MAIL }),
    fix: /POST \/v1\/claim\/start .*open its verification_uri_complete \(https:\/\/api\.example\/claim\?code=/,
  },
  https_required: { call: () => api("http://api.example/v1/inbox"), fix: /over https/ },
  foreign_origin: {
    call: async () => confirm(await startedClaim(OPEN), OPEN, "https://evil.example"),
    fix: /page of the deployment/,
  },
  sign_in_required: {
    call: async () => confirm(await startedClaim({}), {}),
    fix: /POST \/operator\/session/,
  },
  challenge_failed: {
    call: async () => {
      const vars = { ...OPEN, TURNSTILE_SITE_KEY: "site", TURNSTILE_SECRET_KEY: "secret" };
      return confirm(await startedClaim(vars), vars);
    },
    fix: /solve its challenge/,
  },
  invalid: { call: () => own("/v1/inbox?limit=0&offset=x"), fix: /^Correct `limit`, `offset`, then repeat/ },
  not_found: { call: () => own("/v1/emails/none"), fix: /GET \/v1\/inbox or GET \/v1\/search/ },
  method_not_allowed: {
    call: () => own("/v1/keys", { method: "DELETE" }),
    fix: /^Call (?:GET or POST|POST or GET) \/v1\/keys\.$/,
  },
  conflict: {
    call: () => own("/v1/webhook/test", { json: {} }),
    fix: /PATCH \/v1\/mailbox with \{"webhook_url"/,
  },
  gone: {
    call: async () => {
      const other = await createMailbox();
      await deliver(other.mailbox, plainMessage());
      advance(20 * DAY_MS);
      await deliver(other.mailbox, plainMessage());
      advance(11 * DAY_MS);
      await ringAlarm(other.mailbox);
      return api("/v1/changes?after=0", { key: other.api_key });
    },
    fix: /GET \/v1\/inbox, then repeat the call with after=1:/,
  },
  too_large: {
    call: () => own("/v1/mailbox", { method: "PATCH", body: " ".repeat(300_000) }),
    fix: /at most 262144 bytes/,
  },
  unsupported_media_type: {
    call: () => own("/v1/keys", { method: "POST", body: "a=b" }),
    fix: /Content-Type: application\/json/,
  },
  key_reused: { call: reused, fix: /new Idempotency-Key/ },
  sender_blocked: {
    call: () => againstRules({ mode: "everyone", block: [{ match: "example.com" }] }),
    fix: /GET \/v1\/refused/,
  },
  sender_not_listed: { call: () => againstRules({ mode: "listed" }), fix: /GET \/v1\/refused/ },
  sender_not_verified: { call: () => againstRules({ mode: "verified" }), fix: /GET \/v1\/refused/ },
  sender_not_checked: {
    call: () => againstRules({ mode: "verified" }, ["Authentication-Results: mx.test; dmarc=temperror"]),
    fix: /^Hand the message over again later.*GET \/v1\/refused/,
  },
  range_not_satisfiable: { call: fileOutOfRange, fix: /within the first \d+ bytes/ },
  rate_limited: { call: tooMany, fix: /in \d+ s/ },
  internal: { call: failing, fix: /request_id/ },
  not_implemented: {
    call: () => own("/v1/send", { json: MAIL, vars: { OUTBOUND: "none" } }),
    fix: /operator .*OUTBOUND/,
  },
  unavailable: { call: noRoomForMail, fix: /^Wait 3600 s, then repeat the call\.$/ },
  misconfigured: { call: () => own("/v1/me", { vars: { AUTH_TOKEN: "short" } }), fix: /Tell the operator/ },
  mailbox_full: { call: full, fix: /DELETE \/v1\/emails\/<id>/ },
};

describe("a refusal", () => {
  const codes = Object.entries(REFUSED) as [ProblemCode, (typeof REFUSED)[ProblemCode]][];
  it.each(codes)("says what to do next: %s", async (code, { call, fix }) => {
    const refusal = await refusalOf(await call());
    expect(refusal).toMatchObject({ status: STATUS[code], fix: expect.stringMatching(fix) as string });
    // Two bodies are exact and have no code.
    expect([code, ""]).toContain(refusal.code);
  });

  it("has a code of the list in /openapi.json", () => {
    const { components } = openApi("https://api.example") as {
      components: { schemas: { Problem: { properties: { code: { enum: string[] } } } } };
    };
    expect(components.schemas.Problem.properties.code.enum).toEqual(Object.keys(STATUS));
  });

  it("is not believed without advice", () => {
    const complete = { error: "No", fix: "Take an id from GET /v1/keys.", retryable: false };
    expect(adviceFault(complete)).toBeNull();
    expect(adviceFault({ ...complete, fix: undefined })).toContain("`fix`");
    expect(adviceFault({ ...complete, retryable: undefined })).toContain("`retryable`");
    expect(adviceFault({ ...complete, fix: "Take an id from GET /v1/nowhere." })).toContain("nothing serves");
    expect(adviceFault({ ...complete, fix: "x".repeat(501) })).toContain("longer");
  });
});

describe("every route", () => {
  const guarded = all.filter(([, { target }]) => target !== "public");

  it.each(guarded)("says where to get a key: %s", async (_, spec) => {
    const refusal = await refusalOf(await api(inFull(spec), { method: spec.method }));
    expect(refusal).toMatchObject({ code: "unauthorized", fix: expect.stringContaining("/v1/bootstrap") });
  });

  it.each(all)("names the methods of its path: %s", async (_, spec) => {
    const refusal = await refusalOf(await own(inFull(spec), { method: "PROPFIND" }));
    expect(refusal).toMatchObject({ code: "method_not_allowed", fix: expect.stringMatching(/^Call [A-Z]+/) });
    expect(refusal.fix).toContain(spec.method);
  });

  const closed = guarded.filter(([, { scopes }]) => !scopes.includes("provisional"));
  it.each(closed)("names to a temporary mailbox the key that may call it: %s", async (_, spec) => {
    const refusal = await refusalOf(await api(inFull(spec), { method: spec.method, key: temporary.api_key }));
    const way = spec.scopes.includes("mailbox") ? "/v1/claim/start" : "operator's key";
    expect(refusal).toMatchObject({ code: "insufficient_scope", fix: expect.stringContaining(way) });
  });

  const byId = guarded.filter(([, { path, target }]) => path.includes(":") && target === "mailbox");
  it.each(byId)("names the listing that has the ids: %s", async (id, spec) => {
    const needed: Partial<Record<RouteId, unknown>> = {
      labelEmail: { add_labels: ["x"] },
      reply: { text: "x" },
      forward: { to: "ann@example.net" },
    };
    const json = needed[id];
    const asked = { method: spec.method, ...(json === undefined ? {} : { json }) };
    const refusal = await refusalOf(await own(inFull(spec), asked));
    expect(refusal).toMatchObject({ code: "not_found", fix: expect.stringMatching(/^Take .* GET \/v1\//) });
  });

  const withBody = all.filter(([, { body }]) => body !== null);
  it.each(withBody)("names what is wrong with a body: %s", async (_, spec) => {
    const headers = { "Content-Type": "application/json", "CF-Connecting-IP": clientAddress() };
    const key = spec.target === "deployment" ? OPERATOR : box.api_key;
    const refusal = await refusalOf(
      await api(inFull(spec), { key, method: spec.method, body: "[1", headers }),
    );
    expect(refusal).toMatchObject({ code: "invalid", fix: expect.stringContaining("JSON") });
  });

  const withLimit = all.filter(([, { query }]) => "limit" in query.shape);
  it.each(withLimit)("names the parameter to correct: %s", async (_, spec) => {
    const key = spec.target === "deployment" ? OPERATOR : box.api_key;
    const refusal = await refusalOf(await api(`${inFull(spec)}?limit=0`, { key, method: spec.method }));
    expect(refusal).toMatchObject({ code: "invalid", fix: expect.stringContaining("`limit`") });
  });
});

describe("a deployment without temporary mailboxes", () => {
  it("names the claim to a caller without a key", async () => {
    const vars = { BOOTSTRAP: "false" };
    const { fix } = await refusalOf(await api("/v1/inbox", { vars }));
    expect(fix).toContain("POST /v1/claim/start");
    expect(fix).not.toContain("/v1/bootstrap");
  });
});
