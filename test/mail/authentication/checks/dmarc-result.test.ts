import fc from "fast-check";
import { expect, it } from "vitest";
import type { Alignment } from "../../../../src/mail/authentication/alignment.ts";
import { checkedSenderOf, factsOfChecked } from "../../../../src/mail/authentication/checked-sender.ts";
import { dmarcOf, withAlignment } from "../../../../src/mail/authentication/checks/dmarc-result.ts";
import type { Governing } from "../../../../src/mail/authentication/checks/dmarc.ts";
import type { SignatureResult, SpfResult } from "../../../../src/mail/authentication/checks/findings.ts";
import { judge } from "../../../../src/mail/authentication/judge.ts";

const FROM = "example.com";
const DOMAINS = [FROM, "mail.example.com", "example.net", ""];
const SPF: readonly SpfResult[] = ["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"];
const SIGNATURE: readonly SignatureResult[] = ["pass", "fail", "none", "temperror", "permerror"];
const MODES: readonly Alignment[] = ["relaxed", "strict"];

const governing = fc.oneof(
  fc.constant<Governing>({ kind: "none" }),
  fc.constant<Governing>({ kind: "failed" }),
  fc.record({ dkim: fc.constantFrom(...MODES), spf: fc.constantFrom(...MODES) }).map((modes): Governing => ({
    kind: "record",
    record: {
      ...modes,
      text: "v=DMARC1; p=reject",
      policy: "reject",
      subdomainPolicy: null,
      missingPolicy: null,
    },
    policy: "reject",
  })),
);
const spf = fc.option(fc.record({ result: fc.constantFrom(...SPF), domain: fc.constantFrom(...DOMAINS) }));
const signature = fc
  .record({ domain: fc.constantFrom(...DOMAINS), result: fc.constantFrom(...SIGNATURE) })
  .map((some) => ({ ...some, selector: "s1", algorithm: "rsa-sha256", bits: 2_048, covers: [], reason: "" }));

/** Whether a domain speaks for example.com, by the mode. */
const speaksFor = (domain: string, mode: Alignment): boolean =>
  domain === FROM || (mode === "relaxed" && domain === "mail.example.com");

it("a message passes exactly if an aligned signature, or aligned SPF and a record, prove its author", () => {
  const results = fc.record({ governing, spf, signatures: fc.array(signature, { maxLength: 3 }) });
  fc.assert(
    fc.property(results, (some) => {
      const author = { domain: FROM, fromFields: 1 } as const;
      const signatures = withAlignment(some.signatures, { author, governing: some.governing });
      const dmarc = dmarcOf({ author, spf: some.spf, signatures, governing: some.governing });
      const found = { fromDomain: FROM, spf: some.spf, signatures, dmarc, arc: null };
      const { verdict } = judge(factsOfChecked(checkedSenderOf(found)));
      const record = some.governing.kind === "record" ? some.governing.record : null;
      const mode = some.governing.kind === "failed" ? "strict" : (record?.dkim ?? "relaxed");
      const isSigned = some.signatures.some(
        ({ domain, result }) => result === "pass" && speaksFor(domain, mode),
      );
      const isSent = record !== null && some.spf?.result === "pass" && speaksFor(some.spf.domain, record.spf);
      expect(verdict === "pass").toBe(isSigned || isSent);
      const isOpen = some.governing.kind === "failed" && !isSigned;
      expect(verdict).toBe(record === null ? (isOpen ? "temperror" : verdict) : dmarc.result);
    }),
    { numRuns: 2_000 },
  );
});
