import { randomBytes } from "node:crypto";
import type { EventKind } from "../../contract/event.ts";
import type { Seq } from "../../lib/ids.ts";
import { mintToken, TOKEN_BYTES } from "../../mail/address/return-path.ts";
import {
  afterDeath,
  afterNews,
  afterTry,
  isHanding,
  isSettled,
  nextTryAt,
  type RecipientState,
} from "../../outbound/ledger.ts";
import type { DkimKey } from "../../outbound/dkim.ts";
import { KEPT_HERE } from "../../outbound/unsent.ts";
import type { OutboundMail, RecipientResult, Transport } from "../../outbound/transport.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import { copiesOf, type Copy } from "./copies.ts";
import { composedStream, departingBytes, signatureOf, type OpenFile } from "./departing-stream.ts";
import { WAYS, type Departing, type Outbox, type Way } from "./outbox.ts";
import type { OutgoingEvents } from "./outgoing-events.ts";
import type { RecipientRow } from "./rows.ts";

/** Messages handed over at once, each way. */
const MAX_AT_ONCE = 2;
/** How far off a message that is tried is due again: longer than any transport takes for one copy. */
const LEASE_MS = 15 * 60_000;
/** While something is tried the alarm rings as often: should the process die, a new one sees to what it left. */
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

/** Everything that it takes to hand messages over, beside the mailbox. */
export interface SendingTools {
  outbox: Outbox;
  events: OutgoingEvents;
  openFile: OpenFile;
  /** The key that mail from an address is signed with; null where the address is no longer the mailbox's. */
  signerFor: (from: string) => { dkim: DkimKey | null } | null;
  /** Delivers inside the deployment. */
  inside: Transport;
  /** Hands over to everybody else; null where nothing leaves the deployment. */
  outside: () => Transport | null;
  /** A message may stand differently now. */
  moved: (seq: Seq) => void;
}

/** What goes one way. */
interface Lane {
  way: Way;
  underWay: Map<Seq, AbortController>;
  pumpedAt: number;
}

/** One try of one message, one way. */
interface Try {
  way: Way;
  departing: Departing;
  /** Tries that way that came to an end, and this one. */
  tries: number;
  /** Which of its copies goes out first. */
  turn: number;
  /** Those that are tried, as they stood when it began. */
  recipients: readonly Readonly<RecipientRow>[];
}

/**
 * Hands messages over, again and again until every recipient's host has taken or refused them, as `outbound/ledger` says. A
 * try is written down before it is made, and the end of a message is written down before it is said: so a death in between
 * repeats what was certainly not taken, and calls unknown what may have been.
 */
