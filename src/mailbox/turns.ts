import { rateLimited, type Answer, type Problem } from "../contract/problem.ts";
import { breath } from "../lib/breath.ts";
import type { Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
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
 *
 * @param scan ends the work between two turns when its client is gone
 * @param others does the turns after the first one: later, if it has to
 */
export async function inTurns<T>(
  { answer }: Pick<MailboxContext, "answer">,
  access: Access,
  begin: (account: Account, principal: Principal) => Turns<Answer<T>>,
  { scan, others = (work) => work() }: InTurns<T> = {},
): Promise<Answer<T>> {
  let work: Turns<Answer<T>> | null = null;
  const next = () =>
    answer(access, (account, principal): Answer<IteratorResult<undefined, Answer<T>>> => {
      work ??= begin(account, principal);
      return done(work.next());
    });
  const first = next();
  if (!first.ok) return first;
  if (first.value.done === true) return first.value.value;
  return others(async () => {
    for (;;) {
      await breath();
      if (scan?.isGone === true) return refused(CLIENT_GONE);
      const turn = next();
      if (!turn.ok) return turn;
      if (turn.value.done === true) return turn.value.value;
    }
  });
}

interface InTurns<T> {
  scan?: ScanCall;
  others?: (work: () => Promise<Answer<T>>) => Promise<Answer<T>>;
}

/** Scans of one mailbox that run at a time, so that other calls run between their turns; and how many more wait. */
const MAX_SCANS = 2;
const MAX_WAITING_SCANS = 32;
const SCAN_RETRY_SECONDS = 2;

const TOO_MANY_SCANS = rateLimited("searches at a time", {
  limit: MAX_SCANS + MAX_WAITING_SCANS,
  windowSeconds: 1,
  resetSeconds: SCAN_RETRY_SECONDS,
});
/** No one reads it. */
export const CLIENT_GONE: Problem = { code: "unavailable", error: "The client is gone" };

/** A call that looks at more mail than one turn can. */
export class ScanCall {
  readonly turn = Promise.withResolvers<void>();
  readonly id: string;
  isGone = false;

  constructor(id: string) {
    this.id = id;
  }
}

/** The scans of a mailbox. */
export class Scans {
  readonly #calls = new Set<ScanCall>();
  /** In the order in which they came: the first ones run. */
  readonly #queue = new Set<ScanCall>();

  /** Does a call whose client may hang up, which ends its scan. */
  async call<T>(id: string, work: (scan: ScanCall) => Promise<T>): Promise<T> {
    const scan = new ScanCall(id);
    this.#calls.add(scan);
    try {
      return await work(scan);
    } finally {
      this.#calls.delete(scan);
    }
  }

  /** Does the work of a scan when it is its turn. 429 if too many wait. */
  async run<T>(scan: ScanCall, work: () => Promise<Answer<T>>): Promise<Answer<T>> {
    if (this.#queue.size >= MAX_SCANS + MAX_WAITING_SCANS) return refused(TOO_MANY_SCANS);
    this.#queue.add(scan);
    this.#startFirst();
    try {
      await scan.turn.promise;
      return scan.isGone ? refused(CLIENT_GONE) : await work();
    } finally {
      this.#queue.delete(scan);
      this.#startFirst();
    }
  }

  /** Ends the calls whose ids begin with this: their clients are gone. */
  forget(beginning: string): void {
    for (const scan of this.#calls) {
      if (!scan.id.startsWith(beginning)) continue;
      scan.isGone = true;
      scan.turn.resolve();
    }
  }

  #startFirst(): void {
    for (const { turn } of [...this.#queue].slice(0, MAX_SCANS)) turn.resolve();
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
