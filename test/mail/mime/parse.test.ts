import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentDigest, parseMail } from "../../../src/mail/mime/parse.ts";
import type { ParsedMail } from "../../../src/mail/mime/parsed-mail.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const parse = (raw: string): Promise<ParsedMail> => parseMail(new TextEncoder().encode(raw));
const HEAD = "From: Ann <ann@x.com>\r\nTo: bob@y.com\r\nSubject: Hi\r\nMIME-Version: 1.0\r\n";
const part = (headers: string, body: string): string => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
const multipart = (parts: readonly string[], type = "mixed"): string =>
  `${HEAD}Content-Type: multipart/${type}; boundary="b"\r\n\r\n${parts.join("")}--b--\r\n`;
const TEXT = "Content-Type: text/plain; charset=utf-8";
const HTML = "Content-Type: text/html; charset=utf-8";

describe("header fields", () => {
  it("takes sender, recipients, subject and date", async () => {
    const mail = await parse(
      "From: =?utf-8?Q?J=C3=BCrgen?= <j@x.com>\r\nTo: Team: a@x.com, B <b@x.com>;\r\nTo: c@x.com\r\n" +
        "Cc: undisclosed-recipients:;\r\nSubject: =?utf-8?B?w6Q=?=\r\n =?utf-8?B?w7Y=?=\r\n" +
        "Date: Fri, 21 Nov 1997 09(comment):55:06 -0600\r\n\r\nbody\r\n",
    );
    expect(mail).toMatchObject({
      from: { name: "Jürgen", address: "j@x.com" },
      to: [
        { name: "", address: "a@x.com" },
        { name: "B", address: "b@x.com" },
        { name: "", address: "c@x.com" },
      ],
      cc: [],
      subject: "äö",
      date: "1997-11-21T15:55:06.000Z",
      text: "body",
      html: "",
      attachments: [],
      faults: [],
    });
  });

  it("lets the first of two From, Subject and Message-ID lines win and keeps all", async () => {
    const mail = await parse(
      "From: a@x\r\nFrom: b@x\r\nSubject: one\r\nSubject: two\r\nMessage-ID: <1@x>\r\nMessage-ID: <2@x>\r\n\r\n",
    );
    expect(mail).toMatchObject({ from: { address: "a@x" }, subject: "one", messageId: "<1@x>" });
    expect(mail.headers).toMatchObject({
      from: "a@x\nb@x",
      subject: "one\ntwo",
      "message-id": "<1@x>\n<2@x>",
    });
  });

  it("makes no header of a bare CR, and no text of a NUL", async () => {
    const mail = await parse("Subject: a\rX-Inj: b\0c\r\nFrom: A\0 <a\0@x>\r\n\r\nx\0y");
    expect(mail).toMatchObject({ subject: "a X-Inj: bc", from: { name: "A", address: "a@x" }, text: "xy" });
    expect(Object.keys(mail.headers)).toEqual(["subject", "from"]);
  });

  it("reads 8-bit headers as UTF-8, else as windows-1252", async () => {
    expect((await parse("Subject: größe\r\n\r\n")).subject).toBe("größe");
    expect((await parseMail(latin1("Subject: gr\xf6\xdfe\r\n\r\n"))).subject).toBe("größe");
    expect((await parseMail(latin1("Subject: =?iso-8859-1?Q?gr\xf6\xdfe?=\r\n\r\n"))).subject).toBe("größe");
  });

  it("takes no address out of an encoded name", async () => {
    const mail = await parse("From: =?utf-8?Q?=3Cceo=40bank.com=3E?= <evil@x.com>\r\n\r\n");
    expect(mail.from).toEqual({ name: "<ceo@bank.com>", address: "evil@x.com" });
  });

  it("keeps a header named like a property of objects", async () => {
    const mail = await parse("__proto__: x\r\nconstructor: y\r\n\r\n");
    expect(Object.entries(mail.headers)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  it.each([
    ["Thu, 1 Jan 2026 10:00:00 +0130", "2026-01-01T08:30:00.000Z"],
    ["1 Jan 26 10:00 EST", "2026-01-01T15:00:00.000Z"],
    ["Thu, 1 Jan 2026 10:00:00", "2026-01-01T10:00:00.000Z"],
    ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000Z"],
    ["Thu, 1 Foo 2026 10:00:00 +0000", null],
    ["99 Jan 2026 10:00:00 +0000", null],
    ["tomorrow", null],
    ["", null],
  ])("reads the date %j", async (written, date) => {
    expect((await parse(`Date: ${written}\r\n\r\n`)).date).toBe(date);
  });
});

describe("message ids", () => {
  it("chains References and In-Reply-To, nearest last, without repeats and itself", async () => {
    const mail = await parse(
      "Message-ID: <me@x>\r\nReferences: <1@x>\r\n\t<2@x>, <1@x> <me@x>\r\nIn-Reply-To: <3@x> (of Monday)\r\n\r\n",
    );
    expect(mail.ancestorIds).toEqual(["<1@x>", "<2@x>", "<3@x>"]);
    expect(mail.inReplyTo).toBe("<3@x>");
    expect(mail.references).toBe("<1@x> <2@x> <1@x> <me@x>");
  });

  it("reads ids without brackets, and none from prose", async () => {
    expect(await parse("Message-ID: 1@x\r\nReferences: 2@x 3@x\r\n\r\n")).toMatchObject({
      messageId: "<1@x>",
      ancestorIds: ["<2@x>", "<3@x>"],
    });
    expect(
      (await parse("In-Reply-To: your message of Monday\r\nReferences: <>\r\n\r\n")).ancestorIds,
    ).toEqual([]);
  });

  it("takes an id that fits a line, and none that does not", async () => {
    const id = (chars: number): string => `<${"a".repeat(chars - 4)}@x>`;
    expect((await parse(`Message-ID: ${id(998)}\r\n\r\n`)).messageId).toBe(id(998));
    expect((await parse(`Message-ID: ${id(999)}\r\n\r\n`)).messageId).toBeNull();
  });

  it("keeps the nearest hundred of five thousand ancestors", async () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `<${index}@x>`);
    const mail = await parse(`References: ${ids.join("\r\n ")}\r\n\r\n`);
    expect(mail.ancestorIds).toEqual(ids.slice(-100));
  });
});

describe("bodies", () => {
  it("derives the text from HTML where there is no other, without its hidden nodes", async () => {
    const mail = await parse(`${HEAD}${HTML}\r\n\r\n<p>Code <b>1234</b><p hidden>no`);
    expect(mail).toMatchObject({ text: "Code 1234", html: "<p>Code <b>1234</b><p hidden>no" });
    const empty = await parse(multipart([part(TEXT, " "), part(HTML, "<p>real")], "alternative"));
    expect(empty.text).toBe("real");
  });

  it("keeps hidden nodes out of the text where plain and HTML parts mix", async () => {
    const mail = await parse(multipart([part(TEXT, "plain"), part(HTML, "<p>shown<i hidden>no</i>")]));
    expect(mail.text).toBe("plain\nshown");
    expect(mail.html).toBe("<p>shown<i hidden>no</i>");
  });

  it("takes the plain part of an alternative", async () => {
    const mail = await parse(multipart([part(TEXT, "plain"), part(HTML, "<p>rich")], "alternative"));
    expect(mail).toMatchObject({ text: "plain", html: "<p>rich", attachments: [] });
  });

  it("tells an undeclared charset by the bytes", async () => {
    expect((await parse("Subject: x\r\n\r\ngröße")).text).toBe("größe");
    expect((await parseMail(latin1("Subject: x\r\n\r\ngr\xf6\xdfe"))).text).toBe("größe");
    expect((await parse("Content-Type: text/plain; charset=us-ascii\r\n\r\ngröße")).text).toBe("größe");
  });

  it.each([
    ["quoted-printable", "a=C3=A4 =\r\nb=  \r\nc=3\r\n=ZZ=", "aä bc=3\n=ZZ"],
    ["base64", "w6Q=w7Y=\r\n*!w7w", "äöü"],
    ["BASE64 (comment)", "w6Q", "ä"],
    ["x-unknown", "as it is", "as it is"],
  ])("decodes %s leniently", async (encoding, body, text) => {
    expect((await parse(`${TEXT}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`)).text).toBe(text);
  });

  it.each(["unknown-8bit", "", "utf-16", "x'y", "iso-2022-kr", "utf-7"])(
    "gives well-formed text for the charset %j",
    async (charset) => {
      const mail = await parseMail(
        latin1(`Content-Type: text/plain; charset="${charset}"\r\n\r\n+ADw-\xff\xfe\xd8\x00x`),
      );
      expect(mail.text.isWellFormed()).toBe(true);
    },
  );

  it("reads a multipart without delimiter as text", async () => {
    expect((await parse(`${HEAD}Content-Type: multipart/mixed\r\n\r\nlost`)).text).toBe("lost");
    expect(
      (await parse(`${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--c\r\nlost`)).text,
    ).toContain("lost");
  });

  it("reads a message without headers as text, and an empty one as empty", async () => {
    expect((await parse("just words\nand more")).text).toBe("just words\nand more");
    expect(await parse("")).toMatchObject({ subject: "", text: "", html: "", messageId: null, faults: [] });
    expect((await parse("\r\n\r\nSubject: late\r\n\r\nx")).subject).toBe("late");
    expect((await parse(">From x Mon\r\nSubject: mbox\r\n\r\nx")).subject).toBe("mbox");
  });
});

describe("attachments", () => {
  it.each([
    ["base64", Buffer.from("bytes ".repeat(500_000)).toString("base64")],
    ["quoted-printable", "bytes=20".repeat(500_000)],
    ["7bit", "bytes ".repeat(500_000)],
  ])("come piece by piece out of %s, and know their size", async (encoding, body) => {
    const header = `Content-Type: image/png\r\nContent-Transfer-Encoding: ${encoding}`;
    const [file] = (await parse(multipart([part(header, body)]))).attachments;
    const pieces = [...(file?.pieces() ?? [])].map((piece) => Buffer.from(piece).toString("latin1"));
    expect(file?.sizeBytes).toBe(3_000_000);
    expect(Buffer.from(file?.content ?? []).toString("latin1") === "bytes ".repeat(500_000)).toBe(true);
    expect(pieces.map(({ length }) => length).reduce((sum, length) => sum + length, 0)).toBe(3_000_000);
  });

  it("lists files with name, type, id and exact bytes", async () => {
    const mail = await parse(
      multipart([
        part(TEXT, "hello"),
        part(
          "Content-Type: Application/PDF\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename*=UTF-8''a%C3%A4.pdf",
          "AAEC",
        ),
        part("Content-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Disposition: inline", "PNG\r\n\r\n"),
        part('Content-Type: text/csv; name="=?utf-8?Q?b=C3=B6.csv?="', "a,b\r\n1,2\r\n"),
        part('Content-Type: text/plain; name="notes.txt"', "notes"),
      ]),
    );
    expect(mail.text).toBe("hello");
    expect(
      mail.attachments.map(({ content, ...rest }) => ({ ...rest, bytes: new TextDecoder().decode(content) })),
    ).toEqual([
      {
        filename: "aä.pdf",
        contentType: "application/pdf",
        disposition: "attachment",
        contentId: null,
        partIndex: 0,
        bytes: "\0\x01\x02",
      },
      {
        filename: "attachment-2.png",
        contentType: "image/png",
        disposition: "inline",
        contentId: "logo@x",
        partIndex: 1,
        bytes: "PNG\r\n\r\n",
      },
      {
        filename: "bö.csv",
        contentType: "text/csv",
        disposition: null,
        contentId: null,
        partIndex: 2,
        bytes: "a,b\r\n1,2\r\n",
      },
      {
        filename: "notes.txt",
        contentType: "text/plain",
        disposition: null,
        contentId: null,
        partIndex: 3,
        bytes: "notes",
      },
    ]);
  });

  it("keeps a forwarded message out of the text, named after its subject", async () => {
    const inner = "Subject: =?utf-8?Q?In/v=C3=A4?=\r\nFrom: x@y\r\n\r\ninner";
    const mail = await parse(multipart([part(TEXT, "outer"), part("Content-Type: message/rfc822", inner)]));
    expect(mail.text).toBe("outer");
    expect(mail.attachments[0]?.filename).toBe("In-vä.eml");
    expect(new TextDecoder().decode(mail.attachments[0]?.content)).toBe(inner);
    const bare = await parse(multipart([part("Content-Type: message/rfc822", "From: x@y\r\n\r\n")]));
    expect(bare.attachments[0]?.filename).toBe("message.eml");
  });

  it("lists an invitation that is one alternative of the body", async () => {
    const ics = "BEGIN:VCALENDAR\r\nEND:VCALENDAR";
    const mail = await parse(
      multipart(
        [part(TEXT, "come"), part("Content-Type: text/calendar; method=REQUEST", ics)],
        "alternative",
      ),
    );
    expect(mail.attachments).toMatchObject([{ filename: "attachment-1.ics", contentType: "text/calendar" }]);
    expect(mail.text).toBe("come");
  });

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\a.txt", "a.txt"],
    ["a\u202efdp.exe", "afdp.exe"],
    ["a\0b\x07c\u2028d.txt", "ab c d.txt"],
    ["..", "attachment-1.zip"],
    ["dir/", "attachment-1.zip"],
    ["trailing. . ", "trailing"],
    ["😀".repeat(400) + ".pdf", "😀".repeat(98) + ".pdf"],
  ])("makes the name %j safe", async (written, filename) => {
    const quoted = `filename="${written.replaceAll("\\", "\\\\")}"`;
    const mail = await parse(
      `${HEAD}Content-Type: application/zip\r\nContent-Disposition: attachment; ${quoted}\r\n\r\nx`,
    );
    expect(mail.attachments[0]?.filename).toBe(filename);
  });

  it("lists winmail.dat as the file it is", async () => {
    const mail = await parse(
      multipart([part(TEXT, "x"), part("Content-Type: application/ms-tnef; name=winmail.dat", "TNEF")]),
    );
    expect(mail.attachments).toMatchObject([{ filename: "winmail.dat", contentType: "application/ms-tnef" }]);
  });
});

