import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idOf, idTail, nextSeq, readId, SEQ_PER_MS, seqTime, uuidV7 } from "../../src/lib/ids.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** 2109-05-15: the last time that such a number can hold. */
const LAST_MS = Math.floor(Number.MAX_SAFE_INTEGER / SEQ_PER_MS);

const seq = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const part = fc.option(fc.integer({ min: 0, max: 65_534 }));
const tail = fc.bigInt({ min: 0n, max: (1n << 46n) - 1n });

describe("an id", () => {
  it("is a UUIDv7 from which the message and part are read back", () => {
    fc.assert(
      fc.property(seq, tail, part, (number, own, piece) => {
        const id = idOf(number, own, piece);
        expect(id).toMatch(UUID_V7);
        expect(readId(id, own)).toEqual({ seq: number, part: piece });
        expect(readId(id.toUpperCase(), own)).toEqual({ seq: number, part: piece });
      }),
      { numRuns: 500 },
    );
  });

  it("is refused if it belongs to another mailbox", () => {
    fc.assert(
      fc.property(seq, tail, tail, part, (number, own, other, piece) => {
        fc.pre(own !== other);
        expect(readId(idOf(number, own, piece), other)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it("sorts like its number, so that ids are in order of time", () => {
    fc.assert(
      fc.property(seq, seq, tail, (one, two, own) => {
        fc.pre(one !== two);
        expect(idOf(one, own) < idOf(two, own)).toBe(one < two);
      }),
      { numRuns: 500 },
    );
  });

  it("has one spelling: no other text reads as the same message", () => {
    fc.assert(
      fc.property(fc.uuid(), tail, (text, own) => {
        const named = readId(text, own);
        expect(named === null || idOf(named.seq, own, named.part) === text).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    const own = idTail("locator");
    const id = idOf(123_456_789, own);
    for (const variant of ["9", "a", "b"]) {
      const respelled = `${id.slice(0, 19)}${variant}${id.slice(20)}`;
      expect(
        respelled === id || readId(respelled, own) === null || idOf(123_456_789, own) === respelled,
      ).toBe(true);
    }
  });

  it.each([
    "",
    "x",
    "0".repeat(36),
    "00000000-0000-4000-8000-000000000000",
    "ffffffff-ffff-7fff-bfff-ffffffffffff",
  ])("is not %j", (text) => {
    expect(readId(text, 0n)).toBeNull();
  });

  it("has a tail of 46 bits that depends only on the locator", () => {
    fc.assert(
      fc.property(fc.string(), (locator) => {
        expect(idTail(locator)).toBe(idTail(locator));
        expect(idTail(locator) >> 46n).toBe(0n);
      }),
    );
    const tails = Array.from({ length: 5_000 }, (_, n) => idTail(String(n)));
    expect(new Set(tails).size).toBe(5_000);
  });
});

describe("the next number", () => {
  it("is always higher than the last, and never older than the clock, whatever the clock does", () => {
    const clock = fc.array(fc.integer({ min: 0, max: LAST_MS - 10 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(clock, (times) => {
        let last = 0;
        for (const now of times) {
          const next = nextSeq(last, now);
          expect(next).toBeGreaterThan(last);
          expect(seqTime(next)).toBeGreaterThanOrEqual(now);
          expect(Number.isSafeInteger(next)).toBe(true);
          last = next;
        }
      }),
    );
  });

  it("has 2,048 values in a millisecond, and uses those of the next one for more", () => {
    let last = 0;
    for (let count = 0; count < SEQ_PER_MS; count += 1) {
      last = nextSeq(last, 1_000);
      expect(seqTime(last)).toBe(1_000);
    }
    expect(seqTime(nextSeq(last, 1_000))).toBe(1_001);
  });
});

describe("a random UUIDv7", () => {
  it("contains its time, sorts by it, and never repeats", () => {
    const ids = Array.from({ length: 5_000 }, () => uuidV7(1_700_000_000_000));
    expect(new Set(ids).size).toBe(5_000);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    fc.assert(
      fc.property(fc.nat(LAST_MS), fc.nat(LAST_MS), (one, two) => {
        fc.pre(one !== two);
        expect(uuidV7(one) < uuidV7(two)).toBe(one < two);
        expect(parseInt(uuidV7(one).replace("-", "").slice(0, 12), 16)).toBe(one);
      }),
    );
  });
});
