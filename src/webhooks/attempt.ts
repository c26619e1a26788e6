import { done, refused, type Outcome } from "../lib/outcome.ts";
import { checkPublicUrl, resolution, type Resolve } from "../lib/public-url.ts";
import type { TimeLimit } from "../lib/time-limit.ts";
import {
  postDelivery,
  type AttemptError,
  type AttemptRequest,
  type AttemptResult,
  type PostTools,
} from "./post.ts";

export { MAX_ANSWER_CHARS, type AttemptError, type AttemptRequest, type AttemptResult } from "./post.ts";

/** Tools of an attempt. `resolve` is null if the network itself refuses addresses that are not public. */
export interface AttemptTools extends PostTools {
  allowPrivate: boolean;
  resolve: Resolve | null;
}

/** Checks the URL at each attempt: the rules, the setting and the addresses of the host may have changed since it was set. */
async function targetOf(
  url: string,
  tools: AttemptTools,
  limit: TimeLimit,
): Promise<Outcome<string, AttemptError>> {
  const target = checkPublicUrl(url, tools);
  if (!target.ok) return refused("not_public");
  const { href, hostname } = target.value;
  if (tools.allowPrivate || tools.resolve === null) return done(href);
  const leads = await limit.race(resolution(hostname, tools.resolve));
  if (leads === "public") return done(href);
  return refused(leads === "not_public" ? "not_public" : "connection");
}

/** As `postDelivery`, to a URL on the public internet; `allowPrivate` allows every host and port. */
export function attemptDelivery(request: AttemptRequest, tools: AttemptTools): Promise<AttemptResult> {
  return postDelivery(request, tools, (url, limit) => targetOf(url, tools, limit));
}
