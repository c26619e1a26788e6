import { MAX_ATTACHMENT_TEXT_BYTES } from "../../contract/limits.ts";
import { htmlToText } from "./html-text.ts";
import type { ParsedAttachment } from "../mime/parsed-mail.ts";

/** The room for the texts of all attachments of a message in its row, in bytes of JSON. */
const MAX_STORED_BYTES = 200_000;

const TEXTUAL =
  /^(?:text\/(?!rtf$|richtext$)[^/]+|application\/(?:json|ics|xml|yaml|x-yaml|x-ndjson|[^/]+\+(?:json|xml|yaml)))$/;

/** The stored text of an attachment; empty for a file that is not a text. */
export interface AttachmentText {
  text?: string;
  /** Set for a text file that is too long to be read. */
  isTooLarge?: true;
}

/** The texts of attachments, in their order, until the room for them in a row is full. */
export function attachmentTexts(attachments: readonly ParsedAttachment[]): AttachmentText[] {
  let left = MAX_STORED_BYTES;
  return attachments.map((attachment) => {
    if (!TEXTUAL.test(attachment.contentType)) return {};
    const read = attachment.readText(Math.min(MAX_ATTACHMENT_TEXT_BYTES, left));
    if (read === null) return { isTooLarge: true };
    const text = attachment.contentType === "text/html" ? htmlToText(read) : read;
    const bytes = Buffer.byteLength(JSON.stringify(text));
    if (bytes > left) return { isTooLarge: true };
    left -= bytes;
    return { text };
  });
}
