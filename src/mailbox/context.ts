import type { Config } from "../config/env.ts";
import type { Answer } from "../contract/problem.ts";
import type { Schema, Schemas, Tables } from "../lib/schemas.ts";
import type { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import type { Access, Principal } from "./account/access.ts";
import type { Account } from "./account/account.ts";
import type { LoggedEvent } from "./log/rows.ts";

/**
 * Everything that a capability of a mailbox is given. A capability owns its tables: what it needs of another one is a method of
 * that one, which is handed to its constructor.
 */
export interface MailboxContext {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly clock: AlarmClock;
  readonly storage: MailboxStorage;
  /** Bindings and variables of the deployment. */
  env: () => Env;
  config: () => Config;
  /** ms since 1970. */
  now: () => number;
  /** The statements of a capability over its own tables. */
  tables: (schema: Schema) => Tables;
  /** The mailbox, also while it ends; null where nobody created one. */
  account: () => Account | null;
  /** The mailbox while it lives. Once it is seen to have expired it ends for good, even if the clock moves backwards. */
  live: (nowMs: number) => Account | null;
  /** Judges a caller and does nothing more. */
  admit: (access: Access) => Answer<Principal>;
  /** Judges a caller, then does the work in the same turn. */
  answer: <T>(access: Access, work: (account: Account, principal: Principal) => Answer<T>) => Answer<T>;
  /** Runs a change of messages as one transaction. When it fails, memory is read again from what is stored. */
  commit: <T>(change: () => T) => T;
  /** As `commit`, for a change that no page of messages shows. */
  write: <T>(change: () => T) => T;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
  /** Tells everybody who hears of the log; after the transaction that wrote `events`. */
  publish: (events: readonly LoggedEvent[]) => void;
  /** Has the directory told of the mailbox again, together with whatever else changes within a second. */
  reportSoon: () => void;
  /** Sets the alarm to whatever is due first. */
  arm: () => Promise<void>;
  /** As `arm`, for callers that do not wait for it. */
  rearm: () => void;
}

/** What the platform offers an object beside SQL. */
export type MailboxStorage = Pick<
  DurableObjectStorage,
  "sql" | "sync" | "deleteAll" | "setAlarm" | "getAlarm" | "deleteAlarm" | "transactionSync"
>;
