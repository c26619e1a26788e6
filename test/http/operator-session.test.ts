import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { configOf } from "../../src/config/env.ts";
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

/** The parts of a session that a browser has. */
interface Held {
  cookie: string | null;
  token: string;
}

/** A page of the console, asked for by a browser. */
function request(held: Held | null, page = ""): Request {
  const headers = { Cookie: held?.cookie ?? "" };
  return new Request(`${SITE}/operator${held === null ? "" : `/${held.token}`}${page}`, { headers });
}

/** The part of a `Set-Cookie` that a browser sends back. */
function sent(setCookie: string): string {
  return setCookie.split(";")[0] ?? "";
}

function signedIn(config = configOf(env)): Held & { cookie: string } {
  const { cookie, pageToken } = beginSession(request(null), config);
  return { cookie: sent(cookie), token: pageToken };
}

async function session(held: Held) {
  const found = await readSession(request(held), env);
  if (found === null) throw new Error("There is no session");
  return found;
}

describe("the operator's session", () => {
  afterEach(resetClock);

  it("is a cookie that no script reads, no other site sends and no plain connection carries", () => {
    const { cookie } = beginSession(request(null), configOf(env));
    expect(cookie).toMatch(/^__Host-mailkeep_operator=[0-9a-f.]+; /);
    expect(cookie.split("; ").slice(1).toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=43200",
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
  });

  it("is sent over plain http on this machine only", () => {
    const cookieAt = (url: string, vars = {}) =>
      beginSession(new Request(url), configOf({ ...env, ...vars })).cookie;
    expect(cookieAt("http://127.0.0.1:8787/")).not.toMatch(/Secure|__Host-/);
    expect(cookieAt("http://mail.example/", { ALLOW_HTTP: "true" })).toMatch(/^__Host-.*Secure/);
    expect(cookieAt("http://127.0.0.1:8787/", { PUBLIC_URL: SITE })).toMatch(/^__Host-.*Secure/);
  });

  it("is valid until it expires", async () => {
    setClock(Date.UTC(2030, 0, 1));
    const held = signedIn();
    expect(await readSession(request(held), env)).not.toBeNull();
    advance(12 * HOUR_MS - 1);
    expect(await readSession(request(held), env)).not.toBeNull();
    advance(1);
    expect(await readSession(request(held), env)).toBeNull();
  });

  it("needs its page token in the path or in its header, and nowhere else", async () => {
    const { cookie, token } = signedIn();
    const isKnown = async (path: string, headers: Record<string, string> = {}) =>
      (await readSession(new Request(SITE + path, { headers: { Cookie: cookie, ...headers } }), env)) !==
      null;
    expect(await isKnown(`/operator/${token}`)).toBe(true);
    expect(await isKnown(`/operator/${token}/settings?q=x`)).toBe(true);
    expect(await isKnown("/operator/session", { "Mailkeep-Session": token })).toBe(true);
    for (const path of [
      "/operator",
      "/operator/settings",
      `/operator?token=${token}`,
      `/operator/settings/${token}`,
      `/operator/${token}0`,
      `/${token}`,
    ]) {
      expect([path, await isKnown(path)]).toEqual([path, false]);
    }
  });

  it("is invalid with the cookie alone, which other ports of the host also get, and with the token alone", async () => {
    const [{ cookie, token }, other] = [signedIn(), signedIn()];
    expect(await readSession(request({ cookie: null, token }), env)).toBeNull();
    const signature = cookie.split(".").at(-1) ?? "";
    const form = formToken(await session({ cookie, token }), configOf(env));
    for (const wrong of ["", "0".repeat(64), other.token, signature, form, token.toUpperCase()]) {
      const headers = { Cookie: cookie, "Mailkeep-Session": wrong };
      expect(await readSession(new Request(`${SITE}/v1/claim/confirm`, { headers }), env)).toBeNull();
      expect(await readSession(request({ cookie, token: wrong }), env)).toBeNull();
    }
  });

  it("is invalid without a cookie, and with an incomplete one", async () => {
    const { cookie, token } = signedIn();
    const name = cookie.split("=")[0] ?? "";
    const cookies = [null, "", `${name}=`, `${name}=1.2.3`, `${name}=${"0".repeat(32)}.9999999999999.`];
    for (const wrong of cookies) expect(await readSession(request({ cookie: wrong, token }), env)).toBeNull();
  });

  it("is invalid if a single character of it is changed", async () => {
    const { cookie, token } = signedIn();
    const begin = cookie.indexOf("=") + 1;
    for (let at = begin; at < cookie.length; at += 1) {
      const other = cookie[at] === "1" ? "2" : "1";
      const forged = cookie.slice(0, at) + other + cookie.slice(at + 1);
      expect(await readSession(request({ cookie: forged, token }), env)).toBeNull();
    }
  });

  it("is invalid in another deployment, and after a secret of the deployment has changed", async () => {
    const held = signedIn();
    const others = [
      { AUTH_TOKEN: "another-operator-token-0123456789-012" },
      { KEY_SECRET: "another-key-secret-0123456789-0123456" },
      { KEY_SECRET: undefined },
      { AUTH_TOKEN: undefined },
    ];
    for (const vars of others) expect(await readSession(request(held), { ...env, ...vars })).toBeNull();
  });

  it("works without KEY_SECRET", async () => {
    const bare = { ...env, KEY_SECRET: undefined };
    expect(await readSession(request(signedIn(configOf(bare))), bare)).not.toBeNull();
  });

  it("is invalid once it is ended, also for copies of it; other sessions continue", async () => {
    const [held, other] = [signedIn(), signedIn()];
    const gone = await endSession(request(held), env);
    expect(gone).toMatch(/^__Host-mailkeep_operator=; Max-Age=0/);
    expect(await readSession(request(held), env)).toBeNull();
    expect(await readSession(request(other), env)).not.toBeNull();
  });

  it("cannot be ended with its cookie alone", async () => {
    const held = signedIn();
    const bare = new Request(`${SITE}/operator/session`, { headers: { Cookie: held.cookie } });
    expect(await endSession(bare, env)).toMatch(/^__Host-mailkeep_operator=; Max-Age=0/);
    expect(await readSession(request(held), env)).not.toBeNull();
  });

  it("gives its forms a token that is valid in no other session and is neither cookie nor page token", async () => {
    const config = configOf(env);
    const [held, other] = [signedIn(), signedIn()];
    const token = formToken(await session(held), config);
    expect(isFormToken(token, await session(held), config)).toBe(true);
    expect(isFormToken(token, await session(other), config)).toBe(false);
    for (const wrong of [held.cookie.split(".").at(-1) ?? "", held.token, "", null]) {
      expect(isFormToken(wrong, await session(held), config)).toBe(false);
    }
  });
});

describe("a request from the service's own page", () => {
  const isOwn = (headers: Record<string, string>, vars = {}) =>
    isSameOrigin(new Request(`${SITE}/operator`, { method: "POST", headers }), configOf({ ...env, ...vars }));

  it("is recognized by the headers of its browser", () => {
    expect(isOwn({ "Sec-Fetch-Site": "same-origin" })).toBe(true);
    expect(isOwn({ Origin: SITE })).toBe(true);
    expect(isOwn({ Origin: "https://behind.example" }, { PUBLIC_URL: "https://behind.example/x" })).toBe(
      true,
    );
  });

  it("is recognized behind a proxy that ends TLS", () => {
    const behind = new Request("http://mail.example/operator", { method: "POST", headers: { Origin: SITE } });
    expect(isSameOrigin(behind, configOf(env))).toBe(true);
  });

  it("is not one of another site, of another host of the same site, or without these headers", () => {
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
