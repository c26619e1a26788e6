// Stands for `intrinsic-element/components.js` of Hono in the script that is deployed (`alias` in wrangler.jsonc): it moves `<title>`,
// `<meta>` and the like from the body into the head, as React does. Every page here writes its own head.

/** The elements that Hono renders in a special way: none. */
export const components_exports = {};
