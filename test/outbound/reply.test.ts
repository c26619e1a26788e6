import { describe, expect, it } from "vitest";
import { diagnosticOf, MAX_DIAGNOSTIC_CHARS, verdictOf } from "../../src/outbound/reply.ts";

describe("a reply", () => {
  it.each([
    ["250 2.0.0 queued as 4711", "taken", 250, "2.0.0"],
    ["250", "taken", 250, null],
    ["450 4.2.0 later", "deferred", 450, "4.2.0"],
    ["451", "deferred", 451, null],
    ["421 4.3.2 closing", "deferred", 421, "4.3.2"],
    ["550 5.1.1 no such user", "refused", 550, "5.1.1"],
    ["554-5.7.1 first", "refused", 554, "5.7.1"],
    ["550 5.7.26", "deferred", 550, "5.7.26"],
  ])("%j is %s", (reply, kind, code, enhancedCode) => {
    expect(verdictOf(reply, "message")).toMatchObject({ result: { kind }, code, enhancedCode });
  });

  it.each(["", "hello", "2", "25", "2500 x", "600 x", "150 x", "354 go on", "250x", "\u0662\u0665\u0660 x"])(
    "of %j has no result, because it is not a valid final reply",
    (text) => {
      expect(verdictOf(text, "message")).toBe(null);
    },
  );

  it.each(["550 4.1.1 of another class", "550 5.1", "550 5.1.1.1 x", "550 5.1.1111 x", "550 see 5.1.1"])(
    "%j has no enhanced code that can be trusted",
    (reply) => {
      expect(verdictOf(reply, "message")?.enhancedCode).toBe(null);
    },
  );

  it("is joined to one line, without the repeated codes", () => {
    expect(
      verdictOf("550-5.1.1 The account\r\n550-5.1.1 does not\n550 5.1.1 exist", "message")?.diagnostic,
    ).toBe("550-5.1.1 The account does not exist");
  });

  it.each([
    ["session", "554 5.7.1 no", "deferred", true],
    ["sender", "550 no", "deferred", true],
    ["recipient", "421 4.3.2 closing", "deferred", true],
    ["recipient", "554 5.7.1 relay access denied", "deferred", false],
    ["recipient", "552 too many recipients", "deferred", false],
    ["recipient", "552 5.2.2 mailbox full", "refused", false],
    ["message", "554 5.6.0 not this", "refused", false],
  ] as const)(
    "to the command about the %s, %j, is %s, and concerns all recipients: %s",
    (stage, reply, kind, concernsAll) => {
      expect(verdictOf(reply, stage)).toMatchObject({ result: { kind }, concernsAll });
    },
  );
});

describe("a diagnostic", () => {
  it("is limited in length, and no character is split", () => {
    expect(diagnosticOf("x".repeat(10_000_000))).toHaveLength(MAX_DIAGNOSTIC_CHARS);
    const emoji = diagnosticOf("👋".repeat(1_000));
    expect(Array.from(emoji)).toHaveLength(MAX_DIAGNOSTIC_CHARS);
    expect(emoji.isWellFormed()).toBe(true);
  });

  it("has no line ends, control or invisible characters", () => {
    expect(diagnosticOf("a\r\nb\0c\u001b[31m\u2028d\u202ee\ud800f")).toBe("a b c [31m d e f");
  });
});
