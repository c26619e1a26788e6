import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outgoing, isOwnAddress, saysAutomatic } from "../../../src/mail/compose/outgoing.ts";
import { draftOf, MINTED, NO_ANCESTRY, outgoingOf, refusalOf, SENDER } from "../../outbound/example.ts";

const file = { filename: "a.bin", content_type: "", content_id: "", sizeBytes: 1 };

describe("the sender", () => {
  it.each([
    [[], "", "agent@mailkeep.test"],
    [["agent@mailkeep.test"], "", "agent@mailkeep.test"],
    [["Agent <AGENT@Mailkeep.TEST>"], "Agent", "agent@mailkeep.test"],
    [["agent+shop@mailkeep.test"], "", "agent+shop@mailkeep.test"],
    [["Desk <desk@example.org>"], "Desk", "desk@example.org"],
    [["desk@EXAMPLE.org"], "", "desk@example.org"],
  ])("may be %j", (from, name, address) => {
    expect(outgoingOf({ from }).message.from).toEqual({ name, address });
  });

  it("bears the mailbox's display name unless the request names another", () => {
    const sender = { ...SENDER, displayName: "The Agent" };
    const nameOf = (from: string[]) => {
      const made = outgoing(draftOf({ from }), NO_ANCESTRY, sender, MINTED);
      return made.ok ? made.value.message.from.name : null;
    };
    expect(nameOf([])).toBe("The Agent");
    expect(nameOf(["agent+a@mailkeep.test"])).toBe("The Agent");
    expect(nameOf(["Me <agent@mailkeep.test>"])).toBe("Me");
  });

  it.each([
    [["other@mailkeep.test"]],
    [["agent@sub.mailkeep.test"]],
    [["agent@mailkeep.test.evil.com"]],
    [['"agent@mailkeep.test" <x@evil.com>']],
    [["agent@mailkeep.test <x@evil.com>"]],
    [["agent@mailkeep.test, x@evil.com"]],
    [["agent@mailkeep.test", "x@evil.com"]],
    [["agent@mailkeep.test", "agent@mailkeep.test"]],
    [["g: agent@mailkeep.test;"]],
    [["x@evil.com (agent@mailkeep.test)"]],
    [["agent@sub.example.org"]],
    [["agеnt@mailkeep.test"]],
    [["äгент@example.org"]],
    [["nobody"]],
  ])("may not be %j", (from) => {
    expect(refusalOf({ from })).toEqual({
      code: "wrong_sender",
      error: "From address must match your mailbox: agent@mailkeep.test",
    });
  });

  it("is recognised in any letter case and with any tag", () => {
    const isOwn = isOwnAddress("agent@mailkeep.test", []);
    expect(isOwn("Agent+x@MAILKEEP.test")).toBe(true);
    expect(isOwn("agent2@mailkeep.test")).toBe(false);
    expect(isOwn("no address")).toBe(false);
  });
});

describe("recipients", () => {
  it("get one copy each, where they stand first; domains compare without regard to case", () => {
    const { message, recipients } = outgoingOf({
      to: ["Ann <ann@x.com>", "ann@X.COM", "bob@x.com"],
      cc: ["bob@x.com", "cy@x.com", "Ann@x.com"],
      bcc: ["cy@x.com", "dan@x.com", "dan@x.com"],
    });
    expect(message.to.map(({ address }) => address)).toEqual(["ann@x.com", "bob@x.com"]);
    expect(message.cc.map(({ address }) => address)).toEqual(["cy@x.com", "Ann@x.com"]);
    expect(recipients).toEqual(["ann@x.com", "bob@x.com", "cy@x.com", "Ann@x.com", "dan@x.com"]);
    expect(JSON.stringify(message)).not.toContain("dan@x.com");
  });

  it("are at most 50 over to, cc and bcc, each counted once", () => {
    const people = Array.from({ length: 51 }, (_, n) => `a${n}@x.com`);
    const spread = { to: people.slice(0, 20), cc: people.slice(20, 40), bcc: people.slice(40, 50) };
    expect(refusalOf({ ...spread, cc: [...spread.cc, "A0@X.com", ...spread.bcc] })?.error).toContain("50");
    expect(refusalOf({ ...spread, cc: [...spread.cc, "a0@X.com", ...spread.bcc] })).toBeNull();
    expect(refusalOf({ ...spread, bcc: people.slice(40) })?.error).toContain("max 50 total");
  });

  it("are at most 50, also where an answer found them", () => {
    const people = Array.from({ length: 51 }, (_, n) => ({ name: "", address: `a${n}@x.com` }));
    expect(refusalOf({ to: people.slice(1) })).toBeNull();
    expect(refusalOf({ to: people })?.error).toBe("Too many recipients (max 50 total across to/cc/bcc)");
  });

  it.each(["to", "cc", "bcc", "reply_to"] as const)(
    "need SMTPUTF8 for a local part in UTF-8 in %s",
    (field) => {
      expect(outgoingOf({ [field]: ["用户@x.com"] }).needsSmtpUtf8).toBe(true);
      expect(outgoingOf({ [field]: ["Üser <u@例え.jp>"] }).needsSmtpUtf8).toBe(false);
    },
  );
});

