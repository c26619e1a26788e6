import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import {
  type DeliveryReport,
  type DeliveryStatusReport,
  type FeedbackReport,
} from "../../../src/mail/report/read-report.ts";
import {
  isComplaint,
  isHardBounce,
  readReport,
  type RecipientStatus,
} from "../../../src/mail/report/read-report.ts";
import {
  fieldLines,
  recipientBlock,
  reportMail,
  statusContent,
  textMail,
  type WrittenPart,
  type WrittenRecipient,
} from "./compose-report.ts";
import { cpuMs } from "../../cpu.ts";

const read = async (raw: Uint8Array | string, envelopeFrom = ""): Promise<DeliveryReport | null> =>
  readReport(await parseMail(typeof raw === "string" ? new TextEncoder().encode(raw) : raw), envelopeFrom);

async function readStatus(raw: Uint8Array | string, envelopeFrom = ""): Promise<DeliveryStatusReport> {
  const report = await read(raw, envelopeFrom);
  if (report?.kind !== "delivery-status") throw new Error(`Not a delivery status: ${JSON.stringify(report)}`);
  return report;
}

async function readFeedback(raw: Uint8Array | string): Promise<FeedbackReport> {
  const report = await read(raw);
  if (report?.kind !== "feedback") throw new Error(`Not a feedback report: ${JSON.stringify(report)}`);
  return report;
}

const REFUSED: WrittenRecipient = {
  finalRecipient: "bob@example.org",
  originalRecipient: null,
  action: "failed",
  status: "5.1.1",
  diagnosticCode: "550 5.1.1 No such user here",
};
const statusPart = (content: string): WrittenPart => ({ type: "message/delivery-status", content });
const RETURNED: WrittenPart = {
  type: "message/rfc822",
  content:
    "Return-Path: <ann+b.abcdefghijklmnopqrst@mailkeep.test>\r\nMessage-ID: <one@mailkeep.test>\r\nSubject: Hi\r\n\r\nHello",
};

