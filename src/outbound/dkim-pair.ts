/** RFC 8301 §3.2: at least 1,024 bits, 2,048 recommended. Some DNS providers store no larger keys. */
const KEY_BITS = 2_048;
/** Length of a line of PEM (RFC 7468 §2). */
const PEM_LINE_CHARS = 64;

/** A key pair for DKIM. */
export interface DkimPair {
  /** PKCS #8 as PEM. */
  privateKey: string;
  /** SubjectPublicKeyInfo in Base64: the value of `p=` in the DNS record. */
  publicKey: string;
}

/** Makes an RSA key pair; takes a few tenths of a second. */
export async function newDkimPair(): Promise<DkimPair> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: KEY_BITS,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("The runtime made no key pair");
  const base64 = async (format: "pkcs8" | "spki", key: CryptoKey) =>
    Buffer.from((await crypto.subtle.exportKey(format, key)) as ArrayBuffer).toString("base64");
  const privateKey = await base64("pkcs8", pair.privateKey);
  const lines = privateKey.match(new RegExp(`.{1,${PEM_LINE_CHARS}}`, "g")) ?? [];
  return {
    privateKey: ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n"),
    publicKey: await base64("spki", pair.publicKey),
  };
}
