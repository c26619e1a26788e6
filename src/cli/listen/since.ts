import type { Mailkeep } from "../../client/index.ts";
import { newestSeq } from "../../client/events.ts";
import { instantOf } from "../time.ts";

/**
 * The `seq` after which events count: those that happened at `since` or later. `start` = everything that is kept. The log has no
 * search by time, but its times never decrease, so that a binary search finds the place in a few calls.
 */
export async function seqBefore(mail: Mailkeep, since: string, signal: AbortSignal): Promise<number> {
  const newest = await newestSeq(mail.changes, { signal });
  if (since === "now" || newest === 0) return newest;
  const oldest = await oldestSeq(mail, newest, signal);
  if (since === "start") return oldest - 1;
  const wanted = Date.parse(instantOf("since", since, Date.now()));
  let low = oldest - 1;
  let high = newest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { events } = await mail.changes({ after: middle - 1, limit: 1 }, { signal });
    const [event] = events;
    if (event !== undefined && Date.parse(event.at) < wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function oldestSeq(mail: Mailkeep, newest: number, signal: AbortSignal): Promise<number> {
  const { oldest_seq } = await mail.changes({ after: newest, limit: 1 }, { signal });
  return oldest_seq;
}
