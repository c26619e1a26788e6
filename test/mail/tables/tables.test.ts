import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { DIST } from "../../../scripts/build-worker.ts";
import { organizationalDomain } from "../../../src/mail/address/public-suffix.ts";
import { CARRIERS } from "../../../src/mail/extract/carrier-names.ts";
import { CURRENCIES } from "../../../src/mail/extract/currency-names.ts";
import { CARDS, WALLETS } from "../../../src/mail/extract/payment-names.ts";
import { LANGUAGES } from "../../../src/mail/languages/index.ts";
import { listed } from "../../../src/mail/languages/matching.ts";
import * as loaded from "../../../src/mail/tables/loaded-tables.ts";
import { publicSuffixes as loadedSuffixes } from "../../../src/mail/tables/loaded-suffixes.ts";
import type { MailTables } from "../../../src/mail/tables/mail-tables.ts";
import { publicSuffixes } from "../../../src/mail/tables/public-suffixes.ts";
import { TOKEN_CHARS } from "../../../src/mail/tables/token-chars.ts";
import { TOKEN_WEIGHTS } from "../../../src/mail/tables/token-weights.ts";

const names: Record<string, string> = JSON.parse(readFileSync(path.join(DIST, "assets.json"), "utf8"));
const asset: MailTables = JSON.parse(
  readFileSync(path.join(DIST, "public/assets", names["tables.json"] ?? ""), "utf8"),
);

/** A language with its lists of words as the words. */
const inWords = (value: unknown): unknown => {
  if (typeof value === "string") return value.includes("\n") || value.includes(", ") ? listed(value) : value;
  if (Array.isArray(value)) return value.map(inWords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inWords(inner)]));
};

describe("The tables that a deployment loads", () => {
  it("have every word of every language, in the order of the sources", () => {
    expect(asset.languages.map(inWords)).toEqual(LANGUAGES.map(inWords));
  });

  it("have every carrier, every currency and every way of paying", () => {
    expect(asset.cards).toEqual(CARDS);
    expect(asset.wallets).toEqual(WALLETS);
    expect(asset.carriers).toEqual(CARRIERS);
    expect(asset.currencies).toEqual(CURRENCIES);
  });

  it("have the Public Suffix List", () => {
    expect(asset.publicSuffixes).toBe(publicSuffixes());
    expect(organizationalDomain("mail.alice.github.io")).toBe("alice.github.io");
  });

  it("have the weights by which tokens are counted", () => {
    expect(asset.tokenWeights).toBe(TOKEN_WEIGHTS);
    expect(asset.tokenChars).toBe(TOKEN_CHARS);
  });

  it("cannot be read before they are loaded, and are then what was loaded", () => {
    expect(loaded.hasTables()).toBe(false);
    expect(() => loaded.readTables()).toThrow("not loaded");
    expect(() => loadedSuffixes()).toThrow("not loaded");
    loaded.provideTables(asset);
    expect(loaded.hasTables()).toBe(true);
    expect(loaded.readTables()).toBe(asset);
    expect(loadedSuffixes()).toBe(publicSuffixes());
  });
});
