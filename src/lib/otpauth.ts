import { readBase32 } from "./base32.ts";
import { done, refused, type Outcome } from "./outcome.ts";
import { TOTP_ALGORITHMS, type TotpRule } from "./totp.ts";

/** The defaults of a key URI. */
export const USUAL_RULE: TotpRule = { algorithm: "SHA1", digits: 6, period: 30 };
export const DIGITS = { min: 6, max: 8 } as const;
/** Seconds of a period: 30 everywhere, 60 seldom. */
export const PERIOD = { min: 10, max: 300 } as const;

/** RFC 4226 §4 asks for 128 bits; many services give 80, and none fewer. The longest block of a hash is 128 bytes. */
const SECRET_BYTES = { min: 10, max: 128 } as const;

/** A secret with its rule, and the account that it is for. */
export interface KeyUri extends TotpRule {
  /** `Issuer: account`, or the account alone; "" if the URI names none. */
  label: string;
  secret: Uint8Array;
}

/** Reads a secret in Base32. The error is the end of a sentence after the name of the field. */
export function readTotpSecret(written: string): Outcome<Uint8Array, string> {
  const secret = readBase32(written);
  if (!secret.ok) return secret;
  const { byteLength } = secret.value;
  if (byteLength < SECRET_BYTES.min)
    return refused(
      `must have at least ${SECRET_BYTES.min * 8} bits (16 characters): this one can be guessed, or is cut`,
    );
  return byteLength > SECRET_BYTES.max
    ? refused(`must have at most ${SECRET_BYTES.max} bytes (205 characters)`)
    : secret;
}

/** Reads the URI of a QR code, `otpauth://totp/Issuer:account?secret=…`. The error is the end of a sentence after its name. */
export function readKeyUri(written: string): Outcome<KeyUri, string> {
  const uri = URL.parse(written.trim());
  if (uri?.protocol !== "otpauth:") return refused("must begin with otpauth://totp/");
  if (uri.host.toLowerCase() === "hotp")
    return refused("must be of type totp: codes that count (hotp) cannot be made here");
  if (uri.host.toLowerCase() !== "totp") return refused("must begin with otpauth://totp/");
  for (const name of ["secret", "issuer", "algorithm", "digits", "period"])
    if (uri.searchParams.getAll(name).length > 1) return refused(`must have ${name} once`);
  const secret = secretOf(uri.searchParams);
  if (!secret.ok) return secret;
  const rule = ruleOf(uri.searchParams);
  if (!rule.ok) return rule;
  const label = labelOf(uri);
  return label.ok ? done({ ...rule.value, label: label.value, secret: secret.value }) : label;
}

function secretOf(parameters: URLSearchParams): Outcome<Uint8Array, string> {
  const written = parameters.get("secret") ?? "";
  if (written === "") return refused("must have a secret: otpauth://totp/label?secret=…");
  const secret = readTotpSecret(written);
  return secret.ok ? secret : refused(`has a secret that ${secret.error}`);
}

function ruleOf(parameters: URLSearchParams): Outcome<TotpRule, string> {
  const named = parameters.get("algorithm");
  const plain = (named ?? USUAL_RULE.algorithm).toUpperCase().replaceAll(/^HMAC|-/g, "");
  const algorithm = TOTP_ALGORITHMS.find((known) => known === plain);
  if (algorithm === undefined) return refused(`must have an algorithm of ${TOTP_ALGORITHMS.join(", ")}`);
  const digits = numberIn(parameters.get("digits"), USUAL_RULE.digits, DIGITS);
  if (digits === null) return refused(`must have digits from ${DIGITS.min} to ${DIGITS.max}`);
  const period = numberIn(parameters.get("period"), USUAL_RULE.period, PERIOD);
  if (period === null)
    return refused(`must have a period from ${PERIOD.min} to ${PERIOD.max}, in whole seconds`);
  return done({ algorithm, digits, period });
}

function numberIn(
  text: string | null,
  fallback: number,
  { min, max }: { min: number; max: number },
): number | null {
  if (text === null) return fallback;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

/** `issuer` counts before the issuer in the label, which is there for old programs. */
function labelOf({ pathname, searchParams }: URL): Outcome<string, string> {
  let path: string;
  try {
    path = decodeURIComponent(pathname.slice(1));
  } catch {
    return refused("must have a label in UTF-8, with % escapes that can be read");
  }
  const colon = path.indexOf(":");
  const account = path.slice(colon + 1).trim();
  const issuer = (searchParams.get("issuer") ?? path.slice(0, Math.max(colon, 0))).trim();
  return done([issuer, account].filter((part) => part !== "").join(": "));
}
