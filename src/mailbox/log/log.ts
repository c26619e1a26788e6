import { ownJson } from "../../lib/json-text.ts";
import {
  eventData,
  type Change,
  type ChangePage,
  type EventKind,
  type LoggedData,
} from "../../contract/event.ts";
import { gone, invalid, type Answer } from "../../contract/problem.ts";
import { locatorOf } from "../../contract/key.ts";
import { markUpTo, RESTORE_STEP } from "../../lib/log-numbers.ts";
import type { ChangeFilters } from "../../contract/routes.ts";
import { WEBHOOK_KINDS } from "../../contract/webhook.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { eventId, webhookBody } from "../../webhooks/body.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import type { Turns } from "../turns.ts";
import { ERASED_AT_ONCE, erasedBy } from "./retention.ts";
import * as rows from "./rows.ts";
import type { LoggedEvent } from "./rows.ts";
import { LOG } from "./schema.ts";

const DAY_MS = 86_400_000;

/** The body of an event's webhook; null if webhooks do not deliver its kind. */
function deliveredBody(address: string, { seq, kind, data }: LoggedEvent): string | null {
  return WEBHOOK_KINDS.includes(kind)
    ? webhookBody(data, { id: eventId(locatorOf(address), seq), seq })
    : null;
}

function shownChange({ seq, kind, at, data }: LoggedEvent, prev_seq: number): Change {
  return { seq, prev_seq, event: kind, at: new Date(at).toISOString(), data: eventData(data) };
}

function loggedEvent({ data, ...row }: rows.EventRow): LoggedEvent {
  return { ...row, data: ownJson<LoggedData>(data) };
}

