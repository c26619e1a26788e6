import type { RecipientNews, ReportNews } from "../mail/report-news.ts";
import type { SendingReport } from "../outbound/cloudflare-events.ts";
import { afterFailure, afterReport, isSettled } from "../outbound/ledger.ts";
import type { Account } from "./account.ts";
import type { LoggedEvent } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { logOutgoing, type OutgoingLog } from "./outgoing-log.ts";
import type { RecipientRow } from "./schema.ts";

/** What reports are applied with. */
export interface ReportTools extends OutgoingLog {
  outbox: Outbox;
}

/**
 * Moves the recipients that a report is about; inside one transaction. Answers what the log tells of it, which may be
 * nothing, or null where the report is about nobody whom that message went to: then it is a mail like any other (T53).
 */
export function applyReport(
  tools: ReportTools,
  account: Account,
  news: ReportNews,
  nowMs: number,
): LoggedEvent[] | null {
  const { outbox } = tools;
  const seq = outbox.ofToken(news.token);
  if (seq === null) return null;
  const recipients = outbox.recipients(seq);
  const meant = news.recipients.flatMap((one) => {
    const recipient = recipientMeant(one, recipients);
    return recipient === null ? [] : [{ one, recipient }];
  });
  if (meant.length === 0) return null;
  const events = meant.flatMap(({ one, recipient }) => {
    if (one.isFinal) {
      const reason = one.reported === "complained" ? "complaint" : "bounce";
      outbox.suppress(recipient.address, reason, { seq, nowMs });
    }
    const step = afterReport(recipient.state, one.reported);
    if (step.event === null) return [];
    outbox.move(recipient, step.state, one.diagnostic ?? recipient.diagnostic, nowMs);
    return [logOutgoing(tools, account, { kind: step.event, recipient, nowMs })];
  });
  settle(outbox, recipients);
  return events;
}

/**
 * Moves the recipient that an event of the platform's sending service is about; inside one transaction. Events may come twice
 * and in any order. Answers what the log tells of it, or null where the event is about nobody whom this mailbox knows yet.
 */
export function applySendingReport(
  tools: ReportTools,
  account: Account,
  report: SendingReport,
  nowMs: number,
): LoggedEvent[] | null {
  const { outbox } = tools;
  const named = outbox.named(report.providerId);
  if (named === null) return null;
  const recipients = outbox.recipients(named.seq);
  const recipient = recipients.find(({ position }) => position === named.position) ?? named;
  if (report.isHard) {
    const reason = report.report === "complained" ? "complaint" : "bounce";
    outbox.suppress(recipient.address, reason, { seq: named.seq, nowMs });
  }
  const step =
    report.report === "failed" ? afterFailure(recipient.state) : afterReport(recipient.state, report.report);
  if (step.state === recipient.state) return [];
  outbox.move(recipient, step.state, report.diagnostic, nowMs);
  const events =
    step.event === null ? [] : [logOutgoing(tools, account, { kind: step.event, recipient, nowMs })];
  settle(outbox, recipients);
  return events;
}

/** A report may hide whom it is about: of a message to one recipient that one is known. */
function recipientMeant(
  { addresses }: RecipientNews,
  recipients: readonly RecipientRow[],
): RecipientRow | null {
  const [only] = recipients;
  if (addresses.length === 0) return recipients.length === 1 ? (only ?? null) : null;
  for (const address of addresses) {
    const found = recipients.find((recipient) => recipient.address.toLowerCase() === address);
    if (found !== undefined) return found;
  }
  return null;
}

/** Whoever is heard of was reached: nothing more is tried where nobody waits. */
function settle(outbox: Outbox, recipients: readonly RecipientRow[]): void {
  const [first] = recipients;
  if (first === undefined) return;
  if (recipients.every(({ state }) => isSettled(state))) outbox.settle(first.seq);
  outbox.showStatus(first.seq, recipients);
}
