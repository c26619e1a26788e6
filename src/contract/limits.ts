/** A message at most: what Email Routing lets through, on every way in (bytes). */
export const MAX_MESSAGE_BYTES = 26_214_400;

/** Life of a temporary mailbox and its key (specification, Limits). */
export const PROVISIONAL_LIFETIME_MS = 72 * 3_600_000;
