import { expect, it } from "vitest";
import { DEFAULTS } from "../../scripts/soak/options.ts";
import { soak } from "../../scripts/soak/soak.ts";

it("loses nothing and repeats nothing under mixed load, with two kills and days that pass", async () => {
  const lines: string[] = [];
  const options = {
    ...DEFAULTS,
    minutes: 0.12,
    killSeconds: 3.6,
    mailboxes: 4,
    largestBytes: 700_000,
    // A small file system needs root, and `npm run soak` fills one.
    fillsDisk: false,
    backsUp: false,
  };
  const { samples, faults, ledger } = await soak(options, (line) => lines.push(line));
  expect([faults, lines]).toEqual([[], expect.any(Array)]);
  expect(samples).toHaveLength(2);
  for (const what of ["received", "sent", "heard", "read", "codes"] as const) {
    expect([what, ledger.counted(what) > 0]).toEqual([what, true]);
  }
});
