import { inTime } from "../blobs/bucket-call.ts";
import { locatorOf } from "../contract/key.ts";
import type { Problem } from "../contract/problem.ts";
import type { KeptMail } from "../contract/claim.ts";
import { ANYONE } from "../contract/scope.ts";
import type { Config } from "../config/env.ts";
import { blobsForReading } from "../service/blob-choice.ts";
import { mailboxAt, type MailboxStub } from "../service/mailbox-stub.ts";
import { receiveKept } from "../service/receive.ts";
import type { Seq } from "../lib/ids.ts";
import type { Database, Query } from "../lib/sql.ts";
import { envelopeOf } from "../mail/prepare.ts";
import type { Access } from "./access.ts";
import type { Account } from "./account.ts";
import { writeCursor } from "./cursor.ts";
import type { RawSource } from "./reading.ts";
import type { StaleMessage } from "./reindex.ts";

/** The temporary mailbox whose mail is taken over, and the digest of its key. */
export interface KeptMailbox {
  from: string;
  secretHash: string;
}

/** Where a message lay that is taken over. */
export interface KeptMessage {
  /** There; each is taken once, in this order. */
  position: Seq;
  receivedAt: number;
  codeTaken: boolean;
}

type TakeOverRow = {
  address: string;
  secret_hash: string;
  /** The last message that is here; 0 = none. */
  position: Seq;
  messages: number;
  /** When it goes on, in ms since 1970; null = done. */
  due_at: number | null;
  /** Why the next message is not here; null = nothing is wrong. */
  problem: string | null;
};

const INSERT: Query<never, [address: string, secretHash: string, dueAt: number]> = {
  text: "INSERT INTO take_over (id, address, secret_hash, due_at) VALUES (1, ?, ?, ?)",
};
const READ: Query<TakeOverRow, []> = {
  text: "SELECT address, secret_hash, position, messages, due_at, problem FROM take_over",
};
const ADVANCE: Query<never, [position: Seq]> = {
  text: "UPDATE take_over SET position = ?, messages = messages + 1, problem = NULL",
};
const SET_DUE: Query<never, [dueAt: number | null]> = { text: "UPDATE take_over SET due_at = ?" };

const SET_PROBLEM: Query<never, [problem: string]> = { text: "UPDATE take_over SET problem = ?" };

/** After a failure, or the end of the process that was at it. */
const RETRY_MS = 30_000;
/** Where this mailbox has no room, somebody has to make some. */
const FULL_RETRY_MS = 600_000;
const PAGE_MESSAGES = 20;

/** What taking over needs of the mailbox that does. */
interface Tools {
  db: Database;
  env: Env;
  config: () => Config;
  account: () => Account | null;
  rearm: () => void;
}

/**
 * Copies the mail of the temporary mailbox that a person let become this one. A message and the note that it is here are one
 * transaction, so it may be broken off and goes on by alarm: nothing is lost and nothing comes twice. The temporary mailbox
 * stays as it is until it expires, and does not expire for some weeks while this one has no room for its mail.
 */
export class TakeOver {
  readonly #tools: Tools;
  #isRunning = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Within the transaction that makes the mailbox. */
  begin({ from, secretHash }: KeptMailbox, nowMs: number): void {
    this.#tools.db.run(INSERT, from, secretHash, nowMs);
  }

  /** When it goes on; null when there is nothing to do. */
  due(): number | null {
    return this.#row()?.due_at ?? null;
  }

  /** Goes on, if it is due and not at it. */
  pump(nowMs: number): void {
    const row = this.#row();
    if (row === null || row.due_at === null || row.due_at > nowMs) return;
    // While it is at it, too: what stays due would ring the alarm again at once.
    this.#setDue(nowMs + RETRY_MS);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run(row)
      .then((end) => this.#setDue(end === "done" ? null : Date.now() + FULL_RETRY_MS))
      .catch((error: unknown) => console.error("Mail could not be taken over and is tried again:", error))
      .finally(() => {
        this.#isRunning = false;
        this.#tools.rearm();
      });
  }

  /** Notes within its transaction that a message is here; false if it was before. */
  advance(position: Seq): boolean {
    const row = this.#row();
    if (row === null || position <= row.position) return false;
    this.#tools.db.run(ADVANCE, position);
    return true;
  }

  /** How far it is; null where no mail comes from anywhere. */
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

  #row(): TakeOverRow | null {
    return this.#tools.account() === null ? null : this.#tools.db.first(READ);
  }

  #setProblem(problem: string): void {
    if (this.#tools.account() !== null) this.#tools.db.run(SET_PROBLEM, problem);
  }

  #setDue(dueAt: number | null): void {
    if (this.#tools.account() !== null) this.#tools.db.run(SET_DUE, dueAt);
  }

  /** Copies what is left; `full` where this mailbox has no room for the next message, which waits there. */
  async #run(row: TakeOverRow): Promise<"done" | "full"> {
    const access: Access = {
      credential: { kind: "key", secretHash: row.secret_hash },
      scopes: ANYONE,
      foreign: false,
      whilePaused: true,
      fault: null,
      upgradeUrl: "",
    };
    const source = { mailbox: mailboxAt(this.#tools.env, row.address), access };
    let cursor = row.position === 0 ? null : writeCursor(row.position);
    do {
      const page = await source.mailbox.stale(access, { cursor, limit: PAGE_MESSAGES });
      if (!page.ok) return endOf(page.error);
      for (const message of page.value.messages) {
        const kept = await this.#keep(source, message);
        if (kept !== "kept") return kept;
        // Else nobody is answered until the last message is here: calls within one process leave no turn to others.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      cursor = page.value.nextCursor;
    } while (cursor !== null);
    return "done";
  }

  /** Copies one message; `done` when nothing more can be. */
  async #keep(
    source: { mailbox: MailboxStub; access: Access },
    message: StaleMessage,
  ): Promise<"kept" | "full" | "done"> {
    const { env, account, config } = this.#tools;
    const row = account()?.row;
    if (row === undefined) return "done";
    const raw = await source.mailbox.raw(source.access, message.id);
    // Deleted there since the page was read.
    if (!raw.ok) return raw.error.code === "not_found" ? "kept" : endOf(raw.error);
    const mail = {
      raw: await this.#bytesOf(source.mailbox, raw.value),
      envelope: envelopeOf(message.metadata),
      authservId: config().authservId,
    };
    const { seq: position, receivedAt, codeTaken } = message;
    const to = { env, locator: locatorOf(row.address), kept: { position, receivedAt, codeTaken } };
    const received = await receiveKept(mail, to);
    if (received.ok) return "kept";
    if (received.error.code !== "mailbox_full") return "done";
    this.#setProblem(`${received.error.error}: delete mail, or have its quota raised`);
    await source.mailbox.hold(source.access);
    return "full";
  }

  async #bytesOf(mailbox: MailboxStub, source: RawSource): Promise<Uint8Array> {
    if (source.bytes !== null) return new Uint8Array(source.bytes);
    const { key } = source;
    const stream =
      source.stream ?? (key === null ? null : await blobsForReading(this.#tools.env, mailbox, key).get(key));
    if (!stream) throw new Error("A message that is taken over cannot be read");
    return new Uint8Array(await inTime(new Response(stream).arrayBuffer()));
  }
}

/** The temporary mailbox has expired or was deleted: what is here is all there is. Throws where it refuses for now alone. */
function endOf({ code, error }: Problem): "done" {
  if (code === "unauthorized" || code === "not_found") return "done";
  throw new Error(`The temporary mailbox does not answer: ${error}`);
}
