import { ownJson } from "../../lib/json-text.ts";
import type { CodeAnswer } from "../../contract/message.ts";
import type { CodeFilters } from "../../contract/routes.ts";
import { idOf, SEQ_PER_MS, type Seq } from "../../lib/ids.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import { listingOf, receivedAt, type View } from "../messages/present.ts";
import type { CodeRow } from "./rows.ts";

/** The last seq that `since` excludes: a code counts only if it was received strictly after it. */
export function seqUpTo(since: number | null): Seq {
  return since === null ? 0 : (since + 1) * SEQ_PER_MS - 1;
}

/** Whether a message has a code or link that fits a call of `GET /v1/code`. */
export function fits(message: CodeRow, filters: CodeFilters): boolean {
  const { code, link } = message;
  const hit = { code: code !== null, link: link !== null, any: code !== null || link !== null };
  return (
    hit[filters.kind] &&
    message.seq > seqUpTo(filters.since) &&
    (filters.from === null || message.sender_folded.includes(foldForMatch(filters.from)))
  );
}

function readingOf({ code_evidence }: CodeRow): { confidence: number | null; evidence: string[] } {
  if (code_evidence === null) return { confidence: null, evidence: [] };
  return ownJson<{ confidence: number; evidence: string[] }>(code_evidence);
}

/** The answer to `GET /v1/code`. */
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
