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
import type { MailboxContext } from "../context.ts";
import { copiesOf, type Copy } from "./copies.ts";
import { composedStream, departingBytes, signatureOf, type OpenFile } from "./departing-stream.ts";
import type { Departing, Outbox, Way } from "./outbox.ts";
import { NO_TRANSPORT, LOCAL_ERROR, NOT_OURS, PAUSED, UNANSWERED, type Said } from "./outcomes.ts";
import type { OutgoingEvents } from "./outgoing-events.ts";
import type { RecipientRow } from "./rows.ts";

/** How long after its latest sign of life a try is due again: longer than any transport takes for one copy. */
export const LEASE_MS = 15 * 60_000;

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

/** One try of one message, one way. */
export interface Try {
  way: Way;
  departing: Departing;
  /** Tries that way that came to an end, and this one. */
  tries: number;
  /** Which of its copies goes out first. */
  turn: number;
  /** Those that are tried, as they stood when it began. */
  recipients: readonly Readonly<RecipientRow>[];
}

/** A try while it is made. */
type Running = Try & {
  /** Aborted when the mailbox ends: nothing is written after it. */
  readonly signal: AbortSignal;
};

/** Hands one message to its transport, copy by copy, and writes down what came of each copy before the next begins. */
export class HandOver {
  readonly #context: MailboxContext;
  readonly #tools: SendingTools;
  readonly #mayWork: () => boolean;

  /** @param mayWork whether the mailbox lives and is neither paused nor kept from sending. */
  constructor(context: MailboxContext, tools: SendingTools, mayWork: () => boolean) {
    this.#context = context;
    this.#tools = tools;
    this.#mayWork = mayWork;
  }

  /** A fault of our own ends one try like any other fault: the message is tried again, and given up in time. */
  async make(begun: Running): Promise<void> {
    await this.#context.durable();
    const signer = this.#tools.signerFor(begun.departing.message.from.address);
    if (signer === null) return this.#settle(begun, this.#tried(begun), () => NOT_OURS);
    try {
      const departing = await this.#signed(begun.departing, signer.dkim);
      await this.#handOverCopies({ ...begun, departing });
    } catch (error) {
      if (begun.signal.aborted) return;
      console.error("A message could not be handed over and is tried again:", error);
      this.#settle(begun, this.#open(begun), ({ state }) => (state === "ending" ? UNANSWERED : LOCAL_ERROR));
    }
  }

  async #handOverCopies(begun: Running): Promise<void> {
    const sizeBytes = departingBytes(begun.departing);
    const transport = begun.way === "inside" ? this.#tools.inside : (this.#tools.outside() ?? NO_TRANSPORT);
    const mailbox = this.#context.account()?.row.address ?? "";
    const copies = copiesOf(begun.departing, begun.recipients, { transport, mailbox, sizeBytes });
    for (const copy of inTurn(copies, begun.turn)) {
      if (begun.signal.aborted) return;
      const positions = new Set(copy.recipients.map(({ position }) => position));
      if (!this.#open(begun).some(({ position }) => positions.has(position))) continue;
      if (!this.#mayWork()) return this.#settle(begun, this.#open(begun), () => PAUSED);
      const results = await transport.send(this.#mailFor(begun, copy, sizeBytes), begun.signal);
      if (begun.signal.aborted) return;
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
    advance(outbox, recipient, { state: step.state, diagnostic: said.diagnostic, nowMs });
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
    advance(outbox, recipient, { state: arrived.state, diagnostic: said.diagnostic, nowMs });
    return arrived.event === null ? kinds : [...kinds, arrived.event];
  }

  /** Notes an obstacle that the operator must remove; it is shown until a transport takes a message. */
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

/** Moves a recipient to another state. A diagnostic of null keeps the one before. */
export function advance(
  outbox: Outbox,
  recipient: RecipientRow,
  { state, diagnostic, nowMs }: { state: RecipientState; diagnostic: string | null; nowMs: number },
): void {
  if (state !== recipient.state) outbox.move(recipient, state, diagnostic ?? recipient.diagnostic, nowMs);
}

/** How a message goes to one of its recipients. */
export function wayTo({ inside }: Pick<RecipientRow, "inside">): Way {
  return inside === 1 ? "inside" : "outside";
}

/** Each try begins with another: a recipient at whom a relay hangs must not be in front of the same ones always. */
function inTurn(copies: readonly Copy[], turn: number): Copy[] {
  const first = turn % copies.length;
  return [...copies.slice(first), ...copies.slice(0, first)];
}
