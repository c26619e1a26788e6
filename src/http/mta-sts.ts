import { configOf } from "../config/env.ts";
import { notFound } from "../contract/problem.ts";
import { MTA_STS_HOST_START, mtaStsPolicy } from "../mail/mta-sts.ts";
import { problemResponse, respond } from "./answers.ts";
import type { AppContext } from "./dispatch.ts";
import { urlOf } from "./request-url.ts";

/**
 * The MTA-STS policy (RFC 8461). It is the same for every domain whose mail is received here: whoever points `mta-sts.<domain>` to
 * this deployment has also pointed the domain's MX records to it.
 */
export function serveMtaSts(c: AppContext): Response {
  const { mtaSts } = configOf(c.env);
  const isForPolicy = urlOf(c.req.raw).hostname.startsWith(MTA_STS_HOST_START);
  if (mtaSts === null || !isForPolicy) return problemResponse(notFound("Page"));
  return respond(mtaStsPolicy(mtaSts), 200, { "Content-Type": "text/plain; charset=utf-8" });
}
