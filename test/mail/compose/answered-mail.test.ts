import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ancestryOfAnswer,
  answeredMail,
  answerRecipients,
  answerSubject,
  forwardSubject,
} from "../../../src/mail/compose/answered-mail.ts";
import { isOwnAddress } from "../../../src/mail/compose/outgoing.ts";

const isOwn = isOwnAddress("agent@mailkeep.test", []);
const mailOf = (headers: Record<string, string>) => answeredMail({ headers, text: "", html: "" });

function recipientsOf(headers: Record<string, string>, all: boolean): { to: string[]; cc: string[] } {
  const { to, cc } = answerRecipients(mailOf(headers), isOwn, all);
  return { to: to.map(({ address }) => address), cc: cc.map(({ address }) => address) };
}

describe("answeredMail", () => {
  it("reads a stored message, repeats and encoded words included", () => {
    expect(
      answeredMail({
        headers: {
          from: "=?utf-8?q?J=C3=BCrgen?= <j@x.com>",
          to: "a@x.com\nb@x.com",
          "reply-to": "list@x.com",
          subject: "=?utf-8?q?Gr=C3=BC=C3=9Fe?=",
          "message-id": "<2@x.com>",
          "in-reply-to": "<1@x.com>",
          references: "<0@x.com> <1@x.com>",
          date: "Sat, 21 Nov 2026 08:30:00 +0100",
        },
        text: "Hi",
        html: "<p>Hi",
      }),
    ).toEqual({
      messageId: "<2@x.com>",
      ancestorIds: ["<0@x.com>", "<1@x.com>"],
      subject: "Grüße",
      from: { name: "Jürgen", address: "j@x.com" },
      replyTo: [{ name: "", address: "list@x.com" }],
      to: [
        { name: "", address: "a@x.com" },
        { name: "", address: "b@x.com" },
      ],
      cc: [],
      date: "2026-11-21T07:30:00.000Z",
      text: "Hi",
      html: "<p>Hi",
    });
  });

  it("reads a message without fields", () => {
    expect(mailOf({})).toMatchObject({ messageId: null, from: { address: "" }, to: [], date: null });
  });
});

describe("who an answer goes to", () => {
  const received = {
    from: "Ann <ann@x.com>",
    to: "agent+shop@mailkeep.test, Bob <bob@x.com>",
    cc: "cy@x.com, ann@X.com, AGENT@mailkeep.test",
  };

  it("is the author; with reply_all the others get a copy, except the mailbox, each once", () => {
    expect(recipientsOf(received, false)).toEqual({ to: ["ann@x.com"], cc: [] });
    expect(recipientsOf(received, true)).toEqual({ to: ["ann@x.com"], cc: ["bob@x.com", "cy@x.com"] });
  });

  it("is whom the message names in Reply-To", () => {
    const headers = { ...received, "reply-to": "desk@x.com, Agent <agent@mailkeep.test>" };
    expect(recipientsOf(headers, false)).toEqual({ to: ["desk@x.com"], cc: [] });
    expect(recipientsOf(headers, true)).toEqual({
      to: ["desk@x.com"],
      cc: ["bob@x.com", "cy@x.com", "ann@x.com"],
    });
  });

  it("is the recipient of a message that the mailbox sent", () => {
    const sent = { from: "agent@mailkeep.test", to: "ann@x.com, bob@x.com", cc: "cy@x.com" };
    expect(recipientsOf(sent, false)).toEqual({ to: ["ann@x.com", "bob@x.com"], cc: [] });
    expect(recipientsOf(sent, true)).toEqual({ to: ["ann@x.com", "bob@x.com"], cc: ["cy@x.com"] });
  });

  it("is the mailbox for a note to itself", () => {
    expect(recipientsOf({ from: "agent@mailkeep.test", to: "agent+n@mailkeep.test" }, true)).toEqual({
      to: ["agent@mailkeep.test"],
      cc: [],
    });
  });

  it("is nobody where no address is valid", () => {
    expect(recipientsOf({ from: "not an address", to: "undisclosed-recipients:;" }, true)).toEqual({
      to: [],
      cc: [],
    });
    expect(recipientsOf({ from: "ann@x.com", cc: '"a b"@x.com, c@[127.0.0.1]' }, true)).toEqual({
      to: ["ann@x.com"],
      cc: [],
    });
  });
});

describe("the References of an answer", () => {
  it("names the message and all its ancestors", () => {
    expect(ancestryOfAnswer({ messageId: "<c@x>", ancestorIds: ["<a@x>", "<b@x>"] })).toEqual({
      inReplyTo: "<c@x>",
      references: ["<a@x>", "<b@x>", "<c@x>"],
    });
  });

  it("leaves out ids that no header can hold", () => {
    expect(
      ancestryOfAnswer({
        messageId: "<ü@x>",
        ancestorIds: ["<a@x>", `<${"b".repeat(950)}>`, "<a b@x>", "<c@x>"],
      }),
    ).toEqual({
      inReplyTo: null,
      references: ["<a@x>", "<c@x>"],
    });
    expect(ancestryOfAnswer({ messageId: null, ancestorIds: [] })).toEqual({
      inReplyTo: null,
      references: [],
    });
  });

  it("names the root and the nearest ancestors of a long thread", () => {
    const ids = Array.from({ length: 100 }, (_, n) => `<${String(n).padStart(3, "0")}.${"x".repeat(200)}@x>`);
    const { references } = ancestryOfAnswer({ messageId: "<me@x>", ancestorIds: ids });
    expect(references.join(" ").length).toBeLessThanOrEqual(8_000);
    expect(references.length).toBeGreaterThan(30);
    expect(references[0]).toBe(ids[0]);
    expect(references.slice(1, -1)).toEqual(ids.slice(-(references.length - 2)));
    expect(references.at(-1)).toBe("<me@x>");
  });
});

describe("subjects", () => {
  it.each([
    ["Hello", "Re: Hello"],
    ["Re: Hello", "Re: Hello"],
    ["RE: re : Re[2]: AW: Hello", "Re: Hello"],
    ["Fwd: Hello", "Re: Fwd: Hello"],
    ["回复：Hello", "Re: Hello"],
    ["Regarding: Hello", "Re: Regarding: Hello"],
    ["Re Hello", "Re: Re Hello"],
    ["  Re:  ", "Re:"],
    ["", "Re:"],
  ])("answers %j with %j", (subject, answer) => {
    expect(answerSubject(subject)).toBe(answer);
  });

  it.each([
    ["Hello", "Fwd: Hello"],
    ["FW: Fwd: WG: Hello", "Fwd: Hello"],
    ["Re: Hello", "Fwd: Re: Hello"],
    ["", "Fwd:"],
  ])("forwards %j as %j", (subject, forward) => {
    expect(forwardSubject(subject)).toBe(forward);
  });

  it("stay within the limit, grow no further, and end between characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 1_100 }), (subject) => {
        const once = answerSubject(subject);
        expect(once.length).toBeLessThanOrEqual(998);
        expect(once.isWellFormed()).toBe(true);
        expect(answerSubject(once)).toBe(once);
        expect(forwardSubject(forwardSubject(subject))).toBe(forwardSubject(subject));
      }),
    );
    expect(answerSubject("\u{1f600}".repeat(499)).isWellFormed()).toBe(true);
  });
});
