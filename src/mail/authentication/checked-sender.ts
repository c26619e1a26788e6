import type { CheckedSender } from "../../contract/checked-sender.ts";
import type { Findings } from "./checks/findings.ts";
import { RECIPIENT_FIELDS } from "./covered-fields.ts";
import type { MethodResult, SenderFacts } from "./sender-facts.ts";

/** Best first: one valid signature is enough (RFC 6376 §4.2). */
const BEST_FIRST: readonly MethodResult[] = ["pass", "temperror", "fail", "permerror"];

/** The findings of this deployment itself, in the form in which the SMTP listener tells the worker. */
export function checkedSenderOf(own: Findings): CheckedSender {
  return {
    from_domain: own.fromDomain,
    spf: own.spf?.result ?? "none",
    dmarc: own.dmarc.result,
    dmarc_by_spf: own.dmarc.isBySpf,
    signatures: own.signatures.map(({ domain, selector, algorithm, bits, result, aligned, covers }) => ({
      domain,
      selector,
      algorithm,
      bits: bits === 0 ? null : bits,
      result,
      aligned,
      covers,
    })),
    arc: own.arc,
  };
}

/** The same as facts to judge. */
export function factsOfChecked(checked: CheckedSender): SenderFacts {
  const { from_domain, spf, dmarc, dmarc_by_spf, signatures, arc } = checked;
  const results = signatures.map(({ result }) => result);
  const proving = signatures.filter(({ aligned, result }) => aligned && result === "pass");
  return {
    checkedBy: "self",
    fromDomain: from_domain,
    spf,
    dkim: BEST_FIRST.find((result) => results.includes(result)) ?? "none",
    dmarc,
    signatures,
    covered: RECIPIENT_FIELDS.filter(
      (name) => dmarc_by_spf || proving.some(({ covers }) => covers?.includes(name)),
    ),
    arc,
    conflict: false,
  };
}
