// Stands in the script that is deployed (`alias` in wrangler.jsonc) for modules of Node that nodemailer imports, and that the
// runtime would load at each start: node:dns, node:fs, node:os, node:tls, node:url and node:util. nodemailer uses them to look
// up and connect to a relay, to read attachments from files, and to write a log. It is given a connection, a name for EHLO and
// attachments as bytes here, and no log.

/** No members: a use of one throws a TypeError. */
export default {};
