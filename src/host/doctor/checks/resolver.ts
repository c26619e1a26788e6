import { fine, wrong, type Finding } from "../finding.ts";
import { NoAnswer } from "../ports/dns.ts";
import type { World } from "../ports/world.ts";
import type { Machine } from "./check.ts";

/** A public resolver. */
const OTHER_RESOLVER = "1.1.1.1";

/** Queries the domain, to see whether the resolver answers at all. */
export async function askResolver(world: World, machine: Machine): Promise<Finding> {
  const { resolverFrom, settings } = machine;
  const domain = settings.worker.MAIL_DOMAIN;
  try {
    await world.dns.look("NS", domain);
  } catch (error) {
    // Any other failure is of that domain's name servers, and shows in the checks of its records.
    if (error instanceof NoAnswer && error.isSilent) {
      const which = resolverFrom === null ? "the resolver of this system" : `the resolver of ${resolverFrom}`;
      const words = `${error.message}: ${which} was asked`;
      return wrong("resolver.silent", words, `mailkeep-server doctor --resolver ${OTHER_RESOLVER}`);
    }
  }
  return fine("resolver", "The DNS resolver answers");
}
