import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Bytes } from "../../src/lib/base64.ts";
import { Base64Literal, LiteralError, mostDecoded } from "../../src/lib/base64-literal.ts";

/** Decodes a literal without its opening quote, `step` bytes at a time; throws if it is malformed. */
function decode(literal: string, step = 7): Buffer {
  const bytes = new TextEncoder().encode(literal);
  const decoder = new Base64Literal();
  const found: Uint8Array[] = [];
  for (let from = 0; from < bytes.length && !decoder.isOver; from += step) {
    const piece = bytes.slice(from, from + step);
    found.push(decoder.read(piece, 0, new Uint8Array(mostDecoded(step))).decoded.slice());
  }
  if (!decoder.isOver) throw new Error("The literal did not end");
  return Buffer.concat(found);
}

/** The number of bytes that a literal decodes to; null if it is no base64. */
function decodedBytes(literal: string): number | null {
  try {
    return decode(literal).byteLength;
  } catch (error) {
    if (error instanceof LiteralError) return null;
    throw error;
  }
}

const literalOf = (text: string) => JSON.stringify(text).slice(1);
/** Every character as an escape. */
const escaped = (text: string) =>
  `${Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;

describe("base64 in a JSON string", () => {
  it("is decoded byte for byte, however it is cut, broken into lines or escaped", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (bytes, step) => {
        const text = Buffer.from(bytes).toString("base64");
        const lines = text.replaceAll(/(.{8})/g, "$1\r\n");
        for (const written of [
          literalOf(text),
          literalOf(lines),
          literalOf(text.replace(/=+$/, "")),
          literalOf(text).replaceAll("/", "\\/"),
          escaped(text),
        ]) {
          expect(decode(written, step).equals(Buffer.from(bytes))).toBe(true);
        }
      }),
    );
  });

  it("accepts exactly what base64Bytes accepts", () => {
    const letters = fc.string({ unit: fc.constantFrom(...Array.from("ABz09+/=== \n-_é")), maxLength: 12 });
    fc.assert(
      fc.property(letters, (text) => {
        const size = base64Bytes(text);
        expect(decodedBytes(literalOf(text))).toBe(size);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['QU\nJD"', '\\x"', '\\u00g0"', '\\u004"'])(
    "is refused where its escapes are no JSON: %j",
    (literal) => {
      expect(() => decode(literal)).toThrow(expect.objectContaining({ kind: "json" }));
    },
  );
});
