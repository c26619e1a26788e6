import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import { QUARANTINE_MS } from "../../src/contract/limits.ts";
import {
  advance,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  OPERATOR,
  resetClock,
  rowsOf,
  setClock,
} from "../harness.ts";

const OPEN = { CLAIM_APPROVAL: "open" };
const OWN = { Origin: "https://api.example" };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const KEY = /^mk_[0-9a-f]{64}$/;

// Wrong codes of one test must not count in another.
beforeEach(() =>
  runInDurableObject(env.CLIENT_BUDGET.getByName("all"), (_, state) => state.storage.deleteAll()),
);

afterEach(() => {
  resetClock();
  vi.restoreAllMocks();
});

let named = 0;
const newName = () => `claim-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;

/** A new client address for each test, because budgets are counted by address. */
const from = (address = clientAddress()) => ({ "CF-Connecting-IP": address });

async function start(
  name = newName(),
  request: {
    headers?: Record<string, string>;
    key?: string;
    json?: object;
    vars?: Record<string, unknown>;
  } = {},
) {
  return ask<StartedClaim & { error?: string }>("/v1/claim/start", {
    key: request.key,
    json: { name, ...request.json },
    headers: { ...from(), ...request.headers },
    vars: { ...OPEN, ...request.vars },
  });
}

async function started(name?: string): Promise<StartedClaim> {
  const told = await start(name);
  expect(told.status).toBe(201);
  return told.body;
}

const poll = ({ session_id }: Pick<StartedClaim, "session_id">, vars: Record<string, unknown> = OPEN) =>
  ask<PolledClaim & { code?: string }>(`/v1/claim/poll?session=${session_id}`, { headers: from(), vars });

async function confirm(
  json: Record<string, unknown>,
  { headers = OWN, vars = {} }: { headers?: Record<string, string>; vars?: Record<string, unknown> } = {},
) {
  return ask<{ status?: string; mailbox?: string; error?: string; code?: string }>("/v1/claim/confirm", {
    json,
    headers: { ...from(), ...headers },
    vars: { ...OPEN, ...vars },
  });
}

const approve = ({ device_code }: StartedClaim) => confirm({ device_code });
const objectOf = ({ device_code }: StartedClaim) => env.CLAIM_SESSION.getByName(device_code);

describe("POST /v1/claim/start", () => {
  it("answers everything that an agent needs to show and to poll", async () => {
    const { status, body } = await start("Billing-Of-Ann");
    expect(status).toBe(201);
    expect(body).toEqual({
      session_id: expect.stringMatching(UUID) as string,
      device_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/) as string,
      name: "billing-of-ann",
      mailbox: "billing-of-ann@mailkeep.test",
      verification_uri: "https://api.example/claim",
      verification_uri_complete: expect.stringMatching(
        new RegExp(`^https://api\\.example/claim\\?code=${body.device_code}&proof=[0-9a-f]{32}$`),
      ) as string,
      expires_in: 600,
      interval: 2,
      keep_mail: false,
    });
    expect(body.verification_uri_complete).not.toContain(body.session_id);
  });

  it("shows addresses as clients see them", async () => {
    const { body } = await start(newName(), { vars: { PUBLIC_URL: "https://mail.example/" } });
    expect(body.verification_uri).toBe("https://mail.example/claim");
  });

  it("creates no mailbox by itself", async () => {
    const { mailbox } = await started();
    expect((await api(`/v1/mailboxes/${mailbox}`, { key: OPERATOR })).status).toBe(404);
  });

  it.each(["adm1n", "postmaster", "\u0430nn", "a..b", "-a", "a".repeat(41), "", "<script>"])(
    "refuses a name that is malformed, reserved or confusable: %j",
    async (name) => {
      const { status, body } = await start(name);
      expect(status).toBe(400);
      expect(body.error).toMatch(/^name: /);
    },
  );

  it.each([{}, { name: 7 }, { name: null }])("refuses what says no name: %j", async (json) => {
    const refused = await ask("/v1/claim/start", { json, headers: from(), vars: OPEN });
    expect(refused.status).toBe(400);
  });

  it("refuses a name that is taken", async () => {
    const box = await createMailbox();
    const { status, body } = await start(box.mailbox.split("@")[0]);
    expect([status, body.error]).toEqual([409, `${box.mailbox} is taken`]);
  });

  it("refuses the address of an erased mailbox for 30 days, and says until when", async () => {
    const box = await createMailbox();
    const [name] = box.mailbox.split("@");
    await ask("/v1/mailbox", { method: "DELETE", key: box.api_key });
    const { status, body } = await start(name);
    expect(status).toBe(409);
    expect(body.error).toMatch(/was erased, and cannot be claimed before \d{4}-\d\d-\d\d$/);
    advance(QUARANTINE_MS + 1_000);
    expect((await start(name)).status).toBe(201);
  });

  it("cannot be approved after its address was used and erased by another mailbox", async () => {
    const claim = await started();
    const { body } = await ask<{ api_key: string }>("/v1/mailboxes", {
      key: OPERATOR,
      json: { name: claim.name, kind: "permanent" },
    });
    await ask("/v1/mailbox", { method: "DELETE", key: body.api_key });
    const told = await approve(claim);
    expect([told.status, told.body.error]).toEqual([409, `${claim.mailbox} is taken`]);
    expect((await poll(claim)).body.api_key).toBeUndefined();
  });

  it("lets the operator create an erased address", async () => {
    const box = await createMailbox();
    const [name] = box.mailbox.split("@");
    await ask("/v1/mailbox", { method: "DELETE", key: box.api_key });
    expect((await ask("/v1/claim/auto", { key: OPERATOR, json: { name } })).status).toBe(201);
  });

  it("is limited to ten an hour for a client address", async () => {
    const headers = from();
    for (let count = 0; count < 10; count += 1) {
      expect((await start(newName(), { headers })).status).toBe(201);
    }
    const refused = await start(newName(), { headers });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(3_500);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"claim start";q=10;w=3600');
    expect((await start()).status).toBe(201);
  });

  it("is refused if a secret is missing that approval needs", async () => {
    const keyless = await start(newName(), { vars: { KEY_SECRET: undefined } });
    expect([keyless.status, keyless.body.error]).toEqual([503, expect.stringContaining("KEY_SECRET")]);
    const headless = await start(newName(), { vars: { CLAIM_APPROVAL: "operator", AUTH_TOKEN: undefined } });
    expect([headless.status, headless.body.error]).toEqual([503, expect.stringContaining("AUTH_TOKEN")]);
  });
});

