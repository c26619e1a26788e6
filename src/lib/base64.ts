/**
 * The number of bytes that a base64 text decodes to, without decoding it; null if it is no base64 (RFC 4648 §4). Line breaks
 * and missing padding are accepted, because encoders produce both; the URL alphabet is not.
 */
export function base64Bytes(text: string): number | null {
  const [, digits = "", padding = ""] = /^([A-Za-z0-9+/\s]*)(={0,2})\s*$/.exec(text) ?? [];
  if (digits === "" && text.trim() !== "") return null;
  const count = digits.replace(/\s+/g, "").length;
  const isWhole = padding === "" ? count % 4 !== 1 : (count + padding.length) % 4 === 0;
  return isWhole ? Math.floor((count * 3) / 4) : null;
}
