import { rateLimited, type Problem } from "../../contract/problem.ts";
import type { TokenBucket } from "../../lib/token-bucket.ts";

const WINDOW_SECONDS = 60;

/** 429 where all of a limit's calls of a minute were made; null where one is left, which is taken. A limit of 0 is none. */
export function spentCalls(
  bucket: TokenBucket,
  { name, limit }: { name: string; limit: number },
  nowMs: number,
): Problem | null {
  if (limit === 0) return null;
  const resetSeconds = bucket.take(limit, nowMs);
  return resetSeconds === 0
    ? null
    : rateLimited(name, { limit, windowSeconds: WINDOW_SECONDS, resetSeconds });
}
