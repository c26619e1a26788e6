import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { ConditionParams } from "../reading/rows.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import { ownJson } from "../../lib/json-text.ts";
import { gathered, ROWS_A_TURN, type Scan, type Turns } from "../turns.ts";
import * as statements from "./rows.ts";
import type { RankedHit } from "./rows.ts";

/**
 * Matches of a search that are ranked: the newest. Older ones follow them, newest first. A word may be in every mail, and to
 * rank a match takes longer than to read a mail.
 */
export const MAX_RANKED = 300;
/** A word of several is counted up to so many mails. BM25 counts all mails with each word, also those without the others. */
const MAX_COUNTED = 2_000;

/**
 * Pages of the full-text index that a search may read for its prefixes, which takes some 35 ms. No turn can divide
 * that work, because FTS5 joins the matches of all words with a prefix before it answers the first.
 */
const MAX_PREFIX_PAGES = 500;

/** Whether so many words begin with these prefixes that a search would take too long. */
export function isTooBroad(tables: Tables, prefixes: readonly string[]): boolean {
  const pages = prefixes.map((prefix) => tables.first(statements.PREFIX_PAGES, prefix)?.pages ?? 0);
  return pages.reduce((sum, each) => sum + each, 0) > MAX_PREFIX_PAGES;
}

/** The words of a search. */
export interface Words {
  /** A full-text expression, and those of its words and phrases. */
  match: string;
  phrases: readonly string[];
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
}

/** The ranked matches, best first, and the oldest of them if older ones follow. */
export interface Ranked {
  best: RankedHit[];
  oldest: Seq | null;
}

/** Scores where words are too frequent to be counted: all of them, some or none in subject and sender. */
const ALL_IN_HEAD = 3;
const SOME_IN_HEAD = 2;
const NONE_IN_HEAD = 1;

/** Ranks the matches of a search. */
export class Ranking {
  readonly #tables: Tables;
  readonly #sought: Sought;
  readonly #most: number;

  /** @param most matches that are ranked */
  constructor(tables: Tables, sought: Sought, most: number) {
    this.#tables = tables;
    this.#sought = sought;
    this.#most = most;
  }

  /**
   * The newest matches, ranked: by how often and where the words stand (BM25) if these are all matches and no word is in very
   * many mails, of which then `wanted` are read; else by whether the words stand in subject and sender.
   */
  *ranked(wanted: number): Turns<Ranked> {
    const { words, params, isPlain } = this.#sought;
    const [min, max] = params;
    const scan = this.#scan();
    const limit = this.#most + 1;
    const found = isPlain
      ? this.#matches(words.match, { min, max, limit, offset: 0 })
      : yield* gathered(scan, { max, limit });
    const seqs = found.slice(0, this.#most);
    const isWhole = found.length <= this.#most && (isPlain || scan.end(max) === null);
    if (isWhole && this.#isCountable()) return { best: this.#scored(seqs, wanted), oldest: null };
    return {
      best: this.#placed(seqs).toSorted((one, two) => two.score - one.score || two.seq - one.seq),
      oldest: found.length > this.#most ? (seqs.at(-1) ?? null) : null,
    };
  }

  /** Matches below `below` and without rank, newest first. */
  *older(below: Seq, limit: number, offset: number): Turns<RankedHit[]> {
    const found = yield* gathered(this.#scan(), { max: below - 1, limit, offset });
    return found.map((seq) => ({ seq, score: 0 }));
  }

  /** Whether no word of a search with few matches is in more than MAX_COUNTED mails, within the bounds of the search or not. */
  #isCountable(): boolean {
    const { words, isPlain, isBounded } = this.#sought;
    // All mails with a single word are among the matches.
    if (words.phrases.length === 1 && isPlain && !isBounded) return true;
    const beyond = { min: 0, max: BEYOND_ALL, limit: 1, offset: MAX_COUNTED };
    return words.phrases.every((phrase) => this.#matches(phrase, beyond).length === 0);
  }

  /** The best of all matches. */
  #scored(seqs: readonly Seq[], wanted: number): RankedHit[] {
    const { words, params, isPlain } = this.#sought;
    const [min, max] = params;
    const among = isPlain ? null : JSON.stringify(seqs);
    return this.#tables.all(statements.SCORES, words.match, min, max, among, wanted);
  }

  #placed(seqs: readonly Seq[]): RankedHit[] {
    const { folded } = this.#sought.words;
    return this.#tables
      .all(statements.HEADS, JSON.stringify(seqs))
      .map(({ seq, subject_folded, sender_folded }) => {
        const isThere = (text: string) => subject_folded.includes(text) || sender_folded.includes(text);
        const some = folded.some(isThere) ? SOME_IN_HEAD : NONE_IN_HEAD;
        return { seq, score: folded.every(isThere) ? ALL_IN_HEAD : some };
      });
  }

  /** The newest matches of an expression. */
  #matches(match: string, range: { min: Seq; max: Seq; limit: number; offset: number }): Seq[] {
    const { min, max, limit, offset } = range;
    return ownJson(this.#tables.first(statements.MATCHES_DOWN, match, min, max, limit, offset)?.seqs ?? "[]");
  }

  /** The matches that pass the filters. Without filters all of them do. */
  #scan(): Scan<Seq> {
    const { words, params, isPlain } = this.#sought;
    const [minSeq, , ...filters] = params;
    const end = (max: Seq) =>
      this.#tables.first(statements.MATCHES_END, words.match, minSeq, max)?.seq ?? null;
    if (isPlain) {
      const read = (max: Seq, most: number, offset: number) => {
        const limit = Math.min(most, ROWS_A_TURN - offset);
        return this.#matches(words.match, { min: minSeq, max, limit, offset });
      };
      return { read, count: () => ROWS_A_TURN, end };
    }
    const paramsOf = (max: Seq, limit: number, offset: number) =>
      [minSeq, max, ...filters, words.match, limit, offset] as const;
    return {
      read: (max, limit, offset) =>
        this.#tables.all(statements.FILTERED_DOWN, ...paramsOf(max, limit, offset)).map(({ seq }) => seq),
      count: (max) => this.#tables.first(statements.COUNT_FILTERED, ...paramsOf(max, -1, 0))?.count ?? 0,
      end,
    };
  }
}
