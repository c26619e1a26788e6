import type { EventKind } from "../contract/event.ts";
import type { DeliveryError, DeliveryState } from "../contract/webhook.ts";
import { locatorOf } from "../contract/key.ts";
import { idOf, idTail, nextSeq, readId, type Seq } from "../lib/ids.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { AttemptRow, DeliveryRow, TargetRow } from "./schema.ts";

type Nullable<T> = T | null;

/** What it takes to decide whether a delivery's next attempt starts. */
export type Job = Pick<DeliveryRow, "id" | "event" | "attempts" | "due_at" | "begun_at">;

const ALL = "id, event, kind, email_id, target, label, url, state, attempts, due_at, begun_at";
const JOB = "id, event, attempts, due_at, begun_at";

const INSERT: Query<
  never,
  [id: Seq, event: number, kind: string, emailId: string, target: number, label: string, url: string]
> = {
  text: `INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts, due_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0)`,
};
const NEWEST: Query<{ id: Seq }, []> = { text: "SELECT id FROM delivery ORDER BY id DESC LIMIT 1" };
const FIND: Query<DeliveryRow, [id: Seq]> = { text: `SELECT ${ALL} FROM delivery WHERE id = ?` };
const UNTRIED: Query<Job, [target: number, limit: number]> = {
  text: `SELECT ${JOB} FROM delivery WHERE target = ? AND due_at = 0 ORDER BY event, id LIMIT ? + 0`,
};
const TRIED: Query<Job, [target: number, limit: number]> = {
  text: `SELECT ${JOB} FROM delivery WHERE target = ? AND due_at > 0 ORDER BY due_at LIMIT ? + 0`,
};
const NEXT_DUE: Query<{ due_at: number }, [target: number, after: number]> = {
  text: "SELECT due_at FROM delivery WHERE target = ? AND due_at > ? ORDER BY due_at LIMIT 1",
};
const BEGIN: Query<never, [attempts: number, url: string, lease: number, begunAt: number, id: Seq]> = {
  text: "UPDATE delivery SET attempts = ?, url = ?, due_at = ?, begun_at = ? WHERE id = ?",
};
const MOVE_ON: Query<never, [state: string, dueAt: Nullable<number>, id: Seq]> = {
  text: "UPDATE delivery SET state = ?, due_at = ?, begun_at = NULL WHERE id = ?",
};
const CANCEL: Query<never, [target: number, after: number]> = {
  text: `UPDATE delivery SET state = 'cancelled', due_at = NULL, begun_at = NULL
    WHERE target = ? AND due_at IS NOT NULL AND event > ?`,
};
const RECORD: Query<
  never,
  [Seq, number, number, Nullable<number>, Nullable<string>, Nullable<number>, string]
