import type { EventKind, LoggedData } from "../contract/event.ts";
import type { Config } from "../env.ts";
import { idOf, type Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import { composedBytes, composeMessage, type OpenAttachment } from "../outbound/compose.ts";
import { dkimSignature, withFields } from "../outbound/dkim.ts";
import {
  afterDeath,
  afterReport,
  afterTry,
  nextTryAt,
  shownState,
  type RecipientState,
} from "../outbound/ledger.ts";
import type { OutboundMail, RecipientResult, Transport } from "../outbound/transport.ts";
import type { Account } from "./account.ts";
import { append, type LoggedEvent } from "./log.ts";
import type { Departing, Outbox } from "./outbox.ts";
import type { RecipientRow } from "./schema.ts";
import * as statements from "./statements.ts";
import { listingOf } from "./present.ts";

/** Messages handed over at once. */
const MAX_AT_ONCE = 2;
/** Longer than any transport takes for one message: past it, a try is lost. */
const LEASE_MS = 15 * 60_000;
/** After a fault of our own. */
const FAULT_PAUSE_MS = 60_000;

/** What the pump works with. */
export interface OutboxTools {
  db: Database;
  outbox: Outbox;
  clock: AlarmClock;
  config: () => Config;
  account: () => Account | null;
  /** Runs a change as one transaction. */
  commit: <T>(change: () => T) => T;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
  openFile: OpenFile;
  /** Delivers inside the deployment. */
  inside: Transport;
  /** Hands over to everybody else; null where nothing leaves the deployment. */
  outside: () => Transport | null;
  /** Tells whoever hears of the log; after the transaction that wrote `events`. */
  tell: (events: readonly LoggedEvent[]) => void;
  /** Makes the webhooks of an entry; within the transaction that writes it. */
  enqueue: (account: Account, event: LoggedEvent, nowMs: number) => void;
  /** A message may stand differently now. */
  moved: (seq: Seq) => void;
}

/** One try of one message. */
interface Try {
  departing: Departing;
  /** Those that are tried. */
  recipients: RecipientRow[];
}

/**
 * Hands messages over, again and again until every recipient's host has taken or refused them, as `outbound/ledger` says. A
 * try is written down before it is made, and the end of a message is written down before it is said: so a death in between
 * repeats what was certainly not taken, and calls unknown what may have been.
 */
export class OutboxPump {
  readonly #tools: OutboxTools;
  readonly #underWay = new Map<Seq, AbortController>();
  #pumpedAt = 0;
  #faultyUntil = 0;
  /** Whether what an earlier process left under way was seen to. */
  #released = false;
  #closed = false;

  constructor(tools: OutboxTools) {
    this.#tools = tools;
  }

  /** When the alarm must ring, in ms since 1970; null = for nothing. What is due waits for the end of one under way. */
  due(nowMs: number): number | null {
    if (!this.#mayWork(nowMs)) return null;
    const after = this.#underWay.size > 0 ? Math.min(this.#pumpedAt, nowMs) : -1;
    const due = this.#tools.outbox.nextDue(after);
    return due === null ? null : Math.max(due, this.#faultyUntil);
  }

  /** Starts what is due. Never throws, and returns before any of it has ended. */
  pump(nowMs: number): void {
    if (!this.#mayWork(nowMs) || nowMs < this.#faultyUntil) return;
    this.#pumpedAt = nowMs;
    try {
      while (this.#underWay.size < MAX_AT_ONCE) {
        // Looked for anew each time: what has begun is due no more.
        const due = this.#tools.outbox.due(nowMs, MAX_AT_ONCE + this.#underWay.size);
        const seq = due.find((one) => !this.#underWay.has(one));
        if (seq === undefined) return;
        const begun = this.#begin(seq, nowMs);
        if (begun !== null) void this.#send(begun);
      }
    } catch (error) {
      this.#fault(error);
    }
  }

  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#underWay.values()) controller.abort();
  }

  #mayWork(nowMs: number): boolean {
    const account = this.#tools.account();
    if (this.#closed || account?.row.status !== "active" || !account.isLive(nowMs)) return false;
    // What was accepted before waits until the deployment sends again.
    if (this.#tools.config().outbound === "none") return false;
    // There is one instance of an actor at a time: no try of an earlier one goes on.
    if (!this.#released) this.#tools.outbox.release();
    this.#released = true;
    return true;
  }

  #fault(error: unknown): void {
    console.error("Messages on their way out are looked at again later:", error);
    this.#faultyUntil = Date.now() + FAULT_PAUSE_MS;
    this.#tools.clock.atLatest(this.#faultyUntil);
  }

  /** One try of one message, which is written down; never rejects. */
  async #send(begun: Try): Promise<void> {
    const { seq } = begun.departing;
    const controller = new AbortController();
    this.#underWay.set(seq, controller);
    try {
      await this.#tools.durable();
      const results = await this.#handOver(begun, controller.signal);
      if (!this.#closed) this.#settle(begun, results, Date.now());
    } catch (error) {
      if (!this.#closed) this.#fault(error);
    } finally {
      this.#underWay.delete(seq);
      this.pump(Date.now());
    }
  }

  /** Writes down that a message is tried; null if there is nothing to try. */
  #begin(seq: Seq, nowMs: number): Try | null {
    const { outbox, clock } = this.#tools;
    const begun = this.#tools.commit(() => {
      const departing = outbox.find(seq);
      if (departing === null) return null;
      const recipients = outbox.recipients(seq);
      // Left over from a process that died in the middle of a try.
      for (const recipient of recipients) this.#move(recipient, afterDeath(recipient.state), null, nowMs);
      const tried = recipients.filter(({ state }) => state === "queued");
      outbox.showStatus(seq, recipients);
      if (tried.length === 0) {
        outbox.plan(seq, { tries: departing.tries, dueAt: null, toldSent: departing.toldSent });
        return null;
      }
      for (const recipient of tried) this.#move(recipient, "handing", recipient.diagnostic, nowMs);
      const tries = departing.tries + 1;
      outbox.plan(seq, { tries, dueAt: nowMs + LEASE_MS, toldSent: departing.toldSent });
      return { departing: { ...departing, tries }, recipients: tried };
    });
    if (begun === null) this.#tools.moved(seq);
    else clock.atLatest(nowMs + LEASE_MS);
    return begun;
  }

  #move(recipient: RecipientRow, state: RecipientState, diagnostic: string | null, nowMs: number): void {
    const { outbox } = this.#tools;
    if (state !== recipient.state) outbox.move(recipient, state, diagnostic ?? recipient.diagnostic, nowMs);
  }

  /** Hands a message to whoever carries it to each recipient. */
  async #handOver(
    { departing, recipients }: Try,
    signal: AbortSignal,
  ): Promise<Map<string, RecipientResult>> {
    const { inside, outside } = this.#tools;
    const signed = await this.#signed(departing);
    const sizeBytes = departingBytes(signed);
    const parts: [Transport | null, RecipientRow[]][] = [
      [inside, recipients.filter((recipient) => this.#isInside(recipient))],
      [outside(), recipients.filter((recipient) => !this.#isInside(recipient))],
    ];
    const results: RecipientResult[] = [];
    for (const [transport, rows] of parts) {
      if (rows.length === 0) continue;
      const mail = this.#mailFor(signed, rows, sizeBytes);
      results.push(...(transport === null ? keptOnly(mail) : await transport.send(mail, signal)));
    }
    return new Map(results.map((result) => [result.recipient, result]));
  }

  /** The message with its signature, which is made once. */
  async #signed(departing: Departing): Promise<Departing> {
    const { dkim } = this.#tools.config();
    if (dkim === null || departing.signature !== "") return departing;
    const unsigned = composeMessage(departing.message, opener(departing, this.#tools.openFile));
    const signature = await dkimSignature(unsigned, dkim);
    this.#tools.outbox.sign(departing.seq, signature);
    return { ...departing, signature };
  }

  #mailFor(departing: Departing, rows: readonly RecipientRow[], sizeBytes: number): OutboundMail {
    return {
      returnPath: departing.returnPath,
      fromAddress: departing.message.from.address,
      recipients: rows.map(({ address }) => address),
      envelopeId: departing.message.messageId.slice(1, -1),
      needsSmtpUtf8: departing.needsSmtpUtf8,
      sizeBytes,
      open: () => composedStream(departing, this.#tools.openFile),
      beforeEnd: async () => {
        if (this.#closed) throw new Error("The mailbox has ended");
        const nowMs = Date.now();
        this.#tools.commit(() => {
          for (const row of rows) this.#move(row, "ending", row.diagnostic, nowMs);
        });
        await this.#tools.durable();
      },
    };
  }

  /** Writes down what came of a try, and when the next one is. */
  #settle({ departing, recipients }: Try, results: Map<string, RecipientResult>, nowMs: number): void {
    const { outbox, clock } = this.#tools;
    const { seq, tries } = departing;
    const events = this.#tools.commit(() => {
      const account = this.#tools.account();
      // Its owner has erased it meanwhile.
      if (account === null || outbox.find(seq) === null) return [];
      const kinds = recipients.flatMap((recipient) => {
        const told = this.#conclude(recipient, results.get(recipient.address) ?? UNANSWERED, tries, nowMs);
        return told.map((kind) => ({ kind, recipient, nowMs }));
      });
      const firstSent = departing.toldSent ? -1 : kinds.findIndex(({ kind }) => kind === "message.sent");
      const told = kinds.filter(({ kind }, index) => kind !== "message.sent" || index === firstSent);
      const all = outbox.recipients(seq);
      const dueAt = all.some(({ state }) => state === "queued") ? nextTryAt(tries, nowMs) : null;
      outbox.plan(seq, { tries, dueAt, toldSent: departing.toldSent || firstSent !== -1 });
      outbox.showStatus(seq, all);
      if (dueAt !== null) clock.atLatest(dueAt);
      return told.map((what) => logOutgoing(this.#tools, account, what));
    });
    this.#tools.tell(events);
    this.#tools.moved(seq);
  }

  /** Moves a recipient on by what came of its try; answers what the log tells of it. */
  #conclude(recipient: RecipientRow, said: Said, tries: number, nowMs: number): EventKind[] {
    const { outbox } = this.#tools;
    const step = afterTry(recipient.state, said.result, tries);
    this.#move(recipient, step.state, said.diagnostic, nowMs);
    if (said.providerId !== null) outbox.nameAs(recipient, said.providerId);
    // What was refused for the message's sake says nothing against the address.
    if (step.state === "bounced" && said.aboutRecipient) {
      outbox.suppress(recipient.address, "bounce", { seq: recipient.seq, nowMs });
    }
    const kinds = step.event === null ? [] : [step.event];
    // Who took it inside the deployment is the recipient's own mailbox.
    if (step.state !== "sent" || !this.#isInside(recipient)) return kinds;
    const arrived = afterReport(step.state, "delivered");
    this.#move(recipient, arrived.state, said.diagnostic, nowMs);
    return arrived.event === null ? kinds : [...kinds, arrived.event];
  }

  #isInside({ address }: RecipientRow): boolean {
    return address.toLowerCase().endsWith(`@${this.#tools.config().mailDomain}`);
  }
}

type Said = Pick<RecipientResult, "result" | "diagnostic" | "aboutRecipient" | "providerId">;

/** A transport that says nothing of a recipient. */
const UNANSWERED: Said = {
  result: { kind: "unanswered" },
  diagnostic: "The transport gave no answer",
  aboutRecipient: false,
  providerId: null,
};

/**
 * While a peer takes bytes as fast as they are composed, the runtime never waits, and so never looks at what else came in:
 * no request of any mailbox would be read until the message is through.
 */
const BREATH_BYTES = 98_304;

/** Opens an upload from its first byte. */
export type OpenFile = (upload: string) => Promise<ReadableStream<Uint8Array>>;

/** The bytes of a message, the same at each call. */
export function composedStream(departing: Composable, openFile: OpenFile): ReadableStream<Uint8Array> {
  const composed = composeMessage(departing.message, opener(departing, openFile));
  return streamOf(departing.signature === "" ? composed : withFields(departing.signature, composed));
}

/** How many bytes `composedStream` gives. */
export function departingBytes({ message, signature }: Composable): number {
  return Buffer.byteLength(signature) + composedBytes(message);
}

type Composable = Pick<Departing, "message" | "uploads" | "signature">;

function opener({ uploads }: Pick<Departing, "uploads">, openFile: OpenFile): OpenAttachment {
  return (index) => openFile(uploads[index] ?? "");
}

/** `Readable.toWeb` has a type of Node's own, which is not the runtime's. */
function streamOf(composed: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = composed[Symbol.asyncIterator]();
  let sinceBreath = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sinceBreath >= BREATH_BYTES) {
        sinceBreath = 0;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      const next = await chunks.next();
      if (next.done === true) return controller.close();
      sinceBreath += next.value.byteLength;
      controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

/** Writes what happened to a message of ours into the log, and plans its webhooks; within one transaction. */
export function logOutgoing(
  { db, enqueue }: Pick<OutboxTools, "db" | "enqueue">,
  account: Account,
  what: { kind: EventKind; recipient: RecipientRow; nowMs: number },
): LoggedEvent {
  const { kind, recipient, nowMs } = what;
  const row = db.first(statements.FIND_EMAIL, recipient.seq);
  if (row === null) throw new Error("A message on its way out is not where it was put");
  const { from_address, subject, has_attachments, attachment_count } = listingOf(row);
  const data: LoggedData = {
    event: kind,
    email_id: idOf(row.seq, account.idTail),
    mailbox: account.row.address,
    from: from_address,
    subject,
    received_at: new Date(nowMs).toISOString(),
    thread_id: idOf(row.thread, account.idTail),
    labels: JSON.parse(row.labels) as string[],
    has_attachments,
    message_id: (JSON.parse(row.detail) as { message_id: string }).message_id,
    attachment_count,
    ...(kind === "message.sent"
      ? {}
      : {
          recipient: recipient.address,
          status: shownState(recipient.state),
          diagnostic: recipient.diagnostic,
        }),
  };
  const event = append(db, account, { kind, at: nowMs, data });
  db.run(statements.KEEP_LAST_EVENT, account.row.last_event);
  enqueue(account, event, nowMs);
  return event;
}

/** What a deployment without a way out does with mail that would leave it: keeps it, to be looked at. */
function keptOnly(mail: OutboundMail): RecipientResult[] {
  return mail.recipients.map((recipient) => ({
    recipient,
    result: { kind: "taken" },
    code: null,
    enhancedCode: null,
    diagnostic: "Kept here: this deployment has no way out (OUTBOUND=local)",
    aboutRecipient: false,
    providerId: null,
  }));
}
