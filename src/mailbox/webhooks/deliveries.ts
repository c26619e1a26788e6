import type { EventKind } from "../../contract/event.ts";
import type { DeliveryError, DeliveryState, WebhookDelivery } from "../../contract/webhook.ts";
import { locatorOf } from "../../contract/key.ts";
import { idOf, idTail, nextSeq, readId, SEQ_PER_MS, seqTime, type Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import { eventId } from "../../webhooks/body.ts";
import { ERASED_AT_ONCE } from "../log/retention.ts";
import type { MailboxContext } from "../context.ts";
import { OWN_URL } from "./targets.ts";
import * as rows from "./rows.ts";
import type { AttemptRow, DeliveryRow, TargetRow, UndeliveredEvent, WaitingDelivery } from "./rows.ts";
import { WEBHOOKS } from "./schema.ts";

/** The `seq` of each test event: the log does not contain test events. */
const TEST_EVENT = 0;
const BEFORE_ANY_EVENT = -1;

/** Deliveries of webhooks, waiting and finished. */
export class Deliveries {
  readonly #tables: Tables;
  #lastId: Seq | null = null;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(WEBHOOKS);
  }

  /** Adds a delivery whose first attempt is due at once. */
  add(event: { seq: number; kind: EventKind; emailId: string }, target: TargetRow, nowMs: number): Seq {
    const id = nextSeq(this.newestId(), nowMs);
    this.#tables.run(
      rows.INSERT_DELIVERY,
      id,
      event.seq,
      event.kind,
      event.emailId,
      target.id,
      target.label,
      target.url,
    );
    this.#lastId = id;
    return id;
  }

  /** Adds the delivery of a test event. */
  addTest(target: TargetRow, nowMs: number): Seq {
    return this.add({ seq: TEST_EVENT, kind: "message.received", emailId: "" }, target, nowMs);
  }

  /** The id of the newest delivery; 0 before the first. */
  newestId(): Seq {
    this.#lastId ??= this.#tables.first(rows.NEWEST_DELIVERY)?.id ?? 0;
    return this.#lastId;
  }

  find(id: Seq): DeliveryRow | null {
    return this.#tables.first(rows.FIND_DELIVERY, id);
  }

  /** Deliveries to a target whose first attempt waits, in the order of the log. */
  untried(target: number, limit: number): WaitingDelivery[] {
    return this.#tables.all(rows.UNTRIED, target, limit);
  }

  /** Deliveries to a target that wait for another attempt or have one under way, the earliest due first. */
  tried(target: number, limit: number): WaitingDelivery[] {
    return this.#tables.all(rows.TRIED, target, limit);
  }

  /** How many deliveries wait for an attempt, up to a limit, and the oldest of those that were counted. */
  waiting(limit: number): { count: number; oldest: Seq | null } {
    return this.#tables.first(rows.WAITING, limit) ?? { count: 0, oldest: null };
  }

  /** The earliest due time of a target's deliveries after `after`, in ms since 1970; null if none is due then. */
  nextDue(target: number, after: number): number | null {
    return this.#tables.first(rows.NEXT_DUE, target, after)?.due_at ?? null;
  }

  /** Whether a target has a delivery that waits for an attempt or has one under way. */
  isWaiting(target: number): boolean {
    return this.untried(target, 1).length > 0 || this.tried(target, 1).length > 0;
  }

  /** Events above `sent` with a delivery to a target between two others, none of which arrived; in the order of the log. */
  undelivered(
    target: number,
    between: { first: Seq; last: Seq; sent: number },
    limit: number,
  ): UndeliveredEvent[] {
    return this.#tables.all(rows.UNDELIVERED, target, between.first, between.last, between.sent, limit);
  }

  /** Stores that attempt `number` is under way, before anything is sent. */
  begin(id: Seq, attempt: { number: number; url: string; lease: number; begunAt: number }): void {
    this.#tables.run(rows.BEGIN, attempt.number, attempt.url, attempt.lease, attempt.begunAt, id);
  }

  record(attempt: AttemptRow): void {
    const { delivery, number, at, status, error, duration_ms, answer } = attempt;
    this.#tables.run(rows.RECORD, delivery, number, at, status, error, duration_ms, answer);
  }

  /** Stores that no attempt is under way. `dueAt`: when the next one is due, in ms since 1970; null if the delivery is finished. */
  moveOn(id: Seq, state: DeliveryState, dueAt: number | null): void {
    this.#tables.run(rows.MOVE_ON, state, dueAt, id);
  }

  /** Stores that an event arrived: earlier deliveries of it to the same target no longer count as undelivered. */
  arrived({ target, event }: Pick<DeliveryRow, "target" | "event">): void {
    this.#tables.run(rows.MARK_ARRIVED, target, event);
  }

  /**
   * Cancels the waiting deliveries of a failed target. Test events are still delivered, because they show its owner whether
   * it works again.
   */
  cancelEvents(target: number): void {
    this.#tables.run(rows.CANCEL, target, TEST_EVENT);
  }

  /** Cancels all waiting deliveries of a target that is removed. */
  cancelAll(target: number): void {
    this.#tables.run(rows.CANCEL, target, BEFORE_ANY_EVENT);
  }

  /** Deliveries added before `below`, newest first. */
  page(filter: { below: Seq; state: DeliveryState | null; label: string | null; limit: number }) {
    return this.#tables.all(rows.PAGE_OF_DELIVERIES, filter.below, filter.state, filter.label, filter.limit);
  }

  /** The last attempt of the newest tried delivery to a target; null if none was tried or it is already erased. */
  latestAttempt(target: number): AttemptRow | null {
    return this.#tables.first(rows.LATEST_ATTEMPT, target);
  }

  /** When the oldest delivery was added, in ms since 1970; null if there is none. */
  oldestAt(): number | null {
    const oldest = this.#tables.first(rows.OLDEST_DELIVERY);
    return oldest === null ? null : seqTime(oldest.id);
  }

  /** Erases deliveries that were added before a time, as many as one step may; inside one transaction. */
  erase(beforeMs: number): void {
    this.#tables.run(rows.ERASE_ATTEMPTS, beforeMs * SEQ_PER_MS, ERASED_AT_ONCE);
    this.#tables.run(rows.ERASE_DELIVERIES, beforeMs * SEQ_PER_MS, ERASED_AT_ONCE);
  }

  /** The attempts of some deliveries that ended, in their order. */
  #attemptsOf(ids: readonly Seq[]): AttemptRow[] {
    return this.#tables.all(rows.ATTEMPTS, JSON.stringify(ids));
  }

  /** Deliveries as the API shows them. */
  shown(mailbox: string, deliveries: readonly DeliveryRow[]): WebhookDelivery[] {
    const attempts = deliveries.length === 0 ? [] : this.#attemptsOf(deliveries.map(({ id }) => id));
    return deliveries.map((row) =>
      shownDelivery(
        mailbox,
        row,
        attempts.filter(({ delivery }) => delivery === row.id),
      ),
    );
  }
}

