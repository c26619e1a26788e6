import { locatorOf, readKey } from "../contract/key.ts";
import type { Config } from "../config/env.ts";
import { digestsEqual, sha256Hex } from "../lib/hash.ts";
import { canonicalAddress } from "../mail/address/address.ts";
import type { ClaimCaller } from "../service/claims.ts";
import { clientKey } from "./client-address.ts";
import { readSession } from "./operator-session.ts";

/** The credential of a request. Only the mailbox of a key can tell whether the key is right. */
export type Caller =
  | { kind: "operator" }
  | { kind: "key"; locator: string; secretHash: string }
  /** No credential (`presented: false`), or one that has the form of none. */
  | { kind: "nobody"; presented: boolean };

/** RFC 6750 §2.1; an operator's token may be any printable string. */
const BEARER = /^bearer +([\x20-\x7e]+)$/i;

/** Reads the Authorization header, the only place of a credential. Two such headers count as none. */
export function readCaller(request: Request, config: Config): Caller {
  const header = request.headers.get("Authorization");
  if (header === null) return { kind: "nobody", presented: false };
  const token = BEARER.exec(header.trim())?.[1];
  if (token === undefined) return { kind: "nobody", presented: true };
  const key = readKey(token);
  if (key !== null && !config.operatorHasKeyForm) return { kind: "key", ...key };
  if (isOperatorKey(token, config)) return { kind: "operator" };
  return key === null ? { kind: "nobody", presented: true } : { kind: "key", ...key };
}

/** Whether this is the operator's credential. It compares digests, so that its time reveals nothing of the credential. */
export function isOperatorKey(token: string, config: Config): boolean {
  return config.operatorDigest !== null && digestsEqual(sha256Hex(token), config.operatorDigest);
}

/** Whether `address` is spelled as, or leads to, another mailbox than the one behind `locator`. */
export function namesAnother(address: string, locator: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical === null || locatorOf(canonical) !== locator;
}

/** Who sent a request that names a claim. */
export function claimCaller(request: Request, env: Env, config: Config): ClaimCaller {
  const isOperator = async () => (await readSession(request, env)) !== null;
  return { env, config, client: clientKey(request, config), isOperator };
}
