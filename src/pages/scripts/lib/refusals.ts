import type { MailkeepError } from "../../../client/error.ts";

/** Known by its name, because a script that is loaded later has no copy of the class. */
function isOfClient(error: unknown): error is MailkeepError {
  return error instanceof Error && error.name === "MailkeepError";
}

/** Whether the service refused a call: then it is known what it did. */
export function isRefusal(error: unknown): error is MailkeepError {
  return isOfClient(error) && error.status !== 0 && error.code !== "bad_answer";
}

/** Whether no answer came that says what the service did. */
export function isUnreachable(error: unknown): boolean {
  return isOfClient(error) && !isRefusal(error);
}

/** Whether it is unknown what the service did: after every 5xx but 501 and 507, which mean that it did nothing. */
export function isFault({ status }: MailkeepError): boolean {
  return status >= 500 && status !== 501 && status !== 507;
}

/** Returns whether an error means that the caller cancelled the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
