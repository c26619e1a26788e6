import type { ReportMail } from "./report-part.ts";
import { isComplaint, isHardBounce, readReport, type Action, type DeliveryReport } from "./read-report.ts";
import { returnPathToken } from "../address/return-path.ts";

/** The result of a delivery to one recipient, as a report tells it. */
export type Reported = "delivered" | "relayed" | "delayed" | "bounced" | "complained";

/** News of one recipient. */
export interface RecipientNews {
  /** By what names the report knows it, lower case, the one we gave first; empty where it hides them. */
  addresses: string[];
  reported: Reported;
  /** Nothing more may be sent there. */
  isFinal: boolean;
  diagnostic: string | null;
}

/** A report about a message that the mailbox sent. */
export interface ReportNews {
  /** The token in the return path that the report came to; the mailbox checks that it minted it. */
  token: string;
  recipients: RecipientNews[];
  /** The queue ids that hosts on the way gave the message. */
  queueIds: string[];
}

/** RFC 3464 §2.3.3; an expanded address stands for a list, whose members are not followed. */
const REPORTED: Readonly<Record<Action, Reported>> = {
  failed: "bounced",
  delayed: "delayed",
  delivered: "delivered",
  relayed: "relayed",
  expanded: "relayed",
};

/**
 * Reads the report in a mail that came to a return path of this service; null for every other mail. It must not be trusted
 * before the mailbox has found the token among those it minted: anyone can send a forged report.
 *
 * @param queueIds finds the names that hosts gave to the message (`queueIdsIn`)
 */
export function reportNews(
  parsed: ReportMail,
  envelope: { from: string; to: string },
  queueIds: () => string[],
): ReportNews | null {
  const token = returnPathToken(envelope.to);
  const report = token === null ? null : readReport(parsed, envelope.from);
  if (token === null || report === null) return null;
  const recipients = newsOf(report);
  return recipients.length === 0 ? null : { token, recipients, queueIds: queueIds() };
}

function newsOf(report: DeliveryReport): RecipientNews[] {
  if (report.kind === "feedback") {
    if (!isComplaint(report)) return [];
    const complained = { reported: "complained", isFinal: true, diagnostic: "Complaint (RFC 5965)" } as const;
    // Hidden recipients are one unknown.
    if (report.originalRecipients.length === 0) return [{ addresses: [], ...complained }];
    return report.originalRecipients.map((address) => ({
      addresses: [address.toLowerCase()],
      ...complained,
    }));
  }
  return report.recipients.map((recipient) => ({
    addresses: [recipient.originalRecipient, recipient.finalRecipient].flatMap((address) =>
      address === null ? [] : [address.toLowerCase()],
    ),
    reported: REPORTED[recipient.action],
    isFinal: isHardBounce(recipient),
    diagnostic: recipient.diagnosticCode ?? recipient.status,
  }));
}
