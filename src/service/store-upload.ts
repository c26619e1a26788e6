import type { Answer, Problem } from "../contract/problem.ts";
import type { Upload } from "../contract/upload.ts";
import { blobsForFile, blobsForReading } from "./blob-choice.ts";
import { freshStub, type MailboxStub } from "./mailbox-stub.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { WholeUpload } from "../mailbox/uploads/uploads.ts";
import { bodyBytes } from "../lib/body-bytes.ts";
import { counted } from "./access.ts";
import { MAX_UPLOAD_MS, UploadBody, UploadFault } from "./upload-body.ts";

const NOT_STORED: Problem = {
  code: "unavailable",
  error: "The file could not be stored; try again",
  retryAfterSeconds: 30,
};

/** A file that is to be stored. */
export interface UploadFile {
  filename: string;
  contentType: string;
  /** Null where its length is not known before its end. */
  sizeBytes: number | null;
}

/** Where an upload goes. */
interface Destination {
  env: Env;
  mailbox: MailboxStub;
  access: Access;
}

/** Stores an upload: reserves room, writes the blob while it arrives, then completes it. After a crash the alarm erases the rest. */
export async function storeUpload(
  file: UploadFile,
  body: ReadableStream<Uint8Array> | null,
  to: Destination,
): Promise<Answer<Upload>> {
  const written = await writeUpload(
    { ...file, mostBytes: null },
    body === null ? nothing() : bodyBytes(body),
    to,
  );
  return written.ok ? completeUpload(written.value, to) : written;
}

/** An upload whose blob is written; nobody can use it before it is completed. */
export interface WrittenUpload {
  id: string;
  key: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
}

/** Reserves room and writes the blob while it arrives: at most `mostBytes`, if its length is unknown. */
export async function writeUpload(
  file: UploadFile & { mostBytes: number | null },
  source: AsyncIterable<Uint8Array>,
  { env, mailbox, access }: Destination,
): Promise<Answer<WrittenUpload>> {
  const owner = mailbox.name ?? "";
  const now = Date.now();
  const id = uuidV7(now);
  const blobs = blobsForFile(env, mailbox, file.sizeBytes);
  const key = blobs.newKey(owner, uuidV7(now));
  const room = await mailbox.beginUpload(access, { id, key, ...file });
  if (!room.ok) return room;
  const counted = new UploadBody(source, {
    ...room.value,
    announcedBytes: file.sizeBytes,
    endsAt: now + MAX_UPLOAD_MS,
  });
  const stored = await fill(counted, (pieces) => blobs.write(key, pieces));
  if (stored.ok) return done({ id, key, sizeBytes: counted.sizeBytes, sha256: counted.sha256() });
  await abandon({ id, key }, { env, mailbox });
  return stored;
}

/** Completes an upload: from then on messages can use it. */
export async function completeUpload(
  upload: WrittenUpload & Pick<WholeUpload, "named">,
  { env, mailbox, access }: Destination,
): Promise<Answer<Upload>> {
  const { key, ...whole } = upload;
  const completed = await freshStub(env, mailbox).completeUpload(counted(access), whole);
  if (!completed.ok) await abandon({ id: upload.id, key }, { env, mailbox });
  return completed;
}

/** Erases an upload that failed. If the mailbox was erased meanwhile, it no longer knows the upload, but its blob is erased here. */
async function abandon(
  { id, key }: { id: string; key: string },
  { env, mailbox }: Pick<Destination, "env" | "mailbox">,
): Promise<void> {
  const later = freshStub(env, mailbox);
  await Promise.allSettled([blobsForReading(env, later, key).delete([key]), later.abandonUpload(id)]);
}

/**
 * Erases uploads that were made for one message, except those that it uses. Never rejects: the message may be sent already, and an
 * error would make the client send it again. An upload that cannot be erased now expires by itself.
 */
export async function discardUploads(
  ids: readonly string[],
  { env, mailbox }: Pick<Destination, "env" | "mailbox">,
): Promise<void> {
  if (ids.length === 0) return;
  try {
    await freshStub(env, mailbox).discardUploads(ids);
  } catch (error) {
    console.error("Uploads that no message uses are erased when their time is over:", error);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

async function fill(
  body: UploadBody,
  write: (pieces: AsyncGenerator<Uint8Array, void, void>) => Promise<void>,
): Promise<Answer<null>> {
  try {
    await write(body.pieces());
    return done(null);
  } catch (error) {
    if (error instanceof UploadFault) return refused(error.problem);
    console.error("An upload could not be stored:", error);
    return refused(NOT_STORED);
  }
}
