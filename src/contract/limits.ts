/** A message at most: what Email Routing lets through, on every way in (bytes). */
export const MAX_MESSAGE_BYTES = 26_214_400;

/** Life of a temporary mailbox and its key (specification, Limits). */
export const PROVISIONAL_LIFETIME_MS = 72 * 3_600_000;

/** One attachment that is sent (specification, Limits; a MB is a power of ten). */
export const MAX_ATTACHMENT_BYTES = 100_000_000;

/** Life of an upload that no message uses (wire contract, part 4). */
export const UPLOAD_LIFETIME_MS = 24 * 3_600_000;

/** How long the address of an erased permanent mailbox cannot be claimed: mail for its owner is still on its way. */
export const QUARANTINE_MS = 30 * 86_400_000;

/**
 * Recipients of one message that is handed over. RFC 5321 §4.5.3.1.8: a server must take at least 100; more are for the
 * sender's next transaction.
 */
export const MAX_INBOUND_RECIPIENTS = 100;

/** Text, and HTML, of a message that is decoded and kept, in bytes of UTF-8 each; the raw message has all. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * Text of one attachment that is read for search and shown, in bytes of UTF-8; a longer one is `too_large`, because a part of
 * a table or a log would pass for the whole.
 */
export const MAX_ATTACHMENT_TEXT_BYTES = 100_000;
