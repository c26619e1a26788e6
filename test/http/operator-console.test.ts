import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { locatorOf } from "../../src/contract/key.ts";
import { monitorOf } from "../../src/metrics/flush.ts";
import { attention } from "../../src/pages/operator/attention.ts";
import { LAST_DAY, shownFigures } from "../../src/pages/operator/figures-data.ts";
import {
  actorOf,
  api,
  ask,
  clientAddress,
  createMailbox,
  deliver,
  mail,
  OPERATOR,
  plainMessage,
  resetClock,
  rowsOf,
  setClock,
  tablesOf,
  type Ask,
  type TestMailbox,
} from "../harness.ts";
import {
  broken,
  drain,
  endOutside,
  holdAlarms,
  HOOK,
  hooked,
  later,
  outside,
  receive,
} from "../webhook-target.ts";

const SITE = "https://api.example";
/** Hostile text that every page must show as text. */
const HOSTILE = `"'><img src=x onerror=alert(1)><script>alert(2)</script>&lt;`;
const SHOWN_HOSTILE =
  "&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(2)&lt;/script&gt;&amp;lt;";

const PAGES = [
  "/operator",
  "/operator?range=month",
  "/operator/mailboxes",
  "/operator/mailboxes?q=x&only=paused&sort=-created",
  "/operator/mailboxes/new",
  "/operator/mailboxes/nobody%40mailkeep.test",
  "/operator/webhooks",
  "/operator/outbox",
  "/operator/refusals",
  "/operator/halted",
  "/operator/doctor",
  "/operator/settings",
  "/operator/nothing",
];
const ACTIONS = [
  "/operator/sign-out",
  "/operator/mailboxes/new",
  "/operator/mailboxes/a%40mailkeep.test/key",
  "/operator/mailboxes/a%40mailkeep.test/pause",
  "/operator/mailboxes/a%40mailkeep.test/resume",
  "/operator/mailboxes/a%40mailkeep.test/delete",
  "/operator/sending/halt",
  "/operator/sending/resume",
];

/** A browser of the operator: its cookie, the base path of its pages, and the token of its forms. */
interface Browser {
  cookie: string;
  base: string;
  token: string;
}

function form(fields: Record<string, string>, headers: Record<string, string> = {}): Ask {
  return {
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
      Origin: SITE,
      ...headers,
    },
  };
}

function signIn(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return api("/operator/sign-in", form(fields, { "CF-Connecting-IP": clientAddress(), ...headers }));
}

async function operator(): Promise<Browser> {
  const answer = await signIn({ key: OPERATOR });
  const cookie = answer.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const base = answer.headers.get("Location") ?? "";
  const page = await (await api(base, { headers: { Cookie: cookie } })).text();
  return { cookie, base, token: /name="token" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? "no token" };
}

/** The path of a page in this browser's session; links on a page already contain it. */
function at({ base }: Browser, path: string): string {
  return path.startsWith(base) ? path : path.replace("/operator", base);
}

function open(browser: Browser, path: string): Promise<Response> {
  return api(at(browser, path), { headers: { Cookie: browser.cookie } });
}

async function read(browser: Browser, path: string): Promise<string> {
  return (await open(browser, path)).text();
}

function submit(
  browser: Browser,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const { cookie, token } = browser;
  return api(at(browser, path), form({ token, ...fields }, { Cookie: cookie, ...headers }));
}

const pathOf = (box: TestMailbox, action = "") =>
  `/operator/mailboxes/${encodeURIComponent(box.mailbox)}${action}`;

async function statusOf(box: TestMailbox): Promise<string> {
  const { status, body } = await ask<{ status: string }>(`/v1/mailboxes/${box.mailbox}`, { key: OPERATOR });
  return status === 404 ? "erased" : body.status;
}

afterEach(endOutside);

