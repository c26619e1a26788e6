/** A message that readers stumble over. */
export interface HostileMail {
  name: string;
  raw: () => Buffer;
}

const HEAD = "From: Ann <ann@x.example>\r\nTo: bob@y.example\r\nSubject: Hi\r\nMIME-Version: 1.0\r\n";
const TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\n";
const BASE64 = "Content-Transfer-Encoding: base64\r\n";
const MIXED = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;

const part = (header: string, body: string): string => `--b\r\n${header}\r\n\r\n${body}\r\n`;
const mixed = (...parts: string[]): string => `${MIXED}${parts.join("")}--b--\r\n`;
const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");
const base64 = (bytes: number, lineChars = 76): string =>
  Buffer.alloc(bytes, "bytes of a file ")
    .toString("base64")
    .replaceAll(new RegExp(`.{${lineChars}}`, "g"), "$&\r\n");
const file = (type: string, body: string, more = ""): string => part(`Content-Type: ${type}${more}`, body);

/** Small messages with a bit of everything: mutations are made of them. */
export const ODD: readonly HostileMail[] = [
  { name: "every kind of part", raw: () => latin1(everyKind()) },
  {
    name: "boundaries that begin each other",
    raw: () =>
      latin1(
        `${HEAD}Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab\n\none\n--abc\ntwo\n` +
          "--ab\nContent-Type: multipart/alternative; boundary=abc\n\n--abc\n\nthree\n--ab--\n--a--\nrest\n--a\n\nfour\n--ab\nfive\n--a----\n--a--",
      ),
  },
  {
    name: "an inner multipart with the boundary of the outer",
    raw: () =>
      latin1(
        mixed(
          part("Content-Type: multipart/mixed; boundary=b", `--b\r\n${TEXT}in\r\n--b--\r\nafter`),
          part("", "out"),
        ),
      ),
  },
  {
    name: "a delimiter within base64, quoted-printable and a forwarded message",
    raw: () =>
      latin1(
        mixed(
          file("image/png", `AAEC\r\n--b\r\nAwQF\r\n--bx\r\n--\r\n-\r\nBgc=`, `\r\n${BASE64.trim()}`),
          file(
            "text/plain; name=q.txt",
            "a=\r\n--b\r\n=3D=\r\n--b-\r\nx=",
            "\r\nContent-Transfer-Encoding: quoted-printable",
          ),
          file(
            "message/rfc822",
            `Subject: in\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--`,
          ),
        ),
      ),
  },
  {
    name: "missing ends",
    raw: () =>
      latin1(
        `${MIXED}pre\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: image/gif`,
      ),
  },
  {
    name: "a part that ends in its header",
    raw: () =>
      latin1(
        mixed("--b\r\n--b\r\nContent-Type: text/csv\r\n--b\r\nContent-Type: text/html\r\n", part("", "x")),
      ),
  },
  {
    name: "bare CR and LF",
    raw: () =>
      latin1(`${MIXED.replaceAll("\r\n", "\n")}--b\r\r\n\rtext\r--b\r\rx\n\r\n--b\n\n\n\r\r\r\n\n--b--\r\r`),
  },
  {
    name: "only CR",
    raw: () =>
      latin1(
        `${MIXED}--b\r\n\r\na${"\r".repeat(3_000)}\n${"\r".repeat(3_000)}b\r\r\n--b\r\r\r\n\r\n\r\n\r\n--b--`,
      ),
  },
  {
    name: "uuencode",
    raw: () =>
      latin1(`${HEAD}Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a.txt\r\n#0V%T\r\n\`\r\nend\r\n`),
  },
  {
    name: "quoted-printable at its edges",
    raw: () =>
      latin1(
        `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n=${" ".repeat(998)}\r\n=${" ".repeat(999)}\r\n=\t \n==41=4=4G=\r=\n= x=\r\r\n=e4=C3=A4=`,
      ),
  },
  {
    name: "base64 at its edges",
    raw: () => latin1(`${HEAD}${BASE64}Content-Type: image/png\r\n\r\nQQ=QUI=QUJD=====Q\r\nU\r\nJ*D-_\0QQ`),
  },
  { name: "charsets", raw: () => charsets() },
  { name: "nothing", raw: () => Buffer.alloc(0) },
  { name: "empty lines alone", raw: () => latin1("\r\n\n\r\r\n") },
  { name: "words without a header", raw: () => latin1("just words\nand more\n\n--b\nand more") },
  { name: "a header alone", raw: () => latin1("Subject: x\r\nContent-Type: application/pdf") },
  { name: "calendars", raw: () => calendars() },
  {
    name: "trace fields, folded, twice and misspelled",
    raw: () =>
      latin1(
        "Return-Path: <a@x>\r\nReceived: from a\r\n\tby b;\r\n now\r\nReceived : c\nReceivedx: d\r\nX-Received: e\r\n\te\r\n" +
          "ARC-Authentication-Results: i=1\r\nARC-Authentication-Results-: i=1\r\nSubject: s\r\n folded\r\nReceived: f\r\r\n\r\r\nReceived: body",
      ),
  },
  { name: "a report with several returned messages", raw: () => latin1(report()) },
];

