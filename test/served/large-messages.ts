import { message } from "./messages.ts";

const MB = 1_000_000;
/** Just below the largest message (25 MiB), and above the limit of a stored text. */
const LARGE_BYTES = 24 * MB;

/** A message with one text field over the limit, or with very many parts. */
export interface LargeMessage {
  name: string;
  bytes: () => Buffer;
  /** The field whose text is cut at the limit; null for none. */
  cut: "body_text" | "body_html" | null;
  /** The beginning of that field's text. */
  begins: string;
}

/** Subject of each message. */
const SUBJECT = "Your verification code";

const repeated = (text: string | Buffer, bytes: number): Buffer => Buffer.alloc(bytes, text);

function single(type: string, body: Buffer, encoding = "8bit"): Buffer {
  const headers = ["MIME-Version: 1.0", `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`];
  const opening = `From: Ann <ann@example.com>\r\nSubject: ${SUBJECT}\r\n${headers.join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(opening), body, Buffer.from("\r\n")]);
}

const base64Of = (content: Buffer): Buffer =>
  Buffer.from(content.toString("base64").replaceAll(/.{76}/g, "$&\r\n"));

const CODE = "Your verification code is 482913.\r\n";
const begun = (body: Buffer): Buffer => Buffer.concat([Buffer.from(CODE), body]);
const BEGUN = "Your verification code is 482913.";

function multipart(count: number, part: (index: number) => string): Buffer {
  const parts = Array.from({ length: count }, (_, index) => `--b\r\n${part(index)}\r\n`);
  return message({
    subject: SUBJECT,
    headers: ["MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="b"'],
    body: Buffer.from(`${parts.join("")}--b--\r\n`),
  });
}

/** 90 nested multiparts, each declared as base64, with a preamble and an epilogue. */
function nested(): Buffer {
  const levels = Array.from({ length: 90 }, (_, level) => level);
  const open = levels.map(
    (level) =>
      `preamble\r\n--b${level}\r\nContent-Type: multipart/mixed; boundary="b${level + 1}"\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
  );
  const close = levels.toReversed().map((level) => `--b${level}--\r\nepilogue\r\n`);
  const inner = `preamble\r\n--b90\r\nContent-Type: text/plain\r\n\r\n${CODE}${"x".repeat(20 * MB)}\r\n--b90--\r\n`;
  return message({
    subject: SUBJECT,
    headers: [
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b0"',
      "Content-Transfer-Encoding: base64",
    ],
    body: Buffer.from(`${open.join("")}${inner}${close.join("")}`),
  });
}

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");

/** The most expensive message of each kind, at the maximum size. */
export const LARGE_MESSAGES: readonly LargeMessage[] = [
  {
    name: "24 MB of plain text",
    bytes: () =>
      single("text/plain; charset=utf-8", begun(repeated("lorem ipsum dolor sit\r\n", LARGE_BYTES))),
    cut: "body_text",
    begins: BEGUN,
  },
  {
    name: "24 MB on one line",
    bytes: () => single("text/plain", begun(repeated("x", LARGE_BYTES))),
    cut: "body_text",
    begins: BEGUN,
  },
  {
    name: "24 MB of control characters",
    bytes: () => single("text/plain", begun(repeated("\x01", LARGE_BYTES))),
    cut: "body_text",
    begins: BEGUN,
  },
  {
    name: "24 MB of HTML",
    bytes: () =>
      single(
        "text/html; charset=utf-8",
        repeated("<div><b>word</b> <a href='https://x.example/'>link</a></div>", LARGE_BYTES),
      ),
    cut: "body_html",
    begins: "<div><b>word</b>",
  },
  {
    name: "24 MB of tags",
    bytes: () => single("text/html", repeated("<ul><li>x", LARGE_BYTES)),
    cut: "body_html",
    begins: "<ul><li>x",
  },
  {
    name: "24 MB of base64 text",
    bytes: () =>
      single("text/plain; charset=utf-8", base64Of(begun(repeated("lorem ipsum\n", 17 * MB))), "base64"),
    cut: "body_text",
    begins: BEGUN,
  },
  {
    name: "24 MB of quoted-printable",
    bytes: () => single("text/plain", begun(repeated("=C3=A4=\r\n", LARGE_BYTES)), "quoted-printable"),
    cut: "body_text",
    begins: `${BEGUN}\nää`,
  },
  {
    name: "one emoji, repeated",
    bytes: () => single("text/plain; charset=utf-8", begun(repeated("\u{1F4E6}", LARGE_BYTES))),
    cut: "body_text",
    begins: `${BEGUN}\n\u{1F4E6}\u{1F4E6}`,
  },
  {
    name: "UTF-16 of one emoji",
    bytes: () =>
      single("text/plain; charset=utf-16le", base64Of(utf16("\u{1F4E6}".repeat(4 * MB))), "base64"),
    cut: "body_text",
    begins: "\u{1F4E6}\u{1F4E6}",
  },
  {
    name: "ISO-2022-JP",
    bytes: () => single("text/plain; charset=iso-2022-jp", repeated("\x1b$B$3$s\x1b(B ", LARGE_BYTES)),
    cut: "body_text",
    begins: "こん こん",
  },
  {
    name: "a text in 900 parts",
    bytes: () =>
      multipart(
        900,
        (index) => `Content-Type: text/plain\r\n\r\n${index === 0 ? CODE : ""}${"word ".repeat(5_000)}`,
      ),
    cut: "body_text",
    begins: BEGUN,
  },
  {
    name: "10,000 parts",
    bytes: () =>
      multipart(
        10_000,
        (index) => `Content-Type: ${index === 0 ? "text/plain" : "image/png"}\r\n\r\n${CODE}`,
      ),
    cut: null,
    begins: BEGUN,
  },
  {
    name: "100,000 parts",
    bytes: () => multipart(100_000, () => `Content-Type: text/plain\r\n\r\n${CODE}`),
    cut: null,
    begins: BEGUN,
  },
  { name: "90 multiparts in one another", bytes: nested, cut: "body_text", begins: BEGUN },
  {
    name: "24 MB of one base64 file",
    bytes: () =>
      multipart(2, (index) =>
        index === 0
          ? `Content-Type: text/plain\r\n\r\n${CODE}`
          : `Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64Of(repeated("zip", 17 * MB)).toString("latin1")}`,
      ),
    cut: null,
    begins: BEGUN,
  },
];
