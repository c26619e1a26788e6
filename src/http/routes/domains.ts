import { invalid } from "../../contract/problem.ts";
import type { domainRoutes } from "../../contract/routes/domains.ts";
import { readDomain } from "../../mail/address/domain-name.ts";
import type { HandlersOf } from "../call.ts";

export const domainHandlers = {
  async addDomain({ mailbox, access, input, config, origin }) {
    // Without a PUBLIC_URL, the deployment's own name is the one it was called by.
    const name = readDomain(input.body.domain, { ...config, publicUrl: origin });
    // The mailbox tells the fault, and so only to a caller who may add a domain.
    return name.ok
      ? mailbox.addDomain(access, name.value)
      : mailbox.addDomain({ ...access, fault: invalid("domain", name.error) }, "");
  },
} satisfies HandlersOf<typeof domainRoutes>;
