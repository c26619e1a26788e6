import type { CodeAnswer, EmailPage, SearchPage, ThreadPage } from "../contract/message.ts";
import type { KeptMail } from "../contract/claim.ts";
import type { ChangePage } from "../contract/event.ts";
import type { Stats } from "../contract/mailbox.ts";
import { type Answer } from "../contract/problem.ts";
import type { ChangeFilters, CodeFilters, InboxFilters } from "../contract/routes.ts";
import { configOf } from "../config/env.ts";
import { done, refused } from "../lib/outcome.ts";
import { TokenBucket } from "../lib/token-bucket.ts";
import type { Access, Principal } from "./access.ts";
import { spentCalls } from "./call-limits.ts";
import { changesAfter } from "./changes.ts";
import { codeAnswer, fits, newestHit, takeCode } from "./codes.ts";
import { eraseEmail } from "./erase-email.ts";
import { relabel } from "./labelling.ts";
import { jsonText, type JsonText } from "./present.ts";
import * as reading from "./reading.ts";
import { type CodeRow } from "./schema.ts";
import {
  hasWords,
  meaningPage,
  misreadHint,
  planMeaning,
  searchPage,
  type Meaning,
  type Nearness,
  type SearchOptions,
} from "./search.ts";
import { statsOf } from "./stats.ts";
import { readLastEventId } from "../lib/sse.ts";
import { seqBefore, type LoggedEvent } from "./log.ts";
import { readStreamRequest, streamResponse } from "./stream-request.ts";
import { MailboxReceiving } from "./receiving.ts";

const BY_WORDS: Nearness = { meaning: null, hint: "" };
const WITHOUT_MODEL: Nearness = {
  meaning: null,
  hint: "No embedding model is configured, so results come from keywords",
};

/**
 * One mailbox. It is named by its locator and holds everything of it: mail, keys, counters, jobs.
 *
 * Every method is called by RPC, which does not pass through partyserver's `onStart`: an address that nobody created gets
 * no row by being asked for, because the schema is made by `create` alone.
 */
export class Mailbox extends MailboxReceiving {
  readonly #modelCalls = new TokenBucket();

  /** Who the caller is, and on which mailbox. */
  me(access: Access): Answer<Principal & { address: string }> {
    return this.answer(access, (account, principal) => done({ ...principal, address: account.row.address }));
  }

  /** Whether this address is somebody's. */
  isTaken(): boolean {
    return this.live(Date.now()) !== null;
  }

  /** How far the mail of the temporary mailbox is that became this one; null where there is none. */
  keptMail(): KeptMail | null {
    return this.jobs.takeOver.progress();
  }

  inbox(access: Access, filters: InboxFilters): Answer<JsonText<EmailPage>> {
    return this.answer(access, (account) => {
      const read = () => reading.inboxPage(this.db, this.view(account), filters);
      return reading.isNewestPage(filters) ? this.pages.read(`newest ${filters.limit}`, read) : read();
    });
  }

  /** Searches by words, by meaning or by both; by words where no model is configured or it does not answer. */
  async search(
    access: Access,
    filters: InboxFilters,
    { text, mode, note = "" }: { text: string; mode: string; note?: string },
  ): Promise<Answer<JsonText<SearchPage>>> {
    const nearness = await this.#nearness(access, text, mode);
    if (!nearness.ok) return nearness;
    const { meaning } = nearness.value;
    const hint = [nearness.value.hint, note, misreadHint(text)].filter((part) => part !== "").join(". ");
    const options = { text, mode, hint };
    if (meaning !== null) return this.#searchByMeaning(access, filters, { ...options, meaning });
    return this.answer(access, (account) => {
      const read = () => searchPage(this.db, this.view(account), filters, options);
      return this.pages.read(`search ${JSON.stringify([filters, text, hint])}`, read);
    });
  }

