import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import type { ToolContext } from "./tool.ts";

/** How often a waiting client hears that the server still waits. */
const REPORT_MS = 5_000;
/** A poll that ends so much earlier than asked for was ended by somebody: its client cancelled. */
const EARLY_MS = 500;

/** Something came, but not what was waited for. */
export const AGAIN = Symbol("again");

/** The end of a wait: what came, or how long nothing did. */
export type Waited<T> = { found: T } | { found: null; waitedSeconds: number };

/**
 * Asks again and again until there is something, `seconds` are over, or the client is gone. `poll` waits at most so many seconds,
 * and answers null if nothing came, or `AGAIN`.
 */
export async function waitFor<T>(
  context: ToolContext,
  limits: { seconds: number; secondsOfPoll: number },
  poll: (seconds: number) => Promise<Answer<T | typeof AGAIN | null>>,
): Promise<Answer<Waited<T>>> {
  const begin = Date.now();
  const elapsed = () => Math.round((Date.now() - begin) / 1_000);
  const report = () => context.report(elapsed(), limits.seconds);
  report();
  const timer = setInterval(report, REPORT_MS);
  try {
    for (;;) {
      const left = limits.seconds - (Date.now() - begin) / 1_000;
      const asked = Math.max(1, Math.min(limits.secondsOfPoll, Math.ceil(left)));
      const startedMs = Date.now();
      const answer = await poll(asked);
      if (!answer.ok) return answer;
      const { value } = answer;
      if (value !== null && value !== AGAIN) return done({ found: value });
      const isEnded = value === null && Date.now() - startedMs < asked * 1_000 - EARLY_MS;
      if (isEnded || context.signal.aborted || elapsed() >= limits.seconds) {
        return done({ found: null, waitedSeconds: elapsed() });
      }
    }
  } finally {
    clearInterval(timer);
  }
}
