import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeLink } from "../../../src/mail/code/link-host.ts";

const DOMAINS = ["brand.example", "brandmail.example", "xn--bcher-kva.example"];

describe("a link stays with its owner", () => {
  it.each([
    "https://brand.example/verify?token=8f3kd93kf02kd93k",
    "https://app.brand.example/#/verify/abc",
    "http://a.b.brandmail.example/x",
    "https://BRAND.example/Verify/AbC",
    "https://brand.example:443/verify",
    "http://brand.example:80/verify",
    "https://brand.example",
    "https://brand.example/verify?redirect_to=https%3A%2F%2Fapp.brand.example%2Fhome",
    "https://brand.example/verify?next=%2Fhome&utm_source=mail",
    "https://brand.example/verify?token=a:b/c==",
    "https://brand.example/verify?next=app.brand.example/home&v=1.2/3&utm_source=shop.com",
    "https://brand.example/verify?email=ann%2Btag%40other.example&name=A%20B",
  ])("%s", (link) => {
    expect(judgeLink(link, DOMAINS)).toEqual({ isOwn: true, url: link });
  });

  it.each([
    ["https://bücher.example/bestätigen?x=1", "https://xn--bcher-kva.example/bestätigen?x=1"],
    ["https://brand。example/verify", "https://brand.example/verify"],
    ["https://brand.example./verify", "https://brand.example/verify"],
    ["https://ｂrand.example/verify", "https://brand.example/verify"],
  ])("%s, answered with the host that every program reads", (link, url) => {
    const judged = judgeLink(link, DOMAINS);
    expect(judged.isOwn && judged.url.replace("brand.example./", "brand.example/")).toBe(url);
  });
});

describe("a link does not stay with an owner who gave its name away", () => {
  const GIVEN = ["code.com", "amazonaws.com", "own.a.builder.code.com"];

  it.each([
    "https://a.builder.code.com/verify",
    "https://evil.a.builder.code.com/verify",
    "https://bucket.s3.amazonaws.com/verify",
    "https://app.code.com/verify?next=https://evil.a.builder.code.com/",
  ])("%s", (link) => {
    expect(judgeLink(link, GIVEN).isOwn).toBe(false);
  });

  it.each(["https://app.code.com/x", "https://builder.code.com/x", "https://app.own.a.builder.code.com/x"])(
    "but %s does",
    (link) => {
      expect(judgeLink(link, GIVEN).isOwn).toBe(true);
    },
  );
});

describe("a link leads elsewhere", () => {
  it.each([
    ["https://evil.example/verify", "evil.example"],
    ["https://brand.example.evil.example/verify", "brand.example.evil.example"],
    ["https://evilbrand.example/verify", "evilbrand.example"],
    ["https://brand.example@evil.example/verify", "evil.example"],
    ["https://user:pass@brand.example/verify", "brand.example"],
    ["https://brand.example:8443/verify", "brand.example"],
    ["https://brand.example:80/verify", "brand.example"],
    ["https://brand.example\\@evil.example/verify", "brand.example"],
    ["https://evil.example\\.brand.example/", "evil.example"],
    ["https://evil.example#.brand.example/", "evil.example"],
    ["https://evil.example?.brand.example/", "evil.example"],
    ["https://xn--brnd-5na.example/", "xn--brnd-5na.example"],
    ["https://192.0.2.1/verify", ""],
    ["https://[2001:db8::1]/verify", ""],
    ["https://0xc0000201/verify", ""],
    ["javascript:alert(1)//brand.example", ""],
    ["ftp://brand.example/", "brand.example"],
    ["https:brand.example/verify", "brand.example"],
    ["https://brand.example/a b", "brand.example"],
    ["https://brand.example/\u202Ea", "brand.example"],
    ["//brand.example/verify", ""],
  ])("%s", (link, host) => {
    expect(judgeLink(link, DOMAINS)).toMatchObject({ isOwn: false, host });
  });

  it.each([
    ["https://u1.ct.sendgrid.net/ls/click?upn=x", "u1.ct.sendgrid.net"],
    ["https://www.google.com/url?q=https://brand.example/", "www.google.com"],
    ["https://evil.example/?u=https://brand.example/", "evil.example"],
    ["https://brand.example/r?url=https://evil.example/", "evil.example"],
    ["https://brand.example/r?url=https%3A%2F%2Fevil.example%2F", "evil.example"],
    ["https://brand.example/r?url=https%253A%252F%252Fevil.example", "evil.example"],
    ["https://brand.example/r?url=//evil.example/a", "evil.example"],
    ["https://brand.example/r?url=%5C%5Cevil.example", "evil.example"],
    ["https://brand.example/r/https://evil.example/", "evil.example"],
    ["https://brand.example//evil.example/", "evil.example"],
    ["https://brand.example/#https://evil.example/", "evil.example"],
    ["https://brand.example/r?url=https:evil.example", "evil.example"],
    ["https://brand.example/r?url=https://brand.example@evil.example/", ""],
    ["https://brand.example/r?url=https://192.0.2.1/", ""],
    ["https://brand.example/r?url=javascript:alert(1)", ""],
    ["https://brand.example/r?a=https://app.brand.example&b=http://evil.example", "evil.example"],
    ["https://brand.example/r?u=%09//evil.example/a", "evil.example"],
    ["https://brand.example/r?u=%20//evil.example/a", "evil.example"],
    ["https://brand.example/r?u=+//evil.example/a", "evil.example"],
    ["https://brand.example/r?u=%2509//evil.example/a", "evil.example"],
    ["https://brand.example/r?u=/%0A/evil.example/a", "evil.example"],
    ["https://brand.example/r?u=%01%2F%00%2Fevil.example", "evil.example"],
    ["https://brand.example/r?u=ht%09tps://evil.example/a", "evil.example"],
    ["https://brand.example/r?u=ja%0Avascript:alert(1)", ""],
    ["https://brand.example/r?u=a%ff%26%2f%2f%65vil.example", "evil.example"],
    ["https://brand.example/r?to=evil.example/x", "evil.example"],
    ["https://brand.example/r?to=evil.example%2Fx", "evil.example"],
    ["https://brand.example/r?to=evil.example%5Cx", "evil.example"],
    ["https://brand.example/r?to=evil.example:443/x", "evil.example"],
    ["https://brand.example/r?to=evil。example/x", "evil.example"],
    ["https://brand.example/r?to=brand.example@evil.example/x", "evil.example"],
  ])("%s, as a redirector", (link, host) => {
    expect(judgeLink(link, DOMAINS)).toEqual({ isOwn: false, host, isRedirector: true });
  });

  it("whatever stands in front of or behind the name of its owner", () => {
    const unit = fc.constantFrom(...Array.from("abc.-@:/?#\\%_ \u3002\u200b\uff0e"));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.string({ unit, maxLength: 12 }), (one, two) => {
        const link = `https://${one}brand.example${two}`;
        const judged = judgeLink(link, ["brand.example"]);
        if (!judged.isOwn) return;
        const { hostname, username, password, port } = new URL(judged.url);
        expect(hostname.replace(/\.$/, "")).toMatch(/^(?:[a-z0-9_.-]+\.)?brand\.example$/);
        expect([username, password, port]).toEqual(["", "", ""]);
      }),
      { numRuns: 3_000 },
    );
  });
});
