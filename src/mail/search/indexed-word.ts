import { stemOf } from "./porter.ts";

/** The marks that FTS5's tokenizer `unicode61` leaves out of a word. Every other mark ends one. */
const LEFT_OUT_MARK = /[\u0300-\u0304\u0306-\u030C\u030F\u0311\u031B\u0323-\u0328\u032D\u032E\u0330\u0331]/gu;
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;

/** The words of a normalized phrase (NFKC), of which the full-text index holds the stems. */
export function wordsOfPhrase(phrase: string): readonly string[] {
  return phrase.replace(LEFT_OUT_MARK, "").match(WORD) ?? [];
}

/**
 * The last word of a normalized phrase (NFKC) as the full-text index holds it: stemmed, in lower case, letters of the Latin
 * script without accents, all others with theirs. Characters that are newer than SQLite's tables may differ. "" if there is no
 * word.
 */
export function lastIndexedWord(phrase: string): string {
  const word = wordsOfPhrase(phrase).at(-1) ?? "";
  return stemOf(Array.from(word, folded).join(""));
}

/** A character in lower case: by itself, because a sigma at the end of a text would become a final one. */
function folded(character: string): string {
  const isLatin = /\p{Script=Latin}/u.test(character);
  const bare = isLatin ? character.normalize("NFKD").replace(/\p{M}/gu, "") : character;
  return bare.toLowerCase().replace("ς", "σ");
}
