import { locatorOf } from "../../contract/key.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import type { MailboxInfo } from "../../contract/mailbox.ts";
import type { mailboxesRoutes } from "../../contract/routes/mailboxes.ts";
import type { Config } from "../../config/env.ts";
import { refused } from "../../lib/outcome.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import type { HandlersOf } from "../call.ts";
import { createMailbox } from "../../service/create-mailbox.ts";
import { mailboxPage } from "../../service/directory-pages.ts";
import { wasMade } from "../../lib/made.ts";
import { mailboxAt, mailboxBehind, type MailboxStub } from "../../service/mailbox-stub.ts";
import { locatorReached } from "../../service/reached.ts";
import { reindexPage } from "../../service/reindex.ts";

export const mailboxesHandlers = {
  async createMailbox({ env, config, input }) {
    const { name, address, kind } = input.body;
    const named =
      name === undefined ? { field: "address", text: address ?? "" } : { field: "name", text: name };
    return createMailbox(env, config, { ...named, kind });
  },

  claimAuto: ({ env, config, input }) =>
    createMailbox(env, config, { field: "name", text: input.body.name, kind: "permanent" }),

  listMailboxes: ({ env, input }) => mailboxPage(env, input.query),

  describeMailbox: ({ env, config, input }) => describedMailbox(input.params.address, env, config),
  removeMailbox: ({ env, input }) => on(env, input.params.address, (mailbox) => mailbox.destroy(AS_OPERATOR)),
  pauseByOperator: ({ env, input }) =>
    on(env, input.params.address, (mailbox) => mailbox.pause(AS_OPERATOR, input.body.reason ?? null)),
  resumeByOperator: ({ env, input }) =>
    on(env, input.params.address, (mailbox) => mailbox.resume(AS_OPERATOR)),
  reindexMailbox: ({ env, config, input }) =>
    on(env, input.params.address, (mailbox, address) =>
      reindexPage({ env, config, mailbox, locator: locatorOf(address), access: AS_OPERATOR }, input.query),
    ),
} satisfies HandlersOf<typeof mailboxesRoutes>;

/** The mailbox that an address reaches, by any of its addresses. What changes or ends a mailbox names it by its own address alone. */
export async function describedMailbox(
  text: string,
  env: Env,
  config: Config,
): Promise<Answer<MailboxInfo & { full: boolean }>> {
  const address = canonicalAddress(text);
  if (address === null) return refused(notFound("Mailbox"));
  const mailbox = mailboxBehind(env, await locatorReached(address, env, config));
  if (!(await wasMade(env, "Mailbox", mailbox))) return refused(notFound("Mailbox"));
  return mailbox.info(AS_OPERATOR);
}

/** Acts on the mailbox of an address; 404 where there is none. */
async function on<T>(
  env: Env,
  text: string,
  act: (mailbox: MailboxStub, address: string) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const address = canonicalAddress(text);
  if (address === null) return refused(notFound("Mailbox"));
  const mailbox = mailboxAt(env, address);
  if (!(await wasMade(env, "Mailbox", mailbox))) return refused(notFound("Mailbox"));
  return act(mailbox, address);
}
