import { Attempt, AttemptEnded, tryLimitMs } from "./attempt.ts";
import type { HandOver } from "./ledger.ts";
import { withoutReply } from "./reply.ts";
import type { Verdict } from "./reply.ts";
import { sameForAll, faultOf, NOT_SENDABLE, sendableRecipients } from "./results.ts";
import type { OutboundMail, RecipientResult, Transport } from "./transport.ts";

/** The largest message to any recipient, in bytes. The platform's limit of 25 MiB applies to verified addresses only. */
const MAX_MESSAGE_BYTES = 5 * 1024 * 1024;

/**
 * `send` of a `send_email` binding, called with an `EmailMessage` of these values. Resolves to the platform's name for the
 * message.
 */
export type SendRaw = (
  from: string,
  to: string,
  raw: ReadableStream<Uint8Array>,
) => Promise<{ messageId: string }>;

/** The options of this transport. */
export interface CloudflareOptions {
  sendRaw: SendRaw;
  /** Time limit of one attempt, in ms, plus time for the size of the message; undefined = the default. */
  limitMs?: number;
}

/**
 * Hands messages to Cloudflare's Email Service, one for each recipient: with several, one suppressed address would fail all
 * of them. The platform sets Message-ID, Date and Return-Path. Later results arrive as events on a queue.
 */
export class CloudflareTransport implements Transport {
  readonly name = "cloudflare";
  readonly showsReturnPath = false;
  readonly maxBytes = MAX_MESSAGE_BYTES;
  readonly #options: CloudflareOptions;

  constructor(options: CloudflareOptions) {
    this.#options = options;
  }

  async send(mail: OutboundMail, signal: AbortSignal): Promise<RecipientResult[]> {
    const attempt = new Attempt(mail, signal, tryLimitMs(mail.sizeBytes, this.#options.limitMs));
    try {
      const fault = faultOf(mail, this.maxBytes);
      if (fault !== null) return sameForAll(mail, withoutReply("impossible", fault));
      const sendable = new Set(sendableRecipients(mail));
      if (sendable.size === 0) return sameForAll(mail, NOT_SENDABLE);
      return await this.#sendEach(attempt, sendable);
    } catch (error) {
      return sameForAll(
        mail,
        withoutReply("deferred", error instanceof Error ? error.message : String(error)),
      );
    } finally {
      await attempt.close();
    }
  }

  async #sendEach(attempt: Attempt, sendable: ReadonlySet<string>): Promise<RecipientResult[]> {
    const { mail } = attempt;
    // Read into memory: if a stream broke inside the platform, it would be unknown what was sent.
    const message = new Blob([await attempt.whole()]);
    await attempt.passEnd();
    const results: RecipientResult[] = [];
    for (const recipient of mail.recipients) {
      const verdict = sendable.has(recipient)
        ? await this.#sendTo(recipient, message, attempt)
        : NOT_SENDABLE;
      results.push({ recipient, ...verdict });
    }
    return results;
  }

  async #sendTo(recipient: string, message: Blob, attempt: Attempt): Promise<Verdict> {
    if (attempt.signal.aborted) return withoutReply("deferred", endOf(attempt));
    try {
      // The platform accepts only the From address as the sender.
      const sending = this.#options.sendRaw(attempt.mail.fromAddress, recipient, message.stream());
      const { messageId } = await attempt.race(sending);
      return { ...withoutReply("taken", `Taken as ${messageId}`), providerId: messageId };
    } catch (error) {
      return error instanceof AttemptEnded ? withoutReply("unanswered", error.message) : refusal(error);
    }
  }
}

function endOf(attempt: Attempt): string {
  const { reason } = attempt.signal;
  return reason instanceof Error ? reason.message : String(reason);
}

/**
 * The documented error codes (Workers API). After any other error, the platform may have taken the message. A second
 * attempt would then create another message, because the platform gives each its own Message-ID.
 */
const KINDS: Readonly<Record<string, HandOver["kind"]>> = {
  E_RATE_LIMIT_EXCEEDED: "deferred",
  E_DAILY_LIMIT_EXCEEDED: "deferred",
  // The receiving host did not take it, temporarily or permanently. If permanently, the platform suppresses the address.
  E_DELIVERY_FAILED: "deferred",
  // The operator can fix these while the message waits.
  E_SENDER_NOT_VERIFIED: "deferred",
  E_SENDER_DOMAIN_NOT_AVAILABLE: "deferred",
  E_RECIPIENT_SUPPRESSED: "refused",
  E_RECIPIENT_NOT_ALLOWED: "impossible",
  E_CONTENT_TOO_LARGE: "impossible",
  E_VALIDATION_ERROR: "impossible",
  E_FIELD_MISSING: "impossible",
  E_TOO_MANY_RECIPIENTS: "impossible",
  E_TOO_MANY_ATTACHMENTS: "impossible",
  E_HEADER_NOT_ALLOWED: "impossible",
  E_HEADER_USE_API_FIELD: "impossible",
  E_HEADER_VALUE_INVALID: "impossible",
  E_HEADER_VALUE_TOO_LONG: "impossible",
  E_HEADER_NAME_INVALID: "impossible",
  E_HEADERS_TOO_LARGE: "impossible",
  E_HEADERS_TOO_MANY: "impossible",
};

/** The codes among them that the operator can fix. */
const OPERATORS: ReadonlySet<string> = new Set([
  "E_RATE_LIMIT_EXCEEDED",
  "E_DAILY_LIMIT_EXCEEDED",
  "E_SENDER_NOT_VERIFIED",
  "E_SENDER_DOMAIN_NOT_AVAILABLE",
]);

function refusal(error: unknown): Verdict {
  const what = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const kind = Object.hasOwn(KINDS, code) ? KINDS[code] : undefined;
  const verdict = withoutReply(kind ?? "unanswered", code === "" ? what : `${code}: ${what}`);
  if (code === "E_RECIPIENT_SUPPRESSED") return { ...verdict, fault: "address" };
  return OPERATORS.has(code) ? { ...verdict, fault: "us" } : verdict;
}