describe("texts", () => {
  const MAX = 1_000_000;
  const bytesOf = (text: string): number => Buffer.byteLength(text);

  it.each([
    ["ASCII", TEXT, "x".repeat(1_200_000), "x".repeat(MAX)],
    // 333,333 characters of three bytes, and no third of the next one.
    ["characters of three bytes", TEXT, "字".repeat(400_000), "字".repeat(333_333)],
    ["characters of four bytes", TEXT, `a${"😀".repeat(300_000)}`, `a${"😀".repeat(249_999)}`],
    ["an undeclared charset", "X-A: b", `a${"é".repeat(600_000)}`, `a${"é".repeat(499_999)}`],
  ])("ends a text of %s at a megabyte, between characters, and says so", async (_, type, body, kept) => {
    const mail = await parse(`${type}\r\n\r\n${body}`);
    expect(mail.text === kept).toBe(true);
    expect(mail).toMatchObject({ isTextCut: true, faults: ["text_cut"] });
  });

  it("keeps a text of a megabyte whole, and says nothing", async () => {
    const mail = await parse(`${TEXT}\r\n\r\n${"x".repeat(MAX)}`);
    expect([mail.text.length, mail.isTextCut, mail.faults]).toEqual([MAX, false, []]);
  });

  it.each([
    ["base64", Buffer.from("word ".repeat(600_000)).toString("base64")],
    ["quoted-printable", "word=20".repeat(600_000)],
  ])("decodes no more of %s than is kept", async (encoding, body) => {
    const mail = await parse(`${HTML}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`);
    expect([bytesOf(mail.html), mail.isTextCut]).toEqual([MAX, true]);
    expect(mail.html === "word ".repeat(200_000)).toBe(true);
  });

  it("counts the parts of a text together, plain text and HTML each for itself", async () => {
    const parts = Array.from({ length: 20 }, () => [
      part(TEXT, "t".repeat(100_000)),
      part(HTML, "h".repeat(100_000)),
    ]);
    const mail = await parse(multipart(parts.flat()));
    expect([bytesOf(mail.text), bytesOf(mail.html)]).toEqual([MAX, MAX]);
    expect(mail.isTextCut).toBe(true);
  });

  it("ends the text of HTML that grows when it is written as text", async () => {
    const mail = await parse(`${HTML}\r\n\r\n${"<blockquote>".repeat(5)}${"<br>x".repeat(199_000)}`);
    expect(bytesOf(mail.text)).toBeLessThanOrEqual(MAX);
    expect(mail.isTextCut).toBe(true);
  });

  it("reads as many tags as a long newsletter has, and says that more follow", async () => {
    const mail = await parse(`${HTML}\r\n\r\n${"<p>word".repeat(31_000)}end`);
    expect(mail.text.startsWith("word\n\nword")).toBe(true);
    expect(mail.text).not.toContain("end");
    expect(mail).toMatchObject({ isTextCut: true });
    expect((await parse(`${HTML}\r\n\r\n${"<p>word".repeat(29_000)}end`)).text.endsWith("end")).toBe(true);
  });

  it("reads what lies in sixty multiparts that say they are base64 themselves", async () => {
    const levels = Array.from({ length: 60 }, (_, level) => level);
    const opened = levels.map(
      (level) =>
        `before\r\n--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
    );
    const closed = levels.toReversed().map((level) => `--b${level}--\r\nafter\r\n`);
    const inner = `--b60\r\n${TEXT}\r\n\r\nfound\r\n--b60\r\nContent-Type: image/png\r\n\r\n${"x".repeat(3_000_000)}\r\n--b60--\r\n`;
    const raw = `${HEAD}Content-Type: multipart/mixed; boundary=b0\r\n\r\n${opened.join("")}${inner}${closed.join("")}`;
    const mail = await parse(raw);
    expect([mail.text, mail.attachments[0]?.sizeBytes]).toEqual(["found", 3_000_000]);
  });
});

describe("limits", () => {
  it("stops at forty thousand lines of part headers, and keeps the parts before", async () => {
    const bomb = `--b\r\n${"a\r\n".repeat(60_000)}`;
    const mail = await parse(
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part(TEXT, "kept")}${bomb}`,
    );
    expect(mail).toMatchObject({ text: "kept", faults: ["too_many_lines"] });
  });

  it("passes over the rest of a part's header that is larger than any message's", async () => {
    const header = `Content-Type: image/png\r\nX-Big: ${"x".repeat(300_000)}\r\nContent-ID: <late@x>`;
    const mail = await parse(multipart([part(TEXT, "kept"), part(header, "bytes")]));
    expect(mail).toMatchObject({ text: "kept", faults: ["headers_cut"] });
    expect(mail.attachments).toMatchObject([{ contentType: "image/png", contentId: null, sizeBytes: 5 }]);
  });

  const files = (count: number): string =>
    multipart(Array.from({ length: count }, () => part("Content-Type: image/png", "x")));

  it("reads a thousand parts and says when there were more", async () => {
    // The closing delimiter is the thousand-and-first line of its kind.
    const whole = await parse(files(999));
    expect(whole.attachments).toHaveLength(999);
    expect(whole.faults).toEqual([]);
    const cut = await parse(files(1_500));
    expect(cut).toMatchObject({ subject: "Hi", faults: ["too_many_parts"] });
    expect(cut.attachments).toHaveLength(1_000);
  });

  it("does not take the dashes of a diff for parts", async () => {
    const diff = "--- a/x\r\n-- comment\r\n".repeat(2_000);
    const mail = await parse(multipart([part(TEXT, `${diff}end`)]));
    expect(mail.faults).toEqual([]);
    expect(mail.text.endsWith("end")).toBe(true);
  });

  it("reads the outer levels of a nesting too deep", async () => {
    const levels = Array.from(
      { length: 300 },
      (_, level) =>
        `--b${level}\r\n\r\ntext${level}\r\n--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\n\r\n`,
    );
    const mail = await parse(`${HEAD}Content-Type: multipart/mixed; boundary=b0\r\n\r\n${levels.join("")}`);
    expect(mail).toMatchObject({ subject: "Hi", faults: ["parse_failed"] });
    expect(mail.text).toContain("text0");
  });

  it("finds sender and subject behind megabytes of header", async () => {
    for (const filler of [
      `X-Big: ${"x".repeat(3e6)}\r\n`,
      "X-A: y\r\n".repeat(50_000),
      "X-A: y\r\n\tz\r\n".repeat(50_000),
    ]) {
      const mail = await parse(`${filler}${HEAD}\r\nbody`);
      expect(mail).toMatchObject({
        subject: "Hi",
        from: { address: "ann@x.com" },
        text: "body",
        faults: ["headers_cut"],
      });
    }
  });

  it("reads the body under a header too large for the parser", async () => {
    const mail = await parse(
      `X-Big: ${"x".repeat(3e6)}\r\n${multipart([part(TEXT, "text"), part("Content-Type: image/png", "x")])}`,
    );
    expect(mail.text).toBe("text");
    expect(mail.attachments).toHaveLength(1);
  });

  it("cuts a long subject between characters", async () => {
    const mail = await parse(`Subject: a${"😀".repeat(1_000)}\r\n\r\n`);
    expect(mail.subject).toBe(`a${"😀".repeat(498)}`);
  });

  it("keeps a thousand recipients of fifty thousand", async () => {
    const to = Array.from({ length: 50_000 }, (_, index) => `u${index}@x.com`).join(",\r\n ");
    const mail = await parse(`To: ${to}\r\nSubject: Hi\r\n\r\n`);
    expect(mail.to).toHaveLength(1_000);
    expect(mail.subject).toBe("Hi");
  });

  it("reads bodies that cost other parsers minutes", async () => {
    const head = `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n`;
    expect((await parse(head + "QQ=".repeat(500_000))).text).toBe("A".repeat(500_000));
    expect((await parse(`${HEAD}\r\n${"\n".repeat(2_000_000)}`)).faults).toEqual(["too_many_lines"]);
  });
});

