import { rateLimited, type Problem } from "../contract/problem.ts";
import type { Config } from "../env.ts";
import { clientKey } from "./client-address.ts";

const STRIKE_WINDOW_SECONDS = 60;

/** Counts a wrong key of a client; 429 once there were too many, else null. Right keys are never counted nor refused. */
export async function countWrongKey(request: Request, env: Env, config: Config): Promise<Problem | null> {
  const budget = { limit: config.badKeysPerMinute, windowMs: STRIKE_WINDOW_SECONDS * 1_000 };
  const allowance = await env.CLIENT_BUDGET.getByName(clientKey(request, config)).strike(budget);
  return allowance.allowed
    ? null
    : rateLimited("wrong keys", { ...allowance, windowSeconds: STRIKE_WINDOW_SECONDS });
}
