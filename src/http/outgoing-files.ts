import { invalid, type Answer } from "../contract/problem.ts";
import type { OutgoingFile } from "../contract/sending.ts";
import type { Upload } from "../contract/upload.ts";
import { done, refused } from "../lib/outcome.ts";
import { ANY_BYTES } from "../mail/media-type.ts";
import type { FileWish } from "../mailbox/accept.ts";
import { openPart, type Asked } from "./message-source.ts";
import { storeUpload } from "./store-upload.ts";

/**
 * The files of a message as uploads, which is what a message is composed from: one that came inline, or that an email of
 * this mailbox received, becomes one first, as a stream. What is not used in the end expires like any upload.
 */
export async function uploadsFor(asked: Asked, files: readonly OutgoingFile[]): Promise<Answer<FileWish[]>> {
  const wishes: FileWish[] = [];
  for (const [index, file] of files.entries()) {
    const upload = await uploadOf(asked, file, `attachments.${index}.attachment_id`);
    if (!upload.ok) return upload;
    const { filename, content_type, content_id } = file;
    wishes.push({ upload: upload.value, filename, content_type, content_id });
  }
  return done(wishes);
}

/** The id of the upload that holds a file. */
async function uploadOf(asked: Asked, file: OutgoingFile, field: string): Promise<Answer<string>> {
  const { attachment_id, content } = file;
  if (typeof content === "string") {
    const bytes = Buffer.from(content, "base64");
    const inline = {
      filename: file.filename,
      contentType: file.content_type || ANY_BYTES,
      sizeBytes: bytes.byteLength,
    };
    return idOf(await storeUpload(inline, new Blob([bytes]).stream(), asked));
  }
  const stored = await asked.mailbox.attachment(asked.access, attachment_id ?? "");
  if (!stored.ok) {
    return refused(
      stored.error.code === "not_found"
        ? invalid(field, "names no upload and no attachment of this mailbox")
        : stored.error,
    );
  }
  if (stored.value.upload !== null) return done(stored.value.upload);
  const { filename, contentType, sizeBytes } = stored.value.stored;
  const part = await openPart(asked, stored.value, { start: 0, end: sizeBytes });
  if (!part.ok) return part;
  return idOf(await storeUpload({ filename, contentType, sizeBytes }, new Response(part.value).body, asked));
}

function idOf(upload: Answer<Upload>): Answer<string> {
  return upload.ok ? done(upload.value.id) : upload;
}
