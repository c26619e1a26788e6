import type { RecipientNews, ReportNews } from "../../mail/report/report-news.ts";
import { sendingReport, type SendingReport } from "../../outbound/cloudflare-events.ts";
import { afterFailure, afterNews, afterReport, isSettled } from "../../outbound/ledger.ts";
import { takenAs } from "../../outbound/reply.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { LoggedEvent } from "../log/rows.ts";
import type { Outbox } from "./outbox.ts";
import type { OutgoingEvents } from "./outgoing-events.ts";
import type { RecipientRow } from "./rows.ts";

/** How long events of the sending service for an unknown message are redelivered, in ms. Then the message counts as erased. */
const UNKNOWN_EVENT_MS = 3_600_000;

/** How long a report is believed after the hand-over, in ms: hosts give up within a week, people complain within a few weeks. */
const TOKEN_LIFETIME_MS = 30 * 86_400_000;

/** Applies delivery reports, complaints and events of the sending service to messages that were handed over. */
export class Reports {
  readonly #context: MailboxContext;
  readonly #outbox: Outbox;
  readonly #events: OutgoingEvents;

  constructor(context: MailboxContext, others: { outbox: Outbox; events: OutgoingEvents }) {
    this.#context = context;
    this.#outbox = others.outbox;
    this.#events = others.events;
  }

  /**
   * Applies a report to the recipient whose token it came to; inside one transaction. Answers the log events, of which
   * there may be none. Null if no recipient has the token, or if that recipient was handed over too long ago or not at all:
   * the report is then stored like any other mail.
   */
  apply(account: Account, news: ReportNews, nowMs: number): LoggedEvent[] | null {
    const outbox = this.#outbox;
    const believed = this.#trustedRecipients(news, nowMs);
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
      return [this.#events.write(account, { kind: step.event, recipient, nowMs })];
    });
    this.#settle(outbox.recipients(seq));
    return events;
  }

  /**
   * Applies an event of Cloudflare's Email Service, given as JSON. Answers false if no message has the service's name for
   * it yet: the caller then has the event delivered again.
   */
  sendingEvent(json: string): boolean {
    const { live, now, commit, publish } = this.#context;
    const account = live(now());
    const report = sendingReport(JSON.parse(json));
    if (account === null || report === null) return true;
    const events = commit(() => this.#applySendingReport(account, report, now()));
    publish(events ?? []);
    return events !== null || now() - Date.parse(report.at) > UNKNOWN_EVENT_MS;
  }

  /** The recipients about whom this report may be true. */
  #trustedRecipients(news: ReportNews, nowMs: number): RecipientRow[] {
    const since = nowMs - TOKEN_LIFETIME_MS;
    const own = this.#outbox.ofToken(news.token, since);
    if (own !== null) return [own];
    // Such a token can be computed from the Message-ID, which everybody who sees a copy knows. So the report must also
    // contain the name that the receiving host gave the message in its reply.
    return this.#outbox.ofSharedToken(news.token, since).filter(({ diagnostic }) => {
      const name = takenAs(diagnostic ?? "");
      return name !== null && news.queueIds.includes(name);
    });
  }

  /**
   * Applies an event of the sending service to its recipient, inside one transaction. Events may come twice and in any
   * order. Answers the log events; null if this mailbox does not know the recipient yet.
   */
  #applySendingReport(account: Account, report: SendingReport, nowMs: number): LoggedEvent[] | null {
    const outbox = this.#outbox;
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
      step.event === null ? [] : [this.#events.write(account, { kind: step.event, recipient, nowMs })];
    this.#settle(recipients);
    return events;
  }

  /** Updates the status of a message from its recipients' states. If no recipient is queued, cancels further attempts. */
  #settle(recipients: readonly RecipientRow[]): void {
    const [first] = recipients;
    if (first === undefined) return;
    if (recipients.every(({ state }) => isSettled(state))) this.#outbox.settle(first.seq);
    this.#outbox.showStatus(first.seq, recipients);
  }
}

/**
 * Finds the recipient that a report is about. A report may omit its recipient; it is then about the only recipient, and
 * about nobody if there are several.
 */
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
