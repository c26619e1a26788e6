import { isAligned, type Alignment } from "../alignment.ts";
import type { Author } from "../author.ts";
import type { Governing } from "./dmarc.ts";
import type { DmarcFinding, DmarcResult, SignatureFinding, SpfFinding } from "./findings.ts";

/** Characters of a record that are kept: those in use have up to some 500. */
const MAX_SHOWN_CHARS = 1_024;

/** The results of all other methods. */
export interface Results {
  author: Author;
  spf: SpfFinding | null;
  signatures: readonly SignatureFinding[];
  governing: Governing;
}

/** Marks the signatures whose domain speaks for that of From. */
export function withAlignment(
  signatures: readonly Omit<SignatureFinding, "aligned">[],
  { author, governing }: Pick<Results, "author" | "governing">,
): SignatureFinding[] {
  const mode = dkimMode(governing);
  return signatures.map((signature) => ({
    ...signature,
    aligned: author.domain !== null && isAligned(signature.domain, author.domain, mode),
  }));
}

/** While the record is not known, only what every record would accept counts as aligned. */
function dkimMode(governing: Governing): Alignment {
  if (governing.kind === "record") return governing.record.dkim;
  return governing.kind === "failed" ? "strict" : "relaxed";
}

/** Holds the results of SPF and DKIM against the record that governs From (RFC 7489 §6.6.2). */
export function dmarcOf({ author, spf, signatures, governing }: Results): DmarcFinding {
  if (author.domain === null) {
    return { result: author.fromFields === 0 ? "none" : "permerror", record: null, policy: null };
  }
  if (governing.kind === "failed") return { result: "temperror", record: null, policy: null };
  if (governing.kind === "none") return { result: "none", record: null, policy: null };
  const { record, policy } = governing;
  const isSpfAligned = spf !== null && isAligned(spf.domain, author.domain, record.spf);
  const aligned = signatures.flatMap((one) => (one.aligned ? [one.result] : []));
  const result = resultOf([...aligned, ...(isSpfAligned ? [spf.result] : [])], spf !== null);
  return { result, record: record.text.slice(0, MAX_SHOWN_CHARS), policy };
}

/** The result of DMARC from those of everything that is aligned. */
function resultOf(aligned: readonly string[], isSpfKnown: boolean): DmarcResult {
  if (aligned.includes("pass")) return "pass";
  if (aligned.includes("temperror")) return "temperror";
  // Where SPF is not known, it may be what proves the domain.
  return isSpfKnown ? "fail" : "none";
}
