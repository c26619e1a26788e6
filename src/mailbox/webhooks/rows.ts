import type { EventKind } from "../../contract/event.ts";
import type { DeliveryError, DeliveryState } from "../../contract/webhook.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import type { WebhookStatus } from "../../contract/webhook.ts";
import type { Missed, Recovery } from "../../webhooks/recovery.ts";

type Nullable<T> = T | null;

/** A URL that webhooks go to: the mailbox's own or that of one label. */
export type TargetRow = {
  id: number;
  /** "" = the mailbox's own `webhook_url`. */
  label: string;
  /** As its owner wrote it. */
  url: string;
  status: WebhookStatus;
  /** Consecutive failed deliveries. */
  failures: number;
  created_at: number;
  /** The lowest id of these deliveries; null = none failed since the last success. */
  failing_since: Seq | null;
  /** The events that it has not received since it failed; null once it has caught up, or its URL was set after it failed. */
  recovery: Recovery | null;
  /** The events that it can no longer receive, because the log did not keep them; null = nothing since its URL was set. */
  missed: Missed | null;
};

/** A target as it is stored. */
export type StoredTarget = Omit<TargetRow, "recovery" | "missed"> & {
  /** JSON. */
  recovery: string | null;
  missed: string | null;
};

/** An event of the log that a target has not received. */
export type UndeliveredEvent = Pick<DeliveryRow, "event" | "kind" | "email_id">;

/** One event to be delivered to one target. */
export type DeliveryRow = {
  /** Ordered by time like the seq of messages (`nextSeq`): it contains the time when the delivery was added. */
  id: Seq;
  /** `seq` of the event in the log; 0 = a test event, which is not in the log. */
  event: number;
  kind: EventKind;
  /** "" for a test event. */
  email_id: string;
  target: number;
  label: string;
  /** URL of the latest attempt; before the first one, the URL of the target. */
  url: string;
  state: DeliveryState;
  /** Attempts begun. */
  attempts: number;
  /**
   * When the next attempt is due, in ms since 1970: 0 before the first attempt, null for a finished delivery. While an
   * attempt is under way, the end of its lease: after that, the process that made the attempt has died.
   */
  due_at: number | null;
  /** When the attempt under way began, in ms since 1970; null = none is under way. */
  begun_at: number | null;
};

/** A finished attempt. */
export type AttemptRow = {
  delivery: Seq;
  /** From 1. */
  number: number;
  at: number;
  status: number | null;
  error: DeliveryError | null;
  /** Null if the process died during the attempt. */
  duration_ms: number | null;
  answer: string;
};

/** The columns that decide whether the next attempt starts. */
export type WaitingDelivery = Pick<DeliveryRow, "id" | "event" | "attempts" | "due_at" | "begun_at">;

export const LIST_TARGETS: Query<StoredTarget, []> = {
  text: `SELECT id, label, url, status, failures, created_at, failing_since, recovery, missed
    FROM webhook_target ORDER BY label`,
};
export const PUT_TARGET: Query<{ id: number }, [label: string, url: string, createdAt: number]> = {
  text: `INSERT INTO webhook_target (label, url, status, failures, created_at) VALUES (?, ?, 'active', 0, ?)
    ON CONFLICT (label) DO UPDATE SET url = excluded.url, status = 'active', failures = 0, failing_since = NULL,
    missed = NULL, recovery = CASE status WHEN 'failed' THEN NULL ELSE recovery END`,
};
export const MARK_TARGET: Query<
  never,
  [status: string, failures: number, failingSince: Nullable<Seq>, id: number]
> = {
  text: "UPDATE webhook_target SET status = ?, failures = ?, failing_since = ? WHERE id = ?",
};
export const SET_RECOVERY: Query<never, [recovery: Nullable<string>, id: number]> = {
  text: "UPDATE webhook_target SET recovery = ? WHERE id = ?",
};
export const SET_MISSED: Query<never, [missed: string, id: number]> = {
  text: "UPDATE webhook_target SET missed = ? WHERE id = ?",
};
export const REMOVE_TARGET: Query<never, [id: number]> = { text: "DELETE FROM webhook_target WHERE id = ?" };

const ALL = "id, event, kind, email_id, target, label, url, state, attempts, due_at, begun_at";
const JOB = "id, event, attempts, due_at, begun_at";

export const INSERT_DELIVERY: Query<
  never,
  [id: Seq, event: number, kind: string, emailId: string, target: number, label: string, url: string]
