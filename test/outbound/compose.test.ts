import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { readHeaderBlock } from "../../src/mail/mime/header-block.ts";
import { outgoing, type Draft, type DraftFile } from "../../src/mail/compose/outgoing.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { composedBytes, composeMessage, type OpenAttachment } from "../../src/outbound/compose.ts";
import type { Ancestry } from "../../src/mail/compose/answered-mail.ts";
import { draftOf, MINTED, NO_ANCESTRY, outgoingOf, SENDER } from "./example.ts";

const NO_FILES: OpenAttachment = () => {
  throw new Error("There is no attachment");
};

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function opener(contents: readonly Uint8Array[]): OpenAttachment {
  return (index) => new Blob([contents[index] ?? new Uint8Array()]).stream();
}

function inPieces(content: Uint8Array, pieceBytes: number): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < content.length; at += pieceBytes) {
        controller.enqueue(content.subarray(at, at + pieceBytes));
      }
      controller.close();
    },
  });
}

function file(filename: string, content: Uint8Array, more: Partial<DraftFile> = {}): DraftFile {
  return { filename, content_type: "", content_id: "", sizeBytes: content.byteLength, ...more };
}

async function composed(
  fields: Partial<Draft>,
  contents: readonly Uint8Array[] = [],
  ancestry: Ancestry = NO_ANCESTRY,
): Promise<Buffer> {
  return bytesOf(composeMessage(outgoingOf(fields, ancestry).message, opener(contents)));
}

const namesOf = (raw: Uint8Array): string[] => readHeaderBlock(raw).fields.map(({ name }) => name);

