import { WEBHOOK_KINDS } from "../../contract/webhook.ts";
import { afterProbe, joined, MAX_PROBES, probeDue, withFreshProbes } from "../../webhooks/recovery.ts";
import { withMissed, type Recovery } from "../../webhooks/recovery.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Log } from "../log/log.ts";
import type { Deliveries } from "./deliveries.ts";
import type { DeliveryRow, TargetRow, UndeliveredEvent } from "./rows.ts";
import type { Targets } from "./targets.ts";

/** The most deliveries that are added at once for a target that catches up. */
const MAX_ADDED = 100;
/** The most entries of the log that are read at once for it: other calls wait meanwhile. */
const MAX_READ = 1_000;

/** The events that a target gets next. */
interface NextEvents {
  events: UndeliveredEvent[];
  /** The newest event that was looked at. */
  sent: number;
  /** Whether nothing comes after it. */
  isEnd: boolean;
}

/**
 * The recovery of failed targets, if the owner of the mailbox has turned it on. While a target is `recovering`, its oldest
 * undelivered event is sent as a probe. Once a probe arrives, the target is active and _catches up_: it gets all events that it
 * missed, one after the other in the order of the log. Every change is made inside a transaction of the caller.
 */
export class Recoveries {
  readonly #context: MailboxContext;
  readonly #log: Log;
  readonly #targets: Targets;
  readonly #deliveries: Deliveries;

  constructor(context: MailboxContext, tools: { log: Log; targets: Targets; deliveries: Deliveries }) {
    this.#context = context;
    this.#log = tools.log;
    this.#targets = tools.targets;
    this.#deliveries = tools.deliveries;
  }

