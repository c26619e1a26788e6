import { describe, expect, it } from "vitest";
import type { RecordName, RecordResult } from "../../../src/contract/domain.ts";
import {
  instructionsFor,
  judgeRecord,
  recordsOf,
  verdictOf,
  type DomainSetup,
} from "../../../src/mail/address/domain-records.ts";

const SETUP: DomainSetup = {
  domain: "example.org",
  mailHosts: ["mx1.mailkeep.test", "mx2.mailkeep.test"],
  spfMechanisms: "include:mailkeep.test ip4:192.0.2.1",
  selector: "mk0123456789",
  publicKey: "MIIBIjAN/+==",
};
const judge = (record: RecordName, answers: string[] | null): RecordResult =>
  judgeRecord(SETUP, record, answers).result;

describe("the records of a domain", () => {
  it("are set where mail looks for them", () => {
    expect(recordsOf(SETUP)).toMatchObject({
      mx: { type: "MX", host: "example.org", value: "mx1.mailkeep.test", priority: 10 },
      spf: { type: "TXT", host: "example.org", value: "v=spf1 include:mailkeep.test ip4:192.0.2.1 ~all" },
      dkim: {
        type: "TXT",
        host: "mk0123456789._domainkey.example.org",
        value: "v=DKIM1; k=rsa; p=MIIBIjAN/+==",
      },
      dmarc: { type: "TXT", host: "_dmarc.example.org", value: "v=DMARC1; p=none" },
    });
  });

  it("are right as they are told to be set", () => {
    for (const [name, { type, value, priority }] of Object.entries(recordsOf(SETUP))) {
      const answer = type === "MX" ? `${priority ?? 0} ${value}.` : value;
      expect([name, judge(name as RecordName, [answer])]).toEqual([name, "found"]);
    }
  });

  it("are explained with every host and the way to go on", () => {
    expect(instructionsFor(SETUP, "some-id")).toMatch(
      /mx2\.mailkeep\.test.*POST \/v1\/domains\/some-id\/verify/s,
    );
    expect(instructionsFor({ ...SETUP, mailHosts: ["mx1.mailkeep.test"] }, "x")).not.toContain("beside");
  });

  it.each<[RecordName, string[]]>([
    ["mx", ["20 MX2.Mailkeep.TEST."]],
    ["mx", ["5 other.example.", "10 mx1.mailkeep.test"]],
    ["mx", ["10   mx1.mailkeep.test."]],
    ["spf", ["v=spf1 ip4:192.0.2.1 include:Mailkeep.test -all"]],
    ["spf", ["some-verification=1", "V=SPF1 mx +include:mailkeep.test +ip4:192.0.2.1 ?all"]],
    ["spf", ["v=spf10 -all", "v=spf1 include:mailkeep.test ip4:192.0.2.1"]],
    ["dkim", ["p=MIIBIjAN/+=="]],
    ["dkim", ["v=DKIM1;k=rsa;t=s;h=sha1:sha256;s=email;p=MIIB IjAN/ +==;"]],
    ["dkim", ["v=DKIM1; p=other", "v=DKIM1; p=MIIBIjAN/+=="]],
    ["dmarc", ["v=DMARC1; p=reject; rua=mailto:x@example.org"]],
    ["dmarc", ["v=DMARC1 ;p=quarantine"]],
  ])("are right in other words: %s %j", (record, answers) => {
    expect(judge(record, answers)).toBe("found");
  });

  it.each<[RecordName, string[]]>([
    ["mx", ["10 mx1.mailkeep.test.evil.example."]],
    ["mx", ["10 xmx1.mailkeep.test."]],
    ["mx", ["0 ."]],
    ["mx", ["mx1.mailkeep.test."]],
    ["spf", ["v=spf1 include:mailkeep.test -all"]],
    ["spf", ["v=spf1 -include:mailkeep.test ip4:192.0.2.1"]],
    ["spf", ["v=spf1 include:mailkeep.test.evil.example ip4:192.0.2.1"]],
    ["spf", ["v=spf1 include:mailkeep.test ip4:192.0.2.1", "v=spf1 -all"]],
    ["dkim", ["v=DKIM1; k=rsa; p="]],
    ["dkim", ["v=DKIM1; k=rsa; p=MIIBIjAN/+=="].map((text) => text.replace("=rsa", "=ed25519"))],
    ["dkim", ["v=DKIM2; p=MIIBIjAN/+=="]],
    ["dkim", ["v=DKIM1; h=sha1; p=MIIBIjAN/+=="]],
    ["dkim", ["v=DKIM1; s=other; p=MIIBIjAN/+=="]],
    ["dkim", ["MIIBIjAN/+=="]],
    ["dkim", ["v=DKIM1; p=MIIBIjAN/+==xx"]],
    ["dmarc", ["v=DMARC1"]],
    ["dmarc", ["v=DMARC1; sp=none"]],
    ["dmarc", ["v=DMARC1; p=none", "v=DMARC1; p=reject"]],
  ])("are wrong: %s %j", (record, answers) => {
    expect(judge(record, answers)).toBe("wrong");
  });

  it("are missing where there is none, or only some other text", () => {
    for (const record of ["mx", "spf", "dkim", "dmarc"] as const) expect(judge(record, [])).toBe("missing");
    expect(judge("spf", ["google-site-verification=x"])).toBe("missing");
    expect(judge("dmarc", ["something else"])).toBe("missing");
  });

  it("are unknown where the resolver could not tell", () => {
    for (const record of ["mx", "spf", "dkim", "dmarc"] as const) expect(judge(record, null)).toBe("unknown");
  });

  it("are shown as they were found, and not without end", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `${index} ${"x".repeat(10_000)}.`);
    const { found } = judgeRecord(SETUP, "mx", many);
    expect(found).toHaveLength(10);
    expect(found.every((text) => text.length === 500)).toBe(true);
  });
});

describe("what look-ups come to", () => {
  const all = (result: RecordResult) => ({ mx: result, spf: result, dkim: result, dmarc: result });

  it("is good with MX and DKIM, with any other records", () => {
    expect(verdictOf(all("found"))).toBe("good");
    expect(verdictOf({ ...all("missing"), mx: "found", dkim: "found" })).toBe("good");
    expect(verdictOf({ ...all("unknown"), mx: "found", dkim: "found" })).toBe("good");
  });

  it("is gone without either, if that is certain", () => {
    expect(verdictOf({ ...all("found"), mx: "missing" })).toBe("gone");
    expect(verdictOf({ ...all("found"), dkim: "wrong" })).toBe("gone");
    expect(verdictOf({ ...all("unknown"), dkim: "wrong" })).toBe("gone");
  });

  it("is unknown where the resolver could not tell of what is not seen", () => {
    expect(verdictOf({ ...all("found"), mx: "unknown" })).toBe("unknown");
    expect(verdictOf(all("unknown"))).toBe("unknown");
  });
});
