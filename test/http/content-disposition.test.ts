import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attachmentDisposition, readDispositionFilename } from "../../src/http/content-disposition.ts";

const read = (field: string) => {
  const name = readDispositionFilename(field);
  return name.ok ? name.value : name;
};

describe("the file name in a Content-Disposition", () => {
  it.each([
    ["attachment; filename=report.pdf", "report.pdf"],
    ['attachment; filename="my report.pdf"', "my report.pdf"],
    ['ATTACHMENT;FileName="a;b=c.txt"', "a;b=c.txt"],
    ['form-data; name="file"; filename="a.txt"', "a.txt"],
    ["inline ; filename = a.txt", "a.txt"],
    ['attachment; filename="a\\"b\\\\c.txt"', 'a"b\\c.txt'],
    ['attachment; filename=""', ""],
    ['attachment; filename="100%20.txt"', "100%20.txt"],
    ['attachment; filename="café.txt"', "café.txt"],
    ["attachment; filename*=UTF-8''na%C3%AFve%20%F0%9F%98%80.txt", "naïve 😀.txt"],
    ["attachment; filename*=utf-8'de'%E4%B8%AD.txt", "中.txt"],
    ["attachment; filename=plain.txt; filename*=UTF-8''better.txt", "better.txt"],
    ["attachment; filename*=UTF-8''better.txt; filename=plain.txt", "better.txt"],
    ["attachment; size=12; x-other=y; filename=a.txt;", "a.txt"],
    ["attachment;; filename=a.txt ; ", "a.txt"],
  ])("is read: %s", (field, name) => {
    expect(read(field)).toBe(name);
  });

  it.each(["attachment", "inline;", " attachment ; name=x"])("may be missing: %s", (field) => {
    expect(read(field)).toBeNull();
  });

  it.each([
    "",
    ";",
    "; filename=a",
    "filename=a.txt",
    "attachment filename=a.txt",
    "attachment; filename",
    "attachment; filename=",
    "attachment; filename=a b.txt",
    "attachment; filename=café.txt",
    'attachment; filename="a.txt',
    'attachment; filename="a.txt\\"',
    'attachment; filename="a"b.txt',
    "attachment; filename=a/b.txt",
    "attachment; =a.txt",
    "attachment; filename==a.txt",
    "attachment, inline; filename=a.txt",
    "attachment; filename=a.txt; filename=b.txt",
    "attachment; filename=a.txt; FILENAME=b.txt",
    "attachment; filename*=UTF-8''a; filename*=UTF-8''b",
    "attachment; x=1; x=2; filename=a.txt",
  ])("is not guessed from what breaks the grammar: %s", (field) => {
    expect(read(field)).toEqual({
      ok: false,
      error: expect.stringContaining("attachment; filename=") as string,
    });
  });

  it.each([
    "a.txt",
    "UTF-8'a.txt",
    "iso-8859-1''caf%E9.txt",
    "UTF-8''caf%E9.txt",
    "UTF-8''%ED%A0%80.txt",
    "UTF-8''a%2.txt",
    "UTF-8''a%zz.txt",
    "UTF-7''a.txt",
  ])("is refused where its encoding is broken: %s", (value) => {
    expect(read(`attachment; filename=plain.txt; filename*=${value}`)).toEqual({
      ok: false,
      error: expect.stringContaining("filename*") as string,
    });
  });

  it("is read exactly as it was written, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (name) => {
        fc.pre(attachmentDisposition(name).length <= 4_096);
        expect(read(attachmentDisposition(name))).toBe(name.toWellFormed());
      }),
    );
  });

  it("is read or refused quickly, whatever was sent", () => {
    for (const field of [
      `attachment; filename="${"n".repeat(10_000)}"`,
      `attachment${'; a="\\"'.repeat(2_000)}`,
      `attachment;${" ".repeat(4_000)}x`,
      `attachment; ${"x".repeat(4_000)}`,
      `attachment; filename="${'\\"'.repeat(2_000)}`,
      Array.from({ length: 500 }, (_, index) => `; p${index}`).join(""),
    ]) {
      expect(readDispositionFilename(field).ok).toBe(false);
    }
    const many = Array.from({ length: 300 }, (_, index) => `; p${index}=v`).join("");
    expect(read(`attachment${many}; filename=a.txt`)).toBe("a.txt");
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(typeof readDispositionFilename(`attachment; ${text}`).ok).toBe("boolean");
      }),
    );
  });
});
