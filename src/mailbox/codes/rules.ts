import { ownJson } from "../../lib/json-text.ts";
import type { CodeAnswer } from "../../contract/message.ts";
import type { CodeFilters } from "../../contract/routes.ts";
import { idOf, SEQ_PER_MS, type Seq } from "../../lib/ids.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import type { StoredEvidence } from "../../mail/prepared-mail.ts";
import { listingOf, receivedAt, type View } from "../messages/present.ts";
import type { CodeRow } from "./rows.ts";

/** The last seq that `since` excludes: a code counts only if it was received strictly after it. */
export function seqUpTo(since: number | null): Seq {
  return since === null ? 0 : (since + 1) * SEQ_PER_MS - 1;
}

/** The part of a message's code and link that a call may have: what is as sure as it asks for. */
interface Sure {
  code: string | null;
  link: string | null;
}

function sureOf(message: CodeRow, { min_confidence }: CodeFilters): Sure {
  const { confidence, link_confidence } = evidenceOf(message);
  // Earlier releases kept no confidence; they answered what they found.
  const isSure = (sureness: number | null | undefined): boolean => (sureness ?? 1) >= min_confidence;
  return {
    code: isSure(confidence) ? message.code : null,
    link: isSure(link_confidence ?? confidence) ? message.link : null,
  };
}

/** Whether a message has a code or link that fits a call of `GET /v1/code`. */
export function fits(message: CodeRow, filters: CodeFilters): boolean {
  const { code, link } = sureOf(message, filters);
  const hit = { code: code !== null, link: link !== null, any: code !== null || link !== null };
  return (
    hit[filters.kind] &&
    message.seq > seqUpTo(filters.since) &&
    (filters.from === null || message.sender_folded.includes(foldForMatch(filters.from)))
  );
}

function evidenceOf({ code_evidence }: CodeRow): Partial<StoredEvidence> {
  return code_evidence === null ? {} : ownJson<StoredEvidence>(code_evidence);
}

/** The answer to `GET /v1/code`. */
export function codeAnswer(message: CodeRow | null, filters: CodeFilters, view: View): CodeAnswer {
  if (message === null) return { code: null };
  const { from_address, subject } = listingOf(message);
  const stored = evidenceOf(message);
  const { code, link } = sureOf(message, filters);
  const { confidence = null, alternatives = [], evidence = [] } = stored;
  const ofLink = stored.link_confidence ?? confidence;
  return {
    id: idOf(message.seq, view.tail),
    code,
    link,
    confidence: code === null ? ofLink : confidence,
    link_confidence: link === null ? null : (stored.link_confidence ?? null),
    alternatives: code === null ? [] : alternatives,
    // What is not answered has no evidence either.
    evidence: evidence.filter((sign) => (sign.startsWith("link_") ? link : code) !== null),
    from: from_address,
    subject,
    received_at: receivedAt(message.seq),
  };
}
