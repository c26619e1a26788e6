import { oneLine } from "../mime/header-values.ts";

/** RFC 3461 §4.2 allows 500 for ORCPT; a longer address is none: cut, it could equal another. */
const MAX_ADDRESS_CHARS = 500;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** RFC 3461 §4: `+` and two upper-case hex digits for what is not printable ASCII, for `+` and for `=`. */
const XTEXT = /^(?:[\x21-\x2a\x2c-\x3c\x3e-\x7e]|\+[0-9A-F]{2})*$/;

/** The encoding of ENVID and ORCPT as SMTP parameters (RFC 3461 §4), of the UTF-8 bytes. */
export function xtextEncoded(text: string): string {
  return [...new TextEncoder().encode(text)].map(xtextOfByte).join("");
}

function xtextOfByte(byte: number): string {
  const isPlain = byte >= 0x21 && byte <= 0x7e && byte !== 0x2b && byte !== 0x3d;
  return isPlain ? String.fromCharCode(byte) : `+${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/**
 * The text that `value` encodes, or `value` itself. Some servers report ENVID and ORCPT decoded and some as they came, so it
 * counts as encoded only where an encoder could have written it: `ann+AB@example.com` stays, `ann+2Btag@example.com` does not.
 */
export function xtextDecoded(value: string): string {
  if (!value.includes("+") || value.length > 3 * MAX_ADDRESS_CHARS || !XTEXT.test(value)) return value;
  const bytes = value.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  try {
    const decoded = UTF8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    const isText = !/[\p{Cc}\p{Z}]/u.test(decoded);
    return isText && xtextEncoded(decoded) === value ? decoded : value;
  } catch {
    // Bytes that are no UTF-8 were never text in xtext.
    return value;
  }
}

/**
 * The address in a Final-Recipient or Original-Recipient field, `type; address` (RFC 3464 §2.3.1): without type, brackets
 * and source route; as an IDN mailbox where the type is `utf-8` (RFC 6533 §3). Null if there is none or it is too long.
 */
export function genericAddress(value: string): string | null {
  if (value.length > 4 * MAX_ADDRESS_CHARS) return null;
  const match = /^\s*([a-z0-9.-]+)\s*;(.*)$/is.exec(value);
  const type = match?.[1]?.toLowerCase() ?? "rfc822";
  const written = plainAddress(match?.[2] ?? value);
  return written !== null && type === "utf-8" ? plainAddress(unitext(written)) : written;
}

/** An address without angle brackets and source route (RFC 5321 §4.1.1.3); null if empty or too long. */
export function plainAddress(value: string): string | null {
  const bracketed = /<([^<>]*)>/.exec(value.slice(0, 4 * MAX_ADDRESS_CHARS))?.[1];
  const address = oneLine((bracketed ?? value).replace(/^\s*@[^\s:;<>"]+:/, ""), MAX_ADDRESS_CHARS + 1);
  return address === "" || address.length > MAX_ADDRESS_CHARS ? null : address;
}

/** RFC 6533 §3: `\x{E9}` stands for a character where the report had to be ASCII. */
function unitext(text: string): string {
  return text.replace(/\\x\{([0-9A-F]{1,6})\}/gi, (written: string, hex: string) => {
    const code = parseInt(hex, 16);
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : written;
  });
}
