import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Phrase } from "../../mail/search/search-query.ts";
import type { SearchIndex } from "../messages/search-index.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import { ROWS_A_TURN, type Scan } from "../turns.ts";
import * as statements from "./rows.ts";

/** Mails that the first turn of a search looks at: enough for a page if many of them are wanted. */
const FIRST_TURN = 1_000;
/**
 * Mails of any other range, times words that are looked for: FTS5 scans the mails with each word, which takes 3 to 10 ms.
 * With more than 16 words, it takes longer to find the range in each list of mails than to scan it.
 */
const WORDS_A_RANGE = 16 * ROWS_A_TURN;

/** Mails of a range in which a statement may look for all words of these phrases; null = the whole mailbox. */
export function rangeWidth(phrases: readonly Phrase[], mails: number): number | null {
  const words = phrases.flatMap((phrase) => phrase.words).length;
  const width = Math.max(ROWS_A_TURN, Math.floor(WORDS_A_RANGE / words));
  return mails > width ? width : null;
}

/** Which ranges are asked for. */
interface RangesAsked {
  /** The oldest mail. */
  min: Seq;
  /** Mails of a range at most; null = all mails are one range, which statements may leave. */
  width: number | null;
  /** The texts of the sentinel rows on either side of a range, in ascending order. */
  texts: readonly string[];
}

/** Mails in descending order of `seq`. */
interface Range {
  max: Seq;
  min: Seq;
  /** Its last mail; null if no mail follows. */
  end: Seq | null;
  /** The sentinel rows on either side of it. */
  around: readonly [Seq, string][];
}

/** Does `work`, which looks for words in the range that has `max`: that of the last call, or else one that begins there. */
export type Within = <T>(max: Seq, work: (range: Range) => T) => T;

/**
 * Divides mail into ranges, newest first.
 *
 * FTS5 scans all mails that contain a word until one matches; only then does it compare its number with the bounds of the statement.
 * So a sentinel row, which matches, stands on either side of the range during the statement: the scan stops there.
 */
export function inRanges(tables: Tables, index: SearchIndex, { min, width, texts }: RangesAsked): Within {
  let last: Range | null = null;
  const rangeFrom = (max: Seq): Range => {
    if (width === null) return { max, min, end: null, around: [] };
    const most = last === null ? Math.min(FIRST_TURN, width) : width;
    const end = tables.first(statements.ROW_AT, min, max, most - 1)?.seq ?? null;
    const oldest = end ?? min;
    // There may be a mail at this number: within the transaction, FTS5 then finds its words and those of the sentinel row there.
    const around = [oldest, BEYOND_ALL].flatMap((place) =>
      texts.map((text, at): [Seq, string] => [place - texts.length + at, text]),
    );
    return { max, min: oldest, end, around };
  };
  return (max, work) => {
    const range: Range = last !== null && max <= last.max && max >= last.min ? last : rangeFrom(max);
    last = range;
    return index.withRows(range.around, () => work(range));
  };
}

/** A scan whose turns end where a range ends, too. `scanFrom` makes the scan of the mails down to the given one. */
export function scanWithin<Row>(within: Within, scanFrom: (min: Seq) => Scan<Row>): Scan<Row> {
  return {
    read: (max, limit, offset) => within(max, ({ min }) => scanFrom(min).read(max, limit, offset)),
    count: (max) => within(max, ({ min }) => scanFrom(min).count(max)),
    end: (max) => within(max, ({ min, end }) => scanFrom(min).end(max) ?? end),
  };
}
