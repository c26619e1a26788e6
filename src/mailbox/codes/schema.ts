import type { Schema } from "../../lib/schemas.ts";

/** Indexes for the newest codes and links that were not handed out. Their columns belong to `message`. A small mailbox lacks them. */
export const CODES: Schema = {
  name: "codes",
  steps: [
    `CREATE INDEX message_code ON message (seq) WHERE code IS NOT NULL AND code_taken_at IS NULL;
CREATE INDEX message_link ON message (seq) WHERE link IS NOT NULL AND code_taken_at IS NULL;`,
  ],
};
