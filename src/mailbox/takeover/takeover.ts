import type { KeptMail } from "../../contract/claim.ts";
import type { Answer, Problem } from "../../contract/problem.ts";
import type { MailboxRules } from "../../contract/rules.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Arriving } from "../../service/arriving.ts";
import type { MailboxContext } from "../context.ts";
import { writeCursor } from "../page.ts";
import type { TotpRow } from "../totp/rows.ts";
import type { TotpSecrets } from "../totp/totp.ts";
import { Drain, type Job } from "../job.ts";
import type { ReceiveRules } from "../rules/receive-rules.ts";
import type { InboundMessage, InboundPage } from "../messages/reindex.ts";
import * as rows from "./rows.ts";
import type { TakeoverRow } from "./rows.ts";
import { TAKEOVER } from "./schema.ts";

/** The temporary mailbox whose mail is taken over, and the digest of its key. */
export interface TakenMailbox {
  from: string;
  secretHash: string;
}

/** Data of a copied message from the temporary mailbox. */
export interface TakenMessage {
  /** The seq of the message in the temporary mailbox. Messages are copied in this order, each once. */
  position: Seq;
  receivedAt: number;
  codeTaken: boolean;
}

/** Reads the temporary mailbox. */
export interface TakeoverSource {
  /** Who may write to it. */
  rules(): Promise<Answer<MailboxRules>>;
  /** Its messages, oldest first. */
  page(cursor: string | null): Promise<Answer<InboundPage>>;
  /** A message. */
  raw(id: string): Promise<Answer<Arriving>>;
  /** The secrets of its second factors, encrypted. */
  secrets(): Promise<Answer<TotpRow[]>>;
  /** Keeps the temporary mailbox from expiring for a while. */
  hold(): Promise<unknown>;
}

/** Everything that copying mail needs, besides the mailbox. */
export interface TakeoverTools {
  sourceOf: (mailbox: TakenMailbox) => TakeoverSource;
  /** Gives a message to this mailbox, like mail that arrives. */
  receive: (
    raw: Arriving,
    message: Pick<InboundMessage, "metadata" | "authentication">,
    taken: TakenMessage,
  ) => Promise<Answer<unknown>>;
}

/** Capabilities of this mailbox that take over data of the other mailbox besides mail. */
interface Receivers {
  receiveRules: Pick<ReceiveRules, "adopt">;
  totp: Pick<TotpSecrets, "takeOver">;
}

/** The lease of a copy, and the delay after a failure, in ms. */
const RETRY_MS = 30_000;
/** The delay while this mailbox is full, in ms: somebody must first make room. */
const FULL_RETRY_MS = 600_000;

/** How a copy ends: nothing is left, or this mailbox has no room for the next message, which stays in the temporary one. */
type End = "done" | "full";

/**
 * Copies the mail and the secrets of a temporary mailbox into the permanent one that replaces it. One transaction stores a message and the
 * progress, so that an interrupted copy continues by alarm, and no message is lost or copied twice. The temporary mailbox
 * is not changed and expires later; while this mailbox is full, it is kept from expiring for some weeks.
 */
