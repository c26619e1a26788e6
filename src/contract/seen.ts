import * as z from "zod";
import { readUpTo } from "./bounded-list.ts";
import { id } from "./parameters.ts";

/** The most ids of one call. */
const MAX_IDS_PER_CALL = 100;

const UP_TO =
  "Every email up to this one counts as seen, except those in `unseen`. Ids sort by the time of receipt.";
const ids = readUpTo(
  MAX_IDS_PER_CALL,
  z.array(id).max(MAX_IDS_PER_CALL, `must name at most ${MAX_IDS_PER_CALL} emails`),
);

/**
 * The emails that a person has seen in the viewer: all up to `up_to` but a few, and a few later ones. Most unseen mail is new, so both
 * lists are short.
 */
export const SeenMail = z
  .object({
    up_to: z.string().nullable().meta({ description: UP_TO }),
    seen: z.array(z.string()).meta({ description: "Later emails that are seen." }),
    unseen: z.array(z.string()).meta({ description: "Emails up to `up_to` that are not seen." }),
  })
  .meta({ id: "SeenMail" });
export type SeenMail = z.infer<typeof SeenMail>;

/** Marks emails as seen or unseen. `up_to` only moves forward, so that calls may arrive in any order. */
export const SeenChange = z.strictObject({
  up_to: id.optional().meta({ description: UP_TO }),
  seen: ids.optional(),
  unseen: ids.optional(),
});
export type SeenChange = z.output<typeof SeenChange>;
