import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signature } from "../../../src/contract/message.ts";
import type { MethodResult, SenderFacts } from "../../../src/mail/authentication/sender-facts.ts";
import { judge, sentInside, wholeAuthentication } from "../../../src/mail/authentication/judge.ts";

const RESULTS: readonly MethodResult[] = [
  "pass",
  "fail",
  "softfail",
  "neutral",
  "none",
  "temperror",
  "permerror",
  "policy",
];

const signature = (more: Partial<Signature>): Signature => ({
  domain: "example.com",
  selector: "s1",
  algorithm: "rsa-sha256",
  bits: 2_048,
  result: "pass",
  aligned: true,
  ...more,
});

const verdict = (facts: Partial<SenderFacts>) => {
  const nothing = { checkedBy: "self", spf: "none", dkim: "none", dmarc: "none" } as const;
  const known = {
    ...nothing,
    fromDomain: "example.com",
    signatures: [],
    covered: [],
    arc: null,
    conflict: false,
  };
  const { verdict: word, aligned_domain } = judge({ ...known, ...facts });
  return [word, aligned_domain];
};

describe("judge", () => {
  it("follows DMARC where the author's domain has a record", () => {
    expect(verdict({ dmarc: "pass" })).toEqual(["pass", "example.com"]);
    expect(verdict({ dmarc: "fail", dkim: "pass", signatures: [signature({ aligned: false })] })).toEqual([
      "fail",
      null,
    ]);
  });

  it.each(["none", "permerror"] as const)(
    "takes an aligned signature for proof if DMARC says %s",
    (dmarc) => {
      const unaligned = signature({ domain: "example.net", aligned: false });
      const broken = signature({ result: "fail" });
      expect(verdict({ dmarc, dkim: "pass", signatures: [unaligned, signature({})] })[0]).toBe("pass");
      expect(verdict({ dmarc, dkim: "pass", signatures: [unaligned, broken] })[0]).toBe("none");
    },
  );

  it("takes SPF alone for no proof without a DMARC record", () => {
    expect(verdict({ spf: "pass" })).toEqual(["none", null]);
  });

  it("says that nobody knows where DNS did not answer", () => {
    expect(verdict({ dmarc: "temperror" })[0]).toBe("temperror");
    expect(verdict({ signatures: [signature({ result: "temperror" })] })[0]).toBe("temperror");
    expect(verdict({ signatures: [signature({ result: "temperror", aligned: false })] })[0]).toBe("none");
  });

  it("believes a signature of the very same domain although the DMARC record could not be fetched", () => {
    expect(verdict({ dmarc: "temperror", signatures: [signature({})] })[0]).toBe("pass");
    const subdomain = signature({ domain: "mail.example.com" });
    expect(verdict({ dmarc: "temperror", signatures: [subdomain] })[0]).toBe("temperror");
  });

  it("never passes a message without exactly one readable author", () => {
    const facts = fc.record({
      dmarc: fc.constantFrom(...RESULTS),
      spf: fc.constantFrom(...RESULTS),
      dkim: fc.constantFrom(...RESULTS),
    });
    fc.assert(
      fc.property(facts, (some) => {
        expect(verdict({ ...some, fromDomain: null, signatures: [signature({})] })).toEqual(["fail", null]);
      }),
    );
  });

  it("names a domain exactly if the verdict is pass, and passes nothing without DMARC or an aligned signature", () => {
    const one = fc.record({ aligned: fc.boolean(), result: fc.constantFrom(...RESULTS) }).map(signature);
    const facts = fc.record({
      dmarc: fc.constantFrom(...RESULTS),
      spf: fc.constantFrom(...RESULTS),
      signatures: fc.array(one, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(facts, (some) => {
        const [word, domain] = verdict(some);
        expect(domain === null).toBe(word !== "pass");
        const proof = some.signatures.some(({ aligned, result }) => aligned && result === "pass");
        expect(word === "pass" && some.dmarc !== "pass" && !proof).toBe(false);
        expect(word === "pass" && some.dmarc === "fail").toBe(false);
      }),
    );
  });
});

describe("sentInside", () => {
  it("is proven by the deployment itself, without any method", () => {
    expect(sentInside("mailkeep.test")).toEqual({
      spf: "none",
      dkim: "none",
      dmarc: "none",
      verdict: "pass",
      aligned_domain: "mailkeep.test",
      proven_fields: ["to", "cc"],
      checked_by: "self",
      signatures: [],
      arc: null,
      conflict: false,
    });
  });
});

describe("wholeAuthentication", () => {
  it("answers for mail that an earlier release judged by its gateway", () => {
    const stored = { spf: "none", dkim: "pass", dmarc: "pass" } as const;
    expect(wholeAuthentication(stored, "example.com")).toMatchObject({
      ...stored,
      verdict: "pass",
      aligned_domain: "example.com",
      checked_by: "border",
      signatures: [],
    });
    expect(wholeAuthentication({ ...stored, dmarc: "fail" }, "example.com")?.verdict).toBe("fail");
    expect(wholeAuthentication({ ...stored, dmarc: "none" }, "example.com")?.verdict).toBe("none");
    expect(wholeAuthentication(null, "example.com")).toBeNull();
  });

  it("proves nothing by the word of that gateway alone, before the message is read again", () => {
    for (const dmarc of RESULTS) {
      const stored = { spf: "none", dkim: "pass", dmarc } as const;
      const whole = wholeAuthentication(stored);
      expect([whole?.verdict === "pass", whole?.aligned_domain]).toEqual([false, null]);
    }
    const stored = { spf: "none", dkim: "pass", dmarc: "pass" } as const;
    expect(wholeAuthentication(stored)?.verdict).toBe("none");
    expect(wholeAuthentication({ ...stored, dmarc: "fail" })?.verdict).toBe("fail");
  });
});
