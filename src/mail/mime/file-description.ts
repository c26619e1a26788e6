import type { Attachment } from "postal-mime";
import { defaultFilename, safeFilename } from "./attachment-name.ts";
import { MAX_HEADER_BYTES, readHeaderBlock } from "./header-block.ts";
import { oneLine, subjectText } from "./header-values.ts";
import type { ParsedAttachment } from "./parsed-mail.ts";
import type { StartOfBody } from "./part-text.ts";

/** The longest Content-ID, in characters; RFC 2045 §7 gives it the form of a message id. */
const MAX_CONTENT_ID_CHARS = 998;
/** The longest media type, in characters: RFC 6838 §4.2 allows 127 on each side. */
const MAX_CONTENT_TYPE_CHARS = 255;

/** Name, type and place of a file, from the header of its part. */
export type FileDescription = Pick<
  ParsedAttachment,
  "filename" | "contentType" | "disposition" | "contentId" | "partIndex"
>;

/** The media type of a file, in lower case, as it is stored. */
export function contentTypeOf(mimeType: string): string {
  return oneLine(mimeType.toLowerCase(), MAX_CONTENT_TYPE_CHARS) || "application/octet-stream";
}

/** Describes a file. A forwarded message without a name is named after its subject, which stands in its body. */
export function fileDescription(
  { mimeType, filename, disposition, contentId }: Attachment,
  partIndex: number,
  body: StartOfBody,
): FileDescription {
  const contentType = contentTypeOf(mimeType);
  const bareId = (contentId ?? "").replace(/^\s*<|>\s*$/g, "");
  return {
    contentType,
    filename:
      safeFilename(filename ?? "") ||
      (contentType === "message/rfc822"
        ? messageFilename(body.start(MAX_HEADER_BYTES).bytes)
        : defaultFilename(partIndex, contentType)),
    disposition: oneLine(disposition ?? "", MAX_CONTENT_TYPE_CHARS) || null,
    contentId: oneLine(bareId, MAX_CONTENT_ID_CHARS) || null,
    partIndex,
  };
}

function messageFilename(start: Uint8Array): string {
  const { fields } = readHeaderBlock(start);
  const subject = subjectText(fields.find(({ name }) => name === "subject")?.value ?? "");
  const name = safeFilename(subject.replaceAll(/[/\\:]/g, "-"));
  return name === "" ? "message.eml" : safeFilename(`${name}.eml`);
}
