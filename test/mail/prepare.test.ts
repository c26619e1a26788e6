import { describe, expect, it } from "vitest";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { envelopeOf, prepareMail, type Envelope } from "../../src/mail/prepare.ts";
import type { Metadata } from "../../src/contract/message.ts";

const RAW = new TextEncoder().encode("From: ann@example.com\r\nSubject: Hello\r\n\r\nHello\r\n");

async function storedMetadata(envelope: Envelope): Promise<Metadata> {
  const { detail } = prepareMail(RAW, await parseMail(RAW), envelope, null);
  return (JSON.parse(detail) as { metadata: Metadata }).metadata;
}

describe("the envelope of a stored message", () => {
  it.each<{ of: string; envelope: Envelope }>([
    {
      of: "a client that named itself",
      envelope: {
        from: "ann@example.com",
        to: "agent+tag@mail.example",
        via: "smtp",
        clientAddress: "192.0.2.7",
        helo: "mx.example.com",
      },
    },
    {
      of: "the null sender, by HTTP, from nobody known",
      envelope: { from: "", to: "agent@mail.example", via: "http", clientAddress: null, helo: null },
    },
  ])("is read back as it was: $of", async ({ envelope }) => {
    expect(envelopeOf(await storedMetadata(envelope))).toEqual(envelope);
  });
});
