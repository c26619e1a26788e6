import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_BATCH_ITEMS, readBatch, readBatchAnswer, writeBatch } from "../../src/contract/hand-over.ts";
import type { BatchItem } from "../../src/contract/hand-over.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const mail = fc.record({
  from: text,
  to: fc.array(text, { maxLength: 3 }),
  client: text,
  helo: text,
  sender: fc.constant(null),
});
const entry: fc.Arbitrary<{ item: BatchItem; bytes: Uint8Array | null }> = fc.oneof(
  text.map((lookUp) => ({ item: { lookUp }, bytes: null })),
  fc
    .tuple(mail, fc.uint8Array({ maxLength: 50 }))
    .map(([head, bytes]) => ({ item: { ...head, bytes: bytes.length }, bytes })),
);

const written = (entries: Parameters<typeof writeBatch>[0]): Uint8Array => Buffer.concat(writeBatch(entries));

describe("a batch of the SMTP listener", () => {
  it("is read as it was written, whatever its messages and names hold", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const read = readBatch(written(entries));
        expect(read?.map(({ item }) => item)).toEqual(entries.map(({ item }) => item));
        expect(read?.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).toEqual(
          entries.map(({ bytes }) => Buffer.from(bytes ?? []).toString("hex")),
        );
      }),
    );
  });

  it("is refused as a whole if it is cut, longer than it says, or no list of items", () => {
    const whole = written([
      {
        item: { from: "", to: ["a@b.example"], client: "::1", helo: "x", sender: null, bytes: 3 },
        bytes: Buffer.from("a\nb"),
      },
    ]);
    expect(readBatch(whole)).not.toBeNull();
    for (let end = 0; end < whole.length; end += 1) expect(readBatch(whole.subarray(0, end))).toBeNull();
    expect(readBatch(Buffer.concat([whole, Buffer.from("x")]))).toBeNull();
    for (const line of ["", "{}", "[1]", '[{"lookUp":1}]', '[{"lookUp":"a","bytes":1}]', '[{"bytes":-1}]'])
      expect(readBatch(Buffer.from(`${line}\n`))).toBeNull();
  });

  it(`has at most ${MAX_BATCH_ITEMS} items`, () => {
    const questions = (count: number) =>
      written(Array.from({ length: count }, () => ({ item: { lookUp: "a@b.example" }, bytes: null })));
    expect(readBatch(questions(MAX_BATCH_ITEMS))).toHaveLength(MAX_BATCH_ITEMS);
    expect(readBatch(questions(MAX_BATCH_ITEMS + 1))).toBeNull();
  });
});

it.each(["", "null", "[]", '{"item":0}', '{"item":"0","outcomes":[]}', '{"item":0,"outcomes":[{}]}'])(
  "a line of the answer that is no outcome is not read: %j",
  (line) => expect(readBatchAnswer(line)).toBeNull(),
);
