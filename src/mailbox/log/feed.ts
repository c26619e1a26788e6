import type { ChangePage } from "../../contract/event.ts";
import type { Answer } from "../../contract/problem.ts";
import type { ChangeFilters } from "../../contract/routes.ts";
import { breath } from "../../lib/breath.ts";
import { done, refused } from "../../lib/outcome.ts";
import { readLastEventId } from "../../lib/sse.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import { CLIENT_GONE, inTurns, type ScanCall, type Scans, type Turns } from "../turns.ts";
import { Waiters } from "../waiters.ts";
import { Listeners } from "./listeners.ts";
import type { Log } from "./log.ts";
import type { LoggedEvent } from "./rows.ts";
import { readStreamRequest, streamResponse } from "./stream-request.ts";

/** Serves long-polls and streams of the log. New entries reach them from memory; nobody polls the database. */
export class Feed {
  readonly #context: MailboxContext;
  readonly #log: Log;
  readonly #scans: Scans;
  readonly #waiters = new Waiters<LoggedEvent>();
  readonly listeners: Listeners;

  constructor(context: MailboxContext, { log, scans }: { log: Log; scans: Scans }) {
    this.#context = context;
    this.#log = log;
    this.#scans = scans;
    this.listeners = new Listeners({
      read: (after, limit, kinds) => log.afterInTurns(after, limit, kinds),
      durable: context.durable,
      changed: (left) => context.noteActivity(left === 0),
    });
  }

  /** Hands new log entries to waiting calls and to streams. Call it after the transaction that wrote them. */
  publish(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      this.#context.clock.atLatest(this.#log.erasedBy(event.at));
      if (this.#waiters.size > 0) this.#waiters.publish(event);
      this.listeners.publish(event);
    }
  }

  /** Answers a page of the log. If there is nothing after `filters.after` yet, waits for it. `forgetWait(waitId)` ends the wait. */
  changes(access: Access, filters: ChangeFilters, waitId: string): Promise<Answer<ChangePage>> {
    return this.#scans.call(waitId, (scan) => this.#changes(access, filters, scan));
  }

  async #changes(access: Access, filters: ChangeFilters, scan: ScanCall): Promise<Answer<ChangePage>> {
    const { now, answer, noteActivity } = this.#context;
    const deadline = now() + filters.wait * 1_000;
    const begin = (account: Account) => this.#log.page(account, filters);
    let work: Turns<Answer<ChangePage>> | null = null;
    let meanwhile: string | undefined;
    for (;;) {
      // Turn by turn here, because nothing may be published between the last turn and the wait.
      const turn = answer(access, (account) => done((work ??= begin(account)).next()));
      if (!turn.ok) return refused({ ...turn.error, meanwhile });
      if (turn.value.done !== true) {
        await breath();
        if (scan.isGone) return refused(CLIENT_GONE);
        continue;
      }
      work = null;
      const page = turn.value.value;
      if (!page.ok || page.value.events.length > 0 || now() >= deadline) return page;
      const until = Math.min(deadline, this.#keyEnd(access) ?? deadline);
      const wanted = {
        fits: ({ kind }: LoggedEvent) => filters.types?.includes(kind) ?? true,
        consume: false,
      };
      const wait = this.#waiters.wait(scan.id, wanted, until - now());
      if (!wait.ok) return wait;
      meanwhile = JSON.stringify(page.value);
      noteActivity(false);
      const wake = await wait.value;
      noteActivity(this.#waiters.size === 0);
      if (wake.kind === "timeout") {
        const last = await inTurns(this.#context, access, begin, { scan });
        return last.ok ? last : refused({ ...last.error, meanwhile });
      }
    }
  }

  /** Opens a stream of the log. */
  async stream(request: Request): Promise<Response> {
    const { access, filters, lastEventId } = await readStreamRequest(request);
    const { answer, admit } = this.#context;
    const stream = answer(access, (account, principal) => {
      const { since, types } = filters;
      const { last_event, expires_at } = account.row;
      const sinceSeq = since === null ? last_event : this.#log.seqBefore(account, since);
      const ends = [principal.expiresAt, expires_at].filter((end) => end !== null);
      const resumed = readLastEventId(lastEventId, last_event);
      return this.listeners.open({
        kinds: types,
        after: resumed === null ? sinceSeq : this.#log.resumedAfter(account, resumed),
        expiresAt: ends.length === 0 ? null : Math.min(...ends),
        mayListen: () => admit(access).ok,
        signal: request.signal,
      });
    });
    return streamResponse(stream);
  }

  /** Number of calls that wait for an entry. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Authenticates every waiting call and every stream again, and ends those that are no longer allowed. */
  recheck(): void {
    this.#waiters.recheck();
    this.listeners.recheck();
  }

  /** Ends a wait whose caller closed its connection. */
  forgetWait(waitId: string): void {
    this.#waiters.forget(waitId);
  }

  #keyEnd(access: Access): number | null {
    const admitted = this.#context.admit(access);
    return admitted.ok ? admitted.value.expiresAt : null;
  }
}
