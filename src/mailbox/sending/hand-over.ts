import type { EventKind } from "../../contract/event.ts";
import type { Seq } from "../../lib/ids.ts";
import {
  afterNews,
  afterTry,
  isHanding,
  isSettled,
  nextTryAt,
  type RecipientState,
} from "../../outbound/ledger.ts";
import type { DkimKey } from "../../outbound/dkim.ts";
import { KEPT_HERE } from "../../outbound/unsent.ts";
import type { OutboundMail, Transport } from "../../outbound/transport.ts";
import { metrics, secondsSince } from "../../metrics/metrics.ts";
import type { MailboxContext } from "../context.ts";
import { copiesOf, type Copy } from "./copies.ts";
import { composedStream, departingBytes, signatureOf, type OpenFile } from "./departing-stream.ts";
import type { Departing, Outbox, Way } from "./outbox.ts";
import { NO_TRANSPORT, LOCAL_ERROR, NOT_OURS, UNANSWERED, type Said } from "./outcomes.ts";
import type { OutgoingEvents } from "./outgoing-events.ts";
import type { RecipientRow } from "./rows.ts";

/** The lease of an attempt in ms, renewed when a copy settles a recipient: longer than any transport takes for one copy. */
export const LEASE_MS = 15 * 60_000;

/** Everything that handing messages over needs, besides the mailbox. */
export interface SendingTools {
  outbox: Outbox;
  events: OutgoingEvents;
  openFile: OpenFile;
  /** The key that signs mail from an address, if one is configured; null if the address no longer belongs to the mailbox. */
  signerFor: (from: string) => { dkim: DkimKey | null } | null;
  /** Delivers inside the deployment. */
  inside: Transport;
  /** Carries mail out of the deployment; null if no transport is configured. */
  outside: () => Transport | null;
  /** Called when the status of a message may have changed. */
  moved: (seq: Seq) => void;
  /** Called when messages that are due must wait, because sending is halted. */
  halted: () => void;
}

/** One attempt to hand over one message on one way. */
export interface Try {
  way: Way;
  departing: Departing;
  /** Attempts on this way that ended, plus this one. */
  tries: number;
  /** The index of the copy that goes out first, modulo the number of copies. */
  turn: number;
  /** The recipients of this attempt, in the states that they had when it began. */
  recipients: readonly Readonly<RecipientRow>[];
}

/** An attempt that is under way. */
type Running = Try & {
  /** Aborted when the mailbox ends; the attempt then writes nothing more. */
  readonly signal: AbortSignal;
};

/** Hands one message to its transport, copy by copy, and stores the results of each copy before the next one begins. */
export class HandOver {
  readonly #context: MailboxContext;
  readonly #tools: SendingTools;
  readonly #mayGoOn: () => Promise<boolean>;

  /** @param mayGoOn whether the mailbox is live and not paused, and sending is neither switched off nor halted. */
  constructor(context: MailboxContext, tools: SendingTools, mayGoOn: () => Promise<boolean>) {
    this.#context = context;
    this.#tools = tools;
    this.#mayGoOn = mayGoOn;
  }

  /** Makes an attempt. If this service fails, recipients are deferred, or `unknown` if a host may have taken the message. */
  async make(begun: Running): Promise<void> {
    await this.#context.durable();
    const signer = this.#tools.signerFor(begun.departing.message.from.address);
    if (signer === null) return this.#settle(begun, this.#tried(begun), () => NOT_OURS);
    try {
      const departing = await this.#signed(begun.departing, signer.dkim);
      await this.#handOverCopies({ ...begun, departing });
    } catch (error) {
      if (begun.signal.aborted) return;
      console.error("A message could not be handed over; it is attempted again later:", error);
      this.#settle(begun, this.#open(begun), ({ state }) => (state === "ending" ? UNANSWERED : LOCAL_ERROR));
    }
  }

