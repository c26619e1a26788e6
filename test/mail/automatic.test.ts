import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HeadedMail, isAutomatic, isAutomaticAnswer } from "../../src/mail/automatic.ts";

const PERSON: HeadedMail = {
  headers: { from: "Ann <ann@example.com>", "mime-version": "1.0" },
  fromAddress: "ann@example.com",
  envelopeFrom: "ann@example.com",
  subject: "Lunch?",
};
const withHeaders = (headers: Record<string, string>): HeadedMail => ({ ...PERSON, headers });

describe("isAutomatic", () => {
  it("lets a person's mail be answered", () => {
    expect(isAutomatic(PERSON)).toBe(false);
    expect(isAutomatic(withHeaders({ "auto-submitted": "No (written by hand)" }))).toBe(false);
    expect(isAutomatic(withHeaders({ precedence: "first-class" }))).toBe(false);
    expect(isAutomatic(withHeaders({}))).toBe(false);
  });

  it.each<Record<string, string>>([
    { "auto-submitted": "auto-generated" },
    { "auto-submitted": "Auto-Replied; owner-email=x@example.com" },
    { "auto-submitted": "auto-notified" },
    { "auto-submitted": "no\nauto-replied" },
    { "auto-submitted": "x-unknown" },
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
  ])("forbids an answer to %j", (headers) => {
    expect(isAutomatic(withHeaders(headers))).toBe(true);
  });

  it.each(["", "<>", " <> "])("forbids an answer to the null return path %j", (envelopeFrom) => {
    expect(isAutomatic({ ...PERSON, envelopeFrom })).toBe(true);
  });

  it.each(["mailer-daemon@example.com", "Postmaster@example.com", "no-reply@example.com"])(
    "forbids an answer to %s",
    (fromAddress) => {
      expect(isAutomatic({ ...PERSON, fromAddress })).toBe(true);
    },
  );

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
          expect(isAutomaticAnswer(mail) && !isAutomatic(mail)).toBe(false);
        },
      ),
    );
  });
});

describe("isAutomaticAnswer", () => {
  it("tells an answer from a server's report that is marked with the same word", () => {
    const marked = withHeaders({ "auto-submitted": "auto-replied" });
    expect(isAutomaticAnswer(marked)).toBe(true);
    expect(isAutomaticAnswer({ ...marked, fromAddress: "Mailer-Daemon@example.com" })).toBe(false);
    expect(isAutomaticAnswer(withHeaders({ "auto-submitted": "auto-generated (failure)" }))).toBe(false);
  });
});
