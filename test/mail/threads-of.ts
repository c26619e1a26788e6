import { threadFor } from "../../src/mail/threading.ts";

/** The ids of one message, as threading reads them. */
export interface ThreadedIds {
  ownId: string | null;
  ancestorIds: readonly string[];
}

/** `threadFor` over messages in order of arrival: the positions of each thread's messages, threads by first message. */
export function thread(messages: readonly ThreadedIds[]): number[][] {
  const threadOf = new Map<string, string>();
  const stored = new Set<string>();
  const members = new Map<string, number[]>();
  for (const [position, { ownId, ancestorIds }] of messages.entries()) {
    const unique = ownId !== null && !stored.has(ownId) ? ownId : null;
    const fresh = String(position).padStart(10, "0");
    const { threadId, learn, merge } = threadFor(ancestorIds, unique, threadOf, fresh);
    for (const id of learn) threadOf.set(id, threadId);
    for (const [id, thread] of threadOf) if (merge.includes(thread)) threadOf.set(id, threadId);
    const moved = merge.flatMap((ended) => members.get(ended) ?? []);
    for (const ended of merge) members.delete(ended);
    members.set(threadId, [...(members.get(threadId) ?? []), ...moved, position]);
    if (unique !== null) stored.add(unique);
  }
  const threads = [...members.values()].map((positions) => positions.toSorted((a, b) => a - b));
  return threads.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}
