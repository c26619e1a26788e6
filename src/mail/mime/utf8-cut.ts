const ENCODER = new TextEncoder();
/** The most bytes of UTF-8 for one UTF-16 unit. */
const MAX_BYTES_OF_UNIT = 3;

/** The beginning of `text` that takes at most `maxBytes` in UTF-8, ended between characters. */
export function cutToUtf8(text: string, maxBytes: number): string {
  if (text.length * MAX_BYTES_OF_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** `bytes` without a UTF-8 character that is cut off at their end. */
export function wholeUtf8(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
