import { rateLimited, type Problem } from "../../contract/problem.ts";
import type { TokenBucket } from "../../lib/token-bucket.ts";

const WINDOW_SECONDS = 60;

/** Counts a call. 429 if the limit of a minute is used up; null if the call may go on. A limit of 0 means no limit. */
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
