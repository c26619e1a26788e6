import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkPublicUrl,
  isPublicAddress,
  MAX_RESOLVED_ADDRESSES,
  MAX_URL_CHARS,
  resolution,
  resolvesPublicly,
} from "../../src/lib/public-url.ts";
import { CHARS, HOSTILE, USER } from "./hostile-urls.ts";

const PUBLIC = { allowPrivate: false };
const LOCAL = { allowPrivate: true };

const FINE = [
  "https://hooks.example.com",
  "https://hooks.example.com/a/b?c=d&e=%20#f",
  "HTTPS://Hooks.Example.COM/",
  "https://hooks.example.com:443/",
  "https://hooks.example.com:8443/in",
  "https://sink.mailkeep.test/",
  "https://_hooks.example.com/",
  "https://bücher.example.com/",
  "https://xn--bcher-kva.example.com/",
  "https://hooks.example.com/@path",
  "https://8.8.8.8/",
  "https://172.32.0.1/",
  "https://100.128.0.1/",
  "https://[2606:4700:4700::1111]/",
  // Allowed here: only the look-up can tell where the name leads.
  "https://127.0.0.1.nip.io/",
  "https://notlocalhost.example/",
  "https://my.locals.example.com/",
];

describe("a public URL", () => {
  it.each(FINE)("may be %j", (text) => {
    expect(checkPublicUrl(text, PUBLIC)).toMatchObject({ ok: true });
  });

  it.each(HOSTILE)("is not %j", (text, reason) => {
    expect(checkPublicUrl(text, PUBLIC)).toEqual({ ok: false, error: expect.stringContaining(reason) });
  });

  it("says which range an address lies in", () => {
    expect(checkPublicUrl("https://127.1/", PUBLIC)).toEqual({
      ok: false,
      error: "must name a public host: 127.0.0.1 is not public (loopback)",
    });
  });

  it("is parsed to the target that its text names", () => {
    const read = checkPublicUrl("https://hooks.example.com:8443/in?x=1", PUBLIC);
    expect(read).toMatchObject({ ok: true, value: { href: "https://hooks.example.com:8443/in?x=1" } });
  });

  it("has at most 2,048 characters, as written and as encoded", () => {
    const base = "https://hooks.example.com/";
    const full = base + "a".repeat(MAX_URL_CHARS - base.length);
    expect(checkPublicUrl(full, PUBLIC).ok).toBe(true);
    expect(checkPublicUrl(`${full}a`, PUBLIC)).toMatchObject({ error: "must have at most 2048 characters" });
    expect(checkPublicUrl(base + "ä".repeat(1_000), PUBLIC)).toMatchObject({
      error: "must have at most 2048 characters when encoded",
    });
  });

  it("names no address of a private range in any of the spellings a URL may use", () => {
    const ranges = [0x0a000000, 0x7f000000, 0xa9fe0000, 0xc0a80000, 0xac100000, 0x64400000];
    const address = fc
      .tuple(fc.constantFrom(...ranges), fc.nat(0xffff))
      .map(([start, offset]) => start + offset);
    const spelling = fc.constantFrom<(ip: number) => string>(
      (ip) => String(ip),
      (ip) => `0x${ip.toString(16)}`,
      (ip) => `0${ip.toString(8)}`,
      (ip) => [24, 16, 8, 0].map((bits) => (ip >>> bits) & 0xff).join("."),
      (ip) => [24, 16, 8, 0].map((bits) => `0x${((ip >>> bits) & 0xff).toString(16)}`).join("."),
      (ip) => `${ip >>> 24}.${ip & 0xffffff}`,
      (ip) => `[::ffff:${(ip >>> 16).toString(16)}:${(ip & 0xffff).toString(16)}]`,
      (ip) => `[64:ff9b::${(ip >>> 16).toString(16)}:${(ip & 0xffff).toString(16)}]`,
      (ip) => `[2002:${(ip >>> 16).toString(16)}:${(ip & 0xffff).toString(16)}::]`,
    );
    fc.assert(
      fc.property(address, spelling, (ip, spell) => {
        expect(checkPublicUrl(`https://${spell(ip)}/`, PUBLIC).ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is accepted or refused for any text, and nothing throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (text) => {
        const read = checkPublicUrl(text, PUBLIC);
        expect(read.ok ? read.value.protocol : read.error).toBeTruthy();
      }),
      { numRuns: 500 },
    );
  });
});

describe("a URL of local work", () => {
  it.each([
    "http://127.0.0.1:8080/x",
    "http://localhost:3000",
    "https://sink/",
    "http://[::1]:9/",
    "https://a.test:1/",
  ])("may be %j", (text) => {
    expect(checkPublicUrl(text, LOCAL)).toMatchObject({ ok: true });
  });

  it.each([
    ["ftp://localhost/", "must begin with https:// or http:// and a host"],
    ["http://user@localhost/", USER],
    ["http://localhost:0/", "must not use port 0"],
    ["http://localhost/\n", CHARS],
    ["http:/localhost/", "must begin with"],
    [`http://localhost/${"a".repeat(MAX_URL_CHARS)}`, "must have at most"],
  ])("is not %j", (text, reason) => {
    expect(checkPublicUrl(text, LOCAL)).toEqual({ ok: false, error: expect.stringContaining(reason) });
  });
});

describe("a public address", () => {
  it.each(["1.1.1.1", "8.8.8.8", "172.15.255.255", "2606:4700:4700::1111", "2a00:1450::1"])(
    "may be %s",
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true);
    },
  );

  it.each([
    "",
    "hooks.example.com",
    "2130706433",
    "0x08080808",
    "010.8.8.8",
    "8.8.8",
    "8.8.8.8 ",
    "[2606:4700::1]",
    "2606:4700::1%eth0",
    "::ffff:8.8.8.8",
    "::ffff:10.0.0.1",
    "127.0.0.1",
    "fe80::1%1",
  ])("is not %j", (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });
});

