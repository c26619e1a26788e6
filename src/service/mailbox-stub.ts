import { locatorOf } from "../contract/key.ts";
import type { MailboxApi } from "../mailbox/api.ts";

/** A mailbox, as the edge and other actors call it. */
export type MailboxStub = DurableObjectStub<MailboxApi & Rpc.DurableObjectBranded>;

/** The mailbox behind a canonical address. */
export function mailboxAt(env: Env, address: string): MailboxStub {
  return mailboxBehind(env, locatorOf(address));
}

/**
 * A new stub of a mailbox, for a call after a long wait: the object may have been torn down in the minutes that a body takes, and a
 * stub that was called before fails from then on.
 */
export function freshStub(env: Env, mailbox: MailboxStub): MailboxStub {
  return mailboxBehind(env, mailbox.name ?? "");
}

/** The mailbox behind the locator of a key. */
export function mailboxBehind(env: Env, locator: string): MailboxStub {
  return env.MAILBOX.getByName(locator);
}
