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

/** A file of which the text can be read. */
type TextFile = Pick<ParsedAttachment, "contentType" | "readText">;

/** The texts of attachments, in their order, until the room for them in a row is full. */
export function attachmentTexts(attachments: readonly TextFile[]): AttachmentText[] {
  const reader = new AttachmentTextReader();
  return attachments.map((attachment) => reader.read(attachment));
}

/** The most bytes of text that are read of a file of this type; 0 for a file that is not a text. */
export function mostTextBytes(contentType: string): number {
  return TEXTUAL.test(contentType) ? MAX_ATTACHMENT_TEXT_BYTES : 0;
}

/** Reads the texts of the attachments of one message, one after another. */
export class AttachmentTextReader {
  #left = MAX_STORED_BYTES;

  /** The text of the next attachment, as it is stored. */
  read(file: TextFile): AttachmentText {
    const { contentType } = file;
    if (mostTextBytes(contentType) === 0) return {};
    const read = file.readText(Math.min(MAX_ATTACHMENT_TEXT_BYTES, this.#left));
    if (read === null) return { isTooLarge: true };
    const text = contentType === "text/html" ? htmlToText(read) : read;
    const bytes = Buffer.byteLength(JSON.stringify(text));
    if (bytes > this.#left) return { isTooLarge: true };
    this.#left -= bytes;
    return { text };
  }
}
