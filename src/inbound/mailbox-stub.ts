import { locatorOf } from "../contract/key.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";

export type MailboxStub = DurableObjectStub<Mailbox>;

/** The mailbox behind a canonical address. */
export function mailboxAt(env: Env, address: string): MailboxStub {
  return mailboxBehind(env, locatorOf(address));
}

/** The mailbox behind the locator of a key. */
export function mailboxBehind(env: Env, locator: string): MailboxStub {
  return env.MAILBOX.getByName(locator);
}
