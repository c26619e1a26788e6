import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/lib/hash.ts";

/** The length at which the implementation changes. */
const EDGE = 768;

const reference = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("sha256Hex", () => {
  it("equals the platform's digest for every length around the size of a block", () => {
    for (let length = 0; length <= EDGE + 2; length += 1) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode((at * 31 + length) % 128)).join("");
      expect(sha256Hex(text)).toBe(reference(text));
    }
  });

  it("equals the platform's digest of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(reference(text));
      }),
    );
  });
});
