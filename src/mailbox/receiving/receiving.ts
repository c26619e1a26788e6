import {
  NOT_STORED,
  notFound,
  refusedByRules,
  UNKNOWN_MAILBOX,
  type Answer,
} from "../../contract/problem.ts";
import { GroupCommit } from "../../lib/group-commit.ts";
import { idOf, seqTime, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import type { Account } from "../account/account.ts";
import type { Room } from "../account/room.ts";
import { ORPHAN_AFTER_MS, type Blobs } from "../blobs/blobs.ts";
import type { Codes } from "../codes/codes.ts";
import type { MailboxContext } from "../context.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import type { Expectations } from "../expectations/expectations.ts";
import { metrics } from "../../metrics/metrics.ts";
import { countFitting } from "../fitting.ts";
import type { LoggedEvent } from "../log/rows.ts";
import type { FiledMail, Filing } from "../messages/filing.ts";
import type { ReceiveRules } from "../rules/receive-rules.ts";
import type { RefusedMails } from "../rules/refused-mails.ts";
import type { Reports } from "../sending/reports.ts";
import type { Takeover, TakenMessage } from "../takeover/takeover.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

/** The most messages in one transaction, which blocks the mailbox for some milliseconds. */
const MAX_GROUP_MESSAGES = 32;
/** The most bytes of these messages: if the transaction fails, each message is written again in its own. */
const MAX_GROUP_BYTES = 2_000_000;

/**
 * The most bytes of mail that waits in memory to be stored, of the isolate's 128 MB: 30 of the largest messages that fit in
 * a row, or about two thousand small ones. Beyond that, mail is refused temporarily, and senders retry.
 */
const MAX_HELD_BYTES = 32_000_000;
/** Memory that a message takes besides its texts, in bytes. */
const HELD_OVERHEAD_BYTES = 8_000;

/** A message that is on disk. */
export interface Received {
  id: string;
  duplicate: boolean;
}

/** A message to store. */
interface Receipt {
  mail: PreparedMail;
  /** Where the message was in the mailbox that this one takes over; null for mail that arrived here. */
  taken: TakenMessage | null;
  /** The id of the refused mail that is released; null for any other. */
  released: string | null;
}

/** A message that was written, and its log events. */
interface Written {
  account: Account;
  filed: FiledMail;
  events: LoggedEvent[];
  /** Ids of the expectations that the message matched. */
  matched: string[];
}

/** A message that was just filed. */
interface Followed {
  mail: PreparedMail;
  filed: Exclude<FiledMail, { kind: "report" }>;
  /** When it arrived, in ms, if the rules refused it then; else null. */
  keptSince: number | null;
}

/** Capabilities that take part when a message arrives. */
interface Others {
  room: Room;
  filing: Filing;
  blobs: Blobs;
  codes: Codes;
  expectations: Expectations;
  reports: Reports;
  webhooks: Webhooks;
  embeddings: Embeddings;
  takeover: Takeover;
  receiveRules: ReceiveRules;
  refusedMails: RefusedMails;
}

/** Receives mail. */
export class Receiving {
  readonly #context: MailboxContext;
  readonly #others: Others;
  readonly #receipts: GroupCommit<Receipt, Answer<Written>>;
  #heldBytes = 0;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#others = others;
    this.#receipts = new GroupCommit({
      durable: context.durable,
      maxAtOnce: MAX_GROUP_MESSAGES,
      countFitting: (receipts) => this.#countFitting(receipts),
      commit: (receipts) => this.#commitAll(receipts),
    });
  }

  /**
   * Reserves room for a large message and the blobs that are written for it next. Blobs that no message uses in time are
   * erased. A full mailbox reserves blobs of 0 bytes too: those that wait for the end of an export, for instance.
   */
  async reserve(keys: readonly string[], sizeBytes: number): Promise<Answer<null>> {
    const { now, live, write, arm } = this.#context;
    const nowMs = now();
    if (live(nowMs) === null) return refused(UNKNOWN_MAILBOX);
    const room = sizeBytes === 0 ? null : this.#others.room.for(sizeBytes, nowMs);
    if (room?.ok === false) return room;
    write(() => {
      for (const key of keys) this.#others.blobs.reserve(key, nowMs + ORPHAN_AFTER_MS);
    });
    await arm();
    return done(null);
  }

  /**
   * Stores a message with everything that follows from it, then wakes those who wait for it. Resolves when the message is
   * on disk; throws if trying again may help. Mail that the rules refuse is kept apart (`isRefusedByRules`).
   *
   * @param taken where the message was in the mailbox that this one takes over; null for mail that arrived here.
   * @param released the id of the refused mail that the owner releases; null for mail that arrives.
   */
  async receive(
    mail: PreparedMail,
    taken: TakenMessage | null = null,
    released: string | null = null,
  ): Promise<Answer<Received>> {
    const written = await this.#stored({ mail, taken, released });
    if (!written.ok) return written;
    const { account, filed, events, matched } = written.value;
    this.#context.publish(events);
    this.#others.expectations.publish(matched);
    const seq = filed.kind === "stored" ? filed.message.seq : filed.seq;
    if (filed.kind === "stored") {
      this.#others.embeddings.stored(this.#context.now());
      // A code that the temporary mailbox handed out, or that an expectation has, is not handed out again.
      if (taken?.codeTaken !== true && matched.length === 0) this.#others.codes.publish(filed.message);
    }
    return done({ id: idOf(seq, account.idTail), duplicate: filed.kind === "duplicate" });
  }

  /** As `receive`, for several messages that arrive in the same moment. A fault at one of them does not concern the others. */
  receiveTogether(mails: readonly PreparedMail[]): Promise<Answer<Received>[]> {
    return Promise.all(
      mails.map((mail) =>
        this.receive(mail).catch((error: unknown) => {
          console.error("A message could not be stored:", error);
          return refused(NOT_STORED);
        }),
      ),
    );
  }

  /**
   * Resolves when the message is stored, in one transaction with others that came at the same time. Throws if too much mail
   * waits in memory; a single message is never too much.
   */
  async #stored(receipt: Receipt): Promise<Answer<Written>> {
    const bytes = heldBytes(receipt.mail);
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > MAX_HELD_BYTES)
      throw new Error("Too much mail waits to be stored; try again");
    this.#heldBytes += bytes;
    try {
      return await this.#receipts.add(receipt);
    } finally {
      this.#heldBytes -= bytes;
    }
  }

  /** Counts the messages that fit into one transaction. Whether there is room for more shows after the commit. */
  #countFitting(receipts: readonly Receipt[]): number {
    const account = this.#context.live(this.#context.now());
    if (account === null) return receipts.length;
    const sizes = receipts.map(({ mail }) => mail.sizeBytes);
    return countFitting(sizes, Math.min(MAX_GROUP_BYTES, this.#others.room.left(account)));
  }

  #commitAll(receipts: readonly Receipt[]): Answer<Written>[] {
    const nowMs = this.#context.now();
    // Authenticated before the transaction, because ending an expired mailbox needs a transaction of its own.
    const judged = receipts.map((receipt) => ({
      receipt,
      room: this.#others.room.for(receipt.mail.sizeBytes, nowMs),
    }));
    return this.#context.commit(() =>
      judged.map(({ receipt, room }) => (room.ok ? this.#write(room.value, receipt, nowMs) : room)),
    );
  }

  #write(account: Account, { mail, taken, released }: Receipt, nowMs: number): Answer<Written> {
    if (released !== null) return this.#release(account, { mail, released }, nowMs);
    return taken === null
      ? this.#take(account, mail, nowMs)
      : done({ account, ...this.#takeOver(account, mail, taken) });
  }

  /**
   * Writes mail that arrived: applies it as a report about an outgoing message if it is one, else files it as an email or keeps
   * it as refused. The rules do not judge reports that a message's own return path brought. A sender that is not listed may write
   * while the owner expects its mail.
   */
  #take(account: Account, mail: PreparedMail, nowMs: number): Answer<Written> {
    const { filing, reports, receiveRules, refusedMails, expectations } = this.#others;
    const events = mail.report === null ? null : reports.apply(account, mail.report, nowMs);
    if (events !== null) {
      return done({ account, filed: filing.fileReport(account, mail, nowMs), events, matched: [] });
    }
    const refusalOf = () => {
      const reason = receiveRules.refusalOf(mail);
      return reason === "not_listed" && expectations.awaits(mail, nowMs) ? null : reason;
    };
    const filed = filing.fileUnlessRefused(account, mail, { nowMs, refusalOf });
    if (filed.kind === "refused") {
      refusedMails.keep(account, mail, filed.reason);
      metrics.count("mailkeep_rule_refusals_total", { reason: filed.reason });
      return refused(refusedByRules(filed.reason, mail.authentication));
    }
    if (filed.kind === "stored") refusedMails.received(mail);
    return done({ account, ...this.#follow(account, { mail, filed, keptSince: null }, nowMs) });
  }

  /** Writes a refused mail as one that is received now; a repeat finds the email that it became. */
  #release(
    account: Account,
    { mail, released }: { mail: PreparedMail; released: string },
    nowMs: number,
  ): Answer<Written> {
    const { filing, refusedMails } = this.#others;
    const found = refusedMails.find(released);
    if (found === null) return refused(notFound("Refused mail"));
    if (found.released !== null) {
      return done({ account, filed: { kind: "duplicate", seq: found.released }, events: [], matched: [] });
    }
    const filed = filing.fileInbound(account, mail, nowMs);
    refusedMails.released(found, filed.kind === "stored" ? filed.message.seq : filed.seq, nowMs);
    return done({ account, ...this.#follow(account, { mail, filed, keptSince: found.received_at }, nowMs) });
  }

  /** Writes mail of the mailbox that is taken over, with its original time of arrival, unless it is stored already. */
  #takeOver(account: Account, mail: PreparedMail, taken: TakenMessage): Omit<Written, "account"> {
    const { takeover, filing, codes } = this.#others;
    if (!takeover.advance(taken.position)) {
      return { filed: { kind: "duplicate", seq: account.row.last_seq }, events: [], matched: [] };
    }
    const filed = filing.fileInbound(account, mail, taken.receivedAt);
    if (filed.kind === "stored" && taken.codeTaken) codes.take(filed.message.seq, taken.receivedAt);
    // The message came before any expectation of this mailbox.
    return { ...this.#planWebhooks(account, filed, this.#context.now()), matched: [] };
  }

  /** Lets a message that is received or proven now match an expectation, and plans its webhooks. */
  #follow(account: Account, { mail, filed, keptSince }: Followed, nowMs: number): Omit<Written, "account"> {
    const matched =
      filed.kind === "stored"
        ? this.#match({ mail, keptSince }, filed.message.seq, nowMs)
        : filed.isProvenNow === true
          ? this.#match({ mail, keptSince: seqTime(filed.seq) }, filed.seq, nowMs)
          : [];
    return { ...this.#planWebhooks(account, filed, nowMs), matched };
  }

  /** Gives the code of a message to the expectation that it matches; no other call gets it then. */
  #match({ mail, keptSince }: Omit<Followed, "filed">, seq: Seq, nowMs: number): string[] {
    const matched = this.#others.expectations.judge(mail, seq, nowMs, keptSince);
    if (matched.length > 0) this.#others.codes.take(seq, nowMs);
    return matched;
  }

  /** Plans the webhooks of a message unless it is a duplicate. */
  #planWebhooks(
    account: Account,
    filed: Exclude<FiledMail, { kind: "report" }>,
    nowMs: number,
  ): Pick<Written, "filed" | "events"> {
    if (filed.kind === "duplicate") return { filed, events: [] };
    this.#others.webhooks.enqueue(account, filed.event, nowMs);
    return { filed, events: [filed.event] };
  }
}

/** Estimates the memory that a message takes, in bytes. */
function heldBytes({ raw, body, search }: PreparedMail): number {
  // The text of an attachment is in memory twice: in the search row and in the attachment itself.
  const texts = (body?.length ?? 0) + search.body.length + 2 * search.attachments.length;
  return HELD_OVERHEAD_BYTES + (raw?.byteLength ?? 0) + texts;
}
