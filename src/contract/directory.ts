import { sha256Hex } from "../lib/hash.ts";
import { conflict, type Problem } from "./problem.ts";

/** A mailbox as it reports itself to the directory. Times are ms since 1970. */
export interface DirectoryReport {
  /** Canonical. */
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused" | "closing";
  created_at: number;
  expires_at: number | null;
  /** Whether a URL of its webhooks failed ten times in a row. A mailbox of an earlier release does not say. */
  webhooks_failed?: boolean;
  /** When it sent the newest message that was kept here instead (`OUTBOUND=local`); null = there is none. */
  kept_at?: number | null;
  /** Whether the relay refused this deployment, or could not be reached, and has taken no message since. */
  cannot_send?: boolean;
}

/**
 * How an address stands. `retired`: it was a temporary mailbox's, and is never given out again. `quarantined`: it was a
 * permanent mailbox's, and before `until` (ms since 1970) the operator alone may make it anew. `listed`: it is a mailbox's.
 */
export type Standing =
  | { kind: "free" }
  | { kind: "listed" }
  | { kind: "retired" }
  | { kind: "quarantined"; until: number };

/** Why an address cannot be given out; null if it can. An address that is listed may be: its mailbox itself says no. */
export function standingFault(
  address: string,
  standing: Standing,
  { evenIfQuarantined }: { evenIfQuarantined: boolean },
): Problem | null {
  if (standing.kind === "retired") {
    return conflict(`${address} was a temporary mailbox and is never given out again; choose another name`);
  }
  if (standing.kind !== "quarantined" || evenIfQuarantined) return null;
  const day = new Date(standing.until).toISOString().slice(0, 10);
  return conflict(`${address} was erased, and cannot be claimed before ${day}`);
}

/** Which mailboxes the operator looks for. */
export interface DirectorySearch {
  /** A part of the name, in lower case; with an @, of the whole address. "" = any. */
  text: string;
  /**
   * `failing`: a webhook of theirs failed. `kept`: they have mail that was kept instead of sent. `cannot-send`: the relay takes
   * nothing of theirs. Null = any.
   */
  only: "active" | "paused" | "failing" | "kept" | "cannot-send" | null;
  /** The address that the page before ended with; "" for the first. */
  after: string;
  limit: number;
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
