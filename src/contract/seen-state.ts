// Pages load this file, so it imports no schema library.
import type { SeenChange, SeenMail } from "./seen.ts";

/** The most emails that each list of a state names. */
export const MAX_SEEN_IDS = 500;

/** The state of a mailbox in which nothing was seen yet. */
export const NOTHING_SEEN: SeenMail = { up_to: null, seen: [], unseen: [] };

/** Whether an email is seen. */
export function isSeen({ up_to, seen, unseen }: SeenMail, id: string): boolean {
  return up_to !== null && id <= up_to ? !unseen.includes(id) : seen.includes(id);
}

/**
 * Applies a change: first `up_to`, which makes everything before it seen, then `seen`, then `unseen`. If a list would exceed its
 * limit, its oldest emails leave it: then `up_to` moves on to them, or the oldest that were marked unseen count as seen again.
 */
export function changedSeen(before: SeenMail, change: SeenChange): SeenMail {
  const seen = new Set([...before.seen, ...(change.seen ?? [])]);
  const { up_to: upTo = "" } = change;
  const unseen = new Set(before.unseen.filter((id) => id > upTo));
  for (const id of change.seen ?? []) unseen.delete(id);
  for (const id of change.unseen ?? []) {
    seen.delete(id);
    unseen.add(id);
  }
  return bounded(upTo > (before.up_to ?? "") ? upTo : before.up_to, seen, unseen);
}

function bounded(upTo: string | null, seen: ReadonlySet<string>, unseen: ReadonlySet<string>): SeenMail {
  const isPast = (id: string): boolean => upTo !== null && id <= upTo;
  const later = [...seen].filter((id) => !isPast(id)).toSorted();
  const marked = [...unseen].filter(isPast).toSorted().slice(-MAX_SEEN_IDS);
  const [oldest] = later;
  if (later.length <= MAX_SEEN_IDS || oldest === undefined)
    return { up_to: upTo, seen: later, unseen: marked };
  const over = later[later.length - MAX_SEEN_IDS - 1] ?? oldest;
  return { up_to: over, seen: later.slice(-MAX_SEEN_IDS), unseen: marked };
}
