import type { KeptMail } from "../../contract/claim.ts";
import type { Metadata } from "../../contract/message.ts";
import type { Answer, Problem } from "../../contract/problem.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { MailboxContext } from "../context.ts";
import { writeCursor } from "../page.ts";
import { Drain, type Job } from "../job.ts";
import type { InboundMessage, InboundPage } from "../messages/reindex.ts";
import * as rows from "./rows.ts";
import type { TakeoverRow } from "./rows.ts";
import { TAKEOVER } from "./schema.ts";

/** The temporary mailbox whose mail is taken over, and the digest of its key. */
export interface TakenMailbox {
  from: string;
  secretHash: string;
}

/** Where a message lay that is taken over. */
export interface TakenMessage {
  /** There; each is taken once, in this order. */
  position: Seq;
  receivedAt: number;
  codeTaken: boolean;
}

/** The temporary mailbox, as it is read. */
export interface TakeoverSource {
  /** Its messages, oldest first. */
  page(cursor: string | null): Promise<Answer<InboundPage>>;
  /** The bytes of a message. Throws where they cannot be read now. */
  raw(id: string): Promise<Answer<Uint8Array>>;
  /** Keeps it alive for a while. */
  hold(): Promise<unknown>;
}

/** Everything that it takes to copy mail, beside the mailbox. */
export interface TakeoverTools {
  sourceOf: (mailbox: TakenMailbox) => TakeoverSource;
  /** Hands a message to this mailbox, as mail that arrives. */
  receive: (raw: Uint8Array, metadata: Metadata, taken: TakenMessage) => Promise<Answer<unknown>>;
}

/** After a failure, or the end of the process in the middle of it. */
const RETRY_MS = 30_000;
/** Where this mailbox has no room, somebody has to make some. */
const FULL_RETRY_MS = 600_000;

/** The outcome of copying: nothing more comes, or there is no room for the next message, which waits there. */
type End = "done" | "full";

/**
 * Copies the mail of the temporary mailbox that a person let become this one. A message and the note that it is here are one
 * transaction, so copying may be broken off and goes on by alarm: nothing is lost and nothing comes twice. The temporary mailbox
 * stays as it is until it expires, and does not expire for some weeks while this one has no room for its mail.
 */
export class Takeover implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #tools: TakeoverTools;
  readonly #drain: Drain<TakeoverRow>;

  constructor(context: MailboxContext, tools: TakeoverTools) {
    this.#context = context;
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

  /** Within the transaction that makes the mailbox. */
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

  /** Notes within its transaction that a message is here; false if it was before. */
  advance(position: Seq): boolean {
    const row = this.#row();
    if (row === null || position <= row.position) return false;
    this.#tables.run(rows.ADVANCE, position);
    return true;
  }

  /** How far the mail of the temporary mailbox is that became this one; null where there is none. */
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
      // Its lease is the pause.
      console.error("Mail could not be taken over and is tried again:", error);
    } finally {
      if (!signal.aborted) this.#context.rearm();
    }
  }

  /** Copies what is left. */
  async #run(row: TakeoverRow, signal: AbortSignal): Promise<End> {
    const source = this.#tools.sourceOf({ from: row.address, secretHash: row.secret_hash });
    let cursor = row.position === 0 ? null : writeCursor(row.position);
    do {
      const page = await source.page(cursor);
      if (!page.ok) return endOf(page.error);
      for (const message of page.value.messages) {
        const end = await this.#copy(source, message, signal);
        if (end !== null) return end;
        // Else nobody is answered until the last message is here: calls within one process leave no turn to others.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      cursor = page.value.nextCursor;
    } while (cursor !== null);
    return "done";
  }

  /** Copies one message; null when the next can follow. */
  async #copy(source: TakeoverSource, message: InboundMessage, signal: AbortSignal): Promise<End | null> {
    if (signal.aborted) return "done";
    const raw = await source.raw(message.id);
    if (signal.aborted) return "done";
    // Deleted there since the page was read.
    if (!raw.ok) return raw.error.code === "not_found" ? null : endOf(raw.error);
    const { seq: position, receivedAt, codeTaken } = message;
    const taken = { position, receivedAt, codeTaken };
    const received = await this.#tools.receive(raw.value, message.metadata, taken);
    if (received.ok) return null;
    if (received.error.code !== "mailbox_full") return "done";
    if (signal.aborted) return "full";
    this.#tables.run(rows.SET_PROBLEM, `${received.error.error}: delete mail, or have its quota raised`);
    await source.hold();
    return "full";
  }
}

/** The temporary mailbox has expired or was deleted: what is here is all there is. Throws where it refuses for now alone. */
function endOf({ code, error }: Problem): End {
  if (code === "unauthorized" || code === "not_found") return "done";
  throw new Error(`The temporary mailbox does not answer: ${error}`);
}
