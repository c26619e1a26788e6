import { sha256Hex } from "../lib/hash.ts";
import { conflict, type Problem } from "./problem.ts";

/** The state of a mailbox, as it reports it to the directory. Times are ms since 1970. */
export interface DirectoryReport {
  /** Canonical. */
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused" | "closing";
  created_at: number;
  expires_at: number | null;
  /** Whether a URL of its webhooks failed ten times in a row. A mailbox of an earlier release does not say. */
  webhooks_failed?: boolean;
  /** When the newest message was sent that the deployment kept instead of sending (`OUTBOUND=local`); null = none. */
  kept_at?: number | null;
  /** Whether the relay refused this deployment, or could not be reached, and has taken no message since. */
  cannot_send?: boolean;
}

/**
 * The state of an address. `listed`: a mailbox has it. `retired`: a temporary mailbox had it, and it is never given out again.
 * `quarantined`: a permanent mailbox had it, and until `until` (ms since 1970) only the operator may create a mailbox with it.
 */
export type Standing =
  | { kind: "free" }
  | { kind: "listed" }
  | { kind: "retired" }
  | { kind: "quarantined"; until: number };

/** Why an address cannot be given to a new mailbox; null if it can. For a listed address its mailbox decides, so null too. */
export function standingFault(
  address: string,
  standing: Standing,
  { evenIfQuarantined }: { evenIfQuarantined: boolean },
): Problem | null {
  if (standing.kind === "retired") {
    return conflict(
      `${address} was a temporary mailbox and is never given out again; choose another name`,
      ANOTHER_NAME,
    );
  }
  if (standing.kind !== "quarantined" || evenIfQuarantined) return null;
  const day = new Date(standing.until).toISOString().slice(0, 10);
  return conflict(`${address} was erased, and cannot be claimed before ${day}`, ANOTHER_NAME);
}

const ANOTHER_NAME = "Repeat the call with another name.";

/** Which mailboxes the operator looks for. */
export interface DirectorySearch {
  /** A part of the name, in lower case; with an @, of the whole address. "" = any. */
  text: string;
  /**
   * `failing`: a webhook of theirs failed. `kept`: they have mail that was kept instead of sent. `cannot-send`: the relay takes
   * nothing of theirs. Null = any.
   */
  only: "active" | "paused" | "failing" | "kept" | "cannot-send" | null;
  order: DirectoryOrder;
  /** `cursorAfter` of the last entry of the page before; "" for the first page. */
  after: string;
  limit: number;
}

/** The orders for which the directory has an index; with `-`, the last comes first. */
export const DIRECTORY_ORDERS = ["address", "-address", "created", "-created"] as const;
export type DirectoryOrder = (typeof DIRECTORY_ORDERS)[number];

/** The columns by which mailboxes are sorted. */
type Position = Pick<DirectoryReport, "address" | "created_at">;

/** The cursor of the page that follows this entry; `positionOf` reads it. */
export function cursorAfter({ created_at, address }: Position): string {
  return `${created_at} ${address}`;
}

/** The entry after which a page begins; without a cursor, one that comes before all others. */
export function positionOf(cursor: string, order: DirectoryOrder): Position {
  const [, created, address] = /^(\d{1,15}) (.+)$/.exec(cursor) ?? [];
  if (created !== undefined && address !== undefined) return { created_at: Number(created), address };
  return order.startsWith("-")
    ? { created_at: Number.MAX_SAFE_INTEGER, address: "\u{10FFFF}" }
    : { created_at: -1, address: "" };
}

/** Counts of mailboxes. */
export interface Tally {
  total: number;
  paused: number;
  /** With a webhook that failed. */
  failing: number;
  /** Whose mail the relay does not take. */
  cannotSend: number;
}

/** The number of objects that share the list, because each is one thread and must not become a bottleneck. */
export const DIRECTORY_SHARDS = 16;

/** Name of shard `index`, from 0. */
export function shardName(index: number): string {
  return `directory-${index.toString(16)}`;
}

/** Name of the shard that lists an address. */
export function directoryShard(address: string): string {
  return shardName(parseInt(sha256Hex(address).slice(0, 8), 16) % DIRECTORY_SHARDS);
}
