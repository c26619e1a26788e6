import type { CheckedSender } from "../../contract/checked-sender.ts";
import type { Findings } from "./checks/findings.ts";
import type { MethodResult, SenderFacts } from "./sender-facts.ts";

/** Best first: one valid signature is enough (RFC 6376 §4.2). */
const BEST_FIRST: readonly MethodResult[] = ["pass", "temperror", "fail", "permerror"];

/** The findings of this deployment itself, in the form in which the SMTP listener tells the worker. */
export function checkedSenderOf(own: Findings): CheckedSender {
  return {
    from_domain: own.fromDomain,
    spf: own.spf?.result ?? "none",
    dmarc: own.dmarc.result,
    signatures: own.signatures.map(({ domain, selector, algorithm, bits, result, aligned }) => ({
      domain,
      selector,
      algorithm,
      bits: bits === 0 ? null : bits,
      result,
      aligned,
    })),
    arc: own.arc,
  };
}

/** The same as facts to judge. */
export function factsOfChecked({ from_domain, spf, dmarc, signatures, arc }: CheckedSender): SenderFacts {
  const results = signatures.map(({ result }) => result);
  return {
    checkedBy: "self",
    fromDomain: from_domain,
    spf,
    dkim: BEST_FIRST.find((result) => results.includes(result)) ?? "none",
    dmarc,
    signatures,
    arc,
    conflict: false,
  };
}
