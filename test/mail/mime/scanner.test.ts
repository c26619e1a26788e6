import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { compose } from "../../../scripts/eval/compose.ts";
import { EXTRACTED_FIELDS, readFixtures } from "../../../scripts/eval/fixtures.ts";
import { CORPORA } from "../corpora.ts";
import { LIMITS, ODD } from "./hostile-mail.ts";
import { cutAnywhere, Dice, mutated } from "./mutated-mail.ts";
import { asParsed, asScanned, piecesOf } from "./scanned.ts";
import { runs } from "../../runs.ts";

/**
 * How many mutated messages are read. Seeded: each run reads the same ones. With `MUTATED_MAILS=100000`, which takes some
 * minutes, every fixture is read too.
 */
const MUTATED_MAILS = Number(process.env["MUTATED_MAILS"] ?? runs(1_000));
const FIXTURE_STEP = process.env["MUTATED_MAILS"] === undefined ? 4_000 / runs(1_000) : 1;
/** Milliseconds for a mutated message on a busy machine. */
const PATIENCE_MS = 60;

const FIXTURES = path.join(import.meta.dirname, "../../fixtures");
const FOLDERS = [
  "codes",
  "codes/held-out",
  "extraction",
  "extraction/held-out",
  "strangers/open",
  "strangers/sealed",
];
const fixtures: Uint8Array[] = FOLDERS.flatMap((folder) =>
  readFixtures(path.join(FIXTURES, folder), ["code", "link", "alternatives", ...EXTRACTED_FIELDS]),
).map(compose);

const isThere = existsSync(CORPORA);
const corpus: Uint8Array[] = isThere
  ? readdirSync(CORPORA, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:eml|mbox)$/.test(entry.name))
      .map((entry) => new Uint8Array(readFileSync(path.join(entry.parentPath, entry.name))))
  : [];

/** A message of which the two say something else, and what: a member as the parser has it, and as the scanner. */
interface Disagreement {
  which: number;
  member: string;
  parsed: unknown;
  scanned: unknown;
}

/** The disagreements about one message; none if a scanner says of the pieces what the parser says of the whole. */
async function disagreements(
  raw: Uint8Array,
  cuttings: Iterable<Iterable<Uint8Array>>,
  which = 0,
): Promise<Disagreement[]> {
  const found: Disagreement[] = [];
  const parsed = await asParsed(raw);
  for (const pieces of cuttings) {
    const { said } = await asScanned(pieces);
    for (const member of new Set([...Object.keys(parsed), ...Object.keys(said)])) {
      // The assertion takes ten times as long as this comparison.
      const isSame = isDeepStrictEqual(parsed[member], said[member]);
      if (!isSame) found.push({ which, member, parsed: parsed[member], scanned: said[member] });
    }
  }
  return found;
}

/** The disagreements about many messages, each cut anywhere. */
async function disagreementsOf(messages: Iterable<Uint8Array>): Promise<Disagreement[]> {
  const found: Disagreement[] = [];
  let which = 0;
  for (const raw of messages) {
    found.push(...(await disagreements(raw, [cutAnywhere(raw, new Dice(which))], which)));
    which += 1;
  }
  return found;
}

function* mutatedMails(): Generator<Uint8Array> {
  const odd = ODD.map(({ raw }) => raw());
  const real = [...fixtures.filter((_, index) => index % 10 === 0), ...corpus];
  const small = real.filter(({ length }) => length < 30_000);
  for (let seed = 0; seed < MUTATED_MAILS; seed++) {
    const dice = new Dice(seed);
    const source = dice.roll(3) === 0 ? odd : small;
    yield mutated(dice.pick(source), dice.pick(source), dice);
  }
}

function* cutInTwo(raw: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 1; at < raw.length; at++) yield [raw.subarray(0, at), raw.subarray(at)];
}

describe("a scanner says what the parser says", () => {
  it(`of every ${FIXTURE_STEP}. fixture, cut anywhere`, { timeout: 120_000 }, async () => {
    expect(fixtures.length).toBeGreaterThan(3_000);
    const read = fixtures.filter((_, index) => index % FIXTURE_STEP === 0);
    expect(await disagreementsOf(read)).toEqual([]);
  });

  it.skipIf(!isThere)("of every message of the corpora, cut anywhere", { timeout: 120_000 }, async () => {
    expect(corpus.length).toBeGreaterThan(200);
    expect(await disagreementsOf(corpus)).toEqual([]);
  });

  it.each(ODD)("of odd mail, whole and byte by byte: $name", async ({ raw }) => {
    const bytes = raw();
    const cuttings = [[bytes], piecesOf(bytes, 1), piecesOf(bytes, 2), piecesOf(bytes, 61)];
    expect(await disagreements(bytes, cuttings)).toEqual([]);
  });

  it.each(LIMITS)("of mail at the limits: $name", { timeout: 60_000 }, async ({ raw }) => {
    const bytes = raw();
    expect(await disagreements(bytes, [piecesOf(bytes, 65_537), piecesOf(bytes, 4_093)])).toEqual([]);
  });

  it("of a message cut in two at any byte", { timeout: 60_000 }, async () => {
    const bytes = ODD[0]?.raw() ?? Buffer.alloc(0);
    expect(bytes.length).toBeGreaterThan(1_000);
    expect(await disagreements(bytes, cutInTwo(bytes))).toEqual([]);
  });

  const mutations = { timeout: MUTATED_MAILS * PATIENCE_MS };
  it(`of ${MUTATED_MAILS} mutated messages, cut anywhere`, mutations, async () => {
    expect(await disagreementsOf(mutatedMails())).toEqual([]);
  });
});

describe("a scanned file", () => {
  it("lies where it says, behind the header of its part", async () => {
    const body = "first\r\n\r\nlast";
    const header = "Content-Type: image/png\r\n\r\n";
    const raw = Buffer.from(
      `\r\n\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${header}${body}\r\n\r\r\n--b--\r\n`,
    );
    const { scanned } = await asScanned(piecesOf(raw, 3));
    const [file] = scanned.attachments;
    if (file === undefined) throw new Error("The file is missing");
    expect(raw.subarray(file.span.from, file.span.to).toString()).toBe(`${body}\r\n`);
    expect(raw.subarray(file.headerFrom, file.span.from).toString()).toBe(header);
    expect(file).toMatchObject({ sizeBytes: file.span.to - file.span.from, isConverted: false });
  });

  it("of a calendar is marked where it is stored in UTF-8", async () => {
    const calendar = (bytes: number): string =>
      `--b\r\nContent-Type: text/calendar; charset=windows-1252\r\n\r\n${"x".repeat(bytes)}\r\n`;
    const raw = Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${calendar(1_000_000)}${calendar(1_000_001)}--b--`,
    );
    const { scanned } = await asScanned([raw]);
    expect(scanned.attachments.map(({ isConverted, sizeBytes }) => [isConverted, sizeBytes])).toEqual([
      [true, 1_000_001],
      [false, 1_000_001],
    ]);
  });
});
