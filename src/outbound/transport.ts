import type { Fault } from "../mail/report/refusal.ts";
import type { HandOver } from "./ledger.ts";

/** One outgoing message. Each attempt sends the same bytes. */
export interface OutboundMail {
  /** MAIL FROM, without angle brackets; "" is the null return path. */
  returnPath: string;
  /** The address in the From field. A platform with a return path of its own uses it as the sender. */
  fromAddress: string;
  /** RCPT TO addresses, at least one; domains as A-labels. */
  recipients: readonly string[];
  /** ENVID for delivery reports (RFC 3461 §4.4); printable ASCII. */
  envelopeId: string;
  /** Whether the local part of a recipient or of the return path is not ASCII (RFC 6531). */
  needsSmtpUtf8: boolean;
  /** Bytes of the message that `open` yields. */
  sizeBytes: number;
  /** Opens the message: CRLF line ends, dots not stuffed. Each call opens a new stream. */
  open: () => ReadableStream<Uint8Array>;
  /**
   * The transport calls this once, after it handed over all bytes of the message except its end, and waits for it. If the
   * connection is lost before this resolves, the message was not taken; if it is lost later, the message may have been
   * taken. If this rejects, the transport does not send the end, and nothing is taken. A transport whose receiver
   * recognizes duplicates does not call it, because it repeats a lost attempt.
   */
  beforeEnd: () => Promise<void>;
}

/** The result for one recipient. */
export interface RecipientResult {
  /** As in `recipients`. */
  recipient: string;
  result: HandOver;
  /** Reply code, 200 to 599; null without a reply. */
  code: number | null;
  /** Enhanced status code such as `5.1.1` (RFC 3463); null if the reply gave none. */
  enhancedCode: string | null;
  /** The reply, or what happened instead, on one line of bounded length. The sender of the message sees it. */
  diagnostic: string;
  /** The party at fault if the message was not taken; null if it was taken, or if that is unknown. */
  fault: Fault | null;
  /**
   * Whether every other message would get the same result now, because the relay cannot be reached, does not answer or
   * refuses this server.
   */
  concernsAll: boolean;
  /** The name that the receiving service gave the message, if reports use that name; else null. */
  providerId: string | null;
}

/** The values of the setting OUTBOUND. "none" sends no mail. */
export const OUTBOUNDS = ["local", "smtp", "worker-mailer", "cloudflare", "none"] as const;
export type Outbound = (typeof OUTBOUNDS)[number];

/** Carries messages out of the deployment. */
export interface Transport {
  name: Exclude<Outbound, "none">;
  /** Whether recipients' hosts see MAIL FROM as the return path; if false, the platform sets its own. */
  showsReturnPath: boolean;
  /** The largest message in bytes. A larger one is refused when its sender asks to send it. */
  maxBytes: number;
  /**
   * Hands one message over. Resolves to one result for each recipient, in their order. Never rejects, and ends within its
   * time limit whatever the peer does. Aborting `signal` ends the attempt like a lost connection.
   */
  send: (mail: OutboundMail, signal: AbortSignal) => Promise<RecipientResult[]>;
}