describe("signing in to the console", () => {
  it.each(PAGES)("is required before a page is shown: %s", async (path) => {
    const answer = await api(path);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe(`/operator/sign-in?next=${encodeURIComponent(path)}`);
    expect(await answer.text()).toBe("");
  });

  it.each(ACTIONS)("is required before an action: %s", async (path) => {
    const answer = await api(path, form({ name: "sneaked", token: "0".repeat(64) }));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Sign in and do it again");
    expect((await ask("/v1/mailboxes/sneaked@mailkeep.test", { key: OPERATOR })).status).toBe(404);
  });

  it("accepts the operator key, and redirects to the requested page", async () => {
    const answer = await signIn({ key: ` ${OPERATOR} `, next: "/operator/settings" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toMatch(/^\/operator\/[0-9a-f]{64}\/settings$/);
    expect(answer.headers.get("Set-Cookie")).toMatch(/^__Host-mailkeep_operator=.*HttpOnly.*SameSite=Strict/);
  });

  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "javascript:alert(1)",
    "operator",
    "/operatorx",
    "/mailbox",
    "/",
    "",
  ])("leads nowhere else: %s", async (next) => {
    expect((await signIn({ key: OPERATOR, next })).headers.get("Location")).toMatch(
      /^\/operator\/[0-9a-f]{64}$/,
    );
    const page = await (await api(`/operator/sign-in?next=${encodeURIComponent(next)}`)).text();
    expect(page).toContain('name="next" value="/operator"');
  });

  it("refuses any other key, a mailbox's too, and does not repeat it", async () => {
    const box = await createMailbox();
    for (const key of [`${OPERATOR}x`, OPERATOR.toUpperCase(), box.api_key, HOSTILE]) {
      const answer = await signIn({ key });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("Set-Cookie")).toBeNull();
      const page = await answer.text();
      expect(page).toContain("not the operator key");
      expect(page).not.toContain(key);
    }
    expect((await signIn({ key: "" })).status).toBe(400);
  });

  it("limits wrong keys by client address, together with those of the API; the right one still works", async () => {
    const from = { "CF-Connecting-IP": clientAddress() };
    const vars = { BAD_KEY_LIMIT: "3" };
    const wrong = () => api("/operator/sign-in", { ...form({ key: "wrong" }, from), vars });
    expect((await wrong()).status).toBe(403);
    expect((await api("/v1/me", { key: "wrong", headers: from, vars })).status).toBe(401);
    expect((await wrong()).status).toBe(403);
    const limited = await wrong();
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await limited.text()).toContain("Too many wrong keys");
    expect((await api("/v1/me", { key: "wrong", headers: from, vars })).status).toBe(429);
    expect((await api("/operator/sign-in", { ...form({ key: OPERATOR }, from), vars })).status).toBe(303);
  });

  it("cannot be done by a form of another site", async () => {
    const answer = await signIn(
      { key: OPERATOR },
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  });

  it("is impossible if no operator key is set", async () => {
    const vars = { AUTH_TOKEN: undefined };
    expect(await (await api("/operator/sign-in", { vars })).text()).toContain("has no operator");
    for (const key of ["", "undefined", OPERATOR]) {
      const answer = await api("/operator/sign-in", { ...form({ key }), vars });
      expect(answer.headers.get("Set-Cookie")).toBeNull();
    }
  });

  it("redirects from a page of an earlier session to the same page of the new one", async () => {
    const old = await operator();
    await submit(old, "/operator/sign-out");
    const asked = await open(old, "/operator/outbox?q=x");
    const signInAt = new URL(asked.headers.get("Location") ?? "", SITE);
    expect(signInAt.pathname).toBe("/operator/sign-in");
    const next = signInAt.searchParams.get("next") ?? "";
    expect(next).toBe("/operator/outbox?q=x");
    for (const wanted of [next, `${old.base}/outbox?q=x`]) {
      const location = (await signIn({ key: OPERATOR, next: wanted })).headers.get("Location") ?? "";
      expect(location).toMatch(/^\/operator\/[0-9a-f]{64}\/outbox\?q=x$/);
      expect(location).not.toContain(old.base);
    }
  });

  it("ends with signing out", async () => {
    const browser = await operator();
    const answer = await submit(browser, "/operator/sign-out");
    expect(answer.headers.get("Location")).toBe("/operator/sign-in?done=signed-out");
    expect(answer.headers.get("Set-Cookie")).toMatch(/=; Max-Age=0/);
    expect((await open(browser, "/operator")).status).toBe(303);
    expect((await submit(browser, "/operator/mailboxes/new", { name: "late" })).status).toBe(403);
  });

  it("gives no access to the API, and an API key gives no access to pages", async () => {
    const { cookie } = await operator();
    expect((await ask("/v1/mailboxes", { headers: { Cookie: cookie } })).status).toBe(401);
    expect((await api("/operator", { key: OPERATOR })).status).toBe(303);
  });
});

