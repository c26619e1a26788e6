import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needsSmtpUtf8, recipientAddress } from "../../../src/mail/address/address.ts";
import {
  customHeaders,
  MAX_CUSTOM_HEADER_BYTES,
  readMessageId,
  readNamedAddress,
} from "../../../src/mail/compose/outgoing-fields.ts";

describe("recipientAddress", () => {
  it.each([
    ["Ann.Lee@Example.COM", "Ann.Lee@example.com"],
    ['"ann"@example.com', "ann@example.com"],
    ["ann+tag@example.com", "ann+tag@example.com"],
    ["ann@例え.jp", "ann@xn--r8jz45g.jp"],
    ["ann@MÜNCHEN.de.", "ann@xn--mnchen-3ya.de"],
    ["用户@例え.jp", "用户@xn--r8jz45g.jp"],
    ["u\u0308ser@example.com", "\u00fcser@example.com"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [
      `a@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.${"e".repeat(60)}`,
      `a@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.${"e".repeat(60)}`,
    ],
  ])("can be sent to: %s", (written, address) => {
    expect(recipientAddress(written)).toBe(address);
  });

  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "a b@example.com",
    "a..b@example.com",
    ".a@example.com",
    '"a b"@example.com',
    '"a>b"@example.com',
    "a@b@example.com",
    "x@y>\r\nRCPT TO:<z@q",
    "a\0@example.com",
    "a@[127.0.0.1]",
    "a@127.0.0.1",
    "a@-example.com",
    "a@exam ple.com",
    "\u200ba@example.com",
    "a\u202e@example.com",
    "a\u00a0b@example.com",
    "a\ud800@example.com",
    "a,b@example.com",
    "a;b@example.com",
    "a(c)@example.com",
    `${"a".repeat(65)}@example.com`,
    `${"é".repeat(33)}@example.com`,
    `a@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.${"e".repeat(61)}`,
    `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(62)}`,
    `${"a".repeat(320)}@example.com`,
  ])("cannot be sent to: %j", (written) => {
    expect(recipientAddress(written)).toBeNull();
  });

  it("tells which addresses need SMTPUTF8", () => {
    expect(needsSmtpUtf8("用户@xn--r8jz45g.jp")).toBe(true);
    expect(needsSmtpUtf8("ann@xn--r8jz45g.jp")).toBe(false);
  });
});

