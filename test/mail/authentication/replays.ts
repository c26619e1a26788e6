const BLOCK = "Content-Type: multipart/mixed; boundary=zz\r\n";
const PARTS = "--zz\r\nContent-Type: text/plain\r\n\r\nPay Eve.\r\n--zz--\r\n";

const below = (text: string, lines: string): string => text.replace("Subject:", `${lines}Subject:`);
const repeated = (name: string, value: string): readonly [string, (text: string) => string] => [
  `a second ${name} on top`,
  (text) => `${name}: ${value}\r\n${text.includes(`\r\n${name}:`) ? "" : `${name}: x\r\n`}${text}`,
];

/**
 * Ways to send a genuine mail of somebody else again so that programs disagree about its header, and with it about what the
 * mail says. `text` has the fields From, To, Subject and Message-ID.
 */
export const REPLAYS: readonly (readonly [name: string, change: (text: string) => string])[] = [
  [
    "a header that ends with a carriage return too many, and another body",
    (text) => `From: Boss <boss@bank.example>\r\n${BLOCK}\r\r\n${PARTS}${text.replace(/From: .*\r\n/, "")}`,
  ],
  ["a line of carriage returns", (text) => below(text, "\r\r\r\n")],
  ["a line end with two carriage returns", (text) => below(text, "X-Note: x\r\r\n")],
  ["a carriage return alone in a field", (text) => below(text, "X-Note: x\rSubject: Eve\r\n")],
  ["a carriage return alone before the header", (text) => `\r${text}`],
  ["a carriage return alone before a line feed of its own", (text) => below(text, "X-Note: x\r \n")],
  ["a NUL in a field", (text) => below(text, "X-Note: x\0\r\n")],
  ["a NUL in a name", (text) => below(text, "Sub\0ject: Eve\r\n")],
  ["an empty line before the header", (text) => `\r\n${text}`],
  ["a line feed before the header", (text) => `\n${text}`],
  ["a line without a colon", (text) => below(text, "no field\r\n")],
  ["a line that begins with a colon", (text) => below(text, ": x\r\n")],
  ["the line that separates mails of an mbox", (text) => `From boss@bank.example Sun Nov 22 2026\r\n${text}`],
  ["a name with a blank", (text) => below(text, "X Note: x\r\n")],
  ["a name above ASCII", (text) => below(text, "Subject\u00a0: Eve\r\n")],
  ["a name that is folded before its colon", (text) => below(text, "Subject\r\n : Eve\r\n")],
  ["a name of 300 characters", (text) => below(text, `${"x".repeat(300)}: x\r\n`)],
  ["300 blanks before a colon", (text) => below(text, `Subject${" ".repeat(300)}: Eve\r\n`)],
  ["a field of 70 KB", (text) => below(text, `X-Note: ${"x".repeat(70_000)}\r\n`)],
  ["2,100 fields", (text) => `${"X-Note: x\r\n".repeat(2_100)}${text}`],
  ["330,000 lines", (text) => below(text, `X-Note: x\r\n${" \r\n".repeat(330_000)}`)],
  ["a header of 300 KB", (text) => below(text, `X-Note: ${"x".repeat(60_000)}\r\n`.repeat(5))],
  ["a header of 2 MB", (text) => below(text, `X-Note: ${"x".repeat(60_000)}\r\n`.repeat(35))],
  ["a second Subject with blanks before the colon", (text) => `Subject \t: Eve\r\n${text}`],
  ["a second Subject in capitals", (text) => `SUBJECT: Eve\r\n${text}`],
  ["a second Subject as an encoded word", (text) => `Subject: =?utf-8?q?Eve?=\r\n${text}`],
  [
    "a second Subject at the end of the header",
    (text) => text.replace("\r\n\r\n", "\r\nSubject: Eve\r\n\r\n"),
  ],
  ["a second Subject behind line feeds alone", (text) => `Subject: Eve\n${text.replaceAll("\r\n", "\n")}`],
  repeated("From", "Boss <boss@bank.example>"),
  repeated("Sender", "eve@evil.example"),
  repeated("Reply-To", "eve@evil.example"),
  repeated("To", "box@mailkeep.test"),
  repeated("Cc", "eve@evil.example"),
  repeated("Bcc", "eve@evil.example"),
  repeated("Date", "Mon, 23 Nov 2026 10:00:00 +0000"),
  repeated("Subject", "Eve"),
  repeated("Message-ID", "<2@evil.example>"),
  repeated("In-Reply-To", "<3@evil.example>"),
  repeated("References", "<3@evil.example>"),
  repeated("MIME-Version", "1.0"),
  repeated("Content-Type", "text/html; charset=utf-16le"),
  repeated("Content-Transfer-Encoding", "base64"),
  repeated("Content-Disposition", "attachment; filename=invoice.pdf"),
  repeated("Content-ID", "<4@evil.example>"),
];
