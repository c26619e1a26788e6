import { randomBytes } from "node:crypto";
import type { Seq } from "../../lib/ids.ts";
import { mintToken, TOKEN_BYTES } from "../../mail/address/return-path.ts";
import { afterDeath, nextTryAt } from "../../outbound/ledger.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import type { SendingGate } from "./gate.ts";
import { HandOver, LEASE_MS, advance, wayTo, type SendingTools, type Try } from "./hand-over.ts";
import { WAYS, type Way } from "./outbox.ts";
import type { RecipientRow } from "./rows.ts";

/** The most messages that are handed over at once on each way. */
const MAX_AT_ONCE = 2;
/** How often the alarm rings while an attempt is under way, in ms: a new process soon continues the work of one that died. */
const HEARTBEAT_MS = 30_000;
/**
 * The most attempts in a row that may begin and neither end nor settle a recipient. The process nearly always dies for a
 * reason that has nothing to do with the message. A message that kills the process in each attempt would stop the service
 * for everybody, so it is given up.
 */
const MAX_UNENDED_TRIES = 5;
const GIVEN_UP = `Given up: in ${MAX_UNENDED_TRIES} tries in a row the service stopped while it composed this message or handed it over`;
/** The pause after an error of this service, in ms. */
const FAULT_PAUSE_MS = 60_000;

/**
 * Hands messages over, and retries until the host of each recipient has taken or refused them (see `outbound/ledger`). Each
 * attempt is stored before it begins, and the state `ending` before the end of a message is sent. So if the process dies in
 * between, the job repeats only what no host has taken, and marks as `unknown` what a host may have taken.
 */
