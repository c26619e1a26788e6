import { sha256Hex } from "./hash.ts";

/** Hex digits of the seal: a text that is cut or altered meets its own once in 2^40. */
const SEAL_CHARS = 10;

/** A text that tells when it was cut or altered on its way. It is no secret, and anybody can seal another. */
export function sealed(text: string): string {
  return `${text}.${sealOf(text)}`;
}

/** The text that was sealed; null where it is not whole. */
export function unsealed(written: string): string | null {
  const end = written.lastIndexOf(".");
  const text = written.slice(0, Math.max(0, end));
  return end >= 0 && written.slice(end + 1) === sealOf(text) ? text : null;
}

function sealOf(text: string): string {
  return sha256Hex(text).slice(0, SEAL_CHARS);
}
