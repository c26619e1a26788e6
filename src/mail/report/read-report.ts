import { hasNullReturnPath, isAutomaticAnswer, isFromMailSystem, valuesOf } from "../automatic.ts";
import type { DeliveryReport, FeedbackReport, RecipientStatus } from "./delivery-report.ts";
import { readDeliveryStatus } from "./delivery-status.ts";
import { readFeedback } from "./feedback.ts";
import { faultOf } from "./refusal.ts";
import { contentOf, isDeliveryStatus, isFeedback, type ReportMail } from "./report-part.ts";
import { NO_ORIGINAL, originalMessage } from "./original-message.ts";
import { readTextReport } from "./text-report.ts";

export type {
  Action,
  Confidence,
  DeliveryReport,
  DeliveryStatusReport,
  FeedbackReport,
  FeedbackType,
  OriginalMessage,
  RecipientStatus,
} from "./delivery-report.ts";

/**
 * Reads a delivery report or a complaint; null for every other mail, out-of-office answers and read receipts (RFC 8098)
 * included. Never throws, reads one level of parts and a bounded number of bytes. Says nothing of who wrote the report:
 * a caller may act on it only if the mail came to a return path whose token it knows (`returnPathToken`).
 *
 * @param envelopeFrom MAIL FROM; "" or "<>" for the null return path.
 */
export function readReport(mail: ReportMail, envelopeFrom: string): DeliveryReport | null {
  const container = containerOf(mail);
  // Other kinds of multipart/report are not about delivery, whatever their text says.
  if (container.isReport && !["", "delivery-status", "feedback-report"].includes(container.reportType))
    return null;
  return (
    feedbackReport(mail, container) ?? deliveryStatusReport(mail, container) ?? textReport(mail, envelopeFrom)
  );
}

/** Whether a report says that an address will never take mail: nothing more may be sent there. */
export function isHardBounce({
  action,
  status,
  diagnosticCode,
  replyCode,
}: Pick<RecipientStatus, "action" | "status" | "diagnosticCode" | "replyCode">): boolean {
  const refusal = { stage: "report", code: replyCode, status, text: diagnosticCode ?? "" } as const;
  return action === "failed" && faultOf(refusal) === "address";
}

/** Whether a report is a complaint of the recipient, after which nothing more may be sent there. */
export function isComplaint(report: DeliveryReport): report is FeedbackReport {
  return report.kind === "feedback" && report.feedbackType === "abuse";
}

interface Container {
  /** Whether the mail is a multipart/report (RFC 6522). */
  isReport: boolean;
  /** Its report-type in lower case; "" if missing. */
  reportType: string;
}

function containerOf(mail: ReportMail): Container {
  const contentType = valuesOf(mail, "content-type")[0] ?? "";
  return {
    isReport: /^multipart\/report\s*(?:;|$)/.test(contentType),
    reportType: /;\s*report-type\s*=\s*"?\s*([^\s";]+)/.exec(contentType)?.[1] ?? "",
  };
}

function feedbackReport(mail: ReportMail, container: Container): DeliveryReport | null {
  const part = mail.attachments.find(isFeedback);
  if (part === undefined) return null;
  const { isSound, ...feedback } = readFeedback(contentOf(part));
  return {
    kind: "feedback",
    confidence: isSound && container.isReport ? "high" : "low",
    ...feedback,
    original: originalMessage(mail.attachments, part.partIndex),
  };
}

function deliveryStatusReport(mail: ReportMail, container: Container): DeliveryReport | null {
  const part = mail.attachments.find(isDeliveryStatus);
  if (part === undefined) return null;
  const { isSound, ...status } = readDeliveryStatus(contentOf(part));
  if (status.recipients.length === 0) return null;
  return {
    kind: "delivery-status",
    confidence: isSound && container.isReport ? "high" : "low",
    ...status,
    original: originalMessage(mail.attachments, part.partIndex),
  };
}

/** A report in words, of a server that knows no RFC 3464, or whose status part names nobody. */
function textReport(mail: ReportMail, envelopeFrom: string): DeliveryReport | null {
  // Some servers write from a bare `MAILER-DAEMON`, which is read as a name.
  const sender = { ...mail, fromAddress: mail.from.address || mail.from.name, envelopeFrom };
  if (!hasNullReturnPath(sender) && !isFromMailSystem(sender)) return null;
  if (isAutomaticAnswer(sender)) return null;
  const { "x-failed-recipients": failedRecipients = "" } = mail.headers;
  const read = readTextReport({ subject: mail.subject, text: mail.text, failedRecipients });
  if (read === null) return null;
  const returned = originalMessage(mail.attachments, -1);
  return {
    kind: "delivery-status",
    confidence: "low",
    originalEnvelopeId: null,
    recipients: read.recipients,
    original: returned === NO_ORIGINAL ? read.original : returned,
    isCut: false,
  };
}
