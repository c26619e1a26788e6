/** Schemes, each with its colon. */
type Schemes = readonly ("http:" | "https:" | "mailto:")[];

/** Parses a URL of one of these schemes, with `//host` meaning https; null for other schemes and relative URLs. */
export function webAddress(text: string, schemes: Schemes = ["http:", "https:"]): URL | null {
  try {
    const url = new URL(text.trim().replace(/^\/\//, "https://"));
    return schemes.some((scheme) => scheme === url.protocol) ? url : null;
  } catch {
    // Not an absolute URL.
    return null;
  }
}

/** A URL in a text. Punctuation at its end belongs to the sentence around it. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/gi;

/** Splits a text into URLs and the text between them. */
export function* webAddressesIn(text: string): Generator<{ text: string; url: URL | null }> {
  let from = 0;
  for (const { 0: found, index } of text.matchAll(WEB_ADDRESS)) {
    const url = webAddress(found);
    if (url === null) continue;
    if (index > from) yield { text: text.slice(from, index), url: null };
    yield { text: found, url };
    from = index + found.length;
  }
  if (from < text.length) yield { text: text.slice(from), url: null };
}