/** The media types in the order of the parts, nesting shown by brackets. */
function structureOf(raw: Buffer): string {
  const types = [...raw.toString("latin1").matchAll(/^content-type: ([a-z/-]+)/gim)].map(([, type]) => type);
  return types.join(" ");
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const PNG = Uint8Array.from({ length: 200 }, (_, index) => index);

describe("a composed message", () => {
  it("has the requested value in each field, as two parsers read it", async () => {
    const raw = await composed(
      {
        from: ["Agent Ä <agent+shop@mailkeep.test>"],
        to: ["Ann, the first <ann@example.com>", "李四 <li@例え.jp>"],
        cc: ['"O\'Neil \\"Bob\\"" <bob@example.com>'],
        bcc: ["Hidden <hidden@example.net>"],
        reply_to: ["desk@example.org"],
        subject: "Grüße — 請求書 №1",
        text: "Zeile eins\nline two\n.\nFrom here on",
        html: '<p>Grüße <img src="cid:logo@x"></p>',
        headers: { "X-Order": "42", "List-Unsubscribe": `<https://example.com/${"u".repeat(300)}>` },
        attachments: [
          file("Rechnung № 1 – März.pdf", bytes("%PDF-1.7"), { content_type: "application/pdf" }),
          file("logo.png", PNG, { content_type: "image/png", content_id: "logo@x" }),
        ],
      },
      [bytes("%PDF-1.7"), PNG],
      { inReplyTo: "<b@x>", references: ["<a@x>", "<b@x>"] },
    );
    const ours = await parseMail(raw);
    expect(ours.faults).toEqual([]);
    expect(ours).toMatchObject({
      subject: "Grüße — 請求書 №1",
      from: { name: "Agent Ä", address: "agent+shop@mailkeep.test" },
      to: [
        { name: "Ann, the first", address: "ann@example.com" },
        { name: "李四", address: "li@xn--r8jz45g.jp" },
      ],
      cc: [{ name: 'O\'Neil "Bob"', address: "bob@example.com" }],
      messageId: `<${MINTED.token}@mailkeep.test>`,
      inReplyTo: "<b@x>",
      references: "<a@x> <b@x>",
      date: "2026-11-21T08:30:00.000Z",
      text: "Zeile eins\nline two\n.\nFrom here on",
    });
    expect(ours.html.trim()).toBe('<p>Grüße <img src="cid:logo@x"></p>');
    expect(ours.headers).toMatchObject({
      "x-order": "42",
      "list-unsubscribe": `<https://example.com/${"u".repeat(300)}>`,
      "reply-to": "desk@example.org",
      "mime-version": "1.0",
    });
    const byName = new Map(ours.attachments.map((one) => [one.filename, one]));
    expect(byName.get("Rechnung № 1 – März.pdf")).toMatchObject({
      contentType: "application/pdf",
      disposition: "attachment",
      contentId: null,
      content: bytes("%PDF-1.7"),
    });
    expect(byName.get("logo.png")).toMatchObject({
      contentType: "image/png",
      disposition: "inline",
      contentId: "logo@x",
      content: PNG,
    });

    const theirs = await PostalMime.parse(raw);
    expect(theirs.subject).toBe("Grüße — 請求書 №1");
    expect(theirs.from).toMatchObject({ name: "Agent Ä", address: "agent+shop@mailkeep.test" });
    expect(theirs.to?.map(({ name }) => name)).toEqual(["Ann, the first", "李四"]);
    expect(theirs.replyTo).toMatchObject([{ address: "desk@example.org" }]);
    expect(theirs.references).toBe("<a@x> <b@x>");
    expect(theirs.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual(
      expect.arrayContaining([
        ["Rechnung № 1 – März.pdf", "application/pdf"],
        ["logo.png", "image/png"],
      ]),
    );
  });

  it("never contains a Bcc", async () => {
    const raw = await composed({ bcc: ["Hidden <hidden@example.net>"], text: "Hi" });
    expect(raw.toString("latin1")).not.toMatch(/hidden|bcc/i);
  });

  it("has each field once, and no line beyond 998 octets or without CRLF", async () => {
    const raw = await composed({
      to: Array.from({ length: 50 }, (_, index) => `Ännchen ${"x".repeat(200)} <a${index}@example.com>`),
      subject: "s".repeat(998),
      text: `${"long ".repeat(3_000)}\rbare\nends`,
      headers: { "X-Long": `${"v".repeat(1_500)} ${"w ".repeat(2_000)}` },
    });
    const text = raw.toString("latin1");
    const lines = text.split("\r\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(new Set(namesOf(raw)).size).toBe(namesOf(raw).length);
    const { subject, headers } = await parseMail(raw);
    expect(subject).toBe("s".repeat(998));
    expect(headers["x-long"]?.length).toBeGreaterThan(3_000);
  });

  it.each<[string, Partial<Draft>, string]>([
    ["text alone", { text: "a" }, "text/plain"],
    ["HTML alone", { text: "", html: "<p>a" }, "text/html"],
    ["both", { text: "a", html: "<p>a" }, "multipart/alternative text/plain text/html"],
    [
      "text and a file",
      { text: "a", attachments: [file("a.bin", PNG)] },
      "multipart/mixed text/plain application/octet-stream",
    ],
    [
      "HTML with a picture",
      {
        text: "",
        html: "<img src=cid:p>",
        attachments: [file("p.png", PNG, { content_id: "p", content_type: "image/png" })],
      },
      "multipart/related text/html image/png",
    ],
    [
      "both with a picture and a file",
      {
        text: "a",
        html: "<img src=cid:p>",
        attachments: [
          file("p.png", PNG, { content_id: "<p>", content_type: "image/png" }),
          file("m.eml", PNG, { content_type: "message/rfc822" }),
        ],
      },
      "multipart/mixed multipart/alternative text/plain multipart/related text/html image/png application/octet-stream",
    ],
    [
      "text with a picture that no HTML shows",
      { text: "a", attachments: [file("p.png", PNG, { content_id: "p", content_type: "image/png" })] },
      "multipart/mixed text/plain image/png",
    ],
  ])("has the parts it needs and no more: %s", async (_, fields, structure) => {
    const files = fields.attachments ?? [];
    const raw = await composed(
      fields,
      files.map(() => PNG),
    );
    expect(structureOf(raw)).toBe(structure);
    expect((await parseMail(raw)).attachments.map(({ content }) => content)).toEqual(files.map(() => PNG));
  });

  it("preserves every kind of text", async () => {
    const texts = [
      "ASCII",
      "a\u0000b",
      "trailing  \n\n  leading",
      "é".repeat(5_000),
      "日本語",
      "=?utf-8?Q?x?=",
      "--=_x",
      "\u{1f600}",
    ];
    for (const text of texts) {
      const parsed = await parseMail(await composed({ text, html: `<b>${text}</b>` }));
      expect(parsed.text.trimEnd()).toBe(text.replaceAll("\0", "").trimEnd());
    }
  });

  it("has the same bytes at every attempt, whatever the pieces of its attachments", async () => {
    const content = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);
    const { message } = outgoingOf({
      subject: "Ünï",
      html: "<p>a",
      attachments: [file("a.bin", content), file("b.png", PNG, { content_id: "b" })],
    });
    const first = await bytesOf(composeMessage(message, opener([content, PNG])));
    const stored: typeof message = JSON.parse(JSON.stringify(message));
    const second = await bytesOf(
      composeMessage(stored, (index) => inPieces(index === 0 ? content : PNG, 777)),
    );
    expect(second.equals(first)).toBe(true);
    expect(composedBytes(message)).toBe(first.byteLength);
  });

  it.each([0, 1, 2, 3, 56, 57, 58, 114, 115, 10_000])("has the computed size: %i bytes", async (size) => {
    const content = new Uint8Array(size).fill(7);
    const { message } = outgoingOf({ attachments: [file("a.bin", content)] });
    const raw = await bytesOf(composeMessage(message, opener([content])));
    expect(composedBytes(message)).toBe(raw.byteLength);
    expect((await parseMail(raw)).attachments[0]?.content).toEqual(content);
  });

  it("throws if an attachment does not have the announced length, or cannot be read", async () => {
    const { message } = outgoingOf({ attachments: [file("a.bin", PNG)] });
    await expect(bytesOf(composeMessage(message, opener([PNG.subarray(1)])))).rejects.toThrow("200 bytes");
    await expect(bytesOf(composeMessage(message, opener([new Uint8Array(201)])))).rejects.toThrow(
      "200 bytes",
    );
    await expect(bytesOf(composeMessage(message, NO_FILES))).rejects.toThrow("no attachment");
  });

  it("splits encoded words between characters, none over 75 octets (RFC 2047 §2, §5)", async () => {
    for (const unit of ["é", "日", "\u{1f600}", "a é"]) {
      const subject = unit.repeat(240).trim();
      const raw = (
        await composed({ subject, to: [`${subject.slice(0, 256).toWellFormed()} <a@x.com>`] })
      ).toString("latin1");
      const words = raw.match(/=\?UTF-8\?[QB]\?[^?]*\?=/g) ?? [];
      expect(words.length).toBeGreaterThan(10);
      for (const word of words) {
        expect(word.length).toBeLessThanOrEqual(75);
        const [, , encoding, text = ""] = word.split("?");
        const bytes =
          encoding === "B"
            ? Buffer.from(text, "base64")
            : Buffer.from(
                text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
                  String.fromCharCode(parseInt(hex, 16)),
                ),
                "latin1",
              );
        expect(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)).not.toThrow();
      }
      expect(Math.max(...raw.split("\r\n").map(({ length }) => length))).toBeLessThanOrEqual(78);
    }
  });

  it("writes addresses in UTF-8 for SMTPUTF8, and domains in A-labels", async () => {
    const raw = await composed({ to: ["用户@例え.jp"], cc: ["ann@例え.jp"] });
    const { to, cc } = await parseMail(raw);
    expect(to.map(({ address }) => address)).toEqual(["用户@例え.jp"]);
    expect(cc.map(({ address }) => address)).toEqual(["ann@xn--r8jz45g.jp"]);
  });

  it("reads no file and calls no URL, whatever a text contains", async () => {
    const text = "file:///etc/passwd";
    const parsed = await parseMail(
      await composed({ text, html: '<img src="https://example.com/x.png">', subject: text }),
    );
    expect(parsed).toMatchObject({ text, subject: text, attachments: [] });
  });

  it("streams 30 MB without holding them in memory", async () => {
    const CHUNK = 65_536;
    const sizeBytes = 30_000_000;
    let pulled = 0;
    let cancelled = false;
    const open: OpenAttachment = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const length = Math.min(CHUNK, sizeBytes - pulled);
            if (length === 0) return controller.close();
            pulled += length;
            controller.enqueue(new Uint8Array(length).fill(pulled % 251));
          },
          cancel() {
            cancelled = true;
          },
        },
        { highWaterMark: 0 },
      );
    const { message } = outgoingOf({ attachments: [{ ...file("big.bin", PNG), sizeBytes }] });
    let seen = 0;
    let held = 0;
    for await (const chunk of composeMessage(message, open)) {
      seen += chunk.byteLength;
      held = Math.max(held, pulled - (seen * 3) / 4);
    }
    expect(pulled).toBe(sizeBytes);
    expect(seen).toBe(composedBytes(message));
    expect(held).toBeLessThan(1_000_000);

    pulled = 0;
    for await (const chunk of composeMessage(message, open)) if (chunk.byteLength > 1_000) break;
    await expect.poll(() => cancelled).toBe(true);
    expect(pulled).toBeLessThan(1_000_000);
  });
});

