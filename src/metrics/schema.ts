import type { Migration } from "../lib/migrate.ts";

/** Counts of one span of time, or all counts since the deployment began. */
export type FigureRow = {
  span: Span;
  /** When the span began, in ms since 1970; 0 for the totals. */
  at: number;
  /** `Series` as JSON. */
  series: string;
};
export type Span = "total" | "minute" | "hour";

/** The waiting work and the listeners of one mailbox. A mailbox with neither has no row. */
export type ActivityRow = {
  locator: string;
  /** When the mailbox last reported, in ms since 1970. */
  at: number;
  sends: number;
  /** When the oldest waiting message was added, in ms since 1970; null = none waits. */
  sends_since: number | null;
  webhooks: number;
  webhooks_since: number | null;
  streams: number;
  waits: number;
};

/** A halt of all sending. */
export type HaltRow = {
  /** Since when, in ms since 1970. */
  at: number;
  reason: string | null;
};

export const MONITOR_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-monitor",
    sql: `CREATE TABLE figure (
      span TEXT NOT NULL,
      at INTEGER NOT NULL,
      series TEXT NOT NULL,
      PRIMARY KEY (span, at)
    ) WITHOUT ROWID;
    CREATE TABLE activity (
      locator TEXT PRIMARY KEY,
      at INTEGER NOT NULL,
      sends INTEGER NOT NULL,
      sends_since INTEGER,
      webhooks INTEGER NOT NULL,
      webhooks_since INTEGER,
      streams INTEGER NOT NULL,
      waits INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE diagnosis (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      at INTEGER NOT NULL,
      findings TEXT NOT NULL
    )`,
  },
  {
    id: "002-sending-halt",
    // Since when the operator has halted all sending, in ms since 1970; null, or no row = it is not halted.
    sql: "CREATE TABLE sending_halt (one INTEGER PRIMARY KEY CHECK (one = 1), halted_at INTEGER, reason TEXT)",
  },
];
