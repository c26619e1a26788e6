import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { configOf } from "../../src/env.ts";
import {
  beginSession,
  endSession,
  formToken,
  isFormToken,
  readSession,
} from "../../src/http/operator-session.ts";
import { isSameOrigin } from "../../src/http/same-origin.ts";
import { advance, resetClock, setClock } from "../harness.ts";

const HOUR_MS = 3_600_000;
const SITE = "https://mail.example";

function request(cookie: string | null, url = `${SITE}/operator`): Request {
  return new Request(url, { headers: cookie === null ? {} : { Cookie: cookie } });
}

/** What a browser sends back of a `Set-Cookie`. */
function sent(setCookie: string): string {
  return setCookie.split(";")[0] ?? "";
}

function signedIn(): string {
  return sent(beginSession(request(null), configOf(env)));
}

async function session(cookie: string) {
  const found = await readSession(request(cookie), env);
  if (found === null) throw new Error("There is no session");
  return found;
}

describe("the operator's session", () => {
  afterEach(resetClock);

  it("is a cookie that no script reads, no other site sends and no plain connection carries", () => {
    const cookie = beginSession(request(null), configOf(env));
    expect(cookie).toMatch(/^__Host-mailkeep_operator=[0-9a-f.]+; /);
    expect(cookie.split("; ").slice(1).toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=43200",
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
  });

  it("goes over plain http on this machine alone", () => {
    const cookieAt = (url: string, vars = {}) =>
      beginSession(request(null, url), configOf({ ...env, ...vars }));
    expect(cookieAt("http://127.0.0.1:8787/")).not.toMatch(/Secure|__Host-/);
    expect(cookieAt("http://mail.example/", { ALLOW_HTTP: "true" })).toMatch(/^__Host-.*Secure/);
    expect(cookieAt("http://127.0.0.1:8787/", { PUBLIC_URL: SITE })).toMatch(/^__Host-.*Secure/);
  });

  it("is known again until its time is up", async () => {
    setClock(Date.UTC(2030, 0, 1));
    const cookie = signedIn();
    expect(await readSession(request(cookie), env)).not.toBeNull();
    advance(12 * HOUR_MS - 1);
    expect(await readSession(request(cookie), env)).not.toBeNull();
    advance(1);
    expect(await readSession(request(cookie), env)).toBeNull();
  });

  it("is none without a cookie, and none with one that is not whole", async () => {
    const name = signedIn().split("=")[0] ?? "";
    const cookies = [null, "", `${name}=`, `${name}=1.2.3`, `${name}=${"0".repeat(32)}.9999999999999.`];
    for (const cookie of cookies) expect(await readSession(request(cookie), env)).toBeNull();
  });

  it("is none once a single character of it is another", async () => {
    const cookie = signedIn();
    const begin = cookie.indexOf("=") + 1;
    for (let at = begin; at < cookie.length; at += 1) {
      const other = cookie[at] === "1" ? "2" : "1";
      const forged = cookie.slice(0, at) + other + cookie.slice(at + 1);
      expect(await readSession(request(forged), env)).toBeNull();
    }
  });

  it("is none in another deployment, and none once a secret of the deployment is another", async () => {
    const cookie = signedIn();
    const others = [
      { AUTH_TOKEN: "another-operator-token-0123456789-012" },
      { KEY_SECRET: "another-key-secret-0123456789-0123456" },
      { KEY_SECRET: undefined },
      { AUTH_TOKEN: undefined },
    ];
    for (const vars of others) expect(await readSession(request(cookie), { ...env, ...vars })).toBeNull();
  });

  it("works where KEY_SECRET is not set", async () => {
    const bare = { ...env, KEY_SECRET: undefined };
    const cookie = sent(beginSession(request(null), configOf(bare)));
    expect(await readSession(request(cookie), bare)).not.toBeNull();
  });

  it("is over when it is ended, for whoever kept a copy of its cookie; others go on", async () => {
    const [cookie, other] = [signedIn(), signedIn()];
    const gone = await endSession(request(cookie), env);
    expect(gone).toMatch(/^__Host-mailkeep_operator=; Max-Age=0/);
    expect(await readSession(request(cookie), env)).toBeNull();
    expect(await readSession(request(other), env)).not.toBeNull();
  });

  it("gives its forms a token that is good in no other session and is no cookie", async () => {
    const config = configOf(env);
    const [cookie, other] = [signedIn(), signedIn()];
    const token = formToken(await session(cookie), config);
    expect(isFormToken(token, await session(cookie), config)).toBe(true);
    expect(isFormToken(token, await session(other), config)).toBe(false);
    expect(isFormToken(cookie.split(".").at(-1) ?? "", await session(cookie), config)).toBe(false);
    expect(isFormToken("", await session(cookie), config)).toBe(false);
    expect(isFormToken(null, await session(cookie), config)).toBe(false);
  });
});

describe("a request from a page of ours", () => {
  const isOwn = (headers: Record<string, string>, vars = {}) =>
    isSameOrigin(new Request(`${SITE}/operator`, { method: "POST", headers }), configOf({ ...env, ...vars }));

  it("is what its browser says is one", () => {
    expect(isOwn({ "Sec-Fetch-Site": "same-origin" })).toBe(true);
    expect(isOwn({ Origin: SITE })).toBe(true);
    expect(isOwn({ Origin: "https://behind.example" }, { PUBLIC_URL: "https://behind.example/x" })).toBe(
      true,
    );
  });

  it("is known behind a proxy that ends TLS", () => {
    const behind = new Request("http://mail.example/operator", { method: "POST", headers: { Origin: SITE } });
    expect(isSameOrigin(behind, configOf(env))).toBe(true);
  });

  it("is none of another site, of another host of the same one, or of nobody", () => {
    for (const site of ["cross-site", "same-site", "none"]) {
      expect(isOwn({ "Sec-Fetch-Site": site, Origin: SITE })).toBe(false);
    }
    for (const origin of [
      "https://evil.example",
      "http://mail.example",
      `${SITE}.evil.example`,
      "null",
      "",
    ]) {
      expect(isOwn({ Origin: origin })).toBe(false);
    }
    expect(isOwn({})).toBe(false);
  });
});