export class SendingJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: SendingTools;
  readonly #lanes: readonly Lane[] = WAYS.map((way) => ({ way, underWay: new Map(), pumpedAt: 0 }));
  #faultyUntil = 0;
  /** Whether what an earlier process left under way was seen to. */
  #released = false;
  #closed = false;

  constructor(context: MailboxContext, tools: SendingTools) {
    this.#context = context;
    this.#tools = tools;
  }

  /** Bytes of the largest composed message that each way carries. */
  largest(): Readonly<Record<Way, number>> {
    const { inside, outside } = this.#tools;
    return { inside: inside.maxBytes, outside: outside()?.maxBytes ?? Infinity };
  }

  dues(nowMs: number): (number | null)[] {
    return this.#mayWork(nowMs) ? this.#lanes.map((lane) => this.#dueOf(lane, nowMs)) : [];
  }

  /** What is due waits for the end of one under way, and the alarm for that: should the process die, it finds what waits. */
  #dueOf({ way, underWay, pumpedAt }: Lane, nowMs: number): number | null {
    const after = underWay.size > 0 ? Math.min(pumpedAt, nowMs) : -1;
    const next = this.#tools.outbox.nextDue(way, after);
    const due = underWay.size > 0 ? Math.min(next ?? Infinity, nowMs + HEARTBEAT_MS) : next;
    return due === null ? null : Math.max(due, this.#faultyUntil);
  }

  /** Starts what is due. Never throws, and returns before any of it has ended. */
  pump(nowMs: number): void {
    if (!this.#mayWork(nowMs) || nowMs < this.#faultyUntil) return;
    try {
      for (const lane of this.#lanes) this.#pumpLane(lane, nowMs);
    } catch (error) {
      this.#fault(error);
    }
  }

  #pumpLane(lane: Lane, nowMs: number): void {
    const { way, underWay } = lane;
    lane.pumpedAt = nowMs;
    while (underWay.size < MAX_AT_ONCE) {
      // Looked for anew each time: what has begun is due no more.
      const due = this.#tools.outbox.due(way, nowMs, MAX_AT_ONCE + underWay.size);
      const seq = due.find((one) => !underWay.has(one));
      if (seq === undefined) return;
      const begun = this.#begin(seq, way, nowMs);
      if (begun !== null) void this.#send(lane, begun);
    }
  }

  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void {
    this.#closed = true;
    for (const { underWay } of this.#lanes) for (const controller of underWay.values()) controller.abort();
  }

  forget(): void {}

  #mayWork(nowMs: number): boolean {
    const account = this.#context.account();
    if (this.#closed || account?.row.status !== "active" || !account.isLive(nowMs)) return false;
    // What was accepted before waits until the deployment sends again.
    if (this.#context.config().outbound === "none") return false;
    // There is one instance of an actor at a time: no try of an earlier one goes on.
    if (!this.#released) this.#tools.outbox.release();
    this.#released = true;
    return true;
  }

  #fault(error: unknown): void {
    console.error("Messages on their way out are looked at again later:", error);
    this.#faultyUntil = this.#context.now() + FAULT_PAUSE_MS;
    this.#context.clock.atLatest(this.#faultyUntil);
  }

  /** One try of one message, which is written down; never rejects. */
  async #send({ underWay }: Lane, begun: Try): Promise<void> {
    const { seq } = begun.departing;
    const controller = new AbortController();
    underWay.set(seq, controller);
    try {
      await this.#context.durable();
      await this.#handOver(begun, controller.signal);
    } catch (error) {
      if (!this.#closed) this.#fault(error);
    } finally {
      underWay.delete(seq);
      this.pump(this.#context.now());
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
      for (const recipient of ours) this.#move(recipient, afterDeath(recipient.state), null, nowMs);
      const recipients = ours.filter(({ state }) => state === "queued");
      if (unended >= MAX_UNENDED_TRIES)
        for (const recipient of recipients) this.#move(recipient, "failed", GIVEN_UP, nowMs);
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
    else clock.atLatest(nowMs + HEARTBEAT_MS);
    return begun;
  }

  /** Notes that a recipient is tried; outside, its return path has a token from its first try on. */
  #hand(recipient: RecipientRow, way: Way, nowMs: number): void {
    if (way === "outside" && recipient.token === null) {
      this.#tools.outbox.mint(recipient, mintToken(randomBytes(TOKEN_BYTES)));
    }
    this.#move(recipient, "handing", recipient.diagnostic, nowMs);
  }

  #move(recipient: RecipientRow, state: RecipientState, diagnostic: string | null, nowMs: number): void {
    const { outbox } = this.#tools;
    if (state !== recipient.state) outbox.move(recipient, state, diagnostic ?? recipient.diagnostic, nowMs);
  }

  /**
   * Hands a message to whoever carries it to its recipients, copy by copy, and writes down what came of each before the next
   * begins. A fault of our own is one try like any other: it is made again, and given up in time.
   */
  async #handOver(begun: Try, signal: AbortSignal): Promise<void> {
    const signer = this.#tools.signerFor(begun.departing.message.from.address);
    if (signer === null) return this.#settle(begun, this.#tried(begun), () => NOT_OURS);
    try {
      const departing = await this.#signed(begun.departing, signer.dkim);
      await this.#handOverCopies({ ...begun, departing }, signal);
    } catch (error) {
      if (this.#closed) return;
      console.error("A message could not be handed over and is tried again:", error);
      this.#settle(begun, this.#open(begun), ({ state }) => (state === "ending" ? UNANSWERED : LOCAL_ERROR));
    }
  }

  async #handOverCopies(begun: Try, signal: AbortSignal): Promise<void> {
    const sizeBytes = departingBytes(begun.departing);
    const transport = begun.way === "inside" ? this.#tools.inside : (this.#tools.outside() ?? KEEPING);
    const mailbox = this.#context.account()?.row.address ?? "";
    const copies = copiesOf(begun.departing, begun.recipients, { transport, mailbox, sizeBytes });
    for (const copy of inTurn(copies, begun.turn)) {
      if (this.#closed) return;
      const positions = new Set(copy.recipients.map(({ position }) => position));
      if (!this.#open(begun).some(({ position }) => positions.has(position))) continue;
      if (!this.#mayWork(this.#context.now())) return this.#settle(begun, this.#open(begun), () => PAUSED);
      const results = await transport.send(this.#mailFor(begun, copy, sizeBytes), signal);
      if (this.#closed) return;
      const said = new Map(results.map((result) => [result.recipient, result]));
      const recipients = this.#tried(begun).filter(({ position }) => positions.has(position));
      this.#settle(begun, recipients, ({ address }) => said.get(address) ?? UNANSWERED);
      const stop = results.find(({ concernsAll }) => concernsAll);
      if (stop === undefined) continue;
      return this.#settle(begun, this.#open(begun), () => ({ ...stop, result: { kind: "deferred" } }));
    }
  }

  /** The recipients of a try as they stand now: while it goes on, a report may move them. */
  #tried({ departing, recipients }: Try): RecipientRow[] {
    const positions = new Set(recipients.map(({ position }) => position));
    return this.#tools.outbox.recipients(departing.seq).filter(({ position }) => positions.has(position));
  }

  /** Those of a try of whom nothing was said yet. */
  #open(begun: Try): RecipientRow[] {
    return this.#tried(begun).filter(({ state }) => isHanding(state));
  }

  /** The message with its signature, which is made once. */
  async #signed(departing: Departing, dkim: DkimKey | null): Promise<Departing> {
    const { outbox, openFile } = this.#tools;
    if (dkim === null || departing.signature !== "") return departing;
    const signature = await signatureOf(departing, dkim, openFile);
    return { ...departing, signature: outbox.sign(departing.seq, signature) };
  }

  #mailFor(begun: Try, copy: Copy, sizeBytes: number): OutboundMail {
    const { departing } = begun;
    const positions = new Set(copy.recipients.map(({ position }) => position));
    const { outbox } = this.#tools;
    return {
      returnPath: copy.returnPath,
      fromAddress: departing.message.from.address,
      recipients: copy.recipients.map(({ address }) => address),
      envelopeId: departing.message.messageId.slice(1, -1),
      needsSmtpUtf8: departing.needsSmtpUtf8,
      sizeBytes,
      open: () => composedStream(departing, this.#tools.openFile),
      beforeEnd: async () => {
        if (this.#closed) throw new Error("The mailbox has ended");
        if (this.#tried(begun).length === 0) throw new Error("The message was erased");
        const nowMs = this.#context.now();
        this.#context.commit(() => {
          const ending = this.#tried(begun).filter(
            ({ position, state }) => positions.has(position) && state === "handing",
          );
          for (const row of ending) {
            this.#move(row, "ending", row.diagnostic, nowMs);
            if (row.token !== null) outbox.handOver(row, nowMs);
          }
        });
        await this.#context.durable();
      },
    };
  }

  /** Writes down what came of some recipients of a try, and once nobody of it is under way, when the next one is. */
  #settle(begun: Try, recipients: readonly RecipientRow[], sayOf: (recipient: RecipientRow) => Said): void {
    const { outbox } = this.#tools;
    const { clock } = this.#context;
    const { way, tries } = begun;
    const { seq } = begun.departing;
    const nowMs = this.#context.now();
    const events = this.#context.commit(() => {
      const account = this.#context.account();
      const toldSent = outbox.toldSent(seq);
      // Its owner has erased it meanwhile.
      if (account === null || toldSent === null) return [];
      const news = recipients.flatMap((recipient) => {
        const said = sayOf(recipient);
        if (said.diagnostic === KEPT_HERE) {
          outbox.markUnsent(seq);
          this.#context.reportSoon();
        }
        if (way === "outside") this.#noteObstacle(said, nowMs);
        const kinds = this.#conclude(recipient, said, tries, nowMs);
        return kinds.map((kind) => ({ kind, recipient, nowMs }));
      });
      const firstSent = toldSent ? -1 : news.findIndex(({ kind }) => kind === "message.sent");
      if (firstSent !== -1) outbox.tellSent(seq);
      const told = news.filter(({ kind }, index) => kind !== "message.sent" || index === firstSent);
      const all = outbox.recipients(seq);
      const ours = all.filter((one) => wayTo(one) === way);
      if (ours.some(({ state }) => isHanding(state))) {
        // Other copies follow. What ends the process now is no fault of the message, which got through to somebody.
        const isFurther = recipients.some(({ state }) => isSettled(state));
        if (isFurther) outbox.plan(seq, way, { made: tries - 1, unended: 1, dueAt: nowMs + LEASE_MS });
      } else {
        const dueAt = ours.some(({ state }) => state === "queued") ? nextTryAt(tries, nowMs) : null;
        outbox.plan(seq, way, { made: tries, unended: 0, dueAt });
        if (dueAt !== null) clock.atLatest(dueAt);
      }
      outbox.showStatus(seq, all);
      return told.map((what) => this.#tools.events.write(account, what));
    });
    this.#context.publish(events);
    this.#tools.moved(seq);
  }

  /** Moves a recipient on by what came of its try; answers what the log tells of it. */
  #conclude(recipient: RecipientRow, said: Said, tries: number, nowMs: number): EventKind[] {
    const { outbox } = this.#tools;
    const step = afterTry(recipient.state, said.result, tries);
    this.#move(recipient, step.state, said.diagnostic, nowMs);
    if (said.providerId !== null) outbox.nameAs(recipient, said.providerId);
    if (recipient.token !== null) this.#noteHandOver(recipient, nowMs);
    // What was refused for the message's sake says nothing against the address.
    if (step.event === "message.bounced" && said.fault === "address") {
      outbox.suppress(recipient.address, "bounce", { seq: recipient.seq, nowMs });
    }
    const kinds = step.event === null ? [] : [step.event];
    // Who took it inside the deployment is the recipient's own mailbox.
    if (step.state !== "sent" || wayTo(recipient) === "outside") return kinds;
    const arrived = afterNews(step.state, "delivered");
    this.#move(recipient, arrived.state, said.diagnostic, nowMs);
    return arrived.event === null ? kinds : [...kinds, arrived.event];
  }

  /** What the operator is to mend is shown until a message is taken. */
  #noteObstacle({ result: { kind }, fault, diagnostic }: Said, nowMs: number): void {
    const { outbox } = this.#tools;
    const isObstacle = fault === "us";
    if (!isObstacle && kind !== "taken") return;
    // The directory lists who cannot send, not why.
    if (isObstacle === (outbox.obstacle() === null)) this.#context.reportSoon();
    if (isObstacle) outbox.noteObstacle(diagnostic, nowMs);
    else outbox.clearObstacle();
  }

  /** From when a report may be true of a recipient, which stands as its host left it. */
  #noteHandOver(recipient: RecipientRow, nowMs: number): void {
    const { outbox } = this.#tools;
    const { state } = recipient;
    if (state === "sent") outbox.handOver(recipient, nowMs);
    else if (state === "queued" || state === "bounced" || state === "failed") outbox.takeBack(recipient);
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

