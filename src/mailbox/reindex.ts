import type { Metadata } from "../contract/message.ts";
import { notFound, type Answer } from "../contract/problem.ts";
import { idOf, seqTime, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { claimBlob, indexForSearch, learnOwnId } from "./ingest.ts";
import type { View } from "./present.ts";
import { countFitting } from "./reading.ts";
import { DERIVED_TABLES } from "./migrations.ts";
import * as statements from "./statements.ts";

/** A stored message whose derived rows are to be made again. */
export interface StaleMessage {
  id: string;
  seq: Seq;
  /** ms since 1970. */
  receivedAt: number;
  /** Its code was handed out. */
  codeTaken: boolean;
  metadata: Metadata;
  /** Whether its bytes lie in the blob store. */
  isLarge: boolean;
}

/**
 * Bytes of messages on one page, or one message: they are read one after the other within one request, which has 30 s of CPU.
 * The worst of 500 KB take 0.1 s each.
 */
const MAX_PAGE_BYTES = 50_000_000;

/** Some messages, oldest first, and where the next ones begin. */
export interface StalePage {
  messages: StaleMessage[];
  nextCursor: string | null;
}

/** The messages to be read again, page by page. Tables that are missing are made first. */
export function stalePage(
  db: Database,
  view: View,
  page: { cursor: string | null; limit: number },
): Answer<StalePage> {
  const after = page.cursor === null ? done([0]) : readCursor(page.cursor, 1);
  if (!after.ok) return after;
  if (page.cursor === null) db.script(DERIVED_TABLES);
  const rows = db.all(statements.LIST_FOR_REINDEX, after.value[0] ?? 0, page.limit + 1);
  const sizes = rows.slice(0, page.limit).map(({ size_bytes }) => size_bytes);
  const shown = rows.slice(0, Math.max(1, countFitting(sizes, MAX_PAGE_BYTES)));
  const last = shown.at(-1);
  return done({
    messages: shown.map((row) => ({
      id: idOf(row.seq, view.tail),
      seq: row.seq,
      receivedAt: seqTime(row.seq),
      codeTaken: row.code_taken_at !== null,
      metadata: JSON.parse(row.metadata) as Metadata,
      isLarge: row.raw_key !== null,
    })),
    nextCursor: rows.length > shown.length && last ? writeCursor(last.seq) : null,
  });
}

/**
 * Writes what follows from a message's bytes once more; inside one transaction. What its owner or time decided stays: labels,
 * thread, the code that was handed out, counters.
 */
export function rewrite(db: Database, seq: Seq, mail: PreparedMail, nowMs: number): Answer<null> {
  const row = db.first(statements.FIND_EMAIL, seq);
  if (row === null) return refused(notFound("Email"));
  const { listing, senderFolded, subjectFolded, code, link, attachments } = mail;
  const texts = [listing, senderFolded, subjectFolded, code, link] as const;
  const reading = [mail.codeEvidence, mail.codeReader] as const;
  db.run(statements.REWRITE_MESSAGE, ...texts, ...reading, attachments.length, seq);
  const content = [mail.detail, JSON.stringify(attachments), mail.body] as const;
  db.run(statements.REWRITE_CONTENT, ...content, mail.bodyKey, mail.bodyLayout, mail.partsKey, seq);
  for (const key of [mail.partsKey, mail.bodyKey]) if (key !== null) claimBlob(db, key);
  for (const key of mail.unusedKeys) db.run(statements.END_ERASURE, key);
  for (const key of [row.parts_key, row.body_key]) {
    if (key !== null) db.run(statements.PLAN_ERASURE, key, nowMs);
  }
  db.run(statements.DELETE_SEARCH, seq);
  indexForSearch(db, seq, mail.search);
  for (const label of JSON.parse(row.labels) as string[]) db.run(statements.ADD_LABEL, label, seq);
  for (const id of mail.ancestorKeys) db.run(statements.LEARN_IF_NEW, id, "", row.thread, null);
  if (mail.messageKey !== null) {
    const bearer = db.first(statements.FIND_BEARER, mail.messageKey);
    learnOwnId(db, mail.messageKey, { digest: mail.digest, thread: row.thread, seq }, bearer);
  }
  return done(null);
}
