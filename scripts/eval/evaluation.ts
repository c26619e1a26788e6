import path from "node:path";
import { carrierName } from "../../src/mail/extract/carriers.ts";
import { compose } from "./compose.ts";
import { EXTRACTED_FIELDS, readFixtures, type Fixture } from "./fixtures.ts";

/** A reader to be measured: its corpus, the fields it reads, and the scores it must reach. */
export interface Evaluation {
  name: string;
  /** Holds one file of fixtures for each language or kind, and those held out in `held-out`. */
  folder: string;
  /** The fields that are read, by their names in fixtures; each has its own table unless `together`. */
  fields: readonly string[];
  together: boolean;
  floors: { precision: number; recall: number };
  /** The scores that it must reach on each half of the mails of strangers. */
  strangersFloors: { precision: number; recall: number };
  /** The least number of mails, of decoys (mails with nothing to be found) and of languages. */
  least: { mails: number; decoys: number; languages: number };
  /** Whether a mail of `test/fixtures/strangers` is measured by this reader. */
  measures: (fixture: Fixture) => boolean;
  /** Reads a message as the service does when it arrives; null where nothing is found. */
  read: (raw: Uint8Array) => Promise<Record<string, string | null>>;
  /** Reads a text as subject, text and HTML of a mail at once, to measure the cost. */
  readText: (text: string) => void;
}

/** A field that was read wrong or not at all. */
export interface Miss {
  id: string;
  field: string;
  expected: string | null;
  read: string | null;
}

/** Counts of one language and table. */
export interface Tally {
  mails: number;
  /** Values that the fixtures name, that were read, and that were read right. */
  present: number;
  read: number;
  right: number;
}

/** The result for one set of fixtures. */
export interface Result {
  /** By table and language. */
  tallies: Map<string, Map<string, Tally>>;
  misses: Miss[];
}

/** The share of values read that are right; 1 where none was read. */
export const precision = ({ read, right }: Tally): number => (read === 0 ? 1 : right / read);

/** The share of the fixtures' values that were read right; 1 where they name none. */
export const recall = ({ present, right }: Tally): number => (present === 0 ? 1 : right / present);

/** The sum of tallies. */
export function total(tallies: Iterable<Tally>): Tally {
  const sum = { mails: 0, present: 0, read: 0, right: 0 };
  for (const { mails, present, read, right } of tallies) {
    sum.mails += mails;
    sum.present += present;
    sum.read += read;
    sum.right += right;
  }
  return sum;
}

function tallyOf(result: Result, table: string, language: string): Tally {
  const languages = result.tallies.get(table) ?? new Map<string, Tally>();
  result.tallies.set(table, languages);
  const tally = languages.get(language) ?? { mails: 0, present: 0, read: 0, right: 0 };
  languages.set(language, tally);
  return tally;
}

function count(tally: Tally, { expected, read }: Pick<Miss, "expected" | "read">): void {
  if (expected !== null) tally.present += 1;
  if (read === null) return;
  tally.read += 1;
  if (read === expected) tally.right += 1;
}

/** Composes and reads each fixture, and counts what was read right. */
export async function measure(evaluation: Evaluation, fixtures: readonly Fixture[]): Promise<Result> {
  const result: Result = { tallies: new Map(), misses: [] };
  for (const fixture of fixtures) {
    const found = await evaluation.read(compose(fixture));
    for (const table of evaluation.together ? ["all fields"] : evaluation.fields) {
      tallyOf(result, table, fixture.language).mails += 1;
    }
    for (const field of evaluation.fields) {
      if (fixture.unjudged.includes(field)) continue;
      const table = evaluation.together ? "all fields" : field;
      const value = { expected: fixture.expected[field] ?? null, read: found[field] ?? null };
      count(tallyOf(result, table, fixture.language), value);
      if (value.read !== value.expected) result.misses.push({ id: fixture.id, field, ...value });
    }
  }
  return result;
}

/** The fixtures that rules are developed with, and those held out of it. Throws where the corpus is smaller than it must be. */
export function corpusOf(evaluation: Evaluation): { developed: Fixture[]; heldOut: Fixture[] } {
  const { folder, fields, least } = evaluation;
  const developed = readFixtures(folder, fields);
  const heldOut = readFixtures(`${folder}/held-out`, fields);
  const decoys = developed.filter(({ expected }) => Object.keys(expected).length === 0).length;
  const languages = new Set(developed.map(({ language }) => language)).size;
  if (developed.length < least.mails || decoys < least.decoys || languages < least.languages) {
    throw new Error(`${folder} has ${developed.length} mails, ${decoys} decoys, ${languages} languages`);
  }
  return { developed, heldOut };
}

const STRANGERS = path.join(import.meta.dirname, "../../test/fixtures/strangers");

/** Every field that a mail of strangers may name. */
export const STRANGERS_FIELDS = ["code", "link", "alternatives", ...EXTRACTED_FIELDS];

/**
 * The mails of one half of `test/fixtures/strangers` that a reader is measured by. Their writers did not know the rules; the rules are
 * developed with the open half only.
 */
export function strangersOf(evaluation: Evaluation, half: "open" | "sealed"): Fixture[] {
  return readFixtures(path.join(STRANGERS, half), STRANGERS_FIELDS)
    .filter((fixture) => evaluation.measures(fixture))
    .map(judgedAsWritten);
}

/** A mail of strangers as it is judged: two rules of theirs differ from those of the other corpora. */
function judgedAsWritten(fixture: Fixture): Fixture {
  const { carrier, ...expected } = fixture.expected;
  const isAppointment = "date" in expected && !("amount" in expected);
  return {
    ...fixture,
    // The writers name carriers as the mail does; answers use one spelling for each.
    expected: carrier === undefined ? expected : { ...expected, carrier: carrierName(carrier) },
    // They leave out a title that people could argue about.
    unjudged: isAppointment && !("title" in expected) ? ["title"] : [],
  };
}

/** The fixtures of one round of writing: titles of the second begin with `2-` behind the language. */
export const ofRound = (fixtures: readonly Fixture[], round: 1 | 2): Fixture[] =>
  fixtures.filter(({ id }) => id.includes("/2-") === (round === 2));
