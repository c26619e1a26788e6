import { keyOf, newSecret, secretDigest } from "../contract/key.ts";
import { PROVISIONAL_LIFETIME_MS } from "../contract/limits.ts";
import { invalid, type Answer } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { mailboxAt } from "./mailbox-stub.ts";
import { done, refused } from "../lib/outcome.ts";
import { bootstrapNameFault, isMailboxName, RESERVED_NAMES } from "../mail/address/address.ts";

/** A new mailbox, and its key, which is shown once. */
export interface NewMailboxKey {
  mailbox: string;
  api_key: string;
}

/** Makes a mailbox under this deployment's domain for the operator, named by its local part or its whole address. */
export async function createMailbox(
  env: Env,
  config: Config,
  wanted: { field: string; text: string; kind: "permanent" | "temporary" },
): Promise<Answer<NewMailboxKey>> {
  const { field, kind } = wanted;
  const text = wanted.text.trim().toLowerCase();
  const name =
    field === "name"
      ? text
      : text.endsWith(`@${config.mailDomain}`)
        ? text.slice(0, -config.mailDomain.length - 1)
        : null;
  if (name === null) return refused(invalid(field, `must be an address at ${config.mailDomain}`));
  if (RESERVED_NAMES.has(name)) {
    return refused(invalid(field, `${name} is reserved for the mail system itself: take another name`));
  }
  const bootstrapped = bootstrapNameFault(name);
  if (bootstrapped !== null) return refused(invalid(field, bootstrapped));
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
    evenIfQuarantined: true,
  });
  return created.ok ? done({ mailbox: address, api_key: keyOf(address, secret) }) : created;
}
