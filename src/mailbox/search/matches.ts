import { ownJson } from "../../lib/json-text.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Phrase } from "../../mail/search/search-query.ts";
import type { SearchIndex } from "../messages/search-index.ts";
import type { ConditionParams } from "../reading/rows.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import { ROWS_A_TURN, type Turns } from "../turns.ts";
import { inRanges, rangeWidth, type Within } from "./ranges.ts";
import * as statements from "./rows.ts";

/** A word is rare if its mails, times this, are no more than a range has: to look one up takes as long as to pass so many. */
const LOOK_UP = 80;
/** A word is counted up to so many mails. BM25 counts all mails with each word, also those without the others. */
const MAX_COUNTED = 2_000;

/** The words of a search. */
export interface Words {
  /** A full-text expression. */
  match: string;
  /** `match` without what it leaves out. */
  wanted: string;
  /** An expression for what `match` leaves out; null = nothing. */
  without: string | null;
  /** The phrases of `wanted`: one of each list must occur. */
  groups: readonly (readonly Phrase[])[];
  /** The phrases of `match`. */
  phrases: readonly Phrase[];
  /** The words and phrases that are looked for, folded by `foldForMatch`. */
  folded: readonly string[];
}

/** The words and the filters of a search. */
export interface Sought {
  words: Words;
  params: ConditionParams;
  /** Whether there are no filters but the bounds. */
  isPlain: boolean;
  /** Whether the bounds leave mails out. */
  isBounded: boolean;
  /** Mails of the mailbox, which bound the ranges of a statement; 0 = it may look at all. */
  mails: number;
}

/** How the matches are looked for. */
interface Plan {
  within: Within;
  match: string;
}

/** The matches of a search, newest first, found by statements that look at a bounded number of mails. */
export class Matches {
  readonly #tables: Tables;
  readonly #index: SearchIndex;
  readonly #sought: Sought;
  readonly #width: number | null;
  #plan: Plan | null = null;
  /** Matches that the last turn looked at, at most. */
  #limit = 0;

  /** @param width mails in which one statement may look for the words; null = the whole mailbox. */
  constructor(
    tables: Tables,
    index: SearchIndex,
    sought: Sought,
    width = rangeWidth(sought.words.phrases, sought.mails),
  ) {
    this.#tables = tables;
    this.#index = index;
    this.#sought = sought;
    this.#width = width;
  }

  /** The newest matches from `max` down that pass the filters: `limit` at most, after the first `offset`. */
  *down({ max, limit, offset = 0 }: { max: Seq; limit: number; offset?: number }): Turns<Seq[]> {
    const found: Seq[] = [];
    for (let at = max, skip = offset; ;) {
      const most = skip + limit - found.length;
      const { seqs, end } = this.#turn(at, most);
      const passing = this.#passing(seqs, most);
      found.push(...passing.slice(skip));
      if (end === null || found.length >= limit) return found;
      skip = Math.max(0, skip - passing.length);
      at = end - 1;
      yield;
    }
  }

  /** Whether so few mails hold each word and phrase, within the bounds of the search or not, that BM25 can count them. */
  *areCountable(): Turns<boolean> {
    const { words, isPlain, isBounded } = this.#sought;
    const { phrases } = words;
    // All mails with a single word or phrase are among the matches.
    const areMatches = phrases.length === 1 && isPlain && !isBounded;
    for (const phrase of phrases) {
      if (this.#width !== null && isLong(phrase)) {
        if (!this.#holdsRare(phrase, this.#width)) return false;
        yield;
      }
      if (!areMatches && !this.#isRare(phrase.expression, MAX_COUNTED)) return false;
    }
    return true;
  }

  /** Some matches from `max` down, and the last mail that was looked at; null if no mail follows. */
  #turn(max: Seq, most: number): { seqs: readonly Seq[]; end: Seq | null } {
    // Filters may leave out most matches: each turn looks at four times as many as the one before.
    const atLeast = this.#sought.isPlain ? 0 : 4 * this.#limit;
    const limit = (this.#limit = Math.min(ROWS_A_TURN, Math.max(most, atLeast)));
    const { within, match } = (this.#plan ??= this.#planned());
    return within(max, ({ min, end }) => {
      const found = this.#tables.first(statements.MATCHES_DOWN, match, min, max, limit, 0);
      const seqs = ownJson<Seq[]>(found?.seqs ?? "[]");
      return { seqs, end: seqs.length < limit ? end : (seqs.at(-1) ?? null) };
    });
  }

  /** Those of some matches that pass the filters, `most` at most. */
  #passing(seqs: readonly Seq[], most: number): readonly Seq[] {
    const { isPlain, params } = this.#sought;
    if (isPlain || seqs.length === 0) return seqs;
    const found = this.#tables.first(statements.PASSING, ...params, JSON.stringify(seqs), most);
    return ownJson(found?.seqs ?? "[]");
  }

  /** Looks up whether words are rare, if the mailbox is large. */
  #planned(): Plan {
    const { words, params } = this.#sought;
    const { match, wanted, without } = words;
    const width = this.#width === null || this.#isQuick(this.#width) ? null : this.#width;
    // FTS5 scans the mails with excluded words separately. So one sentinel row holds the excluded words, and the row above it holds
    // all words and a random token that exempts it.
    const token = crypto.randomUUID().replaceAll("-", "");
    const hasToken = width !== null && without !== null;
    const texts = hasToken ? [without, `${match} ${token}`] : [match];
    const within = inRanges(this.#tables, this.#index, { min: params[0], width, texts });
    return { within, match: hasToken ? `(${wanted}) NOT (${without} NOT "${token}")` : match };
  }

  /**
   * Whether FTS5 passes few mails before each match: because every mail with one of the words matches, or because each match holds
   * a rare word, which FTS5 looks up among the others.
   */
  #isQuick(width: number): boolean {
    const { groups, phrases, without } = this.#sought.words;
    const isRare = (phrase: Phrase) => this.#holdsRare(phrase, width / LOOK_UP);
    if (phrases.some((phrase) => isLong(phrase) && !isRare(phrase))) return false;
    return (groups.length === 1 && without === null) || groups.some((group) => group.every(isRare));
  }

  #holdsRare({ words }: Phrase, most: number): boolean {
    return words.some((word) => this.#isRare(word, most));
  }

  /** Whether `most` mails at most match an expression. */
  #isRare(expression: string, most: number): boolean {
    const params = [expression, 0, BEYOND_ALL, 1, Math.floor(most)] as const;
    return this.#tables.first(statements.MATCHES_DOWN, ...params)?.seqs === "[]";
  }
}

function isLong({ words }: Phrase): boolean {
  return words.length > 1;
}
