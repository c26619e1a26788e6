/**
 * Characters of one field that are indexed, before CJK is spread out. At most seven UTF-8 bytes come of each,
 * so the value stays under the 2 MB that SQLite in a Durable Object binds; what follows is found by no search.
 */
export const MAX_INDEXED_CHARS = 200_000;

/**
 * Combining marks kept in a row. No script needs more, and normalising sorts each run by class in quadratic
 * time: 200,000 marks of two classes take 8 s. Half-width voicing marks become combining ones under NFKC.
 */
const MAX_MARKS_IN_A_ROW = 8;
const LONG_MARK_RUN = new RegExp(
  String.raw`([\p{M}\uFF9E\uFF9F]{${MAX_MARKS_IN_A_ROW}})[\p{M}\uFF9E\uFF9F]+`,
  "gu",
);

/** Invisible or unjoined within a word, where unicode61 would split it: soft hyphens, variation selectors, loose kana voicing. */
const SPLITTING = /\u{AD}|\u{3099}|\u{309A}|\p{Variation_Selector}/gu;

/** A run of the scripts written without spaces, for which unicode61 has no word boundaries (Hangul for its particles). */
const CJK_RUN =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]&&[\p{L}\p{N}]]+/gv;

/** Characters that are not words, but that unicode61 takes for letters because SQLite's Unicode tables are older (🫠). */
const SYMBOL = /[^\p{ASCII}\p{L}\p{M}\p{N}\p{Co}]/gu;

/** Characters that unicode61 takes into tokens: categories L*, N*, Co. */
const TOKEN_CHARACTER = /[\p{L}\p{N}\p{Co}]/u;

/** Whether the tokenizer would see anything in `text`. */
export function holdsToken(text: string): boolean {
  return TOKEN_CHARACTER.test(text);
}

/** `text` cut to `maxChars` UTF-16 units, safe to normalise in linear time. */
export function boundedText(text: string, maxChars: number): string {
  return text.slice(0, maxChars).toWellFormed().replace(LONG_MARK_RUN, "$1");
}

/** Whether a text is its own normal form: ASCII, in which nothing is spread out or left out. */
function isPlain(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

function normalized(text: string): string {
  const compatible = boundedText(text, MAX_INDEXED_CHARS).normalize("NFKC");
  // A few characters expand under NFKC (U+FDFA to eighteen), hence the second cut.
  return compatible.slice(0, MAX_INDEXED_CHARS).replace(SPLITTING, "").replace(SYMBOL, " ");
}

function bigramsOf(characters: readonly string[]): string[] {
  return characters.slice(0, -1).map((character, at) => character + (characters[at + 1] ?? ""));
}

/**
 * The text to store in the FTS5 table (`porter unicode61 remove_diacritics 2`): NFKC, symbols as spaces, other scripts as
 * they are, each CJK run as overlapping bigrams and its last character (`手机号` → `手机 机号 号`), so that two characters find it
 * wherever they stand, and one does as a prefix.
 */
export function searchableText(text: string): string {
  if (isPlain(text)) return text.slice(0, MAX_INDEXED_CHARS);
  return normalized(text).replace(CJK_RUN, (run) => {
    const characters = Array.from(run);
    return ` ${[...bigramsOf(characters), characters.at(-1)].join(" ")} `;
  });
}

/** The tokens to look for, to be quoted as one FTS5 phrase. */
export interface SearchablePhrase {
  text: string;
  /** The last token is a single CJK character: every indexed token that begins with it holds it. */
  prefix: boolean;
}

/**
 * A word or phrase of a query, spread out as `searchableText` does. A run at the end may go on in the text that is
 * searched, so it asks for its bigrams only; a run that something follows ends there in that text too.
 */
export function searchablePhrase(phrase: string): SearchablePhrase {
  let prefix = false;
  const spread = normalized(phrase).replace(CJK_RUN, (run: string, at: number, whole: string) => {
    const characters = Array.from(run);
    const isLast = !/[\p{L}\p{M}\p{N}\p{Co}]/u.test(whole.slice(at + run.length));
    prefix = isLast && characters.length === 1;
    const ending = isLast && !prefix ? [] : [characters.at(-1)];
    return ` ${[...bigramsOf(characters), ...ending].join(" ")} `;
  });
  // SQLite reads a MATCH expression only up to a NUL: the closing quote would be lost.
  return { text: spread.replace(/[\s\p{Cc}]+/gu, " ").trim(), prefix };
}

/** A text in the form in which filters compare it: lower case, without accents, compatibility forms replaced. */
export function foldForMatch(text: string): string {
  if (isPlain(text)) return text.slice(0, MAX_INDEXED_CHARS).toLowerCase();
  const folded = boundedText(text, MAX_INDEXED_CHARS).normalize("NFKD").replace(/\p{M}/gu, "");
  return folded.toLowerCase();
}

/** A text in the form in which the tokenizer compares it, with the offsets in the original. */
export interface FoldedText {
  /** Lower case, without accents; what stands between words is one space. */
  folded: string;
  /** For each UTF-16 unit of `folded`, the index in the text of the character it comes from; never falls. */
  origins: number[];
}

/** One character, compared: its accents dropped, "" for a lone mark, " " for what separates words. */
function foldCharacter(character: string): string {
  if (/^[\p{M}\u00AD]$/u.test(character)) return "";
  const bare = character.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
  return Array.from(bare, (part) => (holdsToken(part) ? part : " ")).join("");
}

const SPACE = 0x20;
const FIRST_BEYOND_ASCII = 0x80;

/** How an ASCII character is compared: letters small, digits as they are, anything else as a space. */
const ASCII_FOLDED = Uint8Array.from({ length: FIRST_BEYOND_ASCII }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z0-9]/.test(character) ? character.toLowerCase().charCodeAt(0) : SPACE;
});

/** Folds `text` to find words in it regardless of case and accents. Linear; the caller bounds the length. */
export function foldText(text: string): FoldedText {
  const units: number[] = [];
  const origins: number[] = [];
  const known = new Map<string, string>();
  let afterSpace = false;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    // Even of a text in another script much is ASCII; a table is quicker for it than what the others need.
    if (code < FIRST_BEYOND_ASCII) {
      const unit = ASCII_FOLDED[code] ?? SPACE;
      if (unit !== SPACE || !afterSpace) {
        units.push(unit);
        origins.push(at);
      }
      afterSpace = unit === SPACE;
      at += 1;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? SPACE);
    const folded = known.get(character) ?? foldCharacter(character);
    known.set(character, folded);
    if (folded !== " " || !afterSpace) {
      for (let unit = 0; unit < folded.length; unit += 1) {
        units.push(folded.charCodeAt(unit));
        origins.push(at);
      }
    }
    if (folded !== "") afterSpace = folded.endsWith(" ");
    at += character.length;
  }
  return { folded: textOf(units), origins };
}

/** UTF-16 units a call takes as arguments without a look at the stack. */
const MAX_UNITS_AT_ONCE = 4_096;

function textOf(units: readonly number[]): string {
  let text = "";
  for (let from = 0; from < units.length; from += MAX_UNITS_AT_ONCE) {
    text += String.fromCharCode(...units.slice(from, from + MAX_UNITS_AT_ONCE));
  }
  return text;
}
