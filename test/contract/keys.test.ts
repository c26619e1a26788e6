import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { derivedSecret, keyOf, locatorOf, newSecret, readKey, secretDigest } from "../../src/contract/key.ts";

describe("a key", () => {
  it("contains the locator of its mailbox and its secret, and nothing of the address in clear", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const secret = newSecret();
        const key = keyOf(address, secret);
        expect(key).toMatch(/^mk_[0-9a-f]{64}$/);
        expect(readKey(key)).toEqual({ locator: locatorOf(address), secretHash: secretDigest(secret) });
      }),
    );
  });

  it("is mk_ and 64 lower-case hex digits", () => {
    const key = keyOf("a@b.c", newSecret());
    for (const wrong of [
      "",
      "mk_",
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      key.replace("mk_", "sk_"),
      `${key.slice(0, -1)}g`,
    ]) {
      expect(readKey(wrong)).toBeNull();
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readKey(text)).toBeNull();
      }),
    );
  });

  it("is unique among ten thousand, and a fair coin bit by bit", () => {
    const secrets = Array.from({ length: 10_000 }, newSecret);
    expect(new Set(secrets).size).toBe(10_000);
    let ones = 0;
    for (const secret of secrets) {
      for (const bit of BigInt(`0x${secret}`).toString(2)) if (bit === "1") ones += 1;
    }
    const bits = 10_000 * 128;
    // Six standard deviations.
    expect(Math.abs(ones - bits / 2)).toBeLessThan(3 * Math.sqrt(bits));
  });

  it("that is derived for an idempotent call is determined by its inputs, and by all of them", () => {
    expect(derivedSecret("s", "a")).toBe(derivedSecret("s", "a"));
    expect(derivedSecret("s", "a")).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set([derivedSecret("s", "a"), derivedSecret("s", "b"), derivedSecret("t", "a")]).size).toBe(3);
  });

  it("is stored as a digest that does not contain it", () => {
    const secret = newSecret();
    expect(secretDigest(secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(secretDigest(secret)).not.toContain(secret);
  });
});
