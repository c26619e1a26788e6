import type { Answer } from "../contract/problem.ts";
import { GroupCommit } from "../lib/group-commit.ts";
import { idOf } from "../lib/ids.ts";
import { done } from "../lib/outcome.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Account } from "./account.ts";
import { takeCode } from "./codes.ts";
import { ORPHAN_AFTER_MS } from "./erasure.ts";
import { fileReport, ingest, type Ingested } from "./ingest.ts";
import type { LoggedEvent } from "./log.ts";
import { countFitting } from "./reading.ts";
import { applyReport } from "./reports.ts";
import * as statements from "./statements.ts";
import type { KeptMessage } from "./take-over.ts";
import { MailboxUpkeep } from "./upkeep.ts";

/** Messages that one transaction takes: it blocks the mailbox for some milliseconds. */
const MAX_GROUP_MESSAGES = 32;
/** And their bytes: should it fail, all of them are written again, one by one. */
const MAX_GROUP_BYTES = 2_000_000;

/**
 * Mail that is in memory until it is stored, of the 128 MB that an isolate has: 30 of the largest that lie in a row, or some two
 * thousand small ones. Where a flood brings more than the disk takes, its senders come again.
 */
const MAX_HELD_BYTES = 32_000_000;
/** What a message takes there beside its texts. */
const HELD_OVERHEAD_BYTES = 8_000;

/** A message that is safely stored. */
export interface Received {
  id: string;
  duplicate: boolean;
}

/** A message that came. `kept`: it arrived at a mailbox that this one takes over. */
interface Receipt {
  mail: PreparedMail;
  kept: KeptMessage | null;
}

/** What a receipt wrote, and the news that it makes. */
interface Written {
  account: Account;
  ingested: Ingested;
  events: LoggedEvent[];
}

/** How mail comes in. */
export abstract class MailboxReceiving extends MailboxUpkeep {
  readonly #receipts = new GroupCommit<Receipt, Answer<Written>>({
    durable: () => this.ctx.storage.sync(),
    maxAtOnce: MAX_GROUP_MESSAGES,
    countFitting: (receipts) => this.#countFitting(receipts),
    commit: (receipts) => this.#commitAll(receipts),
  });
  #heldBytes = 0;

  /** Makes room for a large message whose blobs are written next; those that no message comes to name are erased. */
  async reserve(keys: readonly string[], sizeBytes: number): Promise<Answer<null>> {
    const now = Date.now();
    const room = this.roomFor(sizeBytes, now);
    if (!room.ok) return room;
    this.db.transaction(() => {
      for (const key of keys) this.db.run(statements.PLAN_ERASURE, key, now + ORPHAN_AFTER_MS);
    });
    await this.arm();
    return done(null);
  }

  /**
   * Stores a message with all that follows from it, then tells whoever waits. Answered only when it is on disk; throws where
   * trying again may help. `kept`: it arrived at a mailbox that this one takes over.
   */
  async receive(mail: PreparedMail, kept: KeptMessage | null = null): Promise<Answer<Received>> {
    const written = await this.#stored({ mail, kept });
    if (!written.ok) return written;
    const { account, ingested, events } = written.value;
    this.tell(events);
    const received = (seq: number, duplicate: boolean) => done({ id: idOf(seq, account.idTail), duplicate });
    if (ingested.kind !== "stored") return received(ingested.seq, ingested.kind === "duplicate");
    const now = Date.now();
    this.jobs.embeddings.stored(now);
    const { message } = ingested;
    // Where it lay before, its code may have been handed out.
    const isFree = kept?.codeTaken !== true && this.codeWaiters.size > 0;
    if (isFree && this.codeWaiters.publish(message)) takeCode(this.db, message.seq, now);
    return received(message.seq, false);
  }

  /** Resolves when the message is stored with those that came together with it. One is always taken. */
  async #stored(receipt: Receipt): Promise<Answer<Written>> {
    const bytes = heldBytes(receipt.mail);
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > MAX_HELD_BYTES)
      throw new Error("More mail comes than can be stored");
    this.#heldBytes += bytes;
    try {
      return await this.#receipts.add(receipt);
    } finally {
      this.#heldBytes -= bytes;
    }
  }

  /** No more than there is room for: whether the next one has any shows when these are stored. */
  #countFitting(receipts: readonly Receipt[]): number {
    const account = this.live(Date.now());
    if (account === null) return receipts.length;
    const sizes = receipts.map(({ mail }) => mail.sizeBytes);
    return countFitting(sizes, Math.min(MAX_GROUP_BYTES, this.roomLeft(account)));
  }

  #commitAll(receipts: readonly Receipt[]): Answer<Written>[] {
    const now = Date.now();
    // Before the transaction: a mailbox that is found to be over is closed by one of its own.
    const judged = receipts.map((receipt) => ({ receipt, room: this.roomFor(receipt.mail.sizeBytes, now) }));
    return this.commit(() =>
      judged.map(({ receipt, room }) => (room.ok ? done(this.#write(room.value, receipt, now)) : room)),
    );
  }

  #write(account: Account, { mail, kept }: Receipt, now: number): Written {
    const written = kept === null ? this.#take(account, mail, now) : this.#takeKept(account, mail, kept);
    return { account, ...written };
  }

  /** Writes what arrived: a report about a message of ours where it is one, else mail. */
  #take(account: Account, mail: PreparedMail, now: number): Omit<Written, "account"> {
    const news = mail.report === null ? null : applyReport(this.reportTools, account, mail.report, now);
    if (news !== null) return { ingested: fileReport(this.db, account, mail, now), events: news };
    const ingested = ingest(this.db, account, mail, now);
    if (ingested.kind === "duplicate") return { ingested, events: [] };
    this.jobs.webhooks.enqueue(account, ingested.event, now);
    return { ingested, events: [ingested.event] };
  }

  /** Writes what arrived elsewhere, at the time it did, unless it is here already. Reports are of no message of ours. */
  #takeKept(account: Account, mail: PreparedMail, kept: KeptMessage): Omit<Written, "account"> {
    const ingested: Ingested = this.jobs.takeOver.advance(kept.position)
      ? ingest(this.db, account, mail, kept.receivedAt)
      : { kind: "duplicate", seq: account.row.last_seq };
    if (ingested.kind !== "stored") return { ingested, events: [] };
    if (kept.codeTaken) takeCode(this.db, ingested.message.seq, kept.receivedAt);
    this.jobs.webhooks.enqueue(account, ingested.event, Date.now());
    return { ingested, events: [ingested.event] };
  }
}

/** About what a message takes in memory. */
function heldBytes({ raw, body, search }: PreparedMail): number {
  // The texts of attachments stand in the search row and beside the attachments.
  const texts = (body?.length ?? 0) + search.body.length + 2 * search.attachments.length;
  return HELD_OVERHEAD_BYTES + (raw?.byteLength ?? 0) + texts;
}
