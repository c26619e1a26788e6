import { seqTime, type Seq } from "../lib/ids.ts";
import type { Activity } from "../metrics/monitor.ts";
import type { Capabilities } from "./capabilities.ts";

/** The least time between two counts of a mailbox's waiting work while it is still working, in ms. */
const MIN_PAUSE_MS = 1_000;
/** How many are counted each time, and how many seldom: more are as bad. */
const MAX_SHORT = 5;
const MAX_LONG = 1_000;
/** The least time between two counts of a long queue, in ms. */
const LONG_PAUSE_MS = 5 * 60_000;

/**
 * Runs `work` at most once a second, or at once if it is the last time for now. What comes within the second is done at its end,
 * by `later`.
 */
export function throttled(
  { now, later }: { now: () => number; later: (work: () => void, ms: number) => void },
  work: () => void,
): (isLast: boolean) => void {
  let doneAt = -Infinity;
  let isPlanned = false;
  const run = () => {
    doneAt = now();
    work();
  };
  return (isLast) => {
    if (isLast || Math.abs(now() - doneAt) >= MIN_PAUSE_MS) return run();
    if (isPlanned) return;
    isPlanned = true;
    later(() => {
      isPlanned = false;
      run();
    }, MIN_PAUSE_MS);
  };
}

/** The waiting work of one kind. */
interface Waiting {
  count: number;
  oldest: Seq | null;
}

type Counted = Pick<Capabilities, "outbox" | "webhooks" | "feed" | "codes" | "expectations" | "sending">;

/**
 * Returns a function that counts the waiting sends and webhooks of a mailbox, its streams and its waiting calls; the function
 * returns null if there are none. Each counted row costs a row read. Therefore every count stops at five, and only one in five
 * minutes goes on to 1,000; between those, a longer queue keeps its last length.
 */
export function activityCounter(now: () => number): (counted: Counted) => Activity | null {
  let longAt = -Infinity;
  let long: { sends: Waiting; deliveries: Waiting } | null = null;
  return ({ outbox, webhooks, feed, codes, expectations, sending }) => {
    const nowMs = now();
    const isLong = Math.abs(nowMs - longAt) >= LONG_PAUSE_MS;
    const limit = isLong ? MAX_LONG : MAX_SHORT;
    const counted = { sends: outbox.waiting(limit), deliveries: webhooks.waiting(limit) };
    if (isLong) [longAt, long] = [nowMs, counted];
    const sends = atLeast(counted.sends, limit, long?.sends);
    const deliveries = atLeast(counted.deliveries, limit, long?.deliveries);
    const streams = feed.listeners.size;
    const waits = feed.waiting + codes.waiting + expectations.waiting + sending.waiting;
    if (sends.count + deliveries.count + streams + waits === 0) return null;
    return {
      sends: sends.count,
      sends_since: sends.oldest === null ? null : seqTime(sends.oldest),
      webhooks: deliveries.count,
      webhooks_since: deliveries.oldest === null ? null : seqTime(deliveries.oldest),
      streams,
      waits,
    };
  };
}

/** The better of two counts: one that stopped at its limit is only a lower bound, so an earlier, higher count is kept. */
function atLeast(now: Waiting, limit: number, last: Waiting | undefined): Waiting {
  if (last === undefined || now.count < limit || last.count <= now.count) return now;
  return { count: last.count, oldest: Math.min(last.oldest ?? Infinity, now.oldest ?? Infinity) };
}
