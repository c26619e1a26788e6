import { fine, wrong, type Finding } from "../finding.ts";
import { NoAnswer } from "../ports/dns.ts";
import type { World } from "../ports/world.ts";

/** A public resolver. */
const OTHER_RESOLVER = "1.1.1.1";

/** Queries the domain, to see whether the resolver answers at all. */
export async function askResolver(world: World, domain: string): Promise<Finding> {
  try {
    await world.dns.look("NS", domain);
  } catch (error) {
    // Any other failure is of that domain's name servers, and shows in the checks of its records.
    if (error instanceof NoAnswer && error.isSilent) {
      return wrong("resolver.silent", error.message, `mailkeep-server doctor --resolver ${OTHER_RESOLVER}`);
    }
  }
  return fine("resolver", "The DNS resolver answers");
}
