import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Lines, base64LinesBytes } from "../../src/outbound/base64-lines.ts";

async function linesOf(content: Uint8Array, cuts: readonly number[]): Promise<string> {
  async function* pieces() {
    let from = 0;
    for (const to of [...cuts, content.byteLength]) {
      yield content.subarray(from, to);
      from = to;
    }
  }
  let text = "";
  for await (const chunk of base64Lines(pieces())) text += Buffer.from(chunk).toString("latin1");
  return text;
}

const content = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 151 + 7) % 256);
const expected = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("base64")
    .replace(/.{76}(?=.)/g, "$&\r\n");

describe("lines of base64", () => {
  // Lengths around one line and around one piece, and the two that need padding.
  it.each([0, 1, 2, 3, 56, 57, 58, 59, 114, 115, 29_183, 29_184, 29_185, 58_368, 100_000])(
    "encode %i bytes, 76 characters each, with CRLF between them, in the computed size",
    async (length) => {
      const bytes = content(length);
      const text = await linesOf(bytes, []);
      expect(text).toBe(expected(bytes));
      expect(base64LinesBytes(length)).toBe(text.length);
    },
  );

  it("are the same whatever the pieces of the content", async () => {
    const bytes = content(60_000);
    const whole = expected(bytes);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.byteLength), { maxLength: 20 }), async (cuts) => {
        const sorted = cuts.toSorted((one, two) => one - two);
        expect(await linesOf(bytes, sorted)).toBe(whole);
      }),
      { numRuns: 50 },
    );
  });

  it("pass on an error of the content", async () => {
    async function* broken() {
      yield content(100);
      throw new Error("The blob is gone");
    }
    const lines = base64Lines(broken());
    await expect(lines.next()).rejects.toThrow("The blob is gone");
  });
});
