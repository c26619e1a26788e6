import { rateLimited, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { spendOne, UNSPENT, type Allowance, type Budget, type Used } from "../lib/budget.ts";
import { makesFiles } from "../lib/made.ts";
import { clientKey } from "./client-address.ts";

const WINDOW_SECONDS = 60;

/** Clients whose wrong secrets are counted in this isolate; some 200 bytes each. */
const MAX_CLIENTS = 10_000;
const badKeys = new Map<string, Used>();

/**
 * Counts in memory, on one machine, where one isolate serves every client. A Durable Object for each client would be a file for
 * each, and a stranger with many addresses could fill the disk. The client whose last wrong secret is oldest makes room.
 */
function countHere(client: string, budget: Budget): Allowance {
  const { used, allowance } = spendOne(badKeys.get(client) ?? UNSPENT, budget, Date.now());
  badKeys.delete(client);
  const [oldest] = badKeys.keys();
  if (badKeys.size >= MAX_CLIENTS && oldest !== undefined) badKeys.delete(oldest);
  badKeys.set(client, used);
  return allowance;
}

/** Counts a wrong secret of the client that sent a request; a 429 once the client sent too many within a minute, else null. */
export async function countBadKey(request: Request, env: Env, config: Config): Promise<Problem | null> {
  const budget = { limit: config.badKeysPerMinute, windowMs: WINDOW_SECONDS * 1_000 };
  const client = clientKey(request, config);
  const allowance = makesFiles(env)
    ? countHere(client, budget)
    : await env.CLIENT_BUDGET.getByName(client).strike(budget);
  return allowance.allowed
    ? null
    : rateLimited("wrong keys", { ...allowance, windowSeconds: WINDOW_SECONDS });
}
