import type { Authentication } from "../../../contract/message.ts";
import type { MethodResult, SenderFacts } from "../sender-facts.ts";
import { judge } from "../judge.ts";

type Verdict = Authentication["verdict"];

const WORST_FIRST: readonly Verdict[] = ["fail", "temperror", "none", "pass"];

/** The findings of this deployment about a message that a server in front has checked too. */
export interface OwnCheck {
  facts: SenderFacts;
  /** Whether everything that can prove the domain was known: SPF too, or the domain has no DMARC record that asks for it. */
  isWhole: boolean;
}

/**
 * Joins what a server in front reported with what this deployment found by itself. Where they disagree the worse one counts,
 * and `conflict` says so.
 *
 * @param needsOwn whether our own check must succeed; else, where DNS prevented it, the report stays as it is
 */
export function combined(
  reported: SenderFacts,
  { facts: own, isWhole }: OwnCheck,
  { needsOwn }: { needsOwn: boolean },
): SenderFacts {
  const found = judge(own).verdict;
  if (found === "temperror" && !needsOwn) return reported;
  const isBroken = reported.dkim === "pass" && !["pass", "temperror"].includes(own.dkim);
  const isDistrusted = reported.dkim === "fail" && own.dkim === "pass";
  const said = hasOpinion(reported.dmarc) ? judge(reported).verdict : null;
  const decided = isWhole || found === "pass" ? found : isBroken ? "fail" : null;
  const verdict = worst([said, decided, isDistrusted ? "none" : null]);
  const base = isDistrusted ? withoutSignatures(own) : own;
  return {
    ...base,
    checkedBy: reported.checkedBy,
    fromDomain: reported.fromDomain === own.fromDomain ? own.fromDomain : null,
    covered: found === "pass" ? own.covered : reported.covered,
    spf: reported.spf,
    dmarc: dmarcFor(verdict, [reported.dmarc, own.dmarc]),
    conflict: [reported.conflict, isBroken, isDistrusted, differ(said, decided)].includes(true),
  };
}

/** Whether a DMARC result says that the domain has a record. */
function hasOpinion(dmarc: MethodResult): boolean {
  return dmarc === "pass" || dmarc === "fail" || dmarc === "temperror";
}

function worst(opinions: readonly (Verdict | null)[]): Verdict {
  return WORST_FIRST.find((one) => opinions.includes(one)) ?? "none";
}

/** The DMARC result from which this verdict follows: where no record was seen, a pass rests on a signature. */
function dmarcFor(verdict: Verdict, seen: readonly MethodResult[]): MethodResult {
  return verdict === "pass" && !seen.includes("pass") ? "none" : verdict;
}

/** The facts if no signature counts, because the server in front found them broken. */
function withoutSignatures(own: SenderFacts): SenderFacts {
  return { ...own, dkim: "fail", signatures: own.signatures.map((one) => ({ ...one, result: "fail" })) };
}

/** Whether two opinions contradict each other. That DNS did not answer contradicts nothing. */
function differ(one: Verdict | null, other: Verdict | null): boolean {
  if (one === null || other === null || one === "temperror" || other === "temperror") return false;
  return one !== other;
}
