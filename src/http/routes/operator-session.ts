import * as z from "zod";
import { invalid, UNAUTHORIZED } from "../../contract/problem.ts";
import { configOf } from "../../config/env.ts";
import { json, problemResponse, respond } from "../answers.ts";
import { isOperatorKey } from "../caller.ts";
import type { AppContext } from "../dispatch.ts";
import { beginSession, endSession, readSession } from "../operator-session.ts";
import { readJson, tooLarge } from "../request-input.ts";
import { foreignOrigin } from "../same-origin.ts";
import { strike } from "../strike.ts";

const SignIn = z.object({ key: z.string().min(1).max(1_024) });
/** Bytes of a sign-in: it is read before anybody is known. */
const SIGN_IN_LIMIT = { bytes: 4_096, error: tooLarge(4_096).error };

/** GET /operator/session: whether the browser that asks is signed in, by its cookie and the page token in `Mailkeep-Session`. */
export async function showSession(c: AppContext): Promise<Response> {
  const session = await readSession(c.req.raw, c.env);
  const expires_at = session === null ? null : new Date(session.expiresAt).toISOString();
  return own(json({ signed_in: session !== null, expires_at }));
}

/** POST /operator/session `{ key }`: signs in with the operator's key; answers with the session's page token. */
export async function signIn(c: AppContext): Promise<Response> {
  const config = configOf(c.env);
  const foreign = foreignOrigin(c.req.raw, config);
  if (foreign !== null) return own(problemResponse(foreign));
  const body = await readJson(c.req.raw, SIGN_IN_LIMIT);
  if (!body.ok) return own(problemResponse(body.error));
  const wanted = SignIn.safeParse(body.value);
  if (!wanted.success) return own(problemResponse(invalid("key", "is required")));
  if (!isOperatorKey(wanted.data.key, config)) {
    return own(problemResponse((await strike(c.req.raw, c.env, config)) ?? UNAUTHORIZED));
  }
  const { session, cookie, pageToken } = beginSession(c.req.raw, config);
  const expires_at = new Date(session.expiresAt).toISOString();
  return own(json({ token: pageToken, expires_at }, 200, { "Set-Cookie": cookie }));
}

/** DELETE /operator/session: signs out. Without the token it takes the cookie away and leaves the session. */
export async function signOut(c: AppContext): Promise<Response> {
  const foreign = foreignOrigin(c.req.raw, configOf(c.env));
  if (foreign !== null) return own(problemResponse(foreign));
  return own(respond(null, 204, { "Set-Cookie": await endSession(c.req.raw, c.env) }));
}

/** No other origin reads what is said to a cookie. */
function own(response: Response): Response {
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.delete("Access-Control-Expose-Headers");
  return response;
}
