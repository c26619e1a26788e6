import { keyOf } from "../../contract/key.ts";
import type { bootstrapRoutes } from "../../contract/routes/bootstrap.ts";
import { CAPABILITIES } from "../../contract/scope.ts";
import { done } from "../../lib/outcome.ts";
import { bootstrap } from "../../service/bootstrap.ts";
import { Reply } from "../answers.ts";
import type { HandlersOf } from "../call.ts";
import { clientKey } from "../client-address.ts";
import { upgradeUrl } from "../dispatch.ts";

export const bootstrapHandlers = {
  async bootstrap({ request, env, config, origin }) {
    const client = clientKey(request, config);
    const idempotencyKey = request.headers.get("Idempotency-Key");
    const made = await bootstrap(env, config, { client, idempotencyKey });
    if (!made.ok) return made;
    const { address, secret, expiresAt, replayed, fix } = made.value;
    return done(
      new Reply(replayed ? 200 : 201, {
        mailbox: address,
        api_key: keyOf(address, secret),
        scope: "provisional" as const,
        expires_at: new Date(expiresAt ?? 0).toISOString(),
        replayed,
        capabilities: CAPABILITIES.provisional,
        upgrade: {
          command: `curl -X POST ${origin}/v1/claim/start -H 'Content-Type: application/json' -d '{"name":"<name>"}'`,
          url: upgradeUrl(origin),
        },
        ...(fix === undefined ? {} : { fix }),
      }),
    );
  },
} satisfies HandlersOf<typeof bootstrapRoutes>;
