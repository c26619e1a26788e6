import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalAddress,
  isMailboxName,
  RESERVED_NAMES,
  trimmedAddress,
} from "../../../src/mail/address/address.ts";

describe("canonicalAddress", () => {
  it.each([
    ["Ann@Example.COM", "ann@example.com"],
    ["  <ann@example.com>\r\n", "ann@example.com"],
    ["ann+shop@example.com", "ann@example.com"],
    ["ann+a+b@example.com", "ann@example.com"],
    ['"ann"@example.com', "ann@example.com"],
    ['"ann+x"@example.com', "ann@example.com"],
    ["ann@example.com.", "ann@example.com"],
    ["ann@münchen.de", "ann@xn--mnchen-3ya.de"],
    ["ann@MU\u0308NCHEN.DE", "ann@xn--mnchen-3ya.de"],
    ["ann@XN--MNCHEN-3YA.de", "ann@xn--mnchen-3ya.de"],
    ["a.b-c_d@sub.example.com", "a.b-c_d@sub.example.com"],
  ])("gives the spellings of one mailbox one form: %j", (written, canonical) => {
    expect(canonicalAddress(written)).toBe(canonical);
  });

  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "a@b@example.com",
    "ann@@example.com",
    '"a b"@example.com',
    '"a\\"b"@example.com',
    '"a@b"@example.com',
    '""@example.com',
    "ann＠example.com",
    "änn@example.com",
    "\u212aate@example.com",
    "ann\u200b@example.com",
    "ann@exam\u200bple.com",
    "ann@exam\u00adple.com",
    "an n@example.com",
    "ann@example.com\0",
    "ann\r\n@example.com",
    "ann@[127.0.0.1]",
    "ann@127.0.0.1",
    "ann@2130706433",
    "ann@0x7f.1",
    "ann@[::1]",
    "ann@ex_ample.com",
    "ann@-example.com",
    "ann@example..com",
    "ann@example.com..",
    "ann@example.com:25",
    "ann@example.com/x",
    "ann@u:p",
    ".ann@example.com",
    "ann.@example.com",
    "a..b@example.com",
    "+tag@example.com",
    "ann.+tag@example.com",
    "<<ann@example.com>>",
    "Ann <ann@example.com>",
    "ann@example.com, bob@example.com",
    `${"a".repeat(65)}@example.com`,
    `ann@${"a".repeat(64)}.com`,
    `ann@${"a.".repeat(126)}abc`,
  ])("names no mailbox by %j", (written) => {
    expect(canonicalAddress(written)).toBeNull();
    expect(trimmedAddress(written)).toBeNull();
  });

  it("takes a local part of 64 octets and a domain of 253", () => {
    expect(canonicalAddress(`${"a".repeat(64)}@example.com`)).not.toBeNull();
    expect(canonicalAddress(`ann@${"a.".repeat(125)}abc`)).not.toBeNull();
  });

  it("keeps apart mailboxes that only look alike", () => {
    const alike = [
      "paypal@x.com",
      "paypaI@x.com",
      "paypal@х.com",
      "pay.pal@x.com",
      "pay%40pal@x.com",
      "paypal@x.co",
    ];
    expect(new Set(alike.map(canonicalAddress)).size).toBe(alike.length);
  });

  it("is idempotent and never throws", () => {
    const part = fc.string({
      unit: fc.constantFrom(...Array.from('aB1.+@"<> \\-_ü＠\u200b%:[]\0\r\n')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          part,
          fc.tuple(part, part).map((parts) => parts.join("@")),
          fc.emailAddress(),
        ),
        (written) => {
          const canonical = canonicalAddress(written);
          if (canonical === null) return;
          expect(canonicalAddress(canonical)).toBe(canonical);
          expect(canonical).toMatch(/^[\x21-\x3f\x41-\x7e]+@[a-z0-9.-]+$/);
          expect(canonicalAddress(trimmedAddress(written) ?? "")).toBe(canonical);
        },
      ),
    );
  });

  it("takes a host name in its only form as it takes one that the URL parser must bring into it", () => {
    const piece = fc.constantFrom(
      "a",
      "x",
      "n",
      "-",
      "xn--",
      "--",
      ".",
      "0",
      "12",
      "0x",
      "com",
      "b".repeat(63),
      "127",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const domain = pieces.join("");
        expect(canonicalAddress(`ann@${domain}`)).toBe(canonicalAddress(`ann@${domain.toUpperCase()}`));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("trimmedAddress", () => {
  it("keeps the tag and settles the rest", () => {
    expect(trimmedAddress(" <Ann+Shop@EXAMPLE.com.> ")).toBe("ann+shop@example.com");
    expect(trimmedAddress('"ann"@example.com')).toBe("ann@example.com");
  });
});

describe("isMailboxName", () => {
  it.each(["a", "ann", "a-b_c.d", "9lives", "a".repeat(40)])("can be claimed: %s", (name) => {
    expect(isMailboxName(name)).toBe(true);
  });

  it.each(["", "-a", "a-", ".a", "a..b", "Ann", "a+b", "а", "a b", "a@b", "a\n", "a".repeat(41)])(
    "cannot be claimed: %j",
    (name) => {
      expect(isMailboxName(name)).toBe(false);
    },
  );

  it("keeps the reserved names from everyone", () => {
    expect(RESERVED_NAMES.size).toBe(30);
    for (const name of RESERVED_NAMES) expect(isMailboxName(name)).toBe(false);
  });
});
