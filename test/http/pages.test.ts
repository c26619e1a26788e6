import { describe, expect, it } from "vitest";
import { NO_ENDPOINT, UNAUTHORIZED, problemBody, notFound } from "../../src/contract/problem.ts";
import { urlOfStatic } from "../../src/pages/static-files.ts";
import { api, ask, OPERATOR } from "../harness.ts";

const PAGES = ["/", "/claim", "/docs", "/docs/sending"];

describe("a page", () => {
  it.each(PAGES)(
    "runs nothing inline, loads nothing from elsewhere and cannot be framed: %s",
    async (path) => {
      const response = await api(path);
      expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      const policy = response.headers.get("Content-Security-Policy")?.split("; ");
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]);
      expect(response.headers.get("X-Frame-Options")).toBe("DENY");
      expect(await response.text()).not.toMatch(/<style|style=|<script(?![^>]+src="\/)|\son[a-z]+=/i);
    },
  );

  it.each(PAGES)("is not cached, not sniffed and not readable by other origins: %s", async (path) => {
    const { headers } = await api(path);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
    expect(headers.get("Permissions-Policy")).toContain("camera=()");
    expect(headers.get("Set-Cookie")).toBeNull();
  });

  it("may frame pages of this origin only if it shows mail", async () => {
    const { headers } = await api("/mailbox");
    const policy = headers.get("Content-Security-Policy")?.split("; ");
    expect(policy?.filter((directive) => /^(?:script|style|connect|frame)-/.test(directive))).toEqual([
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "frame-src 'self'",
    ]);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("trusted-types 'none'");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
  });

  it("answers 405 to other methods than GET", async () => {
    const response = await api("/", { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET");
  });
});

/** The Accept header of a browser that opens a page. */
const NAVIGATION = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the path of a page with a slash at its end", () => {
  it.each([
    ["/mailbox/", "/mailbox"],
    ["/mailbox/frame/?images=remote", "/mailbox/frame?images=remote"],
    ["/claim/?code=ABCD-EFGH&x=%2F%2Fy", "/claim?code=ABCD-EFGH&x=%2F%2Fy"],
    ["/docs/", "/docs"],
    ["/operator/", "/operator"],
    ["/operator/?q=a%20b", "/operator?q=a%20b"],
    ["/operator/settings/", "/operator/settings"],
    ["/operator/mailboxes/a%40mailkeep.test/", "/operator/mailboxes/a%40mailkeep.test"],
    ["/operator//", "/operator/"],
    ["/operator//evil.example/", "/operator//evil.example"],
  ])("redirects to the page and keeps the query: %s", async (path, page) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await api(`https://api.example${path}`, { method });
      expect([response.status, response.headers.get("Location")]).toEqual([308, page]);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(await response.text()).toBe("");
    }
  });

  it.each([
    "//",
    "//evil.example/",
    "//evil.example/mailbox/",
    "/\\evil.example/",
    "/%2Fevil.example/",
    "//mailbox/",
    "//operator/",
    "/mailbox%2F",
    "/nowhere/",
    "/v1/inbox/",
    "/health/",
    "/assets/main.css/",
  ])("does not redirect where there is no page: %s", async (path) => {
    const response = await api(`https://api.example${path}`, { headers: { Accept: NAVIGATION } });
    expect([404, 401]).toContain(response.status);
    expect(response.headers.get("Location")).toBeNull();
  });

  it("does not redirect other methods than GET", async () => {
    for (const path of ["/mailbox/", "/operator/", "/operator/settings/"]) {
      const response = await api(path, { method: "POST" });
      expect([404, 403]).toContain(response.status);
      expect(response.headers.get("Location")).toBeNull();
    }
  });
});

describe("an unknown path", () => {
  const PATHS = [
    "/nowhere",
    "/nowhere/",
    "//evil.example/",
    "/v10",
    "/docs/nothing",
    "/docs/constructor",
    "/assets/nothing.css",
  ];

  it.each(PATHS)("answers a browser with a page that has links: %s", async (path) => {
    const response = await api(`https://api.example${path}`, { headers: { Accept: NAVIGATION } });
    const ordinary = await api("/");
    expect(response.status).toBe(404);
    const id = { "x-request-id": expect.any(String) as string };
    expect(Object.fromEntries(response.headers)).toEqual({ ...Object.fromEntries(ordinary.headers), ...id });
    const page = await response.text();
    const main = page.slice(page.indexOf("<main"));
    expect([...main.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["/", "/docs"]);
    expect(page).not.toMatch(/evil|nowhere|nothing/);
  });

  it("answers HEAD as GET, without the page", async () => {
    const response = await api("/nowhere", { method: "HEAD", headers: { Accept: NAVIGATION } });
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toBe("");
  });

  it.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "application/json, text/plain, */*",
    "application/json, text/html;q=0.9",
    "text/html;q=0, */*",
    "text/plain",
  ])("answers a program with JSON: Accept %j", async (accept) => {
    for (const path of PATHS) {
      const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
      const { status, body } = await ask(`https://api.example${path}`, { headers });
      expect([status, body]).toEqual([404, problemBody(notFound("Page"))]);
    }
  });

  it("answers JSON below /v1 and to other methods than GET, whatever Accept says", async () => {
    const headers = { Accept: NAVIGATION };
    const unknown = await ask("/v1/nowhere", { headers, key: OPERATOR });
    expect([unknown.status, unknown.body]).toEqual([404, problemBody(NO_ENDPOINT)]);
    expect((await ask("/v1/nowhere", { headers })).body).toEqual(problemBody(UNAUTHORIZED));
    for (const path of ["/v1", "/v1/"]) {
      expect((await api(path, { headers, key: OPERATOR })).headers.get("Content-Type")).toContain("json");
    }
    const posted = await ask("/nowhere", { headers, method: "POST" });
    expect([posted.status, posted.body]).toEqual([404, problemBody(notFound("Page"))]);
    const wrong = await ask("/docs", { headers, method: "POST" });
    expect([wrong.status, wrong.body.code]).toEqual([405, "method_not_allowed"]);
  });
});

