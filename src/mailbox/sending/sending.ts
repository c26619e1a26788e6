import { notFound, type Answer } from "../../contract/problem.ts";
import type { MessageStatus } from "../../contract/message.ts";
import type { Sent, Suppression } from "../../contract/sending.ts";
import { HALTED_HINT } from "../../contract/sending-state.ts";
import { idOf, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { TimeLimit } from "../../lib/time-limit.ts";
import { domainOf } from "../../mail/address/address.ts";
import { isUnsent, UNSENT_HINT } from "../../outbound/unsent.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { Room } from "../account/room.ts";
import type { MailboxContext } from "../context.ts";
import type { Domains } from "../domains/domains.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import type { Filing } from "../messages/filing.ts";
import { messageIdOf } from "../messages/present.ts";
import { FIND_EMAIL, FIND_THREAD } from "../messages/rows.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { EmailAnswer, Reading } from "../reading/reading.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { Waiters } from "../waiters.ts";
import {
  accept,
  acceptedBefore,
  isKeyUsed,
  sendsSpent,
  type AcceptTools,
  type Keyed,
  type SendRequest,
} from "./accept.ts";
import type { SendingGate } from "./gate.ts";
import type { SendingJob } from "./job.ts";
import { wayToAddress, type Outbox } from "./outbox.ts";
import { answeredStatus, DELETED_HINT, type SentParts } from "./sent-answer.ts";

/** An email, and the domains whose addresses belong to the mailbox. */
type EmailToAnswer = EmailAnswer & { ownDomains: string[] };

/** How long a send waits until the first attempt to hand over its message has ended. */
export interface SendWait {
  seconds: number;
  /** `forgetWait` ends the wait with this id. */
  id: string;
}

/** The answer to a caller that may send; it is given before the message is read. */
export interface SendAdmission {
  /** A message was already sent under its Idempotency-Key, so the attachments of the repeat are not stored. */
  isRepeat: boolean;
}

/** Capabilities that take part in sending. */
interface Others {
  room: Room;
  filing: Filing;
  outbox: Outbox;
  uploads: Uploads;
  domains: Domains;
  reading: Reading;
  embeddings: Embeddings;
  sendingGate: SendingGate;
  job: SendingJob;
}

/** Sends messages, and manages the suppressed addresses. */
export class Sending {
  readonly #context: MailboxContext;
  readonly #messages: Tables;
  readonly #others: Others;
  /** Calls that wait for the first attempt of a message. */
  readonly #waiters = new Waiters<Seq>();

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#messages = context.tables(MESSAGES);
    this.#others = others;
  }

  /** Accepts a message. Resolves when the message is on disk; with a wait, when its first attempt or the wait has ended. */
  async send(access: Access, request: SendRequest, wait: SendWait): Promise<Answer<Sent>> {
    const { answer, commit, now, clock } = this.#context;
    const nowMs = now();
    const accepted = answer(access, (account) => {
      const tools = this.#acceptTools(account);
      return commit(() => {
        const taken = accept(tools, request, nowMs);
        if (taken.ok && !taken.value.replayed) clock.atLatest(nowMs + FIRST_TRY_MS);
        return taken;
      });
    });
    if (!accepted.ok) return accepted;
    this.#others.embeddings.stored(nowMs);
    void this.#pumpAfterAnswer(wait.seconds > 0 ? 0 : ANSWER_MS);
    return this.#answerAfter(access, accepted.value.seq, wait);
  }

  /**
   * Authenticates a caller that wants to send, before its message is read; also checks the daily limit and the room in the
   * mailbox. Both are ignored for a key under which a message was already sent, because the repeat gets the earlier answer.
   */
  admitSend(access: Access, key: string | null): Answer<SendAdmission> {
    return this.#context.answer<SendAdmission>(access, (account) => {
      const now = this.#context.now();
      if (key !== null && isKeyUsed(this.#others.outbox, key, now)) return done({ isRepeat: true });
      const spent = sendsSpent(account, this.#context.config().dailySendLimit, now);
      if (spent !== null) return refused(spent);
      return this.#others.room.left(account) > 0
        ? done({ isRepeat: false })
        : refused(this.#others.room.full(account));
    });
  }

  /** The answer of `send` for the message that was sent under this key; null if none was. 422 if the request differs. */
  async sentBefore(access: Access, keyed: Keyed, wait: SendWait): Promise<Answer<Sent | null>> {
    const earlier = this.#context.answer(access, () =>
      acceptedBefore(this.#others.outbox, keyed, this.#context.now()),
    );
    if (!earlier.ok) return earlier;
    return earlier.value === null ? done(null) : this.#answerAfter(access, earlier.value, wait);
  }

  /** An email that the caller replies to or forwards, and the domains whose addresses belong to the mailbox. */
  async emailToAnswer(access: Access, id: string): Promise<Answer<EmailToAnswer>> {
    const email = await this.#others.reading.emailToAnswer(access, id);
    return email.ok ? done({ ...email.value, ownDomains: this.#others.domains.verified() }) : email;
  }

  /** As `emailToAnswer`, for the email with this Message-ID; null if the mailbox has none. */
  async emailWithMessageId(access: Access, messageId: string): Promise<Answer<EmailToAnswer | null>> {
    const email = await this.#others.reading.emailWithMessageId(access, messageId);
    if (!email.ok || email.value === null) return email.ok ? done(null) : email;
    return done({ ...email.value, ownDomains: this.#others.domains.verified() });
  }

  /** Suppressed addresses in alphabetical order, starting after `after`. */
  suppressions(access: Access, page: { after: string; limit: number }): Answer<Suppression[]> {
    return this.#context.answer(access, () =>
      done(
        this.#others.outbox.suppressions(page.after, page.limit).map(({ address, reason, at }) => ({
          address,
          reason,
          created_at: new Date(at).toISOString(),
        })),
      ),
    );
  }

  /** Removes an address from the suppressions. 404 if it is not suppressed. */
  forgive(access: Access, address: string): Answer<{ ok: true; deleted: string }> {
    return this.#context.answer(access, () =>
      this.#others.outbox.forgive(address)
        ? done({ ok: true as const, deleted: address })
        : refused(notFound("Suppression")),
    );
  }

  /** Wakes the calls that wait for this message: its status may have changed. */
  moved(seq: Seq): void {
    this.#waiters.publish(seq);
  }

  /** Number of calls that wait for a first attempt. */
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

  #acceptTools(account: Account): AcceptTools {
    const { room, filing, outbox, uploads, domains, job } = this.#others;
    const { dailySendLimit, mailDomain } = this.#context.config();
    return {
      account,
      filing,
      outbox,
      uploads,
      domains: domains.statuses(),
      dailySendLimit,
      largest: job.largest(),
      room: { bytes: room.left(account), full: room.full(account) },
      threadOf: (seq) => this.#messages.first(FIND_THREAD, seq)?.thread ?? null,
      // Only a custom domain's own object knows which mailbox holds it, and it is asked only for mail that arrives.
      wayTo: (address) =>
        domains.isVerified(domainOf(address.toLowerCase())) ? "inside" : wayToAddress(address, mailDomain),
    };
  }

  /** Starts the first attempt after the answer is written, because composing takes longer than accepting. Never rejects. */
  async #pumpAfterAnswer(answerMs: number): Promise<void> {
    const { attempts } = this.#context;
    attempts.underWay += 1;
    try {
      await this.#context.durable();
    } catch (error) {
      // The runtime reports the error to the caller. If the message is on disk after all, the alarm sends it.
      console.error(
        "Writing an accepted message to disk failed; if it was stored, the alarm sends it:",
        error,
      );
      attempts.underWay -= 1;
      return;
    }
    // Before the message is looked up: without it, the job would look it up twice.
    await this.#others.sendingGate.look();
    setTimeout(() => {
      this.#others.job.pump(this.#context.now());
      attempts.underWay -= 1;
    }, answerMs);
  }

  async #answerAfter(access: Access, seq: Seq, wait: SendWait): Promise<Answer<Sent>> {
    const answer = () => this.#context.answer(access, (account) => this.#sent(account, seq));
    if (wait.seconds === 0) {
      await this.#untilLooked();
      return answer();
    }
    const before = answer();
    await this.#untilTried(seq, wait);
    const after = answer();
    return after.ok || !before.ok
      ? after
      : refused({ ...after.error, meanwhile: JSON.stringify(before.value) });
  }

  /** Waits a moment until it is known whether sending is halted, which the answer says. */
  async #untilLooked(): Promise<void> {
    const limit = new TimeLimit({ ms: LOOK_MS });
    // Without an answer in this time, the answer to the caller does not say it.
    await limit.race(this.#others.sendingGate.look()).catch(() => undefined);
    limit.clear();
  }

  async #untilTried(seq: Seq, wait: SendWait): Promise<void> {
    const deadline = this.#context.now() + wait.seconds * 1_000;
    for (;;) {
      const left = deadline - this.#context.now();
      if (left <= 0 || this.#others.sendingGate.isHalted || !this.#isFresh(seq)) return;
      const wanted = { fits: (moved: Seq) => moved === seq, consume: false };
      const waiting = this.#waiters.wait(wait.id, wanted, left);
      if (!waiting.ok) return;
      this.#context.noteActivity(false);
      const wake = await waiting.value;
      this.#context.noteActivity(this.#waiters.size === 0);
      if (wake.kind !== "item") return;
    }
  }

  /** Whether the first attempt of a message has not ended yet. */
  #isFresh(seq: Seq): boolean {
    return this.#others.outbox
      .recipients(seq)
      .some(
        ({ state, diagnostic }) =>
          state === "handing" || state === "ending" || (state === "queued" && diagnostic === null),
      );
  }

  #sent(account: Account, seq: Seq): Answer<Sent> {
    const id = idOf(seq, account.idTail);
    const parts = this.#sentParts(account, seq);
    if (parts === null) return refused(notFound("Email"));
    return done({
      id,
      provider_id: id,
      ...parts,
      sends_today: account.sendsOn(this.#context.now()).count,
      daily_send_limit: this.#context.config().dailySendLimit,
    });
  }

  /** Null for an erased message whose answer was not stored with an Idempotency-Key. */
  #sentParts(account: Account, seq: Seq): SentParts | null {
    const row = this.#messages.first(FIND_EMAIL, seq);
    if (row === null || row.status === "received") {
      const kept = this.#others.outbox.storedAnswer(seq);
      return kept === null ? null : { ...kept, hint: DELETED_HINT };
    }
    return {
      thread_id: idOf(row.thread, account.idTail),
      message_id: messageIdOf(row),
      status: answeredStatus(row.status, this.#others.outbox.toldSent(seq) === true),
      delivery_status: row.status,
      ...this.#hint(row.status, seq),
    };
  }

  #hint(status: MessageStatus, seq: Seq): { hint?: string } {
    if (status === "queued" && this.#others.sendingGate.isHalted) return { hint: HALTED_HINT };
    return this.#isUnsent(seq) ? { hint: UNSENT_HINT } : {};
  }

  /** Whether some recipient gets nothing because no transport is configured, now or at the first attempt. */
  #isUnsent(seq: Seq): boolean {
    const leaves = this.#others.outbox.recipients(seq).filter(({ inside }) => inside === 0);
    const sendsNothing = this.#context.config().outbound === "local";
    return leaves.some(
      ({ state, diagnostic }) => isUnsent(state, diagnostic) || (sendsNothing && diagnostic === null),
    );
  }
}

/**
 * Delay before the first attempt, in ms. The answer passes through the router, which shares a thread with its mailboxes on
 * one machine; without the delay, the message would be composed before the answer is written.
 */
const ANSWER_MS = 5;

/** The longest time for which an answer waits to say whether sending is halted, in ms. */
const LOOK_MS = 250;

/** If the process dies before the first attempt, the alarm makes it this long after acceptance, in ms. */
const FIRST_TRY_MS = 5_000;
