import { randomBytes } from "node:crypto";
import type { Seq } from "../../lib/ids.ts";
import { mintToken, TOKEN_BYTES } from "../../mail/address/return-path.ts";
import { afterDeath, nextTryAt } from "../../outbound/ledger.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import { HandOver, LEASE_MS, advance, wayTo, type SendingTools, type Try } from "./hand-over.ts";
import { WAYS, type Way } from "./outbox.ts";
import type { RecipientRow } from "./rows.ts";

/** Messages handed over at once, each way. */
const MAX_AT_ONCE = 2;
/** While a message is tried the alarm rings this often: if the process dies, a new one sees to what it left. */
const HEARTBEAT_MS = 30_000;
/**
 * Tries in a row that may begin without coming to an end, or to that of a recipient. Nearly always it is the process that
 * ended, for a reason that has nothing to do with the message; a message that ends it each time would take everybody's service
 * down for ever.
 */
const MAX_UNENDED_TRIES = 5;
const GIVEN_UP = `Given up: in ${MAX_UNENDED_TRIES} tries in a row the service stopped while it composed this message or handed it over`;
/** After a fault of our own. */
const FAULT_PAUSE_MS = 60_000;

/**
 * Hands messages over, again and again until every recipient's host has taken or refused them, as `outbound/ledger` says. A
 * try is written down before it is made, and the end of a message is written down before it is said: so a death in between
 * repeats what was certainly not taken, and calls unknown what may have been.
 */
export class SendingJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: SendingTools;
  readonly #drains: readonly Drain<Try>[];
  /** Whether what an earlier process left under way was seen to. */
  #released = false;

  constructor(context: MailboxContext, tools: SendingTools) {
    this.#context = context;
    this.#tools = tools;
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

  /** Starts what is due. Never throws, and returns before any of it has ended. */
  pump(nowMs: number): void {
    for (const drain of this.#drains) drain.pump(nowMs);
  }

  close(): void {
    for (const drain of this.#drains) drain.close();
  }

  #drainOf(way: Way): Drain<Try> {
    const { now } = this.#context;
    const { outbox } = this.#tools;
    const drain: Drain<Try> = new Drain<Try>(
      this.#context,
      {
        isHeld: (account) => this.#isHeld(account),
        nextDue: (afterMs) => {
          this.#release();
          return outbox.nextDue(way, afterMs);
        },
        claim: (nowMs, underWay) => this.#claim(way, nowMs, underWay),
        attempt: (begun, signal) => handOver.make({ ...begun, signal }),
      },
      { name: "Sending", maxAtOnce: MAX_AT_ONCE, heartbeatMs: HEARTBEAT_MS, pauseMs: () => FAULT_PAUSE_MS },
    );
    const handOver = new HandOver(this.#context, this.#tools, () => drain.mayWork(now()));
    return drain;
  }

  /** Accepted messages wait until the mailbox is resumed, or the deployment sends again. */
  #isHeld({ row }: Account): boolean {
    return row.status !== "active" || this.#context.config().outbound === "none";
  }

  /** There is one instance of an actor at a time: no try of an earlier one goes on. */
  #release(): void {
    if (!this.#released) this.#tools.outbox.release();
    this.#released = true;
  }

  *#claim(way: Way, nowMs: number, underWay: readonly Try[]): Generator<Try, void, void> {
    this.#release();
    const { outbox } = this.#tools;
    const busy = new Set(underWay.map(({ departing }) => departing.seq));
    for (;;) {
      // Read anew each time: a message whose try has begun is no longer due.
      const seq = outbox.due(way, nowMs, busy.size + 1).find((one) => !busy.has(one));
      if (seq === undefined) return;
      const begun = this.#begin(seq, way, nowMs);
      if (begun !== null) yield begun;
    }
  }

  /** Writes down that a message is tried; null if there is nothing to try. */
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
      // Left over from a process that died in the middle of a try.
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

  /** Notes that a recipient is tried; outside, its return path has a token from its first try on. */
  #hand(recipient: RecipientRow, way: Way, nowMs: number): void {
    const { outbox } = this.#tools;
    if (way === "outside" && recipient.token === null) {
      outbox.mint(recipient, mintToken(randomBytes(TOKEN_BYTES)));
    }
    advance(outbox, recipient, { state: "handing", diagnostic: recipient.diagnostic, nowMs });
  }
}

/**
 * Until when a message rests of which `unended` tries in a row were cut short, in ms since 1970. The first death is nobody's
 * fault and costs no time; after more of them the message rests ever longer, so that others get through meanwhile.
 */
function pauseAfterDeath(unended: number, recipients: readonly RecipientRow[]): number {
  const begunAt = Math.max(...recipients.map(({ at }) => at));
  return nextTryAt(unended - 1, begunAt) ?? begunAt;
}
