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

const PUBLIC = { allowPrivate: false };
const LOCAL = { allowPrivate: true };

const SCHEME = "must begin with https:// and a host";
const CHARS = "must not contain spaces";
const USER = "must not carry a user name or password";
const PORT = "must use port 443 or 8443";
const PUBLIC_HOST = "must name a public host";
const NAME = "must name its host by a valid domain name";
const DOT = "without a trailing dot";
const UNREADABLE = "must be a valid URL";

/** Each with the start of the reason it is refused for; the comment in front names the trick. */
const HOSTILE: readonly (readonly [string, string])[] = [
  // Other schemes, and none (T14).
  ["http://hooks.example.com/", SCHEME],
  ["file:///etc/passwd", SCHEME],
  ["ftp://hooks.example.com/", SCHEME],
  ["data:text/plain,x", SCHEME],
  ["javascript:alert(1)", SCHEME],
  ["gopher://hooks.example.com/", SCHEME],
  ["ws://hooks.example.com/", SCHEME],
  ["wss://hooks.example.com/", SCHEME],
  ["blob:https://hooks.example.com/1", SCHEME],
  ["//hooks.example.com/", SCHEME],
  ["hooks.example.com", SCHEME],
  ["/hook", SCHEME],
  ["", SCHEME],
  ["https://", SCHEME],
  ["https:hooks.example.com", SCHEME],
  ["https:/hooks.example.com", SCHEME],
  ["https:///hooks.example.com/", SCHEME],
  ["https://?x", SCHEME],
  // What URL drops, turns or hides.
  [" https://hooks.example.com/", CHARS],
  ["https://hooks.example.com/ ", CHARS],
  ["https://hooks.example.com/a b", CHARS],
  ["https://hooks.example.com/\r\nX-Evil: 1", CHARS],
  ["https://hooks.\texample.com/", CHARS],
  ["https://127.0.0.1\n.example.com/", CHARS],
  ["https://hooks.example.com\\@127.0.0.1/", CHARS],
  ["https:\\\\127.0.0.1/", CHARS],
  ["https://hooks.example.com/\u0000", CHARS],
  ["https://hooks.example.com/\u007f", CHARS],
  ["https://hooks.example.com/\u0085", CHARS],
  ["https://hooks.example.com/\u2028", CHARS],
  ["https://hooks.example.com/\u202e", CHARS],
  ["https://loc\u00adalhost/", CHARS],
  ["https://hooks.example.com/\ud800", CHARS],
  // User-info (T15).
  ["https://good@127.0.0.1/", USER],
  ["https://user:pw@hooks.example.com/", USER],
  ["https://@hooks.example.com/", USER],
  ["https://hooks.example.com:443@10.0.0.1/", USER],
  // Ports (T20).
  ["https://hooks.example.com:22/", PORT],
  ["https://hooks.example.com:25/", PORT],
  ["https://hooks.example.com:80/", PORT],
  ["https://hooks.example.com:6379/", PORT],
  ["https://hooks.example.com:0/", "must not use port 0"],
  ["https://hooks.example.com:65536/", UNREADABLE],
  ["https://hooks.example.com:-1/", UNREADABLE],
  // IPv4 in every spelling (T16).
  ["https://127.0.0.1/", PUBLIC_HOST],
  ["https://127.0.0.1./", PUBLIC_HOST],
  ["https://127.1/", PUBLIC_HOST],
  ["https://2130706433/", PUBLIC_HOST],
  ["https://0x7f000001/", PUBLIC_HOST],
  ["https://0X7F.1/", PUBLIC_HOST],
  ["https://0177.0.0.1/", PUBLIC_HOST],
  ["https://017700000001/", PUBLIC_HOST],
  ["https://%31%32%37.0.0.1/", PUBLIC_HOST],
  ["https://①②⑦.⓪.⓪.①/", PUBLIC_HOST],
  ["https://127。0。0。1/", PUBLIC_HOST],
  ["https://0.0.0.0/", PUBLIC_HOST],
  ["https://0/", PUBLIC_HOST],
  ["https://10.0.0.1/", PUBLIC_HOST],
  ["https://172.16.0.1/", PUBLIC_HOST],
  ["https://172.31.255.255/", PUBLIC_HOST],
  ["https://192.168.1.1/", PUBLIC_HOST],
  ["https://100.64.0.1/", PUBLIC_HOST],
  ["https://100.100.100.200/", PUBLIC_HOST],
  ["https://169.254.169.254/", PUBLIC_HOST],
  ["https://2852039166/", PUBLIC_HOST],
  ["https://0xa9fea9fe/", PUBLIC_HOST],
  ["https://168.63.129.16/", PUBLIC_HOST],
  ["https://192.0.0.192/", PUBLIC_HOST],
  ["https://192.0.2.1/", PUBLIC_HOST],
  ["https://198.18.0.1/", PUBLIC_HOST],
  ["https://198.51.100.1/", PUBLIC_HOST],
  ["https://203.0.113.1/", PUBLIC_HOST],
  ["https://224.0.0.1/", PUBLIC_HOST],
  ["https://240.0.0.1/", PUBLIC_HOST],
  ["https://255.255.255.255/", PUBLIC_HOST],
  ["https://08.8.8.8/", UNREADABLE],
  ["https://1.2.3.4.5/", UNREADABLE],
  ["https://256.256.256.256/", UNREADABLE],
  // IPv6, and IPv4 inside it.
  ["https://[::]/", PUBLIC_HOST],
  ["https://[::1]/", PUBLIC_HOST],
  ["https://[0:0:0:0:0:0:0:1]/", PUBLIC_HOST],
  ["https://[::ffff:127.0.0.1]/", PUBLIC_HOST],
  ["https://[::ffff:7f00:1]/", PUBLIC_HOST],
  ["https://[::ffff:8.8.8.8]/", PUBLIC_HOST],
  ["https://[::ffff:0:7f00:1]/", PUBLIC_HOST],
  ["https://[::127.0.0.1]/", PUBLIC_HOST],
  ["https://[64:ff9b::7f00:1]/", PUBLIC_HOST],
  ["https://[64:ff9b:1::a9fe:a9fe]/", PUBLIC_HOST],
  ["https://[2002:7f00:1::]/", PUBLIC_HOST],
  ["https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", PUBLIC_HOST],
  ["https://[fc00::1]/", PUBLIC_HOST],
  ["https://[fd00:ec2::254]/", PUBLIC_HOST],
  ["https://[fe80::1]/", PUBLIC_HOST],
  ["https://[fec0::1]/", PUBLIC_HOST],
  ["https://[ff02::1]/", PUBLIC_HOST],
  ["https://[100::1]/", PUBLIC_HOST],
  ["https://[2001:db8::1]/", PUBLIC_HOST],
  ["https://[3fff::1]/", PUBLIC_HOST],
  ["https://[2001:2::1]/", PUBLIC_HOST],
  ["https://[5f00::1]/", PUBLIC_HOST],
  ["https://[4000::1]/", PUBLIC_HOST],
  ["https://[fe80::1%25eth0]/", UNREADABLE],
  ["https://[::1/", UNREADABLE],
  // Names of the local network (T17).
  ["https://localhost/", PUBLIC_HOST],
  ["https://LOCALHOST/", PUBLIC_HOST],
  ["https://ｌｏｃａｌｈｏｓｔ/", PUBLIC_HOST],
  ["https://localhost./", DOT],
  ["https://localhost%2e/", DOT],
  ["https://hooks.example.com./", DOT],
  ["https://a.localhost/", PUBLIC_HOST],
  ["https://printer.local/", PUBLIC_HOST],
  ["https://metadata.google.internal/", PUBLIC_HOST],
  ["https://metadata.goog/", PUBLIC_HOST],
  ["https://router.home.arpa/", PUBLIC_HOST],
  ["https://router.lan/", PUBLIC_HOST],
  ["https://x.invalid/", PUBLIC_HOST],
  ["https://expyuzz4wqqyqhjn.onion/", PUBLIC_HOST],
  ["https://intranet/", PUBLIC_HOST],
  ["https://redis/", PUBLIC_HOST],
  ["https://a..example.com/", NAME],
  ["https://.example.com/", NAME],
  ["https://-a.example.com/", NAME],
  ["https://exa!mple.com/", NAME],
  [`https://${"a".repeat(64)}.example.com/`, NAME],
  [`https://${"a.".repeat(130)}example.com/`, NAME],
  ["https://a%00.example.com/", UNREADABLE],
];

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
  // Left to resolution: the name says nothing of where it leads.
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

  it("is the same target as its text says", () => {
    const read = checkPublicUrl("https://hooks.example.com:8443/in?x=1", PUBLIC);
    expect(read).toMatchObject({ ok: true, value: { href: "https://hooks.example.com:8443/in?x=1" } });
  });

  it("has at most 2,048 characters, as given and as encoded", () => {
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

  it("is decided for any text, and never throws", () => {
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

  it("leads to the public when all its addresses do", async () => {
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

  it("may have as many addresses as the limit says", async () => {
    const resolve = to(...Array<string>(MAX_RESOLVED_ADDRESSES).fill("8.8.8.8"));
    expect(await resolvesPublicly("hooks.example.com", resolve)).toBe(true);
  });

  it("that is an address needs no resolver", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await resolution("8.8.8.8", never)).toBe("public");
    expect(await resolution("[2606:4700::1]", never)).toBe("public");
    expect(await resolution("[::1]", never)).toBe("not_public");
    expect(await resolution("127.0.0.1", never)).toBe("not_public");
  });
});
