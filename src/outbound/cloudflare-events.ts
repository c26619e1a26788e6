import * as z from "zod";
import type { Reported } from "../mail/report/report-news.ts";
import { codeOf, diagnosticOf } from "./reply.ts";

/** An event of Cloudflare's Email Service about one recipient of one message. */
export interface SendingReport {
  /** Id of the event. Events may come twice and out of order. */
  eventId: string;
  /** The name that the service gave the message; the event may come before `send` answers with it. */
  providerId: string;
  /** The sender's address, which names the mailbox. */
  sender: string;
  recipient: string;
  /** `failed`: the service never reached the recipient's host; the recipient is not at fault. */
  report: Reported | "failed";
  /** Whether the address itself is permanently at fault, so that it is suppressed. */
  isHard: boolean;
  /** Reply code of the recipient's host; null if unknown. */
  code: number | null;
  enhancedCode: string | null;
  /** One line of bounded length. */
  diagnostic: string;
  /** ISO 8601. */
  at: string;
}

/** Members that some of the documentation's examples lack are optional. */
const eventSchema = z.object({
  type: z.string(),
  payload: z.object({
    eventId: z.string().min(1).max(200),
    messageId: z.string().min(1).max(1_000),
    sender: z.string().min(1).max(1_000),
    recipient: z.string().min(1).max(1_000),
    delivery: z
      .object({
        smtpStatusCode: z.string().optional(),
        smtpEnhancedStatusCode: z.string().optional(),
        smtpResponse: z.string().optional(),
      })
      .optional(),
    bounce: z.object({ type: z.string().optional(), reason: z.string().optional() }).optional(),
    failure: z.object({ reason: z.string().optional() }).optional(),
    rejection: z.object({ reason: z.string().optional(), detail: z.string().optional() }).optional(),
    complaint: z.object({ type: z.string().optional() }).optional(),
  }),
  metadata: z.object({ eventTimestamp: z.iso.datetime() }),
});
type Payload = z.output<typeof eventSchema>["payload"];

const PREFIX = "cf.email.sending.message.";

/**
 * Parses the body of a queue message (Email Service, event subscriptions, schema version 1). Null for anything else, and
 * for kinds of events that are not known here.
 */
export function sendingReport(body: unknown): SendingReport | null {
  const event = eventSchema.safeParse(body);
  if (!event.success || !event.data.type.startsWith(PREFIX)) return null;
  const { type, payload, metadata } = event.data;
  const verdict = verdictOf(type.slice(PREFIX.length), payload);
  if (verdict === null) return null;
  const { delivery } = payload;
  const enhanced = delivery?.smtpEnhancedStatusCode ?? "";
  return {
    eventId: payload.eventId,
    providerId: payload.messageId,
    sender: payload.sender,
    recipient: payload.recipient,
    ...verdict,
    code: codeOf(delivery?.smtpStatusCode ?? ""),
    enhancedCode: /^[245]\.[0-9]{1,3}\.[0-9]{1,3}$/.test(enhanced) ? enhanced : null,
    diagnostic: diagnosticOf(wordsOf(payload)),
    at: metadata.eventTimestamp,
  };
}

function verdictOf(
  kind: string,
  payload: Payload,
): { report: SendingReport["report"]; isHard: boolean } | null {
  switch (kind) {
    case "delivered":
      return { report: "delivered", isHard: false };
    case "deferred":
      return { report: "delayed", isHard: false };
    case "bounced":
      // This event also comes when retries are used up; its type is then "soft".
      return { report: "bounced", isHard: payload.bounce?.type === "hard" };
    case "complained":
      return { report: "complained", isHard: true };
    case "failed":
      return { report: "failed", isHard: false };
    case "rejected": {
      // Other reasons are about the message.
      const isSuppressed = payload.rejection?.reason === "suppressed";
      return { report: isSuppressed ? "bounced" : "failed", isHard: isSuppressed };
    }
    default:
      return null;
  }
}

function wordsOf({ delivery, bounce, rejection, failure, complaint }: Payload): string {
  const said = [
    delivery?.smtpResponse,
    bounce?.reason,
    rejection?.detail,
    rejection?.reason,
    failure?.reason,
    complaint?.type,
  ];
  return said.find((words) => words !== undefined) ?? "";
}
