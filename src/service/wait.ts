import { waitUntil } from "cloudflare:workers";
import { uuidV7 } from "../lib/ids.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/**
 * The id of a new wait at a mailbox; it begins with `tag`. When the client hangs up, which `signal` tells, the mailbox forgets the
 * wait.
 */
export function newWait(mailbox: MailboxStub, signal: AbortSignal, tag = ""): string {
  const id = `${tag}${uuidV7(Date.now())}`;
  // With its client a request ends, and with it every call that nothing waits for.
  signal.addEventListener("abort", () => waitUntil(Promise.resolve(mailbox.forget(id))));
  return id;
}
