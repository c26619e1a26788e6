import * as z from "zod";
import { Arc, Signature } from "./message.ts";

/** The request header by which the SMTP listener says who sent a message. */
export const SENDER_CHECK_HEADER = "Mailkeep-Sender-Check";
/** Its value where the listener checked nothing. */
export const NOT_CHECKED = "unchecked";
/** Characters of its value: ten signatures with names of full length fit. */
export const MAX_SENDER_CHECK_CHARS = 16_384;
/** Signatures that are named. */
const MAX_SIGNATURES = 10;
/** A domain in A-labels, or a selector: RFC 1035 §2.3.4. */
const MAX_NAME_CHARS = 253;
/** Words such as `rsa-sha256`. */
const MAX_WORD_CHARS = 40;
/** Of an RSA key: a longer one is not used. */
const MAX_KEY_BITS = 65_536;

const MethodResult = z.enum([
  "pass",
  "fail",
  "softfail",
  "neutral",
  "none",
  "temperror",
  "permerror",
  "policy",
]);

const name = z.string().max(MAX_NAME_CHARS);
const word = z.string().max(MAX_WORD_CHARS);

/** The findings of the SMTP listener about the sender of a message. None of them is what the mail says of itself. */
export const CheckedSender = z.strictObject({
  /** Null where the message has no author, several, or an unreadable one. */
  from_domain: name.nullable(),
  spf: MethodResult,
  dmarc: MethodResult,
  /** Whether aligned SPF is enough for DMARC to pass. */
  dmarc_by_spf: z.boolean(),
  signatures: z
    .array(
      z.strictObject({
        ...Signature.shape,
        domain: name,
        selector: name,
        algorithm: word,
        bits: z.int().min(0).max(MAX_KEY_BITS).nullable(),
        result: MethodResult,
      }),
    )
    .max(MAX_SIGNATURES),
  arc: z.strictObject({ ...Arc.shape, result: word, domain: name.nullable() }).nullable(),
});
export type CheckedSender = z.infer<typeof CheckedSender>;

/**
 * The value of the header: JSON in ASCII, because header fields hold no more. `unchecked` for findings that `readCheckedSender` would
 * not take, so that no mail is refused because of them.
 */
export function writeCheckedSender(checked: CheckedSender | null): string {
  if (checked === null) return NOT_CHECKED;
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const written = JSON.stringify(checked).replace(/[^\x20-\x7e]/g, escaped);
  return readCheckedSender(written) === undefined ? NOT_CHECKED : written;
}

/**
 * Reads the header: `unchecked` for a message that the listener did not check, null where there is no such header, undefined
 * where it is not what `writeCheckedSender` writes.
 */
export function readCheckedSender(value: string | null): CheckedSender | "unchecked" | null | undefined {
  if (value === null) return null;
  if (value === NOT_CHECKED) return "unchecked";
  if (value.length > MAX_SENDER_CHECK_CHARS) return undefined;
  const read = CheckedSender.safeParse(parsed(value));
  return read.success ? read.data : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON.
    return undefined;
  }
}
