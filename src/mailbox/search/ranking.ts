import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { SearchIndex } from "../messages/search-index.ts";
import type { Turns } from "../turns.ts";
import { Matches, type Sought } from "./matches.ts";
import * as statements from "./rows.ts";
import type { RankedHit } from "./rows.ts";

/**
 * Matches of a search that are ranked: the newest. Older ones follow them, newest first. A word may be in every mail, and to
 * rank a match takes longer than to read a mail.
 */
export const MAX_RANKED = 300;

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
  readonly #matches: Matches;
  readonly #most: number;

  /** @param most matches that are ranked */
  constructor(tables: Tables, index: SearchIndex, sought: Sought, most: number) {
    this.#tables = tables;
    this.#sought = sought;
    this.#matches = new Matches(tables, index, sought);
    this.#most = most;
  }

  /**
   * The newest matches, ranked: by how often and where the words stand (BM25) if these are all matches and no word is in very
   * many mails, of which then `wanted` are read; else by whether the words stand in subject and sender.
   */
  *ranked(wanted: number): Turns<Ranked> {
    const [, max] = this.#sought.params;
    const found = yield* this.#matches.down({ max, limit: this.#most + 1 });
    const seqs = found.slice(0, this.#most);
    const isWhole = found.length > 0 && found.length <= this.#most;
    if (isWhole && (yield* this.#matches.areCountable())) {
      return { best: this.#scored(seqs, wanted), oldest: null };
    }
    return {
      best: this.#placed(seqs).toSorted((one, two) => two.score - one.score || two.seq - one.seq),
      oldest: found.length > this.#most ? (seqs.at(-1) ?? null) : null,
    };
  }

  /** Matches below `below` and without rank, newest first. */
  *older(below: Seq, limit: number, offset: number): Turns<RankedHit[]> {
    const found = yield* this.#matches.down({ max: below - 1, limit, offset });
    return found.map((seq) => ({ seq, score: 0 }));
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
}
