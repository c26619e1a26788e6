import { secretDigest } from "../contract/key.ts";
import { invalid, rateLimited, UNAUTHORIZED, type Answer, type Problem } from "../contract/problem.ts";
import { ANYONE } from "../contract/scope.ts";
import type { Config } from "../config/env.ts";
import { wasMade } from "../lib/made.ts";
import { done, refused } from "../lib/outcome.ts";
import { claimNameFault } from "../mail/address/claim-name.ts";
import { claimKeySecret, claimOf, claimSecrets, type ClaimSecrets } from "./claims.ts";
import { mailboxBehind } from "./mailbox-stub.ts";

/** Starts of one client. */
const STARTS = { name: "claim start", limit: 10, windowSeconds: 3_600 };
/** Two claims whose codes are alike are one in ten thousand millions; three times in a row is a fault. */
const MAX_CODES_TRIED = 3;
/** A person reads no more than this of what a client calls itself. */
const MAX_USER_AGENT_CHARS = 200;

/** A key as its bearer showed it. */
interface ShownKey {
  locator: string;
  secretHash: string;
}

/** A request for a permanent mailbox. */
export interface ClaimRequest {
  name: string;
  /** The key of the temporary mailbox whose mail is to be copied; null for none. */
  keepMailOf: Answer<ShownKey> | null;
  /** The name by which the starts of this client are counted. */
  client: string;
  /** The client's IP address, shown to the person who approves; null if unknown. */
  address: string | null;
  userAgent: string;
}

/** A claim that waits for a person. */
export interface WaitingClaim extends Pick<ClaimSecrets, "deviceCode" | "proof"> {
  sessionId: string;
  name: string;
  mailbox: string;
}

/** Starts a claim: a person approves it by its device code, and its client then redeems the key by the session id. */
export async function startClaim(
  env: Env,
  config: Config,
  request: ClaimRequest,
): Promise<Answer<WaitingClaim>> {
  const keySecret = claimKeySecret(config);
  if (!keySecret.ok) return keySecret;
  const name = request.name.trim().toLowerCase();
  const fault = claimNameFault(name);
  if (fault !== null) return refused(invalid("name", fault));
  const keep = request.keepMailOf === null ? done(null) : await keptMailbox(env, request.keepMailOf);
  if (!keep.ok) return keep;
  const spent = await spendStart(env, request.client);
  if (spent !== null) return refused(spent);
  const mailbox = `${name}@${config.mailDomain}`;
  const opened = await open(env, keySecret.value, {
    address: mailbox,
    client: request.address,
    userAgent: readable(request.userAgent),
    keep: keep.value,
    ttlMs: config.claimTtlSeconds * 1_000,
  });
  return opened.ok ? done({ ...opened.value, name, mailbox }) : opened;
}

/** The temporary mailbox of a key. */
async function keptMailbox(
  env: Env,
  key: Answer<ShownKey>,
): Promise<Answer<{ from: string; secretHash: string }>> {
  if (!key.ok) return key;
  const { locator, secretHash } = key.value;
  const mailbox = mailboxBehind(env, locator);
  if (!(await wasMade(env, "Mailbox", mailbox))) return refused(UNAUTHORIZED);
  const me = await mailbox.me({
    credential: { kind: "key", secretHash },
    scopes: ANYONE,
    foreign: false,
    whilePaused: false,
    fault: null,
    upgradeUrl: "",
  });
  if (!me.ok) return me;
  if (me.value.scope !== "provisional") {
    return refused(invalid("keep_mail", "the key in Authorization is of a permanent mailbox already"));
  }
  return done({ from: me.value.address, secretHash });
}

async function spendStart(env: Env, client: string): Promise<Problem | null> {
  const { name, limit, windowSeconds } = STARTS;
  const allowance = await env.CLIENT_BUDGET.getByName(client).spend(name, {
    limit,
    windowMs: windowSeconds * 1_000,
  });
  return allowance.allowed ? null : rateLimited(name, { ...allowance, windowSeconds });
}

async function open(
  env: Env,
  keySecret: string,
  wanted: {
    address: string;
    client: string | null;
    userAgent: string;
    keep: { from: string; secretHash: string } | null;
    ttlMs: number;
  },
): Promise<Answer<{ sessionId: string; deviceCode: string; proof: string }>> {
  for (let tried = 0; tried < MAX_CODES_TRIED; tried += 1) {
    const sessionId = crypto.randomUUID();
    const secrets = claimSecrets(sessionId, keySecret);
    if (secrets === null) continue;
    const { deviceCode, sessionDigest, secret, proof } = secrets;
    const opened = await claimOf(env, deviceCode).open({
      ...wanted,
      sessionDigest,
      secretHash: secretDigest(secret),
    });
    if (opened !== null) return opened.ok ? done({ sessionId, deviceCode, proof }) : opened;
  }
  return refused({ code: "unavailable", error: "No device code is free; try again", retryAfterSeconds: 1 });
}

/** A client's name for itself, without characters that a person cannot see. */
function readable(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, MAX_USER_AGENT_CHARS);
}
