import { invalid, type Answer } from "../contract/problem.ts";
import type { OutgoingFile } from "../contract/sending.ts";
import type { Upload } from "../contract/upload.ts";
import { done, refused } from "../lib/outcome.ts";
import type { FileWish } from "../mailbox/accept.ts";
import { openPart, type Asked } from "./message-source.ts";
import { storeUpload } from "./store-upload.ts";

/**
 * The files of a message as uploads, which is what a message is composed from: one that came inline, or that an email of
 * this mailbox holds, becomes one first. What is not used in the end expires like any upload.
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
    return idOf(await keep(asked, { filename: file.filename, contentType: file.content_type }, bytes));
  }
  const id = attachment_id ?? "";
  const known = await asked.mailbox.findUploads(asked.access, [id]);
  if (!known.ok) return known;
  if (known.value[0] !== null) return done(id);
  const stored = await asked.mailbox.attachment(asked.access, id);
  if (!stored.ok) {
    return refused(
      stored.error.code === "not_found"
        ? invalid(field, "names no upload and no attachment of this mailbox")
        : stored.error,
    );
  }
  const { filename, contentType, sizeBytes } = stored.value.stored;
  const part = await openPart(asked, stored.value, { start: 0, end: sizeBytes });
  if (!part.ok) return part;
  const bytes = new Uint8Array(await new Response(part.value).arrayBuffer());
  return idOf(await keep(asked, { filename, contentType }, bytes));
}

function keep(
  asked: Asked,
  { filename, contentType }: { filename: string; contentType: string },
  bytes: Uint8Array,
): Promise<Answer<Upload>> {
  const file = {
    filename,
    contentType: contentType || "application/octet-stream",
    sizeBytes: bytes.byteLength,
  };
  return storeUpload(file, new Blob([bytes]).stream(), asked);
}

function idOf(upload: Answer<Upload>): Answer<string> {
  return upload.ok ? done(upload.value.id) : upload;
}
