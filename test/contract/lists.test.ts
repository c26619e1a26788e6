import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { routes } from "../../src/contract/routes.ts";

/** Faults of a part of a request, as in the answer to the client. */
function faultsOf(shape: z.ZodType | null, value: unknown): string[] {
  if (shape === null) throw new Error("The route takes no body");
  const parsed = shape.safeParse(value);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a list in a request", () => {
  it("of labels holds at most 50, and of 400,000 wrong ones few are read", () => {
    const { body } = routes.labelEmail;
    const labels = (count: number) => Array.from({ length: count }, (_, n) => `l${n}`);
    for (const field of ["add_labels", "remove_labels"]) {
      expect(faultsOf(body, { [field]: labels(50) })).toEqual([]);
      for (const count of [51, 400_000])
        expect(faultsOf(body, { [field]: labels(count) })).toEqual([`${field}: must name at most 50 labels`]);
      expect(faultsOf(body, { [field]: Array.from({ length: 400_000 }, () => 5) }).length).toBeLessThan(60);
    }
  });

  it.each(["events", "changes"] as const)("of kinds holds at most 20: %s", (id) => {
    const { query } = routes[id];
    const kinds = (count: number) => Array.from({ length: count }, () => "message.sent").join(",");
    expect(faultsOf(query, { types: kinds(20) })).toEqual([]);
    for (const types of [kinds(21), kinds(400_000), ",".repeat(400_000)])
      expect(faultsOf(query, { types })).toEqual(["types: must name at most 20 kinds"]);
    expect(faultsOf(query, { types: "message.sent,other" })).toEqual([
      expect.stringMatching(/^types: must be some of/),
    ]);
  });
});
