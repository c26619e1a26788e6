import * as z from "zod";

/** An id of an email, a thread or an attachment. The route that it goes to says what is wrong with it. */
export const id = z.string();

/** A part of the sender's address or name. */
export const from = z.string().optional().meta({ description: "Part of the sender's address or name" });

/** A whole number of at least 1, clamped to `max`. */
function count(max: number, fallback: number) {
  return z
    .number()
    .min(1, "must be at least 1")
    .optional()
    .transform((value) => Math.min(Math.floor(value ?? fallback), max))
    .meta({ type: "integer", minimum: 1, maximum: max, default: fallback });
}

/** Items of a list. */
export const limit = count(50, 10);

/** The most seconds that a tool waits. */
export const MAX_WAIT_SECONDS = 300;
export const DEFAULT_WAIT_SECONDS = 60;
export const timeoutSeconds = count(MAX_WAIT_SECONDS, DEFAULT_WAIT_SECONDS);

/** The most tokens of one answer's text. */
const MAX_BUDGET = 20_000;
/** The most tokens of a text, by the estimate of `lib/token-estimate.ts`. */
export const budget = (fallback: number) => count(MAX_BUDGET, fallback);

/** A place in the log of a mailbox. */
export const cursor = z.number().optional().meta({ type: "integer" });
