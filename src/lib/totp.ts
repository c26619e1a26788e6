/** The hash functions of RFC 6238, as key URIs name them. */
export const TOTP_ALGORITHMS = ["SHA1", "SHA256", "SHA512"] as const;
export type TotpAlgorithm = (typeof TOTP_ALGORITHMS)[number];

/** The names that WebCrypto has for them. */
const HASHES: Readonly<Record<TotpAlgorithm, string>> = {
  SHA1: "SHA-1",
  SHA256: "SHA-256",
  SHA512: "SHA-512",
};

/** How the codes of a secret are made. */
export interface TotpRule {
  algorithm: TotpAlgorithm;
  /** 6 to 8. */
  digits: number;
  /** Seconds for which a code is valid. */
  period: number;
}

/** The time-based one-time password of a secret at a time in ms since 1970 (RFC 6238). */
export async function totpCode(
  secret: Uint8Array,
  { algorithm, digits, period }: TotpRule,
  nowMs: number,
): Promise<string> {
  const step = new DataView(new ArrayBuffer(8));
  step.setBigUint64(0, BigInt(Math.floor(nowMs / 1_000 / period)));
  const how = { name: "HMAC", hash: HASHES[algorithm] };
  const key = await crypto.subtle.importKey("raw", Uint8Array.from(secret), how, false, ["sign"]);
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, step.buffer));
  // RFC 4226 §5.3: the last four bits say where the 31 bits of the code begin.
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const value = mac.getUint32(offset) & 0x7f_ff_ff_ff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

/** Whole seconds, rounded up, for which the code at a time is still valid. */
export function totpSecondsLeft({ period }: Pick<TotpRule, "period">, nowMs: number): number {
  const periodMs = period * 1_000;
  return Math.ceil((periodMs - (nowMs % periodMs)) / 1_000);
}