describe("GET /v1/claim/poll", () => {
  it("waits, then hands out a key of that mailbox", async () => {
    const claim = await started();
    expect((await poll(claim)).body).toEqual({ status: "pending" });
    expect((await approve(claim)).body).toEqual({ mailbox: claim.mailbox, status: "complete" });
    const { body } = await poll(claim);
    expect(body).toEqual({
      status: "complete",
      mailbox: claim.mailbox,
      api_key: expect.stringMatching(KEY) as string,
    });
    const me = await ask("/v1/me", { key: body.api_key });
    expect(me.body).toMatchObject({ mailbox: claim.mailbox, scope: "mailbox", expires_at: null });
  });

  it("answers the key for 60 s after it was first read, then never again", async () => {
    const claim = await started();
    await approve(claim);
    advance(5 * 60_000);
    const [one, two] = await Promise.all([poll(claim), poll(claim)]);
    expect(one.body.api_key).toMatch(KEY);
    expect(two.body).toEqual(one.body);
    advance(59_000);
    expect((await poll(claim)).body).toEqual(one.body);
    advance(1_500);
    expect((await poll(claim)).body).toEqual({ status: "complete", mailbox: claim.mailbox });
    expect((await poll(claim)).status).toBe(200);
  });

  it("answers slow_down if polled too fast, and not if the interval is kept", async () => {
    const claim = await started();
    await poll(claim);
    advance(400);
    const early = await poll(claim);
    expect([early.status, early.body]).toEqual([
      429,
      { status: "pending", error: "slow_down", fix: "Wait 2 s, then repeat the call.", retryable: true },
    ]);
    expect(early.headers.get("Mailkeep-Fix")).toBe("Wait 2 s, then repeat the call.");
    expect(early.headers.get("Retry-After")).toBe("2");
    advance(1_600);
    expect((await poll(claim)).status).toBe(200);
    advance(1_950);
    expect((await poll(claim)).status).toBe(200);
  });

  it("answers denied after it was denied, and no mailbox is created", async () => {
    const claim = await started();
    expect((await confirm({ device_code: claim.device_code, decision: "deny" })).body).toEqual({
      mailbox: claim.mailbox,
      status: "denied",
    });
    expect((await poll(claim)).body).toEqual({ status: "denied" });
    expect((await api(`/v1/mailboxes/${claim.mailbox}`, { key: OPERATOR })).status).toBe(404);
  });

  it("answers expired when its time is up; it can no longer be approved then", async () => {
    const claim = await started();
    advance(600_000 - 1_000);
    expect((await poll(claim)).body).toEqual({ status: "pending" });
    advance(2_000);
    expect((await poll(claim)).body).toEqual({ status: "expired" });
    expect((await approve(claim)).status).toBe(404);
    expect((await poll(claim)).body).toEqual({ status: "expired" });
  });

  it("expires after the configured time", async () => {
    const { body } = await start(newName(), { vars: { CLAIM_TTL_SECONDS: "60" } });
    expect(body.expires_in).toBe(60);
    advance(61_000);
    expect((await poll(body)).body).toEqual({ status: "expired" });
    expect((await start(newName(), { vars: { CLAIM_TTL_SECONDS: "5" } })).status).toBe(503);
  });

  it.each(["00000000-0000-4000-8000-000000000000", "none", "%00", "a".repeat(300)])(
    "is 404 in JSON for a session that is none: %s",
    async (session_id) => {
      const { status, body } = await poll({ session_id });
      const fix = expect.stringContaining("POST /v1/claim/start") as string;
      expect([status, body]).toEqual([
        404,
        { error: "Claim not found", code: "not_found", retryable: false, fix },
      ]);
    },
  );

  it("is 400 without a session", async () => {
    expect((await api("/v1/claim/poll", { vars: OPEN })).status).toBe(400);
  });

  it("limits guesses", async () => {
    const headers = from();
    const guess = () =>
      api(`/v1/claim/poll?session=${crypto.randomUUID()}`, {
        headers,
        vars: { ...OPEN, BAD_KEY_LIMIT: "3" },
      });
    const told: number[] = [];
    for (let count = 0; count < 4; count += 1) told.push((await guess()).status);
    expect(told).toEqual([404, 404, 404, 429]);
  });

  it("does not accept the device code as a session", async () => {
    const claim = await started();
    await approve(claim);
    expect((await poll({ session_id: claim.device_code })).status).toBe(404);
  });
});

