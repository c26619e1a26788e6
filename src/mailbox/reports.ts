import type { RecipientNews, ReportNews } from "../mail/report/report-news.ts";
import type { SendingReport } from "../outbound/cloudflare-events.ts";
import { afterFailure, afterNews, afterReport, isSettled } from "../outbound/ledger.ts";
import { takenAs } from "../outbound/reply.ts";
import type { Account } from "./account.ts";
import type { LoggedEvent } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { logOutgoing, type OutgoingLog } from "./outgoing-log.ts";
import type { RecipientRow } from "./schema.ts";

/** What reports are applied with. */
export interface ReportTools extends OutgoingLog {
  outbox: Outbox;
}

/** How long after the hand-over a report is believed: hosts give up within a week, and people complain within some. */
const TOKEN_LIFETIME_MS = 30 * 86_400_000;

/**
 * Moves the recipient that a report is about: nobody but the one whose token it came to. Inside one transaction. Answers
 * what the log tells of it, which may be nothing, or null where the report is about nobody whom that token was given to, or
 * about one who was not handed over, or too long ago: then it is a mail like any other.
 */
export function applyReport(
  tools: ReportTools,
  account: Account,
  news: ReportNews,
  nowMs: number,
): LoggedEvent[] | null {
  const { outbox } = tools;
  const believed = believedOf(outbox, news, nowMs);
  const meant = news.recipients.flatMap((one) => {
    const recipient = recipientMeant(one, believed);
    return recipient === null ? [] : [{ one, recipient }];
  });
  const [first] = meant;
  if (first === undefined) return null;
  const { seq } = first.recipient;
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
  settle(outbox, outbox.recipients(seq));
  return events;
}

/** The recipients of whom a report may be true. */
function believedOf(outbox: Outbox, news: ReportNews, nowMs: number): RecipientRow[] {
  const since = nowMs - TOKEN_LIFETIME_MS;
  const own = outbox.ofToken(news.token, since);
  if (own !== null) return [own];
  // Such a token could be computed from the Message-ID, which whoever sees a copy knows. What the next host called the
  // message, it told us and wrote into the copies.
  return outbox.ofSharedToken(news.token, since).filter(({ diagnostic }) => {
    const name = takenAs(diagnostic ?? "");
    return name !== null && news.queueIds.includes(name);
  });
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
    report.report === "failed" ? afterFailure(recipient.state) : afterNews(recipient.state, report.report);
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