describe("parseMail", () => {
  const sample = multipart([
    part(TEXT, "hello =\r\nworld"),
    part(`${HTML}\r\nContent-Transfer-Encoding: quoted-printable`, "<p>a=3D<a href=3D'http://x'>b</a>"),
    part("Content-Type: message/rfc822", "Subject: in\r\n\r\nx"),
    part("Content-Type: image/png; name*0*=utf-8''a%; name*1=b\r\nContent-Transfer-Encoding: base64", "AAA="),
  ]);
  const sampleBytes = new TextEncoder().encode(sample);

  async function expectSound(raw: Uint8Array): Promise<void> {
    const before = raw.slice();
    const mail = await parseMail(raw);
    expect(raw).toEqual(before);
    const strings = JSON.stringify({
      ...mail,
      attachments: mail.attachments.map((each) => ({ ...each, content: null })),
    });
    expect(strings.isWellFormed()).toBe(true);
    expect(strings).not.toMatch(/\\u0000|\\ud[89a-f]/);
    expect(mail.attachments.every(({ filename }) => filename !== "" && !/[/\\]/.test(filename))).toBe(true);
    expect(mail.attachments.map(({ partIndex }) => partIndex)).toEqual([...mail.attachments.keys()]);
  }

  it("never throws on random bytes", async () => {
    expect.hasAssertions();
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), expectSound), { numRuns: 300 });
  });

  it("never throws on a message with bytes changed, lost or doubled", async () => {
    const place = fc.nat(sampleBytes.length - 1);
    const edit = fc.record({ at: place, length: fc.nat(20), with: fc.uint8Array({ maxLength: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
        let raw = [...sampleBytes];
        for (const { at, length, with: bytes } of edits) raw = raw.toSpliced(at, length, ...bytes);
        await expectSound(Uint8Array.from(raw));
      }),
      { numRuns: 500 },
    );
    expect((await parseMail(sampleBytes)).attachments).toHaveLength(2);
  });

  it("never throws on a message cut anywhere", async () => {
    for (let end = 0; end <= sampleBytes.length; end += 7) await expectSound(sampleBytes.slice(0, end));
    expect((await parseMail(sampleBytes)).faults).toEqual([]);
  });

  it("reads a view into a larger buffer", async () => {
    const buffer = new Uint8Array(sampleBytes.length + 20).fill(0x41);
    buffer.set(sampleBytes, 10);
    const mail = await parseMail(buffer.subarray(10, 10 + sampleBytes.length));
    expect(mail).toEqual(await parseMail(sampleBytes));
  });
});

