import { afterEach, describe, expect, it } from "vitest";
import { UNAUTHORIZED as NO_KEY, problemBody, notFound } from "../../src/contract/problem.ts";
import { locatorOf } from "../../src/contract/key.ts";
import {
  advance,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  DOMAIN,
  OPERATOR,
  resetClock,
  tablesOf,
} from "../harness.ts";

afterEach(resetClock);

const HOUR_MS = 3_600_000;
/** The exact refusal, whatever is wrong with the key. */
const UNAUTHORIZED = {
  status: 401,
  challenge: "Bearer",
  type: "application/json; charset=utf-8",
  body: JSON.stringify(problemBody(NO_KEY)),
};

const toldOf = async (response: Response) => ({
  status: response.status,
  challenge: response.headers.get("WWW-Authenticate"),
  type: response.headers.get("Content-Type"),
  body: await response.text(),
});

async function withAuthorization(value: string | null): Promise<Response> {
  return api("/v1/inbox", { headers: value === null ? {} : { Authorization: value } });
}

describe("a request without a valid key", () => {
  const unknown = `${locatorOf(`nobody@${DOMAIN}`)}${"0".repeat(32)}`;
  it.each([
    ["no header", null],
    ["an empty header", ""],
    ["Bearer alone", "Bearer"],
    ["Bearer and blanks", "Bearer    "],
    ["Basic", `Basic ${btoa("user:password")}`],
    ["the key without a scheme", `mk_${unknown}`],
    ["a token of 10 kB", `Bearer ${"a".repeat(10_240)}`],
    ["a malformed key", "Bearer mk_zz"],
    ["a key one digit short", `Bearer mk_${unknown.slice(1)}`],
    ["a key in capitals", `Bearer MK_${unknown.toUpperCase()}`],
    ["a key of a mailbox that never was", `Bearer mk_${unknown}`],
    ["two tokens", `Bearer mk_${unknown} mk_${unknown}`],
  ])("hears the same 401: %s", async (_, value) => {
    expect(await toldOf(await withAuthorization(value))).toEqual(UNAUTHORIZED);
  });

  it("gets the same 401 with the right mailbox and a wrong secret", async () => {
    const { api_key } = await createMailbox();
    const wrong = `${api_key.slice(0, -1)}${api_key.endsWith("0") ? "1" : "0"}`;
    expect(await toldOf(await api("/v1/inbox", { key: wrong }))).toEqual(UNAUTHORIZED);
  });

  it("gets the same 401 with the secret of another mailbox", async () => {
    const a = await createMailbox();
    const b = await createMailbox();
    const crossed = `${a.api_key.slice(0, 35)}${b.api_key.slice(35)}`;
    expect(await toldOf(await api("/v1/inbox", { key: crossed }))).toEqual(UNAUTHORIZED);
  });

  it("gets the same 401 with a key that expired or was revoked", async () => {
    const { api_key } = await createMailbox();
    const soon = new Date(Date.now() + HOUR_MS).toISOString();
    const second = await ask<{ api_key: string; id: string }>("/v1/keys", {
      key: api_key,
      json: { expires_at: soon },
    });
    const third = await ask<{ api_key: string; id: string }>("/v1/keys", { key: api_key, method: "POST" });
    expect((await api("/v1/inbox", { key: second.body.api_key })).status).toBe(200);
    expect((await api("/v1/inbox", { key: third.body.api_key })).status).toBe(200);
    await ask(`/v1/keys/${third.body.id}`, { key: api_key, method: "DELETE" });
    expect(await toldOf(await api("/v1/inbox", { key: third.body.api_key }))).toEqual(UNAUTHORIZED);
    advance(HOUR_MS);
    expect(await toldOf(await api("/v1/inbox", { key: second.body.api_key }))).toEqual(UNAUTHORIZED);
    expect((await api("/v1/inbox", { key: api_key })).status).toBe(200);
  });

  it("gets 401 if it has two Authorization headers, even if one is valid", async () => {
    const { api_key } = await createMailbox();
    const headers = new Headers();
    headers.append("Authorization", `Bearer ${api_key}`);
    headers.append("Authorization", `Bearer ${api_key}`);
    expect(await toldOf(await api("/v1/inbox", { headers: Object.fromEntries(headers) }))).toEqual(
      UNAUTHORIZED,
    );
  });

  it("cannot pass its key in the query, a cookie, the body or another header", async () => {
    const { api_key } = await createMailbox();
    for (const name of ["access_token", "key", "api_key", "token", "Authorization"]) {
      expect(await toldOf(await api(`/v1/inbox?${name}=${api_key}`))).toEqual(UNAUTHORIZED);
    }
    expect(await toldOf(await api("/v1/inbox", { headers: { Cookie: `key=${api_key}` } }))).toEqual(
      UNAUTHORIZED,
    );
    expect(await toldOf(await api("/v1/inbox", { headers: { "X-Api-Key": api_key } }))).toEqual(UNAUTHORIZED);
    expect(await toldOf(await api("/v1/inbox", { headers: { "Proxy-Authorization": api_key } }))).toEqual(
      UNAUTHORIZED,
    );
    expect(
      await toldOf(await api("/v1/keys", { json: { api_key, Authorization: `Bearer ${api_key}` } })),
    ).toEqual(UNAUTHORIZED);
  });

  it("writes no row in the object that a made-up key names", async () => {
    const address = `ghost-${Math.random().toString(36).slice(2)}@${DOMAIN}`;
    const key = `mk_${locatorOf(address)}${"1".repeat(32)}`;
    for (const path of ["/v1/me", "/v1/inbox", "/v1/code?timeout=1", "/v1/nowhere"]) {
      expect(await toldOf(await api(path, { key }))).toEqual(UNAUTHORIZED);
    }
    expect(await toldOf(await api("/v1/mailbox", { key, method: "DELETE" }))).toEqual(UNAUTHORIZED);
    expect(await tablesOf(address)).toEqual([]);
  });
});