/** The tail that was computed last: all deliveries of a mailbox share one, and a page shows many of them. */
let lastTail = { mailbox: "", tail: 0n };

/** The tail of the ids of deliveries. It differs from that of messages, so that no id names both. */
function tailOf(mailbox: string): bigint {
  if (lastTail.mailbox !== mailbox) {
    lastTail = { mailbox, tail: idTail(`deliveries of ${locatorOf(mailbox)}`) };
  }
  return lastTail.tail;
}

/** The public id of a delivery. */
export function deliveryId(id: Seq, mailbox: string): string {
  return idOf(id, tailOf(mailbox));
}

/** The delivery of this mailbox that a public id may name; null for any other text. */
export function readDeliveryId(id: string, mailbox: string): Seq | null {
  const read = readId(id, tailOf(mailbox));
  return read === null || read.part !== null ? null : read.seq;
}

/** Whether a delivery is of a test event, whose result does not change its target's status. */
export function isTest({ event }: Pick<DeliveryRow, "event">): boolean {
  return event === TEST_EVENT;
}

/** The result of an attempt that failed without an answer. */
export function failedAttempt(error: DeliveryError) {
  return { ok: false, status: null, error, durationMs: null, answer: "" };
}

/** The `webhook-id` of a delivery. Each test event has its own, because receivers that drop repeats would miss the later ones. */
export function deliveryEventId(row: Pick<DeliveryRow, "event" | "id">, mailbox: string): string {
  const locator = locatorOf(mailbox);
  return isTest(row) ? `evt_${locator}_test_${row.id}` : eventId(locator, row.event);
}

function shownDelivery(mailbox: string, row: DeliveryRow, attempts: readonly AttemptRow[]): WebhookDelivery {
  const id = deliveryId(row.id, mailbox);
  return {
    id,
    event_id: deliveryEventId(row, mailbox),
    seq: row.event,
    event: row.kind,
    email_id: isTest(row) ? id : row.email_id,
    label: row.label === OWN_URL ? null : row.label,
    webhook_url: row.url,
    state: row.state,
    attempts: attempts.map(({ number, at, status, error, duration_ms, answer }) => ({
      number,
      at: new Date(at).toISOString(),
      status,
      error,
      duration_ms,
      answer,
    })),
    created_at: new Date(seqTime(row.id)).toISOString(),
    next_attempt_at: nextAttemptAt(row),
  };
}

/** When the next attempt is due; null if the delivery is finished or an attempt is under way. */
function nextAttemptAt(row: DeliveryRow): string | null {
  if (row.due_at === null || row.begun_at !== null) return null;
  return new Date(row.due_at === 0 ? seqTime(row.id) : row.due_at).toISOString();
}
