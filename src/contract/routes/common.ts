import * as z from "zod";
import { id, mailbox } from "../parameters.ts";

/** No parameters. */
export const none = z.object({});
/** `?mailbox=`. */
export const named = z.object({ mailbox });
/** `:id` of the path. */
export const byId = z.object({ id });
/** A body that says nothing, or is not there. */
export const emptyBody = z.strictObject({});

/** Bytes of a body that anybody may send, with no key: the longest member is a token of 2 kB. */
const MAX_PUBLIC_BYTES = 16_384;
/** The limit of a body that is read before anybody is known. */
export const publicBody = {
  bytes: MAX_PUBLIC_BYTES,
  error: `Request body too large (max ${MAX_PUBLIC_BYTES} bytes)`,
};

/** An answer in JSON. */
export const json = (shape: z.ZodType, about = "Done.") => ({ json: shape, about });
export const deleted = json(z.object({ deleted: z.literal(true) }));
