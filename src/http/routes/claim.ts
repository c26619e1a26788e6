import { POLL_INTERVAL_SECONDS } from "../../contract/claim.ts";
import { invalid, UNAUTHORIZED, waitFix, type Answer, type Problem } from "../../contract/problem.ts";
import type { claimRoutes } from "../../contract/routes/claim.ts";
import type { Config } from "../../config/env.ts";
import { done, refused } from "../../lib/outcome.ts";
import {
  claimKeySecret,
  claimPageUrl,
  findClaim,
  NO_CLAIM,
  pollClaim,
  sessionFault,
} from "../../service/claims.ts";
import { startClaim } from "../../service/start-claim.ts";
import { failedChallenge } from "../../service/turnstile.ts";
import { Reply } from "../answers.ts";
import { countBadKey } from "../bad-keys.ts";
import type { HandlersOf } from "../call.ts";
import { claimCaller, readCaller } from "../caller.ts";
import { clientAddress, clientKey } from "../client-address.ts";
import { readSession } from "../operator-session.ts";
import { foreignOrigin } from "../same-origin.ts";

const NO_HEAD: Problem = {
  code: "method_not_allowed",
  error: "Method not allowed; /v1/claim/poll takes GET",
  headers: { Allow: "GET" },
  fix: "Call GET /v1/claim/poll.",
};

export const claimHandlers = {
  async claimStart({ request, env, config, origin, input }) {
    const { name, keep_mail } = input.body;
    const started = await startClaim(env, config, {
      name,
      keepMailOf: keep_mail ? shownKey(request, config) : null,
      client: clientKey(request, config),
      address: clientAddress(request, config),
      userAgent: request.headers.get("User-Agent") ?? "",
    });
    if (!started.ok) return started;
    const claim = started.value;
    return done({
      session_id: claim.sessionId,
      device_code: claim.deviceCode,
      name: claim.name,
      mailbox: claim.mailbox,
      verification_uri: claimPageUrl(origin),
      verification_uri_complete: claimPageUrl(origin, claim),
      expires_in: config.claimTtlSeconds,
      interval: POLL_INTERVAL_SECONDS,
      keep_mail,
    });
  },

  async claimPoll({ request, env, config, input }) {
    // A poll counts, and begins the time in which the key can be read; HEAD must do neither (RFC 9110 §9.2.1).
    if (request.method === "HEAD") return refused(NO_HEAD);
    const keySecret = claimKeySecret(config);
    if (!keySecret.ok) return keySecret;
    const polled = await pollClaim(env, input.query.session, keySecret.value);
    // Nobody guesses 122 bits; a client that tries is limited as one that tries keys is.
    if (polled === null) return refused((await countBadKey(request, env, config)) ?? NO_CLAIM);
    if (polled !== "slow_down") return done(polled);
    const fix = waitFix(POLL_INTERVAL_SECONDS);
    const body = { status: "pending" as const, error: "slow_down", fix, retryable: true };
    const headers = { "Retry-After": String(POLL_INTERVAL_SECONDS), "Mailkeep-Fix": fix };
    return done(new Reply(429, body, headers));
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
    const found = await findClaim({ typed: device_code, proof }, claimCaller(request, env, config));
    const fault = await sessionFault(env, config, { sessionId: session_id, found });
    if (fault !== null) return refused(fault);
    return found.ok ? found.value.claim.decide(decision) : found;
  },
} satisfies HandlersOf<typeof claimRoutes>;

/** The key that a request bears. */
function shownKey(request: Request, config: Config): Answer<{ locator: string; secretHash: string }> {
  const caller = readCaller(request, config);
  if (caller.kind === "key") return done(caller);
  return refused(
    caller.kind === "nobody" && caller.presented
      ? UNAUTHORIZED
      : invalid("keep_mail", "needs the key of a temporary mailbox in Authorization"),
  );
}
