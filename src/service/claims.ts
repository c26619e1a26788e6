import { DEVICE_CODE_LETTERS, readDeviceCode, type PolledClaim } from "../contract/claim.ts";
import { derivedSecret, keyOf } from "../contract/key.ts";
import { notFound, rateLimited, type Answer, type Problem } from "../contract/problem.ts";
import type { ClaimSession, ClaimView } from "../claim/claim-session.ts";
import type { Config } from "../config/env.ts";
import { digestsEqual, hmacHex, sha256Hex } from "../lib/hash.ts";
import { done, refused } from "../lib/outcome.ts";
import { wasMade } from "../lib/made.ts";
import { mailboxAt } from "./mailbox-stub.ts";

/** Wrong codes of one client address, and how long they count. */
const WRONG_CODES = { name: "claim code", limit: 5, windowSeconds: 600 };
/**
 * Wrong codes of all clients together: at most 1,440 guesses a day at 20^8 codes, so that with up to 17 claims waiting at any
 * time one in a million days sees a hit.
 */
const ALL_WRONG_CODES = { ...WRONG_CODES, limit: 10 };
/** Names the budget of all clients together. No client address looks like it. */
const ALL_CLIENTS = "all";
const CODE_LETTERS = 8;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** 404 for a code or session of no claim, or of one that has ended. */
export const NO_CLAIM: Problem = {
  ...notFound("Claim"),
  fix: "Take the code, or the session, from the answer of POST /v1/claim/start; a claim that is over begins anew there.",
};

/** Values derived from a session id. Only its owner can derive them, and none of them reveals it. */
export interface ClaimSecrets {
  /** Names the claim's object, so that the session id and the device code each lead to it. */
  deviceCode: string;
  /** The object recognises the session by this digest. */
  sessionDigest: string;
  /** The secret of the key. Each poll derives it; it is stored nowhere. */
  secret: string;
  /** Proves that a link of this deployment led to the claim, so that the device code was not guessed. */
  proof: string;
}

/** Derives the secrets of a session id; null for a text that has not the form of one. */
export function claimSecrets(sessionId: string, keySecret: string): ClaimSecrets | null {
  const id = sessionId.toLowerCase();
  if (!UUID.test(id)) return null;
  const deviceCode = deviceCodeOf(hmacHex(keySecret, `claim code\n${id}`));
  return {
    deviceCode,
    sessionDigest: sha256Hex(`claim session\n${id}`),
    secret: derivedSecret(keySecret, `claim secret\n${id}`),
    proof: proofOf(deviceCode, keySecret),
  };
}

/** 128 bits that only the deployment can derive from a device code. */
function proofOf(deviceCode: string, keySecret: string): string {
  return derivedSecret(keySecret, `claim link\n${deviceCode}`);
}

