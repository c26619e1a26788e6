import { describe, expect, it } from "vitest";
import type { OutgoingMessage } from "../../src/mail/compose/outgoing.ts";
import { tooLargeToCarry } from "../../src/mailbox/sending/carried-size.ts";
import { composedBytes } from "../../src/outbound/compose.ts";

const LARGEST = { inside: 26_214_400, outside: 5_242_880 };
const INSIDE = { address: "a@mailkeep.test", way: "inside" } as const;
const OUTSIDE = { address: "b@example.net", way: "outside" } as const;
/** Reserved for fields that are added after a message was accepted. */
const ADDED_BYTES = 2_048;

function messageOf(text: string, fileBytes: number): OutgoingMessage {
  const file = { filename: "a.bin", contentType: "application/pdf", contentId: null, sizeBytes: fileBytes };
  return {
    from: { name: "", address: "me@mailkeep.test" },
    to: [{ name: "", address: INSIDE.address }],
    cc: [],
    replyTo: [],
    subject: "Hello",
    text,
    html: "",
    messageId: "<0123456789abcdef0123@mailkeep.test>",
    inReplyTo: null,
    references: [],
    dateMs: 1_795_000_000_000,
    headers: [],
    attachments: fileBytes === 0 ? [] : [file],
  };
}

/** A message of exactly `bytes` when composed: each x in its text is one byte. */
function messageOfSize(bytes: number): OutgoingMessage {
  const fileBytes = Math.floor((bytes - 10_000) / 78) * 57;
  const sized = (count: number) => messageOf(lines(count), fileBytes);
  // A line end is two bytes in the message.
  let count = Math.floor(((bytes - composedBytes(sized(1))) / 62) * 61) - 61;
  while (composedBytes(sized(count)) < bytes) count += 1;
  const message = sized(count);
  expect(composedBytes(message)).toBe(bytes);
  return message;
}

/** This many characters in lines that need no encoding. */
const lines = (count: number): string => `${"x".repeat(60)}\n`.repeat(count / 61) + "x".repeat(count % 61);

describe("the size of a composed message", () => {
  it("is accepted up to the limit of the way, and refused above it with recipient, size and limit", () => {
    const most = LARGEST.inside - ADDED_BYTES;
    expect(tooLargeToCarry(messageOfSize(most), [INSIDE], LARGEST)).toBeNull();
    expect(tooLargeToCarry(messageOfSize(most + 1), [INSIDE], LARGEST)).toMatchObject({
      code: "too_large",
      error:
        "Message too large for a@mailkeep.test: 26214401 bytes when composed (max 26214400 for mail to a mailbox of this deployment)",
    });
  });

  it("is checked for each recipient against the limit of its way", () => {
    const message = messageOf("", 10_000_000);
    expect(tooLargeToCarry(message, [INSIDE], LARGEST)).toBeNull();
    for (const both of [
      [INSIDE, OUTSIDE],
      [OUTSIDE, INSIDE],
    ]) {
      expect(tooLargeToCarry(message, both, LARGEST)?.error).toMatch(
        /^Message too large for b@example\.net: .*5242880/,
      );
    }
    expect(tooLargeToCarry(message, [OUTSIDE], { ...LARGEST, outside: Infinity })).toBeNull();
  });

  it("counts what encoding adds to text and fields", () => {
    const wide = { ...messageOf("é".repeat(250_000), 0), html: "é".repeat(500_000) };
    expect(composedBytes(wide)).toBeGreaterThan(2_000_000);
    expect(tooLargeToCarry(wide, [OUTSIDE], { ...LARGEST, outside: 2_000_000 })).not.toBeNull();
    const long = { ...messageOf("", 0), headers: [{ name: "X-Long", value: "é".repeat(50_000) }] };
    const outside = composedBytes(long) + ADDED_BYTES;
    expect(tooLargeToCarry(long, [OUTSIDE], { ...LARGEST, outside })).toBeNull();
    expect(tooLargeToCarry(long, [OUTSIDE], { ...LARGEST, outside: outside - 1 })).not.toBeNull();
  });
});
