/** Bytes from which a mail is recognized. Fields that no program knows may stand before those of mail. */
export const HEAD_BYTES = 8_192;

/** Fields that mail has and other texts of the form `name: value` hardly do. */
const MAIL_FIELD =
  /^(?:(?:x|arc|dkim|content|resent|list|received|authentication|delivered|original|in-reply|thread)-[\w-]+|received|return-path|from|to|cc|bcc|date|subject|sender|reply-to|message-id|references|mime-version|envelope-to)[ \t]*:/i;
const ANY_FIELD = /^[!-9;-~]+[ \t]*:/;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Whether a line is a field that mail has. */
export function isMailField(line: string): boolean {
  return MAIL_FIELD.test(line);
}

/**
 * Whether bytes begin as an email does: with header fields and nothing else, one of which mail has. Blank lines and a From_
 * line, which some programs leave there, may come first.
 */
export function isMail(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString(
    "latin1",
  );
  const lines = text.replace(BYTE_ORDER_MARK, "").trimStart().split(/\r?\n/);
  if (/^>?From /.test(lines[0] ?? "")) lines.shift();
  for (const line of lines) {
    if (isMailField(line)) return true;
    if (!ANY_FIELD.test(line) && !/^[ \t]/.test(line)) return false;
  }
  return false;
}
