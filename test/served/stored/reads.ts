import { createHash } from "node:crypto";
import type { Answer, Service } from "../client.ts";

/** A read of the API with its recorded answer. */
export interface Read {
  /** The mailbox whose key is used. */
  as: string;
  path: string;
  /** The body, for a read by POST. */
  json?: unknown;
  /** For a list: the member with the rows of each page. The answer is the rows of all pages. */
  rows?: string;
  /** For a list that may have grown since: the member that identifies rows. */
  grows?: string;
  answer: unknown;
}

type Asked = Omit<Read, "answer">;

/** Longer texts are recorded as digests. */
const MAX_TEXT_CHARS = 600;

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

/** Calls the API, and answers in the recorded form: JSON with long texts as digests, anything else as a digest. */
export async function readAnswer(
  service: Service,
  key: string,
  { path, json, rows }: Asked,
): Promise<unknown> {
  if (rows !== undefined) return shortened(await allRows(service, key, path, rows));
  const answer = await service.call(path, { key, json });
  return { status: answer.status, body: bodyOf(answer) };
}

function bodyOf({ headers, bytes }: Answer): unknown {
  const isJson = headers["content-type"]?.startsWith("application/json") ?? false;
  if (isJson) return shortened(JSON.parse(bytes.toString("utf8")));
  return { sha256: sha256(bytes), bytes: bytes.length };
}

async function allRows(service: Service, key: string, path: string, member: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor = ""; ;) {
    const page = await service.get<Record<string, unknown>>(`${path}${cursor}`, key);
    rows.push(...(page[member] as unknown[]));
    if (typeof page.next_cursor !== "string") return rows;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > MAX_TEXT_CHARS) {
    return { sha256: sha256(value), chars: value.length };
  }
  return mapped(value, shortened);
}

/** Members that may differ from the recorded ones. New members are ignored anyway. */
const MAY_DIFFER: Readonly<Record<string, string>> = {
  last_used_at: "each use of a key moves it",
  last_checked_at: "a domain is checked again each day",
  sends_today: "it counts a day",
  emails_this_month: "it counts a month",
  next_cursor: "clients pass it on unread; lists are followed to their end by the cursors of this version",
  extractor: "it numbers the rules",
  fix: "advice may become better",
  score: "it orders the results, and how it is reckoned is no promise",
};

type Row = Record<string, unknown>;

/** A read with the part of its answer that every later version must also give. */
export function lasting(read: Read, answer: unknown): Asked & { answer: unknown } {
  const { grows, answer: recorded, ...asked } = read;
  const rows = grows === undefined ? answer : recordedRows(grows, recorded, answer);
  return { ...asked, answer: withoutFleeting(rows) };
}

/** The rows of a list without those added since. */
function recordedRows(name: string, recorded: unknown, actual: unknown): Row[] {
  const known = new Set((recorded as Row[]).map((row) => row[name]));
  return (actual as Row[]).filter((row) => known.has(row[name]));
}

function withoutFleeting(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return mapped(value, withoutFleeting);
  }
  const kept = Object.entries(value).filter(([name]) => !Object.hasOwn(MAY_DIFFER, name));
  return mapped(Object.fromEntries(kept), withoutFleeting);
}

function mapped(value: unknown, change: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
}
