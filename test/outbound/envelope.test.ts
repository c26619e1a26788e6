import { describe, expect, it } from "vitest";
import { isPath } from "../../src/outbound/envelope.ts";

describe("the path of an SMTP envelope", () => {
  it.each([
    "a@b.example",
    "a+tag@xn--bcher-kva.example",
    "o'brien!#$%&*/=?^_`{|}~-@b.example",
    '"a b"@c.example',
    '"a\\"b"@c.example',
    "ünï@c.example",
    "a@[192.0.2.1]",
    "a@[IPv6:2001:db8::1]",
    "a@localhost",
    `${"x".repeat(64)}@b.example`,
  ])("may be %j", (path) => {
    expect(isPath(path)).toBe(true);
  });

  it.each([
    "",
    "@b.example",
    "a@",
    "a",
    "a b@c.example",
    "a@b.example ",
    "a@b.example\r\nDATA",
    "a@b.example>",
    "<a@b.example>",
    "a,b@c.example",
    '"a>b"@c.example',
    '"a\rb"@c.example',
    '"a\\',
    '"a"b"@c.example',
    "a@bücher.example",
    "a@b@c.example",
    "a\0@b.example",
    "a\u0085@b.example",
    "a\u2028@b.example",
    "\ud800@b.example",
    `${"ü".repeat(130)}@b.example`,
  ])("may not be %j", (path) => {
    expect(isPath(path)).toBe(false);
  });
});