/** Messages at and beyond the limits. */
export const LIMITS: readonly HostileMail[] = [
  {
    name: "a field of 3 MB",
    raw: () => latin1(`X-Big: ${"x".repeat(3e6)}\r\n${mixed(part("", "text"), file("image/png", "x"))}`),
  },
  {
    name: "50,000 fields",
    raw: () => latin1(`${"X-A: y\r\n\tz\r\n".repeat(50_000)}${mixed(part("", "text"))}`),
  },
  { name: "a header without an end", raw: () => latin1(`Subject: s\r\n${"X-A: y\r\n".repeat(60_000)}`) },
  { name: "a megabyte without any field", raw: () => latin1("no field at all here\r\n".repeat(60_000)) },
  {
    name: "a field after a megabyte without any",
    raw: () => latin1(`${"no field here\r\n".repeat(80_000)}Subject: late\r\n\r\nbody`),
  },
  {
    name: "a part's header of 300 KB",
    raw: () =>
      latin1(
        mixed(part(`Content-Type: image/png\r\nX-Big: ${"x".repeat(300_000)}\r\nContent-ID: <late@x>`, "b")),
      ),
  },
  {
    name: "60,000 lines of a part's header",
    raw: () => latin1(mixed(part("", "kept"), `--b\r\n${"--a\r\na\r\n".repeat(30_000)}`)),
  },
  {
    name: "headers of parts of 3 MB",
    raw: () =>
      latin1(
        mixed(
          part("", "kept"),
          times(30, (index) => file("image/png", `x${index}`, `\r\nX-Big: ${"x".repeat(100_000)}`)),
        ),
      ),
  },
  { name: "1,500 parts", raw: () => latin1(mixed(times(1_500, (index) => file("image/png", `x${index}`)))) },
  { name: "100,000 parts", raw: () => latin1(mixed("--b\n\nx\n".repeat(100_000))) },
  { name: "300 nested multiparts", raw: () => latin1(nested(300, "")) },
  { name: "95 nested multiparts", raw: () => latin1(nested(95, "")) },
  {
    name: "300 nested multiparts with files",
    raw: () => latin1(nested(300, file("image/png", "y".repeat(5_000)).replaceAll("--b\r\n", "--bN\r\n"))),
  },
  {
    name: "11,000 lines with dashes",
    raw: () => latin1(mixed(part("", `${"--- a/x\r\n".repeat(11_000)}end`), file("image/png", "x"))),
  },
  {
    name: "1,100,000 lines",
    raw: () => latin1(mixed(part("", "\n".repeat(1_100_000)), file("image/png", "x"))),
  },
  {
    name: "delimiters of 8 KiB and more",
    raw: () =>
      latin1(
        mixed(
          `--b${" ".repeat(8_187)}\r\n\r\nin\r\n`,
          `--b${" ".repeat(8_188)}\r\n\r\nout\r\n`,
          `--${"x".repeat(20_000)}\r\n`,
        ),
      ),
  },
  {
    name: "texts over a megabyte",
    raw: () =>
      latin1(
        mixed(
          part(TEXT.trim(), "\xc3\xa4".repeat(700_000)),
          file("text/html", `<p>${"h".repeat(1_100_000)}`),
          part("", "more"),
        ),
      ),
  },
  {
    name: "a text of a megabyte in UTF-16",
    raw: () =>
      Buffer.concat([
        latin1(`${HEAD}Content-Type: text/plain; charset=utf-16le\r\n\r\n`),
        Buffer.from("\u5b57".repeat(600_000), "utf16le"),
      ]),
  },
  {
    name: "text files beyond their room",
    raw: () =>
      latin1(
        mixed(
          times(8, (index) =>
            file(
              `text/${index % 2 ? "csv" : "html"}; name=f${index}`,
              `"a\r\n`.repeat(12_000 + 2_000 * index),
            ),
          ),
        ),
      ),
  },
  {
    name: "a forwarded message with a header of 300 KB",
    raw: () =>
      latin1(
        mixed(
          file("message/rfc822", `X-A: ${"y".repeat(300_000)}\r\nSubject: far\r\n\r\nx`),
          file("message/rfc822", "Subject: near\r\n\r\nx"),
        ),
      ),
  },
  {
    name: "large calendars",
    raw: () =>
      latin1(
        mixed(
          file("text/calendar; name=a", "x".repeat(1_000_000)),
          file("text/calendar; name=b", "x".repeat(1_000_001)),
        ),
      ),
  },
  {
    name: "100,000 carriage returns before a delimiter",
    raw: () =>
      latin1(
        mixed(file("image/png", `x${"\r".repeat(100_000)}`), file("image/gif", `${"\r".repeat(100_000)}x`)),
      ),
  },
  {
    name: "files of a megabyte",
    raw: () =>
      latin1(
        mixed(
          part("", "text"),
          file("image/png", base64(1_000_000), `\r\n${BASE64.trim()}`),
          file("application/zip", base64(500_000, 998), `\r\n${BASE64.trim()}`),
          file(
            "application/pdf",
            "p=20=\r\n".repeat(150_000),
            "\r\nContent-Transfer-Encoding: quoted-printable",
          ),
        ),
      ),
  },
];

