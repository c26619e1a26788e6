import { invalid } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { readDomain } from "../../mail/address/domain-name.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";

export const domainHandlers: Pick<
  Handlers,
  "addDomain" | "listDomains" | "getDomain" | "verifyDomain" | "deleteDomain"
> = {
  async addDomain({ mailbox, access, input, config, origin }) {
    // Without a public address of its own, the deployment is where it was called.
    const name = readDomain(input.body.domain, { ...config, publicUrl: origin });
    // Told by the mailbox, and so only to who may ask.
    const added = name.ok
      ? await mailbox.addDomain(access, name.value)
      : await mailbox.addDomain({ ...access, fault: invalid("domain", name.error) }, "");
    return added.ok ? done(json(added.value, 201)) : added;
  },

  async listDomains({ mailbox, access }) {
    const list = await mailbox.listDomains(access);
    return list.ok ? done(json(list.value)) : list;
  },

  async getDomain({ mailbox, access, input }) {
    const domain = await mailbox.getDomain(access, input.params.id);
    return domain.ok ? done(json(domain.value)) : domain;
  },

  async verifyDomain({ mailbox, access, input }) {
    const checked = await mailbox.verifyDomain(access, input.params.id);
    return checked.ok ? done(json(checked.value)) : checked;
  },

  async deleteDomain({ mailbox, access, input }) {
    const removed = await mailbox.removeDomain(access, input.params.id);
    return removed.ok ? done(json(removed.value)) : removed;
  },
};