/** Eight letters of a digest: four hex digits each, so that none of the twenty is a thousandth likelier than another. */
function deviceCodeOf(digest: string): string {
  const letters = Array.from({ length: CODE_LETTERS }, (_, index) => {
    const number = parseInt(digest.slice(index * 4, index * 4 + 4), 16);
    return DEVICE_CODE_LETTERS.charAt(number % DEVICE_CODE_LETTERS.length);
  });
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/**
 * The address of a claim's page. It has the device code, and the proof that the link is of this deployment; never the session id,
 * which redeems the key.
 */
export function claimPageUrl(origin: string, claim?: Pick<ClaimSecrets, "deviceCode" | "proof">): string {
  return `${origin}/claim${claim === undefined ? "" : `?code=${claim.deviceCode}&proof=${claim.proof}`}`;
}

/** The claim of a device code; null if none was ever started. */
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

/** Who names a claim by its device code. */
export interface ClaimCaller {
  env: Env;
  config: Config;
  /** Identifies the client whose wrong codes are counted. */
  client: string;
  /** Whether the operator is signed in. Called only when codes are limited. */
  isOperator: () => Promise<boolean>;
}

/** A claim that somebody named by its device code. */
export interface FoundClaim {
  deviceCode: string;
  /** The proof of this device code, for the page to send with the decision. */
  proof: string;
  claim: DurableObjectStub<ClaimSession>;
  view: ClaimView;
}

/**
 * Finds a claim by its device code. A code is short enough to be guessed, so wrong codes are counted, by client and over all
 * clients, and beyond a limit codes without a proof are refused. A caller with the proof of the link, and a signed-in operator,
 * are never refused: strangers who use up the budget stop nobody who follows the link. A right code costs nothing.
 */
export async function findClaim(
  said: { typed: string; proof: string | undefined },
  caller: ClaimCaller,
): Promise<Answer<FoundClaim>> {
  const { env, config } = caller;
  const { keySecret } = config;
  const deviceCode = keySecret === null ? null : readDeviceCode(said.typed);
  const proof = deviceCode === null || keySecret === null ? null : proofOf(deviceCode, keySecret);
  const isProven = proof !== null && digestsEqual(proof, said.proof ?? "");
  const guess = isProven ? CERTAIN : await spendGuess(caller);
  // A signed-in operator may see every mailbox anyway.
  if (guess.refusal !== null && !(await caller.isOperator())) return refused(guess.refusal);
  if (deviceCode === null || proof === null) return refused(NO_CLAIM);
  const found = await lookAtClaim(env, deviceCode);
  if (found === null) return refused(NO_CLAIM);
  await guess.refund();
  return done({ deviceCode, proof, ...found });
}

async function lookAtClaim(env: Env, deviceCode: string): Promise<Pick<FoundClaim, "claim" | "view"> | null> {
  const claim = await begunClaim(env, deviceCode);
  const view = (await claim?.look()) ?? null;
  return claim === null || view === null ? null : { claim, view };
}

/** The budget that was spent on a code that may be guessed. */
interface Guess {
  refusal: Problem | null;
  /** Gives back what was spent, because the code was right. */
  refund: () => Promise<void>;
}

const CERTAIN: Guess = { refusal: null, refund: () => Promise.resolve() };

/** Spends one guess of the client and of all clients. It comes before the look-up, or many guesses at once would all pass. */
async function spendGuess({ env, client }: ClaimCaller): Promise<Guess> {
  const { name } = WRONG_CODES;
  const budgets = [
    { of: env.CLIENT_BUDGET.getByName(client), ...WRONG_CODES },
    { of: env.CLIENT_BUDGET.getByName(ALL_CLIENTS), ...ALL_WRONG_CODES },
  ];
  const spent: typeof budgets = [];
  const refund = async () => void (await Promise.all(spent.map((budget) => budget.of.refund(name))));
  for (const budget of budgets) {
    const { limit, windowSeconds } = budget;
    const allowance = await budget.of.spend(name, { limit, windowMs: windowSeconds * 1_000 });
    if (allowance.allowed) {
      spent.push(budget);
      continue;
    }
    await refund();
    const refusal = { ...rateLimited(name, { ...allowance, windowSeconds }), fix: FOLLOW_LINK };
    return { ...CERTAIN, refusal };
  }
  return { refusal: null, refund };
}

const FOLLOW_LINK = "Open verification_uri_complete of the claim: whoever follows that link is always heard.";

/** The secret that everything of a claim is derived from; 503 where the deployment cannot take claims. */
export function claimKeySecret(config: Config): Answer<string> {
  const error = "Claims need KEY_SECRET to be set on this deployment";
  if (config.keySecret === null) return refused({ code: "misconfigured", error });
  if (config.claimApproval === "operator" && config.operatorDigest === null) {
    const error = "Claims need AUTH_TOKEN to be set on this deployment, or CLAIM_APPROVAL=open";
    return refused({ code: "misconfigured", error });
  }
  return done(config.keySecret);
}

/** How the claim of a session stands, and its key once it is approved; null where there is no such claim. */
export async function pollClaim(
  env: Env,
  sessionId: string,
  keySecret: string,
): Promise<PolledClaim | "slow_down" | null> {
  const secrets = claimSecrets(sessionId, keySecret);
  if (secrets === null) return null;
  const claim = await begunClaim(env, secrets.deviceCode);
  const poll = (await claim?.poll(secrets.sessionDigest)) ?? null;
  if (poll === null) return null;
  if (poll.kind === "slow_down") return "slow_down";
  const { status, address, readable, keeps } = poll;
  if (status === "taken") return { status: "denied", error: `${address} is taken` };
  if (status !== "complete") return { status };
  const kept = keeps ? await mailboxAt(env, address).takeoverProgress() : null;
  return {
    status,
    mailbox: address,
    ...(readable ? { api_key: keyOf(address, secrets.secret) } : {}),
    ...(kept === null ? {} : { kept_mail: kept }),
  };
}

/**
 * Checks a decision that names a session beside the device code: the code must be the session's. A wrong code counts
 * against the session's claim. Null if nothing is wrong or no session is named.
 */
export async function sessionFault(
  env: Env,
  { keySecret }: Config,
  named: { sessionId: string | undefined; found: Answer<{ deviceCode: string }> },
): Promise<Problem | null> {
  const { sessionId, found } = named;
  if (sessionId === undefined || keySecret === null) return null;
  const secrets = claimSecrets(sessionId, keySecret);
  if (secrets === null) return NO_CLAIM;
  if (!found.ok && found.error.code === "rate_limited") return found.error;
  if (found.ok && found.value.deviceCode === secrets.deviceCode) return null;
  const claim = await begunClaim(env, secrets.deviceCode);
  await claim?.countWrongCode(secrets.sessionDigest);
  return found.ok ? NO_CLAIM : found.error;
}
