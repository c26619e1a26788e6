import * as z from "zod";
import { cursor, id, limit, mailbox } from "../parameters.ts";
import type { JsonSpec } from "../route.ts";

/** A page of a listing of a mailbox. */
export const page = z.object({ mailbox, limit, cursor });
/** `:id` of the path. */
export const byId = z.object({ id });
/** `?id=`. */
export const idInQuery = z.object({ mailbox, id });
/** A body that says nothing, or is not there. */
export const emptyBody = z.strictObject({});
/** The most characters of the reason of a pause or a halt: people read it. */
export const MAX_REASON_CHARS = 500;
/** Why a mailbox is paused, or all sending is halted. */
export const PauseBody = z.strictObject({
  reason: z
    .string()
    .max(MAX_REASON_CHARS, `must be at most ${MAX_REASON_CHARS} characters`)
    .nullish()
    .meta({ examples: ["On holiday"] }),
});

/** The most bytes of a body that needs no key: its longest member is a token of 2 kB. */
const MAX_PUBLIC_BYTES = 16_384;
/** The limit of a body that is read before its caller is known. */
export const publicBody = {
  bytes: MAX_PUBLIC_BYTES,
  error: `Request body too large (max ${MAX_PUBLIC_BYTES} bytes)`,
};

/** A message for the API reference. */
export const MESSAGE =
  "From: ann@example.com\r\nTo: agent@mail.example\r\nSubject: Your order 1234\r\n\r\nIt has shipped.\r\n";

/** A response in JSON. */
export function json<Shape extends z.ZodType>(shape: Shape, about = "Done."): JsonSpec<Shape> {
  return { json: shape, about };
}
export const deleted = json(z.object({ deleted: z.literal(true) }));
