import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { getDomain } from "tldts";
import { describe, expect, it } from "vitest";
import { publicSuffixesFile } from "../../../scripts/public-suffixes.ts";
import { organizationalDomain } from "../../../src/mail/address/public-suffix.ts";

const FILE = path.resolve(import.meta.dirname, "../../../src/mail/tables/public-suffixes.ts");
/** Debian's copy of the list, of another day than ours. */
const LIST = "/usr/share/publicsuffix/public_suffix_list.dat";

describe("the organisational domain", () => {
  it.each([
    ["example.com", "example.com"],
    ["a.b.example.com", "example.com"],
    ["com", null],
    ["co.uk", null],
    ["a.b.co.uk", "b.co.uk"],
    ["alice.github.io", "alice.github.io"],
    ["mail.alice.github.io", "alice.github.io"],
    ["github.io", null],
    ["x.y.kawasaki.jp", "x.y.kawasaki.jp"],
    ["y.kawasaki.jp", null],
    ["a.city.kawasaki.jp", "city.kawasaki.jp"],
    ["www.ck", "www.ck"],
    ["a.www.ck", "www.ck"],
    ["other.ck", null],
    ["a.b.unknown-tld", "b.unknown-tld"],
    ["a.xn--p1ai", "a.xn--p1ai"],
    ["constructor", null],
  ])("of %s is %s", (domain, expected) => {
    expect(organizationalDomain(domain)).toBe(expected);
  });

  it("is read from a file that fits the pinned list (else: npm run docs)", () => {
    expect(readFileSync(FILE, "utf8")).toBe(publicSuffixesFile());
  });

  it.skipIf(!existsSync(LIST))(
    "is that of tldts for every rule of the list (skipped without publicsuffix)",
    () => {
      const rules = readFileSync(LIST, "utf8")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "" && !line.startsWith("//"));
      const names = rules.flatMap((rule) => {
        const plain = rule.replace(/^!/, "").replace("*", "any");
        return ["", "x.", "a.b."].flatMap((more) => URL.parse(`http://${more}${plain}`)?.hostname ?? []);
      });
      const different = names.filter(
        (name) => organizationalDomain(name) !== getDomain(name, { allowPrivateDomains: true }),
      );
      // A wildcard makes it a suffix, which tldts overlooks because it has rules below it too.
      expect(different.filter((name) => name !== "privatelink.snowflake.app")).toEqual([]);
      expect(names.length).toBeGreaterThan(20_000);
    },
  );
});
