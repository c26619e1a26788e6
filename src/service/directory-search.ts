import { DIRECTORY_SHARDS, shardName, type DirectorySearch } from "../contract/directory.ts";
import type { EntryRow } from "../directory/schema.ts";

/** A page of a search over all mailboxes. */
export interface FoundMailboxes {
  /** Sorted by address. */
  entries: EntryRow[];
  /** The count on all pages together. */
  total: number;
  /** The address after which the next page begins; null on the last page. */
  next: string | null;
}

/** Searches all shards at once and merges their answers into one order. */
export async function findMailboxes(env: Env, search: DirectorySearch): Promise<FoundMailboxes> {
  const wanted = { ...search, limit: search.limit + 1 };
  const answers = await Promise.all(shards(env).map((directory) => directory.find(wanted)));
  const all = answers.flatMap(({ entries }) => entries).toSorted(byAddress);
  const entries = all.slice(0, search.limit);
  return {
    entries,
    total: answers.reduce((sum, { total }) => sum + total, 0),
    next: all.length > search.limit ? (entries.at(-1)?.address ?? null) : null,
  };
}

/** The mailboxes with the newest mail that was kept instead of sent. */
export async function mailboxesThatKept(env: Env, limit: number): Promise<EntryRow[]> {
  const answers = await Promise.all(shards(env).map((directory) => directory.newestKept(limit)));
  return answers
    .flat()
    .toSorted((left, right) => (right.kept_at ?? 0) - (left.kept_at ?? 0))
    .slice(0, limit);
}

function shards(env: Env) {
  return Array.from({ length: DIRECTORY_SHARDS }, (_, index) => env.DIRECTORY.getByName(shardName(index)));
}

function byAddress(left: EntryRow, right: EntryRow): number {
  return left.address < right.address ? -1 : 1;
}
