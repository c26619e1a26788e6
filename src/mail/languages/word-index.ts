/**
 * A word of a `WordIndex`, as it is listed, and where it stands in a text. `end` is behind it, and behind the letters that a
 * `*` stands for.
 */
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
 * Finds the words of two lists in a text: some stand only as whole words, the others anywhere. Of words that begin at one place the
 * whole ones come first and the longest wins. A word that ends in `*` is found with the letters that follow it. The result is that
 * of a regular expression of all words, some thirty times faster: an expression tries each alternative at each character.
 */
export class WordIndex {
  readonly #whole: Buckets;
  readonly #anywhere: Buckets;
  /** Words that end in `*`, without it. */
  readonly #stems: ReadonlySet<string>;
  /** Matches one letter that would make a whole word a part of a longer one. */
  readonly #letter: RegExp;

  /** `letter` is a character class without its brackets, such as `a-z`. */
  constructor(whole: readonly string[], anywhere: readonly string[], letter: string) {
    this.#whole = bucketsOf(whole.map(withoutStar));
    this.#anywhere = bucketsOf(anywhere.map(withoutStar));
    this.#stems = new Set([...whole, ...anywhere].filter((word) => word.endsWith("*")).map(withoutStar));
    this.#letter = new RegExp(`^[${letter}]$`);
  }

  /** The words of `text` in order, none overlapping. */
  findIn(text: string): FoundWord[] {
    const found: FoundWord[] = [];
    for (let at = 0; at < text.length;) {
      const word = this.#wordAt(text, at);
      const hit = word === null ? null : this.#foundAt(text, at, word);
      if (hit !== null) found.push(hit);
      at = hit?.end ?? at + 1;
    }
    return found;
  }

  #foundAt(text: string, start: number, word: string): FoundWord {
    let end = start + word.length;
    if (!this.#stems.has(word)) return { word, start, end };
    while (end < text.length && this.#isLetter(text, end)) end += 1;
    return { word: `${word}*`, start, end };
  }

  #wordAt(text: string, at: number): string | null {
    const first = text.charCodeAt(at);
    const isWhole = this.#whole.firsts[first] === 1 && this.#beginsWord(text, at);
    const whole = isWhole
      ? longestAt(
          this.#whole,
          text,
          at,
          (word) => !this.#isLetter(text, at + word.length) || this.#stems.has(word),
        )
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

const withoutStar = (word: string): string => word.replace(/\*$/, "");

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
