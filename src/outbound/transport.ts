import type { Fault } from "../mail/report/refusal.ts";
import type { HandOver } from "./ledger.ts";

/** One message on its way out: the same bytes at every try. */
export interface OutboundMail {
  /** MAIL FROM, without angle brackets; "" is the null return path. */
  returnPath: string;
  /** The address in the From field, which a platform that has its own return path takes for the sender. */
  fromAddress: string;
  /** RCPT TO, at least one; domains as A-labels. */
  recipients: readonly string[];
  /** ENVID for delivery reports (RFC 3461 §4.4); printable ASCII. */
  envelopeId: string;
  /** A recipient's or the return path's local part is not ASCII (RFC 6531). */
  needsSmtpUtf8: boolean;
  /** Bytes of the message as `open` gives it. */
  sizeBytes: number;
  /** The message with CRLF line ends, before dots are stuffed; a new stream at each call. */
  open: () => ReadableStream<Uint8Array>;
  /**
   * Awaited once, when all of the message but its end was handed over. What is lost before it resolves was not taken; what is
   * lost after it may have been. If it rejects, the end is not said and nothing was taken. Not asked by a transport whose far
   * side knows a repeat again: there a try that was lost is made once more.
   */
  beforeEnd: () => Promise<void>;
}

/** What came of one recipient. */
export interface RecipientResult {
  /** As it stood in `recipients`. */
  recipient: string;
  result: HandOver;
  /** Reply code, 200 to 599; null without a reply. */
  code: number | null;
  /** Enhanced status code such as `5.1.1` (RFC 3463); null if the reply gave none. */
  enhancedCode: string | null;
  /** The reply, or what happened instead of one, on one line and bounded: shown to the sender of the message. */
  diagnostic: string;
  /** Whose matter it is that the message was not taken; null where it was, or nobody said. */
  fault: Fault | null;
  /** Whom else the message were for, it would fare the same now: the relay is not there, does not answer or refuses us. */
  concernsAll: boolean;
  /** What the next host calls the message, where its reports name it so; null where they do not. */
  providerId: string | null;
}

/** What a deployment sends by: a transport, or "none", with which it sends nothing. The setting OUTBOUND names one of these. */
export const OUTBOUNDS = ["local", "smtp", "worker-mailer", "cloudflare", "none"] as const;
export type Outbound = (typeof OUTBOUNDS)[number];

/** A way out of the deployment. */
export interface Transport {
  name: Exclude<Outbound, "none">;
  /** Whether MAIL FROM is the return path, which the hosts of all recipients of one `send` see: else it is the platform's. */
  showsReturnPath: boolean;
  /** Bytes of the largest message it takes; known before a try, so that a larger one is refused when it is asked for. */
  maxBytes: number;
  /**
   * Hands one message over and says what came of each recipient, one result for each, in their order. Never rejects, and ends
   * within its own time limit whatever the peer does. `signal` ends it early: as if the connection were lost.
   */
  send: (mail: OutboundMail, signal: AbortSignal) => Promise<RecipientResult[]>;
}
