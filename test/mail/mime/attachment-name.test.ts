import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_FILENAME_CHARS, safeFilename, writtenFilename } from "../../../src/mail/mime/attachment-name.ts";
import { MAX_CHARS, readMediaType } from "../../../src/mail/mime/media-type.ts";

const read = (name: string) => {
  const written = writtenFilename(name);
  return written.ok ? written.value : written.error;
};

describe("the name of a file that somebody sends", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    [" my report.pdf ", "my report.pdf"],
    ["naïve 😀 中.txt", "naïve 😀 中.txt"],
    [".gitignore", ".gitignore"],
    ["../../etc/passwd", "passwd"],
    ["/etc/passwd", "passwd"],
    ["C:\\temp\\evil.exe", "evil.exe"],
    ["a/../b.txt", "b.txt"],
    ["\u202ecod.exe", "cod.exe"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["a\u200b.txt", "a.txt"],
    ["a.txt. . .", "a.txt"],
    ["CON", "_CON"],
    ["con.txt", "_con.txt"],
    ["Nul .tar.gz", "_Nul .tar.gz"],
    ["com1", "_com1"],
    ["LPT¹.log", "_LPT¹.log"],
    ["dir/aux.h", "_aux.h"],
    ["console.log", "console.log"],
    ["com10", "com10"],
    ["auxiliary", "auxiliary"],
  ])("is safe to save: %s", (name, safe) => {
    expect(read(name)).toBe(safe);
  });

  it.each(["a\r\nX: y.txt", "a\nb", "a\0.txt", "a\tb.txt", "a\u007f", "a\u0085b", "\u001b[31m.txt"])(
    "is refused with controls: %j",
    (name) => {
      expect(read(name)).toBe("must not hold control characters");
    },
  );

  it.each(["..", ".", "...", "/", "a/", "a/..", "\\", " ", "\u202e", "\u200b.", "dir\\. ."])(
    "is refused where no file is named: %j",
    (name) => {
      expect(read(name)).toBe("must be the name of a file");
    },
  );

  it("has 200 characters at most", () => {
    const name = (chars: number) => `${"n".repeat(chars - 4)}.pdf`;
    expect(read(name(MAX_FILENAME_CHARS))).toBe(name(200));
    expect(read(name(201))).toBe("must be at most 200 characters");
    expect(read(name(10_000))).toBe("must be at most 200 characters");
  });

  it("is refused in another encoding than UTF-8", () => {
    expect(read("caf\ufffd.txt")).toBe("must be UTF-8");
  });

  it("does not change when it is made safe again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const safe = safeFilename(name);
        expect(safeFilename(safe)).toBe(safe);
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });
});

describe("a media type", () => {
  it.each([
    ["application/pdf", "application/pdf"],
    [" TEXT/Plain ", "text/plain"],
    ["text/plain; charset=UTF-8", "text/plain; charset=UTF-8"],
    ['text/plain;charset="utf-8";format=flowed', 'text/plain;charset="utf-8";format=flowed'],
    [
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    ["image/svg+xml", "image/svg+xml"],
  ])("is read: %s", (written, type) => {
    expect(readMediaType(written)).toBe(type);
  });

  it.each([
    "",
    "pdf",
    "application/",
    "/pdf",
    "application/pdf/x",
    "application /pdf",
    "text/plain; charset",
    "text/plain; charset=",
    'text/plain; charset="utf-8',
    "text/plain, text/html",
    "text/plain\r\nX: y",
    "text/plain; a=\u00e9",
    "t\u00e9xt/plain",
  ])("is no other thing: %j", (written) => {
    expect(readMediaType(written)).toBeNull();
  });

  it("has 255 characters at most", () => {
    const exact = `text/plain; a="${"x".repeat(120)}"; b=${"y".repeat(115)}`;
    expect([exact.length, readMediaType(exact)]).toEqual([MAX_CHARS, exact]);
    expect(readMediaType(`${exact}y`)).toBeNull();
  });
});
