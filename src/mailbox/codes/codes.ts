import type { CodeAnswer } from "../../contract/message.ts";
import type { Answer } from "../../contract/problem.ts";
import type { CodeFilters } from "../../contract/routes.ts";
import type { Seq } from "../../lib/ids.ts";
import { done } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import { viewOf } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import { metrics } from "../../metrics/metrics.ts";
import { Waiters } from "../waiters.ts";
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

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#indexes = context.tables(CODES);
    this.#messages = context.tables(MESSAGES);
  }

  /**
   * Answers the newest code, or waits for one. The commit that stores a code wakes the call; `forgetWait(waitId)` ends the
   * wait.
   */
  async code(access: Access, filters: CodeFilters, waitId: string): Promise<Answer<CodeAnswer>> {
    const startMs = this.#context.now();
    const answer = await this.#findOrWait(access, filters, waitId);
    const found = this.#context.now() > startMs ? "found_after_waiting" : "found_at_once";
    const result = !answer.ok ? "refused" : answer.value.code === null ? "timeout" : found;
    metrics.count("mailkeep_code_waits_total", { result });
    return answer;
  }

  async #findOrWait(access: Access, filters: CodeFilters, waitId: string): Promise<Answer<CodeAnswer>> {
    const { now, admit, noteActivity } = this.#context;
    const deadline = now() + filters.timeout * 1_000;
    for (;;) {
      const admitted = admit(access);
      if (!admitted.ok) return admitted;
      const hit = this.#takeNewest(filters);
      if (hit !== null || now() >= deadline) return done(this.#answer(hit, filters));
      const until = Math.min(deadline, admitted.value.expiresAt ?? deadline);
      const wanted = {
        fits: (message: CodeRow) => fits(message, filters),
        consume: filters.consume === true,
      };
      const wait = this.#waiters.wait(waitId, wanted, until - now());
      if (!wait.ok) return wait;
      noteActivity(false);
      const wake = await wait.value;
      noteActivity(this.#waiters.size === 0);
      if (wake.kind === "item") return done(this.#answer(wake.item, filters));
      if (wake.kind === "timeout" && now() < until) return done({ code: null });
    }
  }

  /** Makes the indexes of a mailbox that is no longer small, within the transaction that files a message. */
  makeIndexes(): void {
    this.#indexes.make();
  }

  /** Gives the code of a stored message to the calls that wait for it. */
  publish(message: CodeRow): void {
    if (this.#waiters.size > 0 && this.#waiters.publish(message)) this.take(message.seq, this.#context.now());
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

  /** Ends a wait whose caller closed its connection. */
  forgetWait(waitId: string): void {
    this.#waiters.forget(waitId);
  }

  #takeNewest(filters: CodeFilters): CodeRow | null {
    const hit = this.#newestHit(filters);
    if (hit !== null && filters.consume) this.take(hit.seq, this.#context.now());
    return hit;
  }

  /** The newest stored message that fits and whose code was not handed out. */
  #newestHit(filters: CodeFilters): CodeRow | null {
    const after = seqUpTo(filters.since);
    const from = filters.from === null ? null : foldForMatch(filters.from);
    const min = filters.min_confidence;
    const code = filters.kind === "link" ? null : this.#messages.first(rows.NEWEST_CODE, after, from, min);
    const link = filters.kind === "code" ? null : this.#messages.first(rows.NEWEST_LINK, after, from, min);
    if (code === null || link === null) return code ?? link;
    return code.seq >= link.seq ? code : link;
  }

  #answer(hit: CodeRow | null, filters: CodeFilters): CodeAnswer {
    const account = this.#context.account();
    return account === null ? { code: null } : codeAnswer(hit, filters, viewOf(account));
  }
}
