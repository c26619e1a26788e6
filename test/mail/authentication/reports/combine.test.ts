import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combined } from "../../../../src/mail/authentication/reports/combine.ts";
import type { MethodResult, SenderFacts } from "../../../../src/mail/authentication/sender-facts.ts";
import { judge } from "../../../../src/mail/authentication/judge.ts";

const RESULTS: readonly MethodResult[] = ["pass", "fail", "none", "temperror", "permerror"];
const RANK = ["fail", "temperror", "none", "pass"];

const facts = fc
  .record({
    spf: fc.constantFrom(...RESULTS),
    dmarc: fc.constantFrom(...RESULTS),
    signatures: fc.array(
      fc.record({
        domain: fc.constantFrom("example.com", "mail.example.com", "example.net"),
        selector: fc.constant("s1"),
        algorithm: fc.constant("rsa-sha256"),
        bits: fc.constant(2_048),
        result: fc.constantFrom(...RESULTS),
        aligned: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ spf, dmarc, signatures }): SenderFacts => {
    const results = signatures.map(({ result }) => result);
    const dkim = RESULTS.find((result) => results.includes(result)) ?? "none";
    const rest = {
      covered: [],
      arc: null,
      conflict: false,
      fromDomain: "example.com",
      checkedBy: "cloudflare",
    } as const;
    return { ...rest, spf, dkim, dmarc, signatures };
  });

const rankOf = (verdict: string) => RANK.indexOf(verdict);
const verdictOf = (one: SenderFacts) => judge(one).verdict;

describe("combined", () => {
  it("is never better than what we found by a whole check of our own, nor than a report of DMARC", () => {
    fc.assert(
      fc.property(facts, facts, fc.boolean(), (reported, own, needsOwn) => {
        const both = combined(reported, { facts: own, isWhole: true }, { needsOwn });
        const counts = needsOwn || verdictOf(own) !== "temperror" ? [verdictOf(own)] : [];
        const bounds = [...counts, reported.dmarc === "fail" ? "fail" : "pass"].map(rankOf);
        expect(rankOf(verdictOf(both))).toBeLessThanOrEqual(Math.min(...bounds));
      }),
    );
  });

  it("says that there is a conflict exactly if something was found by one side and denied by the other", () => {
    fc.assert(
      fc.property(facts, (own) => {
        const both = combined(own, { facts: own, isWhole: true }, { needsOwn: true });
        expect([both.conflict, verdictOf(both)]).toEqual([false, verdictOf(own)]);
      }),
    );
  });

  it("needs our own check at Cloudflare's door, and takes a gateway's word where DNS does not answer us", () => {
    const pass: SenderFacts = {
      checkedBy: "border",
      fromDomain: "example.com",
      spf: "pass",
      dkim: "none",
      dmarc: "pass",
      signatures: [],
      covered: [],
      arc: null,
      conflict: false,
    };
    const own = { facts: { ...pass, dmarc: "temperror", spf: "none" } as const, isWhole: true };
    expect(verdictOf(combined(pass, own, { needsOwn: true }))).toBe("temperror");
    expect(verdictOf(combined(pass, own, { needsOwn: false }))).toBe("pass");
  });

  it("takes the report of SPF where it does not say which domain that was, unless a signature is broken", () => {
    const reported: SenderFacts = {
      checkedBy: "border",
      fromDomain: "example.com",
      spf: "pass",
      dkim: "none",
      dmarc: "pass",
      signatures: [],
      covered: [],
      arc: null,
      conflict: false,
    };
    const own = { facts: { ...reported, dmarc: "none", spf: "none" } as const, isWhole: false };
    expect(verdictOf(combined(reported, own, { needsOwn: true }))).toBe("pass");
    expect(judge(combined({ ...reported, dkim: "pass" }, own, { needsOwn: true }))).toMatchObject({
      verdict: "fail",
      conflict: true,
    });
  });
});
