/**
 * Ids a message may refer to: the root and the nearest ones count, those between are left out.
 * RFC 5322 §3.6.4 sets no bound; a References field can name 5,000, and each id known is a row.
 */
export const MAX_ANCESTORS = 100;

/** RFC 5322 §2.1.1: an id has no folding white space within, so it fits one line of 998 characters. */
const MAX_ID_CHARS = 998;

/** Where a message belongs, and what the mailbox has to note for it. */
export interface ThreadDecision {
  threadId: string;
  /** Ids to record as belonging to `threadId`: the message's own and those it refers to, as far as not known yet. */
  learn: string[];
  /** Threads that end: all their messages and known ids move to `threadId`. */
  merge: string[];
}

function isId(id: string): boolean {
  return id.length <= MAX_ID_CHARS && /[^<>\s]/.test(id);
}

function boundedAncestors(ancestorIds: readonly string[], ownId: string | null): string[] {
  const ids = [...new Set(ancestorIds)].filter((id) => isId(id) && id !== ownId);
  return ids.length <= MAX_ANCESTORS ? ids : [...ids.slice(0, 1), ...ids.slice(1 - MAX_ANCESTORS)];
}

/**
 * The thread of a message, by Message-IDs alone (RFC 5256 REFERENCES and JWZ without their subject step): it joins the
 * thread in which its own id or an id it refers to is known. An id counts as known once any message refers to it, so
 * two replies to a message that never came are one thread, and a late parent joins the thread of its replies. A message
 * that knows several threads merges them; the smallest thread id survives, which with time-ordered ids is the oldest:
 * whatever the order of arrival, and whoever wrote the message, the same thread keeps its id.
 *
 * Parents are not recorded, so a cycle is just one thread, and no later message takes a thread apart.
 *
 * @param ancestorIds nearest ancestor last; ids without content (`<>`), over-long ids, repeats and `ownId` are passed over.
 * @param ownId null if the message has no Message-ID, or if another stored message bears the same one: a repeated id
 *   counts as none (RFC 5256 §3 step 1), so that nobody enters a thread by copying an id of it.
 * @param threadOf the thread of every id the mailbox knows, at least of those given here.
 * @param fresh the id of the new thread if none is joined.
 */
export function threadFor(
  ancestorIds: readonly string[],
  ownId: string | null,
  threadOf: ReadonlyMap<string, string>,
  fresh: string,
): ThreadDecision {
  const ancestors = boundedAncestors(ancestorIds, ownId);
  const ids = ownId !== null && isId(ownId) ? [...ancestors, ownId] : ancestors;
  const known = new Set(ids.map((id) => threadOf.get(id)).filter((thread) => thread !== undefined));
  const [threadId = fresh, ...merge] = [...known].toSorted((a, b) => (a < b ? -1 : 1));
  return { threadId, learn: ids.filter((id) => !threadOf.has(id)), merge };
}
