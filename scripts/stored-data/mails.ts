import { filler, message } from "../../test/served/messages.ts";
import { reportMail, statusContent } from "../../test/mail/report/compose-report.ts";

/** Too large for a row: the raw message is stored in the bucket. */
const LARGE_FILE_BYTES = 560_000;
/** Too large for a text in a row. */
const LARGE_TEXT_BYTES = 300_000;
const LINE_CHARS = 76;

const idOf = (name: string): string => `<${name}@friends.example>`;
const date = (day: number): string => `Date: Mon, ${String(day).padStart(2, "0")} Nov 2026 09:30:00 +0100`;

/** A multipart of whole parts. */
function multipart(
  kind: string,
  parts: readonly string[],
  boundary: string,
): { header: string; body: string } {
  const body = parts.map((part) => `--${boundary}\n${part}\n`).join("");
  return {
    header: `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    body: `${body}--${boundary}--\n`,
  };
}

function base64Lines(bytes: Buffer): string {
  return (bytes.toString("base64").match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? []).join("\n");
}

const file = (type: string, name: string, bytes: Buffer, more = ""): string =>
  `Content-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\n` +
  `${more}Content-Transfer-Encoding: base64\n\n${base64Lines(bytes)}`;

/** A thread of three, of which the newest quotes. */
export const GARDEN = [
  message({
    subject: "Plan for the garden",
    messageId: idOf("garden-1"),
    headers: ["To: reader@mailkeep.test", date(2)],
    body: "Shall we plant tomatoes or beans?\n\nAnn\n",
  }),
  message({
    subject: "Re: Plan for the garden",
    from: "Ben <ben@example.com>",
    messageId: idOf("garden-2"),
    headers: [`In-Reply-To: ${idOf("garden-1")}`, `References: ${idOf("garden-1")}`, date(3)],
    body: "Tomatoes, and I bring the seeds.\n\nOn Mon, 2 Nov 2026, Ann wrote:\n> Shall we plant tomatoes or beans?\n",
  }),
  message({
    subject: "Re: Plan for the garden",
    messageId: idOf("garden-3"),
    headers: [
      `In-Reply-To: ${idOf("garden-2")}`,
      `References: ${idOf("garden-1")} ${idOf("garden-2")}`,
      date(4),
    ],
    body: "Good, on Saturday then.\n\n-- \nAnn\nGreen Street 5\n",
  }),
];

/** Two threads, and a mail that merges them. */
export const MERGED = [
  message({ subject: "Train to the coast", messageId: idOf("coast-1"), body: "The train leaves at nine.\n" }),
  message({ subject: "Rooms at the coast", messageId: idOf("coast-2"), body: "There are two rooms left.\n" }),
  message({
    subject: "The coast, all of it",
    messageId: idOf("coast-3"),
    headers: [`References: ${idOf("coast-1")} ${idOf("coast-2")}`],
    body: "So we take the train and both rooms.\n",
  }),
];

const html = multipart(
  "alternative",
  [
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße aus Łódź. Zum Album: https://photos.example/album/7",
    'Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<h1>Grüße aus Łódź</h1><p>Zum <a href="https://photos.example/album/7">Album</a></p><img src="https://photos.example/pixel.gif" width="1" height="1">',
  ],
  "=_alternative",
);
const files = multipart(
  "mixed",
  [
    'Content-Type: text/html; charset=us-ascii\n\n<p>Three files, one <img src="cid:picture@friends.example"> shown.</p>',
    file("text/plain; charset=utf-8", "notes.txt", Buffer.from("Beans: two rows. Zucchini: one.\n")),
    file("application/octet-stream", "counts.bin", Buffer.from(Array.from({ length: 256 }, (_, at) => at))),
    file(
      "image/png",
      "picture.png",
      Buffer.from("not quite a picture"),
      "Content-ID: <picture@friends.example>\n",
    ),
  ],
  "=_mixed",
);
const large = multipart(
  "mixed",
  [
    "Content-Type: text/plain\n\nThe whole archive.",
    file("application/zip", "archive.zip", filler(LARGE_FILE_BYTES, "zip")),
  ],
  "=_large",
);

/** Mails of each kind, by what tells them apart. */
export const MAILS = {
  html: message({
    subject: "=?utf-8?B?R3LDvMOfZSBhdXMgxYHDs2TFug==?=",
    from: "=?iso-8859-1?Q?J=F6rg?= <joerg@example.com>",
    messageId: idOf("html"),
    headers: [
      "Authentication-Results: mx.mailkeep.test; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com; dmarc=pass header.from=example.com",
      "MIME-Version: 1.0",
      html.header,
    ],
    body: html.body,
  }),
  files: message({
    subject: "Three files",
    messageId: idOf("files"),
    headers: ["Cc: cleo@example.com", "MIME-Version: 1.0", files.header],
    body: files.body,
  }),
  code: message({
    subject: "Your verification code",
    from: "Example Shop <login@shop.example>",
    messageId: idOf("code"),
    body: "Hello,\n\nyour verification code is 482913. It is valid for 10 minutes.\n",
  }),
  takenCode: message({
    subject: "Your verification code",
    from: "Example Bank <login@bank.example>",
    messageId: idOf("taken-code"),
    body: "Hello,\n\nyour verification code is 770155. It is valid for 10 minutes.\n",
  }),
  link: message({
    subject: "Confirm your address",
    from: "Example Shop <hello@shop.example>",
    messageId: idOf("link"),
    body: "Please confirm your address:\n\nhttps://shop.example/confirm?token=4f3c2b1a09d8e7f6\n",
  }),
  order: message({
    subject: "Your order 2026-4711",
    from: "Example Shop <orders@shop.example>",
    messageId: idOf("order"),
    headers: ["Auto-Submitted: auto-generated"],
    body: "Thank you for your order 2026-4711.\n\n2 x Trowel   9.90 EUR\nTotal: 19.80 EUR\n",
  }),
  newsletter: message({
    subject: "News of the week",
    from: "News <news@list.example>",
    messageId: idOf("newsletter"),
    headers: ["List-Unsubscribe: <https://list.example/leave>", "Precedence: bulk"],
    body: "This week: nothing at all.\n",
  }),
  nameless: message({ subject: "No Message-ID", messageId: null, body: "Which mail am I?\n" }),
  sameName: message({
    subject: "Another mail of that name",
    messageId: idOf("html"),
    body: "Not the first one.\n",
  }),
  broken: Buffer.from(
    "This is no header\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n\u00ff\u00fe nor a body\r\n",
    "latin1",
  ),
  tagged: message({
    subject: "For a tag",
    messageId: idOf("tagged"),
    body: "You gave this address to one shop alone.\n",
  }),
  labelled: message({ subject: "To be done", messageId: idOf("labelled"), body: "Call the plumber.\n" }),
  deleted: message({ subject: "To be deleted", messageId: idOf("deleted"), body: "Forget this.\n" }),
  largeFile: message({
    subject: "The archive",
    messageId: idOf("large-file"),
    headers: ["MIME-Version: 1.0", large.header],
    body: large.body,
  }),
  largeText: message({
    subject: "A long text",
    messageId: idOf("large-text"),
    body: filler(LARGE_TEXT_BYTES, "long text about compost"),
  }),
};

/** One of many that a machine sends. */
export const notification = (number: number): Buffer =>
  message({
    subject: `Build ${number} failed`,
    from: "Builds <builds@ci.example>",
    messageId: idOf(`build-${number}`),
    headers: ["Auto-Submitted: auto-generated"],
    body: `Step ${number} of the build failed.\n`,
  });

/** One of the mails of the temporary mailbox. */
export const numbered = (number: number): Buffer =>
  message({
    subject: `Number ${number}`,
    messageId: idOf(`number-${number}`),
    body: `This is mail number ${number}.\n`,
  });

/** A delivery report: the mail to `recipient` was not delivered. */
export const bounce = (recipient: string): Uint8Array =>
  reportMail([
    {
      type: "message/delivery-status",
      content: statusContent([
        {
          finalRecipient: recipient,
          originalRecipient: null,
          action: "failed",
          status: "5.1.1",
          diagnosticCode: "550 5.1.1 no such user",
        },
      ]),
    },
  ]);

/** A complaint: `recipient` marked the mail as spam (RFC 5965). */
export const complaint = (recipient: string): Uint8Array =>
  reportMail(
    [
      {
        type: "message/feedback-report",
        content: `Feedback-Type: abuse\r\nUser-Agent: Test/1\r\nVersion: 1\r\nOriginal-Rcpt-To: ${recipient}\r\n`,
      },
    ],
    { contentType: "multipart/report; report-type=feedback-report" },
  );
