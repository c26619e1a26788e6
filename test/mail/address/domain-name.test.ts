import { describe, expect, it } from "vitest";
import { isDeployments, readDomain } from "../../../src/mail/address/domain-name.ts";

const DEPLOYMENT = {
  mailDomain: "agents.mailkeep.test",
  dkim: { domain: "signing.example" },
  publicUrl: "https://api.service.example:8443/x",
};
const read = (written: string) => readDomain(written, DEPLOYMENT);
const long = (length: number) =>
  `${"a".repeat(50)}.`
    .repeat(5)
    .slice(0, length - 4)
    .replace(/\.$/, "b") + ".org";

describe("a domain of one's own", () => {
  it.each([
    ["example.org", "example.org"],
    ["  Sub.EXAMPLE.org. ", "sub.example.org"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["bu\u0308cher.example", "xn--bcher-kva.example"],
    ["例え。example", "xn--r8jz45g.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["my-domain.test", "my-domain.test"],
    [long(220), long(220)],
  ])("has one form: %j", (written, domain) => {
    expect(read(written)).toEqual({ ok: true, value: domain });
  });

  it.each([
    "",
    " ",
    ".",
    "..",
    "example..org",
    ".example.org",
    "example.org..",
    "-a.example.org",
    "a-.example.org",
    "_dmarc.example.org",
    "exa mple.org",
    "exam\u0000ple.org",
    "example.org\r\nX: y",
    "example\u200b.org",
    "example.org/path",
    "example.org:25",
    "user@example.org",
    "https://example.org",
    "*.example.org",
    "example.org?x",
    "example.org#x",
    "exam%70le.org",
    "127.0.0.1",
    "127.1",
    "2130706433.",
    "0x7f.1",
    "1.2.3.4.",
    "[::1]",
    "::1",
    "a.b.123",
    `${"a".repeat(64)}.org`,
    "x".repeat(2_000),
  ])("is no name: %j", (written) => {
    expect(read(written)).toEqual({ ok: false, error: "must be a domain name such as example.org" });
  });

  it.each([
    ["com", "single label"],
    ["localhost", "single label"],
    ["a.localhost", '"localhost" is reserved'],
    ["printer.local", '"local" is reserved'],
    ["x.internal", '"internal" is reserved'],
    ["x.invalid", '"invalid" is reserved'],
    ["hidden.onion", '"onion" is reserved'],
    ["router.home.arpa", '"home.arpa" is reserved'],
    [long(221), "at most 220 characters"],
  ])("is none that public DNS could say something of: %j", (written, reason) => {
    expect(read(written)).toEqual({ ok: false, error: expect.stringContaining(reason) as string });
  });

  it.each([
    "agents.mailkeep.test",
    "AGENTS.mailkeep.test.",
    "ａgents.mailkeep.test",
    "x.agents.mailkeep.test",
    "a.b.agents.mailkeep.test",
    "mailkeep.test",
    "api.service.example",
    "service.example",
    "v2.api.service.example",
    "signing.example",
    "x.signing.example",
  ])("is none of the deployment's, nor above or below one: %j", (written) => {
    expect(read(written)).toEqual({
      ok: false,
      error: expect.stringContaining("this service's own") as string,
    });
  });

  it("may look like one of the deployment's", () => {
    for (const written of ["xagents.mailkeep.test", "agents.mailkeep.test.example", "other.mailkeep.test"]) {
      expect(read(written).ok).toBe(true);
    }
  });

  it("is not kept from anybody by a deployment that is called by an address", () => {
    const called = { ...DEPLOYMENT, dkim: null, publicUrl: "http://127.0.0.1:8787" };
    expect(readDomain("example.org", called).ok).toBe(true);
    expect(readDomain("example.org", { ...called, publicUrl: null }).ok).toBe(true);
  });

  it("becomes the deployment's when the deployment moves there", () => {
    expect(isDeployments("example.org", DEPLOYMENT)).toBe(false);
    expect(isDeployments("example.org", { ...DEPLOYMENT, mailDomain: "example.org" })).toBe(true);
  });
});
