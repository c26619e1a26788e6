import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Counted, countOperations } from "../../scripts/cost/measure.ts";
import { billOf, costPage, type Measured } from "../../scripts/cost/page.ts";
import { PRICES } from "../../scripts/cost/prices.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const measured: Measured = JSON.parse(readFileSync(path.join(ROOT, "scripts/cost/measured.json"), "utf8"));

/** The words and figures of a page, whatever the width of its tables and lines. */
const wordsOf = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ").trim();

describe("docs/cost.md", () => {
  // Once more, because the first use of a key in an hour is written down: an hour may begin between two operations.
  it(
    "has the requests and rows that each operation takes now; else run `npm run cost`",
    { retry: 1, timeout: 60_000 },
    async () => {
      const service = await Counted.start();
      try {
        expect(await countOperations(service)).toEqual(measured.counts);
      } finally {
        await service.close();
      }
    },
  );

  it("follows from what was counted and from the prices; else run `npm run cost`", () => {
    const page = readFileSync(path.join(ROOT, "docs/cost.md"), "utf8");
    expect(wordsOf(page)).toBe(wordsOf(costPage(measured, PRICES)));
  });
});

describe("the bill of an operation", () => {
  it("is its counts times the prices", () => {
    const counts = { workerRequests: 2, objectRequests: 3, rowsRead: 1_000, rowsWritten: 7, sent: 1 };
    const bill = billOf(counts, 5, PRICES);
    expect(bill.requests).toBeCloseTo(1.05e-6, 12);
    expect(bill.cpu).toBeCloseTo(1e-7, 12);
    expect(bill.rows).toBeCloseTo(8e-6, 12);
    expect(bill.sending).toBeCloseTo(0.000_35, 12);
    expect(bill.duration).toBeCloseTo(3 * 0.03 * 0.128 * 12.5e-6, 12);
  });
});
