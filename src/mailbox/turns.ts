import type { Answer } from "../contract/problem.ts";
import { breath } from "../lib/breath.ts";
import type { Seq } from "../lib/ids.ts";
import { done } from "../lib/outcome.ts";
import type { Access, Principal } from "./account/access.ts";
import type { Account } from "./account/account.ts";
import type { MailboxContext } from "./context.ts";

/** Rows that one turn looks at, which takes some milliseconds. Other calls, receipts among them, run before the next turn. */
export const ROWS_A_TURN = 5_000;

/** Work that yields wherever other calls may run before it goes on. */
export type Turns<T> = Generator<undefined, T, undefined>;

/**
 * Does work in turns. The first turn is synchronous; the caller is authenticated again before each other one, because its key
 * may have been revoked meanwhile.
 */
export async function inTurns<T>(
  { answer }: Pick<MailboxContext, "answer">,
  access: Access,
  begin: (account: Account, principal: Principal) => Turns<Answer<T>>,
): Promise<Answer<T>> {
  let work: Turns<Answer<T>> | null = null;
  for (;;) {
    const turn = answer(access, (account, principal): Answer<IteratorResult<undefined, Answer<T>>> => {
      work ??= begin(account, principal);
      return done(work.next());
    });
    if (!turn.ok) return turn;
    if (turn.value.done === true) return turn.value.value;
    await breath();
  }
}

/** Rows in descending order of `seq`, of which some are wanted. */
export interface Scan<Row> {
  /** The wanted ones among the first ROWS_A_TURN rows from `max` down: `limit` at most, after the first `offset`. */
  read(max: Seq, limit: number, offset: number): Row[];
  /** How many of these rows are wanted. */
  count(max: Seq): number;
  /** The last of these rows; null if no row follows them. */
  end(max: Seq): Seq | null;
}

/** Reads wanted rows from `max` down, in turns: `limit` at most, after the first `offset`. */
export function* gathered<Row>(
  scan: Scan<Row>,
  { max, limit, offset = 0 }: { max: Seq; limit: number; offset?: number },
): Turns<Row[]> {
  const rows: Row[] = [];
  for (let at = max, skip = offset; ;) {
    const found = skip < ROWS_A_TURN ? scan.read(at, limit - rows.length, skip) : [];
    rows.push(...found);
    const end = rows.length >= limit ? null : scan.end(at);
    if (end === null) return rows;
    if (skip > 0) skip = found.length > 0 ? 0 : skip - scan.count(at);
    at = end - 1;
    yield;
  }
}
