import { z } from "zod";
import { id, mailbox } from "../parameters.ts";

/** No parameters. */
export const none = z.object({});
/** `?mailbox=`. */
export const named = z.object({ mailbox });
/** `:id` of the path. */
export const byId = z.object({ id });
/** A body that says nothing, or is not there. */
export const emptyBody = z.strictObject({});

/** An answer in JSON. */
export const json = (shape: z.ZodType, about = "Done.") => ({ json: shape, about });
export const deleted = json(z.object({ deleted: z.literal(true) }));