describe("the frame of a mail", () => {
  const policyOf = async (path: string): Promise<Record<string, string>> => {
    const { headers } = await api(path);
    const directives = headers.get("Content-Security-Policy")?.split("; ") ?? [];
    return Object.fromEntries(
      directives.map((directive) => [directive.split(" ")[0], directive.slice(directive.indexOf(" ") + 1)]),
    );
  };
  const SEEN = {
    "default-src": "'none'",
    "style-src": "'unsafe-inline'",
    "img-src": "data: blob:",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'self'",
    sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  };

  it("runs nothing, loads nothing, and can be framed by this origin only", async () => {
    expect(await policyOf("/mailbox/frame")).toEqual(SEEN);
    const { headers } = await api("/mailbox/frame");
    expect(headers.get("X-Frame-Options")).toBe("SAMEORIGIN");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-DNS-Prefetch-Control")).toBe("off");
  });

  it("may load remote images with exactly `images=remote`, and nothing else", async () => {
    const remote = { ...SEEN, "img-src": "data: blob: https: http:" };
    expect(await policyOf("/mailbox/frame?images=remote")).toEqual(remote);
    for (const query of ["images=", "images=Remote", "images=remote%20", "image=remote"]) {
      expect(await policyOf(`/mailbox/frame?${query}`)).toEqual(SEEN);
    }
  });
});

/** A browser paints nothing before the style sheet is there. Compressed, it fits into the first flight of packets (RFC 6928). */
const MAX_SHEET_BYTES = 7_000;
const SHEETS = ["main.css", "start.css", "docs.css", "reference.css", "mailbox.css", "operator.css"] as const;

describe("the style sheet of a page", () => {
  it.each([...PAGES, "/mailbox", "/operator/sign-in", "/nowhere"])("is one file: %s", async (path) => {
    const page = await (await api(path, { headers: { Accept: NAVIGATION } })).text();
    const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, href]) => href);
    expect(sheets).toEqual([expect.stringMatching(/^\/assets\/[a-z]+\.[0-9a-f]{16}\.css$/)]);
    expect(page.match(/rel="?stylesheet/g)).toHaveLength(1);
  });

  it.each(SHEETS)("has the common rules first, in at most 7 KB compressed: %s", async (name) => {
    const common = (await (await api(urlOfStatic("main.css"))).text()).trimEnd();
    expect(common.length).toBeGreaterThan(1_000);
    expect((await (await api(urlOfStatic(name))).text()).startsWith(common)).toBe(true);
    const packed = await api(urlOfStatic(name), { headers: { "Accept-Encoding": "gzip" } });
    expect(packed.headers.get("Content-Encoding")).toBe("gzip");
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(MAX_SHEET_BYTES);
  });
});

describe("a file that pages load", () => {
  async function sheet(): Promise<string> {
    const page = await (await api("/claim")).text();
    return /href="(\/assets\/main\.[0-9a-f]{16}\.css)"/.exec(page)?.[1] ?? "no sheet";
  }
  /** Decompresses a body: nothing between the handler and the test does. */
  function unpacked(response: Response): Promise<string> {
    expect(response.headers.get("Content-Encoding")).toBe("gzip");
    const packed = response.body ?? new Blob([]).stream();
    return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
  }
  const GZIP = { headers: { "Accept-Encoding": "gzip" } };

  it("is cached for a year under a path that contains a hash of its contents", async () => {
    const response = await api(await sheet(), GZIP);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await unpacked(response)).toContain("color-scheme");
  });

  it("is not sniffed, not loaded by other origins, and may do nothing when opened by itself", async () => {
    for (const name of ["main.css", "mailbox.js", "icon.svg"] as const) {
      const { status, headers } = await api(urlOfStatic(name));
      expect(status).toBe(200);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
      expect(headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    }
  });

  it("is answered with its current contents, uncached, to a page of another release", async () => {
    for (const path of ["/assets/main.0000000000000000.css", "/assets/main.css"]) {
      const response = await api(path, GZIP);
      expect(response.status).toBe(200);
      expect(response.headers.get("Cache-Control")).toBe("no-cache");
      expect(await unpacked(response)).toContain("color-scheme");
    }
  });

  it("has the same contents for clients that do not accept gzip", async () => {
    const path = await sheet();
    const plain = await api(path, { headers: { "Accept-Encoding": "identity" } });
    const packed = await api(path, GZIP);
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    expect(plain.headers.get("ETag")).not.toBe(packed.headers.get("ETag"));
    expect(plain.headers.get("Vary")).toBe("Accept-Encoding");
    expect(await plain.text()).toBe(await unpacked(packed));
  });

  it("is not sent again to a client that has it", async () => {
    const path = await sheet();
    const first = await api(path, GZIP);
    await first.arrayBuffer();
    const tag = first.headers.get("ETag") ?? "";
    const again = await api(path, { headers: { "Accept-Encoding": "gzip", "If-None-Match": tag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });

  it("is one of the list: other names answer 404", async () => {
    for (const name of ["nothing.css", "constructor", "..%2fassets.json", "_headers", "main.css.gz"]) {
      expect((await api(`/assets/${name}`)).status).toBe(404);
    }
    expect((await api("/_headers")).status).toBe(404);
  });
});
