import { expect, it } from "vitest";
import { isKept, KEPT_HERE } from "../../src/outbound/kept.ts";

it("knows kept mail by its diagnostic, of this release and of older ones, and takes no host's word for it", () => {
  expect(isKept("sent", KEPT_HERE)).toBe(true);
  expect(isKept("sent", "Kept here: this deployment has no way out (OUTBOUND=local)")).toBe(true);
  expect(isKept("sent", "250 2.0.0 Kept here: as far as the host says")).toBe(false);
  // The diagnostic of a report is whatever its sender wrote.
  expect(isKept("bounced", "Kept here: so the report says")).toBe(false);
  expect(isKept("sent", null)).toBe(false);
});
