import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodedRange, encodedSpan } from "../../../src/mail/mime/part-range.ts";
import { streamDecoder } from "../../../src/mail/mime/stream-decoding.ts";
import { asScanned, piecesOf } from "./scanned.ts";

/** Quoted-printable by its rules, whole: soft breaks go, escapes become bytes, all else stays. */
function plainQuotedPrintable(text: string): string {
  return text.replaceAll(/=(?:([0-9A-Fa-f]{2})|[ \t]{0,998}(?:\r?\n|$))/g, (_, digits: string | undefined) =>
    digits === undefined ? "" : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** base64 by its rules, whole: padding ends a unit, other characters count for nothing. */
function plainBase64(text: string): string {
  const units = text.replaceAll(/[^A-Za-z0-9+/=]/g, "").split("=");
  return units.map((unit) => Buffer.from(unit, "base64").toString("latin1")).join("");
}

function decoded(encoding: string, text: string, pieceBytes: number): string {
  const decoder = streamDecoder(encoding);
  if (decoder === null) return text;
  let out = "";
  const raw = Buffer.from(text, "latin1");
  const target = new Uint8Array(decoder.room(raw.length));
  const take = (length: number): void => {
    out += Buffer.from(target.subarray(0, length)).toString("latin1");
  };
  for (const piece of piecesOf(raw, pieceBytes)) take(decoder.decode(piece, target));
  take(decoder.end(target));
  return out;
}

/** How many bytes `decoded` has, counted without keeping them. */
function counted(encoding: string, text: string, pieceBytes: number): number {
  const decoder = streamDecoder(encoding);
  const raw = Buffer.from(text, "latin1");
  if (decoder === null) return raw.length;
  const target = new Uint8Array(decoder.room(raw.length));
  const counts = [...piecesOf(raw, pieceBytes)].map((piece) => decoder.count(piece, target));
  return counts.reduce((sum, count) => sum + count, decoder.end(target));
}

const bits = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((chosen) => chosen.join(""));

describe("a decoder of a stream", () => {
  it.each([
    [
      "quoted-printable",
      plainQuotedPrintable,
      ["=", "=\r\n", "=\n", " ", "\t", "\r", "\n", "=3D", "=e", "4", "G", "x", "\xe4"],
    ],
    ["base64", plainBase64, ["QUJD", "Q", "QQ==", "=", "\r\n", " ", "*", "\0", "+/", "Zm9v"]],
  ] as const)("decodes %s as it is defined, cut anywhere", (encoding, plain, words) => {
    fc.assert(
      fc.property(bits(words), fc.integer({ min: 1, max: 30 }), (text, pieceBytes) => {
        expect(decoded(encoding, text, pieceBytes)).toBe(plain(text));
        expect(counted(encoding, text, pieceBytes)).toBe(plain(text).length);
      }),
      { numRuns: 400 },
    );
    expect(decoded(encoding, "", 1)).toBe("");
    const long = `${"QUJD".repeat(3_000)}=${"QUJD\r\n".repeat(3_000)}`;
    expect(counted(encoding, long, 9_000)).toBe(plain(long).length);
  });

  it("takes 998 blanks before the end of a soft break, and no more", () => {
    const broken = (blanks: number): string => `a=${" ".repeat(blanks)}\r\nb`;
    expect(decoded("quoted-printable", broken(998), 7)).toBe("ab");
    expect(decoded("quoted-printable", broken(999), 7)).toBe(broken(999));
  });
});

describe("a range of a file", () => {
  const CONTENT = Buffer.from("content of a file = \xe4 \0 ".repeat(40), "latin1");
  const ENCODED = {
    base64: CONTENT.toString("base64").replaceAll(/.{60}/g, "$&\r\n"),
    "quoted-printable": CONTENT.toString("latin1").replaceAll(
      /[=\xe4]/g,
      (one: string) => `=${one === "=" ? "3D" : "E4"}=\r\n`,
    ),
    binary: CONTENT.toString("latin1"),
  };

  it.each(Object.entries(ENCODED))("is decoded from the raw message: %s", async (encoding, body) => {
    const raw = Buffer.from(
      `Content-Type: image/png\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`,
      "latin1",
    );
    const { scanned } = await asScanned([raw]);
    const [file] = scanned.attachments;
    if (file === undefined) throw new Error("The file is missing");
    expect(file.sizeBytes).toBe(CONTENT.length);
    const place = fc.nat({ max: CONTENT.length });
    await fc.assert(
      fc.asyncProperty(place, place, fc.integer({ min: 1, max: 300 }), async (one, other, pieceBytes) => {
        const range = { from: Math.min(one, other), to: Math.max(one, other) };
        const { from, to } = encodedSpan(file, range);
        const read: Uint8Array[] = [];
        const encoded = piecesOf(raw.subarray(from, to), pieceBytes);
        for await (const piece of decodedRange(encoded, file.encoding, range)) read.push(piece.slice());
        expect(Buffer.concat(read).equals(CONTENT.subarray(range.from, range.to))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("asks for no more bytes than it needs", async () => {
    let asked = 0;
    const source = function* (): Generator<Uint8Array> {
      for (; asked < 100; asked++) yield Buffer.from("QUJD");
    };
    const read: string[] = [];
    for await (const piece of decodedRange(source(), "base64", { from: 4, to: 8 }))
      read.push(Buffer.from(piece).toString());
    expect(read.join("")).toBe("BCAB");
    expect(asked).toBe(3);
  });
});
