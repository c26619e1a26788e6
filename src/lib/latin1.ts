/**
 * Decodes a few hundred bytes as ISO 8859-1: names and tokens, which are ASCII if they are valid. `apply` is five times faster
 * than spreading the bytes as arguments, which iterates over them.
 */
export function latin1(bytes: Uint8Array): string {
  return String(Reflect.apply(String.fromCharCode, null, bytes));
}
