import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  automaticAnswerFault,
  type HeadedMail,
  isAutomaticAnswer,
  isAutoReplied,
  isAutoSubmitted,
} from "../../src/mail/automatic.ts";
import { isOwnAddress } from "../../src/mail/compose/outgoing.ts";

const PERSON: HeadedMail = {
  headers: { from: "Ann <ann@example.com>", "mime-version": "1.0" },
  fromAddress: "ann@example.com",
  envelopeFrom: "ann@example.com",
  subject: "Lunch?",
};
const withHeaders = (headers: Record<string, string>): HeadedMail => ({ ...PERSON, headers });
const isOwn = isOwnAddress("agent@mailkeep.test", []);
const faultOf = (mail: HeadedMail) => automaticAnswerFault(mail, isOwn);
const hops = (count: number) => ({ received: Array.from({ length: count }, () => "by x").join("\n") });

describe("automaticAnswerFault", () => {
  it("lets a person's mail be answered", () => {
    expect(faultOf(PERSON)).toBeNull();
    expect(faultOf(withHeaders({ "auto-submitted": "No (written by hand)" }))).toBeNull();
    expect(faultOf(withHeaders({ precedence: "first-class" }))).toBeNull();
    expect(faultOf(withHeaders({}))).toBeNull();
    expect(faultOf(withHeaders(hops(49)))).toBeNull();
    expect(faultOf({ ...PERSON, envelopeFrom: "norelation@x.com" })).toBeNull();
  });

  it.each<Record<string, string>>([
    { "auto-submitted": "auto-generated" },
    { "auto-submitted": "Auto-Replied; owner-email=x@example.com" },
    { "auto-submitted": "auto-notified" },
    { "auto-submitted": "no\nauto-replied" },
    { "auto-submitted": "x-unknown" },
    { "auto-submitted": `no; x=${"y".repeat(2_000)}\nauto-replied` },
    { "auto-submitted": `(${"c".repeat(2_000)}) auto-replied` },
    { precedence: `first-class (${"c".repeat(2_000)})\nbulk` },
    { precedence: "list (of members)" },
    { "x-autoreply": `${"\n".repeat(2_000)}yes` },
    { "list-id": `${"\n".repeat(2_000)}<l.example.com>` },
    { precedence: "bulk" },
    { precedence: " Junk " },
    { precedence: "list" },
    { precedence: "auto_reply" },
    { "list-id": "<l.example.com>" },
    { "list-help": "<mailto:h@example.com>" },
    { "list-unsubscribe-post": "List-Unsubscribe=One-Click" },
    { "x-autoreply": "yes" },
    { "x-autorespond": "1" },
    { "x-auto-response-suppress": "OOF" },
    { "x-auto-response-suppress": "All" },
    { "auto-submitted": "" },
    { "auto-submitted": "auto-generated; x=y" },
    { "list-unsubscribe": "<https://x.com>" },
    hops(50),
  ])("forbids an answer to %j", (headers) => {
    expect(faultOf(withHeaders(headers))).not.toBeNull();
  });

  it.each(["", "<>", " <> "])("forbids an answer to the null return path %j", (envelopeFrom) => {
    expect(faultOf({ ...PERSON, envelopeFrom })).not.toBeNull();
  });

  it.each(["mailer-daemon@example.com", "Postmaster@example.com", "no-reply@example.com"])(
    "forbids an answer to %s",
    (fromAddress) => {
      expect(faultOf({ ...PERSON, fromAddress })).not.toBeNull();
    },
  );

  it.each([
    "agent+tag@mailkeep.test",
    "MAILER-DAEMON@x.com",
    "no-reply@x.com",
    "noreply+1@x.com",
    "postmaster@x.com",
    "owner-list@x.com",
    "list-bounces@x.com",
    "list-bounces+ann=x.com@lists.com",
  ])("forbids an answer to the return path %s", (envelopeFrom) => {
    expect(faultOf({ ...PERSON, envelopeFrom })).not.toBeNull();
  });

  it("forbids an answer to the mailbox itself, with any return path", () => {
    expect(faultOf({ ...PERSON, fromAddress: "agent@mailkeep.test" })).not.toBeNull();
  });

  it("forbids an answer to every automatic answer", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("auto-submitted", "precedence", "x-autoreply", "__proto__"),
          fc.string(),
        ),
        fc.string(),
        (headers, text) => {
          const mail = { ...withHeaders(headers), fromAddress: text, subject: text };
          expect(isAutomaticAnswer(mail) && faultOf(mail) === null).toBe(false);
        },
      ),
    );
  });
});

describe("isAutoReplied", () => {
  const isSo = (value: string) => isAutoReplied(withHeaders({ "auto-submitted": value }));

  it("reads the keyword of each field, however much stands before and after it", () => {
    const filler = "x".repeat(2_000);
    expect(
      [
        `no; x=${filler}\nauto-replied`,
        `no (${filler})\nAuto-Replied; x=${filler}`,
        `${"no\n".repeat(2_000)}auto-replied`,
        `(${filler}) (a (nested\\) one)) auto-replied`,
        `${" ".repeat(2_000)}auto-replied`,
      ].map(isSo),
    ).toEqual([true, true, true, true, true]);
    expect(["no (auto-replied)", "no; auto-replied", "(auto-replied", "auto-generated"].map(isSo)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(isAutoReplied(withHeaders({ "x-autoreply": `${"\n".repeat(2_000)}yes` }))).toBe(true);
  });
});

describe("isAutoSubmitted", () => {
  const isSo = (value: string) => isAutoSubmitted(withHeaders({ "auto-submitted": value }));

  it("is true for every value except `no`", () => {
    expect(isAutoSubmitted(PERSON)).toBe(false);
    expect(["no", " No ; a=b", "no (human)"].map(isSo)).toEqual([false, false, false]);
    expect(["auto-replied", "none", "x"].map(isSo)).toEqual([true, true, true]);
  });
});

describe("isAutomaticAnswer", () => {
  it("is false for a server's report, which has the same Auto-Submitted value", () => {
    const marked = withHeaders({ "auto-submitted": "auto-replied" });
    expect(isAutomaticAnswer(marked)).toBe(true);
    expect(isAutomaticAnswer({ ...marked, fromAddress: "Mailer-Daemon@example.com" })).toBe(false);
    expect(isAutomaticAnswer(withHeaders({ "auto-submitted": "auto-generated (failure)" }))).toBe(false);
  });
});
