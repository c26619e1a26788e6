import type { Answer } from "../contract/problem.ts";
import { notFound } from "../contract/problem.ts";
import type { Sent, Suppression } from "../contract/sending.ts";
import { configOf } from "../env.ts";
import { idOf, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import { composedBytes } from "../outbound/compose.ts";
import { accept, type SendRequest } from "./accept.ts";
import type { Access } from "./access.ts";
import type { Account } from "./account.ts";
import { composedStream } from "./outbox-pump.ts";
import type * as reading from "./reading.ts";
import * as statements from "./statements.ts";
import type { Counted } from "./stats.ts";
import { MailboxUploads } from "./uploading.ts";

/** What a mailbox sends, and whom it does not send to. */
export abstract class MailboxSending extends MailboxUploads {
  /**
   * Takes a message over, and answers when it is on disk. With `waitSeconds` it answers when nothing of it waits for its
   * first try any more, or the time is up. `waitId` lets `forget` end the wait.
   */
  async send(
    access: Access,
    request: SendRequest,
    wait: { seconds: number; id: string },
  ): Promise<Answer<Sent>> {
    const now = Date.now();
    const config = configOf(this.env);
    const accepted = this.answer(access, (account) => {
      if (config.outbound === "none") return refused(NOT_AVAILABLE);
      const tools = { db: this.db, outbox: this.outbox, account, dailySendLimit: config.dailySendLimit };
      return this.commit(() => {
        const taken = accept(tools, request, now);
        if (taken.ok && !taken.value.replayed) this.alarmClock.atLatest(now + FIRST_TRY_MS);
        return taken;
      });
    });
    if (!accepted.ok) return accepted;
    const { seq } = accepted.value;
    void this.#pumpAfterAnswer();
    if (wait.seconds > 0) await this.#tried(seq, wait, now);
    return this.answer(access, (account) => this.#sent(account, seq));
  }

  suppressions(access: Access, page: { after: string; limit: number }): Answer<Suppression[]> {
    return this.answer(access, () =>
      done(
        this.outbox.suppressions(page.after, page.limit).map(({ address, reason, at }) => ({
          address,
          reason,
          created_at: new Date(at).toISOString(),
        })),
      ),
    );
  }

  forgive(access: Access, address: string): Answer<{ ok: true; deleted: string }> {
    return this.answer(access, () =>
      this.outbox.forgive(address)
        ? done({ ok: true as const, deleted: address })
        : refused(notFound("Suppression")),
    );
  }

  /** The bytes of a message of our own, and how many; null if it is none. */
  protected async composed(seq: Seq): Promise<reading.RawSource | null> {
    const departing = this.outbox.find(seq);
    if (departing === null) return null;
    const sizeBytes = await composedBytes(departing.message);
    // Only a stream of the runtime's own crosses an RPC.
    const { readable, writable } = new IdentityTransformStream();
    const composed = composedStream(departing, (upload) => this.openFile(upload));
    // A reader that goes away ends both ends.
    composed.pipeTo(writable).catch(() => {});
    return { bytes: null, key: null, stream: readable, sizeBytes };
  }

  /** What `/v1/stats` counts beside the mail. */
  protected counted(account: Account): Counted {
    return {
      routes: this.webhooks.targets.routes().length,
      suppressions: this.outbox.countSuppressions(),
      sendsToday: account.sendsOn(Date.now()).count,
      dailySendLimit: configOf(this.env).dailySendLimit,
    };
  }

  /** To compose a message takes longer than to accept it, and the answer waits only for the disk. */
  async #pumpAfterAnswer(): Promise<void> {
    await this.ctx.storage.sync();
    setTimeout(() => this.outboxPump.pump(Date.now()), 0);
  }

  async #tried(seq: Seq, wait: { seconds: number; id: string }, now: number): Promise<void> {
    const deadline = now + wait.seconds * 1_000;
    for (;;) {
      const left = deadline - Date.now();
      if (left <= 0 || !this.#isFresh(seq)) return;
      const wanted = { fits: (moved: Seq) => moved === seq, consume: false };
      const waiting = this.sendWaiters.wait(wait.id, wanted, left);
      if (!waiting.ok) return;
      const wake = await waiting.value;
      if (wake.kind !== "item") return;
    }
  }

  /** Whether the first try of a message is not over yet. */
  #isFresh(seq: Seq): boolean {
    return this.outbox
      .recipients(seq)
      .some(
        ({ state, diagnostic }) =>
          state === "handing" || state === "ending" || (state === "queued" && diagnostic === null),
      );
  }

  #sent(account: Account, seq: Seq): Answer<Sent> {
    const row = this.db.first(statements.FIND_EMAIL, seq);
    if (row === null || row.status === "received") return refused(notFound("Email"));
    const id = idOf(seq, account.idTail);
    return done({
      id,
      provider_id: id,
      thread_id: idOf(row.thread, account.idTail),
      message_id: (JSON.parse(row.detail) as { message_id: string }).message_id,
      status: row.status,
      sends_today: account.sendsOn(Date.now()).count,
      daily_send_limit: configOf(this.env).dailySendLimit,
    });
  }
}

/** Should the process die right after a message was accepted, the alarm sends it. */
const FIRST_TRY_MS = 5_000;

const NOT_AVAILABLE = { code: "not_implemented" as const, error: "Email sending is not available" };
