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

const NO_RECORD = { isBySpf: false, record: null, policy: null } as const;

/** Holds the results of SPF and DKIM against the record that governs From (RFC 7489 §6.6.2). */
export function dmarcOf({ author, spf, signatures, governing }: Results): DmarcFinding {
  if (author.domain === null) {
    return { ...NO_RECORD, result: author.fromFields === 0 ? "none" : "permerror" };
  }
  if (governing.kind === "failed") return { ...NO_RECORD, result: "temperror" };
  if (governing.kind === "none") return { ...NO_RECORD, result: "none" };
  const { record, policy } = governing;
  const isSpfAligned = spf !== null && isAligned(spf.domain, author.domain, record.spf);
  const aligned = signatures.flatMap((one) => (one.aligned ? [one.result] : []));
  const result = resultOf([...aligned, ...(isSpfAligned ? [spf.result] : [])], spf !== null);
  const isBySpf = isSpfAligned && spf.result === "pass";
  return { result, isBySpf, record: record.text.slice(0, MAX_SHOWN_CHARS), policy };
}

/** The result of DMARC from those of everything that is aligned. */
function resultOf(aligned: readonly string[], isSpfKnown: boolean): DmarcResult {
  if (aligned.includes("pass")) return "pass";
  if (aligned.includes("temperror")) return "temperror";
  // Where SPF is not known, it may be what proves the domain.
  return isSpfKnown ? "fail" : "none";
}
