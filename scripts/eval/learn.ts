import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Evidence } from "../../src/mail/code/evidence.ts";
import { judgedIn, type CodeMail } from "../../src/mail/code/find-code.ts";
import { CODE_WEIGHTS, LINK_WEIGHTS } from "../../src/mail/code/weights.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import * as CASES from "../../test/fixtures/codes/cases.ts";
import { CODES } from "./codes.ts";
import { compose } from "./compose.ts";
import { strangersOf } from "./evaluation.ts";
import { EXTRACTION } from "./extraction.ts";
import { crossValidate, fitWeights, type Example, type Judged } from "./fit.ts";
import { readFixtures, type Fixture } from "./fixtures.ts";

const WEIGHTS_FILE = path.join(import.meta.dirname, "../../src/mail/code/weights.ts");

interface Candidate {
  value: string;
  evidence: readonly Evidence<string>[];
}

/** The mails that weights are learned from: all but those held out and sealed. */
function fixtures(): Fixture[] {
  // Decoys among orders and receipts may hold codes: nothing says so, because codes are not asked for there.
  const others = readFixtures(EXTRACTION.folder, EXTRACTION.fields).filter(
    ({ id }) => !id.includes("/decoy"),
  );
  return [...readFixtures(CODES.folder, CODES.fields), ...others, ...strangersOf(CODES, "open")];
}

function exampleOf(id: string, candidates: readonly Candidate[], right: string | null): Example {
  return {
    id,
    candidates: candidates.map(({ evidence }) => evidence),
    right: candidates.findIndex(({ value }) => value === right),
  };
}

/** A mail and its right code and link: null for none, `undefined` where nobody says which is right. */
interface Lesson {
  id: string;
  mail: CodeMail;
  code?: string | null;
  link?: string | null;
}

async function lessonOf(fixture: Fixture): Promise<Lesson> {
  const { subject, text, html, from } = await parseMail(compose(fixture));
  const { code = null, link = null } = fixture.expected;
  return { id: fixture.id, mail: { subject, text, html, fromAddress: from.address }, code, link };
}

/** Times that each short mail counts: many codes come in mails as short, and few mails of strangers are. */
const SHORT_LESSONS = 2;

const FROM = "no-reply@acme.example";

/** The short mails of the reader's tests. */
function shortLessons(): Lesson[] {
  const lesson = (id: string, mail: Partial<CodeMail>, found: Pick<Lesson, "code" | "link">): Lesson => ({
    id,
    mail: { subject: "", text: "", html: "", fromAddress: FROM, ...mail },
    ...found,
  });
  return [
    ...CASES.CODES.map(([id, subject, text, code]) => lesson(id, { subject, text }, { code })),
    ...CASES.DECOYS.map(([id, subject, text]) => lesson(id, { subject, text }, { code: null })),
    ...CASES.LINKS.map(([subject, text, html, link]) => lesson(subject, { subject, text, html }, { link })),
    ...CASES.MAILS.map(([id, mail, found]) => lesson(id, mail, found)),
  ];
}

function examplesOf({ id, mail, code, link }: Lesson): { code: Example[]; link: Example[] } {
  const { codes, links } = judgedIn(mail);
  // The reader takes the HTML part only where the text has no code.
  const part = codes.find((numbers) => numbers.some(({ value }) => value === code)) ?? codes[0] ?? [];
  const urls = links.map(({ url, evidence }) => ({ value: url, evidence }));
  return {
    code: code === undefined ? [] : [exampleOf(id, part, code)],
    link: link === undefined ? [] : [exampleOf(id, urls, link)],
  };
}

/** Confidence from which on, and below the next of which, answers are counted. */
const STEPS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];

/** How often answers of each confidence are right, where the weights were found without the mail. */
function printCalibration(name: string, judged: readonly Judged[]): void {
  console.log(`\n${name}: confidence, answers, of these right (weights found without these mails)`);
  for (const [at, from] of STEPS.slice(0, -1).entries()) {
    const to = STEPS[at + 1] ?? 1;
    const given = judged.filter(({ probability }) => probability >= from && (probability < to || to === 1));
    const right = given.filter(({ isRight }) => isRight).length;
    const share = given.length === 0 ? "" : `${((100 * right) / given.length).toFixed(1)} %`;
    console.log(`  ${from} to ${to}`.padEnd(16), String(given.length).padStart(6), share.padStart(10));
  }
}

/** Finds the weights of all evidence anew, writes them to `weights.ts`, and prints how well calibrated they are. */
export async function learn(): Promise<void> {
  const short = Array.from({ length: SHORT_LESSONS }, shortLessons).flat();
  const lessons = [...(await Promise.all(fixtures().map(lessonOf))), ...short];
  const examples = lessons.map(examplesOf);
  let file = readFileSync(WEIGHTS_FILE, "utf8");
  for (const [kind, known] of [["code", CODE_WEIGHTS] as const, ["link", LINK_WEIGHTS] as const]) {
    const own = examples.flatMap((example) => example[kind]);
    const features = Object.keys(known);
    printCalibration(`${kind}s`, crossValidate(own, features));
    for (const [feature, weight] of Object.entries(fitWeights(own, features))) {
      const line = new RegExp(`^(  "?${feature.replaceAll(".", "\\.")}"?): [-0-9.]+,$`, "m");
      file = file.replace(line, `$1: ${weight},`);
    }
  }
  writeFileSync(WEIGHTS_FILE, file);
}