describe("a delivery status notification", () => {
  it("tells the result for each recipient of one message (RFC 3464)", async () => {
    const content = statusContent(
      [
        REFUSED,
        {
          ...REFUSED,
          finalRecipient: "cleo@example.org",
          action: "delayed",
          status: "4.4.1",
          diagnosticCode: null,
        },
        {
          ...REFUSED,
          finalRecipient: "dan@example.org",
          action: "delivered",
          status: "2.1.5",
          diagnosticCode: null,
        },
        {
          ...REFUSED,
          finalRecipient: "eve@example.org",
          action: "relayed",
          status: "2.0.0",
          diagnosticCode: null,
        },
        {
          ...REFUSED,
          finalRecipient: "team@example.org",
          action: "expanded",
          status: "2.0.0",
          diagnosticCode: null,
        },
      ],
      "env-1",
    );
    const report = await readStatus(reportMail([statusPart(content), RETURNED]));
    expect(report).toMatchObject({
      confidence: "high",
      originalEnvelopeId: "env-1",
      isCut: false,
      original: { messageId: "<one@mailkeep.test>", returnPath: "ann+b.abcdefghijklmnopqrst@mailkeep.test" },
    });
    expect(report.recipients.map(({ action, status }) => `${action} ${status}`)).toEqual([
      "failed 5.1.1",
      "delayed 4.4.1",
      "delivered 2.1.5",
      "relayed 2.0.0",
      "expanded 2.0.0",
    ]);
    expect(report.recipients[0]).toEqual({
      action: "failed",
      status: "5.1.1",
      finalRecipient: "bob@example.org",
      originalRecipient: null,
      diagnosticCode: "550 5.1.1 No such user here",
      replyCode: 550,
    });
  });

  it.each(["message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers"])(
    "names the message it is about from a part of type %s",
    async (type) => {
      const report = await readStatus(
        reportMail([statusPart(statusContent([REFUSED])), { ...RETURNED, type }]),
      );
      expect(report.original.messageId).toBe("<one@mailkeep.test>");
    },
  );

  it("finds its part behind others and inside other multiparts", async () => {
    const inner = `--in\r\nContent-Type: message/delivery-status\r\n\r\n${statusContent([REFUSED])}\r\n--in--\r\n`;
    const report = await readStatus(
      reportMail([
        { type: "text/html", content: "<p>Sorry</p>" },
        { type: "image/png", content: "x" },
        { type: 'multipart/mixed; boundary="in"', content: inner },
      ]),
    );
    expect(report.recipients).toHaveLength(1);
  });

  it("takes a report without report-type for one, and one in another multipart with less confidence", async () => {
    const parts = [statusPart(statusContent([REFUSED]))];
    expect((await readStatus(reportMail(parts, { contentType: "Multipart/Report" }))).confidence).toBe(
      "high",
    );
    expect((await readStatus(reportMail(parts, { contentType: "multipart/mixed" }))).confidence).toBe("low");
  });

  it.each<[fault: string, content: string]>([
    ["wrong case", "FINAL-RECIPIENT: RFC822;bob@example.org\nACTION: FAILED\nSTATUS: 5.1.1\n"],
    ["blanks before the colon", "Final-Recipient : rfc822; bob@example.org\nAction : failed\nStatus : 5.1.1"],
    [
      "folded fields",
      "Final-Recipient:\n rfc822;\n\tbob@example.org\nAction:\n failed\nStatus:\n 5.1.1 (bad\n mailbox)",
    ],
    ["no type before the address", "Final-Recipient: <bob@example.org>\nAction: failed\nStatus: 5.1.1"],
    [
      "comments",
      "Final-Recipient: rfc822;bob@example.org\nAction: failed (for good)\nStatus: 5.1.1 (bad mailbox)",
    ],
    [
      "an empty line between all fields",
      "Final-Recipient: rfc822;bob@example.org\n\nAction: failed\n\nStatus: 5.1.1\n",
    ],
    [
      "no empty line",
      "Reporting-MTA: dns; x\nFinal-Recipient: rfc822;bob@example.org\nAction: failed\nStatus: 5.1.1",
    ],
    ["another order", "\n\nStatus: 5.1.1\nAction: failed\nFinal-Recipient: rfc822;bob@example.org"],
    [
      "a source route",
      "Final-Recipient: rfc822;@a.example,@b.example:bob@example.org\nAction: failed\nStatus: 5.1.1",
    ],
    [
      "lines that are no fields",
      "?? \nFinal-Recipient: rfc822;bob@example.org\n???\nAction: failed\nStatus: 5.1.1",
    ],
    ["no action", "Final-Recipient: rfc822;bob@example.org\nStatus: 5.1.1"],
    ["an unknown action", "Final-Recipient: rfc822;bob@example.org\nAction: bounced\nStatus: 5.1.1"],
  ])("is read in spite of %s", async (_, content) => {
    const { recipients } = await readStatus(reportMail([statusPart(content)]));
    expect(recipients).toMatchObject([
      { finalRecipient: "bob@example.org", action: "failed", status: "5.1.1" },
    ]);
  });

  it("keeps recipients apart where empty lines are missing between them", async () => {
    const others = ["cleo@example.org", "dan@example.org"].map((finalRecipient) => ({
      ...REFUSED,
      finalRecipient,
    }));
    const blocks = [REFUSED, ...others].map(recipientBlock).join("");
    const { recipients } = await readStatus(reportMail([statusPart(blocks)]));
    expect(recipients.map((each) => each.finalRecipient)).toEqual([
      "bob@example.org",
      "cleo@example.org",
      "dan@example.org",
    ]);
  });

  it("never gives one recipient the original address of the next", async () => {
    const next =
      "Original-Recipient: rfc822;cleo@example.org\r\nFinal-Recipient: rfc822;c@example.org\r\nAction: delayed\r\n";
    const { recipients } = await readStatus(
      reportMail([statusPart(recipientBlock(REFUSED) + next + "Status: 4.0.0\r\n")]),
    );
    expect(recipients).toMatchObject([
      { finalRecipient: "bob@example.org", originalRecipient: null },
      { finalRecipient: "c@example.org", originalRecipient: "cleo@example.org" },
    ]);
  });

  it("takes the more exact status of the field and the diagnostic", async () => {
    const cases: [status: string | null, diagnostic: string, expected: string | null][] = [
      ["5.0.0", "554 5.7.1 Relay access denied", "5.7.1"],
      ["5.0.0", "450 4.7.1 Later", "5.0.0"],
      ["4.4.7", "450 4.7.1 Access denied", "4.4.7"],
      [null, "550 #5.1.0 Address rejected", "5.1.0"],
      [null, "550 host 5.1.0.7 said no", null],
    ];
    for (const [status, diagnosticCode, expected] of cases) {
      const { recipients } = await readStatus(
        reportMail([statusPart(statusContent([{ ...REFUSED, status, diagnosticCode }]))]),
      );
      expect(recipients).toMatchObject([{ status: expected }]);
    }
  });

  it("does not call a delay a failure, even if the diagnostic does", async () => {
    const delayed = { ...REFUSED, action: "delayed", status: "5.1.1" };
    const { recipients } = await readStatus(reportMail([statusPart(statusContent([delayed]))]));
    expect(recipients[0]?.action).toBe("delayed");
    expect(recipients.map(isHardBounce)).toEqual([false]);
  });

  it("leaves a diagnostic of another type with its type", async () => {
    const content = `${recipientBlock({ ...REFUSED, diagnosticCode: null })}Diagnostic-Code: x-unix; quota exceeded\r\n`;
    const { recipients } = await readStatus(reportMail([statusPart(content)]));
    expect(recipients[0]?.diagnosticCode).toBe("x-unix; quota exceeded");
  });

  it("does not read a report within the returned message", async () => {
    const nested = reportMail([
      statusPart(statusContent([{ ...REFUSED, finalRecipient: "other@example.org" }])),
    ]);
    const returned = {
      type: "message/rfc822",
      content: new TextDecoder().decode(nested).replaceAll("=_x", "=_y"),
    };
    const report = await readStatus(reportMail([statusPart(statusContent([REFUSED])), returned]));
    expect(report.recipients.map((each) => each.finalRecipient)).toEqual(["bob@example.org"]);
    expect(
      await read(reportMail([returned], { contentType: "multipart/mixed" }), "ann@example.com"),
    ).toBeNull();
  });
});

