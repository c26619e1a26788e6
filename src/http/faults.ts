import { ConfigError } from "../config/env.ts";
import { invalid, type Problem } from "../contract/problem.ts";
import { BodyLost } from "../lib/body-bytes.ts";
import { NoHostError } from "./request-url.ts";

/** SQLite says this when it cannot write because there is no room. The mailbox has then stored nothing of the change. */
const DISK_FULL = /\bSQLITE_FULL\b/;
/** A person makes room, so a client need not ask often. */
const DISK_FULL_RETRY_SECONDS = 60;

/** Whether a call to a mailbox failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && DISK_FULL.test(error.message);
}

/**
 * The refusal for an error that no handler expected: 500 with the id under which the log has the error; 503 for wrong settings
 * and for a full disk; 400 for a bad `Host` (RFC 9112 §3.2).
 */
export function faultOf(error: unknown, requestId: string): Problem {
  if (error instanceof NoHostError)
    return invalid("Host", "must be a host name or an IP address, with a port or none");
  // The client hung up: nobody reads the answer, and nothing is wrong here.
  if (error instanceof BodyLost) return invalid("body", "ended before it was complete");
  if (error instanceof ConfigError) {
    return { code: "misconfigured", error: `The deployment is misconfigured: ${error.message}` };
  }
  console.error(`Request ${requestId} failed:`, error);
  if (isDiskFull(error)) {
    return {
      code: "unavailable",
      error: "The disk of the service is full",
      retryAfterSeconds: DISK_FULL_RETRY_SECONDS,
    };
  }
  return { code: "internal", error: "Internal server error", extra: { request_id: requestId } };
}