export class SendingJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: SendingTools;
  readonly #gate: SendingGate;
  readonly #drains: readonly Drain<Try>[];
  /** Whether the attempts that an earlier process left unfinished were made due again. */
  #released = false;

  constructor(context: MailboxContext, tools: SendingTools, gate: SendingGate) {
    this.#context = context;
    this.#tools = tools;
    this.#gate = gate;
    this.#drains = WAYS.map((way) => this.#drainOf(way));
  }

  /** Bytes of the largest composed message that each way carries. */
  largest(): Readonly<Record<Way, number>> {
    const { inside, outside } = this.#tools;
    return { inside: inside.maxBytes, outside: outside()?.maxBytes ?? Infinity };
  }

  dues(nowMs: number): number[] {
    return this.#drains.flatMap((drain) => drain.dues(nowMs));
  }

  /** Starts the attempts that are due. Never throws, and returns before any of them has ended. */
  pump(nowMs: number): void {
    for (const drain of this.#drains) drain.pump(nowMs);
  }

  close(): void {
    for (const drain of this.#drains) drain.close();
  }

  #drainOf(way: Way): Drain<Try> {
    const { outbox } = this.#tools;
    const drain: Drain<Try> = new Drain<Try>(
      this.#context,
      {
        isHeld: (account) => this.#isHeld(account),
        nextDue: (afterMs) => {
          this.#release();
          return outbox.nextDue(way, afterMs);
        },
        notBefore: () => this.#gate.notBefore,
        claim: (nowMs, underWay) => this.#claim(way, nowMs, underWay),
        attempt: (begun, signal) => handOver.make({ ...begun, signal }),
      },
      { name: "Sending", maxAtOnce: MAX_AT_ONCE, heartbeatMs: HEARTBEAT_MS, pauseMs: () => FAULT_PAUSE_MS },
    );
    const handOver = new HandOver(this.#context, this.#tools, () => this.#mayGoOn(drain));
    return drain;
  }

  /** Whether an attempt may hand over its next copy. */
  async #mayGoOn(drain: Drain<Try>): Promise<boolean> {
    await this.#gate.look();
    return this.#gate.isOpen && drain.mayWork(this.#context.now());
  }

  /** Looks whether sending is halted. If it is not, the attempts that are due begin. Never rejects. */
  async #pumpIfOpen(): Promise<void> {
    await this.#gate.look();
    if (this.#gate.isOpen) this.pump(this.#context.now());
    else this.#tools.halted();
  }

  /** Whether accepted messages wait: while the mailbox is paused, and while the deployment sends nothing. */
  #isHeld({ row }: Account): boolean {
    return row.status !== "active" || this.#context.config().outbound === "none";
  }

  /** Makes unfinished attempts due again: their process has died, because only one instance of an actor runs at a time. */
  #release(): void {
    if (!this.#released) this.#tools.outbox.release();
    this.#released = true;
  }

  *#claim(way: Way, nowMs: number, underWay: readonly Try[]): Generator<Try, void, void> {
    this.#release();
    const { outbox } = this.#tools;
    const busy = new Set(underWay.map(({ departing }) => departing.seq));
    for (;;) {
      // Read again each time: a message whose attempt has begun is no longer due.
      const seq = outbox.due(way, nowMs, busy.size + 1).find((one) => !busy.has(one));
      if (seq === undefined) return;
      if (!this.#gate.isOpen) {
        void this.#pumpIfOpen();
        return;
      }
      const begun = this.#begin(seq, way, nowMs);
      if (begun !== null) yield begun;
    }
  }

  /** Stores that an attempt of a message begins; null if nothing can be attempted now. */
  #begin(seq: Seq, way: Way, nowMs: number): Try | null {
    const { outbox } = this.#tools;
    const { clock } = this.#context;
    const begun = this.#context.commit(() => {
      const departing = outbox.find(seq);
      if (departing === null) return null;
      const { made, unended } = departing.tries[way];
      const all = outbox.recipients(seq);
      const ours = all.filter((recipient) => wayTo(recipient) === way);
      const pauseUntil = ours.some(({ state }) => state === "handing") ? pauseAfterDeath(unended, ours) : 0;
      // The states that a process left when it died during an attempt.
      for (const recipient of ours)
        advance(outbox, recipient, { state: afterDeath(recipient.state), diagnostic: null, nowMs });
      const recipients = ours.filter(({ state }) => state === "queued");
      if (unended >= MAX_UNENDED_TRIES)
        for (const recipient of recipients)
          advance(outbox, recipient, { state: "failed", diagnostic: GIVEN_UP, nowMs });
      outbox.showStatus(seq, all);
      const isOver = recipients.length === 0 || unended >= MAX_UNENDED_TRIES;
      if (isOver || pauseUntil > nowMs) {
        const dueAt = isOver ? null : pauseUntil;
        outbox.plan(seq, way, { made, unended, dueAt });
        if (dueAt !== null) clock.atLatest(dueAt);
        return null;
      }
      for (const recipient of recipients) this.#hand(recipient, way, nowMs);
      outbox.plan(seq, way, { made, unended: unended + 1, dueAt: nowMs + LEASE_MS });
      return { way, departing, tries: made + 1, turn: made + unended, recipients };
    });
    if (begun === null) this.#tools.moved(seq);
    return begun;
  }

  /** Stores that a recipient is attempted. Outside, its return path gets a token at the first attempt. */
  #hand(recipient: RecipientRow, way: Way, nowMs: number): void {
    const { outbox } = this.#tools;
    if (way === "outside" && recipient.token === null) {
      outbox.mint(recipient, mintToken(randomBytes(TOKEN_BYTES)));
    }
    advance(outbox, recipient, { state: "handing", diagnostic: recipient.diagnostic, nowMs });
  }
}

/**
 * The time until which a message waits, in ms since 1970, after the process died in `unended` attempts in a row. After the
 * first death it does not wait. After each further one it waits longer, so that other messages are sent meanwhile.
 */
function pauseAfterDeath(unended: number, recipients: readonly RecipientRow[]): number {
  const begunAt = Math.max(...recipients.map(({ at }) => at));
  return nextTryAt(unended - 1, begunAt) ?? begunAt;
}
