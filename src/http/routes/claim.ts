import { POLL_INTERVAL_SECONDS, type PolledClaim, type StartedClaim } from "../../contract/claim.ts";
import { keyOf, secretDigest } from "../../contract/key.ts";
import { invalid, rateLimited, UNAUTHORIZED, type Answer, type Problem } from "../../contract/problem.ts";
import { ANYONE } from "../../contract/scope.ts";
import type { ClaimPoll } from "../../claim/claim-session.ts";
import type { Config } from "../../config/env.ts";
import { wasMade } from "../../lib/made.ts";
import { mailboxAt, mailboxBehind } from "../../service/mailbox-stub.ts";
import { done, refused } from "../../lib/outcome.ts";
import { claimNameFault } from "../../mail/address/claim-name.ts";
import { json, problemResponse } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { readCaller } from "../caller.ts";
import {
  begunClaim,
  claimOf,
  claimPageUrl,
  claimSecrets,
  findClaim,
  NO_CLAIM,
  type ClaimSecrets,
} from "../claims.ts";
import { clientAddress, clientKey } from "../client-address.ts";
import { readSession } from "../operator-session.ts";
import { foreignOrigin } from "../same-origin.ts";
import { strike } from "../strike.ts";
import { failedChallenge } from "../turnstile.ts";

/** Starts of one client address (wire contract, part 5). */
const STARTS = { name: "claim start", limit: 10, windowSeconds: 3_600 };
/** Two claims whose codes are alike are one in ten thousand millions; three times in a row is a fault. */
const MAX_CODES_TRIED = 3;
/** Of what a client says it is, a person reads no more. */
const MAX_USER_AGENT_CHARS = 200;

const NO_HEAD: Problem = {
  code: "method_not_allowed",
  error: "Method not allowed; /v1/claim/poll takes GET",
};

export const claimHandlers: Pick<Handlers, "claimStart" | "claimPoll" | "claimConfirm"> = {
  async claimStart({ request, env, config, origin, input }) {
    const keySecret = readiness(config);
    if (!keySecret.ok) return keySecret;
    const name = input.body.name.trim().toLowerCase();
    const fault = claimNameFault(name);
    if (fault !== null) return refused(invalid("name", fault));
    const keep = input.body.keep_mail ? await keptMailbox(request, env, config) : done(null);
    if (!keep.ok) return keep;
    const spent = await spendStart(request, env, config);
    if (spent !== null) return refused(spent);
    const wanted = {
      address: `${name}@${config.mailDomain}`,
      client: clientAddress(request, config),
      userAgent: readable(request.headers.get("User-Agent") ?? ""),
      keep: keep.value,
      ttlMs: config.claimTtlSeconds * 1_000,
    };
    const opened = await open(env, keySecret.value, wanted);
    if (!opened.ok) return opened;
    const { sessionId, deviceCode, proof } = opened.value;
    const body: StartedClaim = {
      session_id: sessionId,
      device_code: deviceCode,
      name,
      mailbox: wanted.address,
      verification_uri: claimPageUrl(origin),
      verification_uri_complete: claimPageUrl(origin, { deviceCode, proof }),
      expires_in: config.claimTtlSeconds,
      interval: POLL_INTERVAL_SECONDS,
      keep_mail: wanted.keep !== null,
    };
    return done(json(body, 201));
  },

  async claimPoll({ request, env, config, input }) {
    // A poll counts, and begins the time in which the key can be read; HEAD must do neither (RFC 9110 §9.2.1).
    if (request.method === "HEAD") return done(problemResponse(NO_HEAD, { Allow: "GET" }));
    const keySecret = readiness(config);
    if (!keySecret.ok) return keySecret;
    const secrets = claimSecrets(input.query.session, keySecret.value);
    const claim = secrets === null ? null : await begunClaim(env, secrets.deviceCode);
    const poll = secrets === null ? null : ((await claim?.poll(secrets.sessionDigest)) ?? null);
    // Nobody guesses 122 bits; who tries is told to stop as who tries keys is.
    if (secrets === null || poll === null) return refused((await strike(request, env, config)) ?? NO_CLAIM);
    if (poll.kind === "slow_down") {
      const body: PolledClaim = { status: "pending", error: "slow_down", retryable: true };
      return done(json(body, 429, { "Retry-After": String(POLL_INTERVAL_SECONDS) }));
    }
    return done(json(await polled(env, poll, secrets)));
  },

  async claimConfirm({ request, env, config, input }) {
    const { device_code, session_id, decision, turnstile_token, proof } = input.body;
    const foreign = foreignOrigin(request, config);
    if (foreign !== null) return refused(foreign);
    if (config.claimApproval === "operator" && (await readSession(request, env)) === null) {
      return refused({ code: "sign_in_required", error: "Sign in with the operator's key first" });
    }
    const challenge =
      config.claimApproval === "open"
        ? await failedChallenge(turnstile_token, clientAddress(request, config), config)
        : null;
    if (challenge !== null) return refused(challenge);
    const found = await findClaim({ typed: device_code, proof }, { request, env, config });
    const mismatch = await mismatchOf(env, config, { sessionId: session_id, found });
    if (mismatch !== null) return refused(mismatch);
    if (!found.ok) return found;
    const decided = await found.value.claim.decide(decision);
    return decided.ok ? done(json(decided.value)) : decided;
  },
};

