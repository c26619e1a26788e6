import { ConfigError } from "../config/env.ts";
import { invalid, type Problem } from "../contract/problem.ts";
import { BodyLost } from "../lib/body-bytes.ts";
import { NoHostError } from "./request-url.ts";

/** SQLite says this when it cannot write because there is no room. The mailbox has then stored nothing of the change. */
const DISK_FULL = /\bSQLITE_FULL\b/;
/**
 * The words of the runtime where it fails outside of our code: when a full disk does not let it open a database or commit a
 * transaction. Nothing of the change is stored.
 */
const RUNTIME_FAILED = /^internal error; reference = /;
/** A person makes room, so a client need not ask often. */
const STORAGE_RETRY_SECONDS = 60;

/** The error of an object whose data only a newer version can read (`Schemas`, `migrate`). */
const NEWER_DATA = /^(The data was written by .+: this version.+)\. Run (.+)\.$/;

/** Whether a call failed because the storage did, such as on a full disk. */
export function isStorageFault(error: unknown): boolean {
  return error instanceof Error && (DISK_FULL.test(error.message) || RUNTIME_FAILED.test(error.message));
}

/**
 * The refusal for an error that no handler expected: 500 with the id under which the log has the error; 503 for wrong settings
 * for storage that failed, and for data of a newer version; 400 for a bad `Host` (RFC 9112 §3.2).
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
  const [, fault, newer] = NEWER_DATA.exec(error instanceof Error ? error.message : "") ?? [];
  if (fault !== undefined && newer !== undefined) return newerData(fault, newer);
  if (isStorageFault(error)) return storageProblem(error, requestId);
  return { code: "internal", error: "Internal server error", extra: { request_id: requestId } };
}

function storageProblem(error: unknown, requestId: string): Problem {
  const temporary = { code: "unavailable", retryAfterSeconds: STORAGE_RETRY_SECONDS } as const;
  if (DISK_FULL.test(String(error))) return { ...temporary, error: "The disk of the service is full" };
  return {
    ...temporary,
    error: "The storage of the service failed; its disk may be full",
    fix: `Wait ${STORAGE_RETRY_SECONDS} s, then repeat the call; if it fails again, tell the operator the request_id.`,
    extra: { request_id: requestId },
  };
}

function newerData(error: string, newer: string): Problem {
  const fix = `Tell the operator to run ${newer} again: this version left the data as it is. Then repeat the call.`;
  return { code: "misconfigured", error, fix };
}
