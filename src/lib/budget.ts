/** How much of a budget is left. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends and the budget is full again. */
  resetSeconds: number;
}

/** A budget: `limit` uses in a window of `windowMs`, which begins with the first use. */
export interface Budget {
  limit: number;
  windowMs: number;
}

/** How much of a budget was used since `since` (ms since 1970). */
export interface Used {
  since: number;
  spent: number;
}

/** The use of a fresh budget. */
export const UNSPENT: Used = { since: 0, spent: 0 };

/** Uses one. A new window begins if the old one is over, or lies in the future because the clock moved backwards. */
export function spendOne(kept: Used, budget: Budget, nowMs: number): { used: Used; allowance: Allowance } {
  const running = nowMs >= kept.since && nowMs < kept.since + budget.windowMs;
  const { since, spent } = running ? kept : { since: nowMs, spent: 0 };
  const allowed = spent < budget.limit;
  const used = { since, spent: allowed ? spent + 1 : spent };
  const resetSeconds = Math.max(1, Math.ceil((since + budget.windowMs - nowMs) / 1_000));
  return {
    used,
    allowance: { allowed, limit: budget.limit, remaining: budget.limit - used.spent, resetSeconds },
  };
}