  /** Others have their turns while it compares, so the caller is judged again when it is done. */
  async #searchByMeaning(
    access: Access,
    filters: InboxFilters,
    options: SearchOptions & { meaning: Meaning },
  ): Promise<Answer<JsonText<SearchPage>>> {
    const { meaning } = options;
    const planned = this.answer(access, (account) =>
      planMeaning(this.db, this.view(account), filters, { ...options, reach: meaning }),
    );
    if (!planned.ok) return planned;
    const nearest = await meaning.nearest(planned.value.candidates);
    return this.answer(access, (account) =>
      done(meaningPage(this.db, this.view(account), planned.value, nearest)),
    );
  }

  readEmail(access: Access, id: string): Promise<Answer<reading.EmailAnswer>> {
    const read = () =>
      this.answer(access, (account, { scope }) =>
        reading.findEmail(this.db, this.view(account), id, scope !== "provisional"),
      );
    return this.withBodies(read, (email) => [email]);
  }

  /** The bytes of a message; one of our own is composed again. */
  async raw(access: Access, id: string): Promise<Answer<reading.RawSource>> {
    const found = this.answer(access, (account) => {
      const seq = reading.seqOf(this.view(account), id);
      if (!seq.ok) return seq;
      const source = reading.findRaw(this.db, seq.value);
      return source.ok ? done({ seq: seq.value, source: source.value }) : source;
    });
    if (!found.ok) return found;
    const { seq, source } = found.value;
    const composed = source.bytes === null && source.key === null ? await this.composed(seq) : null;
    return done(composed ?? source);
  }

  attachment(access: Access, id: string, withRaw = true): Answer<reading.AttachmentSource> {
    return this.answer(access, (account) =>
      reading.findAttachment(this.db, this.view(account), { id, withRaw, nowMs: Date.now() }),
    );
  }

  threads(access: Access, filters: { limit: number; cursor: string | null }): Answer<JsonText<ThreadPage>> {
    return this.answer(access, (account) => reading.threadPage(this.db, this.view(account), filters));
  }

  thread(
    access: Access,
    filters: { id: string; limit: number; cursor: string | null },
  ): Promise<Answer<reading.ThreadAnswer>> {
    const read = () =>
      this.answer(access, (account, { scope }) =>
        reading.findThread(this.db, this.view(account), {
          ...filters,
          downloadable: scope !== "provisional",
        }),
      );
    return this.withBodies(read, ({ emails }) => emails);
  }

  /** Waits for a code. The commit that stores it wakes the caller; `waitId` lets `forget` end the wait. */
  async code(access: Access, filters: CodeFilters, waitId: string): Promise<Answer<CodeAnswer>> {
    const deadline = Date.now() + filters.timeout * 1_000;
    for (;;) {
      const now = Date.now();
      const admitted = this.admit(access);
      if (!admitted.ok) return admitted;
      const hit = this.#takeNewest(filters, now);
      if (hit !== null || now >= deadline) return done(this.#codeAnswer(hit));
      const until = Math.min(deadline, admitted.value.expiresAt ?? deadline);
      const wanted = {
        fits: (message: CodeRow) => fits(message, filters),
        consume: filters.consume === true,
      };
      const wait = this.codeWaiters.wait(waitId, wanted, until - now);
      if (!wait.ok) return wait;
      const wake = await wait.value;
      if (wake.kind === "item") return done(this.#codeAnswer(wake.item));
      if (wake.kind === "timeout" && Date.now() < until) return done({ code: null });
    }
  }

  /** What the log says; where it says nothing yet, waits for it. `waitId` lets `forget` end the wait. */
  async changes(access: Access, filters: ChangeFilters, waitId: string): Promise<Answer<ChangePage>> {
    const deadline = Date.now() + filters.wait * 1_000;
    const read = () => this.answer(access, (account) => changesAfter(this.db, account, filters));
    for (;;) {
      const now = Date.now();
      const page = read();
      if (!page.ok || page.value.events.length > 0 || now >= deadline) return page;
      const until = Math.min(deadline, this.#keyEnd(access, now) ?? deadline);
      const wanted = {
        fits: ({ kind }: LoggedEvent) => filters.types?.includes(kind) ?? true,
        consume: false,
      };
      const wait = this.changeWaiters.wait(waitId, wanted, until - now);
      if (!wait.ok) return wait;
      const wake = await wait.value;
      if (wake.kind === "timeout") return read();
    }
  }

  /** Streams of the log (`requestStream`): the one thing that is no RPC. */
  override async fetch(request: Request): Promise<Response> {
    const { access, filters, lastEventId } = await readStreamRequest(request);
    const stream = this.answer(access, (account, principal) => {
      const { since, types } = filters;
      const { last_event, expires_at } = account.row;
      const sinceSeq = since === null ? last_event : seqBefore(this.db, account, since);
      const ends = [principal.expiresAt, expires_at].filter((end) => end !== null);
      return this.listeners.open({
        kinds: types,
        after: readLastEventId(lastEventId, last_event) ?? sinceSeq,
        expiresAt: ends.length === 0 ? null : Math.min(...ends),
        mayListen: () => this.admit(access).ok,
        signal: request.signal,
      });
    });
    return streamResponse(stream);
  }

  /** Ends a wait whose caller hung up. */
  forget(waitId: string): void {
    this.codeWaiters.forget(waitId);
    this.changeWaiters.forget(waitId);
    this.sendWaiters.forget(waitId);
  }

  async relabel(
    access: Access,
    id: string,
    change: { add: string[]; remove: string[] },
  ): Promise<Answer<reading.EmailAnswer>> {
    const labelled = this.answer(access, (account) => {
      const seq = reading.seqOf(this.view(account), id);
      return seq.ok ? this.commit(() => relabel(this.db, seq.value, change)) : seq;
    });
    return labelled.ok ? this.readEmail(access, id) : labelled;
  }

  /** Erases one email; its blobs follow by alarm. */
  async deleteEmail(access: Access, id: string): Promise<Answer<{ deleted: true }>> {
    const now = Date.now();
    const deleted = this.answer(access, (account) => {
      const seq = reading.seqOf(this.view(account), id);
      if (!seq.ok) return seq;
      return this.commit(() => {
        // The directory knows of the newest one kept.
        if (this.outbox.keptOne(seq.value) !== null) this.reportSoon();
        this.jobs.embeddings.erase(seq.value);
        return eraseEmail(this.db, account, seq.value, now);
      });
    });
    if (deleted.ok) await this.arm();
    return deleted;
  }

  stats(access: Access): Answer<JsonText<Stats>> {
    return this.answer(access, (account) =>
      done(
        jsonText({
          ...statsOf(account.row, this.counted(account), Date.now()),
          embeddings: this.jobs.embeddings.progress(),
        }),
      ),
    );
  }

  /** What a search by meaning has to go by. */
  async #nearness(access: Access, text: string, mode: string): Promise<Answer<Nearness>> {
    if (mode === "keyword") return done(BY_WORDS);
    if (!this.jobs.embeddings.isOn) return done(WITHOUT_MODEL);
    if (!hasWords(text)) return done(BY_WORDS);
    // Nobody who may not search costs a call of the model.
    const admitted = this.admit(access);
    if (!admitted.ok) return admitted;
    const limit = { name: "searches by meaning", limit: configOf(this.env).modelSearchesPerMinute };
    const spent =
      access.credential.kind === "operator" ? null : spentCalls(this.#modelCalls, limit, Date.now());
    return spent === null ? done(await this.jobs.embeddings.nearness(text)) : refused(spent);
  }

  #keyEnd(access: Access, nowMs: number): number | null {
    const admitted = this.account?.admit(access, nowMs);
    return admitted?.ok === true ? admitted.value.expiresAt : null;
  }

  #takeNewest(filters: CodeFilters, now: number): CodeRow | null {
    const hit = newestHit(this.db, filters);
    if (hit !== null && filters.consume) takeCode(this.db, hit.seq, now);
    return hit;
  }

  #codeAnswer(hit: CodeRow | null): CodeAnswer {
    return this.account === null ? { code: null } : codeAnswer(hit, this.view(this.account));
  }
}