describe("a feedback report", () => {
  const feedbackMail = (content: string, returned = RETURNED): Uint8Array =>
    reportMail([{ type: "message/feedback-report", content }, returned], {
      contentType: "multipart/report; report-type=feedback-report",
    });
  const ABUSE: [string, string][] = [
    ["Feedback-Type", "abuse"],
    ["User-Agent", "Some/1.0"],
    ["Version", "1"],
    ["Original-Mail-From", "<ann+b.abcdefghijklmnopqrst@mailkeep.test>"],
    ["Original-Rcpt-To", "<bob@example.org>"],
  ];

  it("of type abuse is a complaint of the recipients it names (RFC 5965)", async () => {
    const report = await readFeedback(
      feedbackMail(fieldLines([...ABUSE, ["Original-Rcpt-To", "cleo@example.org"]])),
    );
    expect(report).toEqual({
      kind: "feedback",
      confidence: "high",
      feedbackType: "abuse",
      originalRecipients: ["bob@example.org", "cleo@example.org"],
      isRedacted: false,
      originalMailFrom: "ann+b.abcdefghijklmnopqrst@mailkeep.test",
      originalEnvelopeId: null,
      original: {
        messageId: "<one@mailkeep.test>",
        returnPath: "ann+b.abcdefghijklmnopqrst@mailkeep.test",
        cfblFeedbackId: null,
      },
    });
    expect(isComplaint(report)).toBe(true);
  });

  it.each([
    ["auth-failure", "auth-failure"],
    ["Fraud", "fraud"],
    ["virus", "virus"],
    ["not-spam", "not-spam"],
    ["opt-out", "opt-out"],
    ["opt-out-list", "opt-out"],
    ["other", "other"],
    ["made-up", "other"],
    ["abuse-not", "other"],
  ])("of type %s is no complaint", async (written, feedbackType) => {
    const report = await readFeedback(
      feedbackMail(fieldLines([["Feedback-Type", written], ...ABUSE.slice(1)])),
    );
    expect(report.feedbackType).toBe(feedbackType);
    expect(isComplaint(report)).toBe(false);
  });

  it.each([
    "redacted@example.org",
    "<redacted>",
    "[hidden]@example.org",
    "xxxxx@example.org",
    "",
    "example.org",
  ])("says that a recipient is hidden where it names %j", async (recipient) => {
    const report = await readFeedback(
      feedbackMail(fieldLines([...ABUSE.slice(0, 4), ["Original-Rcpt-To", recipient]])),
    );
    expect(report).toMatchObject({ originalRecipients: [], isRedacted: true });
  });

  it("gives the CFBL-Feedback-ID of the original message (RFC 9477)", async () => {
    const content =
      "Message-ID: <one@mailkeep.test>\r\nCFBL-Address: ann@mailkeep.test\r\nCFBL-Feedback-ID: abc:\r\n 123\r\n";
    const returned = { type: "text/rfc822-headers", content };
    const report = await readFeedback(feedbackMail(fieldLines(ABUSE), returned));
    expect(report.original).toMatchObject({ messageId: "<one@mailkeep.test>", cfblFeedbackId: "abc:123" });
  });

  it("without a type is low in confidence and no complaint", async () => {
    const report = await readFeedback(feedbackMail(fieldLines(ABUSE.slice(1))));
    expect(report).toMatchObject({ confidence: "low", feedbackType: "other" });
  });
});

