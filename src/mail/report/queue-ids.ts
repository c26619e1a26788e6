import type { ParsedMail } from "../mime/parsed-mail.ts";

/** Bytes read of one part: a delivery status, or the header of the returned message, is shorter. */
const MAX_PART_BYTES = 65_536;
/** A message passes through some hosts, each of which names it once. */
const MAX_IDS = 50;
/** `X-Postfix-Queue-ID: 4F2A…` of a status, and `with ESMTP id 4F2A…` of a Received field. */
const NAMED = /(?:\bqueue-id\s*:\s*|\bid\s+<?)([\w-]{6,64})(?![\w-])/gi;

/** The names that hosts gave to a message, as a report on it repeats them; without repeats. */
export function queueIdsIn({ attachments }: Pick<ParsedMail, "attachments">): string[] {
  const ids = new Set<string>();
  for (const attachment of attachments) {
    if (!/^(?:message|text)\//.test(attachment.contentType)) continue;
    // Of a part of 25 MB no more is decoded than its first piece.
    const [start = new Uint8Array()] = attachment.pieces();
    const text = Buffer.from(start.subarray(0, MAX_PART_BYTES)).toString("latin1");
    for (const [, id = ""] of text.matchAll(NAMED)) {
      if (ids.size === MAX_IDS) return [...ids];
      ids.add(id);
    }
  }
  return [...ids];
}
