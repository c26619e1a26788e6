import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mintToken,
  returnPathToken,
  returnPathWith,
  TOKEN_BYTES,
} from "../../../src/mail/address/return-path.ts";

const random = fc.uint8Array({ minLength: TOKEN_BYTES, maxLength: TOKEN_BYTES });
const ZEROS = new Uint8Array(TOKEN_BYTES);

describe("a return path", () => {
  it("is the mailbox with a tag of its own", () => {
    expect(mintToken(ZEROS)).toBe("a".repeat(20));
    expect(returnPathWith("Ann+news@Mailkeep.test", "a".repeat(20))).toBe(
      `ann+b.${"a".repeat(20)}@mailkeep.test`,
    );
  });

  it("gives its token back in any letter case, with and without brackets", () => {
    fc.assert(
      fc.property(random, fc.constantFrom("ann", "a.b-c", "x".repeat(40)), (bytes, local) => {
        const token = mintToken(bytes);
        const path = returnPathWith(`${local}@mailkeep.test`, token) ?? "";
        expect(path.split("@")[0]?.length).toBeLessThanOrEqual(64);
        expect(returnPathToken(path)).toBe(token);
        expect(returnPathToken(`<${path.toUpperCase()}>`)).toBe(token);
      }),
    );
  });

  it("has another token for other random bytes", () => {
    const token = (byte: number): string => mintToken(ZEROS.map(() => byte));
    expect(new Set(Array.from({ length: 32 }, (_, byte) => token(byte))).size).toBe(32);
  });

  it("has room beside 41 octets of local part and not beside 42", () => {
    expect(returnPathWith(`${"x".repeat(41)}@mailkeep.test`, mintToken(ZEROS))).not.toBeNull();
    expect(returnPathWith(`${"x".repeat(42)}@mailkeep.test`, mintToken(ZEROS))).toBeNull();
  });

  it("is not made for what is no address, nor with too little randomness", () => {
    expect(returnPathWith("nobody", mintToken(ZEROS))).toBeNull();
    expect(() => mintToken(new Uint8Array(4))).toThrow(RangeError);
  });
});

describe("returnPathToken", () => {
  it.each([
    "",
    "ann@mailkeep.test",
    "ann+b@mailkeep.test",
    "ann+b.short@mailkeep.test",
    `ann+b.${"a".repeat(21)}@mailkeep.test`,
    `ann+b.${"1".repeat(20)}@mailkeep.test`,
    `ann+c.${"a".repeat(20)}@mailkeep.test`,
    `ann+x+b.${"a".repeat(20)}@mailkeep.test`,
    `+b.${"a".repeat(20)}@mailkeep.test`,
    `ann+b.${"a".repeat(20)}`,
    `"ann+b.${"a".repeat(20)}@x"@mailkeep.test`,
  ])("is none in %j", (recipient) => {
    expect(returnPathToken(recipient)).toBeNull();
  });

  it("is none in anything but base32 of its length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (tag) => {
        fc.pre(!/^[a-z2-7]{20}$/i.test(tag));
        expect(returnPathToken(`ann+b.${tag}@mailkeep.test`)).toBeNull();
      }),
    );
  });
});
