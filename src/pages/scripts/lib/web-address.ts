/** Schemes, each with its colon. */
type Schemes = readonly ("http:" | "https:" | "mailto:")[];

/** An address of one of these schemes, with `//host` meaning https; null for any other, and for one that is relative. */
export function webAddress(text: string, schemes: Schemes = ["http:", "https:"]): URL | null {
  try {
    const url = new URL(text.trim().replace(/^\/\//, "https://"));
    return schemes.some((scheme) => scheme === url.protocol) ? url : null;
  } catch {
    // No URL by itself.
    return null;
  }
}

/** Up to a space or what closes it; punctuation at its end belongs to the sentence around it. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/gi;

/** A text as its pieces: what is an address, and what stands between. */
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
