import { createHash } from "node:crypto";
import { conflict, invalid, type Answer } from "../contract/problem.ts";
import { breath } from "../lib/breath.ts";
import { uuidV7, type Seq } from "../lib/ids.ts";
import { ownJson } from "../lib/json-text.ts";
import { done, refused } from "../lib/outcome.ts";
import type { ExportRun, ExportStart } from "../mailbox/exporting/exporting.ts";
import { counted } from "./access.ts";
import type { MailboxStub } from "./mailbox-stub.ts";
import type { MailboxAccess } from "./message-source.ts";
import { detachedJws, type SigningKey } from "./signing-key.ts";

/** How long an export that was cut off can be resumed: its manifest says when it began. */
const RESUMED_WITHIN_MS = 86_400_000;
/** Begins the signed text of a token. No manifest begins so: a token can never pass for a signature of one. */
const PURPOSE = "mailkeep export, to be resumed:";

const CHANGED = conflict(
  "This export cannot go on, because its part of the mailbox has changed since it began",
  "Begin a new export: call GET /v1/export without resume, offset and sha256.",
);

/** The moment at which an export began, as far as its bytes depend on it. With the same point and unchanged mail, its bytes are the same again. */
export interface ExportPoint {
  /** Of this export: it stays when the export is resumed. */
  id: string;
  /** In ms since 1970. */
  startedMs: number;
  /** The id after which it begins; null = with the first email. */
  after: string | null;
  /** The number of its last message; null if it has none. */
  lastSeq: Seq | null;
  /** How many messages it has. */
  messages: number;
  /** Number of the newest entry of the log. */
  logSeq: number;
}

/** An export that begins, or that is begun again. */
interface Begun {
  point: ExportPoint;
  /** The point, signed: by it a client resumes the export. */
  token: string;
  address: string;
  run: ExportRun;
  /** The numbers of its messages, oldest first, in pages. */
  seqs: readonly Float64Array[];
}

interface Asked extends Omit<MailboxAccess, "env"> {
  key: SigningKey;
}

/** Begins an export. 400 if `after` is no id of the mailbox, 429 while too many run. */
export async function beginExport(asked: Asked, after: string | null): Promise<Answer<Begun>> {
  const { mailbox, access, key } = asked;
  const startedMs = Date.now();
  const id = uuidV7(startedMs);
  const run = { id, run: id };
  const started = await mailbox.exportStart(access, after, run);
  if (!started.ok) return started;
  const { address, logSeq } = started.value;
  const seqs = await seqsOf(asked, started.value);
  if (!seqs.ok) return seqs;
  const lastSeq = seqs.value.at(-1)?.at(-1) ?? null;
  const point = { id, startedMs, after, lastSeq, messages: countOf(seqs.value), logSeq };
  const token = await tokenOf(JSON.stringify(point), mailbox, key);
  return done({ point, token, address, run, seqs: seqs.value });
}

/**
 * Begins an export again that was cut off, from its token. 400 for a token that this deployment did not make for this mailbox;
 * 409 if the export is too old, or a message of it was erased; 429 while too many others run.
 */
export async function resumeExport(asked: Asked, token: string): Promise<Answer<Begun>> {
  const { mailbox, access, key } = asked;
  const text = Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8");
  if (token !== (await tokenOf(text, mailbox, key))) {
    return refused(invalid("resume", "must be the header Mailkeep-Resume of an export of this mailbox"));
  }
  const point = ownJson<ExportPoint>(text);
  const nowMs = Date.now();
  if (nowMs - point.startedMs > RESUMED_WITHIN_MS) return refused(CHANGED);
  const run = { id: point.id, run: uuidV7(nowMs) };
  const started = await mailbox.exportStart(access, point.after, run);
  if (!started.ok) return started;
  const { address } = started.value;
  const seqs = await seqsOf(asked, { ...started.value, last: point.lastSeq ?? 0 });
  if (seqs.ok && countOf(seqs.value) === point.messages)
    return done({ point, token, address, run, seqs: seqs.value });
  await mailbox.exportEnd(run);
  return seqs.ok ? refused(CHANGED) : seqs;
}

/** The numbers of the messages of an export. */
async function seqsOf(
  { mailbox, access }: Asked,
  { after, last }: Pick<ExportStart, "after" | "last">,
): Promise<Answer<Float64Array[]>> {
  const pages: Float64Array[] = [];
  for (let from = after; ;) {
    const page = await mailbox.exportSeqs(counted(access), from, last);
    if (!page.ok) return page;
    const seqs = new Float64Array(page.value);
    const newest = seqs.at(-1);
    if (newest === undefined) return done(pages);
    pages.push(seqs);
    from = newest;
    // Calls of an object in the same process let no other request in.
    await breath();
  }
}

function countOf(pages: readonly Float64Array[]): number {
  return pages.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes of an export after the first `offset`. 409 unless those have this SHA-256, in hex. */
export async function skipBytes(
  pieces: AsyncGenerator<Uint8Array, void>,
  offset: number,
  sha256: string | null,
): Promise<Answer<AsyncGenerator<Uint8Array, void>>> {
  const hash = createHash("sha256");
  let left = offset;
  let rest: Uint8Array = new Uint8Array();
  while (left > 0) {
    const { done: isOver, value } = await pieces.next();
    if (isOver) break;
    hash.update(value.subarray(0, left));
    rest = value.slice(left);
    left = Math.max(0, left - value.length);
  }
  if (left === 0 && hash.digest("hex") === sha256?.toLowerCase()) return done(continued(rest, pieces));
  await pieces.return();
  return refused(CHANGED);
}

async function* continued(
  first: Uint8Array,
  pieces: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (first.length > 0) yield first;
    yield* pieces;
  } finally {
    await pieces.return();
  }
}

/** A point as JSON, and its signature. */
async function tokenOf(point: string, { name }: MailboxStub, key: SigningKey): Promise<string> {
  const [, , signature] = (await detachedJws(key, `${PURPOSE} ${name ?? ""} ${point}`)).split(".");
  return `${Buffer.from(point).toString("base64url")}.${signature}`;
}
