import { ownJson } from "../../lib/json-text.ts";
import type { Metadata } from "../../contract/message.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import { idOf, seqTime, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { StoredAuthentication } from "../../mail/authentication/judge.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import type { Access } from "../account/access.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import { pageOf, pageStart, writeCursor } from "../page.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import { countFitting } from "../fitting.ts";
import { emailSeq, viewOf, type View } from "./present.ts";
import * as rows from "./rows.ts";
import { DERIVED_TABLES, MESSAGES, SEARCH_INDEX } from "./schema.ts";
import type { SearchIndex } from "./search-index.ts";
import type { KnownIds } from "./threads.ts";

/** A stored message that is to be parsed again. */
export interface InboundMessage {
  id: string;
  seq: Seq;
  /** ms since 1970. */
  receivedAt: number;
  /** Whether its code was handed out. */
  codeTaken: boolean;
  metadata: Metadata;
  /** The findings about its sender from when it arrived; null where nothing was checked. */
  authentication: StoredAuthentication;
  /** Whether its bytes are in the blob store. */
  isLarge: boolean;
}

/**
 * Bytes of the messages on one page at most, but at least one message. A page is read within one request, which has 30 s of
 * CPU; the worst messages of 500 KB take 0.1 s each.
 */
const MAX_PAGE_BYTES = 50_000_000;

/** A page of messages, oldest first, and the cursor of the next one. */
export interface InboundPage {
  messages: InboundMessage[];
  nextCursor: string | null;
}

/** Capabilities that take part when a message is parsed again. */
interface Others {
  blobs: Blobs;
  ids: KnownIds;
  embeddings: Embeddings;
  searchIndex: SearchIndex;
}

/** Replaces what was read out of stored messages by what a newer parser reads. */
export class Reindexing {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: Others;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#others = others;
  }

  /** The received messages, page by page, oldest first. The first page also creates missing tables. */
  allInbound(access: Access, page: { cursor: string | null; limit: number }): Answer<InboundPage> {
    return this.#context.answer(access, (account) => this.#page(viewOf(account), page));
  }

  /** Replaces everything that was read out of a message, after it was parsed again. */
  async rewrite(access: Access, id: string, mail: PreparedMail): Promise<Answer<null>> {
    const { answer, commit, now, arm } = this.#context;
    const rewritten = answer(access, (account) => {
      const seq = emailSeq(viewOf(account), id);
      return seq.ok ? commit(() => this.#rewrite(seq.value, mail, now())) : seq;
    });
    // The blobs of the old rows are due now.
    if (rewritten.ok) await arm();
    return rewritten;
  }

  /** Starts embedding again after all messages were parsed again, because the texts may have changed. */
  embedAgain(access: Access): Answer<null> {
    const { answer, commit, now } = this.#context;
    return answer(access, () => {
      commit(() => this.#others.embeddings.startOver());
      this.#others.embeddings.stored(now());
      return done(null);
    });
  }

  #page(view: View, page: { cursor: string | null; limit: number }): Answer<InboundPage> {
    const after = pageStart(page.cursor, [0]);
    if (!after.ok) return after;
    if (page.cursor === null && this.#tables.isMade) this.#remake();
    const found = this.#tables.all(rows.LIST_FOR_REINDEX, after.value[0] ?? 0, page.limit + 1);
    const sizes = found.slice(0, page.limit).map(({ size_bytes }) => size_bytes);
    const fitting = Math.max(1, countFitting(sizes, MAX_PAGE_BYTES));
    const { shown, next } = pageOf(found, fitting, ({ seq }) => writeCursor(seq));
    return done({
      messages: shown.map((row) => ({
        id: idOf(row.seq, view.tail),
        seq: row.seq,
        receivedAt: seqTime(row.seq),
        codeTaken: row.code_taken_at !== null,
        metadata: ownJson<Metadata>(row.metadata),
        authentication: ownJson<StoredAuthentication>(row.authentication ?? "null"),
        isLarge: row.raw_key !== null,
      })),
      nextCursor: next,
    });
  }

  /** Creates tables that were made and are missing. */
  #remake(): void {
    const { db, tables } = this.#context;
    db.script(DERIVED_TABLES.beside);
    if (tables(SEARCH_INDEX).isMade) db.script(DERIVED_TABLES.search);
  }

  /** Runs inside one transaction. Labels, thread, handed-out codes and counters stay as they are. */
  #rewrite(seq: Seq, mail: PreparedMail, nowMs: number): Answer<null> {
    const tables = this.#tables;
    const { blobs, ids, searchIndex } = this.#others;
    const row = tables.first(rows.FIND_EMAIL, seq);
    if (row === null) return refused(notFound("Email"));
    const { listing, senderFolded, subjectFolded, code, link, attachments } = mail;
    const texts = [listing, senderFolded, subjectFolded, code, link] as const;
    const reading = [mail.codeEvidence, mail.codeReader] as const;
    tables.run(rows.REWRITE_MESSAGE, ...texts, ...reading, attachments.length, seq);
    const content = [mail.detail, JSON.stringify(attachments), mail.body] as const;
    tables.run(rows.REWRITE_CONTENT, ...content, mail.bodyKey, mail.bodyLayout, seq);
    if (mail.bodyKey !== null) blobs.claim(mail.bodyKey);
    for (const key of mail.unusedKeys) blobs.cancel(key);
    for (const key of [row.parts_key, row.body_key]) if (key !== null) blobs.erase(key, nowMs);
    searchIndex.replace(seq, mail.search);
    for (const label of ownJson<string[]>(row.labels)) tables.run(rows.ADD_LABEL, label, seq);
    for (const id of mail.ancestorKeys) tables.run(rows.LEARN_IF_NEW, id, "", row.thread, null);
    if (mail.messageKey !== null) {
      const bearer = tables.first(rows.FIND_BEARER, mail.messageKey);
      ids.learnOwn(mail.messageKey, { digest: mail.digest, thread: row.thread, seq }, bearer);
    }
    return done(null);
  }
}
