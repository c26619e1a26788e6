import { locatorOf, newSecret, secretDigest } from "../contract/key.ts";
import type { Config } from "../config/env.ts";
import { wasMade } from "../lib/made.ts";
import { domainOf } from "../mail/address/address.ts";
import { isRoleAddress } from "../mail/address/roles.ts";
import { mailboxAt } from "./mailbox-stub.ts";

/**
 * The locator of the mailbox that an address in canonical form reaches; the mailbox need not exist. Role addresses of the
 * deployment's domain reach the operator's mailbox. An address of another domain reaches the mailbox that holds that domain,
 * whatever is before the `@`; if none does, the mailbox of that very address, created when the deployment had another domain.
 */
export async function locatorReached(address: string, env: Env, config: Config): Promise<string> {
  if (!isRole(address, config)) return locatorOfMailbox(address, env, config);
  return config.postmaster === null
    ? madeForRoles(env, config)
    : locatorOfMailbox(config.postmaster, env, config);
}

async function locatorOfMailbox(address: string, env: Env, config: Config): Promise<string> {
  const domain = domainOf(address);
  const holder = domain === config.mailDomain ? null : await holderOf(domain, env);
  return holder?.locator ?? locatorOf(address);
}

async function holderOf(domain: string, env: Env): Promise<{ locator: string } | null> {
  const object = env.DOMAIN.getByName(domain);
  return (await wasMade(env, "Domain", object)) ? object.holder() : null;
}

/** Whether an address is a role address of the deployment's domain, and somebody can read its mail. */
function isRole(address: string, config: Config): boolean {
  const isHeard = config.postmaster !== null || config.operatorDigest !== null;
  return isHeard && isRoleAddress(address, config.mailDomain);
}

/** The mailbox of the role addresses, created when it is first needed. It has no key: the operator reads it by its name. */
async function madeForRoles(env: Env, config: Config): Promise<string> {
  const address = `postmaster@${config.mailDomain}`;
  const mailbox = mailboxAt(env, address);
  const isThere = (await wasMade(env, "Mailbox", mailbox)) && (await mailbox.isTaken());
  if (!isThere) {
    // A conflict means that another call created it meanwhile.
    await mailbox.create({
      address,
      kind: "permanent",
      secretHash: secretDigest(newSecret()),
      scope: "mailbox",
      expiresAt: null,
      // The address is the operator's, also after the mailbox was erased.
      evenIfQuarantined: true,
    });
  }
  return locatorOf(address);
}
