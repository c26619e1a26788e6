// How well mail is read, measured on the corpora of test/fixtures: `npm run eval`. Exits with 1 below a floor.
// `-- --held-out` lists languages and misses of held-out mails too: look there only when the rules are done.
// `-- --fit` first finds the weights of all evidence for codes and links anew and writes them to src/mail/code/weights.ts.
// `-- --sealed` scores the sealed half of the mails of strangers, in totals only. `-- --only=codes` runs one evaluation.
import { CODES } from "./codes.ts";
import { corpusOf, measure, ofRound, strangersOf, type Evaluation } from "./evaluation.ts";
import { EXTRACTION } from "./extraction.ts";
import { learn } from "./learn.ts";
import { HOSTILE, hostileText } from "./hostile.ts";
import { FLOORS, measureHonest, measurePhishing } from "./sign-ups/measure.ts";
import { measureView } from "./view.ts";
import { measureSeen } from "./seen.ts";
import { printMisses, printTables, printTotals, shortfalls } from "./report.ts";

if (process.argv.includes("--fit")) {
  await learn();
  console.log("\nThe new weights are written. Run this again without --fit to score them.");
  process.exit();
}

const EVALUATIONS: readonly Evaluation[] = [CODES, EXTRACTION];

const HOSTILE_CHARS = 1_000_000;
const TRIES = 2;

const showsHeldOut = process.argv.includes("--held-out");
const isSealedScored = process.argv.includes("--sealed");
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
const failed: string[] = [];
for (const evaluation of EVALUATIONS.filter(({ name }) => only === undefined || name === only)) {
  const { developed, heldOut } = corpusOf(evaluation);
  const result = await measure(evaluation, developed);
  printTables(evaluation.name, result);
  printMisses(result.misses);
  failed.push(...shortfalls(evaluation, result));
  const unseen = await measure(evaluation, heldOut);
  const title = `${evaluation.name}, held out`;
  if (showsHeldOut) {
    printTables(title, unseen);
    printMisses(unseen.misses);
  } else {
    printTotals(title, unseen);
  }
  const open = await measure(evaluation, strangersOf(evaluation, "open"));
  printTables(`${evaluation.name}, strangers, open half`, open);
  printMisses(open.misses);
  for (const round of isSealedScored ? ([1, 2] as const) : []) {
    printTotals(
      `${evaluation.name}, strangers, sealed half, round ${round}`,
      await measure(evaluation, ofRound(strangersOf(evaluation, "sealed"), round)),
    );
  }
  const { unit, ms } = slowest(evaluation);
  console.log(
    `\n${evaluation.name}: 1 MB of hostile text takes ${ms.toFixed(0)} ms of CPU time at most (${JSON.stringify(unit)})`,
  );
}
if (only === undefined || only === "sign-ups") failed.push(...(await signUps()));
if (only === undefined || only === "view") failed.push(...(await measureView()));
if (only === undefined || only === "seen") failed.push(...(await measureSeen()));
if (failed.length > 0) console.log(`\nBelow the floor: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Plays attacks on sign-ups and honest ones; returns what is below its floor. */
async function signUps(): Promise<string[]> {
  const [attacks, honest] = [await measurePhishing(), await measureHonest()];
  for (const { name, released, told } of [...attacks.misses, ...honest.misses])
    console.log(
      `  ${name}: released ${released.join(", ") || "nothing"}; told ${told.join(", ") || "nothing"}`,
    );
  const share = 1 - honest.misses.length / honest.scenes;
  console.log(
    `\nsign-ups: ${attacks.scenes} attacks, of which ${attacks.misses.length} succeeded or were not named`,
  );
  console.log(`sign-ups: ${honest.scenes} honest ones, of which ${(100 * share).toFixed(1)} % were released`);
  const isEnough = attacks.scenes >= FLOORS.phishing && honest.scenes >= FLOORS.honest;
  return [
    ...(attacks.misses.length === 0 ? [] : ["sign-ups: attacks"]),
    ...(share >= FLOORS.released ? [] : ["sign-ups: honest ones"]),
    ...(isEnough ? [] : ["sign-ups: too few mails"]),
  ];
}

/** The hostile text that takes longest, each at its best of some tries. Measured, not judged: machines differ. */
function slowest({ readText }: Evaluation): { unit: string; ms: number } {
  const costs = HOSTILE.map((unit) => {
    const text = hostileText(unit, HOSTILE_CHARS);
    const tries = Array.from({ length: TRIES }, () => {
      const before = process.cpuUsage();
      readText(text);
      return process.cpuUsage(before).user / 1_000;
    });
    return { unit, ms: Math.min(...tries) };
  });
  return costs.reduce((one, two) => (two.ms > one.ms ? two : one));
}