describe("a report in words", () => {
  it.each<[server: string, text: string]>([
    [
      "qmail",
      "I wasn't able to deliver your message.\n\n<bob@example.org>:\n192.0.2.1 said: 550 5.1.1 unknown\n",
    ],
    ["Exim", "could not be delivered to\n\n  bob@example.org\n    host mx [192.0.2.1]: 550 5.1.1 unknown\n"],
    [
      "Exchange",
      "Delivery has failed to these recipients:\n\nbob@example.org<mailto:bob@example.org>\n'550 5.1.1 unknown'",
    ],
    ["a relay", "Unable to deliver message to <bob@example.org>.\nThe answer was 550-5.1.1 unknown"],
    [
      "an old sendmail",
      "  ----- Transcript -----\n>>> RCPT To:<bob@example.org>\n550 5.1.1 <bob@example.org>... unknown",
    ],
    [
      "a server that quotes the fields",
      "Failed:\n\nFinal-Recipient: rfc822;bob@example.org\nAction: failed\nStatus: 5.1.1\n",
    ],
  ])("of %s is read with low confidence", async (_, text) => {
    const quoted =
      "\n\n--- Below this line is a copy of the message.\n\nMessage-ID: <one@mailkeep.test>\nTo: x@y.example\n\nHi";
    const report = await readStatus(textMail(text + quoted));
    expect(report.confidence).toBe("low");
    expect(report.recipients).toMatchObject([
      { finalRecipient: "bob@example.org", action: "failed", status: "5.1.1" },
    ]);
    expect(report.original.messageId).toBe("<one@mailkeep.test>");
  });

  it("takes the recipients from X-Failed-Recipients where it stands, and each one's reply from the text", async () => {
    const text =
      "A message sent by\n  <ann@mailkeep.test>\ncould not be delivered to:\n  bob@example.org\n    550 5.1.1 unknown\n" +
      "  Cleo@example.org\n    552 5.2.2 full\n";
    const header =
      "From: Mailer-Daemon@x.example\r\nX-Failed-Recipients: bob@example.org,\r\n Cleo@example.org\r\n";
    const { recipients } = await readStatus(textMail(text, header));
    expect(recipients.map(({ finalRecipient, status }) => `${finalRecipient} ${status}`)).toEqual([
      "bob@example.org 5.1.1",
      "Cleo@example.org 5.2.2",
    ]);
  });

  it("does not take the sender for a recipient", async () => {
    const text =
      "A message sent by\n\n  <ann@mailkeep.test>\n\ncould not be delivered to:\n\n  bob@example.org\n    gone\n";
    const { recipients } = await readStatus(textMail(text));
    expect(recipients).toMatchObject([{ finalRecipient: "bob@example.org", diagnosticCode: "gone" }]);
  });

  it("keeps to 100 recipients", async () => {
    const many = Array.from({ length: 300 }, (_, index) => `<r${index}@example.org>:\nunknown\n`).join("");
    const { recipients } = await readStatus(textMail(`not be delivered\n\n${many}`));
    expect(recipients).toHaveLength(100);
  });

  it("of a server that goes on trying is a delay", async () => {
    const text =
      "THIS IS A WARNING MESSAGE ONLY. Not be delivered yet:\n\n<bob@example.org>: 421 4.4.1 no answer\n";
    const { recipients } = await readStatus(textMail(text));
    expect(recipients).toMatchObject([{ action: "delayed", status: "4.4.1", replyCode: 421 }]);
  });

  it("stands in for a status part that names nobody", async () => {
    const text = "Delivery to the following recipients failed permanently:\r\n\r\n   * bob@example.org\r\n";
    const report = await readStatus(reportMail([statusPart("Reporting-MTA: dns; x\r\n")], { text }));
    expect(report).toMatchObject({
      confidence: "low",
      recipients: [{ finalRecipient: "bob@example.org", status: null }],
    });
  });
});