export class Takeover implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #tools: TakeoverTools;
  readonly #receivers: Receivers;
  readonly #drain: Drain<TakeoverRow>;

  constructor(context: MailboxContext, tools: TakeoverTools, receivers: Receivers) {
    this.#context = context;
    this.#receivers = receivers;
    this.#tables = context.tables(TAKEOVER);
    this.#tools = tools;
    this.#drain = new Drain<TakeoverRow>(
      context,
      {
        nextDue: (afterMs) => {
          const due = this.#row()?.due_at ?? null;
          return due !== null && due > afterMs ? due : null;
        },
        claim: (nowMs) => this.#claim(nowMs),
        renew: (_, nowMs) => void this.#claim(nowMs),
        attempt: (row, signal) => this.#attempt(row, signal),
      },
      { name: "Takeover", maxAtOnce: 1, heartbeatMs: null, pauseMs: () => RETRY_MS },
    );
  }

  /** Plans the copy, within the transaction that creates the mailbox. */
  begin({ from, secretHash }: TakenMailbox, nowMs: number): void {
    this.#tables.run(rows.INSERT, from, secretHash, nowMs);
  }

  dues(nowMs: number): number[] {
    return this.#drain.dues(nowMs);
  }

  pump(nowMs: number): void {
    this.#drain.pump(nowMs);
  }

  close(): void {
    this.#drain.close();
  }

  /** Stores that a message was copied, within the transaction that stores the message; false if it was copied before. */
  advance(position: Seq): boolean {
    const row = this.#row();
    if (row === null || position <= row.position) return false;
    this.#tables.run(rows.ADVANCE, position);
    return true;
  }

  /** The progress of the copy; null if this mailbox replaces no temporary one. */
  progress(): KeptMail | null {
    const row = this.#row();
    if (row === null) return null;
    const { address, messages, due_at, problem } = row;
    return {
      from: address,
      messages,
      done: due_at === null,
      ...(problem === null ? {} : { error: problem }),
    };
  }

  #row(): TakeoverRow | null {
    return this.#context.account() === null ? null : this.#tables.first(rows.READ);
  }

  /** Takes a lease if the row is due. */
  #claim(nowMs: number): TakeoverRow[] {
    const row = this.#row();
    if (row === null || row.due_at === null || row.due_at > nowMs) return [];
    this.#setDue(nowMs + RETRY_MS);
    return [row];
  }

  #setDue(dueAt: number | null): void {
    this.#tables.run(rows.SET_DUE, dueAt);
    if (dueAt !== null) this.#context.clock.atLatest(dueAt);
  }

  async #attempt(row: TakeoverRow, signal: AbortSignal): Promise<void> {
    try {
      const end = await this.#run(row, signal);
      if (!signal.aborted) this.#setDue(end === "done" ? null : this.#context.now() + FULL_RETRY_MS);
    } catch (error) {
      // The lease delays the next attempt.
      console.error("Mail of a temporary mailbox could not be copied; the copy continues later:", error);
    } finally {
      if (!signal.aborted) this.#context.rearm();
    }
  }

  /** Copies the rules and the secrets of second factors unless they were copied, then the messages that are left. */
  async #run(row: TakeoverRow, signal: AbortSignal): Promise<End> {
    const source = this.#tools.sourceOf({ from: row.address, secretHash: row.secret_hash });
    if (row.position === 0) {
      const rules = await source.rules();
      if (!rules.ok) return endOf(rules.error);
      if (signal.aborted) return "done";
      this.#receivers.receiveRules.adopt(rules.value);
      const secrets = await source.secrets();
      if (!secrets.ok) return endOf(secrets.error);
      await this.#receivers.totp.takeOver(row.address, secrets.value, signal);
    }
    let cursor = row.position === 0 ? null : writeCursor(row.position);
    do {
      const page = await source.page(cursor);
      if (!page.ok) return endOf(page.error);
      for (const message of page.value.messages) {
        const end = await this.#copy(source, message, signal);
        if (end !== null) return end;
        // Lets other calls run: calls between objects of one process would not, until the last message is copied.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      cursor = page.value.nextCursor;
    } while (cursor !== null);
    return "done";
  }

  /** Copies one message; null if the next one can follow. */
  async #copy(source: TakeoverSource, message: InboundMessage, signal: AbortSignal): Promise<End | null> {
    if (signal.aborted) return "done";
    const raw = await source.raw(message.id);
    if (signal.aborted) return "done";
    // The message was deleted after the page was read.
    if (!raw.ok) return raw.error.code === "not_found" ? null : endOf(raw.error);
    const { seq: position, receivedAt, codeTaken } = message;
    const taken = { position, receivedAt, codeTaken };
    const received = await this.#tools.receive(raw.value, message, taken);
    if (received.ok) return null;
    if (received.error.code !== "mailbox_full") return "done";
    if (signal.aborted) return "full";
    this.#tables.run(rows.SET_PROBLEM, `${received.error.error}: delete mail, or have its quota raised`);
    await source.hold();
    return "full";
  }
}

/**
 * The end of a copy after a refusal: `done` if the temporary mailbox has expired or was deleted. Throws for other refusals,
 * after which the copy is retried.
 */
function endOf({ code, error }: Problem): End {
  if (code === "unauthorized" || code === "not_found") return "done";
  throw new Error(`The temporary mailbox does not answer: ${error}`);
}
