import {
  precision,
  recall,
  total,
  type Evaluation,
  type Miss,
  type Result,
  type Tally,
} from "./evaluation.ts";

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function row(name: string, tally: Tally): string {
  const counts = [tally.mails, tally.present, tally.read, tally.right].map((count) =>
    String(count).padStart(7),
  );
  const shares = [precision(tally), recall(tally)].map((share) => percent(share).padStart(10));
  return `  ${name.padEnd(10)}${counts.join("")}${shares.join("")}`;
}

const HEADING = `  ${"".padEnd(10)}${["mails", "there", "read", "right"].map((word) => word.padStart(7)).join("")}${["precision", "recall"].map((word) => word.padStart(10)).join("")}`;

/** A table for each kind of value: languages, and their sum. */
export function printTables(title: string, result: Result): void {
  for (const [table, languages] of result.tallies) {
    console.log(`\n${title}: ${table}\n${HEADING}`);
    for (const [language, tally] of [...languages].toSorted(([one], [two]) => (one < two ? -1 : 1)))
      console.log(row(language, tally));
    console.log(row("all", total(languages.values())));
  }
}

/** As `printTables`, without the single languages, so that rules are not fitted to the held-out mails. */
export function printTotals(title: string, result: Result): void {
  for (const [table, languages] of result.tallies) {
    console.log(`\n${title}: ${table}\n${HEADING}\n${row("all", total(languages.values()))}`);
  }
}

export function printMisses(misses: readonly Miss[]): void {
  for (const { id, field, expected, read } of misses) {
    console.log(`  ${id}: ${field} is ${expected ?? "not there"}, read was ${read ?? "none"}`);
  }
}

/** The scores below their floors, in words. */
export function shortfalls({ name, floors }: Evaluation, result: Result): string[] {
  return [...result.tallies].flatMap(([table, languages]) => {
    const sum = total(languages.values());
    const isBelow = precision(sum) < floors.precision || recall(sum) < floors.recall;
    return isBelow
      ? [`${name}, ${table}: precision ${percent(precision(sum))}, recall ${percent(recall(sum))}`]
      : [];
  });
}
