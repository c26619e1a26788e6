// Stands for `mime-types.js` of nodemailer in the script that is deployed (`alias` in wrangler.jsonc): a table of 19 KiB, compressed,
// from which nodemailer guesses a file's media type by its name. Every file that is sent here has its media type.

/** The media type of a file that nothing is known of. */
export const detectMimeType = (): string => "application/octet-stream";

/** The ending of a file's name that nothing is known of. */
export const detectExtension = (): string => "bin";
