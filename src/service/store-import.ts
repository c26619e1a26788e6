import { GZIP_GRACE_BYTES, MAX_GZIP_RATIO, type StartedImport } from "../contract/moving.ts";
import type { Answer, Problem } from "../contract/problem.ts";
import { formatOf } from "../lib/archive/format.ts";
import { HEAD_BYTES } from "../lib/archive/mail-head.ts";
import { bodyBytes } from "../lib/body-bytes.ts";
import { GrowingBytes } from "../lib/growing-bytes.ts";
import { uuidV7 } from "../lib/ids.ts";
import { refused } from "../lib/outcome.ts";
import type { Access } from "../mailbox/account/access.ts";
import { counted } from "./access.ts";
import { blobsForReading, blobsForWriting } from "./blob-choice.ts";
import { freshStub, type MailboxStub } from "./mailbox-stub.ts";
import { MAX_UPLOAD_MS, UploadBody, UploadFault } from "./upload-body.ts";

const NOT_STORED: Problem = {
  code: "unavailable",
  error: "The archive could not be stored; try again",
  retryAfterSeconds: 30,
};
const BAD_GZIP: Problem = {
  code: "invalid",
  error: "body: is packed with gzip and damaged",
  fix: "Pack the archive again, or send it unpacked.",
};
const NO_MAIL: Problem = {
  code: "invalid",
  error: "body: is neither a tar, nor an mbox, nor one email",
  fix: "Send a tar, an mbox or one email, each also packed with gzip. Unpack other archives first. For an email without header fields, add format=eml.",
};
const BOMB: Problem = {
  code: "invalid",
  error: `body: unpacks to more than ${MAX_GZIP_RATIO} times its size`,
  fix: "Send the archive unpacked.",
};

/** An archive that a caller sends. */
export interface SentArchive {
  format: string;
  labels: readonly string[];
  /** As its Content-Length says; null without one. */
  sizeBytes: number | null;
  body: ReadableStream<Uint8Array> | null;
}

interface Destination {
  env: Env;
  mailbox: MailboxStub;
  access: Access;
}

/**
 * Accepts an archive: the mailbox admits it, it is written to a blob while it arrives (gzip is unpacked), and its import begins.
 * If this crashes, the mailbox's alarm erases the incomplete blob.
 */
export async function storeImport(archive: SentArchive, to: Destination): Promise<Answer<StartedImport>> {
  const { env, mailbox, access } = to;
  const now = Date.now();
  const id = uuidV7(now);
  const blobs = blobsForWriting(env, mailbox);
  const key = blobs.newKey(mailbox.name ?? "", uuidV7(now));
  const { format, labels, sizeBytes, body } = archive;
  const room = await mailbox.beginImport(access, { id, key, format, labels, sizeBytes });
  if (!room.ok) return room;
  const limits = { ...room.value, endsAt: now + MAX_UPLOAD_MS, announcedBytes: null };
  const counting = new UploadBody(recognized(unpacked(body), format), limits);
  const stored = await written(() => blobs.write(key, counting.pieces()));
  if (stored === null) {
    const whole = { id, sizeBytes: counting.sizeBytes };
    const begun = await freshStub(env, mailbox).completeImport(counted(access), whole);
    if (begun.ok) return begun;
    await abandon({ id, key }, to);
    return begun;
  }
  await abandon({ id, key }, to);
  return refused(stored);
}

async function written(write: () => Promise<void>): Promise<Problem | null> {
  try {
    await write();
    return null;
  } catch (error) {
    if (error instanceof UploadFault) return error.problem;
    console.error("An archive could not be stored:", error);
    return NOT_STORED;
  }
}

async function abandon(
  { id, key }: { id: string; key: string },
  { env, mailbox }: Pick<Destination, "env" | "mailbox">,
): Promise<void> {
  const later = freshStub(env, mailbox);
  await Promise.allSettled([blobsForReading(env, later, key).delete([key]), later.abandonImport(id)]);
}

/** The same bytes, unless their beginning is no archive and no mail. */
async function* recognized(
  pieces: AsyncGenerator<Uint8Array, void, void>,
  format: string,
): AsyncGenerator<Uint8Array, void, void> {
  const head = new GrowingBytes();
  while (head.length < HEAD_BYTES) {
    const next = await pieces.next();
    if (next.done === true) break;
    head.add(next.value);
  }
  if (formatOf(head.from(0).subarray(0, HEAD_BYTES), format) === null) throw new UploadFault(NO_MAIL);
  if (head.length > 0) yield head.from(0);
  yield* pieces;
}

/** The bytes of a body. gzip is unpacked as it arrives, so memory never holds more than the bytes that were counted. */
async function* unpacked(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, void> {
  if (body === null) return;
  const pieces = bodyBytes(body);
  const first = await pieces.next();
  if (first.done === true) return;
  const head = first.value.slice();
  const all = chained(head, pieces);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  let packedBytes = 0;
  let unpackedBytes = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await all.next();
        if (next.done === true) controller.close();
        // A copy, because the piece is valid only until the next one is read, and the stream holds it longer.
        else {
          packedBytes += next.value.byteLength;
          controller.enqueue(next.value.slice());
        }
      },
      async cancel() {
        await all.return();
      },
    },
    { highWaterMark: 0 },
  );
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const read = await reader.read().catch(() => {
        throw new UploadFault(BAD_GZIP);
      });
      if (read.done) return;
      unpackedBytes += read.value.byteLength;
      if (unpackedBytes > packedBytes * MAX_GZIP_RATIO + GZIP_GRACE_BYTES) throw new UploadFault(BOMB);
      yield read.value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* chained(
  head: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  yield head;
  yield* rest;
}
