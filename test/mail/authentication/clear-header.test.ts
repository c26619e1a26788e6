import fc from "fast-check";
import { expect, it } from "vitest";
import { readFields, valueOf } from "../../../src/mail/authentication/checks/header-fields.ts";
import { MessageStream } from "../../../src/mail/authentication/checks/message-stream.ts";
import { hasClearHeader } from "../../../src/mail/authentication/clear-header.ts";
import { decodeLegacy, readHeaderBlock, skipEmptyLines } from "../../../src/mail/mime/header-block.ts";
import { runs } from "../../runs.ts";

const PIECES = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  "Subject",
  "Content-Type: text/plain",
  "From: a@b.example\r\n",
  "X-Note: x\r\n",
  "To",
  "\xfc",
  "\xc3\xbc",
  "\x0b",
  "\r\n\r\n",
];

/** The fields and the body that the check of signatures sees. */
function signedReading(raw: Uint8Array) {
  let header = Buffer.alloc(0);
  const stream = new MessageStream((found) => {
    header = Buffer.from(found ?? []);
    return [];
  });
  stream.push(raw);
  stream.finish();
  const fields = readFields(header.toString("latin1"));
  const value = (text: string): string =>
    decodeLegacy(Buffer.from(text, "latin1")).replace(/\r\n/g, "").trim();
  return {
    fields: fields.map((field) => [field.name, value(valueOf(field))]),
    bodyStart: header.length,
  };
}

/** The fields and the body that are shown. */
function shownReading(raw: Uint8Array) {
  const skipped = skipEmptyLines(raw);
  const { fields, bodyStart } = readHeaderBlock(raw.subarray(skipped));
  return {
    fields: fields.map(({ name, value }) => [name, value.trim()]),
    bodyStart: skipped + bodyStart,
  };
}

it("a clear header is read alike by those who check signatures and those who show the mail", () => {
  const anyMail = fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 4 })), {
      maxLength: 14,
    })
    .map((pieces) => Buffer.from(pieces.join(""), "latin1"));
  let clear = 0;
  fc.assert(
    fc.property(anyMail, (raw) => {
      if (!hasClearHeader(raw)) return;
      clear += 1;
      expect(signedReading(raw)).toEqual(shownReading(raw));
    }),
    { numRuns: runs(5_000) },
  );
  expect(clear).toBeGreaterThan(50);
});

it("a header is judged by its own bytes and not by those of the body", () => {
  const header = "From: a@b.example\r\nSubject: x\r\n\r\n";
  for (const body of ["\rSubject: y\r\n", "\0", "From: b@c.example\r\n", "x".repeat(300_000)]) {
    expect(hasClearHeader(Buffer.from(header + body))).toBe(true);
  }
  expect(hasClearHeader(Buffer.from(header))).toBe(true);
  expect(hasClearHeader(Buffer.from("From: a@b.example"))).toBe(true);
});
