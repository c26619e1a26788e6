import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorOf } from "../../../src/mail/authentication/author.ts";

const of = (...fields: string[]): string | null =>
  authorOf(
    Buffer.from(
      `Subject: x\r\n${fields.join("\r\n")}\r\nTo: me@mailkeep.test\r\n\r\nFrom: body@evil.example\r\n`,
    ),
  ).domain;

describe("authorOf", () => {
  it.each([
    ["From: ann@example.com", "example.com"],
    ["FROM:ann@example.com", "example.com"],
    ["From \t: ann@example.com", "example.com"],
    ["From: <ann@Example.COM>", "example.com"],
    ["From: Ann <ann@example.com>", "example.com"],
    ['From: "Ann, of Kent <boss@bank.example>" <ann@example.com>', "example.com"],
    ["From: Ann (boss@bank.example) <ann@example.com> (home)", "example.com"],
    ["From: ann@example.com <ann@example.com>", "example.com"],
    ["From: =?utf-8?q?bank=40bank.example?= <ann@example.com>", "example.com"],
    ["From: Ann\r\n <ann@\r\n example.com>", null],
    ["From: Ann\r\n\t<ann@example.com>", "example.com"],
    ['From: "ann b"@example.com', "example.com"],
    ["From: Doe, John <john@example.com>", "example.com"],
    ["From: ann@b\u00fccher.example", "xn--bcher-kva.example"],
    ["From: ann@example.com.", "example.com"],
  ])("reads %j as %j", (field, domain) => {
    expect(of(field)).toBe(domain);
  });

  it.each([
    [[]],
    [["From:"]],
    [["From: Ann"]],
    [["From: ann@example.com", "From: ann@example.com"]],
    [["From: ann@example.com", "from : boss@bank.example"]],
    [["From: ann@example.com, boss@bank.example"]],
    [["From: <ann@example.com> <boss@bank.example>"]],
    [["From: <ann@example.com>, boss@bank.example"]],
    [["From: boss@bank.example, <ann@example.com>"]],
    [["From: people: <ann@example.com>;"]],
    [["From: ann@example.com\r\n ,boss@bank.example"]],
    [["From: people: ann@example.com, boss@bank.example;"]],
    [["From: undisclosed:;"]],
    [["From: <@relay.example:ann@example.com>"]],
    [["From: ann@example.com (open"]],
    [['From: "open <ann@example.com>']],
    [["From: ann@[192.0.2.1]"]],
    [["From: ann@bank.example@example.com"]],
    [["From: ann@example.com boss@bank.example"]],
    [["From: ann@exa mple.com"]],
    [["From: ann@example..com"]],
    [["From: ann@example.com\0.bank.example"]],
    [[`From: ${"x".repeat(5_000)} <ann@example.com>`]],
  ])("is null for %j", (fields) => {
    expect(of(...fields)).toBeNull();
  });

  it("counts a second From field behind thousands of other fields", () => {
    const filler = Array.from({ length: 1_900 }, (_, index) => `X-Filler-${index}: ${"y".repeat(100)}`);
    expect(of("From: ann@example.com", ...filler)).toBe("example.com");
    expect(of("From: ann@example.com", ...filler, "From: boss@bank.example")).toBeNull();
  });

  it("reads any bytes to the end, and never two authors as one", () => {
    const piece = fc.constantFrom(
      "From: ",
      "a@b.example",
      "<",
      ">",
      ",",
      '"',
      "(",
      ")",
      "\\",
      "\r\n",
      " ",
      ":",
      ";",
    );
    const header = fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(header, (text) => {
        authorOf(Buffer.from(text));
        expect(
          of("From: ann@example.com", `X: ${text.replaceAll(/\r?\n/g, "")}`, "From: b@c.example"),
        ).toBeNull();
      }),
    );
  });
});
