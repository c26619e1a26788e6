const UTF_8 = new TextEncoder();
/** Bytes of an AES-GCM nonce (NIST SP 800-38D §8.2.2). It is random, and each key seals few texts. */
const NONCE_BYTES = 12;
const CIPHER = "AES-GCM";

/**
 * Encrypts bytes under a key of their own (AES-256-GCM), which is derived from a secret of the deployment and from `bound`: what
 * was sealed for one purpose, mailbox or id does not open for another.
 */
export async function sealBytes(
  secret: string,
  bound: readonly string[],
  plain: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const key = await keyOf(secret, bound);
  const sealed = await crypto.subtle.encrypt({ name: CIPHER, iv }, key, Uint8Array.from(plain));
  return new Uint8Array([...iv, ...new Uint8Array(sealed)]);
}

/** Decrypts what `sealBytes` made; null if it was sealed under another secret or for something else, or was changed. */
export async function openBytes(
  secret: string,
  bound: readonly string[],
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  const iv = Uint8Array.from(sealed.subarray(0, NONCE_BYTES));
  const key = await keyOf(secret, bound);
  try {
    const how = { name: CIPHER, iv };
    return new Uint8Array(
      await crypto.subtle.decrypt(how, key, Uint8Array.from(sealed.subarray(NONCE_BYTES))),
    );
  } catch {
    // WebCrypto tells no more than that it failed.
    return null;
  }
}

/** HKDF (RFC 5869) with what the key is bound to as its info; no part may hold the character that separates them. */
async function keyOf(secret: string, bound: readonly string[]): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", UTF_8.encode(secret), "HKDF", false, ["deriveKey"]);
  const info = UTF_8.encode(bound.join("\0"));
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return crypto.subtle.deriveKey(how, material, { name: CIPHER, length: 256 }, false, ["encrypt", "decrypt"]);
}
