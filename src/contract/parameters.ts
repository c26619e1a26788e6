import * as z from "zod";

/** Items on a page when the client names no number. */
export const DEFAULT_PAGE_SIZE = 20;
/** Items on a page at most; a larger `limit` is clamped. */
export const MAX_PAGE_SIZE = 100;
/** The farthest `offset`: beyond it a cursor is the way. */
const MAX_OFFSET = 100_000;
/** Characters of a search; more is refused before it costs anything. */
export const MAX_QUERY_CHARS = 10_240;
/** Characters of one substring filter. */
const MAX_FILTER_CHARS = 320;

/** A whole number in a query string. Over `max` it is clamped, below `min` or not a number it is refused. */
export function integer(options: { min: number; max: number; fallback: number; about: string }) {
  const { min, max, fallback, about } = options;
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === "") return fallback;
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (Number.isNaN(value) || value < min) {
        context.addIssue({ code: "custom", message: `must be a whole number of at least ${min}` });
        return z.NEVER;
      }
      return Math.min(value, max);
    })
    .meta({ type: "integer", minimum: min, maximum: max, default: fallback, description: about });
}

/** `true` or `1`, `false` or `0`; null when not given. */
export function flag(about: string) {
  return z
    .enum(["true", "false", "1", "0", ""])
    .optional()
    .transform((text) => (text === undefined || text === "" ? null : text === "true" || text === "1"))
    .meta({ type: "boolean", description: about });
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** An ISO 8601 instant or date as ms since 1970; without an offset it is UTC; null when not given. */
export function instant(about: string) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === "") return null;
      const zoned = /T/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
      const ms = ISO_INSTANT.test(text) ? Date.parse(zoned) : Number.NaN;
      if (Number.isNaN(ms)) {
        context.addIssue({
          code: "custom",
          message: "must be an ISO 8601 time such as 2026-11-21T08:30:00.000Z",
        });
        return z.NEVER;
      }
      return ms;
    })
    .meta({ type: "string", format: "date-time", description: about });
}

/** A short text; null when not given or empty. */
export function text(about: string, maxChars = MAX_FILTER_CHARS) {
  return z
    .string()
    .max(maxChars, `must be at most ${maxChars} characters`)
    .optional()
    .transform((value) => (value === undefined || value === "" ? null : value))
    .meta({ type: "string", maxLength: maxChars, description: about });
}

export const limit = integer({
  min: 1,
  max: MAX_PAGE_SIZE,
  fallback: DEFAULT_PAGE_SIZE,
  about: "Items on the page; clamped to 100.",
});

export const offset = integer({
  min: 0,
  max: MAX_OFFSET,
  fallback: 0,
  about: "Items to skip. `cursor` is better: it stays right while mail arrives.",
});

export const cursor = text("Opaque: `next_cursor` of the page before.", 512);

/** What is wrong with a cursor that no page gave. */
export const NO_CURSOR = "must be a next_cursor of this listing, whole; without one it begins again";

/** Names the mailbox an operator acts on; a mailbox key may only repeat its own. */
export const mailbox = text("The mailbox to act on; needed with the operator key, own mailbox otherwise.");

/** An id; which ones exist only the mailbox can tell. */
export const id = z.string().min(1, "is required").max(64, "must be at most 64 characters");

const MAX_LABEL_CHARS = 64;

/** A label of emails. */
export const label = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(MAX_LABEL_CHARS, `must be at most ${MAX_LABEL_CHARS} characters`)
  .regex(/^[^\p{C}]+$/u, "must not hold control characters");
