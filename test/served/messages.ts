let written = 0;

export interface Parts {
  subject?: string;
  from?: string;
  /** Null = no Message-ID. */
  messageId?: string | null;
  headers?: readonly string[];
  /** A text with "\n" between its lines, or exact bytes. */
  body?: string | Buffer;
}

/** A new Message-ID. */
export function newMessageId(): string {
  written += 1;
  return `<m${written}.${Math.random().toString(36).slice(2)}@example.com>`;
}

/** A message with CRLF line ends; the header is UTF-8. */
export function message(parts: Parts = {}): Buffer {
  const { subject = "Hello", from = "Ann <ann@example.com>", body = "Hello.\n" } = parts;
  const messageId = parts.messageId === undefined ? newMessageId() : parts.messageId;
  const header = [
    `From: ${from}`,
    `Subject: ${subject}`,
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    ...(parts.headers ?? []),
    "",
    "",
  ];
  const content = typeof body === "string" ? Buffer.from(body.replaceAll("\n", "\r\n")) : body;
  return Buffer.concat([Buffer.from(header.join("\r\n")), content]);
}

/** Text of exactly `bytes` bytes in lines of at most 76, ended by CRLF; texts of different `seed` differ. */
export function filler(bytes: number, seed = "x"): Buffer {
  const line = Buffer.from(`${seed} ${"0123456789abcdef".repeat(6)}`.slice(0, 74) + "\r\n");
  const whole = Buffer.alloc(bytes, line);
  whole.write("\r\n", Math.max(0, bytes - 2));
  // Replaces a CR whose LF was cut off.
  if (whole[bytes - 3] === 0x0d) whole[bytes - 3] = 0x61;
  return whole;
}
