import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

/** The mailbox whose mail is copied into this one, and the progress. */
export type TakeoverRow = {
  address: string;
  secret_hash: string;
  /** seq of the last message that was copied; 0 = none. */
  position: Seq;
  messages: number;
  /** When the copy continues, in ms since 1970; null = done. */
  due_at: number | null;
  /** Why the next message could not be copied; null = no problem. */
  problem: string | null;
};

export const INSERT: Query<never, [address: string, secretHash: string, dueAt: number]> = {
  text: "INSERT INTO take_over (id, address, secret_hash, due_at) VALUES (1, ?, ?, ?)",
};
export const READ: Query<TakeoverRow, []> = {
  text: "SELECT address, secret_hash, position, messages, due_at, problem FROM take_over",
};
export const ADVANCE: Query<never, [position: Seq]> = {
  text: "UPDATE take_over SET position = ?, messages = messages + 1, problem = NULL",
};
export const SET_DUE: Query<never, [dueAt: number | null]> = { text: "UPDATE take_over SET due_at = ?" };

export const SET_PROBLEM: Query<never, [problem: string]> = { text: "UPDATE take_over SET problem = ?" };
