// How well mail is read, measured on the corpora of test/fixtures: `npm run eval`. Exits with 1 below a floor.
// `-- --held-out` lists the misses of held-out mails too: look there only when the rules are done.
import { CODES } from "./codes.ts";
import { corpusOf, measure, type Evaluation } from "./evaluation.ts";
import { printMisses, printTables, shortfalls } from "./report.ts";

const EVALUATIONS: readonly Evaluation[] = [CODES];

const showsHeldOut = process.argv.includes("--held-out");
const failed: string[] = [];
for (const evaluation of EVALUATIONS) {
  const { developed, heldOut } = corpusOf(evaluation);
  const result = await measure(evaluation, developed);
  printTables(evaluation.name, result);
  printMisses(result.misses);
  failed.push(...shortfalls(evaluation, result));
  const unseen = await measure(evaluation, heldOut);
  printTables(`${evaluation.name}, held out`, unseen);
  if (showsHeldOut) printMisses(unseen.misses);
}
if (failed.length > 0) console.log(`\nBelow the floor: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
