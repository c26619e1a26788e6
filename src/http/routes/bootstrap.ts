import { keyOf, secretDigest } from "../../contract/key.ts";
import { PROVISIONAL_LIFETIME_MS } from "../../contract/limits.ts";
import { invalid, notFound, rateLimited, type Answer, type Problem } from "../../contract/problem.ts";
import { CAPABILITIES } from "../../contract/scope.ts";
import type { Config } from "../../config/env.ts";
import { done, refused } from "../../lib/outcome.ts";
import { isUnguessable } from "../../lib/unguessable.ts";
import type { CreatedMailbox } from "../../mailbox/account/lifecycle.ts";
import { json } from "../answers.ts";
import { derivedIdentity, randomIdentity, type Identity } from "../bootstrap-identity.ts";
import type { Handlers } from "../call.ts";
import { clientKey } from "../client-address.ts";
import { upgradeUrl } from "../dispatch.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";

const BUDGET_WINDOW_SECONDS = 3_600;
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{16,128}$/;
/** How often the next identity of an Idempotency-Key is tried, where another call used the one before up. */
const MAX_TRIES = 3;

export const bootstrapHandlers: Pick<Handlers, "bootstrap"> = {
  async bootstrap({ request, env, config, origin }) {
    if (!config.bootstrapEnabled) return refused(BOOTSTRAP_IS_OFF);
    const idempotencyKey = request.headers.get("Idempotency-Key");
    const wanted = readIdempotencyKey(idempotencyKey, config);
    if (!wanted.ok) return wanted;
    const fix = idempotencyKey !== null && wanted.value === null ? NOT_REPLAYED : undefined;
    const client = clientKey(request, config);
    const next = () =>
      wanted.value === null
        ? randomIdentity(config.mailDomain)
        : derivedIdentity(env, { ...wanted.value, client, mailDomain: config.mailDomain });
    let identity = await next();
    // Only a mailbox that is listed is woken before the budget is spent.
    const earlier = identity.isListed
      ? await mailboxAt(env, identity.address).replay(secretDigest(identity.secret))
      : null;
    if (earlier !== null) return done(bootstrapped(identity, { origin, ...earlier }));

    const spent = await spend(env, config, client);
    if (spent !== null) return refused(spent);
    for (let tries = 1; ; tries += 1) {
      const created = await create(env, identity);
      if (created.ok) return done(bootstrapped(identity, { origin, fix, ...created.value }));
      // Its mailbox was over, and is only now told to be gone.
      if (created.error.code !== "conflict" || tries === MAX_TRIES) return created;
      identity = await next();
    }
  },
};

const BOOTSTRAP_IS_OFF: Problem = {
  ...notFound("Endpoint"),
  fix: "Ask whoever runs the server for a mailbox, or claim one with POST /v1/claim/start.",
};

const NOT_REPLAYED =
  "This Idempotency-Key could be guessed, so a repeat makes another mailbox; " +
  "send a random UUID or 32 random hex digits to get the same mailbox again";

/** What an Idempotency-Key is derived with; null where there is none, or one that somebody else might guess. */
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
  // Who says the key is given the mailbox's own.
  return done(isUnguessable(idempotencyKey) ? { idempotencyKey, keySecret } : null);
}

/** Spends one of the client's budget; the 429 where nothing is left. */
async function spend(env: Env, config: Config, client: string): Promise<Problem | null> {
  const budget = { limit: config.bootstrapPerHour, windowMs: BUDGET_WINDOW_SECONDS * 1_000 };
  const allowance = await env.CLIENT_BUDGET.getByName(client).spend("bootstrap", budget);
  if (allowance.allowed) return null;
  const problem = rateLimited("bootstrap", { ...allowance, windowSeconds: BUDGET_WINDOW_SECONDS });
  const fix = `Try again in ${allowance.resetSeconds} s, or let whoever runs the server raise BOOTSTRAP_PER_HOUR (now ${budget.limit})`;
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

function bootstrapped(
  { address, secret }: Identity,
  made: { origin: string; replayed: boolean; expiresAt: number | null; fix?: string | undefined },
): Response {
  const body = {
    mailbox: address,
    api_key: keyOf(address, secret),
    scope: "provisional",
    expires_at: new Date(made.expiresAt ?? 0).toISOString(),
    replayed: made.replayed,
    capabilities: CAPABILITIES.provisional,
    upgrade: {
      command: `curl -X POST ${made.origin}/v1/claim/start -H 'Content-Type: application/json' -d '{"name":"<name>"}'`,
      url: upgradeUrl(made.origin),
    },
    ...(made.fix === undefined ? {} : { fix: made.fix }),
  };
  return json(body, made.replayed ? 200 : 201);
}
