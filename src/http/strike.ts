import { rateLimited, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { spendOne, UNSPENT, type Allowance, type Budget, type Used } from "../lib/budget.ts";
import { makesFiles } from "../lib/made.ts";
import { clientKey } from "./client-address.ts";

const WINDOW_SECONDS = 60;

/** Clients whose wrong secrets are counted here; some 200 bytes each. */
const MAX_CLIENTS = 10_000;
const strikes = new Map<string, Used>();

/**
 * Counts on one machine, where one isolate hears every client: an object for each would be a file for each, and who has many
 * addresses could make many. Whoever did nothing wrong for longest makes room.
 */
function strikeHere(client: string, budget: Budget): Allowance {
  const { used, allowance } = spendOne(strikes.get(client) ?? UNSPENT, budget, Date.now());
  strikes.delete(client);
  const [oldest] = strikes.keys();
  if (strikes.size >= MAX_CLIENTS && oldest !== undefined) strikes.delete(oldest);
  strikes.set(client, used);
  return allowance;
}

/** Counts a wrong secret, whatever it was to open, of a client; the 429 once there were too many. */
export async function strike(request: Request, env: Env, config: Config): Promise<Problem | null> {
  const budget = { limit: config.badKeysPerMinute, windowMs: WINDOW_SECONDS * 1_000 };
  const client = clientKey(request, config);
  const allowance = makesFiles(env)
    ? strikeHere(client, budget)
    : await env.CLIENT_BUDGET.getByName(client).strike(budget);
  return allowance.allowed
    ? null
    : rateLimited("wrong keys", { ...allowance, windowSeconds: WINDOW_SECONDS });
}
