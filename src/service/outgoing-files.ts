import { invalid, notFound, type Answer, type Problem } from "../contract/problem.ts";
import { StoredContent, UPLOAD_FIRST, type OutgoingFile } from "../contract/sending.ts";
import type { Upload } from "../contract/upload.ts";
import { done, refused } from "../lib/outcome.ts";
import { ANY_BYTES } from "../mail/mime/media-type.ts";
import type { SentFile } from "../mailbox/sending/accept.ts";
import { counted } from "./access.ts";
import { openPart, partsOf, type MailboxAccess, type Parts } from "./message-source.ts";
import type { AttachmentSource } from "../mailbox/reading/reading.ts";
import { completeUpload, storeUpload } from "./store-upload.ts";

/** The files of a message, as the uploads that it is composed from. */
export interface OutgoingFiles {
  uploads: Answer<SentFile[]>;
  /** Ids of the uploads that were made for this message. If it is not sent, they must be erased. */
  made: string[];
}

/** Makes an upload of each file that is inline or an attachment of an email; files that are uploads already stay as they are. */
export async function uploadsFor(to: MailboxAccess, files: readonly OutgoingFile[]): Promise<OutgoingFiles> {
  const uploads: SentFile[] = [];
  const made: string[] = [];
  const cut = cutting(to);
  for (const [index, file] of files.entries()) {
    const access = index === 0 ? to.access : counted(to.access);
    const upload = await uploadOf(file, `attachments.${index}.attachment_id`, { ...to, access, cut });
    if (!upload.ok) return { uploads: upload, made };
    const { id, isNew } = upload.value;
    if (isNew) made.push(id);
    const { filename, content_type, content_id } = file;
    uploads.push({ upload: id, filename, content_type, content_id });
  }
  return { uploads: done(uploads), made };
}

/** An upload that holds a file. */
interface FileUpload {
  id: string;
  isNew: boolean;
}

type Cut = (source: AttachmentSource) => Promise<Answer<Parts>>;

/** Cuts attachments from a message, and reads the message once for successive files. */
function cutting(to: MailboxAccess): Cut {
  let last: { email: string; parts: Answer<Parts> } | null = null;
  return async ({ email }) => {
    if (email === null) return refused(notFound("Attachment"));
    if (last?.email !== email) {
      const raw = await to.mailbox.raw(to.access, email);
      last = { email, parts: raw.ok ? await partsOf(to, raw.value) : refused(raw.error) };
    }
    return last.parts;
  };
}

async function uploadOf(
  file: OutgoingFile,
  field: string,
  { cut, ...to }: MailboxAccess & { cut: Cut },
): Promise<Answer<FileUpload>> {
  const { attachment_id, content } = file;
  if (content instanceof StoredContent) return completed(file, content, to);
  if (typeof content === "string") {
    const bytes = Buffer.from(content, "base64");
    const inline = {
      filename: file.filename,
      contentType: file.content_type || ANY_BYTES,
      sizeBytes: bytes.byteLength,
    };
    return newUpload(await storeUpload(inline, new Blob([bytes]).stream(), to));
  }
  const stored = await to.mailbox.attachment(to.access, attachment_id ?? "", false);
  if (!stored.ok) {
    return refused(
      stored.error.code === "not_found"
        ? { ...invalid(field, "names no upload and no attachment of this mailbox"), fix: UPLOAD_FIRST }
        : stored.error,
    );
  }
  const { upload } = stored.value;
  if (upload !== null) return done({ id: upload, isNew: false });
  const { filename, contentType, sizeBytes } = stored.value.stored;
  const part = await openPart(to, stored.value, { start: 0, end: sizeBytes }, cut);
  if (!part.ok) return part;
  const body = new Response(part.value).body;
  return newUpload(await storeUpload({ filename, contentType, sizeBytes }, body, to));
}

/** A file that was stored while the request was read. The reader of the request erases it if the message is not sent. */
async function completed(
  file: OutgoingFile,
  { upload, sizeBytes, sha256 }: StoredContent,
  to: MailboxAccess,
): Promise<Answer<FileUpload>> {
  if (upload === null) return refused(KEY_IS_OVER);
  const named = { filename: file.filename, contentType: file.content_type || ANY_BYTES };
  const whole = await completeUpload({ ...upload, sizeBytes, sha256, named }, to);
  return whole.ok ? done({ id: upload.id, isNew: false }) : whole;
}

/** The message that was sent under the key was forgotten just now. */
const KEY_IS_OVER: Problem = {
  code: "unavailable",
  error: "The Idempotency-Key ended while the request was read; try again",
  retryAfterSeconds: 1,
};

function newUpload(upload: Answer<Upload>): Answer<FileUpload> {
  return upload.ok ? done({ id: upload.value.id, isNew: true }) : upload;
}
