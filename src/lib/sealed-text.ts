import { sha256Hex } from "./hash.ts";

/** Hex digits of the seal: a text that was cut or altered passes once in 2^40 times. */
const SEAL_CHARS = 10;

/** Appends a checksum that shows when the text was cut or altered. It is no signature: anybody can seal another text. */
export function sealed(text: string): string {
  return `${text}.${sealOf(text)}`;
}

/** The text without its seal; null if it was cut or altered. */
export function unsealed(written: string): string | null {
  const end = written.lastIndexOf(".");
  const text = written.slice(0, Math.max(0, end));
  return end >= 0 && written.slice(end + 1) === sealOf(text) ? text : null;
}

function sealOf(text: string): string {
  return sha256Hex(text).slice(0, SEAL_CHARS);
}
