import { notFound, type Answer } from "../contract/problem.ts";
import { idOf, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { Account } from "./account.ts";
import { Outbox } from "./outbox.ts";
import { listingOf } from "./present.ts";
import { answeredStatus } from "./sent-answer.ts";
import * as statements from "./statements.ts";
import { releaseUploads } from "./uploads.ts";

/** Erases one message with its rows; inside one transaction. Its blobs are due at once. */
export function eraseEmail(
  db: Database,
  account: Account,
  seq: Seq,
  nowMs: number,
): Answer<{ deleted: true }> {
  const row = db.first(statements.FIND_EMAIL, seq);
  if (row === null) return refused(notFound("Email"));
  const isHidden = db.first(statements.IS_HIDDEN, seq)?.hidden === 1;
  for (const label of JSON.parse(row.labels) as string[]) db.run(statements.REMOVE_LABEL, label, seq);
  for (const key of [row.raw_key, row.parts_key, row.body_key]) {
    if (key !== null) db.run(statements.PLAN_ERASURE, key, nowMs);
  }
  if (row.status !== "received") {
    const outbox = new Outbox(db);
    const toldSent = outbox.toldSent(seq) === true;
    outbox.keepAnswer(seq, {
      thread_id: idOf(row.thread, account.idTail),
      message_id: (JSON.parse(row.detail) as { message_id: string }).message_id,
      status: answeredStatus(row.status, toldSent),
    });
    outbox.erase(seq);
    releaseUploads(db, seq, nowMs);
  }
  db.run(statements.DELETE_SEARCH, seq);
  db.run(statements.DELETE_CONTENT, seq);
  db.run(statements.DELETE_MESSAGE, seq);
  account.countDeletion(isHidden ? null : listingOf(row).direction, row.size_bytes);
  return done({ deleted: true });
}
