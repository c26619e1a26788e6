import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { DIRECTORY_ORDERS } from "../../src/contract/directory.ts";
import {
  countQuery,
  FIND_KIND,
  FIND_QUARANTINE,
  FIND_RETIRED,
  findQuery,
  LIST,
  NEWEST_KEPT,
  TALLY,
} from "../../src/directory/rows.ts";
import { DIRECTORY_MIGRATIONS } from "../../src/directory/schema.ts";

const database = new DatabaseSync(":memory:");
for (const { sql } of DIRECTORY_MIGRATIONS) database.exec(sql);

const planOf = (text: string): string[] =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail));

it.each<[string, string]>([
  ["a page of the list", LIST.text],
  ["the standing of a listed address", FIND_KIND.text],
  ["the standing of a retired address", FIND_RETIRED.text],
  ["the standing of a quarantined address", FIND_QUARANTINE.text],
  ["the newest kept mail", NEWEST_KEPT.text],
  ...DIRECTORY_ORDERS.map((order): [string, string] => [`a page by ${order}`, findQuery(null, order).text]),
  ["a page of failing ones", findQuery("failing", "address").text],
])("%s is found by an index, without a scan and without sorting", (_, text) => {
  const plan = planOf(text);
  expect(plan).not.toEqual([]);
  for (const line of plan) expect(line).toMatch(/^SEARCH \w+ USING (?:PRIMARY KEY|(?:COVERING )?INDEX)/);
});

it("the numbers of the overview, and of a search by a state, read no mailbox that needs no attention", () => {
  const states = ["failing", "cannot-send", "paused"] as const;
  const reads = [TALLY.text, ...states.map((only) => countQuery(only).text)]
    .flatMap(planOf)
    .filter((line) => !/SCALAR SUBQUERY|CONSTANT ROW/.test(line));
  const few = /USING (?:COVERING )?INDEX entry_(?:paused|failing|cannot_send|expires)\b/;
  expect(reads.filter((line) => few.test(line))).toHaveLength(4 + states.length);
  // SQLite counts all rows of a table by its pages.
  expect(reads.filter((line) => !few.test(line))).toEqual([
    expect.stringMatching(/^SCAN entry USING COVERING INDEX/),
  ]);
});