describe("contentDigest", () => {
  const digest = (raw: string): string => contentDigest(new TextEncoder().encode(raw));
  const message =
    "DKIM-Signature: v=1\r\nFrom: a@x\r\nSubject: s\r\n folded\r\n\r\nReceived: in the body\r\n";

  it("is the same for a retry over another path", () => {
    const trace =
      "Return-Path: <a@x>\r\nReceived: from a\r\n\tby b;\r\n now\r\nReceived : from c\r\nX-Received: by d\r\n" +
      "ARC-Seal: i=1\r\nARC-Message-Signature: i=1\r\nARC-Authentication-Results: i=1\r\nDelivered-To: b@y\r\n" +
      "Received-SPF: pass\r\nAUTHENTICATION-RESULTS: y\r\nX-Original-To: b@y\r\n";
    expect(digest(trace + message)).toBe(digest(message));
    expect(digest(message.replace("From", `${trace}From`))).toBe(digest(message));
  });

  it.each([
    ["body", message.replace("in the body", "elsewhere")],
    ["Subject", message.replace("s\r\n folded", "t\r\n folded")],
    ["folded line", message.replace("folded", "other")],
    ["signature", message.replace("v=1", "v=2")],
    ["Received line of the body", message.replace("Received: in the body\r\n", "")],
    ["field that only looks like a trace", `Receivedx: y\r\n${message}`],
    ["line end", message.replace("\r\n", "\n")],
  ])("differs when the %s does", (_what, changed) => {
    expect(digest(changed)).not.toBe(digest(message));
  });

  it("is a SHA-256 in hex, of an empty message too", () => {
    expect(digest("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(digest(message)).toMatch(/^[0-9a-f]{64}$/);
  });
});
