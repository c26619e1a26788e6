import { keyOf, newSecret, secretDigest } from "../../contract/key.ts";
import { invalid } from "../../contract/problem.ts";
import { PRODUCT, VERSION } from "../../contract/product.ts";
import type { keyRoutes } from "../../contract/routes/keys.ts";
import { CAPABILITIES, OWNERS } from "../../contract/scope.ts";
import { done } from "../../lib/outcome.ts";
import type { HandlersOf } from "../call.ts";

export const keyHandlers = {
  async me({ mailbox, access, config }) {
    // Only the operator, who was recognised already, can come without a mailbox.
    const operator = { address: null, scope: "operator" as const, expiresAt: null };
    const found = mailbox === null ? done(operator) : await mailbox.me(access);
    if (!found.ok) return found;
    const { address, scope, expiresAt } = found.value;
    return done({
      worker: PRODUCT,
      version: VERSION,
      mailbox: address,
      scope,
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      send: OWNERS.includes(scope) && config.outbound !== "none",
      capabilities: CAPABILITIES[scope],
    });
  },

  async createKey({ mailbox, access, input }) {
    const expiresAt = input.body.expires_at == null ? null : Date.parse(input.body.expires_at);
    const isPast = expiresAt !== null && expiresAt <= Date.now();
    // The mailbox tells the fault, and so only to a caller who may make keys.
    const judged = isPast ? { ...access, fault: invalid("expires_at", "must lie in the future") } : access;
    const secret = newSecret();
    const secretHash = secretDigest(secret);
    const made = await mailbox.createKey(judged, { secretHash, scope: "mailbox", expiresAt });
    return made.ok ? done({ ...made.value, api_key: keyOf(made.value.mailbox, secret) }) : made;
  },
} satisfies HandlersOf<typeof keyRoutes>;