describe("a valid key", () => {
  it.each(["Bearer", "bearer", "BEARER", "bEaReR"])("is accepted behind the scheme %s", async (scheme) => {
    const { api_key } = await createMailbox();
    expect((await withAuthorization(`${scheme} ${api_key}`)).status).toBe(200);
  });

  it("is accepted behind several blanks, which RFC 9110 allows", async () => {
    const { api_key } = await createMailbox();
    expect((await withAuthorization(`Bearer   ${api_key}`)).status).toBe(200);
  });

  it("can ask for its scope and mailbox", async () => {
    const { mailbox, api_key } = await createMailbox();
    expect((await ask("/v1/me", { key: api_key })).body).toEqual({
      worker: "mailkeep",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      mailbox,
      scope: "mailbox",
      expires_at: null,
      send: true,
      capabilities: expect.arrayContaining(["read", "send", "attachments", "keys"]) as string[],
    });
  });
});

describe("the operator's token", () => {
  it("acts on the mailbox that the request names, else on DEFAULT_MAILBOX, else is told to name one", async () => {
    const named = await createMailbox();
    const configured = await createMailbox();
    const vars = { DEFAULT_MAILBOX: configured.mailbox };
    const asked = await ask(`/v1/stats?mailbox=${named.mailbox}`, { key: OPERATOR, vars });
    expect(asked.body).toMatchObject({ mailbox: named.mailbox });
    expect((await ask("/v1/stats", { key: OPERATOR, vars })).body).toMatchObject({
      mailbox: configured.mailbox,
    });
    const neither = await ask("/v1/stats", { key: OPERATOR });
    expect(neither.status).toBe(400);
    expect(neither.body).toMatchObject({ details: [{ path: "mailbox" }] });
  });

  it("may call /v1/me with or without a mailbox", async () => {
    const { mailbox } = await createMailbox();
    expect((await ask("/v1/me", { key: OPERATOR })).body).toMatchObject({ mailbox: null, scope: "operator" });
    expect((await ask(`/v1/me?mailbox=${mailbox}`, { key: OPERATOR })).body).toMatchObject({
      mailbox,
      scope: "operator",
    });
  });

  it("may call /v1/me and MCP before DEFAULT_MAILBOX exists, and after it was erased", async () => {
    const address = `not-yet@${DOMAIN}`;
    const vars = { DEFAULT_MAILBOX: address };
    const me = () => ask("/v1/me", { key: OPERATOR, vars });
    expect(await me()).toMatchObject({ status: 200, body: { mailbox: null, scope: "operator" } });
    const headers = { Accept: "application/json, text/event-stream" };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "deployment_status" } };
    expect(await ask("/mcp", { key: OPERATOR, method: "POST", json, headers, vars })).toMatchObject({
      status: 200,
      body: { result: { structuredContent: {} } },
    });
    const named = await ask(`/v1/me?mailbox=${address}`, { key: OPERATOR, vars });
    expect([named.status, (await ask("/v1/inbox", { key: OPERATOR, vars })).status]).toEqual([404, 404]);
    await ask("/v1/mailboxes", { key: OPERATOR, method: "POST", json: { address, kind: "permanent" } });
    expect((await me()).body).toMatchObject({ mailbox: address });
    await ask(`/v1/mailboxes/${address}`, { key: OPERATOR, method: "DELETE" });
    expect(await me()).toMatchObject({ status: 200, body: { mailbox: null } });
  });

  it("gets 404 for a mailbox that does not exist, and 400 for an invalid address", async () => {
    const unknown = await ask(`/v1/inbox?mailbox=nobody-here@${DOMAIN}`, { key: OPERATOR });
    expect(unknown.status).toBe(404);
    expect(unknown.body).toEqual(problemBody(notFound("Mailbox")));
    expect((await ask("/v1/inbox?mailbox=nonsense", { key: OPERATOR })).status).toBe(400);
  });

  it.each([
    ["unset", undefined],
    ["empty", ""],
  ])("opens nothing where AUTH_TOKEN is %s", async (_, token) => {
    const vars = { AUTH_TOKEN: token };
    for (const value of ["", "Bearer", "Bearer ", "Bearer undefined", "Bearer null", `Bearer ${OPERATOR}`]) {
      const response = await api("/v1/mailboxes", { headers: { Authorization: value }, vars });
      expect(response.status).toBe(401);
    }
  });

  it("needs 32 characters: with 31 the whole deployment answers an error", async () => {
    const short = "x".repeat(31);
    const refused = await ask("/v1/me", { key: short, vars: { AUTH_TOKEN: short } });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: "misconfigured" });
    expect(JSON.stringify(refused.body)).toContain("AUTH_TOKEN");
    expect(JSON.stringify(refused.body)).not.toContain(short);
    const { api_key } = await createMailbox();
    expect((await ask("/v1/me", { key: api_key, vars: { AUTH_TOKEN: short } })).status).toBe(503);
    const token = "x".repeat(32);
    expect((await ask("/v1/me", { key: token, vars: { AUTH_TOKEN: token } })).status).toBe(200);
  });

  it("may be any text of 32 characters or more, and only that text is valid", async () => {
    const token = `mk_${"ab".repeat(32)}`;
    const vars = { AUTH_TOKEN: token };
    expect((await ask("/v1/me", { key: token, vars })).body).toMatchObject({ scope: "operator" });
    for (const wrong of [`${token}0`, token.slice(0, -1), token.toUpperCase()]) {
      expect((await api("/v1/me", { key: wrong, vars })).status).toBe(401);
    }
  });
});