const unicode = fc.string({ unit: "grapheme", maxLength: 80 });
const hostile = fc.string({
  unit: fc.constantFrom(
    ...Array.from(" \t\"\\'<>@,;:()[]=?_%*.&aZ0é日\u{1f600}\u0301\u200b\u202e\u2028\u0085\u0007"),
    "=?utf-8?Q?=0D=0ABcc:_x?=",
    "=?utf-8?B?DQpCY2M6?=",
  ),
  maxLength: 60,
});
const anyText = fc.oneof(unicode, hostile);
const seenText = (text: string): string => text.replace(/\p{Cc}+|[\u2028\u2029]+/gu, " ").trim();

describe("any text", () => {
  const plainFields = ["from", "to", "cc", "message-id", "date", "subject", "x-note", "mime-version"];

  it("is read back from its field, and cannot inject another field", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (subject, name, filename) => {
        const made = outgoing(
          draftOf({
            subject: `s${subject}`,
            headers: { "X-Note": `n${subject}` },
            to: [`${JSON.stringify(name)} <ann@example.com>`],
            attachments: [file(filename, PNG)],
          }),
          NO_ANCESTRY,
          SENDER,
          MINTED,
        );
        // Ambiguous addresses are refused.
        fc.pre(made.ok);
        const { message } = made.value;
        const raw = await bytesOf(composeMessage(message, opener([PNG])));
        const parsed = await parseMail(raw);
        expect(parsed.subject).toBe(seenText(`s${subject}`));
        expect(
          namesOf(raw)
            .filter((field) => !field.startsWith("content-"))
            .toSorted(),
        ).toEqual(plainFields.filter((field) => field !== "cc").toSorted());
        expect(parsed.to).toHaveLength(1);
        expect(parsed.to[0]?.address).toBe("ann@example.com");
        expect(parsed.attachments[0]?.filename).toBe(message.attachments[0]?.filename);
        // JSON escapes what quotes do not, and encoded words were decoded when the name was read.
        const isLiteral = !/=\?|[\p{Cc}\\]/u.test(name);
        expect(message.to[0]?.name).toBe(isLiteral ? seenText(name) : message.to[0]?.name);
        expect(parsed.to[0]?.name).toBe(message.to[0]?.name);
      }),
      { numRuns: 150 },
    );
  });
});
