// Stands for `fetch/index.js` of nodemailer in the script that is deployed (`alias` in wrangler.jsonc): a client with which nodemailer
// fetches attachments that are given as URLs. Attachments are given as bytes here, and a mail must never make the service ask a URL.

/** Refuses to fetch. */
export default function fetchAttachment(): never {
  throw new Error("An attachment was given as a URL; attachments are sent as bytes");
}