  /** Notes the events that a target has not received when it fails, and begins its recovery if that is turned on. */
  failed(target: TargetRow, account: Account, nowMs: number): void {
    const last = this.#deliveries.newestId();
    const range = { first: target.failing_since ?? last, last, newest: account.row.last_event, sent: 0 };
    const recovery = joined(target.recovery, withFreshProbes(range, nowMs));
    const [oldest] = this.#deliveries.undelivered(target.id, recovery, 1);
    const status = account.row.webhook_recovery === 1 ? "recovering" : "failed";
    this.#targets.setRecovery(
      target,
      { ...recovery, sent: (oldest?.event ?? recovery.newest + 1) - 1 },
      status,
    );
    if (status === "recovering") this.#context.clock.atLatest(recovery.probeAt);
  }

  /** Begins or ends the recovery of every target that has failed. */
  want(isWanted: boolean, nowMs: number): void {
    for (const target of this.#targets.all()) {
      const { recovery, status } = target;
      if (recovery === null || status !== (isWanted ? "failed" : "recovering")) continue;
      const fresh = withFreshProbes(recovery, nowMs);
      this.#targets.setRecovery(target, fresh, isWanted ? "recovering" : "failed");
      if (isWanted) this.#context.clock.atLatest(fresh.probeAt);
      else this.#deliveries.cancelEvents(target.id);
    }
  }

  /** Takes the result of a delivery to a target that is recovering. Returns whether the target is active again. */
  ended(target: TargetRow, row: DeliveryRow, succeeded: boolean): boolean {
    const { recovery } = target;
    if (recovery === null) return false;
    if (succeeded) {
      this.#targets.setRecovery(target, recovery, "active");
      return true;
    }
    const isLast = recovery.probes >= MAX_PROBES;
    // The probe failed, so its event stays the next one.
    const before = { ...recovery, sent: Math.min(recovery.sent, row.event - 1) };
    this.#targets.setRecovery(target, before, isLast ? "failed" : "recovering");
    return false;
  }

  /** When a target needs its next probe or, to catch up, more deliveries (0), in ms since 1970; null if it needs none. */
  nextDue(target: TargetRow, nowMs: number): number | null {
    const { recovery, status, id } = target;
    if (recovery === null || status === "failed" || this.#deliveries.isWaiting(id)) return null;
    return status === "active" ? 0 : probeDue(recovery, nowMs);
  }

  /** Whether `refill` has something to do. */
  isDue(target: TargetRow, nowMs: number): boolean {
    const due = this.nextDue(target, nowMs);
    return due !== null && (due <= nowMs || due !== target.recovery?.probeAt);
  }

  /** Adds what a target gets next: a probe that is due, or events that it missed. */
  refill(target: TargetRow, account: Account, nowMs: number): void {
    const { recovery, status } = target;
    if (recovery === null || status === "failed") return;
    if (status === "active") return this.#catchUp(target, recovery, account, nowMs);
    const probeAt = probeDue(recovery, nowMs);
    if (probeAt <= nowMs) return this.#probe(target, afterProbe(recovery, nowMs), account, nowMs);
    // The clock was set back. The probe must not wait until the clock has reached the old time again.
    this.#targets.setRecovery(target, { ...recovery, probeAt }, "recovering");
    this.#context.clock.atLatest(probeAt);
  }

  #catchUp(target: TargetRow, recovery: Recovery, account: Account, nowMs: number): void {
    const { events, sent, isEnd } = this.#next(target, recovery, account, MAX_ADDED);
    for (const event of events) this.#add(event, target, nowMs);
    const isDone = isEnd && events.length === 0;
    this.#targets.setRecovery(target, isDone ? null : { ...recovery, sent }, "active");
  }

  #probe(target: TargetRow, recovery: Recovery, account: Account, nowMs: number): void {
    const { events, sent } = this.#next(target, recovery, account, 1);
    for (const event of events) this.#add(event, target, nowMs);
    const isOver = events.length === 0 && recovery.probes >= MAX_PROBES;
    this.#targets.setRecovery(target, { ...recovery, sent }, isOver ? "failed" : "recovering");
    if (!isOver) this.#context.clock.atLatest(recovery.probeAt);
  }

  #add({ event, kind, email_id }: UndeliveredEvent, target: TargetRow, nowMs: number): void {
    this.#deliveries.add({ seq: event, kind, emailId: email_id }, target, nowMs);
  }

  /** The events that a target gets next: first those whose delivery did not arrive, then those that had none. */
  #next(target: TargetRow, recovery: Recovery, account: Account, limit: number): NextEvents {
    const oldest = this.#log.oldestSeq(account);
    if (recovery.sent < oldest - 1) {
      const missed = withMissed(target.missed, { from: recovery.sent + 1, to: oldest - 1 });
      this.#targets.setMissed(target, missed);
    }
    const after = Math.max(recovery.sent, oldest - 1);
    if (after < recovery.newest) {
      const events = this.#deliveries.undelivered(target.id, { ...recovery, sent: after }, limit);
      const isFull = events.length === limit;
      const sent = isFull ? (events.at(-1)?.event ?? after) : recovery.newest;
      if (events.length > 0) return { events, sent, isEnd: false };
    }
    return this.#nextOfLog(target, account, Math.max(after, recovery.newest), limit);
  }

  #nextOfLog(target: TargetRow, account: Account, after: number, limit: number): NextEvents {
    const restoredAt = this.#log.restoredAt(account);
    const read = this.#log.after(after, MAX_READ, WEBHOOK_KINDS);
    const page = after < restoredAt ? read.filter(({ seq }) => seq < restoredAt) : read;
    if (after < restoredAt && page.length === 0) {
      // The events between the backup and the restore are lost.
      this.#targets.setMissed(target, withMissed(target.missed, { from: after + 1, to: restoredAt }));
      return this.#nextOfLog(target, account, restoredAt, limit);
    }
    const wanted = page.filter(({ data }) => this.#targets.takers(data).includes(target)).slice(0, limit);
    const events = wanted.map(({ seq, kind, data }) => ({ event: seq, kind, email_id: data.email_id }));
    const isFull = wanted.length === limit;
    const sent = (isFull ? wanted.at(-1) : page.at(-1))?.seq ?? after;
    return { events, sent, isEnd: read.length < MAX_READ && page.length === read.length && !isFull };
  }
}
