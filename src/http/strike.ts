import { rateLimited, type Problem } from "../contract/problem.ts";
import type { Config } from "../env.ts";
import { clientKey } from "./client-address.ts";

const WINDOW_SECONDS = 60;

/** Counts a wrong secret, whatever it was to open, of a client; the 429 once there were too many. */
export async function strike(request: Request, env: Env, config: Config): Promise<Problem | null> {
  const budget = { limit: config.badKeysPerMinute, windowMs: WINDOW_SECONDS * 1_000 };
  const allowance = await env.CLIENT_BUDGET.getByName(clientKey(request, config)).strike(budget);
  return allowance.allowed
    ? null
    : rateLimited("wrong keys", { ...allowance, windowSeconds: WINDOW_SECONDS });
}
