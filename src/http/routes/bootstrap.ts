import { derivedSecret, keyOf, newSecret, secretDigest } from "../../contract/key.ts";
import { PROVISIONAL_LIFETIME_MS } from "../../contract/limits.ts";
import { invalid, notFound, rateLimited, type Answer } from "../../contract/problem.ts";
import { CAPABILITIES } from "../../contract/scope.ts";
import type { Config } from "../../env.ts";
import { hmacHex, randomHex } from "../../lib/hash.ts";
import { done, refused } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { clientKey } from "../client-address.ts";
import { upgradeUrl } from "../dispatch.ts";
import { wasMade } from "../../lib/made.ts";
import { mailboxAt } from "../../inbound/mailbox-stub.ts";

const BUDGET_WINDOW_SECONDS = 3_600;
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{16,128}$/;
/** 64 bits: no two addresses meet by chance, and none is guessed. */
const NAME_BYTES = 8;

/** A mailbox to be, and the secret of its key. */
interface Identity {
  address: string;
  secret: string;
}

export const bootstrapHandlers: Pick<Handlers, "bootstrap"> = {
  async bootstrap({ request, env, config, origin }) {
    if (!config.bootstrapEnabled) return refused(notFound("Endpoint"));
    const idempotencyKey = request.headers.get("Idempotency-Key");
    const identity = identityFor(idempotencyKey, clientKey(request, config), config);
    if (!identity.ok) return identity;
    const { address, secret } = identity.value;
    const mailbox = mailboxAt(env, address);
    const secretHash = secretDigest(secret);
    const mayBeRepeat = idempotencyKey !== null && (await wasMade(env, "Mailbox", mailbox));
    const earlier = mayBeRepeat ? await mailbox.replay(secretHash) : null;
    if (earlier !== null) return done(bootstrapped(identity.value, { origin, ...earlier }));

    const budget = { limit: config.bootstrapPerHour, windowMs: BUDGET_WINDOW_SECONDS * 1_000 };
    const allowance = await env.CLIENT_BUDGET.getByName(clientKey(request, config)).spend(
      "bootstrap",
      budget,
    );
    if (!allowance.allowed) {
      return refused(rateLimited("bootstrap", { ...allowance, windowSeconds: BUDGET_WINDOW_SECONDS }));
    }
    const expiresAt = Date.now() + PROVISIONAL_LIFETIME_MS;
    const created = await mailbox.create({
      address,
      kind: "temporary",
      secretHash,
      scope: "provisional",
      expiresAt,
    });
    return created.ok ? done(bootstrapped(identity.value, { origin, ...created.value })) : created;
  },
};

/**
 * A random identity, or with an Idempotency-Key the one that this client's key always gives: nothing has to be remembered
 * to say it again, and another client with the same key gets another mailbox.
 */
function identityFor(idempotencyKey: string | null, client: string, config: Config): Answer<Identity> {
  const address = (name: string) => `agent-${name}@${config.mailDomain}`;
  if (idempotencyKey === null) return done({ address: address(randomHex(NAME_BYTES)), secret: newSecret() });
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return refused(invalid("Idempotency-Key", "must be 16 to 128 characters of A-Za-z0-9._:-"));
  }
  if (config.keySecret === null) {
    const error = "Idempotency-Key needs KEY_SECRET to be set on this deployment";
    return refused({ code: "misconfigured", error });
  }
  const seed = `${client}\n${idempotencyKey}`;
  const name = hmacHex(config.keySecret, `bootstrap address\n${seed}`).slice(0, NAME_BYTES * 2);
  return done({
    address: address(name),
    secret: derivedSecret(config.keySecret, `bootstrap secret\n${seed}`),
  });
}

function bootstrapped(
  { address, secret }: Identity,
  made: { origin: string; replayed: boolean; expiresAt: number | null },
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
  };
  return json(body, made.replayed ? 200 : 201);
}
