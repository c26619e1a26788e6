import { expect, it } from "vitest";
import { isUnsent, KEPT_HERE } from "../../src/outbound/unsent.ts";

it("recognizes unsent mail by its diagnostic, of this release and of older ones, and never by a host's reply", () => {
  expect(isUnsent("sent", KEPT_HERE)).toBe(true);
  expect(isUnsent("sent", "Kept here: this deployment has no way out (OUTBOUND=local)")).toBe(true);
  expect(isUnsent("sent", "250 2.0.0 Kept here: as far as the host says")).toBe(false);
  // The sender of a report chooses its diagnostic.
  expect(isUnsent("bounced", "Kept here: so the report says")).toBe(false);
  expect(isUnsent("sent", null)).toBe(false);
});
