import { locatorOf } from "../contract/key.ts";
import type { Config } from "../env.ts";
import { domainOf } from "../mail/address.ts";
import { wasMade } from "../lib/made.ts";

/**
 * The locator of the mailbox that an address in canonical form reaches, which need not be there. Outside the deployment's
 * domain it is who holds the domain, whatever stands before the `@`; where nobody does, the mailbox of that very address,
 * which may be of a time when the deployment had another domain.
 */
export async function locatorReached(address: string, env: Env, config: Config): Promise<string> {
  const domain = domainOf(address);
  const holder = domain === config.mailDomain ? null : await holderOf(domain, env);
  return holder?.locator ?? locatorOf(address);
}

async function holderOf(domain: string, env: Env): Promise<{ locator: string } | null> {
  const object = env.DOMAIN.getByName(domain);
  return (await wasMade(env, "Domain", object)) ? object.holder() : null;
}
