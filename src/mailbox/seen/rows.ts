import type { Query } from "../../lib/sql.ts";

/** `state` is a `SeenMail` as JSON. */
export type SeenRow = { state: string };

export const READ: Query<SeenRow, []> = { text: "SELECT state FROM seen_mail" };
export const WRITE: Query<never, [state: string]> = {
  text: "INSERT INTO seen_mail (only, state) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET state = excluded.state",
};
