import type { Schema } from "../../lib/schemas.ts";

/** The log of events. */
export const LOG: Schema = {
  name: "log",
  steps: [
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);",
  ],
};