> = {
  text: `INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts, due_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0)`,
};
export const NEWEST_DELIVERY: Query<{ id: Seq }, []> = {
  text: "SELECT id FROM delivery ORDER BY id DESC LIMIT 1",
};
export const FIND_DELIVERY: Query<DeliveryRow, [id: Seq]> = {
  text: `SELECT ${ALL} FROM delivery WHERE id = ?`,
};
export const UNTRIED: Query<WaitingDelivery, [target: number, limit: number]> = {
  text: `SELECT ${JOB} FROM delivery WHERE target = ? AND due_at = 0 ORDER BY event, id LIMIT ? + 0`,
};
export const TRIED: Query<WaitingDelivery, [target: number, limit: number]> = {
  text: `SELECT ${JOB} FROM delivery WHERE target = ? AND due_at > 0 ORDER BY due_at LIMIT ? + 0`,
};
export const NEXT_DUE: Query<{ due_at: number }, [target: number, after: number]> = {
  text: "SELECT due_at FROM delivery WHERE target = ? AND due_at > ? ORDER BY due_at LIMIT 1",
};
export const UNDELIVERED: Query<
  UndeliveredEvent,
  [target: number, first: Seq, last: Seq, after: number, limit: number]
> = {
  text: `SELECT event, kind, email_id FROM delivery INDEXED BY delivery_undelivered
    WHERE target = ?1 AND id BETWEEN ?2 AND ?3 AND event > ?4
    AND state IN ('failed', 'cancelled') AND arrived IS NULL GROUP BY event ORDER BY event LIMIT ?5 + 0`,
};
/** Earlier deliveries of an event that arrived count no longer as undelivered. */
export const MARK_ARRIVED: Query<never, [target: number, event: number]> = {
  text: `UPDATE delivery INDEXED BY delivery_undelivered SET arrived = 1 WHERE target = ? AND event = ?
    AND state IN ('failed', 'cancelled') AND arrived IS NULL`,
};
/** The oldest is that of the counted ones. */
export const WAITING: Query<{ count: number; oldest: Nullable<Seq> }, [limit: number]> = {
  text: `SELECT count(*) AS count, min(id) AS oldest FROM
    (SELECT id FROM delivery WHERE due_at IS NOT NULL LIMIT ? + 0)`,
};
export const BEGIN: Query<never, [attempts: number, url: string, lease: number, begunAt: number, id: Seq]> = {
  text: "UPDATE delivery SET attempts = ?, url = ?, due_at = ?, begun_at = ? WHERE id = ?",
};
export const MOVE_ON: Query<never, [state: string, dueAt: Nullable<number>, id: Seq]> = {
  text: "UPDATE delivery SET state = ?, due_at = ?, begun_at = NULL WHERE id = ?",
};
export const CANCEL: Query<never, [target: number, after: number]> = {
  text: `UPDATE delivery SET state = 'cancelled', due_at = NULL, begun_at = NULL
    WHERE target = ? AND due_at IS NOT NULL AND event > ?`,
};
export const RECORD: Query<
  never,
  [Seq, number, number, Nullable<number>, Nullable<string>, Nullable<number>, string]
> = {
  text: `INSERT OR REPLACE INTO attempt (delivery, number, at, status, error, duration_ms, answer)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
export const PAGE_OF_DELIVERIES: Query<
  DeliveryRow,
  [below: Seq, state: Nullable<string>, label: Nullable<string>, limit: number]
> = {
  text: `SELECT ${ALL} FROM delivery WHERE id < ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR label = ?3)
    ORDER BY id DESC LIMIT ?4 + 0`,
};
export const ATTEMPTS: Query<AttemptRow, [ids: string]> = {
  text: `SELECT delivery, number, at, status, error, duration_ms, answer FROM attempt
    WHERE delivery IN (SELECT value FROM json_each(?)) ORDER BY delivery, number`,
};
export const LATEST_ATTEMPT: Query<AttemptRow, [target: number]> = {
  text: `SELECT a.delivery, a.number, a.at, a.status, a.error, a.duration_ms, a.answer
    FROM delivery d JOIN attempt a ON a.delivery = d.id WHERE d.target = ? ORDER BY d.id DESC, a.number DESC LIMIT 1`,
};
export const OLDEST_DELIVERY: Query<{ id: Seq }, []> = {
  text: "SELECT id FROM delivery ORDER BY id LIMIT 1",
};
export const ERASE_ATTEMPTS: Query<never, [below: Seq, limit: number]> = {
  text: `DELETE FROM attempt WHERE delivery IN (SELECT id FROM delivery WHERE id < ? ORDER BY id LIMIT ? + 0)`,
};
export const ERASE_DELIVERIES: Query<never, [below: Seq, limit: number]> = {
  text: "DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE id < ? ORDER BY id LIMIT ? + 0)",
};
