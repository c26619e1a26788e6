import { describe, expect, it } from "vitest";
import { ConfigError, configOf } from "../../src/config/env.ts";

/** The message of the ConfigError. */
function faultOf(env: object): string {
  try {
    configOf(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("the configuration of the worker", () => {
  it("has a default for every setting, and takes an empty text for none", () => {
    const byDefault = configOf({});
    expect(byDefault).toMatchObject({
      mailDomain: "mailkeep.test",
      operatorDigest: null,
      allowHttp: false,
      bootstrapEnabled: true,
      bootstrapPerHour: 10,
      claimApproval: "operator",
      claimTtlSeconds: 600,
      outbound: "local",
      mailboxQuotaBytes: 5_000_000_000,
      customDomains: { mailHosts: ["mailkeep.test"], spfMechanisms: "include:mailkeep.test" },
    });
    const empty = { MAIL_DOMAIN: "", CLAIM_TTL_SECONDS: "", ALLOW_HTTP: "", SMTP_URL: "", DOH_URL: "" };
    expect(configOf(empty)).toEqual(byDefault);
  });

  it("takes RESOLVER before DOH_URL, and addresses of servers only where npm start asks them", () => {
    const DOH_URL = "https://old.example/q";
    expect(configOf({ DOH_URL }).dohUrl).toBe(DOH_URL);
    const url = configOf({ DOH_URL, RESOLVER: "https://new.example/q" });
    expect([url.dohUrl, url.customDomains.dohUrl]).toEqual([
      "https://new.example/q",
      "https://new.example/q",
    ]);
    expect(faultOf({ RESOLVER: "192.0.2.1" })).toBe(
      "RESOLVER must be a URL that answers application/dns-json: only npm start asks DNS servers by their addresses",
    );
    expect(configOf({ RESOLVER: "192.0.2.1", HOST_RESOLVER: {} }).dohUrl).toMatch(/^http:/);
  });

  it("is read once for each environment", () => {
    const env = { MAIL_DOMAIN: "a.example" };
    expect(configOf(env)).toBe(configOf(env));
  });

  it.each([
    ["true", true],
    ["TRUE", true],
    ["1", true],
    ["On", true],
    ["yes", true],
    ["false", false],
    ["0", false],
    ["OFF", false],
    ["No", false],
    [true, true],
    [false, false],
    [1, true],
  ])("reads %j as %s for every switch", (written, value) => {
    const switches = {
      ALLOW_HTTP: written,
      TRUST_CLIENT_ADDRESS: written,
      BOOTSTRAP: written,
      ALLOW_PRIVATE_WEBHOOKS: written,
    };
    expect(configOf(switches)).toMatchObject({
      allowHttp: value,
      trustClientAddress: value,
      bootstrapEnabled: value,
      allowPrivateWebhooks: value,
    });
  });

  it("takes numbers of wrangler.jsonc", () => {
    expect(configOf({ CLAIM_TTL_SECONDS: 60 }).claimTtlSeconds).toBe(60);
    expect(faultOf({ CLAIM_TTL_SECONDS: 5 })).toBe(
      "CLAIM_TTL_SECONDS must be a whole number from 30 to 3600",
    );
    expect(faultOf({ CLAIM_TTL_SECONDS: { seconds: 60 } })).toBe("CLAIM_TTL_SECONDS must be a text");
  });

  it.each([
    ["Example.COM.", "example.com"],
    [" bücher.example", "xn--bcher-kva.example"],
  ])("brings a domain into its canonical form: %j", (written, canonical) => {
    const config = configOf({ MAIL_DOMAIN: written, MAIL_HOST: `${written}, mx2.example` });
    expect(config.mailDomain).toBe(canonical);
    expect(config.customDomains.mailHosts).toEqual([canonical, "mx2.example"]);
  });

  it("drops slashes at the end of base addresses", () => {
    const env = {
      PUBLIC_URL: "https://a.example/base/",
      EMBEDDINGS_URL: "http://b/v1//",
      EMBEDDINGS_MODEL: "m",
    };
    expect(configOf(env)).toMatchObject({
      publicUrl: "https://a.example/base",
      embeddings: { url: "http://b/v1" },
    });
  });

  it("sends through the relay if one is set, unless OUTBOUND says otherwise", () => {
    const SMTP_URL = "smtp://relay.example";
    expect(configOf({ SMTP_URL }).outbound).toBe("smtp");
    expect(configOf({ SMTP_URL, OUTBOUND: "local" }).outbound).toBe("local");
    expect(configOf({ EMAIL: {}, OUTBOUND: "cloudflare" }).outbound).toBe("cloudflare");
    expect(faultOf({ OUTBOUND: "cloudflare" })).toContain("a send_email binding called EMAIL");
  });

  it("takes a model of Workers AI only with its binding", () => {
    expect(configOf({ EMBEDDINGS_MODEL: "@cf/m", AI: {} }).embeddings).toEqual({
      url: null,
      model: "@cf/m",
      key: null,
    });
    expect(faultOf({ EMBEDDINGS_MODEL: "@cf/m" })).toContain("a Workers AI binding called AI");
  });

  it("names all wrong settings at once, without their values", () => {
    const fault = faultOf({ CLAIM_TTL_SECONDS: "7777", OUTBOUND: "smtp", MAIL_DOMAIN: "no domain" });
    expect(fault.split("; ")).toEqual([
      "MAIL_DOMAIN must be a domain name such as agents.example.org",
      "CLAIM_TTL_SECONDS must be a whole number from 30 to 3600",
      "SMTP_URL must be set if OUTBOUND is smtp or worker-mailer",
    ]);
  });
});
