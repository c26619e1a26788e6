import { readSession } from "./operator-session.ts";
import { DEVICE_CODE_LETTERS, readDeviceCode } from "../contract/claim.ts";
import { derivedSecret } from "../contract/key.ts";
import { notFound, rateLimited, type Answer, type Problem } from "../contract/problem.ts";
import type { ClaimSession, ClaimView } from "../directory/claim-session.ts";
import type { Config } from "../env.ts";
import { hmacHex, sha256Hex } from "../lib/hash.ts";
import { done, refused } from "../lib/outcome.ts";
import { wasMade } from "../lib/made.ts";
import { clientKey } from "./client-address.ts";

/** Wrong codes of one client address, and how long they count (wire contract, part 5). */
const WRONG_CODES = { name: "claim code", limit: 5, windowSeconds: 600 };
const CODE_LETTERS = 8;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** 404 of every code and session that is no claim's, or no longer. */
export const NO_CLAIM: Problem = notFound("Claim");

/** What follows from a session id: only who knows it knows these, and from none of them it follows. */
export interface ClaimSecrets {
  /** Names the claim's object, so that either of the two leads there without the other. */
  deviceCode: string;
  /** What the object knows the session again by. */
  sessionDigest: string;
  /** Of the key: it is derived anew at each poll and kept nowhere. */
  secret: string;
}

/** Reads a session id; null for what can be none. */
export function claimSecrets(sessionId: string, keySecret: string): ClaimSecrets | null {
  const id = sessionId.toLowerCase();
  if (!UUID.test(id)) return null;
  return {
    deviceCode: deviceCodeOf(hmacHex(keySecret, `claim code\n${id}`)),
    sessionDigest: sha256Hex(`claim session\n${id}`),
    secret: derivedSecret(keySecret, `claim secret\n${id}`),
  };
}

/** Eight letters of a digest: four hex digits each, so that none of the twenty is a thousandth likelier than another. */
function deviceCodeOf(digest: string): string {
  const letters = Array.from({ length: CODE_LETTERS }, (_, index) => {
    const number = parseInt(digest.slice(index * 4, index * 4 + 4), 16);
    return DEVICE_CODE_LETTERS.charAt(number % DEVICE_CODE_LETTERS.length);
  });
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** The page of a claim. Its address bears the device code, which shows the claim, and never the session id, which redeems the key. */
export function claimPageUrl(origin: string, deviceCode?: string): string {
  return `${origin}/claim${deviceCode === undefined ? "" : `?code=${deviceCode}`}`;
}

/** The claim of a device code; null where none ever began. */
export async function begunClaim(
  env: Env,
  deviceCode: string,
): Promise<DurableObjectStub<ClaimSession> | null> {
  const claim = claimOf(env, deviceCode);
  return (await wasMade(env, "ClaimSession", claim)) ? claim : null;
}

/** The claim of a device code, whether or not there is one. */
export function claimOf(env: Env, deviceCode: string): DurableObjectStub<ClaimSession> {
  return env.CLAIM_SESSION.getByName(deviceCode);
}

/** A claim that somebody named by its device code. */
export interface FoundClaim {
  deviceCode: string;
  claim: DurableObjectStub<ClaimSession>;
  view: ClaimView;
}

/**
 * The claim whose code a client says. Codes are short, so a client that says too many wrong ones is not heard any more; a
 * right one costs nothing, and a signed-in operator is always heard. It is spent before the look-up, or many at once would all be heard.
 */
export async function findClaim(
  typed: string,
  { request, env, config }: { request: Request; env: Env; config: Config },
): Promise<Answer<FoundClaim>> {
  const { name, limit, windowSeconds } = WRONG_CODES;
  const client = env.CLIENT_BUDGET.getByName(clientKey(request, config));
  const allowance = await client.spend(name, { limit, windowMs: windowSeconds * 1_000 });
  // Who is signed in may see every mailbox anyhow; where all clients count as one, strangers must not lock him out.
  if (!allowance.allowed && (await readSession(request, env)) === null) {
    return refused(rateLimited(name, { ...allowance, windowSeconds }));
  }
  const deviceCode = readDeviceCode(typed);
  if (deviceCode === null) return refused(NO_CLAIM);
  const claim = await begunClaim(env, deviceCode);
  const view = (await claim?.look()) ?? null;
  if (claim === null || view === null) return refused(NO_CLAIM);
  await client.refund(name);
  return done({ deviceCode, claim, view });
}
