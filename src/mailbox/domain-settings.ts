import type { DeletedDomain, Domain, DomainCheck, DomainList } from "../contract/domain.ts";
import type { Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { newDkimPair } from "../outbound/dkim-pair.ts";
import type { Access } from "./access.ts";
import { MailboxSettings } from "./settings.ts";

/** What a mailbox can be told of its domains. */
export abstract class MailboxDomains extends MailboxSettings {
  /** Asks for a domain, in canonical form, and makes a key for it. */
  async addDomain(access: Access, name: string): Promise<Answer<Domain>> {
    const hindrance = this.answer(access, () => done(this.jobs.domains.spend(name, Date.now())));
    if (!hindrance.ok) return hindrance;
    if (hindrance.value !== null) return refused(hindrance.value);
    const pair = await newDkimPair();
    return this.answer(access, () => this.commit(() => this.jobs.domains.add(name, pair, Date.now())));
  }

  listDomains(access: Access): Answer<DomainList> {
    return this.answer(access, () => done({ domains: this.jobs.domains.list() }));
  }

  getDomain(access: Access, id: string): Answer<Domain> {
    return this.answer(access, () => this.jobs.domains.find(id));
  }

  /** Looks the records of a domain up now. 409 if they are right and the domain is another mailbox's; 429 too often. */
  async verifyDomain(access: Access, id: string): Promise<Answer<DomainCheck>> {
    const admitted = this.admit(access);
    return admitted.ok ? this.jobs.domains.verify(id, Date.now()) : admitted;
  }

  async removeDomain(access: Access, id: string): Promise<Answer<DeletedDomain>> {
    const admitted = this.admit(access);
    return admitted.ok ? this.jobs.domains.remove(id) : admitted;
  }
}
