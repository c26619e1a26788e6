import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Contiguous } from "../../src/server/moving/contiguous.ts";

describe("how far a folder is imported", () => {
  it("is never beyond a message that is not stored, in whatever order messages come", () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(fc.nat(1_000), { minLength: 1 })
          .chain((uids) =>
            fc.tuple(
              fc.constant(uids.toSorted((one, other) => one - other)),
              fc.shuffledSubarray(uids, { minLength: uids.length }),
            ),
          ),
        ([uids, order]) => {
          const folder = new Contiguous(uids);
          const stored = new Set<number>();
          for (const uid of order) {
            const reached = folder.handled(uid);
            stored.add(uid);
            const gap = uids.findIndex((one) => !stored.has(one));
            expect(reached).toBe((gap < 0 ? uids.at(-1) : uids[gap - 1]) ?? null);
          }
        },
      ),
    );
  });
});
