// Stands for `html-entities.js` of postal-mime in the script that is deployed (`alias` in wrangler.jsonc): a table of 13 KiB,
// compressed, with which postal-mime turns HTML into text. Here `htmlToText` does that (body-parser.ts).

/** No entity. */
export const htmlEntities: Readonly<Record<string, string>> = {};
