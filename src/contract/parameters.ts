import * as z from "zod";

/** Without control characters. Written without \p{Cc}, which some validators of OpenAPI read as letters. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
export const NO_CONTROLS = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** Items on a page if the client does not set `limit`. */
export const DEFAULT_PAGE_SIZE = 20;
/** The most items on a page; a larger `limit` is clamped. */
export const MAX_PAGE_SIZE = 100;
/** The largest `offset`; beyond it use a cursor. */
const MAX_OFFSET = 100_000;
/** The most characters of a search. */
export const MAX_QUERY_CHARS = 10_240;
/** The most characters of one substring filter. */
const MAX_FILTER_CHARS = 320;

/** A whole number in a query string. It is clamped to `max`, and refused below `min`. */
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
    .meta({
      type: "integer",
      minimum: min,
      maximum: max,
      default: fallback,
      example: fallback,
      description: about,
    });
}

/** A decimal number from 0 to 1 in a query string, clamped to `min`; refused otherwise. */
export function share(options: { min: number; fallback: number; about: string }) {
  const { min, fallback, about } = options;
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === "") return fallback;
      const value = /^(?:\d{1,3}(?:\.\d{0,15})?|\.\d{1,15})$/.test(text) ? Number(text) : Number.NaN;
      if (Number.isNaN(value) || value > 1) {
        context.addIssue({ code: "custom", message: "must be a number from 0 to 1, such as 0.9" });
        return z.NEVER;
      }
      return Math.max(value, min);
    })
    .meta({ type: "number", minimum: 0, maximum: 1, default: fallback, description: about });
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
  about: "Items to skip. A `cursor` is better: it skips and repeats nothing while mail arrives.",
});

export const cursor = text("Opaque: `next_cursor` of the page before.", 512);

/** The rule that an unknown cursor breaks. */
export const NO_CURSOR = "must be a next_cursor of this listing, whole; without one it begins again";

/** The mailbox that an operator acts on; with the key of a mailbox it may only be that mailbox. */
export const mailbox = text("The mailbox to act on; needed with the operator key, own mailbox otherwise.");

/** No parameters. */
export const none = z.object({});
/** `?mailbox=`. */
export const named = z.object({ mailbox });

/** An id. */
export const id = z.string().min(1, "is required").max(64, "must be at most 64 characters");

const MAX_LABEL_CHARS = 64;

/** A label of emails. */
export const label = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(MAX_LABEL_CHARS, `must be at most ${MAX_LABEL_CHARS} characters`)
  .regex(/^[^\p{C}]+$/u, "must not hold control characters");
