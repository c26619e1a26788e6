import type { Arc, Authentication, RecipientField, Signature } from "../../contract/message.ts";

/** Results of RFC 8601 §2.7 and §6 as the API gives them; `none` also where a method was not checked. */
export type MethodResult =
  | "pass"
  | "fail"
  | "softfail"
  | "neutral"
  | "none"
  | "temperror"
  | "permerror"
  | "policy";

/** The findings about the sender of one message, before they are judged. */
export interface SenderFacts {
  checkedBy: Authentication["checked_by"];
  /** Domain of the one author, in canonical form; null where the message has no author, several, or an unreadable one. */
  fromDomain: string | null;
  spf: MethodResult;
  /** The best result of all signatures, aligned or not. */
  dkim: MethodResult;
  /** `none` where the author's domain has no DMARC record. */
  dmarc: MethodResult;
  /** `aligned` says whether the signing domain stands for the author's domain, relaxed or strict as its record says. */
  signatures: readonly Signature[];
  /** Which of To and Cc the owner of the author's domain wrote, if that domain is proven. */
  covered: readonly RecipientField[];
  /** Null where there is no ARC chain, or where it was not checked. */
  arc: Arc | null;
  /** Whether two checks of the same message disagreed; the facts are then those of the worse one. */
  conflict: boolean;
}