describe("readNamedAddress", () => {
  it.each([
    ["ann@x.com", "", "ann@x.com"],
    ["<ann@x.com>", "", "ann@x.com"],
    [" Ann <ann@x.com> ", "Ann", "ann@x.com"],
    ["Lee, Ann <ann@x.com>", "Lee, Ann", "ann@x.com"],
    ['"Lee, \\"Ann\\" \\\\" <ann@x.com>', 'Lee, "Ann" \\', "ann@x.com"],
    ['Ann "A" Lee <ann@x.com>', 'Ann "A" Lee', "ann@x.com"],
    ["=?UTF-8?Q?J=C3=BCrgen?= <j@x.com>", "Jürgen", "j@x.com"],
    ["bob@x.com <ann@x.com>", "bob@x.com", "ann@x.com"],
    ["A\tB\u2028C\u0007 <ann@x.com>", "A B C", "ann@x.com"],
    ["日本\u{1f600} <ann@x.com>", "日本\u{1f600}", "ann@x.com"],
    ["a\ud800 <ann@x.com>", "a\ufffd", "ann@x.com"],
    [`${"n".repeat(256)} <ann@x.com>`, "n".repeat(256), "ann@x.com"],
  ])("reads %j", (written, name, address) => {
    expect(readNamedAddress(written)).toEqual({ ok: true, value: { name, address } });
  });

  it.each([
    "",
    "Ann",
    "Ann <>",
    "Ann <ann>",
    "a@x.com, b@x.com",
    "a@x.com; b@x.com",
    "friends: a@x.com, b@x.com;",
    "undisclosed-recipients:;",
    "<a@x.com> (comment)",
    "Ann <a@x.com> b@x.com",
    "Ann <a@x.com",
    "a@x.com>",
    "<<a@x.com>>",
    "Ann\r\nBcc: eve@x.com <a@x.com>",
    "Ann <a@x.com\r\nBcc: eve@x.com>",
    "Ann\0 <a@x.com>",
    "a@x.com\n",
    "=?utf-8?q?x=0D=0ABcc:_eve@x.com?= <a@x.com>",
    "=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?= <a@x.com>",
    `${"n".repeat(257)} <ann@x.com>`,
  ])("refuses %j", (written) => {
    expect(readNamedAddress(written).ok).toBe(false);
  });

  it("gives a name on one line and an address without blanks, for any input", () => {
    const part = fc.string({
      unit: fc.constantFrom(...Array.from(' \r\n\0\t"\\<>@,;:()=?qQutf-8_é日\u{1f600}\u2028a1.')),
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          part,
          fc.tuple(part, part).map(([name, rest]) => `${name}<${rest}@x.com>`),
          fc.string({ unit: "grapheme" }).map((name) => `${name} <a@x.com>`),
        ),
        (written) => {
          const read = readNamedAddress(written);
          if (!read.ok) return;
          expect(read.value.name).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect(read.value.address).toMatch(/^[^\s<>,;:"()[\]\\@]+@[a-z0-9.-]+$/);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("customHeaders", () => {
  it.each([
    ["List-Unsubscribe", "<https://x.com/u?a=1,2>", true],
    ["List-Unsubscribe", "<https://x.com/u>, <mailto:leave@x.com?subject=bye>", true],
    ["list-unsubscribe", "<HTTPS://x.com/u>", true],
    ["List-Unsubscribe", "<http://x.com/u>", false],
    ["List-Unsubscribe", "<ftp://x.com/u>", false],
    ["List-Unsubscribe", "<javascript:alert(1)>", false],
    ["List-Unsubscribe", "https://x.com/u", false],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click", true],
    ["LIST-UNSUBSCRIBE-POST", "list-unsubscribe=yes", false],
  ])("accepts fields that mail clients act on in their standard form only: %s: %s", (name, value, isFine) => {
    expect(customHeaders({ [name]: value }).ok).toBe(isFine);
  });

  it("keeps names and values, and folds what is on several lines to one", () => {
    expect(
      customHeaders({
        "X-Order": " 42 ",
        "List-Unsubscribe": "<https://x.com/u>",
        "Auto-Submitted": "auto-replied",
        "X-T": "a\tb",
      }),
    ).toEqual({
      ok: true,
      value: [
        { name: "X-Order", value: "42" },
        { name: "List-Unsubscribe", value: "<https://x.com/u>" },
        { name: "Auto-Submitted", value: "auto-replied" },
        { name: "X-T", value: "a b" },
      ],
    });
  });

  const denied =
    "From Sender To Cc Bcc Reply-To Subject Date Message-ID In-Reply-To References MIME-Version Content-Type " +
    "Content-Transfer-Encoding Content-Anything Return-Path Received Delivered-To X-Original-To Original-Recipient " +
    "Resent-From Resent-Bcc Apparently-To Errors-To DKIM-Signature DomainKey-Signature ARC-Seal ARC-Message-Signature " +
    "Authentication-Results Received-SPF CFBL-Address CFBL-Feedback-ID X-SMTPAPI X-SES-Source-ARN X-Mailgun-Variables " +
    "X-MC-Track X-PM-Tag X-MSYS-API X-Mailkeep-Loop";
  it.each(denied.split(" ").flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))(
    "refuses what the service writes: %s",
    (name) => {
      expect(customHeaders({ [name]: "x" })).toMatchObject({
        ok: false,
        error: { code: "invalid", error: `headers.${name}: is written by the service and cannot be set` },
      });
    },
  );

  it.each([
    ["", "x"],
    ["X A", "x"],
    ["X:A", "x"],
    ["From ", "x"],
    ["From: eve@x.com\r\nX", "x"],
    ["X-\0", "x"],
    ["X-Ä", "x"],
    ["X-(a)", "x"],
    ["x".repeat(77), "x"],
    ["X-A", "a\r\nBcc: eve@x.com"],
    ["X-A", "a\rb"],
    ["X-A", "a\nb"],
    ["X-A", "a\0b"],
    ["X-A", ""],
    ["X-A", " \t "],
  ])("refuses %j: %j", (name, value) => {
    const read = customHeaders({ [name]: value });
    expect(read).toMatchObject({ ok: false, error: { code: "invalid" } });
    expect(JSON.stringify(read)).not.toMatch(/\\r|\\n|\\u0000/);
  });

  it("takes a name once, in any case", () => {
    expect(customHeaders({ "X-A": "1", "x-a": "2" }).ok).toBe(false);
  });

  it("is an object of fields like any other", () => {
    const headers = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    expect(customHeaders(headers)).toMatchObject({
      ok: true,
      value: [{ name: "__proto__" }, { name: "constructor" }],
    });
  });

  it("takes 50 fields and 16 KiB, and no more", () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, "v"]));
    expect(customHeaders(fields(50)).ok).toBe(true);
    expect(customHeaders(fields(51)).ok).toBe(false);
    const room = MAX_CUSTOM_HEADER_BYTES - "X-A:".length;
    expect(customHeaders({ "X-A": "v".repeat(room) }).ok).toBe(true);
    expect(customHeaders({ "X-A": "v".repeat(room + 1) }).ok).toBe(false);
  });
});

describe("readMessageId", () => {
  it.each([
    ["", null],
    [" ", null],
    ["<a@x.com>", "<a@x.com>"],
    ["a@x.com", "<a@x.com>"],
    [`<${"a".repeat(898)}>`, `<${"a".repeat(898)}>`],
  ])("reads %j", (written, id) => {
    expect(readMessageId("in_reply_to", written)).toEqual({ ok: true, value: id });
  });

  it.each([
    "<a@x.com> <b@x.com>",
    "<>",
    "<a@x\r\nBcc: b@x>",
    "<a@é.com>",
    "no id at all",
    `<${"a".repeat(899)}>`,
  ])("refuses %j", (written) => {
    expect(readMessageId("in_reply_to", written)).toMatchObject({ ok: false, error: { code: "invalid" } });
  });
});
