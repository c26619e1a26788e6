import { done, refused, type Outcome } from "./outcome.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** Bits of a character. */
const BITS = 5;
/** Lengths of the last group of eight characters that no bytes have (RFC 4648 §6). */
const IMPOSSIBLE: ReadonlySet<number> = new Set([1, 3, 6]);

/**
 * Reads Base32 (RFC 4648 §6) as people copy it: upper or lower case, in groups with blanks or hyphens, with or without padding.
 * The error is the end of a sentence after the name of the field.
 */
export function readBase32(written: string): Outcome<Uint8Array, string> {
  const text = written.replaceAll(/[\s-]/g, "").toLowerCase().replace(/=+$/, "");
  const wrong = /[^a-z2-7]/u.exec(text);
  if (wrong !== null) {
    const shown = /[\x21-\x7e]/.test(wrong[0]) ? `"${wrong[0]}"` : "such a character";
    return refused(`must be Base32, which has the letters A to Z and the digits 2 to 7, and not ${shown}`);
  }
  if (IMPOSSIBLE.has(text.length % 8))
    return refused("must be whole: Base32 of this length lacks a character, so copy it again");
  const bytes = new Uint8Array(Math.floor((text.length * BITS) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const char of text) {
    held = ((held << BITS) | ALPHABET.indexOf(char)) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (held >> bits) & 0xff;
    at += 1;
  }
  return done(bytes);
}
