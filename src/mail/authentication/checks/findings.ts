import type { RecipientField } from "../../../contract/message.ts";

/** Results of SPF (RFC 7208 §2.6). */
export type SpfResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror";

/**
 * Results of one signature (RFC 8601 §2.7.1). `none`: its key is too short to prove anything. `permerror`: it cannot be verified,
 * now or later. `temperror`: its key could not be fetched.
 */
export type SignatureResult = "pass" | "fail" | "none" | "temperror" | "permerror";

/**
 * Results of DMARC. `none`: there is no record, or SPF is not known and may be what proves From. `permerror`: there is a From field,
 * but not exactly one author who can be read.
 */
export type DmarcResult = "pass" | "fail" | "none" | "temperror" | "permerror";
export type DmarcPolicy = "none" | "quarantine" | "reject";

/** Whether the client may send for a domain. */
export interface SpfFinding {
  result: SpfResult;
  /** The domain that was asked: that of MAIL FROM, or of HELO for the null sender; "" if it was none. */
  domain: string;
}

/** One DKIM-Signature of the message. */
export interface SignatureFinding {
  /** `d=` and `s=` in lower case; "" where they cannot be read. */
  domain: string;
  selector: string;
  /** `rsa-sha256`, `ed25519-sha256`, or the unknown one that it names, cut. */
  algorithm: string;
  /** Bits of the key; 0 where no key was read. */
  bits: number;
  result: SignatureResult;
  /** Whether its domain is aligned with that of From, by the mode that the DMARC record sets. */
  aligned: boolean;
  /** Which of To and Cc it signs; empty unless it passes. */
  covers: RecipientField[];
  /** Why the result is no pass, in English; "" for a pass. */
  reason: string;
}

export interface DmarcFinding {
  result: DmarcResult;
  /** Whether aligned SPF is enough for a pass. */
  isBySpf: boolean;
  /** The record, cut; null if there is none. */
  record: string | null;
  /** The owner of the domain asks to treat mail that fails so; null without a record. */
  policy: DmarcPolicy | null;
}

/** Everything that the check of a message found out about who wrote it. `judge` says what it means. */
export interface Findings {
  /** The domain of the one address in the one From field, in A-labels; null if there is none or more than one. */
  fromDomain: string | null;
  /** Null where the client that sent the message is not known. */
  spf: SpfFinding | null;
  /** In the order of the header; at most ten. */
  signatures: SignatureFinding[];
  dmarc: DmarcFinding;
  /** `domain`: who sealed the message last. Null for a message without ARC. */
  arc: { result: "pass" | "fail" | "temperror"; domain: string } | null;
}
