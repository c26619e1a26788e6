import { createHash, verify } from "node:crypto";
import { canonicalField, withoutSignature, type RawField } from "./header-fields.ts";
import { isKey, type DkimKey, type NoKey } from "./key-record.ts";
import type { SignatureResult } from "./findings.ts";
import type { Signature } from "./signature.ts";

/** Clocks of honest signers run ahead by at most this, in seconds. */
const MAX_CLOCK_SKEW = 3_600;

/** The result of verifying a signature. */
export interface Verified {
  result: SignatureResult;
  /** Why it is no pass; "" for a pass. */
  reason: string;
}

/** The message, key and time that a signature is held against. */
export interface Evidence {
  /** All fields of the message, top first. */
  fields: readonly RawField[];
  /** Hash and length of the body in the canonical form that the signature names. */
  body: { digest: Buffer; length: number };
  key: DkimKey | NoKey;
  /** Seconds since 1970. */
  now: number;
}

/** Verifies a signature (RFC 6376 §6.1, RFC 8301, RFC 8463). */
export function verifySignature(signature: Signature, evidence: Evidence): Verified {
  const failed = timeFault(signature, evidence.now) ?? bodyFault(signature, evidence.body);
  if (failed !== null) return { result: "fail", reason: failed };
  const { key } = evidence;
  if (!isKey(key)) return { result: key.result, reason: key.reason };
  if (key.isStrict && signature.identityDomain !== signature.domain) {
    return { result: "permerror", reason: "the key allows no subdomain in i=" };
  }
  const input = signedHeader(signature, evidence.fields);
  return isSignedBy(key, input, signature)
    ? { result: "pass", reason: "" }
    : { result: "fail", reason: "the signature does not fit the signed fields" };
}

/** Whether `signature` is that of `input` (a character for each byte) by a key of its algorithm. Never throws. */
export function isSignedBy(
  { key }: DkimKey,
  input: string,
  { algorithm, value }: Pick<Signature, "algorithm" | "value">,
): boolean {
  const bytes = Buffer.from(input, "latin1");
  try {
    // RFC 8463 §3: Ed25519 signs the SHA-256 of the input.
    return algorithm === "rsa-sha256"
      ? verify("sha256", bytes, key, value)
      : verify(null, createHash("sha256").update(bytes).digest(), key, value);
  } catch {
    return false;
  }
}

function timeFault({ signedAt, expiresAt }: Signature, now: number): string | null {
  if (expiresAt !== null && now > expiresAt) return "it has expired";
  return signedAt !== null && signedAt > now + MAX_CLOCK_SKEW ? "it was signed in the future" : null;
}

/**
 * `l=` lets anybody add to the body what the signer never saw, so a body that is longer than what was signed counts as changed
 * (RFC 6376 §8.2).
 */
function bodyFault({ bodyHash, bodyLength }: Signature, body: Evidence["body"]): string | null {
  if (bodyLength !== null && body.length > bodyLength) return "the body is longer than what was signed";
  if (bodyLength !== null && body.length < bodyLength) return "the body is shorter than what was signed";
  return body.digest.equals(bodyHash) ? null : "the body was changed";
}

/** The bytes that a signature signs (RFC 6376 §3.7): of fields with one name the lowest first, each once. */
function signedHeader({ field: own, signed, header }: Signature, fields: readonly RawField[]): string {
  const left = new Map<string, RawField[]>();
  const wanted = new Set(signed);
  for (const field of fields) {
    if (field === own || !wanted.has(field.name)) continue;
    const same = left.get(field.name);
    if (same === undefined) left.set(field.name, [field]);
    else same.push(field);
  }
  const lines = signed.flatMap((name) => left.get(name)?.pop() ?? []);
  return [
    ...lines.map((field) => canonicalField(field, header)),
    canonicalField(withoutSignature(own), header),
  ].join("\r\n");
}
