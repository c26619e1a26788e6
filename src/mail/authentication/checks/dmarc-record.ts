import type { Alignment } from "../alignment.ts";
import type { DmarcPolicy } from "./findings.ts";
import { readTags, trimmed } from "./tag-list.ts";

/** A DMARC record (RFC 7489 §6.3, RFC 9091 `np`). */
export interface DmarcRecord {
  /** As it is published. */
  text: string;
  policy: DmarcPolicy;
  /** `sp`, for subdomains. */
  subdomainPolicy: DmarcPolicy | null;
  /** `np`, for subdomains that do not exist. */
  missingPolicy: DmarcPolicy | null;
  dkim: Alignment;
  spf: Alignment;
}

/** The records in use have up to some 500 characters. */
const MAX_RECORD_CHARS = 4_096;
const MAX_RECORDS = 100;

/**
 * The DMARC record among the TXT records of a name. Null if there is none, and also if there are several (RFC 7489 §6.6.3): `isAny`
 * says whether there was one at all.
 */
export function dmarcRecordIn(records: readonly string[]): { record: DmarcRecord | null; isAny: boolean } {
  const found = records
    .slice(0, MAX_RECORDS)
    .filter((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text));
  const [text] = found;
  if (text === undefined) return { record: null, isAny: false };
  return { record: found.length > 1 ? null : readRecord(text), isAny: true };
}

function readRecord(text: string): DmarcRecord | null {
  const tags = text.length > MAX_RECORD_CHARS ? null : readTags(text);
  if (tags === null) return null;
  const policy = policyIn(tags, "p");
  // RFC 7489 §6.6.3: a record with a broken policy and an address for reports counts as p=none; without one it is none.
  if (policy === null && !/^\s*mailto:/i.test(tags.get("rua") ?? "")) return null;
  return {
    text,
    policy: policy ?? "none",
    subdomainPolicy: policyIn(tags, "sp"),
    missingPolicy: policyIn(tags, "np"),
    dkim: alignmentIn(tags, "adkim"),
    spf: alignmentIn(tags, "aspf"),
  };
}

function policyIn(tags: ReadonlyMap<string, string>, name: string): DmarcPolicy | null {
  const text = trimmed(tags.get(name) ?? "").toLowerCase();
  return text === "none" || text === "quarantine" || text === "reject" ? text : null;
}

function alignmentIn(tags: ReadonlyMap<string, string>, name: string): Alignment {
  return (tags.get(name) ?? "r").toLowerCase() === "s" ? "strict" : "relaxed";
}
