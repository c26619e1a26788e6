import type { Metadata } from "../../contract/message.ts";
import { conflict, invalid, type Answer, type Problem } from "../../contract/problem.ts";
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
import { ROWS_A_TURN } from "../turns.ts";
import { OWN_URL } from "../webhooks/targets.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import * as rows from "./rows.ts";
import type { ExportRow } from "./rows.ts";

/** The most bytes of one page; a single message may be larger. */
const MAX_PAGE_BYTES = 1_000_000;
/** Suppressed addresses on one page of lines. */
const SUPPRESSION_PAGE = 1_000;

/** Exports of a mailbox at once: each may hold some megabytes while its reader does not read. */
export const MAX_EXPORTS = 2;
/** Connections of these exports: one that was resumed may not know yet that its client is gone. */
export const MAX_EXPORT_RUNS = 6;
/** How long an export counts as running after it was last heard of, in ms: its request may have ended. */
const LEASE_MS = 30_000;

const TOO_MANY: Problem = {
  code: "rate_limited",
  error: `Too many exports at once (max ${MAX_EXPORTS})`,
  fix: "Read a running export to its end, or close its connection, then repeat the call.",
  retryAfterSeconds: 30,
};
const REPLACED = conflict(
  "Another connection resumed this export",
  "Read the export on one connection at a time.",
);

/** A connection that sends an export. */
export interface ExportRun {
  /** The export: one that was cut off keeps its id when it is resumed. */
  id: string;
  /** Differs for each connection. */
  run: string;
}

/** The mailbox as it was when its export began. */
export interface ExportStart {
  address: string;
  /** The messages of the export are those above the first number, up to the second. */
  after: Seq;
  last: Seq;
  /** Number of the newest entry of the log. */
  logSeq: number;
}

/** Lines of mailbox.jsonl about the mailbox itself, and where the next page begins; null at the end. */
export interface ExportLines {
  lines: string[];
  next: string | null;
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
  /** By run. In memory only: a new process lets exports that still run go on. */
  readonly #running = new Map<string, { id: string; endsAt: number; isReplaced: boolean }>();

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#others = others;
  }

  /**
   * Begins an export of the messages after the one with id `after`, or of all if it is null, or begins it again on another
   * connection, which ends the one before. 400 if `after` is no id of this mailbox, 429 beyond {@link MAX_EXPORTS}.
   */
  exportStart(access: Access, after: string | null, run: ExportRun): Answer<ExportStart> {
    return this.#context.answer(access, (account) => {
      const named = after === null ? null : readId(after, account.idTail);
      if (after !== null && named?.part !== null)
        return refused(invalid("after", "must be the id of an email of this mailbox"));
      if (!this.#hasPlace(run.id)) return refused(TOO_MANY);
      for (const other of this.#running.values()) if (other.id === run.id) other.isReplaced = true;
      this.#hold(run);
      // Mail that arrives meanwhile has higher numbers.
      const { address, last_seq: last, last_event: logSeq } = account.row;
      return done({ address, after: named?.seq ?? 0, last, logSeq });
    });
  }

  /** Keeps the place of an export that runs. 409 if another connection has taken it over. */
  exportKeep(access: Access, run: ExportRun): Answer<null> {
    return this.#context.answer(access, () => {
      const held = this.#running.get(run.run);
      if (held?.isReplaced === true) return refused(REPLACED);
      // A new process knows of no exports.
      if (held === undefined && !this.#hasPlace(run.id)) return refused(TOO_MANY);
      this.#hold(run);
      return done(null);
    });
  }

  /** Gives the place of an export free. */
  exportEnd({ run }: ExportRun): void {
    this.#running.delete(run);
  }

  /** A page of the numbers of messages above `after` and up to `last`, as 64-bit floating-point numbers: the last page is not full. */
  exportSeqs(access: Access, after: Seq, last: Seq): Answer<ArrayBuffer> {
    return this.#context.answer(access, () => {
      const found = this.#tables.all(rows.LIST_SEQS, after, last, ROWS_A_TURN);
      return done(Float64Array.from(found, ({ seq }) => seq).buffer);
    });
  }

  /** A page of lines about the mailbox: itself, its rules, its domains, and its suppressed addresses. Secrets stay here. */
  exportLines(access: Access, after: string | null): Answer<ExportLines> {
    return this.#context.answer(access, (account) => {
      const own = after === null ? this.#lines(account) : [];
      const page = this.#others.outbox.suppressions(after ?? "", SUPPRESSION_PAGE);
      const suppressed = page.map(({ address, reason, at }) => ({
        type: "suppression",
        address,
        reason,
        at: new Date(at).toISOString(),
      }));
      const lines = [...own, ...suppressed].map((line) => JSON.stringify(line));
      return done({ lines, next: page.length < SUPPRESSION_PAGE ? null : (page.at(-1)?.address ?? null) });
    });
  }

  /** The first messages of `seqs`: as many as fit one page. */
  exportPage(access: Access, seqs: readonly Seq[]): Answer<ExportPage> {
    return this.#context.answer(access, (account) => {
      const page: ExportPage = [];
      let bytes = 0;
      for (const seq of seqs) {
        const row = this.#tables.first(rows.READ, seq);
        const message = row === null ? null : this.#message(account, row);
        bytes += (message?.raw?.byteLength ?? 0) + (message?.about.length ?? 0);
        if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
        page.push(message);
      }
      return done(page);
    });
  }

  /** Whether there is a place for another connection of an export. */
  #hasPlace(id: string): boolean {
    const nowMs = this.#context.now();
    for (const [run, { endsAt }] of this.#running)
      // Later than a lease lasts: the clock moved backwards.
      if (endsAt <= nowMs || endsAt > nowMs + LEASE_MS) this.#running.delete(run);
    const ids = new Set([...this.#running.values()].map((one) => one.id)).add(id);
    return ids.size <= MAX_EXPORTS && this.#running.size < MAX_EXPORT_RUNS;
  }

  #hold({ id, run }: ExportRun): void {
    this.#running.set(run, { id, endsAt: this.#context.now() + LEASE_MS, isReplaced: false });
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

  #lines(account: Account): Record<string, unknown>[] {
    const { webhooks, domains } = this.#others;
    const { mailbox, display_name, created_at } = account.info(null);
    const webhook_url = webhooks.targets.of(OWN_URL)?.url ?? null;
    return [
      { type: "mailbox", mailbox, display_name, created_at, webhook_url },
      ...webhooks.targets.routes().map(({ label, url }) => ({ type: "rule", label, webhook_url: url })),
      ...domains.names().map((domain) => ({ type: "domain", domain })),
    ];
  }
}
