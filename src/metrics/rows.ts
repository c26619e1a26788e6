import type { Query } from "../lib/sql.ts";
import type { ActivityRow, FigureRow, HaltRow, Span } from "./schema.ts";

export const FIND_FIGURE: Query<Pick<FigureRow, "series">, [span: Span, at: number]> = {
  text: "SELECT series FROM figure WHERE span = ? AND at = ?",
};
export const PUT_FIGURE: Query<never, [span: Span, at: number, series: string]> = {
  text: "INSERT OR REPLACE INTO figure (span, at, series) VALUES (?, ?, ?)",
};
export const FIGURES: Query<Pick<FigureRow, "at" | "series">, [span: Span, since: number]> = {
  text: "SELECT at, series FROM figure WHERE span = ? AND at >= ? ORDER BY at",
};
export const PRUNE_FIGURES: Query<never, [span: Span, before: number]> = {
  text: "DELETE FROM figure WHERE span = ? AND at < ?",
};

export const PUT_ACTIVITY: Query<
  never,
  [
    ...[locator: string, at: number, sends: number, sendsSince: number | null],
    ...[webhooks: number, webhooksSince: number | null, streams: number, waits: number],
  ]
> = {
  text: `INSERT OR REPLACE INTO activity
    (locator, at, sends, sends_since, webhooks, webhooks_since, streams, waits) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
};
export const DROP_ACTIVITY: Query<never, [locator: string]> = {
  text: "DELETE FROM activity WHERE locator = ?",
};
export const PRUNE_ACTIVITY: Query<never, [before: number]> = { text: "DELETE FROM activity WHERE at < ?" };
/** `recent`: streams and waits that were reported before this time have ended since. */
export const ACTIVITY: Query<Omit<ActivityRow, "locator" | "at">, [recent: number]> = {
  text: `SELECT total(sends) AS sends, min(sends_since) AS sends_since,
    total(webhooks) AS webhooks, min(webhooks_since) AS webhooks_since,
    total(iif(at >= ?1, streams, 0)) AS streams, total(iif(at >= ?1, waits, 0)) AS waits FROM activity`,
};

export const PUT_DIAGNOSIS: Query<never, [at: number, findings: string]> = {
  text: "INSERT OR REPLACE INTO diagnosis (one, at, findings) VALUES (1, ?, ?)",
};
export const FIND_DIAGNOSIS: Query<{ at: number; findings: string }, []> = {
  text: "SELECT at, findings FROM diagnosis",
};

export const PUT_HALT: Query<never, [haltedAt: number | null, reason: string | null]> = {
  text: "INSERT OR REPLACE INTO sending_halt (one, halted_at, reason) VALUES (1, ?, ?)",
};
export const FIND_HALT: Query<HaltRow, []> = {
  text: "SELECT halted_at AS at, reason FROM sending_halt WHERE halted_at IS NOT NULL",
};