function everyKind(): string {
  const alternative = [
    `--c\r\n${TEXT}plain \xc3\xa4\r\n`,
    "--c\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>rich =C3=A4=\r\n</p>\r\n",
    "--c\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n\r\n",
  ];
  return mixed(
    "preamble\r\n",
    file("multipart/alternative; boundary=c", `${alternative.join("")}--c--\r\nepilogue`),
    file("text/plain; name=second.txt", "a named text"),
    file("text/plain", "an attached text", "\r\nContent-Disposition: attachment"),
    file('text/csv; name="=?utf-8?Q?b=C3=B6.csv?="', "a,b\r\n1,2\r\n"),
    file(
      "image/png; name*0*=utf-8''a%; name*1=b",
      base64(300),
      `\r\n${BASE64}Content-ID: <logo@x>\r\nContent-Disposition: inline`,
    ),
    file("message/rfc822", "Subject: =?utf-8?Q?In=3A?= forwarded\r\n\r\n--b-not\r\nx"),
    file("multipart/digest; boundary=d", "--d\r\n\r\nSubject: digested\r\n\r\ny\r\n--d--"),
    file("multipart/mixed; boundary=none", "a multipart without a part"),
    file("text/html", "<p>closing"),
  );
}

function report(): string {
  const returned = (id: string): string => file("message/rfc822", `Message-ID: <${id}@x.example>\r\n\r\nx`);
  const status =
    "Reporting-MTA: dns; x.example\r\n\r\nFinal-Recipient: rfc822; bob@y.example\r\nAction: failed\r\nStatus: 5.1.1\r\n";
  const parts = [
    part("", "Your mail came back, queue-id: 4F2A1B3C"),
    returned("first"),
    file("message/delivery-status", `X-Queue-ID: 5A2A1B3D\r\n${status}`),
    file("message/delivery-status", status.replace("bob", "ann")),
    file("text/rfc822-headers", "Message-ID: <second@x.example>\r\nReceived: by x with ESMTP id 6B2A1B3E"),
    returned("third"),
  ];
  return mixed(...parts).replace("multipart/mixed", "multipart/report; report-type=delivery-status");
}

function nested(levels: number, inner: string): string {
  const open = times(
    levels,
    (level) =>
      `--b${level}\r\n\r\ntext${level}\r\n${inner.replaceAll("bN", `b${level}`)}--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\n\r\n`,
  );
  return `${HEAD}Content-Type: multipart/mixed; boundary=b0\r\n\r\n${open}`;
}

function charsets(): Buffer {
  const names = [
    "utf-16",
    "utf-16be",
    "iso-2022-jp",
    "shift_jis",
    "x-unknown",
    "",
    "us-ascii",
    "x'y",
    "utf-7",
    "windows-1251",
  ];
  const parts = names.map((name) =>
    file(`text/plain; charset="${name}"`, '\x1b$B$"\x1b(B \xff\xfe\xd8\x00 +ADw- \xc3\xa4\xe4'),
  );
  return latin1(
    mixed(...parts, ...names.map((name) => file(`text/csv; charset="${name}"`, "\xff\xfea,\xe4"))),
  );
}

function calendars(): Buffer {
  return latin1(
    mixed(
      file("text/calendar", ""),
      file("TEXT/Calendar; charset=windows-1252", "BEGIN:\xe4\r\n\r\n\n"),
      file("application/ics; charset=utf-16le", "B\0E\0"),
      "--b\r\nContent-Type: text/calendar\r\n",
      file(
        "text/calendar; format=flowed",
        "a \r\nb\r\n",
        `\r\nContent-Disposition: attachment; filename="x.ics"`,
      ),
    ),
  );
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
