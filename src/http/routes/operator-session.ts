import { z } from "zod";
import { invalid, UNAUTHORIZED } from "../../contract/problem.ts";
import { configOf } from "../../env.ts";
import { digestsEqual, sha256Hex } from "../../lib/hash.ts";
import { json, problemResponse, respond } from "../answers.ts";
import type { AppContext } from "../dispatch.ts";
import { foreignOrigin } from "../own-origin.ts";
import { beginSession, endSession, operatorSession } from "../operator-session.ts";
import { readJson } from "../request-input.ts";
import { strike } from "../strike.ts";

const SignIn = z.object({ key: z.string().min(1).max(1_024) });

/** GET /operator/session: whether the browser that asks is signed in. A page that a link of another site led to hears it only so. */
export function showSession(c: AppContext): Response {
  const session = operatorSession(c.req.raw, configOf(c.env));
  const expires_at = session === null ? null : new Date(session.expiresAt).toISOString();
  return own(json({ signed_in: session !== null, expires_at }));
}

/** POST /operator/session `{ key }`: signs in with the operator's key. */
export async function signIn(c: AppContext): Promise<Response> {
  const config = configOf(c.env);
  const foreign = foreignOrigin(c.req.raw, config);
  if (foreign !== null) return own(problemResponse(foreign));
  const body = await readJson(c.req.raw);
  if (!body.ok) return own(problemResponse(body.error));
  const wanted = SignIn.safeParse(body.value);
  if (!wanted.success) return own(problemResponse(invalid("key", "is required")));
  const { operatorDigest } = config;
  if (operatorDigest === null || !digestsEqual(sha256Hex(wanted.data.key), operatorDigest)) {
    return own(problemResponse((await strike(c.req.raw, c.env, config)) ?? UNAUTHORIZED));
  }
  const headers = { "Set-Cookie": beginSession(c.req.raw, operatorDigest) };
  return own(respond(null, 204, headers));
}

/** DELETE /operator/session: signs out. */
export function signOut(c: AppContext): Response {
  const foreign = foreignOrigin(c.req.raw, configOf(c.env));
  if (foreign !== null) return own(problemResponse(foreign));
  return own(respond(null, 204, { "Set-Cookie": endSession(c.req.raw) }));
}

/** No other origin reads what is said to a cookie. */
function own(response: Response): Response {
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.delete("Access-Control-Expose-Headers");
  return response;
}