/** Each try begins with another: a recipient at whom a relay hangs must not be in front of the same ones always. */
function inTurn(copies: readonly Copy[], turn: number): Copy[] {
  const first = turn % copies.length;
  return [...copies.slice(first), ...copies.slice(0, first)];
}

function wayTo({ inside }: RecipientRow): Way {
  return inside === 1 ? "inside" : "outside";
}

type Said = Pick<RecipientResult, "result" | "diagnostic" | "fault" | "providerId">;

/** A transport that says nothing of a recipient. */
const UNANSWERED: Said = {
  result: { kind: "unanswered" },
  diagnostic: "The transport gave no answer",
  fault: null,
  providerId: null,
};

/** What we could not do ourselves. */
const LOCAL_ERROR: Said = {
  result: { kind: "deferred" },
  diagnostic: "451 4.3.0 Local error",
  fault: null,
  providerId: null,
};

/** What waited to be sent from a domain that was lost meanwhile. */
const NOT_OURS: Said = {
  result: { kind: "impossible" },
  diagnostic: "The domain of the sender is no longer verified",
  fault: null,
  providerId: null,
};

/** The mailbox was paused, or the deployment stopped sending, in the middle of a try. */
const PAUSED: Said = {
  ...LOCAL_ERROR,
  diagnostic: "The mailbox was paused, or sending was switched off, while this was tried",
};

/** What a deployment without a way out does with mail that would leave it: keeps it, to be looked at. */
const KEEPING: Transport = {
  name: "local",
  showsReturnPath: false,
  maxBytes: Infinity,
  send: (mail) =>
    Promise.resolve(
      mail.recipients.map((recipient) => ({
        recipient,
        result: { kind: "taken" },
        code: null,
        enhancedCode: null,
        diagnostic: KEPT_HERE,
        fault: null,
        concernsAll: false,
        providerId: null,
      })),
    ),
};
