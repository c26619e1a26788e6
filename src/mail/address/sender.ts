import { canonicalDomain, recipientAddress } from "./address.ts";

/** Senders of one mail that are judged. A mail has one (RFC 5322 §3.6.2 allows more); of a longer list the rest counts as unknown. */
export const MAX_SENDERS = 10;

/** A sender as rules compare it. */
export interface Sender {
  /** In canonical form; null for a text that is no address. */
  address: string | null;
  /** Lower case, in A-labels; null for a text that has none. */
  domain: string | null;
}

/**
 * The canonical form of somebody else's address: ASCII letters in lower case, the domain in A-labels, tags kept, needless
 * quotes gone. Letters that only look like ASCII stay what they are. Null for anything else.
 */
export function senderAddress(written: string): string | null {
  const at = written.lastIndexOf("@");
  // Unicode's NFC turns the Kelvin sign into an ASCII K, which would make two addresses equal.
  if (becomesAscii(written.slice(0, Math.max(at, 0)))) return null;
  return recipientAddress(written.trim())?.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ?? null;
}

/** Reads a sender, as far as it can be read. */
export function senderOf(written: string): Sender {
  const address = senderAddress(written);
  const domain = canonicalDomain(written.slice(written.lastIndexOf("@") + 1));
  return { address, domain: written.includes("@") ? domain : null };
}

function becomesAscii(local: string): boolean {
  const others = local.match(/[^\p{ASCII}]/gu) ?? [];
  return others.some((char) => /^\p{ASCII}+$/u.test(char.normalize("NFC")));
}
