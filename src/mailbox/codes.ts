import type { CodeAnswer } from "../contract/message.ts";
import type { CodeFilters } from "../contract/routes.ts";
import { idOf, SEQ_PER_MS, type Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import { foldForMatch } from "../mail/search/search-text.ts";
import { listingOf, receivedAt, type View } from "./present.ts";
import type { CodeRow } from "./schema.ts";
import * as statements from "./statements.ts";

/** The last seq that `since` excludes: codes count only when received strictly after it. */
function seqUpTo(since: number | null): Seq {
  return since === null ? 0 : (since + 1) * SEQ_PER_MS - 1;
}

/** The newest stored message that is a hit and was not handed out. */
export function newestHit(db: Database, filters: CodeFilters): CodeRow | null {
  const after = seqUpTo(filters.since);
  const from = filters.from === null ? null : foldForMatch(filters.from);
  const code = filters.kind === "link" ? null : db.first(statements.NEWEST_CODE, after, from);
  const link = filters.kind === "code" ? null : db.first(statements.NEWEST_LINK, after, from);
  if (code === null || link === null) return code ?? link;
  return code.seq >= link.seq ? code : link;
}

/** Whether a message is a hit (wire contract, GET /v1/code). */
export function fits(message: CodeRow, filters: CodeFilters): boolean {
  const { code, link } = message;
  const hit = { code: code !== null, link: link !== null, any: code !== null || link !== null };
  return (
    hit[filters.kind] &&
    message.seq > seqUpTo(filters.since) &&
    (filters.from === null || message.sender_folded.includes(foldForMatch(filters.from)))
  );
}

/** Marks a code as handed out. */
export function takeCode(db: Database, seq: Seq, nowMs: number): void {
  db.run(statements.TAKE_CODE, nowMs, seq);
}

function readingOf({ code_evidence }: CodeRow): { confidence: number | null; evidence: string[] } {
  if (code_evidence === null) return { confidence: null, evidence: [] };
  return JSON.parse(code_evidence) as { confidence: number; evidence: string[] };
}

/** The answer of GET /v1/code. */
export function codeAnswer(message: CodeRow | null, view: View): CodeAnswer {
  if (message === null) return { code: null };
  const { from_address, subject } = listingOf(message);
  const { confidence, evidence } = readingOf(message);
  return {
    id: idOf(message.seq, view.tail),
    code: message.code,
    link: message.link,
    confidence,
    evidence,
    from: from_address,
    subject,
    received_at: receivedAt(message.seq),
  };
}
