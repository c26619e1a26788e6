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

/** Slots of a shelf: more than there are words, so that most have one or none. */
const SLOTS = 0x40_00;

/** By so many of its first characters a word is looked up, by the largest that it has: many words begin with "code ". */
const PREFIXES = [7, 3, 1] as const;

/** Words that are looked up by the same number of characters, longest first in each slot. */
interface Shelf {
  prefix: number;
  slots: (string[] | undefined)[];
}

/** Words of one list. */
interface Buckets {
  /** 1 for each UTF-16 unit that one of them begins with: nearly every place of a text is done with by these. */
  firsts: Uint8Array;
  /** Longer words first. */
  shelves: readonly Shelf[];
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
  /** 1 for each UTF-16 unit that would make a whole word a part of a longer one. */
  readonly #letters: Uint8Array;

  /** `letter` is a character class without its brackets, such as `a-z`. */
  constructor(whole: readonly string[], anywhere: readonly string[], letter: string) {
    this.#whole = bucketsOf(whole.map(withoutStar));
    this.#anywhere = bucketsOf(anywhere.map(withoutStar));
    this.#stems = new Set([...whole, ...anywhere].filter((word) => word.endsWith("*")).map(withoutStar));
    this.#letters = lettersOf(letter);
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

  /** The first word of `text` from `from` on; null if there is none. */
  first(text: string, from = 0): FoundWord | null {
    for (let at = from; at < text.length; at += 1) {
      const word = this.#wordAt(text, at);
      if (word !== null) return this.#foundAt(text, at, word);
    }
    return null;
  }

  #foundAt(text: string, start: number, word: string): FoundWord {
    let end = start + word.length;
    if (!this.#stems.has(word)) return { word, start, end };
    while (end < text.length && this.#isLetter(text, end)) end += 1;
    return { word: `${word}*`, start, end };
  }

  #wordAt(text: string, at: number): string | null {
    const first = text.charCodeAt(at);
    if (this.#whole.firsts[first] === 1 && this.#beginsWord(text, at)) {
      const whole = this.#longestAt(this.#whole, text, at, true);
      if (whole !== null) return whole;
    }
    return this.#anywhere.firsts[first] === 1 ? this.#longestAt(this.#anywhere, text, at, false) : null;
  }

  /** The longest word at a place. This runs for each word of each mail: without closures. */
  #longestAt(buckets: Buckets, text: string, at: number, isWhole: boolean): string | null {
    for (const { prefix, slots } of buckets.shelves) {
      if (at + prefix > text.length) continue;
      const words = slots[slotOf(text, at, prefix)];
      if (words === undefined) continue;
      for (const word of words) {
        if (text.startsWith(word, at) && (!isWhole || this.#mayEndAt(text, at, word))) return word;
      }
    }
    return null;
  }

  #mayEndAt(text: string, at: number, word: string): boolean {
    return !this.#isLetter(text, at + word.length) || this.#stems.has(word);
  }

  #beginsWord(text: string, at: number): boolean {
    const before = text.charCodeAt(at - 1);
    return !(before >= 0x30 && before <= 0x39) && !this.#isLetter(text, at - 1);
  }

  #isLetter(text: string, at: number): boolean {
    return this.#letters[text.charCodeAt(at)] === 1;
  }
}

const withoutStar = (word: string): string => word.replace(/\*$/, "");

const knownLetters = new Map<string, Uint8Array>();

/** The letters of a character class, as a table. */
function lettersOf(characterClass: string): Uint8Array {
  const known = knownLetters.get(characterClass);
  if (known !== undefined) return known;
  const letter = new RegExp(`[${characterClass}]`, "u");
  const table = Uint8Array.from({ length: UNITS }, (_, unit) =>
    letter.test(String.fromCharCode(unit)) ? 1 : 0,
  );
  knownLetters.set(characterClass, table);
  return table;
}

/** The slot of the characters that begin at a place. */
function slotOf(text: string, at: number, length: number): number {
  let hash = 0;
  for (let end = at + length, index = at; index < end; index += 1) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  }
  return (hash ^ (hash >>> 14)) & (SLOTS - 1);
}

function bucketsOf(words: readonly string[]): Buckets {
  const firsts = new Uint8Array(UNITS);
  const shelves = PREFIXES.map((prefix): Shelf => ({ prefix, slots: [] }));
  for (const word of new Set(words.toSorted((one, two) => two.length - one.length))) {
    firsts[word.charCodeAt(0)] = 1;
    const shelf = shelves.find(({ prefix }) => word.length >= prefix);
    if (shelf !== undefined) (shelf.slots[slotOf(word, 0, shelf.prefix)] ??= []).push(word);
  }
  return { firsts, shelves: shelves.filter(({ slots }) => slots.length > 0) };
}