describe("a cookie that a server on another port received", () => {
  it.each(PAGES)("opens no page: %s", async (path) => {
    const [{ cookie }, other] = [await operator(), await operator()];
    for (const wanted of [
      path,
      at(other, path),
      at({ ...other, base: `/operator/${"0".repeat(64)}` }, path),
    ]) {
      const answer = await api(wanted, { headers: { Cookie: cookie } });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe(`/operator/sign-in?next=${encodeURIComponent(path)}`);
      expect(answer.headers.get("Set-Cookie")).toBeNull();
      expect(await answer.text()).toBe("");
    }
  });

  it("gets no answer that helps to open one", async () => {
    const { cookie, base, token } = await operator();
    for (const path of ["/operator/sign-in", "/operator/session", "/claim", "/", "/mailbox"]) {
      const answer = await api(path, { headers: { Cookie: cookie } });
      const told = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
      expect(told).not.toContain(base.split("/")[2]);
      expect(told).not.toContain(token);
    }
  });

  it.each(ACTIONS)("does nothing, whatever else the request contains: %s", async (path) => {
    const { cookie, base, token } = await operator();
    const box = await createMailbox();
    const wanted = path.replace("a%40mailkeep.test", encodeURIComponent(box.mailbox));
    const answer = await api(
      wanted,
      form({ token, name: "sneaked", confirm: box.mailbox }, { Cookie: cookie }),
    );
    expect(answer.status).toBe(403);
    expect(await statusOf(box)).toBe("active");
    expect((await ask("/v1/mailboxes/sneaked@mailkeep.test", { key: OPERATOR })).status).toBe(404);
    expect((await open({ cookie, base, token }, "/operator")).status).toBe(200);
  });
});

describe("the address of a page", () => {
  it("opens nothing without the cookie of its session", async () => {
    const [browser, other] = [await operator(), await operator()];
    for (const Cookie of ["", other.cookie]) {
      const answer = await api(at(browser, "/operator/settings"), { headers: { Cookie } });
      expect([answer.status, await answer.text()]).toEqual([303, ""]);
    }
  });
});

