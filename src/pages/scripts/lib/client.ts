import { errorOf, MailkeepError } from "../../../client/error.ts";
import { Mailkeep } from "../../../client/mailkeep.ts";
import type { Session } from "../viewer/session.ts";

/**
 * A client of the service that this page comes from. A reader is told of a failure at once and repeats the call when they want,
 * so the client repeats none.
 * @param heard is called with each refusal of a key before the caller gets it: 401, and 403 of a paused mailbox.
 */
export function clientOf(
  { key, mailbox }: Session,
  heard: (refusal: MailkeepError) => void = () => {},
): Mailkeep {
  const fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const response = await globalThis.fetch(address, {
      ...init,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    if (response.status === 401 || response.status === 403) heard(await errorOf(response.clone()));
    return response;
  };
  return new Mailkeep({ url: location.origin, key, mailbox, fetch, retries: 0 });
}

/** Whether the service refused a call: then it is known what it did. */
export function isRefusal(error: unknown): error is MailkeepError {
  return error instanceof MailkeepError && error.status !== 0 && error.code !== "bad_answer";
}

/** Whether no answer came that says what the service did. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof MailkeepError && !isRefusal(error);
}

/** Whether it is unknown what the service did: after every 5xx but 501 and 507, which mean that it did nothing. */
export function isFault({ status }: MailkeepError): boolean {
  return status >= 500 && status !== 501 && status !== 507;
}

/** Returns whether an error means that the caller cancelled the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
