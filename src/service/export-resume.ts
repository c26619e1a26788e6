import { createHash } from "node:crypto";
import { conflict, invalid, type Answer } from "../contract/problem.ts";
import type { Seq } from "../lib/ids.ts";
import { ownJson } from "../lib/json-text.ts";
import { done, refused } from "../lib/outcome.ts";
import type { ExportStart } from "../mailbox/exporting/exporting.ts";
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
  start: ExportStart;
}

interface Asked extends Omit<MailboxAccess, "env"> {
  key: SigningKey;
}

/** Begins an export. 400 if `after` is no id of the mailbox. */
export async function beginExport(
  { mailbox, access, key }: Asked,
  after: string | null,
): Promise<Answer<Begun>> {
  const started = await mailbox.exportStart(access, after);
  if (!started.ok) return started;
  const { value: start } = started;
  const seqs = new Float64Array(start.seqs);
  const point: ExportPoint = {
    startedMs: Date.now(),
    after,
    lastSeq: seqs.at(-1) ?? null,
    messages: seqs.length,
    logSeq: start.logSeq,
  };
  return done({ point, token: await tokenOf(JSON.stringify(point), mailbox, key), start });
}

/**
 * Begins an export again that was cut off, from its token. 400 for a token that this deployment did not make for this mailbox;
 * 409 if the export is too old, or a message of it was erased.
 */
export async function resumeExport({ mailbox, access, key }: Asked, token: string): Promise<Answer<Begun>> {
  const text = Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8");
  if (token !== (await tokenOf(text, mailbox, key))) {
    return refused(invalid("resume", "must be the header Mailkeep-Resume of an export of this mailbox"));
  }
  const point = ownJson<ExportPoint>(text);
  const started = await mailbox.exportStart(access, point.after);
  if (!started.ok) return started;
  const seqs = new Float64Array(started.value.seqs).filter((seq) => seq <= (point.lastSeq ?? 0));
  const isOver = seqs.length !== point.messages || Date.now() - point.startedMs > RESUMED_WITHIN_MS;
  return isOver ? refused(CHANGED) : done({ point, token, start: { ...started.value, seqs: seqs.buffer } });
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
