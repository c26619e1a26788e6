import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/lib/hash.ts";
import { MAX_SHORT_CHARS, shortSha256Hex } from "../../src/lib/sha256.ts";

const reference = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("sha256Hex", () => {
  it("is the platform's digest for every length about the edges of a block", () => {
    for (let length = 0; length <= MAX_SHORT_CHARS + 2; length += 1) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode((at * 31 + length) % 128)).join("");
      expect(sha256Hex(text)).toBe(reference(text));
    }
  });

  it("is the platform's digest of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(reference(text));
      }),
    );
  });
});

describe("shortSha256Hex", () => {
  it("gives the examples of FIPS 180-4", () => {
    expect(shortSha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(shortSha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
  });

  it("leaves alone what is no ASCII, and what is long", () => {
    expect(shortSha256Hex("Zoë")).toBeNull();
    expect(shortSha256Hex("\u0080")).toBeNull();
    expect(shortSha256Hex(`${"a".repeat(70)}é`)).toBeNull();
    expect(shortSha256Hex("a".repeat(MAX_SHORT_CHARS))).not.toBeNull();
    expect(shortSha256Hex("a".repeat(MAX_SHORT_CHARS + 1))).toBeNull();
  });
});
