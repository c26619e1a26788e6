import { keyOf, locatorOf, newSecret, secretDigest } from "../../contract/key.ts";
import { PROVISIONAL_LIFETIME_MS } from "../../contract/limits.ts";
import { invalid, notFound, type Answer } from "../../contract/problem.ts";
import { OPERATORS } from "../../contract/scope.ts";
import type { Config } from "../../env.ts";
import { done, refused } from "../../lib/outcome.ts";
import { canonicalAddress, isMailboxName } from "../../mail/address.ts";
import type { Access } from "../../mailbox/access.ts";
import { json } from "../answers.ts";
import type { Handlers, MailboxStub } from "../call.ts";
import { mailboxPage } from "../directory-pages.ts";
import { mailboxAt, mailboxBehind } from "../../inbound/mailbox-stub.ts";
import { locatorReached } from "../../inbound/reached.ts";
import { reindexPage } from "../reindex.ts";

/** What the operator may do to a mailbox whatever its state. */
const AS_OPERATOR: Access = {
  credential: { kind: "operator" },
  scopes: OPERATORS,
  foreign: false,
  whilePaused: true,
  fault: null,
  upgradeUrl: "",
};

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
    return create(env, config, {
      ...(name === undefined ? { field: "address", text: address ?? "" } : { field: "name", text: name }),
      kind,
    });
  },

  claimAuto: ({ env, config, input }) =>
    create(env, config, { field: "name", text: input.body.name, kind: "permanent" }),

  async listMailboxes({ env, input }) {
    const page = await mailboxPage(env, input.query);
    return page.ok ? done(json(page.value)) : page;
  },

  async describeMailbox({ env, config, input }) {
    const address = canonicalAddress(input.params.address);
    if (address === null) return refused(notFound("Mailbox"));
    // Whatever changes or ends a mailbox names it by its own address alone.
    const mailbox = mailboxBehind(env, await locatorReached(address, env, config));
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

/** Makes a mailbox under this deployment's domain, named by its local part or its whole address. */
async function create(
  env: Env,
  config: Config,
  wanted: { field: string; text: string; kind: "permanent" | "temporary" },
): Promise<Answer<Response>> {
  const { field, kind } = wanted;
  const text = wanted.text.trim().toLowerCase();
  const name =
    field === "name"
      ? text
      : text.endsWith(`@${config.mailDomain}`)
        ? text.slice(0, -config.mailDomain.length - 1)
        : null;
  if (name === null) return refused(invalid(field, `must be an address at ${config.mailDomain}`));
  if (!isMailboxName(name)) {
    return refused(
      invalid(
        field,
        "must be 1 to 40 of a-z 0-9 . _ - before the @, beginning and ending with a letter or digit",
      ),
    );
  }
  const address = `${name}@${config.mailDomain}`;
  const secret = newSecret();
  const created = await mailboxAt(env, address).create({
    address,
    kind,
    secretHash: secretDigest(secret),
    scope: kind === "permanent" ? "mailbox" : "provisional",
    expiresAt: kind === "permanent" ? null : Date.now() + PROVISIONAL_LIFETIME_MS,
  });
  return created.ok ? done(json({ mailbox: address, api_key: keyOf(address, secret) }, 201)) : created;
}

async function on(
  env: Env,
  text: string,
  act: (mailbox: MailboxStub, address: string) => Promise<Answer<object>>,
): Promise<Answer<Response>> {
  const address = canonicalAddress(text);
  if (address === null) return refused(notFound("Mailbox"));
  const outcome = await act(mailboxAt(env, address), address);
  return outcome.ok ? done(json(outcome.value)) : outcome;
}