describe("no report", () => {
  const BOUNCE = "could not be delivered\n\n<bob@example.org>:\n550 5.1.1 unknown\n";

  it.each<[what: string, raw: Uint8Array, envelopeFrom: string]>([
    [
      "a person's mail that quotes one",
      textMail(BOUNCE, "From: ann@example.com\r\nSubject: Look\r\n"),
      "ann@example.com",
    ],
    [
      "a mail of a mail system about something else",
      textMail("Your quota is fine.\n\nbob@example.org\n", "From: postmaster@x.example\r\n"),
      "",
    ],
    [
      "an out-of-office answer by its subject",
      textMail(BOUNCE, "From: bob@example.org\r\nSubject: Out of office: Hi\r\n"),
      "",
    ],
    [
      "an answer marked by X-Autoreply",
      textMail(BOUNCE, "From: postmaster@x.example\r\nX-Autoreply: yes\r\n"),
      "",
    ],
    [
      "an answer marked by Precedence",
      textMail(BOUNCE, "From: postmaster@x.example\r\nPrecedence: auto_reply\r\n"),
      "",
    ],
    [
      "an answer marked by Auto-Submitted",
      textMail(BOUNCE, "From: bob@example.org\r\nAuto-Submitted: auto-replied\r\n"),
      "<>",
    ],
    [
      "a read receipt (RFC 8098)",
      reportMail([{ type: "message/disposition-notification", content: recipientBlock(REFUSED) }], {
        contentType: "multipart/report; report-type=disposition-notification",
        text: BOUNCE,
      }),
      "",
    ],
    ["an empty mail", new Uint8Array(), ""],
  ])("is %s", async (_, raw, envelopeFrom) => {
    expect(await read(raw, envelopeFrom)).toBeNull();
  });

  it("is found in any mail of a person", async () => {
    const words = fc.array(
      fc.constantFrom(
        "550 5.1.1",
        "bob@example.org",
        "\n",
        "undeliverable",
        "Action: failed",
        "Final-Recipient: a@b.c",
      ),
    );
    await fc.assert(
      fc.asyncProperty(words, fc.string(), async (said, rest) => {
        expect(
          await read(textMail(`${said.join(" ")}${rest}`, "From: ann@example.com\r\n"), "ann@example.com"),
        ).toBeNull();
      }),
    );
  });
});

describe("a hard bounce", () => {
  const refusal = (status: string | null, diagnosticCode: string | null): RecipientStatus => ({
    action: "failed",
    status,
    finalRecipient: "bob@example.org",
    originalRecipient: null,
    diagnosticCode,
    replyCode: null,
  });

  it.each<[string | null, string | null]>([
    ["5.1.1", null],
    ["5.1.2", "550 Host unknown"],
    ["5.1.10", "550 5.1.10 RecipientNotFound"],
    ["5.0.0", "550 User unknown"],
    [null, "550 No such user here"],
  ])("is %j %j", (status, text) => {
    expect(isHardBounce(refusal(status, text))).toBe(true);
  });

  it.each<[string | null, string | null]>([
    ["5.2.2", "552 Mailbox full"],
    ["5.1.1", "552 mailbox is over quota temporarily"],
    ["5.7.1", "550 5.7.1 User unknown to this list of senders"],
    ["4.4.7", "delivery time expired"],
    ["4.1.1", "450 User unknown"],
    ["5.0.0", null],
    [null, null],
  ])("is not %j %j", (status, text) => {
    expect(isHardBounce(refusal(status, text))).toBe(false);
  });
});

