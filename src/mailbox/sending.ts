import type { Answer } from "../contract/problem.ts";
import { notFound } from "../contract/problem.ts";
import type { Sent, Suppression } from "../contract/sending.ts";
import { configOf } from "../config/env.ts";
import { idOf, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import { domainOf } from "../mail/address/address.ts";
import { sendingReport } from "../outbound/cloudflare-events.ts";
import { isKept, KEPT_HINT } from "../outbound/kept.ts";
import { accept, acceptedBefore, isKeyUsed, sendsSpent, type Keyed, type SendRequest } from "./accept.ts";
import type { Access } from "./access.ts";
import type { Account } from "./account.ts";
import { composedStream, departingBytes } from "./departing-stream.ts";
import { wayToAddress } from "./outbox.ts";
import * as reading from "./reading.ts";
import { answeredStatus, DELETED_HINT, type SentParts } from "./sent-answer.ts";
import { applySendingReport } from "./reports.ts";
import * as statements from "./statements.ts";
import type { Counted } from "./stats.ts";
import { MailboxUploads } from "./uploading.ts";

/** An email, and the domains whose addresses are the mailbox's own. */
type EmailToAnswer = reading.EmailAnswer & { ownDomains: string[] };

/** How long to wait until nothing of a message waits for its first try any more. */
export interface SendWait {
  seconds: number;
  /** Lets `forget` end the wait. */
  id: string;
}

/** What a caller that may send hears before its message is read. */
export interface SendAdmission {
  /** A message was sent under its Idempotency-Key: nothing is stored for another. */
  isRepeat: boolean;
}

/** What a mailbox sends, and whom it does not send to. */
export abstract class MailboxSending extends MailboxUploads {
  /** Takes a message over, and answers when it is on disk, or once it was waited for. */
  async send(access: Access, request: SendRequest, wait: SendWait): Promise<Answer<Sent>> {
    const now = Date.now();
    const { dailySendLimit, mailDomain } = configOf(this.env);
    // Who holds another domain only its object says, and it is asked of mail that arrives.
    const wayTo = (address: string) =>
      this.jobs.domains.isVerified(domainOf(address.toLowerCase()))
        ? "inside"
        : wayToAddress(address, mailDomain);
    const accepted = this.answer(access, (account) => {
      const domains = this.jobs.domains.statuses();
      const limits = { dailySendLimit, largest: this.jobs.outboxPump.largest() };
      const room = { bytes: this.roomLeft(account), full: this.full(account) };
      const tools = { db: this.db, outbox: this.outbox, account, domains, wayTo, room, ...limits };
      return this.commit(() => {
        const taken = accept(tools, request, now);
        if (taken.ok && !taken.value.replayed) this.alarmClock.atLatest(now + FIRST_TRY_MS);
        return taken;
      });
    });
    if (!accepted.ok) return accepted;
    this.jobs.embeddings.stored(now);
    void this.#pumpAfterAnswer(wait.seconds > 0 ? 0 : ANSWER_MS);
    return this.#toldOf(access, accepted.value.seq, wait);
  }

  /**
   * Judges a caller that wants to send, before its message is read: besides what `admit` judges, the day's limit and room.
   * What was sent under its key before is answered again whatever they say.
   */
  admitSend(access: Access, key: string | null): Answer<SendAdmission> {
    return this.answer<SendAdmission>(access, (account) => {
      const now = Date.now();
      if (key !== null && isKeyUsed(this.outbox, key, now)) return done({ isRepeat: true });
      const spent = sendsSpent(account, configOf(this.env).dailySendLimit, now);
      if (spent !== null) return refused(spent);
      return this.roomLeft(account) > 0 ? done({ isRepeat: false }) : refused(this.full(account));
    });
  }

  /** As `send` answers what was sent under this key before; null if nothing was, 422 if it was another request. */
  async sentBefore(access: Access, keyed: Keyed, wait: SendWait): Promise<Answer<Sent | null>> {
    const earlier = this.answer(access, () => acceptedBefore(this.outbox, keyed, Date.now()));
    if (!earlier.ok) return earlier;
    return earlier.value === null ? done(null) : this.#toldOf(access, earlier.value, wait);
  }

  /** An email that is to be answered or passed on, and the domains whose addresses are the mailbox's own. */
  emailToAnswer(access: Access, id: string): Promise<Answer<EmailToAnswer>> {
    const read = () =>
      this.answer(access, (account) => {
        const email = reading.findEmail(this.db, this.view(account), id, true);
        return email.ok ? done({ ...email.value, ownDomains: this.jobs.domains.verified() }) : email;
      });
    return this.withBodies(read, (email) => [email]);
  }

  /** As `emailToAnswer`, of the email that bears a Message-ID; null if none here does. */
  emailWithMessageId(access: Access, messageId: string): Promise<Answer<EmailToAnswer | null>> {
    const read = () =>
      this.answer(access, (account) => {
        const email = reading.findByMessageId(this.db, this.view(account), messageId);
        return done(email === null ? null : { ...email, ownDomains: this.jobs.domains.verified() });
      });
    return this.withBodies(read, (email) => (email === null ? [] : [email]));
  }

  /**
   * What the platform's sending service says of a message, the JSON of its event; false if it came before we know the message
   * by its name, and should come again.
   */
  sendingEvent(json: string): boolean {
    const account = this.live(Date.now());
    const report = sendingReport(JSON.parse(json));
    if (account === null || report === null) return true;
    const events = this.commit(() => applySendingReport(this.reportTools, account, report, Date.now()));
    this.tell(events ?? []);
    return events !== null || Date.now() - Date.parse(report.at) > UNKNOWN_EVENT_MS;
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
    const sizeBytes = departingBytes(departing);
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
      routes: this.jobs.webhooks.targets.routes().length,
      suppressions: this.outbox.countSuppressions(),
      sendsToday: account.sendsOn(Date.now()).count,
      obstacle: this.outbox.obstacle(),
      dailySendLimit: configOf(this.env).dailySendLimit,
    };
  }

  /** To compose a message takes longer than to accept it, and the answer waits only for the disk. Never rejects. */
  async #pumpAfterAnswer(answerMs: number): Promise<void> {
    try {
      await this.ctx.storage.sync();
    } catch (error) {
      // Its caller hears of it from the runtime. Whatever is on disk in the end, the alarm sends.
      console.error("A message is left to the alarm, because the disk failed:", error);
      return;
    }
    setTimeout(() => this.jobs.outboxPump.pump(Date.now()), answerMs);
  }

  async #toldOf(access: Access, seq: Seq, wait: SendWait): Promise<Answer<Sent>> {
    if (wait.seconds > 0) await this.#tried(seq, wait);
    return this.answer(access, (account) => this.#sent(account, seq));
  }

  async #tried(seq: Seq, wait: SendWait): Promise<void> {
    const deadline = Date.now() + wait.seconds * 1_000;
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
    const id = idOf(seq, account.idTail);
    const parts = this.#sentParts(account, seq);
    if (parts === null) return refused(notFound("Email"));
    return done({
      id,
      provider_id: id,
      ...parts,
      sends_today: account.sendsOn(Date.now()).count,
      daily_send_limit: configOf(this.env).dailySendLimit,
    });
  }

  /** Null for a message that is erased and of which nothing was kept with an Idempotency-Key. */
  #sentParts(account: Account, seq: Seq): SentParts | null {
    const row = this.db.first(statements.FIND_EMAIL, seq);
    if (row === null || row.status === "received") {
      const kept = this.outbox.keptAnswer(seq);
      return kept === null ? null : { ...kept, hint: DELETED_HINT };
    }
    return {
      thread_id: idOf(row.thread, account.idTail),
      message_id: (JSON.parse(row.detail) as { message_id: string }).message_id,
      status: answeredStatus(row.status, this.outbox.toldSent(seq) === true),
      delivery_status: row.status,
      ...(this.#isKept(seq) ? { hint: KEPT_HINT } : {}),
    };
  }

  /** Whether some of a message was kept instead of sent, or will be at its first try. */
  #isKept(seq: Seq): boolean {
    const leaves = this.outbox.recipients(seq).filter(({ inside }) => inside === 0);
    const sendsNothing = configOf(this.env).outbound === "local";
    return leaves.some(
      ({ state, diagnostic }) => isKept(state, diagnostic) || (sendsNothing && diagnostic === null),
    );
  }
}

/** An event about a message that is not known by then is about one that its owner erased. */
const UNKNOWN_EVENT_MS = 3_600_000;

/**
 * The answer goes through the router, which shares a thread with its mailboxes on one machine: what is composed at once would
 * be done before the answer is written.
 */
const ANSWER_MS = 5;

/** Should the process die right after a message was accepted, the alarm sends it. */
const FIRST_TRY_MS = 5_000;
