/** Two lower-case digits for each byte. By a table: the runtime's `toString(16)` takes many times as long. */
const BYTE_HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The low 16 bits of a number as four lower-case digits. */
export function hex16(number: number): string {
  return `${BYTE_HEX[(number >>> 8) & 0xff] ?? ""}${BYTE_HEX[number & 0xff] ?? ""}`;
}
