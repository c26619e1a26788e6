import type { Schema } from "../../lib/schemas.ts";

/** The emails that a person has seen in the viewer: one row of bounded JSON, so that a receipt writes nothing for it. */
export const SEEN: Schema = {
  name: "seen",
  steps: [
    `CREATE TABLE seen_mail (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  state TEXT NOT NULL
);`,
  ],
};
