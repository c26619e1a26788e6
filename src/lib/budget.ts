/** How much of a budget is left. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the budget is whole again. */
  resetSeconds: number;
}

/** A budget: `limit` in each window of `windowMs`, from the first use on. */
export interface Budget {
  limit: number;
  windowMs: number;
}

/** What was spent of a budget since `since`, in ms since 1970. */
export interface Used {
  since: number;
  spent: number;
}

/** Of a budget that nobody touched yet. */
export const UNSPENT: Used = { since: 0, spent: 0 };

/** Spends one, in a new window if the old one is over or lies in the future because the clock went back. */
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
