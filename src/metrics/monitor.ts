import { Server } from "partyserver";
import { METRICS, MAX_SERIES_NUMBERS } from "../contract/metrics.ts";
import { Diagnosis, type StoredDiagnosis } from "../contract/diagnosis.ts";
import type { SendingHalt } from "../contract/sending-state.ts";
import { addSeries, type Series } from "../lib/metrics.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { MONITOR_MIGRATIONS, type ActivityRow, type Span } from "./schema.ts";
import * as statements from "./rows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long counts of each span are kept, in ms: a little longer than the console shows them. */
const KEPT_MS = { minute: 90 * MINUTE_MS, hour: 32 * DAY_MS } as const;
/** Waiting work that a mailbox has not reported for longer no longer exists: the longest pause between two attempts is a day. */
const WORK_KEPT_MS = 30 * HOUR_MS;
/** A mailbox with open streams or waiting calls reports again within this time. */
const LISTENERS_KEPT_MS = 5 * MINUTE_MS;

/** The activity of one mailbox. */
export type Activity = Omit<ActivityRow, "locator" | "at">;

/** Counts and activities of one isolate since its last report. */
export interface Told {
  series: Series;
  /** By the locators of mailboxes; null: the mailbox has no work and nobody listens. */
  activities: Readonly<Record<string, Activity | null>>;
}

/** Counts of one minute or hour. */
export interface Figures {
  /** When it began, in ms since 1970. */
  at: number;
  series: Series;
}

/**
 * Sums up the counts of all isolates, so that counts outlive them: in total, by minute and by hour. It also keeps the last
 * findings of `mailkeep-server doctor`, and whether the operator has halted all sending. A deployment has one monitor. No
 * mail that arrives waits for it; mail that leaves does, if its isolate has not asked in the last seconds.
 */
export class Monitor extends Server<Env> {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    if (hasSchema(this.#db)) migrate(this.#db, MONITOR_MIGRATIONS);
  }

  /** Adds the report of an isolate, which counted at about `nowMs`. */
  tell({ series, activities }: Told, nowMs = Date.now()): void {
    const known = knownSeries(series);
    migrate(this.#db, MONITOR_MIGRATIONS);
    this.#db.transaction(() => {
      if (Object.keys(known).length > 0) {
        this.#add("total", 0, known);
        this.#add("minute", nowMs - (nowMs % MINUTE_MS), known);
        this.#add("hour", nowMs - (nowMs % HOUR_MS), known);
      }
      for (const [locator, activity] of Object.entries(activities)) this.#note(locator, activity, nowMs);
      for (const span of ["minute", "hour"] as const) {
        this.#db.run(statements.PRUNE_FIGURES, span, nowMs - KEPT_MS[span]);
      }
      this.#db.run(statements.PRUNE_ACTIVITY, nowMs - WORK_KEPT_MS);
    });
  }

  /** All counts since the deployment began, and the gauges of now. */
  totals(nowMs = Date.now()): Series {
    if (!hasSchema(this.#db)) return {};
    return { ...this.#read("total", 0), ...this.#gauges(nowMs) };
  }

  /** Counts by minute or hour since a time, of the metrics with these names, oldest first. */
  figures(span: "minute" | "hour", since: number, names: readonly string[]): Figures[] {
    if (!hasSchema(this.#db)) return [];
    return this.#db.all(statements.FIGURES, span, since).map(({ at, series }) => {
      const wanted = Object.entries(JSON.parse(series) as Series).filter(([key]) =>
        names.includes(key.split("|", 1)[0] ?? ""),
      );
      return { at, series: Object.fromEntries(wanted) };
    });
  }

  /** Replaces the findings of the doctor. */
  keepDiagnosis(diagnosis: Diagnosis): StoredDiagnosis {
    migrate(this.#db, MONITOR_MIGRATIONS);
    const nowMs = Date.now();
    this.#db.run(statements.PUT_DIAGNOSIS, nowMs, JSON.stringify(diagnosis));
    return { ...diagnosis, at: new Date(nowMs).toISOString() };
  }

  /** The last diagnosis; null if none was sent. */
  diagnosis(): StoredDiagnosis | null {
    const row = hasSchema(this.#db) ? this.#db.first(statements.FIND_DIAGNOSIS) : null;
    return row === null
      ? null
      : { ...Diagnosis.parse(JSON.parse(row.findings)), at: new Date(row.at).toISOString() };
  }

  /** Halts all sending. A repeat changes nothing. */
  haltSending(reason: string | null): SendingHalt {
    const earlier = this.sendingHalt();
    if (earlier !== null) return earlier;
    const halt = { at: Date.now(), reason };
    migrate(this.#db, MONITOR_MIGRATIONS);
    this.#db.run(statements.PUT_HALT, halt.at, reason);
    return halt;
  }

  /** Ends a halt of all sending. */
  resumeSending(): void {
    if (this.sendingHalt() !== null) this.#db.run(statements.PUT_HALT, null, null);
  }

  /** Since when and why the operator has halted all sending; null = it is not halted. */
  sendingHalt(): SendingHalt | null {
    return hasSchema(this.#db) ? this.#db.first(statements.FIND_HALT) : null;
  }

  #add(span: Span, at: number, more: Series): void {
    const series = this.#read(span, at);
    addSeries(series, more);
    this.#db.run(statements.PUT_FIGURE, span, at, JSON.stringify(series));
  }

  #read(span: Span, at: number): Series {
    const row = this.#db.first(statements.FIND_FIGURE, span, at);
    return row === null ? {} : (JSON.parse(row.series) as Series);
  }

  #note(locator: string, activity: Activity | null, nowMs: number): void {
    if (activity === null) {
      this.#db.run(statements.DROP_ACTIVITY, locator);
      return;
    }
    const { sends, sends_since, webhooks, webhooks_since, streams, waits } = activity;
    const work = [sends, sends_since, webhooks, webhooks_since] as const;
    this.#db.run(statements.PUT_ACTIVITY, locator, nowMs, ...work, streams, waits);
  }

  #gauges(nowMs: number): Series {
    const sum = this.#db.first(statements.ACTIVITY, nowMs - LISTENERS_KEPT_MS);
    const age = (since: number | null = null) => (since === null ? 0 : Math.max(0, nowMs - since) / 1_000);
    return {
      "mailkeep_queue_messages|sends": [sum?.sends ?? 0],
      "mailkeep_queue_messages|webhooks": [sum?.webhooks ?? 0],
      "mailkeep_queue_oldest_seconds|sends": [age(sum?.sends_since)],
      "mailkeep_queue_oldest_seconds|webhooks": [age(sum?.webhooks_since)],
      "mailkeep_listeners|stream": [sum?.streams ?? 0],
      "mailkeep_listeners|wait": [sum?.waits ?? 0],
      mailkeep_sending_halted: [this.sendingHalt() === null ? 0 : 1],
    };
  }
}

/** Only the series of metrics that this release has: another release that runs at the same time must not fill the rows. */
function knownSeries(series: Series): Series {
  const known = Object.entries(series).filter(
    ([key, values]) =>
      Object.hasOwn(METRICS, key.split("|", 1)[0] ?? "") && values.length <= MAX_SERIES_NUMBERS,
  );
  return Object.fromEntries(known);
}
