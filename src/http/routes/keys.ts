import { keyOf, newSecret, secretDigest } from "../../contract/key.ts";
import { invalid } from "../../contract/problem.ts";
import { PRODUCT, VERSION } from "../../contract/product.ts";
import { CAPABILITIES, OWNERS } from "../../contract/scope.ts";
import { done } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";

export const keyHandlers: Pick<Handlers, "me" | "listKeys" | "createKey" | "revokeKey"> = {
  async me({ mailbox, access, config }) {
    // Only the operator can come without a mailbox, and needs no judge.
    const nobody = { address: null, scope: "operator" as const, expiresAt: null };
    const found = mailbox === null ? done(nobody) : await mailbox.me(access);
    if (!found.ok) return found;
    const { address, scope, expiresAt } = found.value;
    return done(
      json({
        worker: PRODUCT,
        version: VERSION,
        mailbox: address,
        scope,
        expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        send: OWNERS.includes(scope) && config.outbound !== "none",
        capabilities: CAPABILITIES[scope],
      }),
    );
  },

  async listKeys({ mailbox, access }) {
    const keys = await mailbox.keys(access);
    return keys.ok ? done(json(keys.value)) : keys;
  },

  async createKey({ mailbox, access, input }) {
    const expiresAt = input.body.expires_at == null ? null : Date.parse(input.body.expires_at);
    const isPast = expiresAt !== null && expiresAt <= Date.now();
    // Told by the mailbox, and so only to who may ask.
    const asked = isPast ? { ...access, fault: invalid("expires_at", "must lie in the future") } : access;
    const secret = newSecret();
    const made = await mailbox.createKey(asked, {
      secretHash: secretDigest(secret),
      scope: "mailbox",
      expiresAt,
    });
    return made.ok ? done(json({ ...made.value, api_key: keyOf(made.value.mailbox, secret) }, 201)) : made;
  },

  async revokeKey({ mailbox, access, input }) {
    const revoked = await mailbox.revokeKey(access, input.params.id);
    return revoked.ok ? done(json(revoked.value)) : revoked;
  },
};
