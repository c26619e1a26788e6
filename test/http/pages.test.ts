import { describe, expect, it } from "vitest";
import { api } from "../harness.ts";

const PAGES = ["/", "/claim"];

describe("a page", () => {
  it.each(PAGES)("runs nothing inline, loads nothing foreign and is framed by nobody: %s", async (path) => {
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
  });

  it.each(PAGES)("is kept by no cache, sniffed by nobody, readable for no other origin: %s", async (path) => {
    const { headers } = await api(path);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
    expect(headers.get("Permissions-Policy")).toContain("camera=()");
    expect(headers.get("Set-Cookie")).toBeNull();
  });

  it("may frame a page of ours where it shows mail, and nothing else besides", async () => {
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

  it("answers 405 to what is no GET", async () => {
    const response = await api("/", { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET");
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

  it("runs nothing, loads nothing, and is framed by us alone", async () => {
    expect(await policyOf("/mailbox/frame")).toEqual(SEEN);
    const { headers } = await api("/mailbox/frame");
    expect(headers.get("X-Frame-Options")).toBe("SAMEORIGIN");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-DNS-Prefetch-Control")).toBe("off");
  });

  it("may load images of others where that is asked for, by this one word, and nothing else", async () => {
    const remote = { ...SEEN, "img-src": "data: blob: https: http:" };
    expect(await policyOf("/mailbox/frame?images=remote")).toEqual(remote);
    for (const query of ["images=", "images=Remote", "images=remote%20", "image=remote"]) {
      expect(await policyOf(`/mailbox/frame?${query}`)).toEqual(SEEN);
    }
  });
});

describe("a file that pages load", () => {
  async function sheet(): Promise<string> {
    const page = await (await api("/")).text();
    return /href="(\/assets\/main\.css\?v=[0-9a-f]+)"/.exec(page)?.[1] ?? "no sheet";
  }
  /** Nothing between the handler and the test undoes the coding. */
  function unpacked(response: Response): Promise<string> {
    expect(response.headers.get("Content-Encoding")).toBe("gzip");
    const packed = response.body ?? new Blob([]).stream();
    return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
  }
  const GZIP = { headers: { "Accept-Encoding": "gzip" } };

  it("is kept for good under an address that names its contents", async () => {
    const response = await api(await sheet(), GZIP);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await unpacked(response)).toContain("color-scheme");
  });

  it("is given to who asks for another release's, and kept by nobody", async () => {
    for (const path of ["/assets/main.css?v=0000000000000000", "/assets/main.css"]) {
      const response = await api(path, GZIP);
      expect(response.status).toBe(200);
      expect(response.headers.get("Cache-Control")).toBe("no-cache");
      await response.arrayBuffer();
    }
  });

  it("is the same to who reads no gzip", async () => {
    const path = await sheet();
    const plain = await api(path, { headers: { "Accept-Encoding": "identity" } });
    const packed = await api(path, GZIP);
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    expect(plain.headers.get("ETag")).not.toBe(packed.headers.get("ETag"));
    expect(plain.headers.get("Vary")).toBe("Accept-Encoding");
    expect(await plain.text()).toBe(await unpacked(packed));
  });

  it("is not sent again to who has it", async () => {
    const path = await sheet();
    const first = await api(path, GZIP);
    await first.arrayBuffer();
    const tag = first.headers.get("ETag") ?? "";
    const again = await api(path, {
      headers: { "Accept-Encoding": "gzip", "If-None-Match": `"x", W/${tag}` },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });

  it("is none that the list does not name", async () => {
    for (const name of ["nothing.css", "constructor", "..%2fdocs.ts", "main.css.gz"]) {
      expect((await api(`/assets/${name}`)).status).toBe(404);
    }
  });
});
