/** RFC 5321 §4.5.3.1.3 allows 256 octets for a path, its angle brackets included. */
const MAX_PATH_OCTETS = 254;
/** RFC 5321 §4.1.2, Dot-string and Quoted-string, with the UTF-8 of RFC 6531 §3.3. */
const DOT_STRING = /^[^\s\p{Cc}\p{Cs}"(),:;<>@[\\\]]+$/u;
const QUOTED_STRING = /^"(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}"\\<>]|\\[\x20-\x3b\x3d\x3f-\x7e])*"$/u;
/** A-labels, or an address literal. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[a-z0-9.:]+\])$/i;

/**
 * Whether a text is one address between the angle brackets of MAIL FROM and RCPT TO, and nothing else: it contains no line
 * end, no bracket, and no space outside quotes.
 */
export function isPath(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || new TextEncoder().encode(text).byteLength > MAX_PATH_OCTETS) return false;
  const local = text.slice(0, at);
  return (DOT_STRING.test(local) || QUOTED_STRING.test(local)) && DOMAIN.test(text.slice(at + 1));
}

/** Whether a text is printable ASCII. An address that is not may be sent only if the relay offers SMTPUTF8 (RFC 6531 §3.3). */
export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Whether a text may be an ENVID (RFC 3461 §4.4): printable, at most 100 characters. */
export function isEnvelopeId(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}
