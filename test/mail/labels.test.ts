import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelsFor, type LabelledMail } from "../../src/mail/labels.ts";

const PERSON: LabelledMail = {
  headers: { from: "Ann <ann@example.com>", "mime-version": "1.0" },
  fromAddress: "ann@example.com",
  envelopeFrom: "ann@example.com",
  subject: "Lunch?",
  hasCode: false,
};

const withHeaders = (headers: Record<string, string>): LabelledMail => ({ ...PERSON, headers });

describe("labelsFor", () => {
  it("calls a person's mail personal and nothing else", () => {
    expect(labelsFor(PERSON)).toEqual(["personal"]);
    expect(labelsFor(withHeaders({}))).toEqual(["personal"]);
  });

  it.each<Record<string, string>>([
    { "list-id": "<news.example.com>" },
    { "list-unsubscribe": "<https://example.com/u>" },
    { "list-post": "NO" },
    { precedence: "bulk" },
    { precedence: "List" },
    { precedence: "junk" },
    { precedence: "first-class\nbulk" },
    { "list-unsubscribe": "<mailto:u@example.com>", "feedback-id": "1:2:3:esp" },
    { "list-id": "<news.example.com>", "auto-submitted": "no" },
  ])("calls campaigns and announcement lists newsletters: %j", (headers) => {
    expect(labelsFor(withHeaders(headers))).toEqual(["newsletter"]);
  });

  it("keeps a newsletter from a no-reply address a newsletter", () => {
    const mail = {
      ...withHeaders({ "list-unsubscribe": "<https://example.com/u>" }),
      fromAddress: "no-reply@example.com",
    };
    expect(labelsFor(mail)).toEqual(["newsletter"]);
  });

  it.each<Record<string, string>>([
    {
      "list-id": "<repo.github.example>",
      "x-github-reason": "mention",
      "list-unsubscribe": "<https://example.com/u>",
    },
    { "list-id": "<p.gitlab.example>", "x-gitlab-project": "p" },
    { "list-id": "<dev.example.org>", "list-post": "<mailto:dev@example.org>", precedence: "list" },
    { "auto-submitted": "auto-generated" },
    { "auto-submitted": "auto-replied; owner-email=x@example.com" },
    { "auto-submitted": "auto-generated", "list-unsubscribe": "<https://example.com/u>" },
    { "x-auto-response-suppress": "All" },
    { "feedback-id": "1:2:3:esp" },
    { precedence: "auto_reply" },
  ])("calls one event, one post or one automatic answer a notification: %j", (headers) => {
    expect(labelsFor(withHeaders(headers))).toEqual(["notification"]);
  });

  it.each(["personal", "no", "No", "no (a person)", ""])(
    "takes Auto-Submitted %j for a person's",
    (value) => {
      expect(labelsFor(withHeaders({ "auto-submitted": value === "personal" ? "no; x=y" : value }))).toEqual([
        "personal",
      ]);
    },
  );

  it.each([
    "noreply@example.com",
    "no-reply@example.com",
    "No_Reply@example.com",
    "do-not-reply@example.com",
    "noreply+abc@example.com",
    "notifications@example.com",
    "MAILER-DAEMON@example.com",
    "ne-pas-repondre@example.com",
  ])("calls mail from %s a notification", (fromAddress) => {
    expect(labelsFor({ ...PERSON, fromAddress })).toEqual(["notification"]);
  });

  it.each(["reply@example.com", "alertson@example.com", "ann.noreply@example.com", ""])(
    "leaves mail from %j personal",
    (fromAddress) => {
      expect(labelsFor({ ...PERSON, fromAddress })).toEqual(["personal"]);
    },
  );

  it.each(["", "<>", " "])("calls mail with the null return path %j a notification", (envelopeFrom) => {
    expect(labelsFor({ ...PERSON, envelopeFrom })).toEqual(["notification"]);
  });

  it("knows an automatic answer by its subject where the header is missing", () => {
    expect(labelsFor({ ...PERSON, subject: "Automatic reply: Lunch?" })).toEqual(["notification"]);
    expect(labelsFor({ ...PERSON, subject: "About the automatic reply" })).toEqual(["personal"]);
  });

  it("labels a mail with a code notification and code, with any headers", () => {
    expect(labelsFor({ ...PERSON, hasCode: true })).toEqual(["notification", "code"]);
    expect(
      labelsFor({ ...withHeaders({ "list-unsubscribe": "<https://example.com/u>" }), hasCode: true }),
    ).toEqual(["notification", "code"]);
  });

  it("gives labels in one order, at least one, personal only alone, for any headers", () => {
    const order = ["newsletter", "notification", "code", "personal"];
    const name = fc.constantFrom(
      "list-id",
      "list-post",
      "precedence",
      "auto-submitted",
      "feedback-id",
      "__proto__",
      "constructor",
    );
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.string()),
        fc.string(),
        fc.string(),
        fc.boolean(),
        (headers, a, b, hasCode) => {
          const labels = labelsFor({ headers, fromAddress: a, envelopeFrom: b, subject: a, hasCode });
          expect(labels).toEqual(order.filter((label) => labels.some((given) => given === label)));
          expect(labels.length).toBeGreaterThan(0);
          expect(labels.some((label) => label === "personal") && labels.length > 1).toBe(false);
        },
      ),
    );
  });
});