/** The log of a mailbox: each event has a number, without gaps, and stays for the configured number of days. */
export class Log implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  /** Time of the newest entry, in ms since 1970; null = not read yet. */
  #newestAt: number | null = null;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(LOG);
  }

  /**
   * Writes the next entry within the transaction of the change that it describes. Its time is never earlier than that of
   * the entry before, even if the clock moves backwards. The caller also writes `account.last_event` in that transaction,
   * so the number outlives the entry, which is erased after some days.
   */
  append(account: Account, entry: { kind: EventKind; at: number; data: LoggedData }): LoggedEvent {
    const seq = account.row.last_event + 1;
    const at = Math.max(entry.at, this.#timeOfNewest(account));
    this.#tables.run(rows.APPEND, seq, entry.kind, at, JSON.stringify(entry.data));
    account.row.last_event = seq;
    this.#newestAt = at;
    return { ...entry, seq, at };
  }

  /** Entries with a number above `after`, oldest first, `limit` at most; only of `kinds`, or of all kinds if that is null. */
  after(after: number, limit: number, kinds: readonly EventKind[] | null = null): LoggedEvent[] {
    return this.#tables
      .all(rows.EVENTS_AFTER, after, kinds === null ? null : JSON.stringify(kinds), limit)
      .map(loggedEvent);
  }

  /** As `after`, in turns: entries of a rare kind are far apart. */
  *afterInTurns(after: number, limit: number, kinds: readonly EventKind[] | null): Turns<LoggedEvent[]> {
    if (kinds === null) return this.after(after, limit);
    const found: LoggedEvent[] = [];
    for (let from = after; ;) {
      const turn = [from, JSON.stringify(kinds), limit - found.length] as const;
      found.push(...this.#tables.all(rows.EVENTS_OF_TURN, ...turn).map(loggedEvent));
      const end = found.length >= limit ? null : this.#tables.first(rows.END_OF_TURN, from);
      if (end === null) return found;
      from = end.seq;
      yield;
    }
  }

  /** A page of the log as the API shows it. 410 if entries after `after` are already erased, or were lost by a restore. */
  *page(account: Account, { after, types, limit, webhook_body }: ChangeFilters): Turns<Answer<ChangePage>> {
    const { last_event, address } = account.row;
    const restoredAt = this.restoredAt(account);
    const oldest = restoredAt === 0 ? this.oldestSeq(account) : restoredAt + 1;
    if (after < oldest - 1) {
      return refused(
        gone(
          `after: the log begins with ${oldest}; what came before is no longer kept, or was lost when the mailbox was restored from a backup`,
          oldest,
          `Read the state anew with GET /v1/inbox, then repeat the call with after=${oldest - 1}: the log begins with oldest_seq.`,
        ),
      );
    }
    if (after > last_event) {
      return refused(invalid("after", `must be at most ${last_event}, the newest of this mailbox's log`));
    }
    const found = yield* this.afterInTurns(after, limit, types);
    let previous = after;
    const events = found.map((event) => {
      const prev_seq = previous;
      previous = event.seq;
      const change = shownChange(event, prev_seq);
      return webhook_body === true ? { ...change, webhook_body: deliveredBody(address, event) } : change;
    });
    // Between turns the log may grow.
    return done({ events, last_seq: Math.max(last_event, previous), oldest_seq: oldest });
  }

  /** Number of the oldest stored entry. If all are erased, the newest number plus one; 0 before the first entry. */
  oldestSeq(account: Account): number {
    const { last_event } = account.row;
    return this.#tables.first(rows.OLDEST)?.seq ?? (last_event === 0 ? 0 : last_event + 1);
  }

  /**
   * The number after which the log goes on since the mailbox was restored from a backup; 0 if that never happened, or no entry
   * from before is kept. Events from after the backup are lost: nobody may take the entries around this number for neighbours.
   */
  restoredAt(account: Account): number {
    const { last_event } = account.row;
    if (last_event < RESTORE_STEP) return 0;
    const oldest = this.oldestSeq(account);
    for (let mark = markUpTo(last_event); mark >= oldest; mark -= RESTORE_STEP) {
      if (this.#tables.first(rows.AT, mark) === null) return mark;
    }
    return 0;
  }

  /** The number that a stream begins after if it resumes after `seq`: a later one if the entry that followed `seq` is not kept. */
  resumedAfter(account: Account, seq: number): number {
    const { last_event } = account.row;
    if (seq >= last_event) return seq;
    return (this.#tables.first(rows.NEXT, seq)?.seq ?? last_event + 1) - 1;
  }

  /** Number of the last entry before `sinceMs`, by binary search: times never decrease. A replay from `sinceMs` starts after it. */
  seqBefore(account: Account, sinceMs: number): number {
    let low = Math.max(0, this.oldestSeq(account) - 1);
    let high = account.row.last_event;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#timeOf(middle) < sinceMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The latest time at which an entry written at `at` must be erased; both ms since 1970. */
  erasedBy(at: number): number {
    return erasedBy(at, this.retentionMs);
  }

  /** How long the log stores an entry, in ms. */
  get retentionMs(): number {
    return this.#context.config().eventRetentionDays * DAY_MS;
  }

  dues(): (number | null)[] {
    const oldest = this.#tables.first(rows.OLDEST);
    return [oldest === null ? null : this.erasedBy(oldest.at)];
  }

  /** Erases expired entries, at most ERASED_AT_ONCE; the rest stays due. */
  pump(nowMs: number): void {
    const [due = null] = this.dues();
    const account = this.#context.account();
    if (account === null || due === null || due > nowMs) return;
    this.#tables.run(rows.ERASE, this.seqBefore(account, nowMs - this.retentionMs), ERASED_AT_ONCE);
  }

  forget(): void {
    this.#newestAt = null;
  }

  #timeOfNewest({ row: { last_event } }: Account): number {
    this.#newestAt ??= last_event === 0 ? 0 : this.#timeOf(last_event);
    return this.#newestAt;
  }

  /** Time of an entry in ms since 1970; 0 if it is already erased. */
  #timeOf(seq: number): number {
    return this.#tables.first(rows.TIME_OF, seq)?.at ?? 0;
  }
}
