import { errorOf, type MailkeepError } from "../../../client/error.ts";
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
