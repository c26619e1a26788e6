import { locatorOf, newSecret, secretDigest } from "../contract/key.ts";
import type { Config } from "../config/env.ts";
import { wasMade } from "../lib/made.ts";
import { domainOf } from "../mail/address/address.ts";
import { mailboxAt } from "./mailbox-stub.ts";

/** What every mail domain must have: RFC 5321 §4.5.1 and RFC 2142 §4. */
const ROLES: readonly string[] = ["postmaster", "abuse"];

/**
 * The locator of the mailbox that an address in canonical form reaches, which need not be there. The roles of the deployment's
 * domain are one mailbox, the operator's. Outside that domain it is who holds the domain, whatever stands before the `@`; where
 * nobody does, the mailbox of that very address, which may be of a time when the deployment had another domain.
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

/** Whether an address is a role of the deployment's domain that somebody can answer for. */
function isRole(address: string, config: Config): boolean {
  const isHeard = config.postmaster !== null || config.operatorDigest !== null;
  return isHeard && ROLES.some((role) => address === `${role}@${config.mailDomain}`);
}

/** The mailbox of the roles, made when it is first asked for. Nobody has a key of it: the operator reads it by naming it. */
async function madeForRoles(env: Env, config: Config): Promise<string> {
  const address = `postmaster@${config.mailDomain}`;
  const mailbox = mailboxAt(env, address);
  const isThere = (await wasMade(env, "Mailbox", mailbox)) && (await mailbox.isTaken());
  if (!isThere) {
    // That somebody else made it meanwhile is as good.
    await mailbox.create({
      address,
      kind: "permanent",
      secretHash: secretDigest(newSecret()),
      scope: "mailbox",
      expiresAt: null,
      // The operator's, before it was erased and after: nobody else may ever have it.
      evenIfQuarantined: true,
    });
  }
  return locatorOf(address);
}