describe("a name", () => {
  const to =
    (...addresses: string[]) =>
    () =>
      Promise.resolve(addresses);

  it("is public if all its addresses are", async () => {
    expect(await resolvesPublicly("hooks.example.com", to("8.8.8.8", "2606:4700::1"))).toBe(true);
  });

  it.each([
    ["one address of several is private", to("8.8.8.8", "10.0.0.1")],
    ["its IPv6 address is loopback", to("8.8.8.8", "::1")],
    ["its address is no address", to("8.8.8.8", "elsewhere.example.com")],
    [
      "it has more addresses than a host has",
      to(...Array<string>(MAX_RESOLVED_ADDRESSES + 1).fill("8.8.8.8")),
    ],
  ])("does not when %s", async (_, resolve) => {
    expect(await resolution("hooks.example.com", resolve)).toBe("not_public");
    expect(await resolvesPublicly("hooks.example.com", resolve)).toBe(false);
  });

  it.each([
    ["has no address", to()],
    ["is unknown", () => Promise.reject(new Error("ENOTFOUND"))],
    [
      "breaks the resolver",
      () => {
        throw new Error("broken");
      },
    ],
    ["is never answered for", () => new Promise<never>(() => undefined)],
  ])("is unresolved when it %s", async (_, resolve) => {
    expect(await resolution("hooks.example.com", resolve, 20)).toBe("unresolved");
  });

  it("may have as many addresses as the limit allows", async () => {
    const resolve = to(...Array<string>(MAX_RESOLVED_ADDRESSES).fill("8.8.8.8"));
    expect(await resolvesPublicly("hooks.example.com", resolve)).toBe(true);
  });

  it("needs no resolver if it is an address", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await resolution("8.8.8.8", never)).toBe("public");
    expect(await resolution("[2606:4700::1]", never)).toBe("public");
    expect(await resolution("[::1]", never)).toBe("not_public");
    expect(await resolution("127.0.0.1", never)).toBe("not_public");
  });
});
