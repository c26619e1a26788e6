import { locatorOf } from "../../contract/key.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { json } from "../answers.ts";
import { AS_OPERATOR } from "../as-operator.ts";
import type { Handlers, MailboxStub } from "../call.ts";
import { createMailbox, type NewMailboxKey } from "../create-mailbox.ts";
import { mailboxPage } from "../directory-pages.ts";
import { wasMade } from "../../lib/made.ts";
import { mailboxAt, mailboxBehind } from "../../service/mailbox-stub.ts";
import { locatorReached } from "../../service/reached.ts";
import { reindexPage } from "../reindex.ts";

export const operatorHandlers: Pick<
  Handlers,
  | "createMailbox"
  | "claimAuto"
  | "listMailboxes"
  | "describeMailbox"
  | "removeMailbox"
  | "pauseByOperator"
  | "resumeByOperator"
  | "reindexMailbox"
> = {
  async createMailbox({ env, config, input }) {
    const { name, address, kind } = input.body;
    return created(
      await createMailbox(env, config, {
        ...(name === undefined ? { field: "address", text: address ?? "" } : { field: "name", text: name }),
        kind,
      }),
    );
  },

  async claimAuto({ env, config, input }) {
    return created(
      await createMailbox(env, config, { field: "name", text: input.body.name, kind: "permanent" }),
    );
  },

  async listMailboxes({ env, input }) {
    const page = await mailboxPage(env, input.query);
    return page.ok ? done(json(page.value)) : page;
  },

  async describeMailbox({ env, config, input }) {
    const address = canonicalAddress(input.params.address);
    if (address === null) return refused(notFound("Mailbox"));
    // Whatever changes or ends a mailbox names it by its own address alone.
    const mailbox = mailboxBehind(env, await locatorReached(address, env, config));
    if (!(await wasMade(env, "Mailbox", mailbox))) return refused(notFound("Mailbox"));
    const info = await mailbox.info(AS_OPERATOR);
    return info.ok ? done(json(info.value)) : info;
  },
  removeMailbox: ({ env, input }) => on(env, input.params.address, (mailbox) => mailbox.destroy(AS_OPERATOR)),
  pauseByOperator: ({ env, input }) =>
    on(env, input.params.address, (mailbox) => mailbox.pause(AS_OPERATOR, input.body.reason ?? null)),
  resumeByOperator: ({ env, input }) =>
    on(env, input.params.address, (mailbox) => mailbox.resume(AS_OPERATOR)),
  reindexMailbox: ({ env, config, input }) =>
    on(env, input.params.address, (mailbox, address) =>
      reindexPage({ env, config, mailbox, locator: locatorOf(address), access: AS_OPERATOR }, input.query),
    ),
};

function created(mailbox: Answer<NewMailboxKey>): Answer<Response> {
  return mailbox.ok ? done(json(mailbox.value, 201)) : mailbox;
}

async function on(
  env: Env,
  text: string,
  act: (mailbox: MailboxStub, address: string) => Promise<Answer<object>>,
): Promise<Answer<Response>> {
  const address = canonicalAddress(text);
  if (address === null) return refused(notFound("Mailbox"));
  const mailbox = mailboxAt(env, address);
  if (!(await wasMade(env, "Mailbox", mailbox))) return refused(notFound("Mailbox"));
  const outcome = await act(mailbox, address);
  return outcome.ok ? done(json(outcome.value)) : outcome;
}