> = {
  text: `INSERT OR REPLACE INTO attempt (delivery, number, at, status, error, duration_ms, answer)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
const PAGE: Query<
  DeliveryRow,
  [below: Seq, state: Nullable<string>, label: Nullable<string>, limit: number]
> = {
  text: `SELECT ${ALL} FROM delivery WHERE id < ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR label = ?3)
    ORDER BY id DESC LIMIT ?4 + 0`,
};
const ATTEMPTS: Query<AttemptRow, [ids: string]> = {
  text: `SELECT delivery, number, at, status, error, duration_ms, answer FROM attempt
    WHERE delivery IN (SELECT value FROM json_each(?)) ORDER BY delivery, number`,
};
const LATEST_ATTEMPT: Query<AttemptRow, [target: number]> = {
  text: `SELECT a.delivery, a.number, a.at, a.status, a.error, a.duration_ms, a.answer
    FROM delivery d JOIN attempt a ON a.delivery = d.id WHERE d.target = ? ORDER BY d.id DESC, a.number DESC LIMIT 1`,
};

/** No event has it: a test event is not in the log. */
const TEST_EVENT = 0;
const BEFORE_ANY_EVENT = -1;

/** Deliveries of webhooks, those that wait and those that are over. */
export class Deliveries {
  readonly #db: Database;
  #lastId: Seq | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Makes a delivery whose first attempt is due at once. */
  add(event: { seq: number; kind: EventKind; emailId: string }, target: TargetRow, nowMs: number): Seq {
    this.#lastId ??= this.#db.first(NEWEST)?.id ?? 0;
    const id = nextSeq(this.#lastId, nowMs);
    this.#db.run(INSERT, id, event.seq, event.kind, event.emailId, target.id, target.label, target.url);
    this.#lastId = id;
    return id;
  }

  /** Makes the delivery of a test event. */
  addTest(target: TargetRow, nowMs: number): Seq {
    return this.add({ seq: TEST_EVENT, kind: "message.received", emailId: "" }, target, nowMs);
  }

  find(id: Seq): DeliveryRow | null {
    return this.#db.first(FIND, id);
  }

  /** Those of a target whose first attempt waits, in the order of the log. */
  untried(target: number, limit: number): Job[] {
    return this.#db.all(UNTRIED, target, limit);
  }

  /** Those of a target that wait for another attempt or have one under way, the earliest due first. */
  tried(target: number, limit: number): Job[] {
    return this.#db.all(TRIED, target, limit);
  }

  /** The earliest due time of a target after `after`; null if nothing of it waits. */
  nextDue(target: number, after: number): number | null {
    return this.#db.first(NEXT_DUE, target, after)?.due_at ?? null;
  }

  /** Writes down, before anything is sent, that attempt `number` is under way. */
  begin(id: Seq, attempt: { number: number; url: string; lease: number; begunAt: number }): void {
    this.#db.run(BEGIN, attempt.number, attempt.url, attempt.lease, attempt.begunAt, id);
  }

  record(attempt: AttemptRow): void {
    const { delivery, number, at, status, error, duration_ms, answer } = attempt;
    this.#db.run(RECORD, delivery, number, at, status, error, duration_ms, answer);
  }

  /** No attempt is under way any more; `dueAt` is the next one's, null when it is over. */
  moveOn(id: Seq, state: DeliveryState, dueAt: number | null): void {
    this.#db.run(MOVE_ON, state, dueAt, id);
  }

  /** Gives up what waits for a target that failed. Test events go on: they are how its owner sees whether it works again. */
  cancelEvents(target: number): void {
    this.#db.run(CANCEL, target, TEST_EVENT);
  }

  /** Gives up whatever waits for a target that is removed. */
  cancelAll(target: number): void {
    this.#db.run(CANCEL, target, BEFORE_ANY_EVENT);
  }

  /** Deliveries made before `below`, the newest first. */
  page(filter: { below: Seq; state: DeliveryState | null; label: string | null; limit: number }) {
    return this.#db.all(PAGE, filter.below, filter.state, filter.label, filter.limit);
  }

  /** The last attempt of the newest delivery to a target that was tried; null if none was, or none is kept. */
  latestAttempt(target: number): AttemptRow | null {
    return this.#db.first(LATEST_ATTEMPT, target);
  }

  /** The attempts of some deliveries that ended, in their order. */
  attemptsOf(ids: readonly Seq[]): AttemptRow[] {
    return this.#db.all(ATTEMPTS, JSON.stringify(ids));
  }
}

/** The latest asked for: ids come by the page, and all of a mailbox end alike. */
let lastTail = { mailbox: "", tail: 0n };

/** Another ending than that of messages, so that no id names both. */
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

/** The delivery of this mailbox that a public id may name; null for anything else. */
export function readDeliveryId(id: string, mailbox: string): Seq | null {
  const read = readId(id, tailOf(mailbox));
  return read === null || read.part !== null ? null : read.seq;
}

/** Whether a delivery is of a test event, which says nothing of its target's state. */
export function isTest({ event }: Pick<DeliveryRow, "event">): boolean {
  return event === TEST_EVENT;
}

/** An attempt of which nothing is known but that it failed, and why. */
export function failedAttempt(error: DeliveryError) {
  return { ok: false, status: null, error, durationMs: null, answer: "" };
}
