import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNote, writeNote } from "../../../src/lib/archive/entry-note.ts";
import { flagsOfLabels, labelsOfFlags, readMailName } from "../../../src/lib/archive/maildir.ts";
import { BadArchive, isTar, readTarEntry, type TarEntry } from "../../../src/lib/archive/tar-reader.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../src/lib/archive/tar-writer.ts";
import { Window } from "../../../src/lib/archive/window.ts";

interface File {
  name: string;
  content: Uint8Array;
  comment: string;
  modifiedMs: number;
}

function packed(files: readonly File[]): Uint8Array {
  const blocks = files.flatMap(({ content, ...file }) => [
    tarHeader({ ...file, sizeBytes: content.length }),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...blocks, tarEnd()]);
}

const windowOf = (bytes: Uint8Array) =>
  new Window(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));

async function entriesOf(bytes: Uint8Array): Promise<TarEntry[]> {
  const window = windowOf(bytes);
  const entries: TarEntry[] = [];
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at);
    if (entry === null) return entries;
    entries.push(entry);
    at = entry.next;
  }
}

const file: fc.Arbitrary<File> = fc.record({
  name: fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 150 })
    .map((name) => `a${name.replaceAll(/[\0/]/g, "-")}`),
  content: fc.uint8Array({ maxLength: 1_500 }),
  comment: fc.string({ unit: "grapheme", maxLength: 300 }),
  modifiedMs: fc.integer({ min: 1_000, max: 4_000_000_000_000 }),
});

describe("a tar archive", () => {
  it("is read as it was written, whatever the names, comments and times", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), async (files) => {
        const bytes = packed(files);
        const read = await entriesOf(bytes);
        expect(read.map(({ name, comment, modifiedMs }) => ({ name, comment, modifiedMs }))).toEqual(
          files.map(({ name, comment, modifiedMs }) => ({ name, comment, modifiedMs })),
        );
        for (const [index, { start, sizeBytes, isFile }] of read.entries()) {
          expect(isFile).toBe(true);
          expect(Buffer.from(bytes.subarray(start, start + sizeBytes))).toEqual(
            Buffer.from(files[index]?.content ?? []),
          );
        }
      }),
    );
  });

  it("with any byte changed or cut is read to an end, or refused as damaged", async () => {
    const files = ["one.eml", "x".repeat(120)].map((name) => ({
      name,
      content: Buffer.from("Subject: Hello\n\nHello.\n"),
      comment: "",
      modifiedMs: 1_700_000_000_000,
    }));
    const whole = packed(files);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.nat(whole.length),
        async (at, change, length) => {
          const bytes = Buffer.from(whole).subarray(0, length);
          if (at < length) bytes[at] = (bytes[at] ?? 0) ^ change;
          const read = await entriesOf(bytes).catch((error: unknown) => error);
          expect(read instanceof BadArchive || Array.isArray(read)).toBe(true);
        },
      ),
    );
  });

  it("ends at its end mark and nowhere else, so that one which was cut off is noticed wherever it was cut", async () => {
    const one = { name: "one.eml", content: Buffer.from("Hello.\n"), comment: "", modifiedMs: 1_000 };
    const whole = packed([one, { ...one, name: "two.eml" }]);
    expect(await entriesOf(whole.subarray(0, whole.length - 512))).toHaveLength(2);
    for (let length = 0; length < whole.length - 512; length += 1) {
      await expect(entriesOf(whole.subarray(0, length))).rejects.toBeInstanceOf(BadArchive);
    }
  });

  it("returns links, devices and sparse files as entries that are not files", async () => {
    const link = Buffer.from(
      packed([{ name: "cur/1", content: Buffer.alloc(0), comment: "", modifiedMs: 1_000 }]),
    );
    for (const type of "1234S") {
      link.write(type, 156);
      link.fill(" ", 148, 156);
      let sum = 0;
      for (const byte of link.subarray(0, 512)) sum += byte;
      link.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
      expect((await entriesOf(link)).map(({ isFile }) => isFile)).toEqual([false]);
    }
  });

  it("is refused where an extended header has more records than files have attributes", async () => {
    const pax = (content: string) => {
      const bytes = Buffer.from(content);
      const header = Buffer.from(
        tarHeader({ name: "x", sizeBytes: bytes.length, modifiedMs: 1_000 }).slice(-512),
      );
      header.write("x", 156);
      header.fill(" ", 148, 156);
      let sum = 0;
      for (const byte of header) sum += byte;
      header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
      const mail = { name: "a.eml", content: Buffer.from("x"), comment: "", modifiedMs: 1_000 };
      return Buffer.concat([header, bytes, tarPadding(bytes.length), packed([mail])]);
    };
    expect(await entriesOf(pax("5 a=\n".repeat(100)))).toHaveLength(1);
    await expect(entriesOf(pax("5 a=\n".repeat(1_000)))).rejects.toThrow("too many records");
    await expect(entriesOf(pax(`70007 a=${"b".repeat(70_000)}\n`))).rejects.toThrow("too large");
  });

  it("is recognised by its first block", () => {
    expect(isTar(packed([]))).toBe(false);
    expect(isTar(packed([{ name: "a", content: Buffer.from("x"), comment: "", modifiedMs: 0 }]))).toBe(true);
    expect(isTar(Buffer.from("From: ann@example.com\n\nHello.".padEnd(600)))).toBe(false);
  });
});

describe("the note of an entry", () => {
  it("keeps what it says, and nothing of a wrong type", () => {
    const note = {
      received_at: "2026-01-01T00:00:00.000Z",
      labels: ["a", "b"],
      thread: "t",
      direction: "outbound" as const,
      hidden: true as const,
      envelope_from: "a@example.com",
      envelope_to: "b@example.com",
    };
    expect(readNote(writeNote(note))).toEqual(note);
    expect(readNote("mailkeep {")).toEqual({});
    expect(readNote("mailkeep 1")).toEqual({});
    expect(readNote("made by tar")).toEqual({});
    const wrong = '{"labels":[1,"a"],"thread":{},"hidden":"yes","direction":"up","__proto__":{"thread":"x"}}';
    expect(readNote(`mailkeep ${wrong}`)).toEqual({ labels: ["a"] });
  });

  it("of any bytes is read without an error", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readNote(`mailkeep ${JSON.stringify(value)}`)).toBeTypeOf("object");
      }),
    );
  });
});

describe("the name of a file in a Maildir", () => {
  it("says folder and flags, also where a system cannot write a colon", () => {
    expect(readMailName("cur/1.x:2,FS")).toEqual({ folder: "", flags: "FS" });
    expect(readMailName("./cur/1.x;2,S")).toEqual({ folder: "", flags: "S" });
    expect(readMailName("Maildir/.Work.Projects/cur/1.x_2,")).toEqual({ folder: "Work/Projects", flags: "" });
    expect(readMailName("Archive/2024/new/1.x")).toEqual({ folder: "Archive/2024", flags: "" });
    expect(readMailName("old/mail.EML")).toEqual({ folder: "", flags: "" });
    expect(readMailName("../../etc/passwd")).toBeNull();
    expect(readMailName("tmp/1.x")).toBeNull();
    expect(readMailName("cur/.DS_Store")).toBeNull();
  });

  it("gives the flags of labels back as labels", () => {
    expect(flagsOfLabels(["personal", "flagged", "draft"])).toBe("DFS");
    expect(labelsOfFlags("DFSX")).toEqual(["draft", "flagged"]);
  });
});
