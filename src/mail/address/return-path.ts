import { canonicalAddress, trimmedAddress } from "./address.ts";

/** Random bytes that a token takes, one for each of its characters. */
export const TOKEN_BYTES = 20;
/** RFC 4648 §6, in lower case: servers may change the case of a local part, and some do. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
/** The beginning of the tag of a return path, which tells it from tags that the owner of the mailbox has chosen. */
const TAG = "+b.";
/** RFC 5321 §4.5.3.1.1. With the 40 characters of the longest mailbox name, a token of 20 just fits. */
const MAX_LOCAL_PART_OCTETS = 64;
const RETURN_PATH = new RegExp(String.raw`^[^+@]+\+b\.([a-z2-7]{${TOKEN_BYTES}})@`);

/**
 * Mints a token: 100 random bits in base32. A report that names it is believed about the one recipient it was minted for, so
 * its random bytes are used for nothing else.
 *
 * @param random {@link TOKEN_BYTES} bytes from a cryptographic source.
 */
export function mintToken(random: Uint8Array): string {
  if (random.length !== TOKEN_BYTES) throw new RangeError(`A token takes ${TOKEN_BYTES} random bytes`);
  return Array.from(random, (byte) => BASE32.charAt(byte & 31)).join("");
}

/**
 * The return path with a token, `<local>+b.<token>@<domain>`, without brackets. Null where `mailbox` is no address, or its
 * local part is longer than 41 octets and leaves no room for a token (RFC 5321 §4.5.3.1.1): reports about its mail cannot be
 * matched.
 *
 * @param mailbox address of the mailbox that sends; a `+tag` is dropped.
 */
export function returnPathWith(mailbox: string, token: string): string | null {
  const address = canonicalAddress(mailbox);
  if (address === null) return null;
  const at = address.lastIndexOf("@");
  const local = `${address.slice(0, at)}${TAG}${token}`;
  return local.length > MAX_LOCAL_PART_OCTETS ? null : `${local}${address.slice(at)}`;
}

/**
 * The token in an envelope recipient of the form that {@link returnPathWith} gives; null for any other address. Whether the
 * token was ever minted, and by which mailbox, only the mailbox knows.
 */
export function returnPathToken(recipient: string): string | null {
  const address = trimmedAddress(recipient);
  return address === null ? null : (RETURN_PATH.exec(address)?.[1] ?? null);
}
