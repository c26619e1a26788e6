import type { CodeAnswer } from "../../contract/message.ts";
import type { Answer } from "../../contract/problem.ts";
import type { CodeFilters } from "../../contract/routes.ts";
import type { Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import { viewOf } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import { metrics } from "../../metrics/metrics.ts";
import { HandOvers, Waiters } from "../waiters.ts";
import * as rows from "./rows.ts";
import type { CodeRow } from "./rows.ts";
import { codeAnswer, fits, seqUpTo } from "./rules.ts";
import { CODES } from "./schema.ts";

/** Finds codes and links in received messages, and serves the calls that wait for one. */
export class Codes {
  readonly #context: MailboxContext;
  readonly #indexes: Tables;
  readonly #messages: Tables;
  readonly #waiters = new Waiters<CodeRow>();
  /** Codes whose only answer is under way. */
  readonly #handOvers = new HandOvers<Seq>((seq) => this.#giveBack(seq));

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#indexes = context.tables(CODES);
    this.#messages = context.tables(MESSAGES);
  }

  /**
   * Answers the newest code, or waits for one. The commit that stores a code wakes the call; `forgetWait(waitId)` ends the
   * wait. A code that is consumed is handed out with `delivered(waitId)`.
   */
  async code(access: Access, filters: CodeFilters, waitId: string): Promise<Answer<CodeAnswer>> {
    const { now, admit, noteActivity } = this.#context;
    const deadline = now() + filters.timeout * 1_000;
    for (let hasWaited = false; ; hasWaited = true) {
      const admitted = admit(access);
      if (!admitted.ok) {
        count("refused");
        return hasWaited ? refused({ ...admitted.error, meanwhile: '{"code":null}' }) : admitted;
      }
      const hit = this.#newestHit(filters);
      if (hit !== null && filters.consume) this.#handOvers.hold(waitId, hit.seq);
      if (hit !== null || now() >= deadline) return done(this.#answer(hit, filters, hasWaited));
      const until = Math.min(deadline, admitted.value.expiresAt ?? deadline);
      const wanted = {
        fits: (message: CodeRow) => fits(message, filters),
        consume: filters.consume === true,
      };
      const wait = this.#waiters.wait(waitId, wanted, until - now());
      if (!wait.ok) {
        count("refused");
        return wait;
      }
      noteActivity(false);
      const wake = await wait.value;
      noteActivity(this.#waiters.size === 0);
      if (wake.kind === "item") return done(this.#answer(wake.item, filters, true));
      if (wake.kind === "timeout" && now() < until) return done(this.#answer(null, filters, true));
    }
  }

  /** Makes the indexes of a mailbox that is no longer small, within the transaction that files a message. */
  makeIndexes(): void {
    this.#indexes.make();
  }

  /** Gives the code of a stored message to the calls that wait for it. */
  publish(message: CodeRow): void {
    const consumer = this.#waiters.size > 0 ? this.#waiters.publish(message) : null;
    if (consumer !== null) this.#handOvers.hold(consumer, message.seq);
  }

  /** Marks a code as handed out. */
  take(seq: Seq, nowMs: number): void {
    this.#messages.run(rows.TAKE_CODE, nowMs, seq);
  }

  /** Number of calls that wait for a code. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Authenticates every waiting call again. */
  recheck(): void {
    this.#waiters.recheck();
  }

  /** Ends a wait whose caller closed its connection. A code that was on its way to it goes to another call. */
  forgetWait(waitId: string): void {
    this.#waiters.forget(waitId);
    this.#handOvers.forget(waitId);
  }

  /** The answer to this call has left, and with it the code that it consumes. */
  delivered(waitId: string): void {
    const seq = this.#handOvers.delivered(waitId);
    if (seq !== null) this.take(seq, this.#context.now());
  }

  /** Offers a code that did not reach its client to the calls that wait. */
  #giveBack(seq: Seq): void {
    const message = this.#context.account() === null ? null : this.#messages.first(rows.UNTAKEN, seq);
    if (message !== null) this.publish(message);
  }

  /** The newest stored message that fits and whose code was not handed out. */
  #newestHit(filters: CodeFilters): CodeRow | null {
    const after = seqUpTo(filters.since);
    const from = filters.from === null ? null : foldForMatch(filters.from);
    const underWay = JSON.stringify(this.#handOvers.items);
    const wanted = [after, from, filters.min_confidence, underWay] as const;
    const code = filters.kind === "link" ? null : this.#messages.first(rows.NEWEST_CODE, ...wanted);
    const link = filters.kind === "code" ? null : this.#messages.first(rows.NEWEST_LINK, ...wanted);
    if (code === null || link === null) return code ?? link;
    return code.seq >= link.seq ? code : link;
  }

  #answer(hit: CodeRow | null, filters: CodeFilters, hasWaited: boolean): CodeAnswer {
    count(hit === null ? "timeout" : hasWaited ? "found_after_waiting" : "found_at_once");
    const account = this.#context.account();
    return account === null ? { code: null } : codeAnswer(hit, filters, viewOf(account));
  }
}

function count(result: "found_after_waiting" | "found_at_once" | "refused" | "timeout"): void {
  metrics.count("mailkeep_code_waits_total", { result });
}
