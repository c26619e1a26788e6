import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stemOf } from "../../../src/mail/search/porter.ts";

const db = new DatabaseSync(":memory:");
db.exec(`CREATE VIRTUAL TABLE text USING fts5(word, tokenize='porter unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(text, 'row')`);
const insert = db.prepare("INSERT INTO text (word) VALUES (?)");
const terms = db.prepare("SELECT term FROM vocabulary");

/** The words of the index after it got these. */
function indexed(words: readonly string[]): Set<string> {
  db.exec("DELETE FROM text");
  for (const word of words) insert.run(word);
  return new Set(terms.all().map(({ term }) => String(term)));
}

const SUFFIXES =
  "ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti " +
  "biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti " +
  "ous ive ize ed ing eed s es ies sses y e ll at bl iz tt";

it.each([
  ["invoices", "invoic"],
  ["relational", "relat"],
  ["aed", "a"],
  ["happy", "happi"],
  ["sses", "sse"],
  ["как", "как"],
  ["is", "is"],
])("makes of %s the stem %s", (word, stem) => {
  expect(stemOf(word)).toBe(stem);
});

it("makes the stems that the full-text index holds", () => {
  const letters = fc.string({
    unit: fc.constantFrom(..."a b c d e f g h i k l m n o p r s t u v w y z д 字".split(" ")),
    minLength: 1,
    maxLength: 6,
  });
  const endings = fc.array(fc.constantFrom(...SUFFIXES.split(" ")), { maxLength: 3 });
  const words = fc.tuple(letters, endings).map(([stem, suffixes]) => stem + suffixes.join(""));
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 50 }), (all) => {
      expect(new Set(all.map(stemOf))).toEqual(indexed(all));
    }),
    { numRuns: 200 },
  );
});
