import { describe, expect, it } from "vitest";
import { RESERVED_NAMES } from "../../../src/mail/address/address.ts";
import { claimNameFault } from "../../../src/mail/address/claim-name.ts";

describe("a name that is claimed", () => {
  it.each([
    "a",
    "7",
    "billing",
    "jo.ann_7-x",
    "a".repeat(40),
    "mali",
    "developer",
    "information",
    "administer",
  ])("may be %s", (name) => {
    expect(claimNameFault(name)).toBeNull();
  });

  it("is none of those reserved", () => {
    for (const name of RESERVED_NAMES) expect(claimNameFault(name)).toBe(`${name} is reserved`);
  });

  it.each([
    "adm1n",
    "4dmin",
    "ad-min",
    "a.d.m.i.n",
    "p0stmaster",
    "post_master",
    "supp0rt",
    "5upport",
    "ab.use",

    "r00t",
    "adrnin",
    "vvebmaster",
    "he1p",
    "heip",
    "no.reply",
    "noreply".replace("o", "0"),
    "maller-daemon",
  ])("does not look like one of them: %s", (name) => {
    expect(claimNameFault(name)).toBe(`${name} looks like a reserved name`);
  });

  it.each([
    "",
    " ",
    "a".repeat(41),
    ".a",
    "a.",
    "-a",
    "a-",
    "_a",
    "a..b",
    "a+b",
    "a b",
    "a@b",
    "a/b",
    "A",
    // Cyrillic а, full-width a, a with an accent, Kelvin sign, zero width space, a line end, an emoji.
    "\u0430dmin",
    "\uff41dmin",
    "\u00e1dmin",
    "\u212aelvin",
    "a\u200bb",
    "a\nb",
    "\u{1f600}",
    "<script>",
    `"><img>`,
    "javascript:alert(1)",
  ])("is in the grammar: %j is not", (name) => {
    expect(claimNameFault(name)).toMatch(/^must be 1 to 40 of a-z/);
  });
});
