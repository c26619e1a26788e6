import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  genericAddress,
  plainAddress,
  xtextDecoded,
  xtextEncoded,
} from "../../../src/mail/report/generic-address.ts";

describe("xtext", () => {
  it("encodes what RFC 3461 §4 tells to, and nothing else", () => {
    expect(xtextEncoded("ann+tag=1@example.com")).toBe("ann+2Btag+3D1@example.com");
    expect(xtextEncoded("a b\u00e9")).toBe("a+20b+C3+A9");
  });

  it.each([
    ["ann+2Btag@example.com", "ann+tag@example.com"],
    ["j+C3+A9r@example.com", "jér@example.com"],
    ["plain@example.com", "plain@example.com"],
  ])("decodes %s", (written, text) => {
    expect(xtextDecoded(written)).toBe(text);
  });

  it.each([
    "ann+tag@example.com",
    "ann+AB@example.com",
    "ann+41@example.com",
    "ann+2b@example.com",
    "ann+0D+0A@example.com",
    "ann+C3@example.com",
    "a+2Bb+c@example.com",
  ])("leaves %s, which no encoder wrote", (written) => {
    expect(xtextDecoded(written)).toBe(written);
  });

  it("comes back from any text without blanks and controls, and from nothing twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\p{Cc}\p{Z}]/u.test(text));
        expect(xtextDecoded(xtextEncoded(text))).toBe(text);
      }),
    );
  });
});

describe("genericAddress", () => {
  it.each<[string, string | null]>([
    ["rfc822; bob@example.org", "bob@example.org"],
    ["RFC822;<bob@example.org>", "bob@example.org"],
    ["rfc822 ; Bob@Example.org", "Bob@Example.org"],
    ["bob@example.org", "bob@example.org"],
    ["rfc822;@relay.example:bob@example.org", "bob@example.org"],
    ["utf-8; j\\x{E9}r@example.org", "jér@example.org"],
    ["utf-8; \\x{D800}@example.org", "\ufffd@example.org"],
    ["x400; /C=de/A= /P=x", "/C=de/A= /P=x"],
    ["rfc822;", null],
    ["rfc822; <>", null],
    ["", null],
    [`rfc822; ${"x".repeat(500)}@example.org`, null],
  ])("reads %j", (value, address) => {
    expect(genericAddress(value)).toBe(address);
  });

  it("gives one line of bounded length or nothing, for any value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        for (const address of [genericAddress(value), plainAddress(value)]) {
          expect(address ?? "x").not.toMatch(/^$|\p{Cc}/u);
          expect((address ?? "").isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
