import { expect, it } from "vitest";
import type { ParsedAttachment } from "../../../src/mail/mime/parsed-mail.ts";
import { queueIdsIn } from "../../../src/mail/report/queue-ids.ts";

/** A part of a report; `more` is what follows its beginning. */
function part(contentType: string, start: string, more: () => Uint8Array): ParsedAttachment {
  return {
    filename: "a",
    contentType,
    disposition: null,
    contentId: null,
    partIndex: 0,
    sizeBytes: 25_000_000,
    get content() {
      return more();
    },
    pieces: () => [more()],
    start(maxBytes) {
      const bytes = new TextEncoder().encode(start);
      return maxBytes > 65_536 ? { bytes: more(), isWhole: true } : { bytes, isWhole: false };
    },
    readText: () => null,
  };
}

it("reads the names that hosts gave to a message, and decodes no more of a part than its beginning", () => {
  const tooMuch = () => {
    throw new Error("All of a large part was decoded");
  };
  const attachments = [
    part("message/delivery-status", "X-Postfix-Queue-ID: 4F2A1B3C\n", tooMuch),
    part("text/rfc822-headers", "Received: from a by b with ESMTP id abc123DEF;\n", tooMuch),
    part("application/pdf", "id notThisOne", tooMuch),
  ];
  expect(queueIdsIn({ attachments })).toEqual(["4F2A1B3C", "abc123DEF"]);
});
