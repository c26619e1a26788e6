/**
 * A few hundred bytes as characters of the same numbers (ISO 8859-1): names and tokens that are ASCII where they are
 * anything. For so few, the platform's decoder costs several times as much.
 */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