describe("line breaks and NUL", () => {
  const hostile = ["\r", "\n", "\r\n", "\0", "\r\nBcc: eve@x.com", "a\n b"];
  const at: [string, (value: string) => Parameters<typeof refusalOf>[0]][] = [
    ["subject", (value) => ({ subject: `s${value}` })],
    ["from", (value) => ({ from: [`N${value} <agent@mailkeep.test>`] })],
    ["to", (value) => ({ to: [`N${value} <a@x.com>`] })],
    ["to", (value) => ({ to: [`a${value}@x.com`] })],
    ["cc", (value) => ({ cc: [`a@x.com${value}`] })],
    ["bcc", (value) => ({ bcc: [`N${value} <a@x.com>`] })],
    ["reply_to", (value) => ({ reply_to: [`N${value} <a@x.com>`] })],
    ["headers.X-A", (value) => ({ headers: { "X-A": `v${value}` } })],
    ["attachments.0.filename", (value) => ({ attachments: [{ ...file, filename: `a${value}` }] })],
    [
      "attachments.0.content_type",
      (value) => ({ attachments: [{ ...file, content_type: `a/b${value}; c=d` }] }),
    ],
    ["attachments.0.content_id", (value) => ({ attachments: [{ ...file, content_id: `a${value}b` }] })],
  ];
  it.each(at.flatMap(([field, draft]) => hostile.map((value) => [field, value, draft] as const)))(
    "are refused in %s: %j",
    (field, value, draft) => {
      const refusal = refusalOf(draft(value));
      expect(refusal?.code).toBe("invalid");
      expect(refusal?.error.startsWith(`${field}: `)).toBe(true);
      expect(refusal?.error).not.toMatch(/[\r\n\0]/);
    },
  );

  it("stand in no header value of a message that is accepted", () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from('\r\n\0\t \u2028\u0085ab"<>@=?_é')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, text, text, (one, two, three) => {
        const made = outgoing(
          draftOf({
            subject: one,
            to: [`${two} <a@x.com>`],
            headers: { "X-A": three },
            attachments: [{ ...file, filename: one, content_id: two, content_type: three }],
          }),
          NO_ANCESTRY,
          SENDER,
          MINTED,
        );
        if (!made.ok) return;
        const { text: _, html: __, ...header } = made.value.message;
        for (const value of strings(header)) expect(value).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

describe("attachments", () => {
  const typeOf = (content_type: string) =>
    outgoingOf({ attachments: [{ ...file, content_type }] }).message.attachments[0]?.contentType;

  it.each([
    ["", "application/octet-stream"],
    ["Application/PDF", "application/pdf"],
    ["text/csv; charset=utf-8", "text/csv; charset=utf-8"],
    ['text/calendar;method=REQUEST; charset="utf-8"', 'text/calendar; method=REQUEST; charset="utf-8"'],
    ["application/pdf; name=x.exe", "application/pdf"],
    ['application/pdf; name="x; y=z.exe"', "application/pdf"],
    ["application/pdf; NAME*=utf-8''x; boundary=b", "application/pdf"],
    ["message/rfc822", "application/octet-stream"],
    ["multipart/mixed; boundary=x", "application/octet-stream"],
  ])("have their media type settled: %j", (written, type) => {
    expect(typeOf(written)).toBe(type);
  });

  it.each([
    "pdf",
    "a/b/c",
    "a/",
    "/b",
    "a/b; c",
    "a/b; =c",
    "a/b\\",
    "a/b; c=d e",
    'a/b; c="',
    "ä/b",
    `a/${"b".repeat(128)}`,
  ])("are refused with the media type %j", (content_type) => {
    expect(refusalOf({ attachments: [{ ...file, content_type }] })?.error).toContain("content_type");
  });

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\x\\report.pdf", "report.pdf"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["", "attachment-1.pdf"],
    ["...", "attachment-1.pdf"],
    ["=?utf-8?Q?f=C3=BCr.pdf?=", "für.pdf"],
  ])("bear a name that is safe to save: %j", (filename, name) => {
    const { attachments } = outgoingOf({
      attachments: [{ ...file, filename, content_type: "application/pdf" }],
    }).message;
    expect(attachments[0]?.filename).toBe(name);
  });

  it.each(["a b", "a<b", "ä", "a>b", "x".repeat(251)])("are refused with the content id %j", (content_id) => {
    expect(refusalOf({ attachments: [{ ...file, content_id }] })?.error).toContain("content_id");
  });

  it("are refused over 100 MB in all, the bodies included", () => {
    const of = (sizeBytes: number) => ({ text: "é", html: "b", attachments: [{ ...file, sizeBytes }] });
    expect(refusalOf(of(100_000_000 - 3))).toBeNull();
    expect(refusalOf(of(100_000_000 - 2))?.code).toBe("too_large");
  });
});

describe("a message", () => {
  it("bears an id under the domain of its sender", () => {
    expect(outgoingOf().message.messageId).toBe(`<${MINTED.token}@mailkeep.test>`);
    expect(outgoingOf({ from: ["desk@example.org"] }).message.messageId).toBe(
      `<${MINTED.token}@example.org>`,
    );
  });

  it("is plain data, and well-formed", () => {
    const { message } = outgoingOf({
      subject: "a\ud800",
      text: "b\ud800",
      html: "c\udfff",
      headers: { "X-A": "d\ud800" },
    });
    expect(JSON.parse(JSON.stringify(message))).toEqual(message);
    expect(strings(message).every((text) => text.isWellFormed())).toBe(true);
  });

  it("has the service's Auto-Submitted value instead of the caller's", () => {
    const made = outgoing(draftOf({ headers: { "auto-submitted": "no" } }), NO_ANCESTRY, SENDER, {
      ...MINTED,
      automatic: "auto-replied",
    });
    expect(made.ok && made.value.message.headers).toEqual([
      { name: "Auto-Submitted", value: "auto-replied" },
    ]);
    expect(made.ok && saysAutomatic(made.value.message)).toBe(true);
    expect(saysAutomatic(outgoingOf({ headers: { "Auto-Submitted": "no" } }).message)).toBe(false);
    expect(saysAutomatic(outgoingOf().message)).toBe(false);
  });
});
