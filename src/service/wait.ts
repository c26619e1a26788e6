import { uuidV7 } from "../lib/ids.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/** The id of a new wait at a mailbox. When the client hangs up, which `signal` tells, the mailbox forgets the wait. */
export function newWait(mailbox: MailboxStub, signal: AbortSignal): string {
  const id = uuidV7(Date.now());
  signal.addEventListener("abort", () => void mailbox.forget(id));
  return id;
}
