import type { Answer, Problem } from "../contract/problem.ts";
import type { Upload } from "../contract/upload.ts";
import { blobsForFile } from "../inbound/blob-choice.ts";
import { mailboxBehind, type MailboxStub } from "../inbound/mailbox-stub.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Access } from "../mailbox/access.ts";
import { MAX_UPLOAD_MS, UploadBody, UploadFault } from "./upload-body.ts";
import type { UploadRequest } from "./upload-request.ts";

const NOT_STORED: Problem = {
  code: "unavailable",
  error: "The file could not be stored; try again",
  retryAfterSeconds: 30,
};

/** Keeps room first, writes the blob as it comes, then says that it is whole. What a crash leaves behind, the alarm erases. */
export async function storeUpload(
  file: UploadRequest,
  body: ReadableStream<Uint8Array> | null,
  to: { env: Env; mailbox: MailboxStub; access: Access },
): Promise<Answer<Upload>> {
  const { env, mailbox, access } = to;
  const owner = mailbox.name ?? "";
  const now = Date.now();
  const id = uuidV7(now);
  const blobs = blobsForFile(env, mailbox, file.sizeBytes);
  const key = blobs.newKey(owner, uuidV7(now));
  const room = await mailbox.beginUpload(access, { id, key, ...file });
  if (!room.ok) return room;
  const counted = new UploadBody(body, {
    ...room.value,
    announcedBytes: file.sizeBytes,
    endsAt: now + MAX_UPLOAD_MS,
  });
  const stored = await fill(counted, (pieces) => blobs.write(key, pieces));
  const { sizeBytes } = counted;
  // Another stub: the object may have been torn down in the minutes that a body takes, and the one from before then fails.
  const later = mailboxBehind(env, owner);
  const completed = stored.ok
    ? await later.completeUpload(access, { id, sizeBytes, sha256: counted.sha256() })
    : stored;
  // A mailbox that ended meanwhile took its note of the upload with it: then only the first of these finds the blob.
  if (!completed.ok) await Promise.allSettled([blobs.delete([key]), later.abandonUpload(id)]);
  return completed;
}

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
