import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReceiveMode, type RefusalReason } from "../../src/contract/rules.ts";
import {
  canonicalMatch,
  matchesFor,
  readEntries,
  refusalOf,
  type JudgedMail,
  type RuleEntry,
} from "../../src/mailbox/rules/rules.ts";

/** Few labels and names, so that entries and senders meet. */
const label = fc.constantFrom("a", "b", "com");
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const address = fc.tuple(fc.constantFrom("x", "y"), domain).map(([name, host]) => `${name}@${host}`);
const entry: fc.Arbitrary<RuleEntry> = fc
  .record({
    match: fc.oneof(
      address,
      domain,
      domain.map((host) => `*.${host}`),
    ),
    list: fc.constantFrom("allow" as const, "block" as const),
    unverified: fc.boolean(),
  })
  .map((one) => ({ ...one, unverified: one.list === "allow" && one.unverified }));
const rules = fc.record({
  mode: fc.constantFrom(...ReceiveMode.options),
  entries: fc.uniqueArray(entry, { maxLength: 12, selector: ({ match, list }) => `${list} ${match}` }),
});
const mail: fc.Arbitrary<JudgedMail> = fc.record({
  senders: fc.array(fc.oneof(address, fc.constant("nobody"), fc.constant("")), { maxLength: 3 }),
  isVerified: fc.boolean(),
});

const finding = (entries: readonly RuleEntry[]) => (matches: readonly string[]) =>
  entries.filter(({ match }) => matches.includes(match));

/** How closely an entry names a sender, as text is compared; null if it does not name it. */
function closeness(match: string, sender: string): number | null {
  const [, host = ""] = sender.split("@");
  if (!sender.includes("@")) return null;
  if (match === sender) return 2_000;
  if (match === host) return 1_000;
  return match.startsWith("*.") && host.endsWith(match.slice(1)) ? match.length : null;
}

/** The rules as the documentation says them, one sender at a time, by looking at every entry. */
function naive(
  { mode, entries }: { mode: ReceiveMode; entries: readonly RuleEntry[] },
  { senders, isVerified }: JudgedMail,
): RefusalReason | null {
  const isProven = isVerified && senders.length < 2;
  const verdicts = (senders.length === 0 ? [""] : senders).map((sender): RefusalReason | null => {
    const near = entries
      .map((one) => ({ ...one, close: closeness(one.match, sender) }))
      .filter(({ close }) => close !== null);
    const counting = near.filter(({ list, unverified }) => list === "block" || unverified || isProven);
    const closest = Math.max(...counting.map(({ close }) => close ?? 0));
    const deciding = counting.filter(({ close }) => close === closest);
    if (deciding.some(({ list }) => list === "block")) return "blocked";
    if (deciding.length > 0) return null;
    if (mode === "everyone" || (mode === "verified" && isProven)) return null;
    return mode === "verified" || near.length > 0 ? "not_verified" : "not_listed";
  });
  if (verdicts.includes("blocked")) return "blocked";
  return verdicts.includes("not_verified")
    ? "not_verified"
    : verdicts.includes("not_listed")
      ? "not_listed"
      : null;
}

const namesFor = (sender: string) => matchesFor(sender).map(({ match }) => match);

describe("a wildcard", () => {
  const reason = (list: "allow" | "block", match: string, sender: string) =>
    refusalOf(
      list === "allow" ? "listed" : "everyone",
      { senders: [sender], isVerified: true },
      finding([{ match, list, unverified: false }]),
    );

  it.each([
    ["*.code.com", "x@a.builder.code.com"],
    ["*.code.com", "x@b.a.builder.code.com"],
    ["*.amazonaws.com", "x@bucket.s3.amazonaws.com"],
  ])("in allow does not name those to whom its names were given: %s, %s", (match, sender) => {
    expect(reason("allow", match, sender)).toBe("not_listed");
  });

  it.each([
    ["*.code.com", "x@mail.code.com"],
    ["*.b.a.builder.code.com", "x@c.b.a.builder.code.com"],
    ["*.gov.uk", "x@council.gov.uk"],
    ["*.github.io", "x@alice.github.io"],
    ["*.uk", "x@brand.co.uk"],
  ])("in allow names its own, and everyone below a suffix that it names: %s, %s", (match, sender) => {
    expect(reason("allow", match, sender)).toBeNull();
  });

  it("in block names them all", () => {
    expect(reason("block", "*.code.com", "x@a.builder.code.com")).toBe("blocked");
  });
});

describe("the rules of a mailbox", () => {
  it("decide as their description says", () => {
    fc.assert(
      fc.property(rules, mail, (some, judged) => {
        expect(refusalOf(some.mode, judged, finding(some.entries))).toBe(naive(some, judged));
      }),
      { numRuns: 3_000 },
    );
  });

  it("do not depend on the order of their entries", () => {
    const shuffled = rules.chain((some) =>
      fc.tuple(
        fc.constant(some),
        fc.shuffledSubarray(some.entries, { minLength: some.entries.length, maxLength: some.entries.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, mail, ([some, others], judged) => {
        expect(refusalOf(some.mode, judged, finding(others))).toBe(
          refusalOf(some.mode, judged, finding(some.entries)),
        );
      }),
    );
  });

  it("ask for as many entries as the sender's domain has labels, and one more", () => {
    expect(namesFor("Ann <x>@Mail.Shop.Example")).toEqual([
      "mail.shop.example",
      "*.shop.example",
      "*.example",
    ]);
    expect(namesFor("Ann+tag@Shop.Example")).toEqual(["ann+tag@shop.example", "shop.example", "*.example"]);
    expect(matchesFor(`a@${"a.".repeat(120)}example`).length).toBe(122);
    for (const sender of ["", "@", "nobody", "a@", "a@[192.0.2.1]", `a@${"x".repeat(2_000)}`]) {
      expect(matchesFor(sender)).toEqual([]);
    }
  });

  it("name no sender by letters that only look like its own", () => {
    const kelvin = "\u212Aim@example.com";
    expect(canonicalMatch(kelvin)).toBeNull();
    expect(namesFor(kelvin)).toEqual(["example.com", "*.com"]);
    expect(canonicalMatch("\u0430nn@example.com")).not.toBe("ann@example.com");
    expect(canonicalMatch("ex\u0430mple.com")).toBe("xn--exmple-4nf.com");
    expect(canonicalMatch("KIM@Example.COM.")).toBe("kim@example.com");
    expect(canonicalMatch("*.B\u00fccher.Example")).toBe("*.xn--bcher-kva.example");
  });

  it.each([
    "*",
    "*.",
    "*.*.com",
    "a*@example.com",
    "*@example.com",
    "@example.com",
    "a@b@c.d",
    "ex ample.com",
    "1.2.3.4",
    "[192.0.2.1]",
  ])("cannot name %s", (match) => {
    const { faults } = readEntries({ allow: [{ match: "example.com" }, { match }] });
    expect(faults.map(({ path }) => path)).toEqual(["receive.allow[1].match"]);
  });

  it("take the same entry twice as one, unless the two contradict each other", () => {
    const same = readEntries({ block: [{ match: "Example.com" }, { match: "example.com." }] });
    expect(same).toEqual({
      entries: [{ match: "example.com", list: "block", unverified: false }],
      faults: [],
    });
    const { faults } = readEntries({ allow: [{ match: "a.b" }, { match: "A.b", unverified: true }] });
    expect(faults).toEqual([
      {
        path: "receive.allow[1].match",
        message: expect.stringContaining("receive.allow[0].match") as string,
      },
    ]);
  });
});
