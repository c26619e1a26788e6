/**
 * A few hundred bytes as characters of the same numbers (ISO 8859-1): names and tokens that are ASCII where they are
 * anything. Spread out as arguments, they would be iterated over, which takes five times as long.
 */
export function latin1(bytes: Uint8Array): string {
  return String(Reflect.apply(String.fromCharCode, null, bytes));
}
