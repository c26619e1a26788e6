import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { lastIndexedWord } from "../../../src/mail/search/indexed-word.ts";

/** The last word of each text by its number, as FTS5 indexes it. */
function indexed(texts: ReadonlyMap<number, string>): Map<number, string> {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE VIRTUAL TABLE text USING fts5(word, tokenize='porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(text, 'instance'); BEGIN`);
  const insert = db.prepare("INSERT INTO text (rowid, word) VALUES (?, ?)");
  for (const [number, text] of texts) insert.run(number, text);
  const words = new Map<number, string>();
  const found = db.prepare("SELECT term, doc FROM vocabulary ORDER BY doc, offset").iterate();
  for (const { term, doc } of found) words.set(Number(doc), String(term));
  return words;
}

/** Assigned, or given another category, after the version of Unicode that SQLite has tables of. */
const NEWER_THAN_SQLITE = /[\u19B0-\u19C9\u1CF2\u1CF3]/u;
/** Latin letters whose accents SQLite keeps. */
const ACCENTS_KEPT = /[ǠǡǢǣǮǯǼǽǾǿ]/u;

/** Whether SQLite takes a character for one that is not assigned: it neither ends a word at a mark nor folds a capital. */
const isUnknown = (character: string, word: string): boolean =>
  NEWER_THAN_SQLITE.test(character) ||
  (word.includes(character) && (/\p{M}/u.test(character) || character !== character.toLowerCase()));

it("is the word of the index, whatever character stands in it", () => {
  const texts = new Map<number, string>();
  for (let code = 0; code <= 0x1ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const isPart = /[\p{L}\p{M}\p{N}]/u.test(character) && !/\p{Ideographic}/u.test(character);
    if (isPart && character.normalize("NFKC") === character) texts.set(code, `xq${character}zwq`);
  }
  const wrong = [...indexed(texts)].flatMap(([code, word]) => {
    const character = String.fromCodePoint(code);
    const isExcepted = ACCENTS_KEPT.test(character) || isUnknown(character, word);
    const asked = lastIndexedWord(texts.get(code) ?? "");
    return isExcepted || asked === word ? [] : [`${code.toString(16)}: ${asked}, but ${word}`];
  });
  expect(texts.size).toBeGreaterThan(20_000);
  expect(wrong).toEqual([]);
});

it.each([
  ["red Éto", "eto"],
  ["ΛΌΓΟΣ", "λόγοσ"],
  ["सितम", "तम"],
  ["x\u0305a", "a"],
  ["x\u0301a", "xa"],
  ["...", ""],
])("of %s is %s", (phrase, word) => {
  expect(lastIndexedWord(phrase)).toBe(word);
});
