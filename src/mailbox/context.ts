import type { Config } from "../config/env.ts";
import type { Answer } from "../contract/problem.ts";
import type { Schema, Schemas, Tables } from "../lib/schemas.ts";
import type { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import type { Access, Principal } from "./account/access.ts";
import type { Account } from "./account/account.ts";
import type { LateWrites } from "./late-writes.ts";
import type { LoggedEvent } from "./log/rows.ts";

/**
 * Everything that a mailbox gives each of its capabilities. A capability owns its tables. If it needs another capability,
 * its constructor takes that one.
 */
export interface MailboxContext {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly clock: AlarmClock;
  readonly attempts: Attempts;
  readonly storage: MailboxStorage;
  /** Bindings and variables of the deployment. */
  env: () => Env;
  config: () => Config;
  /** ms since 1970. */
  now: () => number;
  /** The statements of a capability over its own tables. */
  tables: (schema: Schema) => Tables;
  /** The mailbox, also while it is being erased; null if nobody created one. */
  account: () => Account | null;
  /** The mailbox if it is live, else null. Ends an expired mailbox, for good even if the clock moves backwards. */
  live: (nowMs: number) => Account | null;
  /** Authenticates a caller and checks its permissions; does nothing more. */
  admit: (access: Access) => Answer<Principal>;
  /** Authenticates a caller as `admit` does, then does the work in the same synchronous turn. */
  answer: <T>(access: Access, work: (account: Account, principal: Principal) => Answer<T>) => Answer<T>;
  /** Runs a change of messages as one transaction. If it fails, capabilities forget what they cached and read it again. */
  commit: <T>(change: () => T) => T;
  /** As `commit`, for a change that no listing of messages shows: cached pages stay. */
  write: <T>(change: () => T) => T;
  /** Writes that no answer waits for, and that may be lost if the process dies. */
  readonly late: LateWrites;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
  /** Wakes waiting calls, streams and webhooks for new log entries. Call it after the transaction that wrote `events`. */
  publish: (events: readonly LoggedEvent[]) => void;
  /** Reports the mailbox to the directory within a second; changes in that time share one report. */
  reportSoon: () => void;
  /**
   * Reports waiting work and listeners to the monitor of the deployment: at most once a second, or at once with `isLast`, if no
   * further change is expected soon.
   */
  noteActivity: (isLast: boolean) => void;
  /** Sets the alarm to the earliest due job. */
  arm: () => Promise<void>;
  /** As `arm`, for callers that do not wait for it. */
  rearm: () => void;
}

/** The attempts of all drains of a mailbox. */
export interface Attempts {
  /** How many are under way, or about to begin. */
  underWay: number;
}

/** The part of a Durable Object's storage that a mailbox uses. */
export type MailboxStorage = Pick<
  DurableObjectStorage,
  "sql" | "sync" | "deleteAll" | "setAlarm" | "getAlarm" | "deleteAlarm" | "transactionSync"
>;
