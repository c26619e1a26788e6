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
import type { ChangeFilters } from "../../contract/routes.ts";
import { WEBHOOK_KINDS } from "../../contract/webhook.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { eventId, webhookBody } from "../../webhooks/body.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
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
      .map(({ data, ...row }) => ({ ...row, data: ownJson<LoggedData>(data) }));
  }

  /** A page of the log as the API shows it. 410 if entries after `after` are already erased. */
  page(account: Account, { after, types, limit, webhook_body }: ChangeFilters): Answer<ChangePage> {
    const { last_event, address } = account.row;
    const oldest = this.oldestSeq(account);
    if (after < oldest - 1) {
      return refused(
        gone(
          `after: the log begins with ${oldest}; what came before is no longer kept`,
          oldest,
          `Read the state anew with GET /v1/inbox, then repeat the call with after=${oldest - 1}: the log begins with oldest_seq.`,
        ),
      );
    }
    if (after > last_event) {
      return refused(invalid("after", `must be at most ${last_event}, the newest of this mailbox's log`));
    }
    let previous = after;
    const events = this.after(after, limit, types).map((event) => {
      const prev_seq = previous;
      previous = event.seq;
      const change = shownChange(event, prev_seq);
      return webhook_body === true ? { ...change, webhook_body: deliveredBody(address, event) } : change;
    });
    return done({ events, last_seq: last_event, oldest_seq: oldest });
  }

  /** Number of the oldest stored entry. If all are erased, the newest number plus one; 0 before the first entry. */
  oldestSeq(account: Account): number {
    const { last_event } = account.row;
    return this.#tables.first(rows.OLDEST)?.seq ?? (last_event === 0 ? 0 : last_event + 1);
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
    if (due === null || due > nowMs) return;
    this.#tables.run(rows.ERASE, nowMs - this.retentionMs, ERASED_AT_ONCE);
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