describe("hostile reports", () => {
  const MAX_MS = 500;

  async function millisecondsOf(raw: Uint8Array): Promise<number> {
    const mail = await parseMail(raw);
    return cpuMs(() => readReport(mail, ""));
  }

  it("keep 1,000 recipients of 5,000 and say so", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      ...REFUSED,
      finalRecipient: `r${index}@example.org`,
    }));
    const report = await read(reportMail([statusPart(statusContent(many))]));
    expect(report).toMatchObject({ kind: "delivery-status", isCut: true });
    expect(report?.kind === "delivery-status" && report.recipients).toHaveLength(1_000);
  });

  it("leave out a recipient whom the end of what is read may have cut in two", async () => {
    const filler = `X-Filler: ${"x".repeat(60_000)}\r\n`;
    const blocks = Array.from(
      { length: 30 },
      (_, index) => recipientBlock({ ...REFUSED, finalRecipient: `r${index}@example.org` }) + filler,
    );
    const report = await read(reportMail([statusPart(blocks.join("\r\n"))]));
    expect(report).toMatchObject({ isCut: true });
    const addresses =
      report?.kind === "delivery-status" ? report.recipients.map((each) => each.finalRecipient) : [];
    expect(addresses).toEqual(addresses.map((_, index) => `r${index}@example.org`));
  });

  it("cut a megabyte of diagnostic and drop a megabyte of address", async () => {
    const long = "x".repeat(500_000);
    const content = statusContent([
      { ...REFUSED, diagnosticCode: `550 ${long}` },
      { ...REFUSED, finalRecipient: `${long}@example.org` },
    ]);
    const report = await read(reportMail([statusPart(content)]));
    const recipients = report?.kind === "delivery-status" ? report.recipients : [];
    expect(recipients.map((each) => each.finalRecipient)).toEqual(["bob@example.org"]);
    expect(recipients[0]?.diagnosticCode?.length).toBeLessThanOrEqual(1_000);
  });

  it.each<[what: string, content: string]>([
    ["a megabyte of empty lines", "\n".repeat(1_000_000)],
    ["a megabyte of one letter fields", "a:\n\n".repeat(250_000)],
    ["a megabyte of blanks", `Final-Recipient:${" ".repeat(1_000_000)}x`],
    ["a megabyte of plus signs", `Original-Recipient: rfc822;${"+2B".repeat(330_000)}`],
    ["a megabyte of brackets", `Final-Recipient: rfc822;${"<".repeat(1_000_000)}`],
    ["a thousand folds", `Final-Recipient:${"\n ".repeat(100_000)}x@y`],
  ])("of %s end in time", async (_, content) => {
    const feedback = {
      type: "message/feedback-report",
      content: content.replaceAll("Final-Recipient", "Original-Rcpt-To"),
    };
    expect(await millisecondsOf(reportMail([statusPart(content)]))).toBeLessThan(MAX_MS);
    expect(await millisecondsOf(reportMail([feedback]))).toBeLessThan(MAX_MS);
  });

  it.each<[what: string, unit: string]>([
    ["addresses", "<a@b.example>:\n"],
    ["distinct halves of addresses", "a@"],
    ["one letter", "a"],
    ["blanks", " "],
    ["blanks and keywords", `to${" ".repeat(1_000)}`],
    ["rules", "-".repeat(1_000)],
    ["codes", "550 5.1.1 "],
    ["digits", "5.5."],
    ["words of failure", "user mailbox host "],
  ])("in words, of %s, end in time", async (_, unit) => {
    const text = `could not be delivered 550 5.1.1\n${unit.repeat(2_000_000 / unit.length)}`;
    expect(await millisecondsOf(textMail(text))).toBeLessThan(MAX_MS);
  });

  it("nested within each other end with the outermost", async () => {
    let content = statusContent([REFUSED]);
    for (let depth = 0; depth < 200; depth++) {
      const boundary = `b${depth}`;
      content = `Content-Type: multipart/report; boundary=${boundary}\r\n\r\n--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    }
    expect(
      await read(reportMail([statusPart(statusContent([REFUSED])), { type: "message/rfc822", content }])),
    ).toMatchObject({
      recipients: [{ finalRecipient: "bob@example.org" }],
    });
  });
});

describe("any report", () => {
  const letters = (maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...Array.from("abcdefghij")), minLength: 1, maxLength });
  const local = fc.string({
    unit: fc.constantFrom(...Array.from("abz09+=._-!#'")),
    minLength: 1,
    maxLength: 20,
  });
  const address = fc.tuple(local, letters(10)).map(([name, domain]) => `${name}@${domain}.example`);
  const words = fc.array(letters(8), { minLength: 1, maxLength: 8 }).map((all) => all.join(" "));
  const digit = fc.integer({ min: 1, max: 9 });
  const recipient: fc.Arbitrary<RecipientStatus> = fc.record({
    action: fc.constantFrom("failed", "delayed", "delivered", "relayed", "expanded"),
    status: fc.option(fc.tuple(fc.constantFrom(2, 4, 5), digit, digit).map((parts) => parts.join("."))),
    finalRecipient: address,
    originalRecipient: fc.option(address),
    diagnosticCode: fc.option(words),
    replyCode: fc.constantFrom(null, 421, 452, 550, 554),
  });
  /** The reply code stands in the diagnostic alone. */
  const consistent = recipient.map((each) => ({
    ...each,
    replyCode: each.diagnosticCode === null ? null : each.replyCode,
    diagnosticCode:
      each.diagnosticCode === null || each.replyCode === null
        ? each.diagnosticCode
        : `${each.replyCode} ${each.diagnosticCode}`,
  }));

  it("is read back field by field", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(consistent, { minLength: 1, maxLength: 12 }),
        fc.option(letters(20)),
        fc.constantFrom("\r\n", "\n"),
        async (recipients, envelopeId, lineEnd) => {
          const content = statusContent(recipients, envelopeId).replaceAll("\r\n", lineEnd);
          const report = await readStatus(reportMail([statusPart(content), RETURNED]));
          expect(report.recipients).toEqual(recipients);
          expect(report).toMatchObject({ confidence: "high", originalEnvelopeId: envelopeId, isCut: false });
        },
      ),
    );
  });

  it("is read the same with blocks that no empty line, or many, separate, and fields folded and in any case", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(consistent, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("", "\r\n", "\r\n\r\n\r\n"),
        fc.constantFrom(": ", ":", ":\r\n\t", " : "),
        async (recipients, gap, colon) => {
          const blocks = recipients.map((each) => recipientBlock(each).replaceAll(": ", colon));
          const content = `Reporting-MTA: dns; x\r\n${blocks.join(gap)}`.replaceAll(/^[\w-]+/gm, (name) =>
            name.toUpperCase(),
          );
          expect((await readStatus(reportMail([statusPart(content)]))).recipients).toEqual(recipients);
        },
      ),
    );
  });

  const piece = fc.oneof(
    fc.constantFrom(
      "Final-Recipient: rfc822;",
      "Original-Recipient:",
      "Original-Rcpt-To: ",
      "Action: failed",
      "Status: 5.1.1",
      "Diagnostic-Code: smtp; 550",
      "Feedback-Type: abuse",
      "X-Failed-Recipients: ",
      "<a@b.example>:",
      "not be delivered to ",
      "--=_x",
      "\r\n",
      "\n\n",
      "\r",
      "\0",
      " ",
      ";",
      "+2B",
      "\\x{D800}",
      "\u{1F600}",
    ),
    fc.string(),
  );
  const garbage = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

  it("may be any bytes: it is of a known kind or null", async () => {
    const types = ["message/delivery-status", "message/feedback-report", "message/rfc822"];
    await fc.assert(
      fc.asyncProperty(garbage, garbage, fc.uint8Array({ maxLength: 200 }), async (text, content, bytes) => {
        const header = `${text.replaceAll(/[\r\n]/g, "")}\r\n`;
        const mails = types.map((type) => reportMail([{ type, content }], { text, header }));
        for (const raw of [...mails, textMail(text), bytes]) {
          expect(["delivery-status", "feedback", "none"]).toContain((await read(raw))?.kind ?? "none");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("hands out well-formed lines of bounded length", async () => {
    await fc.assert(
      fc.asyncProperty(garbage, garbage, async (text, content) => {
        const report = await read(reportMail([statusPart(content)], { text }));
        const strings = JSON.stringify(report).length;
        expect(strings).toBeLessThan(2_000_000);
        for (const each of report?.kind === "delivery-status" ? report.recipients : []) {
          const said = `${each.finalRecipient} ${each.originalRecipient} ${each.diagnosticCode}`;
          expect(said.isWellFormed()).toBe(true);
          expect(said).not.toMatch(/\p{Cc}/u);
          expect(each.finalRecipient ?? each.originalRecipient).not.toBeNull();
        }
      }),
    );
  });
});
