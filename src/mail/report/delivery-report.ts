/**
 * How much a report may be relied on. `high`: a multipart/report with the part its standard asks for. `low`: read from a
 * report with faults or from plain text, or its recipients were guessed. Neither proves who sent it: only the return
 * path's token does.
 */
export type Confidence = "high" | "low";

/** RFC 3464 §2.3.3. Only `failed` is a bounce; `delayed` means that the server goes on trying. */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

/** The result of a delivery to one recipient. */
export interface RecipientStatus {
  action: Action;
  /**
   * Enhanced status code (RFC 3463) such as `5.1.1`; null if the report names none. Where the Status field says no more than
   * `x.0.0`, the more exact code of the same class in the diagnostic stands here.
   */
  status: string | null;
  /** The address it was delivered to or refused by; without address type, as written; null if only the original one is named. */
  finalRecipient: string | null;
  /** The address the sender gave (ORCPT), xtext decoded; null if not named. */
  originalRecipient: string | null;
  /** The words of the server, on one line, cut, with the diagnostic type before them unless that is `smtp`; null if none. */
  diagnosticCode: string | null;
  /** SMTP reply code (RFC 5321 §4.2) in the diagnostic, such as 550; null if there is none. */
  replyCode: number | null;
}

/** The returned message or its header, as far as a report is matched by it; all null where nothing was returned. */
export interface OriginalMessage {
  /** With angle brackets. */
  messageId: string | null;
  /** Address of its Return-Path, without brackets. */
  returnPath: string | null;
  /** RFC 9477 §3.2: what the sender wrote into the message to know it again, folding blanks removed. */
  cfblFeedbackId: string | null;
}

/** A delivery status notification (RFC 3464), or what stands for one. */
export interface DeliveryStatusReport {
  kind: "delivery-status";
  confidence: Confidence;
  /** ENVID of the submission (RFC 3461 §4.4), xtext decoded; null if not named. */
  originalEnvelopeId: string | null;
  /** Never empty. */
  recipients: RecipientStatus[];
  original: OriginalMessage;
  /** Whether recipients beyond a limit were left out. */
  isCut: boolean;
}

/** RFC 5965 §7.3, RFC 6591 and the registry; a type that is not known, or missing, is `other`. Only `abuse` is a complaint. */
export type FeedbackType = "abuse" | "auth-failure" | "fraud" | "not-spam" | "opt-out" | "virus" | "other";

/** A report in the Abuse Reporting Format (RFC 5965). */
export interface FeedbackReport {
  kind: "feedback";
  confidence: Confidence;
  feedbackType: FeedbackType;
  /** The addresses of Original-Rcpt-To that can be read, without repeats; empty if none is named or all are hidden. */
  originalRecipients: string[];
  /** Whether a recipient is named but hidden (RFC 6590). A hash in place of a local part cannot be told from an address. */
  isRedacted: boolean;
  /** Original-Mail-From, without brackets; null if missing or the null return path. */
  originalMailFrom: string | null;
  originalEnvelopeId: string | null;
  original: OriginalMessage;
}

/** A report about a message that was sent before. */
export type DeliveryReport = DeliveryStatusReport | FeedbackReport;
