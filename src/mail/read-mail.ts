import { attachmentTexts, type AttachmentText } from "./text/attachment-text.ts";
import { contentDigest } from "./mime/content-digest.ts";
import type { ParsedAttachment, ParsedMail } from "./mime/parsed-mail.ts";
import type { ScannedFile, ScannedMail } from "./mime/scanned-mail.ts";
import { transferEncoding } from "./mime/stream-decoding.ts";
import type { PassingFiles } from "./passing-files.ts";
import type { StoredAttachment } from "./prepared-mail.ts";
import { queueIdsIn } from "./report/queue-ids.ts";
import type { ReportPart } from "./report/report-part.ts";

/** Characters of what one attachment's headers say. */
const MAX_CONTENT_TYPE_CHARS = 127;
const MAX_CONTENT_ID_CHARS = 128;
const MAX_DISPOSITION_CHARS = 32;
const MAX_FILENAME_BYTES = 255;

/** A message that was read, in one piece or while it passed. */
export interface ReadMail {
  /** Header fields and texts. */
  parsed: Omit<ParsedMail, "attachments">;
  /** The message, or its header: all that tells who wrote it. */
  head: Uint8Array;
  /** Size of the message in bytes. */
  sizeBytes: number;
  /** Digest of everything but the trace headers. */
  digest: string;
  attachments: StoredAttachment[];
  /** Its files, as far as they may make a delivery report of it. */
  parts: readonly ReportPart[];
  /** The names that hosts gave to the message that a report is about. */
  queueIds: () => string[];
}

/** A message that was parsed in one piece. Its files are cut from it when they are wanted. */
export function readWhole(raw: Uint8Array, { attachments, ...parsed }: ParsedMail): ReadMail {
  const texts = attachmentTexts(attachments);
  return {
    parsed,
    head: raw,
    sizeBytes: raw.byteLength,
    digest: contentDigest(raw),
    attachments: attachments.map((file, part) => storedAttachment(file, texts[part] ?? {})),
    parts: attachments,
    queueIds: () => queueIdsIn({ attachments }),
  };
}

/**
 * What is known of a message that was read while it passed. Its files are decoded from their places in it when they are wanted.
 *
 * @param head its header, or as much of it as was held
 */
export function readPassing(
  head: Uint8Array,
  { attachments, sizeBytes, digest, ...parsed }: ScannedMail,
  { texts, parts, queueIds }: PassingFiles,
): ReadMail {
  return {
    parsed,
    head,
    sizeBytes,
    digest,
    attachments: attachments.map((file, part) => ({
      ...storedAttachment(file, texts[part] ?? {}),
      place: placeOf(file),
    })),
    parts,
    queueIds: () => queueIds,
  };
}

function placeOf({ span, encoding, headerFrom, isConverted }: ScannedFile): StoredAttachment["place"] {
  const place = { ...span, encoding: transferEncoding(encoding) };
  return isConverted ? { ...place, headerFrom } : place;
}

type Described = Pick<
  ParsedAttachment,
  "filename" | "contentType" | "sizeBytes" | "disposition" | "contentId"
>;

function storedAttachment(file: Described, text: AttachmentText): StoredAttachment {
  return {
    filename: cutToBytes(file.filename, MAX_FILENAME_BYTES),
    contentType: file.contentType.slice(0, MAX_CONTENT_TYPE_CHARS),
    sizeBytes: file.sizeBytes,
    disposition: file.disposition?.slice(0, MAX_DISPOSITION_CHARS).toWellFormed() ?? null,
    contentId: file.contentId?.slice(0, MAX_CONTENT_ID_CHARS).toWellFormed() ?? null,
    offset: null,
    ...text,
  };
}

/** The beginning of `text` that takes at most `maxBytes` in UTF-8, its ending (such as `.pdf`) kept. */
function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes) return text;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(text)?.[0] ?? "";
  const kept = bytes.subarray(0, maxBytes - ending.length).toString();
  return kept.replace(/\uFFFD+$/, "") + ending;
}
