/** An entry of a `WordIndex` found in a text; `end` is the offset behind it. */
export interface FoundWord {
  word: string;
  start: number;
  end: number;
}

/** UTF-16 units that there are. */
const UNITS = 0x1_00_00;

/** Words of one list: by their first two characters, longest first; those of a single character apart. */
interface Buckets {
  /** 1 for each UTF-16 unit that one of them begins with: nearly every place of a text is done with by these. */
  firsts: Uint8Array;
  long: ReadonlyMap<string, readonly string[]>;
  single: ReadonlySet<string>;
}

/**
 * Finds the words of two lists in a text: some stand only as whole words, the others anywhere. Of words that begin at one
 * place the whole ones come first and the longest wins. It says what a regular expression of all words would, some
 * thirty times faster: an expression tries each alternative at each character.
 */
export class WordIndex {
  readonly #whole: Buckets;
  readonly #anywhere: Buckets;
  /** Matches one letter that would make a whole word a part of a longer one. */
  readonly #letter: RegExp;

  /** `letter` is a character class without its brackets, such as `a-z`. */
  constructor(whole: readonly string[], anywhere: readonly string[], letter: string) {
    this.#whole = bucketsOf(whole);
    this.#anywhere = bucketsOf(anywhere);
    this.#letter = new RegExp(`^[${letter}]$`);
  }

  /** The words of `text` in order, none overlapping. */
  findIn(text: string): FoundWord[] {
    const found: FoundWord[] = [];
    for (let at = 0; at < text.length;) {
      const word = this.#wordAt(text, at);
      if (word !== null) found.push({ word, start: at, end: at + word.length });
      at += word?.length ?? 1;
    }
    return found;
  }

  #wordAt(text: string, at: number): string | null {
    const first = text.charCodeAt(at);
    const isWhole = this.#whole.firsts[first] === 1 && this.#beginsWord(text, at);
    const whole = isWhole
      ? longestAt(this.#whole, text, at, (word) => !this.#isLetter(text, at + word.length))
      : null;
    if (whole !== null || this.#anywhere.firsts[first] !== 1) return whole;
    return longestAt(this.#anywhere, text, at, () => true);
  }

  #beginsWord(text: string, at: number): boolean {
    const before = text.charCodeAt(at - 1);
    return !(before >= 0x30 && before <= 0x39) && !this.#isLetter(text, at - 1);
  }

  #isLetter(text: string, at: number): boolean {
    const code = text.charCodeAt(at);
    // The common case without a regular expression.
    if (code < 0x80) return code >= 0x61 && code <= 0x7a;
    return this.#letter.test(text.charAt(at));
  }
}

function longestAt(
  buckets: Buckets,
  text: string,
  at: number,
  fits: (word: string) => boolean,
): string | null {
  const words = buckets.long.get(text.slice(at, at + 2)) ?? [];
  const long = words.find((word) => text.startsWith(word, at) && fits(word));
  if (long !== undefined) return long;
  const single = text.charAt(at);
  return buckets.single.has(single) && fits(single) ? single : null;
}

function bucketsOf(words: readonly string[]): Buckets {
  const long = new Map<string, string[]>();
  for (const word of words.toSorted((one, two) => two.length - one.length)) {
    if (word.length === 1) continue;
    const key = word.slice(0, 2);
    const bucket = long.get(key);
    if (bucket === undefined) long.set(key, [word]);
    else bucket.push(word);
  }
  const firsts = new Uint8Array(UNITS);
  for (const word of words) firsts[word.charCodeAt(0)] = 1;
  return { firsts, long, single: new Set(words.filter((word) => word.length === 1)) };
}