describe("POST /v1/claim/confirm", () => {
  it("accepts the code in any spelling", async () => {
    const claim = await started();
    const typed = ` ${claim.device_code.toLowerCase().replace("-", " ")} `;
    expect((await confirm({ device_code: typed })).body.status).toBe("complete");
  });

  it("never answers the key", async () => {
    const claim = await started();
    const text = await (
      await api("/v1/claim/confirm", {
        json: { device_code: claim.device_code },
        headers: { ...OWN, ...from() },
        vars: OPEN,
      })
    ).text();
    const { body } = await poll(claim);
    expect(text).not.toContain(body.api_key);
    expect(text).not.toContain("mk_");
  });

  it("gives the same answer to the same decision twice, and 409 to the opposite one", async () => {
    const claim = await started();
    const both = await Promise.all([approve(claim), approve(claim)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const denied = await confirm({ device_code: claim.device_code, decision: "deny" });
    expect([denied.status, denied.body.error]).toEqual([409, "The claim is already approved"]);
    const other = await started();
    await confirm({ device_code: other.device_code, decision: "deny" });
    expect((await approve(other)).body.error).toBe("The claim is already denied");
    expect((await poll(claim)).body.api_key).toMatch(KEY);
  });

  it("gives a name to the first of several claims, simultaneous or not", async () => {
    const name = newName();
    const claims = await Promise.all(Array.from({ length: 5 }, () => started(name)));
    const told = await Promise.all(claims.map(approve));
    expect(told.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([
      200, 409, 409, 409, 409,
    ]);
    const polls = await Promise.all(claims.map((claim) => poll(claim)));
    const won = polls.filter(({ body }) => body.status === "complete");
    expect(won).toHaveLength(1);
    const lost = polls.filter(({ body }) => body.status === "denied");
    expect(lost.map(({ body }) => body.error)).toEqual(Array(4).fill(`${name}@mailkeep.test is taken`));
    expect((await ask("/v1/me", { key: won[0]?.body.api_key })).status).toBe(200);
  });

  const foreign: [string, Record<string, string>][] = [
    ["another origin", { Origin: "https://evil.example" }],
    ["a sandboxed frame", { Origin: "null" }],
    ["another port", { Origin: "https://api.example:8443" }],
    ["plain http", { Origin: "http://api.example" }],
    ["a lie about the fetch", { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" }],
    ["the same site", { "Sec-Fetch-Site": "same-site" }],
    ["nowhere", {}],
  ];
  it.each(foreign)("is refused to a page of %s", async (_, headers) => {
    const claim = await started();
    const { status, body } = await confirm({ device_code: claim.device_code }, { headers });
    expect([status, body.code]).toEqual([403, "foreign_origin"]);
    expect((await poll(claim)).body.status).toBe("pending");
  });

  it("accepts pages of the public address, and browsers that send only Sec-Fetch-Site: same-origin", async () => {
    const one = await started();
    const told = await confirm(
      { device_code: one.device_code },
      { headers: { Origin: "https://mail.example" }, vars: { PUBLIC_URL: "https://mail.example" } },
    );
    expect(told.status).toBe(200);
    const two = await started();
    const headers = { "Sec-Fetch-Site": "same-origin" };
    expect((await confirm({ device_code: two.device_code }, { headers })).status).toBe(200);
  });

  it("accepts JSON only, which no form of another site can send", async () => {
    const claim = await started();
    const { status } = await ask("/v1/claim/confirm", {
      body: JSON.stringify({ device_code: claim.device_code }),
      headers: { ...OWN, ...from(), "Content-Type": "text/plain" },
      vars: OPEN,
    });
    expect(status).toBe(415);
    expect((await poll(claim)).body.status).toBe("pending");
  });

  it.each(["GET", "PUT"])("is not made by %s", async (method) => {
    const claim = await started();
    const path = `/v1/claim/confirm?device_code=${claim.device_code}&decision=approve`;
    expect((await api(path, { method, headers: OWN, vars: OPEN })).status).toBe(405);
    expect((await poll(claim)).body.status).toBe("pending");
  });

  it("refuses all codes of a client after five wrong ones, the right one included", async () => {
    setClock(Date.now());
    const claim = await started();
    const headers = { ...OWN, ...from() };
    const right = { device_code: claim.device_code };
    // A right code does not count.
    for (let count = 0; count < 7; count += 1)
      await api(`/claim?code=${claim.device_code}`, { headers, vars: OPEN });
    for (let count = 0; count < 5; count += 1) {
      const { status, body } = await confirm(
        { device_code: `BBBB-BBB${"BCDFG".charAt(count)}` },
        { headers },
      );
      expect([status, body.error]).toEqual([404, "Claim not found"]);
    }
    expect((await confirm(right, { headers })).status).toBe(429);
    expect((await poll(claim)).body.status).toBe("pending");
    advance(600_000 - 1_000);
    expect((await confirm(right, { headers })).status).toBe(429);
    expect((await approve(await started())).status).toBe(200);
  });

  it("counts wrong codes that come at once", async () => {
    const headers = { ...OWN, ...from() };
    const told = await Promise.all(
      Array.from({ length: 20 }, () => confirm({ device_code: "BBBB-BBBZ" }, { headers })),
    );
    expect(told.filter(({ status }) => status === 404)).toHaveLength(5);
    expect(told.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it("accepts a person who follows the link, even if strangers have used up all guesses", async () => {
    // They use this person's client address, and others.
    const shared = { ...OWN, ...from() };
    for (let count = 0; count < 6; count += 1) {
      await confirm({ device_code: "BBBB-BBBC" }, { headers: shared });
      await confirm({ device_code: "BBBB-BBBD" });
      await confirm({ device_code: "BBBB-BBBF" });
    }
    const claim = await started();
    const typed = await confirm({ device_code: claim.device_code }, { headers: shared });
    expect([typed.status, typed.body]).toEqual([
      429,
      expect.objectContaining({ fix: expect.stringContaining("verification_uri_complete") as string }),
    ]);
    const link = new URL(claim.verification_uri_complete);
    const shown = await api(`${link.pathname}${link.search}`, { headers: shared, vars: OPEN });
    expect(shown.status).toBe(200);
    const proof = /data-proof="([0-9a-f]{32})"/.exec(await shown.text())?.[1];
    expect(proof).toBe(link.searchParams.get("proof"));
    const told = await confirm({ device_code: claim.device_code, proof }, { headers: shared });
    expect(told.body).toEqual({ mailbox: claim.mailbox, status: "complete" });
    // The link of existing clients works, too.
    const path = `/?session=${(await started()).session_id}&claim=x&source=cli`;
    const led = await api(path, { headers: shared, vars: OPEN });
    const page = new URL(led.headers.get("Location") ?? "");
    expect((await api(`${page.pathname}${page.search}`, { headers: shared, vars: OPEN })).status).toBe(200);
  });

  it("accepts no more than ten wrong codes of all clients together", async () => {
    const told: number[] = [];
    for (let count = 0; count < 14; count += 1) {
      told.push((await confirm({ device_code: "BBBB-BBBG" })).status);
    }
    expect(told).toEqual([...Array<number>(10).fill(404), ...Array<number>(4).fill(429)]);
    advance(601_000);
    expect((await confirm({ device_code: "BBBB-BBBG" })).status).toBe(404);
  });

  it("ignores the proof of another claim, and an invented one", async () => {
    const [claim, other] = [await started(), await started()];
    const proof = new URL(other.verification_uri_complete).searchParams.get("proof");
    const headers = { ...OWN, ...from() };
    for (let count = 0; count < 5; count += 1) await confirm({ device_code: "BBBB-BBBH" }, { headers });
    for (const wrong of [proof, "0".repeat(32), claim.session_id, claim.device_code]) {
      expect((await confirm({ device_code: claim.device_code, proof: wrong }, { headers })).status).toBe(429);
    }
  });

  it("with a session must match that session; five mismatches end the claim", async () => {
    const [claim, other] = [await started(), await started()];
    const fitting = await confirm({ device_code: other.device_code, session_id: other.session_id });
    expect(fitting.status).toBe(200);
    for (let count = 0; count < 5; count += 1) {
      expect((await poll(claim)).body.status).toBe("pending");
      advance(2_000);
      const wrong = { device_code: "CCCC-CCCC", session_id: claim.session_id };
      expect((await confirm(wrong)).status).toBe(404);
    }
    expect((await poll(claim)).body).toEqual({ status: "expired" });
    expect((await approve(claim)).status).toBe(404);
  });
});

describe("a claim that the operator must approve", () => {
  const vars = { CLAIM_APPROVAL: "operator" };

  async function signIn(key = OPERATOR, headers: Record<string, string> = OWN): Promise<Response> {
    return api("/operator/session", { json: { key }, headers: { ...headers, ...from() } });
  }

  /** The headers that a signed-in browser sends with a script's request. */
  async function signedIn(): Promise<{ Cookie: string; "Mailkeep-Session": string }> {
    const answer = await signIn();
    const { token } = await answer.json<{ token: string }>();
    return { Cookie: answer.headers.get("Set-Cookie")?.split(";")[0] ?? "", "Mailkeep-Session": token };
  }

  it("is the default", async () => {
    const claim = await started();
    const { status, body } = await confirm(
      { device_code: claim.device_code },
      { vars: { CLAIM_APPROVAL: undefined } },
    );
    expect([status, body.code]).toEqual([403, "sign_in_required"]);
    expect((await poll(claim)).body.status).toBe("pending");
  });

  it("needs the cookie and the token of a session with the operator's key", async () => {
    const claim = await started();
    const answer = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const { token } = await answer.json<{ token: string }>();
    const cookie = answer.headers.get("Set-Cookie") ?? "";
    expect(cookie).not.toContain(token);
    expect(cookie).toMatch(
      /^__Host-mailkeep_operator=[0-9a-f.]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(OPERATOR);
    const headers = { ...OWN, Cookie: `other=1; ${cookie.split(";")[0]}`, "Mailkeep-Session": token };
    expect((await confirm({ device_code: claim.device_code }, { headers, vars })).status).toBe(200);
  });

  it("cannot be decided with the cookie alone, which servers on other ports also get", async () => {
    const claim = await started();
    const [session, other] = [await signedIn(), await signedIn()];
    const stolen = { ...OWN, Cookie: session.Cookie };
    const proof = new URL(claim.verification_uri_complete).searchParams.get("proof");
    for (const token of [undefined, "", "0".repeat(64), other["Mailkeep-Session"]]) {
      const headers = token === undefined ? stolen : { ...stolen, "Mailkeep-Session": token };
      const told = await confirm({ device_code: claim.device_code, proof }, { headers, vars });
      expect([told.status, told.body.code]).toEqual([403, "sign_in_required"]);
      expect((await ask("/operator/session", { headers })).body).toEqual({
        signed_in: false,
        expires_at: null,
      });
      expect((await api("/operator/session", { method: "DELETE", headers })).status).toBe(204);
    }
    const alone = { ...OWN, "Mailkeep-Session": session["Mailkeep-Session"] };
    expect((await confirm({ device_code: claim.device_code }, { headers: alone, vars })).status).toBe(403);
    expect((await poll(claim)).body.status).toBe("pending");
    expect((await ask("/operator/session", { headers: { ...session } })).body).toMatchObject({
      signed_in: true,
    });
  });

  it("can be decided by a signed-in person even if a stranger with the same address sent five wrong codes", async () => {
    const claim = await started();
    const headers: Record<string, string> = { ...OWN, ...from() };
    const page = (code: string, at = "") => api(`${at}/claim?code=${code}`, { headers, vars });
    for (let count = 0; count < 5; count += 1) expect((await page("BBBB-BBBZ")).status).toBe(404);
    const refused = await page(claim.device_code);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain(`href="/operator/claim?code=${claim.device_code}"`);
    const session = await signedIn();
    headers["Cookie"] = session.Cookie;
    // A request with the cookie alone is limited like a stranger's.
    expect((await page(claim.device_code)).status).toBe(429);
    expect((await page(claim.device_code, "/operator")).status).toBe(303);
    expect((await confirm({ device_code: claim.device_code }, { headers, vars })).status).toBe(403);
    expect((await page(claim.device_code, `/operator/${session["Mailkeep-Session"]}`)).status).toBe(200);
    const shown = { ...headers, ...session };
    expect((await confirm({ device_code: claim.device_code }, { headers: shown, vars })).status).toBe(200);
  });

  it("rejects cookies that are forged, changed, expired, or of another key", async () => {
    const session = await signedIn();
    const cookie = session.Cookie;
    const later = cookie.replace(/\.\d+\./, `.${Date.now() + 10 ** 9}.`);
    const isIn = async (Cookie: string, more: Record<string, unknown> = {}) => {
      const told = await ask<{ signed_in: boolean }>("/operator/session", {
        headers: { ...session, Cookie },
        vars: more,
      });
      return told.body.signed_in;
    };
    expect(await isIn(cookie)).toBe(true);
    for (const forged of [
      "",
      later,
      `${cookie}0`,
      cookie.replace("__Host-", ""),
      cookie.replace(/.$/, "x"),
    ]) {
      expect(await isIn(forged)).toBe(false);
    }
    expect(await isIn(cookie, { AUTH_TOKEN: "another-operator-token-0123456789" })).toBe(false);
    expect(await isIn(cookie, { AUTH_TOKEN: undefined })).toBe(false);
    advance(12 * 3_600_000 + 1_000);
    expect(await isIn(cookie)).toBe(false);
  });

  it("does not let a cookie call the API", async () => {
    const headers = { ...OWN, ...(await signedIn()) };
    expect((await api("/v1/mailboxes", { headers })).status).toBe(401);
  });

  it("refuses to sign in with a wrong key, from another origin, or too often", async () => {
    expect((await signIn("not the key")).status).toBe(401);
    expect((await signIn(OPERATOR, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await signIn(OPERATOR, {})).status).toBe(403);
    const headers = { ...OWN, ...from() };
    const guess = () =>
      api("/operator/session", { json: { key: "wrong" }, headers, vars: { BAD_KEY_LIMIT: "2" } });
    const told: number[] = [];
    for (let count = 0; count < 3; count += 1) told.push((await guess()).status);
    expect(told).toEqual([401, 401, 429]);
  });

  it("ends the session at sign-out, also for copies of the cookie and the token", async () => {
    const headers = { ...OWN, ...(await signedIn()) };
    const response = await api("/operator/session", { method: "DELETE", headers });
    expect((await ask("/operator/session", { headers })).body).toMatchObject({ signed_in: false });
    expect(response.status).toBe(204);
    expect(response.headers.get("Set-Cookie")).toMatch(/^__Host-mailkeep_operator=; Max-Age=0; Path=\/;/);
  });

  it("works without https on this machine, with another cookie name", async () => {
    const response = await api("http://127.0.0.1:8787/operator/session", {
      json: { key: OPERATOR },
      headers: { Origin: "http://127.0.0.1:8787", ...from() },
    });
    const cookie = response.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/^mailkeep_operator=/);
    expect(cookie).not.toContain("Secure");
  });
});

describe("a claim with a Turnstile check", () => {
  const vars = { TURNSTILE_SITE_KEY: "site-key", TURNSTILE_SECRET_KEY: "secret-key" };
  /** Cloudflare's side, as its documentation describes it. */
  function siteverify(answer: () => Response) {
    return vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
  }

  it("is approved with a token that Cloudflare confirms, and sends the configured secret", async () => {
    const fetched = siteverify(() => Response.json({ success: true }));
    const claim = await started();
    const told = await confirm({ device_code: claim.device_code, turnstile_token: "token" }, { vars });
    expect(told.status).toBe(200);
    const [url, init] = fetched.mock.calls[0] ?? [];
    expect(url).toBe("https://challenges.cloudflare.com/turnstile/v0/siteverify");
    const form = init?.body as URLSearchParams;
    expect([form.get("secret"), form.get("response")]).toEqual(["secret-key", "token"]);
  });

  it.each([
    ["refuses", () => Response.json({ success: false, "error-codes": ["timeout-or-duplicate"] }), 403],
    ["answers nonsense", () => new Response("<html>"), 503],
    ["answers something else", () => Response.json({ success: "yes" }), 403],
  ])("approves nothing when Cloudflare %s", async (_, answer, status) => {
    siteverify(answer);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const claim = await started();
    const told = await confirm({ device_code: claim.device_code, turnstile_token: "token" }, { vars });
    expect(told.status).toBe(status);
    expect((await poll(claim)).body.status).toBe("pending");
  });

  it("is not approved without a token, and then calls nobody", async () => {
    const fetched = siteverify(() => Response.json({ success: true }));
    const claim = await started();
    const told = await confirm({ device_code: claim.device_code }, { vars });
    expect([told.status, told.body.code]).toEqual([403, "challenge_failed"]);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("shows the check on its page, whose policy allows nothing else", async () => {
    const claim = await started();
    const path = `/claim?code=${claim.device_code}`;
    const shown = await api(path, { vars: { ...OPEN, ...vars }, headers: from() });
    const policy = shown.headers.get("Content-Security-Policy");
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;");
    expect(policy).toContain("frame-src https://challenges.cloudflare.com");
    expect(await shown.text()).toContain('data-sitekey="site-key"');
    const plain = await api(path, { vars: OPEN, headers: from() });
    expect(plain.headers.get("Content-Security-Policy")).not.toContain("cloudflare");
    await plain.text();
  });

  it("needs both keys or none", async () => {
    expect((await start(newName(), { vars: { TURNSTILE_SITE_KEY: "site-key" } })).status).toBe(503);
  });
});

describe("the page of a claim", () => {
  it("shows the request, and changes nothing", async () => {
    const { body } = await start("shown-to-ann", {
      headers: { "CF-Connecting-IP": "203.0.113.9", "User-Agent": "hermes/1.0 \t <b>\tbold</b>" },
    });
    const response = await api(`/claim?code=${body.device_code}`, { headers: from(), vars: OPEN });
    expect(response.status).toBe(200);
    const html = await response.text();
    for (const part of [
      body.mailbox,
      body.device_code,
      "203.0.113.9",
      "hermes/1.0 &lt;b&gt; bold&lt;/b&gt;",
    ]) {
      expect(html).toContain(part);
    }
    expect(html).not.toContain(body.session_id);
    expect((await poll(body)).body.status).toBe("pending");
  });

  it("is 404 for a wrong code and 429 after five, with the typed code as text", async () => {
    const headers = from();
    const typed = encodeURIComponent(`"><script>alert(1)</script>`);
    for (let count = 0; count < 5; count += 1) {
      const response = await api(`/claim?code=${typed}`, { headers, vars: OPEN });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain("<script>alert");
    }
    const refused = await api("/claim?code=BBBB-BBBB", { headers, vars: OPEN });
    expect([refused.status, refused.headers.has("Retry-After")]).toEqual([429, true]);
    await refused.text();
  });

  it("shows the result of a claim", async () => {
    const shown = async ({ device_code }: StartedClaim) =>
      (await api(`/claim?code=${device_code}`, { headers: from(), vars: OPEN })).text();
    const [approved, denied, expired] = [await started(), await started(), await started()];
    await approve(approved);
    await confirm({ device_code: denied.device_code, decision: "deny" });
    expect(await shown(approved)).toContain("<h1>Approved</h1>");
    expect(await shown(denied)).toContain("<h1>Denied</h1>");
    advance(601_000);
    expect(await shown(expired)).toContain("<h1>Expired</h1>");
  });

  it("is where the links of existing clients lead, without the session", async () => {
    const claim = await started();
    const path = `/?session=${claim.session_id}&claim=${claim.name}&source=cli`;
    const response = await api(path, { vars: OPEN });
    expect(response.status).toBe(303);
    expect(response.headers.get("Location")).toBe(claim.verification_uri_complete);
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const nonsense = await api("/?session=https://evil.example/&claim=x", { vars: OPEN });
    expect(nonsense.headers.get("Location")).toBe("https://api.example/claim");
  });
});

describe("what a claim leaves behind", () => {
  it("holds no key and no session id in clear", async () => {
    const claim = await started();
    await approve(claim);
    const { body } = await poll(claim);
    const secret = body.api_key?.slice(-32);
    const rows = await runInDurableObject(objectOf(claim), (_, state) =>
      JSON.stringify(state.storage.sql.exec("SELECT * FROM claim").toArray()),
    );
    expect(rows).toContain(claim.mailbox);
    for (const clear of [secret, claim.session_id]) expect(rows).not.toContain(clear);
    expect(JSON.stringify(await rowsOf(claim.mailbox, "SELECT * FROM api_key"))).not.toContain(secret);
  });

  it("is erased an hour after its end", async () => {
    const claim = await started();
    await approve(claim);
    const alarm = await runInDurableObject(objectOf(claim), (_, state) => state.storage.getAlarm());
    expect((alarm ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    expect((alarm ?? 0) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(await runDurableObjectAlarm(objectOf(claim))).toBe(true);
    const left = await runInDurableObject(objectOf(claim), async (_, state) => ({
      tables: state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'claim'").toArray(),
      alarm: await state.storage.getAlarm(),
    }));
    expect(left).toEqual({ tables: [], alarm: null });
    expect((await poll(claim)).status).toBe(404);
    expect((await approve(claim)).status).toBe(404);
  });

  it("does not include a mailbox whose key nobody fetched within the hour: it is erased", async () => {
    const [fetched, left] = [await started(), await started()];
    await approve(fetched);
    await approve(left);
    const { body } = await poll(fetched);
    for (const claim of [fetched, left]) expect(await runDurableObjectAlarm(objectOf(claim))).toBe(true);
    expect((await ask("/v1/me", { key: body.api_key })).status).toBe(200);
    expect((await api(`/v1/mailboxes/${left.mailbox}`, { key: OPERATOR })).status).toBe(404);
    // Mail to it may be on its way, so nobody else can claim it at once.
    expect((await start(left.name)).status).toBe(409);
    const again = await ask("/v1/claim/auto", { key: OPERATOR, json: { name: left.name } });
    expect(again.status).toBe(201);
  });

  it("is nothing for a code that never existed", async () => {
    await confirm({ device_code: "ZZZZ-ZZZZ" });
    const tables = await runInDurableObject(env.CLAIM_SESSION.getByName("ZZZZ-ZZZZ"), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'claim'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("is the mailbox, even if the process died between approval and creation", async () => {
    const claim = await started();
    await runInDurableObject(objectOf(claim), async (_, state) => {
      state.storage.sql.exec("UPDATE claim SET status = 'approved', decided_at = ?", Date.now());
      await state.storage.setAlarm(Date.now() + 5_000);
    });
    expect((await poll(claim)).body).toEqual({ status: "pending" });
    // An approved claim cannot be denied, even if nobody has fetched the key yet.
    const denied = await confirm({ device_code: claim.device_code, decision: "deny" });
    expect([denied.status, denied.body.error]).toEqual([409, "The claim is already approved"]);
    expect(await runDurableObjectAlarm(objectOf(claim))).toBe(true);
    const { body } = await poll(claim);
    expect((await ask("/v1/me", { key: body.api_key })).body).toMatchObject({ mailbox: claim.mailbox });
  });
});

describe("the temporary mailbox of a claim", () => {
  it("is refused if the key is not one of a temporary mailbox", async () => {
    const box = await createMailbox();
    const json = { keep_mail: true };
    const keyless = await start(newName(), { json });
    expect([keyless.status, keyless.body.error]).toEqual([
      400,
      "keep_mail: needs the key of a temporary mailbox in Authorization",
    ]);
    expect((await start(newName(), { json, key: box.api_key })).status).toBe(400);
    expect((await start(newName(), { json, key: OPERATOR })).status).toBe(400);
    expect((await start(newName(), { json, key: `mk_${"0".repeat(64)}` })).status).toBe(401);
    expect((await start(newName(), { json, key: "nonsense" })).status).toBe(401);
  });

  it("is named on the page, and unchanged unless the agent asks for its mail", async () => {
    const box = await bootstrap();
    const kept = await start(newName(), { json: { keep_mail: true }, key: box.api_key });
    expect(kept.body.keep_mail).toBe(true);
    const shown = async (code: string) =>
      (await api(`/claim?code=${code}`, { headers: from(), vars: OPEN })).text();
    expect(await shown(kept.body.device_code)).toContain(box.mailbox);
    const other = await start(newName(), { key: box.api_key });
    expect(other.body.keep_mail).toBe(false);
    expect(await shown(other.body.device_code)).not.toContain(box.mailbox);
  });
});
