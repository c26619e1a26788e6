import { secretDigest } from "../contract/key.ts";
import { PROVISIONAL_LIFETIME_MS } from "../contract/limits.ts";
import { invalid, notFound, rateLimited, type Answer, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { done, refused } from "../lib/outcome.ts";
import { isUnguessable } from "../lib/unguessable.ts";
import type { CreatedMailbox } from "../mailbox/account/lifecycle.ts";
import { derivedIdentity, randomIdentity, type Identity } from "./bootstrap-identity.ts";
import { mailboxAt } from "./mailbox-stub.ts";

const BUDGET_WINDOW_SECONDS = 3_600;
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{16,128}$/;
/** The most identities of an Idempotency-Key that are tried, because another call may use one up meanwhile. */
const MAX_TRIES = 3;

/** A temporary mailbox that is there now. */
export interface Bootstrapped extends CreatedMailbox, Pick<Identity, "address" | "secret"> {
  /** How a repeat gets the same mailbox, if this Idempotency-Key does not give it. */
  fix?: string | undefined;
}

/** Makes a temporary mailbox for a client, or answers the one that the client's Idempotency-Key made before. */
export async function bootstrap(
  env: Env,
  config: Config,
  { client, idempotencyKey }: { client: string; idempotencyKey: string | null },
): Promise<Answer<Bootstrapped>> {
  if (!config.bootstrapEnabled) return refused(BOOTSTRAP_IS_OFF);
  const wanted = readIdempotencyKey(idempotencyKey, config);
  if (!wanted.ok) return wanted;
  const fix = idempotencyKey !== null && wanted.value === null ? NOT_REPLAYED : undefined;
  const next = () =>
    wanted.value === null
      ? randomIdentity(config.mailDomain)
      : derivedIdentity(env, { ...wanted.value, client, mailDomain: config.mailDomain });
  let identity = await next();
  // Only a mailbox that is listed is woken before the budget is spent.
  const earlier = identity.isListed
    ? await mailboxAt(env, identity.address).replay(secretDigest(identity.secret))
    : null;
  if (earlier !== null) return done({ ...identity, ...earlier });

  const spent = await spend(env, config, client);
  if (spent !== null) return refused(spent);
  for (let tries = 1; ; tries += 1) {
    const created = await create(env, identity);
    if (created.ok) return done({ ...identity, ...created.value, fix });
    // Its mailbox had ended, and the directory learnt of it only now.
    if (created.error.code !== "conflict" || tries === MAX_TRIES) return created;
    identity = await next();
  }
}

const BOOTSTRAP_IS_OFF: Problem = {
  ...notFound("Endpoint"),
  fix: "Ask whoever runs the server for a mailbox, or claim one with POST /v1/claim/start.",
};

const NOT_REPLAYED =
  "This Idempotency-Key could be guessed, so a repeat makes another mailbox; " +
  "send a random UUID or 32 random hex digits to get the same mailbox again";

/** The Idempotency-Key that an identity is derived from; null without one, and for one that somebody else might guess. */
function readIdempotencyKey(
  idempotencyKey: string | null,
  { keySecret }: Config,
): Answer<{ idempotencyKey: string; keySecret: string } | null> {
  if (idempotencyKey === null) return done(null);
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return refused(invalid("Idempotency-Key", "must be 16 to 128 characters of A-Za-z0-9._:-"));
  }
  if (keySecret === null) {
    const error = "Idempotency-Key needs KEY_SECRET to be set on this deployment";
    return refused({ code: "misconfigured", error });
  }
  // Whoever knows the Idempotency-Key gets the key of the mailbox.
  return done(isUnguessable(idempotencyKey) ? { idempotencyKey, keySecret } : null);
}

/** Spends one of the client's budget; a 429 where nothing is left, else null. */
async function spend(env: Env, config: Config, client: string): Promise<Problem | null> {
  const budget = { limit: config.bootstrapPerHour, windowMs: BUDGET_WINDOW_SECONDS * 1_000 };
  const allowance = await env.CLIENT_BUDGET.getByName(client).spend("bootstrap", budget);
  if (allowance.allowed) return null;
  const problem = rateLimited("bootstrap", { ...allowance, windowSeconds: BUDGET_WINDOW_SECONDS });
  const fix = `Try again in ${allowance.resetSeconds} s, or let whoever runs the server raise BOOTSTRAP_PER_HOUR (now ${budget.limit}).`;
  return { ...problem, fix };
}

function create(env: Env, { address, secret }: Identity): Promise<Answer<CreatedMailbox>> {
  return mailboxAt(env, address).create({
    address,
    kind: "temporary",
    secretHash: secretDigest(secret),
    scope: "provisional",
    expiresAt: Date.now() + PROVISIONAL_LIFETIME_MS,
  });
}
