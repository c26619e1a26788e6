import { sha256Hex } from "../lib/hash.ts";

/** A mailbox as it reports itself to the directory. Times are ms since 1970. */
export interface DirectoryReport {
  /** Canonical. */
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused" | "closing";
  created_at: number;
  expires_at: number | null;
}

/** How many objects share the list: each is one thread, and none may become the one everybody waits for. */
export const DIRECTORY_SHARDS = 16;

/** Name of shard `index`, from 0. */
export function shardName(index: number): string {
  return `directory-${index.toString(16)}`;
}

/** Name of the shard that lists an address. */
export function directoryShard(address: string): string {
  return shardName(parseInt(sha256Hex(address).slice(0, 8), 16) % DIRECTORY_SHARDS);
}
