import type { Config } from "../config/env.ts";
import type { SigningKeys } from "../contract/moving.ts";
import type { Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";

/** The `info` of HKDF, which makes this key differ from other keys derived from KEY_SECRET. */
const PURPOSE = "mailkeep export signing key 1";
/** An Ed25519 private key in PKCS #8 (RFC 8410), up to its 32 bytes. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_BITS = 256;
const UTF_8 = new TextEncoder();

/** The key that exports are signed with. */
export interface SigningKey {
  privateKey: CryptoKey;
  public: SigningKeys["keys"][number];
}

const known = new Map<string, Promise<SigningKey>>();

/**
 * The Ed25519 key of this deployment. It is derived from KEY_SECRET by HKDF (RFC 5869), so it is the same after a restart and
 * needs no secret of its own. 503 without KEY_SECRET.
 */
export async function signingKey({ keySecret }: Config): Promise<Answer<SigningKey>> {
  if (keySecret === null) {
    const error = "Signed exports need KEY_SECRET to be set on this deployment";
    return refused({ code: "misconfigured", error });
  }
  const deriving = known.get(keySecret) ?? derive(keySecret);
  known.clear();
  known.set(keySecret, deriving);
  return done(await deriving);
}

/** Signs bytes as a compact JWS whose payload is not part of it (RFC 7515, appendix F). */
export async function detachedJws({ privateKey, public: jwk }: SigningKey, payload: string): Promise<string> {
  const head = base64Url(UTF_8.encode(JSON.stringify({ alg: "EdDSA", kid: jwk.kid })));
  const input = UTF_8.encode(`${head}.${base64Url(UTF_8.encode(payload))}`);
  const signature = await crypto.subtle.sign("Ed25519", privateKey, input);
  return `${head}..${base64Url(new Uint8Array(signature))}`;
}

async function derive(secret: string): Promise<SigningKey> {
  const material = await crypto.subtle.importKey("raw", UTF_8.encode(secret), "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: UTF_8.encode(PURPOSE) };
  const seed = new Uint8Array(await crypto.subtle.deriveBits(how, material, SEED_BITS));
  const pkcs8 = new Uint8Array([...PKCS8_HEAD, ...seed]);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, { name: "Ed25519" }, true, ["sign"]);
  const jwk = (await crypto.subtle.exportKey("jwk", privateKey)) as JsonWebKey;
  const x = jwk.x ?? "";
  // RFC 7638 and RFC 8037 §2: the thumbprint is taken over these members in this order.
  const thumbprint = await crypto.subtle.digest(
    "SHA-256",
    UTF_8.encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`),
  );
  const kid = base64Url(new Uint8Array(thumbprint));
  return { privateKey, public: { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" } };
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
