/** The most bytes of a received message, by whatever transport: the limit of Cloudflare Email Routing. */
export const MAX_MESSAGE_BYTES = 26_214_400;

/** The lifetime of a temporary mailbox and its key. */
export const PROVISIONAL_LIFETIME_MS = 72 * 3_600_000;

/** The most bytes of one attachment that is sent. */
export const MAX_ATTACHMENT_BYTES = 100_000_000;

/** The lifetime of an upload that no message uses. */
export const UPLOAD_LIFETIME_MS = 24 * 3_600_000;

/** How long the address of an erased permanent mailbox cannot be claimed: mail for its former owner may still arrive. */
export const QUARANTINE_MS = 30 * 86_400_000;

/**
 * Recipients of one message that is handed over. RFC 5321 §4.5.3.1.8: a server must take at least 100; more are for the
 * sender's next transaction.
 */
export const MAX_INBOUND_RECIPIENTS = 100;

/** The most bytes (UTF-8) of a message's text, and of its HTML, that are stored decoded. The raw message is stored whole. */
export const MAX_BODY_BYTES = 1_000_000;

/**
 * The most bytes (UTF-8) of an attachment's text for search and display. A longer text is `too_large` and left out as a whole: a
 * part of a table or a log would look complete.
 */
export const MAX_ATTACHMENT_TEXT_BYTES = 100_000;