describe("a form of the console", () => {
  let browser: Browser;
  let box: TestMailbox;
  beforeEach(async () => {
    browser = await operator();
    box = await createMailbox();
  });

  const REFUSED: [string, Record<string, string>][] = [
    ["another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
    ["another host of the same site", { "Sec-Fetch-Site": "same-site", Origin: "https://evil.api.example" }],
    ["nowhere", { "Sec-Fetch-Site": "none", Origin: "null" }],
  ];
  it.each(REFUSED)("does nothing when it comes from %s, cookie and token or not", async (_, headers) => {
    for (const action of ["/pause", "/delete"]) {
      const answer = await submit(browser, pathOf(box, action), { confirm: box.mailbox }, headers);
      expect(answer.status).toBe(403);
    }
    expect(await statusOf(box)).toBe("active");
  });

  it("does nothing without a token, with a wrong one, or with that of another session", async () => {
    const other = await operator();
    const pageToken = browser.base.split("/")[2] ?? "";
    for (const token of ["", "0".repeat(64), other.token, browser.cookie, pageToken]) {
      const answer = await submit({ ...browser, token }, pathOf(box, "/pause"));
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("Nothing was changed");
    }
    expect(await statusOf(box)).toBe("active");
  });

  it("does nothing if the body is not a form, or too long", async () => {
    const json = JSON.stringify({ token: browser.token });
    const wrongType = await api(at(browser, pathOf(box, "/pause")), {
      ...form({}, { Cookie: browser.cookie, "Content-Type": "text/plain" }),
      body: json,
    });
    expect(wrongType.status).toBe(403);
    expect((await submit(browser, pathOf(box, "/pause"), { reason: "x".repeat(20_000) })).status).toBe(403);
    expect(await statusOf(box)).toBe("active");
  });

  it("does nothing by GET", async () => {
    for (const action of ["/pause", "/delete", "/resume"]) {
      const answer = await open(
        browser,
        `${pathOf(box, action)}?token=${browser.token}&confirm=${box.mailbox}`,
      );
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe(at(browser, pathOf(box)));
    }
    expect(await statusOf(box)).toBe("active");
  });
});

describe("a page of the console", () => {
  it.each(PAGES)("runs nothing inline, and can be neither framed nor cached: %s", async (path) => {
    const answer = await open(await operator(), path);
    const { headers } = answer;
    expect(headers.get("Content-Security-Policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers.get("Content-Security-Policy")).toContain("form-action 'self'; frame-ancestors 'none'");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
    const page = await answer.text();
    expect(page).not.toMatch(/<style|style=|<script(?![^>]+src="\/)|\son[a-z]+=/i);
    // Every form except the search, which changes nothing, has the session's token.
    expect(page.match(/<form [^>]*method="post"/g)?.length).toBe(page.match(/name="token"/g)?.length);
  });

  it.each(PAGES)("links only to pages of its session: %s", async (path) => {
    const browser = await operator();
    const page = await read(browser, path);
    const linked = [...page.matchAll(/ (?:href|action)="(\/operator[^"]*)"/g)].map(([, link]) => link ?? "");
    expect(linked.length).toBeGreaterThan(0);
    for (const link of linked) {
      expect(
        link.startsWith(browser.base) && /^(?:[/?]|$)/.test(link.slice(browser.base.length)) ? "" : link,
      ).toBe("");
    }
  });

  it("that does not exist shows an error", async () => {
    const browser = await operator();
    for (const path of [
      "/operator/nothing",
      "/operator/mailboxes/nobody%40mailkeep.test",
      "/operator/mailboxes/x",
    ]) {
      const answer = await open(browser, path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain("Not found");
    }
  });
});

describe("the operator", () => {
  let browser: Browser;
  beforeEach(async () => {
    browser = await operator();
  });
  afterEach(resetClock);

  it("creates a mailbox and sees its key in that answer only", async () => {
    const name = `made-${crypto.randomUUID().slice(0, 8)}`;
    const answer = await submit(browser, "/operator/mailboxes/new", { name: ` ${name.toUpperCase()} ` });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const key = /mk_[0-9a-f]{64}/.exec(await answer.text())?.[0] ?? "";
    expect((await ask("/v1/me", { key })).body).toMatchObject({
      mailbox: `${name}@mailkeep.test`,
      scope: "mailbox",
    });
    expect(await read(browser, `/operator/mailboxes/${name}%40mailkeep.test`)).not.toContain(key);
  });

  it("creates a temporary mailbox by its whole address", async () => {
    const address = `temp-${crypto.randomUUID().slice(0, 8)}@mailkeep.test`;
    const answer = await submit(browser, "/operator/mailboxes/new", { name: address, kind: "temporary" });
    const key = /mk_[0-9a-f]{64}/.exec(await answer.text())?.[0] ?? "";
    expect((await ask("/v1/me", { key })).body).toMatchObject({ mailbox: address, scope: "provisional" });
    expect(await read(browser, `/operator/mailboxes/${encodeURIComponent(address)}`)).toContain(
      "Erases itself",
    );
  });

  it("sees why a name is refused, and the typed text stays in the form", async () => {
    const box = await createMailbox();
    const taken = box.mailbox.split("@")[0] ?? "";
    const refusals: [string, number, string][] = [
      [taken, 409, "is taken"],
      ["postmaster", 400, "reserved"],
      ["two words", 400, "is not a valid name"],
      [HOSTILE, 400, "is not a valid name"],
      ["", 400, "is not a valid name"],
      ["a@elsewhere.example", 400, "is not a valid name"],
    ];
    for (const [name, status, words] of refusals) {
      const answer = await submit(browser, "/operator/mailboxes/new", { name });
      expect([name, answer.status]).toEqual([name, status]);
      const page = await answer.text();
      expect(page).toContain(words);
      expect(page).not.toContain("<img");
    }
  });

  it("pauses with a reason and resumes", async () => {
    const box = await createMailbox();
    const paused = await submit(browser, pathOf(box, "/pause"), { reason: " Too loud. " });
    expect(paused.headers.get("Location")).toBe(at(browser, `${pathOf(box)}?done=paused`));
    expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(403);
    expect(await read(browser, `${pathOf(box)}?done=paused`)).toMatch(/is paused\.[\s\S]*Too loud\./);
    expect((await submit(browser, pathOf(box, "/pause"), { reason: "x".repeat(501) })).status).toBe(400);
    await submit(browser, pathOf(box, "/resume"));
    expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(200);
  });

  it("erases a mailbox by typing its address, and nothing by typing another", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    for (const confirm of ["", "yes", other.mailbox, box.mailbox.split("@")[0] ?? ""]) {
      const answer = await submit(browser, pathOf(box, "/delete"), { confirm });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("Nothing was erased");
    }
    expect(await statusOf(box)).toBe("active");
    const erased = await submit(browser, pathOf(box, "/delete"), {
      confirm: ` ${box.mailbox.toUpperCase()}`,
    });
    expect(erased.headers.get("Location")).toBe(`${browser.base}/mailboxes?done=deleted`);
    expect(await statusOf(box)).toBe("erased");
    expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(401);
    expect(await statusOf(other)).toBe("active");
    expect((await submit(browser, pathOf(box, "/pause"))).status).toBe(404);
  });

  it("finds mailboxes, page after page", async () => {
    const run = `find-${crypto.randomUUID().slice(0, 8)}`;
    for (let n = 10; n < 40; n += 1) await createMailbox("permanent", `${run}-${n}`);
    const first = await read(browser, `/operator/mailboxes?q=${run.toUpperCase()}`);
    expect(first).toContain("30 mailboxes found");
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "no next";
    const second = await read(browser, next);
    const listed = [...(first + second).matchAll(/find-[0-9a-f]{8}-(\d\d)@mailkeep\.test<\/a>/g)];
    expect(listed.map(([, n]) => Number(n))).toEqual(Array.from({ length: 30 }, (_, n) => n + 10));
    expect(second).not.toContain('rel="next"');
    expect(await read(browser, `/operator/mailboxes?q=${run}-17`)).toContain("1 mailbox found");
    expect(await read(browser, "/operator/mailboxes?q=nobody-is-called-so")).toContain("Nothing found");
  });

  it("sorts mailboxes by address and creation, both ways, page after page", async () => {
    const run = `sort-${crypto.randomUUID().slice(0, 8)}`;
    const name = (n: number) => `${run}-${String((n * 7) % 30).padStart(2, "0")}`;
    for (let n = 0; n < 30; n += 1) {
      setClock(Date.now() + 1_000);
      await createMailbox("permanent", name(n));
    }
    resetClock();
    const made = Array.from({ length: 30 }, (_, n) => `${name(n)}@mailkeep.test`);
    const orders = {
      address: made.toSorted(),
      "-address": made.toSorted().toReversed(),
      created: made,
      "-created": made.toReversed(),
    };
    for (const [sort, expected] of Object.entries(orders)) {
      const first = await read(browser, `/operator/mailboxes?q=${run}&sort=${sort}`);
      const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "no next";
      const listed = (first + (await read(browser, next))).matchAll(/>(sort-\S+@mailkeep\.test)<\/a>/g);
      expect([...listed].map(([, address]) => address)).toEqual(expected);
      expect(first).toContain(sort.startsWith("-") ? 'aria-sort="descending"' : 'aria-sort="ascending"');
    }
  });

  it("sees a list although one of its mailboxes does not answer", async () => {
    const run = `late-${crypto.randomUUID().slice(0, 8)}`;
    const [late, other] = [
      await createMailbox("permanent", `${run}-a`),
      await createMailbox("permanent", `${run}-b`),
    ];
    await deliver(other.mailbox, plainMessage());
    const silent = { overview: () => new Promise<never>(() => undefined) };
    const getByName = (name: string) =>
      name === locatorOf(late.mailbox) ? silent : env.MAILBOX.getByName(name);
    const answer = await api(at(browser, `/operator/mailboxes?q=${run}`), {
      headers: { Cookie: browser.cookie },
      vars: { MAILBOX: { getByName } },
    });
    const page = await answer.text();
    const [, first = "", second = ""] = page.split('<th scope="row">');
    expect(first).toContain(late.mailbox);
    expect(first.match(/no answer/g)).toHaveLength(4);
    expect(second).not.toContain("no answer");
    expect(await read(browser, `/operator/mailboxes?q=${run}`)).not.toContain("no answer");
  });

  it("changes no mailbox by looking at the list", async () => {
    const box = await createMailbox();
    const before = await rowsOf(box.mailbox, "SELECT * FROM account");
    const tables = await tablesOf(box.mailbox);
    await read(browser, `/operator/mailboxes?q=${box.mailbox}`);
    expect(await rowsOf(box.mailbox, "SELECT * FROM account")).toEqual(before);
    expect(await tablesOf(box.mailbox)).toEqual(tables);
  });

  it("makes a further key of a mailbox, with the rights of its kind", async () => {
    for (const [kind, scope] of [
      ["permanent", "mailbox"],
      ["temporary", "provisional"],
    ] as const) {
      const box = await createMailbox(kind);
      const answer = await submit(browser, pathOf(box, "/key"), { id: await keyId(box) });
      expect(answer.status).toBe(201);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      const key = /mk_[0-9a-f]{64}/.exec(await answer.text())?.[0] ?? "";
      expect(key).not.toBe(box.api_key);
      for (const one of [key, box.api_key]) {
        expect((await ask("/v1/me", { key: one })).body).toMatchObject({ mailbox: box.mailbox, scope });
      }
    }
    const id = crypto.randomUUID();
    expect((await submit(browser, "/operator/mailboxes/nobody%40mailkeep.test/key", { id })).status).toBe(
      404,
    );
  });

  it("makes one key by one form, which a reload of the page with the key sends again", async () => {
    const box = await createMailbox();
    const id = await keyId(box);
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push(await submit(browser, pathOf(box, "/key"), { id }));
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409]);
    const [first = "", ...again] = await Promise.all(answers.map((answer) => answer.text()));
    const key = /mk_[0-9a-f]{64}/.exec(first)?.[0] ?? "";
    expect((await ask("/v1/me", { key })).status).toBe(200);
    for (const page of again) {
      expect(page).toContain("No further key was made");
      expect(page).not.toMatch(/mk_[0-9a-f]/);
    }
    const { body } = await ask<{ keys: { id: string }[] }>("/v1/keys", { key: box.api_key });
    expect(body.keys.map((one) => one.id)).toContain(id);
    expect(body.keys).toHaveLength(2);
    for (const wrong of ["", "x", HOSTILE]) {
      expect((await submit(browser, pathOf(box, "/key"), { id: wrong })).status).toBe(400);
    }
    expect(await keyId(box)).not.toBe(id);
  });

  /** The id in the form that makes a key of a mailbox. */
  async function keyId(box: TestMailbox): Promise<string> {
    return /name="id" value="([^"]*)"/.exec(await read(browser, pathOf(box)))?.[1] ?? "";
  }

  it("sees first what needs attention, each with the page that handles it", async () => {
    const put = (findings: object[]) =>
      ask("/v1/doctor", { key: OPERATOR, method: "PUT", json: { version: 1, findings } });
    const finding = (level: string, title: string) => ({ id: "dns.mx", level, title, cost: "", fix: "" });
    await put([finding("broken", HOSTILE), finding("warning", "No SPF record"), finding("ok", "TLS")]);
    const box = await createMailbox();
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => life.outbox.noteObstacle("530 log in", 0));
    await submit(browser, pathOf(box, "/pause"), { reason: "Too loud." });
    const told = { series: { "mailkeep_refusals_total|smtp|mailbox_full": [3] }, activities: {} };
    await monitorOf(env).tell(told);
    const page = await read(browser, "/operator");
    const list = /<ul class="rows attention">([\s\S]*?)<\/ul>/.exec(page)?.[1] ?? "";
    const lines = list.split("<li>").slice(1);
    const leads = (words: string, way: string) => {
      const line = lines.find((one) => one.includes(words)) ?? "no such line";
      expect(line).toContain(`href="${browser.base}${way}`);
      return lines.indexOf(line);
    };
    expect(leads(SHOWN_HOSTILE, "/doctor")).toBe(0);
    leads("cannot send", "/halted");
    leads("refusals: mailbox_full", "/refusals?range=month");
    expect(leads("1 warning", "/doctor")).toBe(lines.length - 1);
    expect(list).not.toContain("TLS");

    const halted = await read(browser, "/operator/halted");
    expect(halted).toContain("530 log in");
    expect(halted).toContain("Too loud.");
    expect(await read(browser, "/operator/refusals")).toMatch(/mailbox_full<\/code>[\s\S]*?>3</);
    await put([]);
    expect(await read(browser, "/operator")).not.toContain("onerror");
  });

  it("has nothing to attend to in a deployment without trouble", () => {
    const day = shownFigures(LAST_DAY, [], Date.now());
    const tally = { total: 3, paused: 1, failing: 0, cannotSend: 0 };
    expect(attention({ day, totals: {}, diagnosis: null, tally, halt: null, unready: [] })).toEqual([]);
  });

  it("halts all sending with a reason and resumes it, if the form confirms it", async () => {
    const state = async () => (await mail(OPERATOR).deployment.sending()).reason;
    const isHalted = async () => (await mail(OPERATOR).deployment.sending()).status === "halted";
    onTestFinished(() => void mail(OPERATOR).deployment.resumeSending());
    const refused: Record<string, string>[] = [
      {},
      { confirm: "no" },
      { confirm: "yes", reason: "x".repeat(501) },
    ];
    for (const fields of refused) {
      expect((await submit(browser, "/operator/sending/halt", fields)).status).toBe(400);
      expect(await isHalted()).toBe(false);
    }
    const halted = await submit(browser, "/operator/sending/halt", {
      confirm: "yes",
      reason: ` ${HOSTILE} `,
    });
    expect(halted.status).toBe(303);
    expect(await state()).toBe(HOSTILE);
    const page = await read(browser, halted.headers.get("Location") ?? "");
    expect(page).toContain("All sending is halted");
    for (const place of ["/operator", "/operator/halted"])
      expect(await read(browser, place)).toContain(SHOWN_HOSTILE);
    expect(await read(browser, "/operator/outbox")).toContain("All sending is halted");
    // The first of all that needs attention.
    expect((await read(browser, "/operator")).split("<li>")[1]).toContain("All sending is halted");
    expect((await submit(browser, "/operator/sending/resume")).status).toBe(400);
    expect(await isHalted()).toBe(true);
    const resumed = await submit(browser, "/operator/sending/resume", { confirm: "yes" });
    expect(resumed.status).toBe(303);
    expect(await isHalted()).toBe(false);
    expect(await read(browser, resumed.headers.get("Location") ?? "")).toContain("Sending is resumed");
    expect((await open(browser, "/operator/sending/halt")).status).toBe(303);
  });

  it("sees storage and counters of a mailbox", async () => {
    const box = await createMailbox();
    const raw = plainMessage({ body: "x".repeat(5_000) });
    await deliver(box.mailbox, raw);
    const page = await read(browser, pathOf(box));
    expect(page).toMatch(/5\.\d KB of 5 GB stored/);
    expect(page).toMatch(/<strong>1<\/strong>\s*<span>received<\/span>/);
    expect(page).toContain("0 of 100");
  });

  it("sees the relay's error, as text, until the relay accepts a message", async () => {
    const box = await createMailbox();
    const shown = () => read(browser, pathOf(box));
    expect(await shown()).not.toContain('<span class="badge bad">refused</span>');
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => life.outbox.noteObstacle(HOSTILE, 0));
    expect(await shown()).toContain('<span class="badge bad">refused</span>');
    expect(await shown()).toContain(SHOWN_HOSTILE);
    const sent = { to: "ann@example.net", subject: "x", text: "x" };
    await ask("/v1/send?wait=10", { key: box.api_key, json: sent });
    expect(await shown()).not.toContain('<span class="badge bad">refused</span>');
  });

  it("sees which webhooks fail and why, until they are repaired", async () => {
    holdAlarms();
    browser = await operator();
    outside(broken);
    const box = await hooked();
    for (let count = 0; count < 10; count += 1) await receive(box);
    await drain(box);
    await later(box, 1_000);
    const page = await read(browser, "/operator/webhooks");
    expect(page).toContain(box.mailbox);
    expect(page).toContain("10 deliveries in a row failed");
    expect(page).toContain("it was refused (status 500)");
    expect(await read(browser, `/operator/mailboxes?only=failing&q=${box.mailbox}`)).toContain(
      '<span class="badge bad">1 of 1</span>',
    );
    await ask("/v1/mailbox", { key: box.api_key, method: "PATCH", json: { webhook_url: HOOK } });
    await later(box, 1_000);
    expect(await read(browser, "/operator/webhooks")).not.toContain(box.mailbox);
  });

  it("sees unsent mail with its source, and no other mail", async () => {
    holdAlarms();
    browser = await operator();
    const box = await createMailbox();
    const subject = `Subject ${crypto.randomUUID()}`;
    const json = { to: ["ann@example.com"], bcc: ["ben@example.com"], subject, text: "Kept text." };
    const { body } = await ask<{ id: string }>("/v1/send?wait=5", { key: box.api_key, json });
    await later(box, 1_000);
    expect(await read(browser, "/operator/outbox")).toContain(subject);
    expect(await read(browser, `/operator/mailboxes?only=kept&q=${box.mailbox}`)).toContain(
      "1 mailbox found",
    );

    const path = `/operator/outbox/${encodeURIComponent(box.mailbox)}`;
    expect(await read(browser, path)).toContain("ann@example.com, ben@example.com");
    const page = await read(browser, `${path}/${body.id}`);
    expect(page).toContain("Kept text.");
    const raw = await open(browser, `${path}/${body.id}/raw`);
    expect(raw.headers.get("Content-Disposition")).toBe('attachment; filename="message.eml"');
    expect(raw.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const bytes = new Uint8Array(await raw.arrayBuffer());
    const own = await api(`/v1/emails/${body.id}/raw`, { key: box.api_key });
    expect(bytes).toEqual(new Uint8Array(await own.arrayBuffer()));

    const received = await deliver(box.mailbox, plainMessage({ subject: "Private" }));
    for (const id of [received.body.id, "nothing", crypto.randomUUID()]) {
      for (const ending of ["", "/raw"]) {
        const answer = await open(browser, `${path}/${id}${ending}`);
        expect(answer.status).toBe(404);
        expect(await answer.text()).not.toContain("Private");
      }
    }
    expect((await open(browser, "/operator/outbox/nobody%40mailkeep.test")).status).toBe(404);
    expect((await open(browser, `${path}?cursor=!`)).status).toBe(400);
  });

  it("sees the outbox although a mailbox does not answer", async () => {
    holdAlarms();
    browser = await operator();
    const box = await createMailbox();
    const json = { to: "ann@example.com", subject: "Kept", text: "Kept text." };
    await ask("/v1/send?wait=5", { key: box.api_key, json });
    await later(box, 1_000);
    expect(await read(browser, "/operator/outbox")).not.toContain("not answer");
    const silent = { unsent: () => new Promise<never>(() => undefined) };
    const answer = await api(at(browser, "/operator/outbox"), {
      headers: { Cookie: browser.cookie },
      vars: { MAILBOX: { getByName: () => silent } },
    });
    expect(await answer.text()).toMatch(/mailbox(?:es do| does) not answer: messages may be missing\./);
  });

  it("pages through the unsent mail of a mailbox", async () => {
    const box = await createMailbox();
    for (let n = 10; n < 40; n += 1) {
      const json = { to: "ann@example.com", subject: `Letter ${n}`, text: "x" };
      await ask("/v1/send?wait=5", { key: box.api_key, json });
    }
    const path = `/operator/outbox/${encodeURIComponent(box.mailbox)}`;
    const first = await read(browser, path);
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? "no next";
    const listed = [...(first + (await read(browser, next))).matchAll(/Letter (\d\d)/g)].map(([, n]) =>
      Number(n),
    );
    expect(listed).toEqual(Array.from({ length: 30 }, (_, n) => 39 - n));
  });

  it("sees the settings; secrets are shown only as set or not set", async () => {
    const vars = {
      SMTP_URL: "smtp://relay-user:relay-password@relay.example:2587",
      DKIM_SELECTOR: "mk2026",
      DKIM_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\nsecret-key-body\n-----END PRIVATE KEY-----",
      WEBHOOK_SECRET_PREVIOUS: "the-webhook-secret-before-this-one",
      EMBEDDINGS_URL: "https://embeddings.example/secret-path",
      EMBEDDINGS_MODEL: "model-of-tests",
      EMBEDDINGS_KEY: "embeddings-key-value",
      DOH_URL: "https://resolver.example/secret-path",
      TURNSTILE_SITE_KEY: "turnstile-site",
      TURNSTILE_SECRET_KEY: "turnstile-secret-value",
    };
    const answer = await api(at(browser, "/operator/settings"), {
      headers: { Cookie: browser.cookie },
      vars,
    });
    const page = await answer.text();
    for (const shown of [
      "relay.example:2587",
      "mk2026",
      "mailkeep.test",
      "WEBHOOK_SECRET_PREVIOUS",
      "/docs",
    ]) {
      expect(page).toContain(shown);
    }
    const all: Record<string, unknown> = { ...env, ...vars };
    const secrets = ["AUTH_TOKEN", "KEY_SECRET", "WEBHOOK_SECRET", "WEBHOOK_SECRET_PREVIOUS"].map(
      (name) => all[name],
    );
    for (const secret of [
      ...secrets,
      "relay-user",
      "relay-password",
      "secret-key-body",
      "PRIVATE KEY",
      "secret-path",
      "embeddings-key-value",
      "turnstile-secret-value",
    ]) {
      expect(secret).toEqual(expect.any(String));
      expect(page).not.toContain(secret);
    }
  });

  it("sees texts of strangers as text on every page", async () => {
    const box = await createMailbox();
    const own = { key: box.api_key, method: "PATCH" };
    await ask("/v1/mailbox", { ...own, json: { display_name: HOSTILE } });
    await ask("/v1/mailbox/routes", {
      key: box.api_key,
      method: "PUT",
      json: { label: "<b>label", webhook_url: "https://hooks.example.com/?a='\"<script>" },
    });
    const json = { to: "ann@example.com", subject: HOSTILE, text: HOSTILE };
    const { body } = await ask<{ id: string }>("/v1/send?wait=5", { key: box.api_key, json });
    await submit(browser, pathOf(box, "/pause"), { reason: HOSTILE });
    const outbox = `/operator/outbox/${encodeURIComponent(box.mailbox)}`;
    const pages = [
      pathOf(box),
      outbox,
      `${outbox}/${body.id}`,
      `/operator/mailboxes?q=${encodeURIComponent(HOSTILE)}`,
    ];
    for (const path of pages) {
      const page = await read(browser, path);
      expect(page).toContain(path.includes("?q=") ? SHOWN_HOSTILE.toLowerCase() : SHOWN_HOSTILE);
      expect(page).not.toMatch(/<img|<b>|<script(?! defer="" src="\/assets\/)/);
    }
  });
});