/** The secret that everything of a claim is derived from; 503 where the deployment cannot take claims. */
function readiness(config: Config): Answer<string> {
  const error = "Claims need KEY_SECRET to be set on this deployment";
  if (config.keySecret === null) return refused({ code: "misconfigured", error });
  if (config.claimApproval === "operator" && config.operatorDigest === null) {
    const error = "Claims need AUTH_TOKEN to be set on this deployment, or CLAIM_APPROVAL=open";
    return refused({ code: "misconfigured", error });
  }
  return done(config.keySecret);
}

/** The temporary mailbox whose provisional key the request bears. */
async function keptMailbox(
  request: Request,
  env: Env,
  config: Config,
): Promise<Answer<{ from: string; secretHash: string }>> {
  const caller = readCaller(request, config);
  if (caller.kind !== "key") {
    return refused(
      caller.kind === "nobody" && caller.presented
        ? UNAUTHORIZED
        : invalid("keep_mail", "needs the key of a temporary mailbox in Authorization"),
    );
  }
  const mailbox = mailboxBehind(env, caller.locator);
  if (!(await wasMade(env, "Mailbox", mailbox))) return refused(UNAUTHORIZED);
  const me = await mailbox.me({
    credential: { kind: "key", secretHash: caller.secretHash },
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
  return done({ from: me.value.address, secretHash: caller.secretHash });
}

async function spendStart(request: Request, env: Env, config: Config): Promise<Problem | null> {
  const { name, limit, windowSeconds } = STARTS;
  const client = env.CLIENT_BUDGET.getByName(clientKey(request, config));
  const allowance = await client.spend(name, { limit, windowMs: windowSeconds * 1_000 });
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

/** The body of a poll; the key in it is made of the session id that the caller just said. */
async function polled(
  env: Env,
  poll: Extract<ClaimPoll, { kind: "status" }>,
  { secret }: ClaimSecrets,
): Promise<PolledClaim> {
  const { status, address, readable: isReadable, keeps } = poll;
  if (status === "taken") return { status: "denied", error: `${address} is taken` };
  if (status !== "complete") return { status };
  const kept = keeps ? await mailboxAt(env, address).keptMail() : null;
  return {
    status,
    mailbox: address,
    ...(isReadable ? { api_key: keyOf(address, secret) } : {}),
    ...(kept === null ? {} : { kept_mail: kept }),
  };
}

/** Of a confirm that names the session too: the code must be that session's, or it counts against the claim. */
async function mismatchOf(
  env: Env,
  config: Config,
  said: { sessionId: string | undefined; found: Answer<{ deviceCode: string }> },
): Promise<Problem | null> {
  if (said.sessionId === undefined || config.keySecret === null) return null;
  const secrets = claimSecrets(said.sessionId, config.keySecret);
  if (secrets === null) return NO_CLAIM;
  if (!said.found.ok && said.found.error.code === "rate_limited") return said.found.error;
  if (said.found.ok && said.found.value.deviceCode === secrets.deviceCode) return null;
  const claim = await begunClaim(env, secrets.deviceCode);
  await claim?.countWrongCode(secrets.sessionDigest);
  return said.found.ok ? NO_CLAIM : said.found.error;
}

/** What a client says of itself, without what a person cannot see. */
function readable(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, MAX_USER_AGENT_CHARS);
}
