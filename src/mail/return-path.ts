import { canonicalAddress, trimmedAddress } from "./address.ts";

/** Random bytes that a token takes, one for each of its characters. */
export const TOKEN_BYTES = 20;
/** RFC 4648 §6, in lower case: servers may change the case of a local part, and some do. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
/** What tells a return path from a tag the owner of the mailbox has chosen. */
const TAG = "+b.";
/** RFC 5321 §4.5.3.1.1. With the 40 characters of the longest mailbox name, a token of 20 just fits. */
const MAX_LOCAL_PART_OCTETS = 64;
const RETURN_PATH = new RegExp(String.raw`^[^+@]+\+b\.([a-z2-7]{${TOKEN_BYTES}})@`);

/** A return path of our own: reports that come back to it are about the one message it was minted for. */
export interface ReturnPath {
  /** `<local>+b.<token>@<domain>`, without brackets: the MAIL FROM of the message. */
  address: string;
  /** 100 random bits in base32; to be kept with the message. */
  token: string;
}

/**
 * Mints the return path of one message. Null where `mailbox` is no address, or its local part is longer than 41 octets and
 * leaves no room for a token (RFC 5321 §4.5.3.1.1): reports about its mail cannot be matched.
 *
 * @param mailbox address of the mailbox that sends; a `+tag` is dropped.
 * @param random {@link TOKEN_BYTES} bytes from a cryptographic source.
 */
export function mintReturnPath(mailbox: string, random: Uint8Array): ReturnPath | null {
  if (random.length !== TOKEN_BYTES) throw new RangeError(`A token takes ${TOKEN_BYTES} random bytes`);
  const address = canonicalAddress(mailbox);
  if (address === null) return null;
  const at = address.lastIndexOf("@");
  const token = Array.from(random, (byte) => BASE32.charAt(byte & 31)).join("");
  const local = `${address.slice(0, at)}${TAG}${token}`;
  return local.length > MAX_LOCAL_PART_OCTETS ? null : { address: `${local}${address.slice(at)}`, token };
}

/**
 * The token in an envelope recipient of the form that {@link mintReturnPath} gives; null for any other address. Whether the
 * token was ever minted, and by which mailbox, only the mailbox knows.
 */
export function returnPathToken(recipient: string): string | null {
  const address = trimmedAddress(recipient);
  return address === null ? null : (RETURN_PATH.exec(address)?.[1] ?? null);
}