describe("wrong keys over BAD_KEY_LIMIT", () => {
  const vars = { BAD_KEY_LIMIT: "3" };
  const guess = (address: string, key = `mk_${"f".repeat(64)}`) =>
    ask("/v1/inbox", { key, headers: { "CF-Connecting-IP": address }, vars });

  it("get 429 with Retry-After and the limit, from the next guess on", async () => {
    const address = clientAddress();
    for (let count = 0; count < 3; count += 1) expect((await guess(address)).status).toBe(401);
    const limited = await guess(address);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(Number(limited.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
    expect(limited.headers.get("RateLimit-Policy")).toMatch(/;q=3;w=60$/);
    expect(limited.headers.get("RateLimit")).toMatch(/;r=0;t=\d+$/);
    expect(limited.body).toMatchObject({ code: "rate_limited" });
  });

  it("affect neither valid keys from the same address nor wrong ones from another", async () => {
    const { api_key } = await createMailbox();
    const address = clientAddress();
    for (let count = 0; count < 4; count += 1) await guess(address);
    expect((await guess(address)).status).toBe(429);
    expect((await guess(address, api_key)).status).toBe(200);
    expect((await guess(address, OPERATOR)).status).toBe(400);
    expect((await guess(clientAddress())).status).toBe(401);
  });

  it("include malformed keys and unknown paths, but not requests without a key", async () => {
    const address = clientAddress();
    const headers = { "CF-Connecting-IP": address };
    for (let count = 0; count < 5; count += 1) {
      expect((await api("/v1/inbox", { headers, vars })).status).toBe(401);
    }
    expect((await guess(address, "nonsense")).status).toBe(401);
    expect((await api("/v1/nowhere", { key: "nonsense", headers, vars })).status).toBe(401);
    expect((await api("/v1/inbox", { key: "nonsense", headers, vars, method: "PUT" })).status).toBe(401);
    expect((await guess(address, "nonsense")).status).toBe(429);
  });

  it("are counted by the /64 of an IPv6 client, for a minute", async () => {
    for (let host = 1; host <= 3; host += 1) {
      expect((await guess(`2001:db8:77:1::${host}`)).status).toBe(401);
    }
    expect((await guess("2001:0db8:0077:0001:ffff::9")).status).toBe(429);
    expect((await guess("2001:db8:77:2::1")).status).toBe(401);
    advance(60_000);
    expect((await guess("2001:db8:77:1::1")).status).toBe(401);
  });

  it("are not counted by X-Forwarded-For, which anybody can write", async () => {
    const address = clientAddress();
    const forged = (from: string) =>
      api("/v1/inbox", {
        key: "nonsense",
        headers: { "CF-Connecting-IP": address, "X-Forwarded-For": from },
        vars,
      });
    for (let count = 0; count < 3; count += 1) expect((await forged(`10.0.0.${count}`)).status).toBe(401);
    expect((await forged("10.0.0.99")).status).toBe(429);
  });
});

describe("new keys", () => {
  it("are unique, have the documented form, and their secrets look random bit by bit", async () => {
    const { api_key } = await createMailbox();
    const keys = new Set<string>();
    for (let count = 0; count < 60; count += 1) {
      const { body } = await ask<{ api_key: string }>("/v1/keys", { key: api_key, method: "POST" });
      expect(body.api_key).toMatch(/^mk_[0-9a-f]{64}$/);
      keys.add(body.api_key.slice(35));
    }
    expect(keys.size).toBe(60);
    const bits = [...keys].flatMap((hex) => BigInt(`0x${hex}`).toString(2).padStart(128, "0").split(""));
    const ones = bits.filter((bit) => bit === "1").length;
    // Six standard deviations of 60 × 128 fair bits.
    expect(Math.abs(ones - bits.length / 2)).toBeLessThan(3 * Math.sqrt(bits.length));
  });

  it("are refused beyond the limit of a mailbox, with a hint what to do", async () => {
    const { api_key } = await createMailbox();
    let last = { status: 201, body: {} };
    for (let count = 1; count < 100; count += 1)
      last = await ask("/v1/keys", { key: api_key, method: "POST" });
    expect(last.status).toBe(201);
    const refused = await ask("/v1/keys", { key: api_key, method: "POST" });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "conflict" });
  });
});

describe("a provisional key", () => {
  it("shows when it expires", async () => {
    const { api_key } = await bootstrap();
    const { body } = await ask<{ expires_at: string; scope: string }>("/v1/me", { key: api_key });
    expect(body.scope).toBe("provisional");
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 72 * HOUR_MS)).toBeLessThan(60_000);
  });
});