  async #handOverCopies(begun: Running): Promise<void> {
    const sizeBytes = departingBytes(begun.departing);
    const transport = begun.way === "inside" ? this.#tools.inside : (this.#tools.outside() ?? NO_TRANSPORT);
    const mailbox = this.#context.account()?.row.address ?? "";
    const copies = copiesOf(begun.departing, begun.recipients, { transport, mailbox, sizeBytes });
    for (const copy of inTurn(copies, begun.turn)) {
      const mayGoOn = await this.#mayGoOn();
      if (begun.signal.aborted) return;
      if (!mayGoOn) return this.#putBack(begun);
      const positions = new Set(copy.recipients.map(({ position }) => position));
      if (!this.#open(begun).some(({ position }) => positions.has(position))) continue;
      const startMs = performance.now();
      const results = await transport.send(this.#mailFor(begun, copy, sizeBytes), begun.signal);
      metrics.observe("mailkeep_send_attempt_seconds", { way: begun.way }, secondsSince(startMs));
      if (begun.signal.aborted) return;
      const said = new Map(results.map((result) => [result.recipient, result]));
      const recipients = this.#tried(begun).filter(({ position }) => positions.has(position));
      this.#settle(begun, recipients, ({ address }) => said.get(address) ?? UNANSWERED);
      const stop = results.find(({ concernsAll }) => concernsAll);
      if (stop === undefined) continue;
      return this.#settle(begun, this.#open(begun), () => ({ ...stop, result: { kind: "deferred" } }));
    }
  }

  /** Ends an attempt between two copies. The recipients that are left wait in their place, as if it had not begun. */
  #putBack(begun: Running): void {
    const { outbox } = this.#tools;
    const { way, tries, departing } = begun;
    const nowMs = this.#context.now();
    this.#context.commit(() => {
      const left = this.#open(begun);
      if (left.length === 0) return;
      for (const recipient of left) advance(outbox, recipient, { state: "queued", diagnostic: null, nowMs });
      const dueAt = departing.tries[way].dueAt ?? nowMs;
      outbox.plan(departing.seq, way, { made: tries - 1, unended: 0, dueAt });
      outbox.showStatus(departing.seq, outbox.recipients(departing.seq));
    });
    this.#tools.moved(departing.seq);
  }

  /** The recipients of an attempt in their current states, which a report may have changed since it began. */
  #tried({ departing, recipients }: Try): RecipientRow[] {
    const positions = new Set(recipients.map(({ position }) => position));
    return this.#tools.outbox.recipients(departing.seq).filter(({ position }) => positions.has(position));
  }

  /** The recipients of an attempt that have no result yet. */
  #open(begun: Try): RecipientRow[] {
    return this.#tried(begun).filter(({ state }) => isHanding(state));
  }

  /** The message with its DKIM signature if it needs one. The signature is made once and stored. */
  async #signed(departing: Departing, dkim: DkimKey | null): Promise<Departing> {
    const { outbox, openFile } = this.#tools;
    if (dkim === null || departing.signature !== "") return departing;
    const signature = await signatureOf(departing, dkim, openFile);
    return { ...departing, signature: outbox.sign(departing.seq, signature) };
  }

  #mailFor(begun: Running, copy: Copy, sizeBytes: number): OutboundMail {
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
        if (begun.signal.aborted) throw new Error("The mailbox has ended");
        if (this.#tried(begun).length === 0) throw new Error("The message was erased");
        const nowMs = this.#context.now();
        this.#context.commit(() => {
          const ending = this.#tried(begun).filter(
            ({ position, state }) => positions.has(position) && state === "handing",
          );
          for (const row of ending) {
            advance(outbox, row, { state: "ending", diagnostic: row.diagnostic, nowMs });
            if (row.token !== null) outbox.handOver(row, nowMs);
          }
        });
        await this.#context.durable();
      },
    };
  }

  /** Stores the results of some recipients; when no recipient of the attempt lacks a result, also schedules the next attempt. */
  #settle(begun: Try, recipients: readonly RecipientRow[], sayOf: (recipient: RecipientRow) => Said): void {
    const { outbox } = this.#tools;
    const { clock } = this.#context;
    const { way, tries } = begun;
    const { seq } = begun.departing;
    const nowMs = this.#context.now();
    const events = this.#context.commit(() => {
      const account = this.#context.account();
      const toldSent = outbox.toldSent(seq);
      // The mailbox or the message was erased meanwhile.
      if (account === null || toldSent === null) return [];
      const news = recipients.flatMap((recipient) => {
        const said = sayOf(recipient);
        const outcome = said.diagnostic === KEPT_HERE ? "kept" : said.result.kind;
        metrics.count("mailkeep_sends_total", { way, outcome });
        if (said.diagnostic === KEPT_HERE) {
          outbox.markUnsent(seq);
          this.#context.reportSoon();
        }
        if (way === "outside") this.#noteObstacle(said, nowMs);
        const kinds = this.#conclude(recipient, said, tries, nowMs);
        // What is kept here has not left.
        return said.diagnostic === KEPT_HERE ? [] : kinds.map((kind) => ({ kind, recipient, nowMs }));
      });
      const firstSent = toldSent ? -1 : news.findIndex(({ kind }) => kind === "message.sent");
      if (firstSent !== -1) outbox.tellSent(seq);
      const told = news.filter(({ kind }, index) => kind !== "message.sent" || index === firstSent);
      const all = outbox.recipients(seq);
      const ours = all.filter((one) => wayTo(one) === way);
      if (ours.some(({ state }) => isHanding(state))) {
        // Other copies follow. If this one settled a recipient, earlier deaths of the process count no longer.
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

  /** Moves a recipient to the state that follows from its result; answers the kinds of the events to log. */
  #conclude(recipient: RecipientRow, said: Said, tries: number, nowMs: number): EventKind[] {
    const { outbox } = this.#tools;
    const step = afterTry(recipient.state, said.result, tries);
    advance(outbox, recipient, { state: step.state, diagnostic: said.diagnostic, nowMs });
    if (said.providerId !== null) outbox.nameAs(recipient, said.providerId);
    if (recipient.token !== null) this.#noteHandOver(recipient, nowMs);
    // A refusal of the message itself is no reason to suppress the address.
    if (step.event === "message.bounced" && said.fault === "address") {
      outbox.suppress(recipient.address, "bounce", { seq: recipient.seq, nowMs });
    }
    const kinds = step.event === null ? [] : [step.event];
    // Inside the deployment, the recipient's own mailbox took the message: it is delivered.
    if (step.state !== "sent" || wayTo(recipient) === "outside") return kinds;
    const arrived = afterNews(step.state, "delivered");
    advance(outbox, recipient, { state: arrived.state, diagnostic: said.diagnostic, nowMs });
    return arrived.event === null ? kinds : [...kinds, arrived.event];
  }

  /** Stores an obstacle that the operator must remove. Clears it once a transport takes a message. */
  #noteObstacle({ result: { kind }, fault, diagnostic }: Said, nowMs: number): void {
    const { outbox } = this.#tools;
    const isObstacle = fault === "us";
    if (!isObstacle && kind !== "taken") return;
    // The directory stores whether a mailbox can send, not the reason, so it gets a report only if that changes.
    if (isObstacle === (outbox.obstacle() === null)) this.#context.reportSoon();
    if (isObstacle) outbox.noteObstacle(diagnostic, nowMs);
    else outbox.clearObstacle();
  }

  /**
   * Stores since when reports about a recipient are believed: from now if its host took the message, never if the host took
   * nothing. In the state `unknown`, the time that `beforeEnd` stored stays.
   */
  #noteHandOver(recipient: RecipientRow, nowMs: number): void {
    const { outbox } = this.#tools;
    const { state } = recipient;
    if (state === "sent") outbox.handOver(recipient, nowMs);
    else if (state === "queued" || state === "bounced" || state === "failed") outbox.takeBack(recipient);
  }
}

/** Moves a recipient to another state; does nothing if it has that state already. A diagnostic of null keeps the stored one. */
export function advance(
  outbox: Outbox,
  recipient: RecipientRow,
  { state, diagnostic, nowMs }: { state: RecipientState; diagnostic: string | null; nowMs: number },
): void {
  if (state !== recipient.state) outbox.move(recipient, state, diagnostic ?? recipient.diagnostic, nowMs);
}

/** The way by which a message reaches a recipient. */
export function wayTo({ inside }: Pick<RecipientRow, "inside">): Way {
  return inside === 1 ? "inside" : "outside";
}

/** Rotates the copies, so that a relay that hangs at one recipient does not block the same other recipients in every attempt. */
function inTurn(copies: readonly Copy[], turn: number): Copy[] {
  const first = turn % copies.length;
  return [...copies.slice(first), ...copies.slice(0, first)];
}
