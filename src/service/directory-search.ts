import {
  cursorAfter,
  DIRECTORY_SHARDS,
  shardName,
  type DirectoryOrder,
  type DirectorySearch,
  type Tally,
} from "../contract/directory.ts";
import type { EntryRow } from "../directory/schema.ts";

/** A page of a search over all mailboxes. */
export interface FoundMailboxes {
  entries: EntryRow[];
  /** The count on all pages together. */
  total: number;
  /** `after` of the next page; null on the last one. */
  next: string | null;
}

/** Searches all shards at once and merges their answers into one order. */
export async function findMailboxes(env: Env, search: DirectorySearch): Promise<FoundMailboxes> {
  const wanted = { ...search, limit: search.limit + 1 };
  const answers = await Promise.all(shards(env).map((directory) => directory.find(wanted)));
  const all = answers.flatMap(({ entries }) => entries).toSorted(byOrder(search.order));
  const entries = all.slice(0, search.limit);
  const last = entries.at(-1);
  return {
    entries,
    total: answers.reduce((sum, { total }) => sum + total, 0),
    next: all.length > search.limit && last !== undefined ? cursorAfter(last) : null,
  };
}

/** The numbers of all shards together. */
export async function tallyMailboxes(env: Env): Promise<Tally> {
  const tallies = await Promise.all(shards(env).map((directory) => directory.tally()));
  const sum = (name: keyof Tally) => tallies.reduce((total, tally) => total + tally[name], 0);
  return {
    total: sum("total"),
    paused: sum("paused"),
    failing: sum("failing"),
    cannotSend: sum("cannotSend"),
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

function byOrder(order: DirectoryOrder): (left: EntryRow, right: EntryRow) => number {
  const sign = order.startsWith("-") ? -1 : 1;
  const isByTime = order.endsWith("created");
  return (left, right) => {
    const time = isByTime ? left.created_at - right.created_at : 0;
    return sign * (time !== 0 ? time : left.address < right.address ? -1 : 1);
  };
}
