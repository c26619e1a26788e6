let written = 0;

export interface Parts {
  subject?: string;
  from?: string;
  /** Null: none. */
  messageId?: string | null;
  headers?: readonly string[];
  /** Lines are parted by "\n", or it is taken as it is. */
  body?: string | Buffer;
}

/** A Message-ID that was not used before. */
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

/** Text of exactly `bytes` bytes in lines of at most 76, the last one whole; no two of different `seed` are equal. */
export function filler(bytes: number, seed = "x"): Buffer {
  const line = Buffer.from(`${seed} ${"0123456789abcdef".repeat(6)}`.slice(0, 74) + "\r\n");
  const whole = Buffer.alloc(bytes, line);
  whole.write("\r\n", Math.max(0, bytes - 2));
  // A CR that the cut left without its LF.
  if (whole[bytes - 3] === 0x0d) whole[bytes - 3] = 0x61;
  return whole;
}
