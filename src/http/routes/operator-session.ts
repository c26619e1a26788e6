import * as z from "zod";
import { invalid, UNAUTHORIZED, type Answer } from "../../contract/problem.ts";
import { configOf } from "../../config/env.ts";
import { done, refused } from "../../lib/outcome.ts";
import { Bytes, problemResponse, Reply, responseOf } from "../answers.ts";
import { isOperatorKey } from "../caller.ts";
import type { AppContext } from "../dispatch.ts";
import { beginSession, endSession, readSession } from "../operator-session.ts";
import { readJson } from "../request-input.ts";
import { foreignOrigin } from "../same-origin.ts";
import { countBadKey } from "../bad-keys.ts";

const SignIn = z.object({ key: z.string().min(1).max(1_024) });
/** The most bytes of a sign-in, which is read before its caller is known. */
const SIGN_IN_LIMIT = { bytes: 4_096, error: "Request body too large (max 4096 bytes)" };

/** GET /operator/session: whether the browser that asks is signed in, by its cookie and the page token in `Mailkeep-Session`. */
export async function showSession(c: AppContext): Promise<Response> {
  const session = await readSession(c.req.raw, c.env);
  const expires_at = session === null ? null : new Date(session.expiresAt).toISOString();
  return own(done({ signed_in: session !== null, expires_at }));
}

/** POST /operator/session `{ key }`: signs in with the operator's key; answers with the session's page token. */
export async function signIn(c: AppContext): Promise<Response> {
  const config = configOf(c.env);
  const foreign = foreignOrigin(c.req.raw, config);
  if (foreign !== null) return own(refused(foreign));
  const body = await readJson(c.req.raw, SIGN_IN_LIMIT);
  if (!body.ok) return own(body);
  const wanted = SignIn.safeParse(body.value);
  if (!wanted.success) return own(refused(invalid("key", "is required")));
  if (!isOperatorKey(wanted.data.key, config)) {
    return own(refused((await countBadKey(c.req.raw, c.env, config)) ?? UNAUTHORIZED));
  }
  const { session, cookie, pageToken } = beginSession(c.req.raw, config);
  const expires_at = new Date(session.expiresAt).toISOString();
  return own(done(new Reply(200, { token: pageToken, expires_at }, { "Set-Cookie": cookie })));
}

/** DELETE /operator/session: signs out. Without the token it takes the cookie away and leaves the session. */
export async function signOut(c: AppContext): Promise<Response> {
  const foreign = foreignOrigin(c.req.raw, configOf(c.env));
  if (foreign !== null) return own(refused(foreign));
  return own(done(new Bytes(204, null, { "Set-Cookie": await endSession(c.req.raw, c.env) })));
}

/** No other origin may read an answer to a request with a cookie. */
function own(answer: Answer<unknown>): Response {
  const response = answer.ok ? responseOf(answer.value, 200) : problemResponse(answer.error);
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.delete("Access-Control-Expose-Headers");
  return response;
}
