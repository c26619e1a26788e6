import type { Authentication } from "../../contract/message.ts";
import type { SenderFacts } from "./sender-facts.ts";
import { RECIPIENT_FIELDS } from "./covered-fields.ts";

/**
 * Answers one question: is the domain of From proven?
 *
 * - `pass`: DMARC passed (RFC 7489); or, where the domain has no usable DMARC record, a valid signature is aligned with it.
 *   Aligned SPF alone proves nothing without a record.
 * - `fail`: DMARC failed, or the message does not have exactly one readable author.
 * - `temperror`: DNS did not answer, so nobody knows.
 * - `none`: nothing proves the domain, and the domain does not ask for proof.
 */
export function judge(facts: SenderFacts): Authentication {
  const verdict = verdictOf(facts);
  return {
    spf: facts.spf,
    dkim: facts.dkim,
    dmarc: facts.dmarc,
    verdict,
    aligned_domain: verdict === "pass" ? facts.fromDomain : null,
    proven_fields: verdict === "pass" ? [...facts.covered] : [],
    checked_by: facts.checkedBy,
    signatures: [...facts.signatures],
    arc: facts.arc,
    conflict: facts.conflict,
  };
}

function verdictOf({ fromDomain, dmarc, signatures }: SenderFacts): Authentication["verdict"] {
  if (fromDomain === null || dmarc === "fail") return "fail";
  if (dmarc === "pass") return "pass";
  const results = signatures.flatMap(({ aligned, result }) => (aligned ? [result] : []));
  // RFC 7489 §6.6.3: a record that cannot be read counts as none. A record that could not be fetched may ask for strict
  // alignment, so then only a signature of the very same domain counts: it is aligned by every record.
  if (dmarc === "temperror") return isSignedAs(fromDomain, signatures) ? "pass" : "temperror";
  if (results.includes("pass")) return "pass";
  return results.includes("temperror") ? "temperror" : "none";
}

function isSignedAs(domain: string, signatures: SenderFacts["signatures"]): boolean {
  return signatures.some((one) => one.aligned && one.result === "pass" && one.domain === domain);
}

/**
 * Mail between two mailboxes of this deployment. Nothing travelled, so no method applies; but the deployment accepted the
 * message from the owner of its From address, which proves more than its domain.
 */
export function sentInside(fromDomain: string | null): Authentication {
  const unchecked = { checkedBy: "self", spf: "none", dkim: "none", signatures: [], arc: null } as const;
  const judged = judge({
    ...unchecked,
    covered: RECIPIENT_FIELDS,
    fromDomain,
    dmarc: "pass",
    conflict: false,
  });
  return { ...judged, dmarc: "none" };
}

/** The results of a gateway, as releases before the verdict stored them. */
export type EarlierAuthentication = Pick<SenderFacts, "spf" | "dkim" | "dmarc">;

/** The findings about a sender as this release or an earlier one stored them; null where nothing was checked. */
export type StoredAuthentication = EarlierAuthentication | Authentication | null;

/**
 * The whole answer for stored mail. Of mail that an earlier release judged it is that of the gateway, whose signatures were not
 * kept. The gateway may have judged another From field than the one that is listed, so it proves nothing until the message
 * itself is read again.
 *
 * @param shown the author's domain by a strict reading of the message (`shownAuthor`); null where it was not read, or has none
 */
export function wholeAuthentication(
  stored: StoredAuthentication,
  shown: string | null = null,
): Authentication | null {
  if (stored === null || "verdict" in stored) return stored;
  const border = { checkedBy: "border", signatures: [], covered: [], arc: null, conflict: false } as const;
  if (shown !== null) return judge({ ...stored, ...border, fromDomain: shown });
  const { verdict, ...others } = judge({ ...stored, ...border, fromDomain: "" });
  return { ...others, verdict: verdict === "pass" ? "none" : verdict, aligned_domain: null };
}
