import { hmacHex, randomHex, sha256Hex } from "../lib/hash.ts";

const KEY = /^mk_([0-9a-f]{32})([0-9a-f]{32})$/;
const LOCATOR_HEX = 32;
const SECRET_BYTES = 16;

/** The name of the object that holds a mailbox: the first 16 bytes of SHA-256 over its canonical address, in hex. */
export function locatorOf(address: string): string {
  return sha256Hex(address).slice(0, LOCATOR_HEX);
}

/** A new secret: 128 random bits in hex. */
export function newSecret(): string {
  return randomHex(SECRET_BYTES);
}

/** A secret derived from `text`, so that an answer can be repeated without storing it. */
export function derivedSecret(deploymentSecret: string, text: string): string {
  return hmacHex(deploymentSecret, text).slice(0, SECRET_BYTES * 2);
}

/** The API key of a mailbox. It contains the locator, which leads to the mailbox. */
export function keyOf(address: string, secret: string): string {
  return `mk_${locatorOf(address)}${secret}`;
}

/** Splits a key into the mailbox's locator and the digest of its secret; null for a text that has not the form of a key. */
export function readKey(key: string): { locator: string; secretHash: string } | null {
  const [, locator, secret] = KEY.exec(key) ?? [];
  return locator === undefined || secret === undefined ? null : { locator, secretHash: secretDigest(secret) };
}

/** The digest of a secret, which is all that a mailbox stores of it. */
export function secretDigest(secret: string): string {
  return sha256Hex(secret);
}
