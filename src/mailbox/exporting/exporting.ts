import type { Metadata } from "../../contract/message.ts";
import { invalid, type Answer } from "../../contract/problem.ts";
import type { EntryNote } from "../../lib/archive/entry-note.ts";
import { flagsOfLabels } from "../../lib/archive/maildir.ts";
import { idOf, readId, seqTime, type Seq } from "../../lib/ids.ts";
import { ownJson } from "../../lib/json-text.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import { shownState } from "../../outbound/ledger.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Domains } from "../domains/domains.ts";
import { listingOf, receivedAt } from "../messages/present.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { Outbox } from "../sending/outbox.ts";
import { inTurns, ROWS_A_TURN, type Turns } from "../turns.ts";
import { OWN_URL } from "../webhooks/targets.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import * as rows from "./rows.ts";
import type { ExportRow } from "./rows.ts";

/** The most bytes of the messages on one page; a single message may be larger. */
const MAX_PAGE_BYTES = 1_000_000;
/** Suppressed addresses that one statement reads. */
const SUPPRESSION_PAGE = 1_000;

/** The mailbox as it was when its export began. */
export interface ExportStart {
  address: string;
  /** The numbers of its messages, oldest first, as 64-bit floating-point numbers. */
  seqs: ArrayBuffer;
  /** Number of the newest entry of the log. */
  logSeq: number;
  /** Lines of mailbox.jsonl about the mailbox itself. */
  lines: string[];
}

/** A message of an export. */
export interface ExportedMessage {
  seq: Seq;
  id: string;
  /** ms since 1970. */
  receivedMs: number;
  /** Its bytes; null if `raw` says where they are stored. */
  raw: ArrayBuffer | null;
  /** The folder of the Maildir; "" for its root. */
  folder: "" | "Sent" | "Reports";
  flags: string;
  note: EntryNote;
  /** JSON object: its line in mailbox.jsonl, besides its file. */
  about: string;
}

/** Messages of an export, in the order that was asked for; null for one that is erased. */
export type ExportPage = (ExportedMessage | null)[];

interface Others {
  outbox: Outbox;
  webhooks: Webhooks;
  domains: Domains;
}

/** Reads a mailbox for an export. */
export class Exporting {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: Others;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#others = others;
  }

  /** The messages of an export: those after the message with id `after`, or all if it is null. 400 if `after` is no id of this mailbox. */
  exportStart(access: Access, after: string | null): Promise<Answer<ExportStart>> {
    return inTurns(this.#context, access, (account) => this.#start(account, after));
  }

  /** The first messages of `seqs`: as many as fit one page. */
  exportPage(access: Access, seqs: readonly Seq[]): Answer<ExportPage> {
    return this.#context.answer(access, (account) => {
      const page: ExportPage = [];
      let bytes = 0;
      for (const seq of seqs) {
        const row = this.#tables.first(rows.READ, seq);
        bytes += row?.raw?.byteLength ?? 0;
        if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
        page.push(row === null ? null : this.#message(account, row));
      }
      return done(page);
    });
  }

  *#start(account: Account, after: string | null): Turns<Answer<ExportStart>> {
    const named = after === null ? null : readId(after, account.idTail);
    if (after !== null && named?.part !== null) {
      return refused(invalid("after", "must be the id of an email of this mailbox"));
    }
    // Mail that arrives meanwhile has higher numbers.
    const { address, last_seq, last_event: logSeq } = account.row;
    const lines = this.#lines(account).map((line) => JSON.stringify(line));
    const seqs: Seq[] = [];
    for (let from = named?.seq ?? 0; ;) {
      const found = this.#tables.all(rows.LIST_SEQS, from, last_seq, ROWS_A_TURN);
      for (const { seq } of found) seqs.push(seq);
      const last = found.at(-1);
      if (last === undefined || found.length < ROWS_A_TURN) break;
      from = last.seq;
      yield;
    }
    return done({ address, seqs: Float64Array.from(seqs).buffer, logSeq, lines });
  }

  #message({ idTail }: Account, row: ExportRow): ExportedMessage {
    const labels = ownJson<string[]>(row.labels);
    const { message_id, metadata } = ownJson<{ message_id: string | null; metadata: Metadata }>(row.detail);
    const [isSent, isHidden] = [row.direction === "outbound", row.hidden === 1];
    const id = idOf(row.seq, idTail);
    const thread = idOf(row.thread, idTail);
    const { from_address: from, to_address: to, subject } = listingOf(row);
    const { envelope_from, envelope_to } = metadata;
    return {
      seq: row.seq,
      id,
      receivedMs: seqTime(row.seq),
      raw: row.raw,
      folder: isHidden ? "Reports" : isSent ? "Sent" : "",
      flags: flagsOfLabels(labels),
      note: {
        received_at: receivedAt(row.seq),
        labels,
        thread,
        ...(isSent ? { direction: "outbound" as const } : {}),
        ...(isHidden ? { hidden: true as const } : {}),
        envelope_from,
        envelope_to,
      },
      about: JSON.stringify({
        id,
        thread_id: thread,
        received_at: receivedAt(row.seq),
        direction: row.direction,
        status: row.status,
        labels,
        from,
        to,
        subject,
        message_id,
        size_bytes: row.size_bytes,
        code: row.code,
        link: row.link,
        code_taken_at: row.code_taken_at === null ? null : new Date(row.code_taken_at).toISOString(),
        ...(isHidden ? { hidden: true } : {}),
        metadata,
        delivery: row.status === "received" ? [] : this.#ledger(row.seq),
      }),
    };
  }

  /** The state of a sent message, for each recipient. */
  #ledger(seq: Seq) {
    return this.#others.outbox.recipients(seq).map(({ address, state, at, diagnostic }) => ({
      recipient: address,
      status: shownState(state),
      at: new Date(at).toISOString(),
      diagnostic,
    }));
  }

  /** The mailbox, its rules, its domains and its suppressed addresses. Secrets stay here. */
  #lines(account: Account): Record<string, unknown>[] {
    const { webhooks, domains } = this.#others;
    const { mailbox, display_name, created_at } = account.info(null);
    const webhook_url = webhooks.targets.of(OWN_URL)?.url ?? null;
    return [
      { type: "mailbox", mailbox, display_name, created_at, webhook_url },
      ...webhooks.targets.routes().map(({ label, url }) => ({ type: "rule", label, webhook_url: url })),
      ...domains.names().map((domain) => ({ type: "domain", domain })),
      ...this.#suppressions(),
    ];
  }

  *#suppressions(): Generator<Record<string, unknown>, void> {
    for (let after = ""; ;) {
      const page = this.#others.outbox.suppressions(after, SUPPRESSION_PAGE);
      for (const { address, reason, at } of page)
        yield { type: "suppression", address, reason, at: new Date(at).toISOString() };
      const last = page.at(-1);
      if (last === undefined || page.length < SUPPRESSION_PAGE) return;
      after = last.address;
    }
  }
}
