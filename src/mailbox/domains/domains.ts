import type { DeletedDomain, Domain, DomainCheck, DomainList, DomainStatus } from "../../contract/domain.ts";
import { conflict, notFound, rateLimited, type Answer, type Problem } from "../../contract/problem.ts";
import { spendOne, UNSPENT, type Allowance, type Budget } from "../../lib/budget.ts";
import { randomHex } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import { isDeployments } from "../../mail/address/domain-name.ts";
import type { DkimKey } from "../../outbound/dkim.ts";
import type { DkimPair } from "../../outbound/dkim-pair.ts";
import { newDkimPair } from "../../outbound/dkim-pair.ts";
import type { Access } from "../account/access.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import { DomainJob, LOST, RETRY_MS, type DomainTools } from "./job.ts";
import { domainRecord } from "./rules.ts";
import { StoredDomains } from "./stored-domains.ts";

/** The most domains of one mailbox: each is looked up once a day. */
const MAX_DOMAINS = 20;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Domains that a mailbox may add: making a key takes a tenth of a second, in which nobody else is served. Counted in memory. */
const NEW_DOMAINS: Budget = { limit: 60, windowMs: HOUR_MS };
/** Verifications that clients may ask for, over all domains: each asks the shared resolver four times. Counted in memory. */
const VERIFICATIONS: Budget = { limit: 10, windowMs: MINUTE_MS };
/** Random bytes of a selector. It is public, and only has to differ from other selectors of the same domain. */
const SELECTOR_BYTES = 5;

/** The custom domains of one mailbox, with their keys and DNS results. Each domain's own object stores which mailbox holds it. */
export class Domains implements Job {
  readonly #context: MailboxContext;
  readonly #rows: StoredDomains;
  readonly #job: DomainJob;
  #added = UNSPENT;
  #verified = UNSPENT;

  constructor(context: MailboxContext, tools: DomainTools) {
    this.#context = context;
    this.#rows = new StoredDomains(context);
    this.#job = new DomainJob(context, this.#rows, tools);
  }

  /** Adds a domain, given in canonical form, and makes a key for it. 409 if the mailbox has it already or has too many. */
  async addDomain(access: Access, name: string): Promise<Answer<Domain>> {
    const { answer, commit, now } = this.#context;
    const refusal = answer(access, () => done(this.#spend(name, now())));
    if (!refusal.ok) return refusal;
    if (refusal.value !== null) return refused(refusal.value);
    const pair = await newDkimPair();
    return answer(access, () => commit(() => this.#add(name, pair, now())));
  }

  listDomains(access: Access): Answer<DomainList> {
    return this.#context.answer(access, () => {
      const config = this.#context.config();
      return done({ domains: this.#rows.all().map((row) => domainRecord(row, config)) });
    });
  }

  /** The names of all domains. */
  names(): string[] {
    return this.#rows.all().map(({ name }) => name);
  }

  getDomain(access: Access, id: string): Answer<Domain> {
    return this.#context.answer(access, () => this.#find(id));
  }

  /** Looks up the DNS records of a domain now. 409 if another mailbox holds the domain; 429 beyond VERIFICATIONS. */
  async verifyDomain(access: Access, id: string): Promise<Answer<DomainCheck>> {
    const admitted = this.#context.admit(access);
    return admitted.ok ? this.#verify(id, this.#context.now()) : admitted;
  }

  /** Removes a domain, which another mailbox may then verify. */
  async removeDomain(access: Access, id: string): Promise<Answer<DeletedDomain>> {
    const admitted = this.#context.admit(access);
    return admitted.ok ? this.#remove(id) : admitted;
  }

  dues(nowMs: number): number[] {
    return this.#job.dues(nowMs);
  }

  pump(nowMs: number): void {
    this.#job.pump(nowMs);
  }

  /** Drops the cached rows, because a transaction that changed them was undone. */
  forget(): void {
    this.#job.forget();
  }

  close(): void {
    this.#job.close();
  }

  #find(id: string): Answer<Domain> {
    const row = this.#rows.withId(id);
    return row === null ? refused(notFound("Domain")) : done(domainRecord(row, this.#context.config()));
  }

  /** The status of each domain by name, except a domain that has become the deployment's own. */
  statuses(): ReadonlyMap<string, DomainStatus> {
    const rows = this.#rows.all().filter(({ name }) => !isDeployments(name, this.#context.config()));
    return new Map(rows.map(({ name, status }) => [name, status]));
  }

  /** Names of the domains whose addresses belong to the mailbox. */
  verified(): string[] {
    return [...this.statuses()].flatMap(([name, status]) => (status === "verified" ? [name] : []));
  }

  isVerified(name: string): boolean {
    return this.#rows.named(name)?.status === "verified" && !isDeployments(name, this.#context.config());
  }

  /** The key that signs mail from a domain; null if the domain does not belong to the mailbox. */
  signingKey(name: string): DkimKey | null {
    const row = this.isVerified(name) ? this.#rows.named(name) : null;
    return row === null ? null : { domain: name, selector: row.selector, privateKey: row.private_key };
  }

  /** Counts an attempt to add a domain; answers why it is refused, null if it is not. */
  #spend(name: string, nowMs: number): Problem | null {
    const obstacle = this.#obstacle(name);
    if (obstacle !== null) return obstacle;
    const { used, allowance } = spendOne(this.#added, NEW_DOMAINS, nowMs);
    this.#added = used;
    return allowance.allowed ? null : overBudget("new domains", NEW_DOMAINS, allowance);
  }

  #obstacle(name: string): Problem | null {
    if (this.#rows.named(name) !== null) {
      return conflict(
        `${name} is among your domains already`,
        "Take its id from GET /v1/domains, then call POST /v1/domains/<id>/verify.",
      );
    }
    return this.#rows.all().length < MAX_DOMAINS
      ? null
      : conflict(
          `Too many domains (max ${MAX_DOMAINS}); delete one first`,
          "Call DELETE /v1/domains/<id> for one of GET /v1/domains, then repeat the call.",
        );
  }

  /** Stores a domain and its key; within one transaction. */
  #add(name: string, pair: DkimPair, nowMs: number): Answer<Domain> {
    const obstacle = this.#obstacle(name);
    if (obstacle !== null) return refused(obstacle);
    const id = uuidV7(nowMs);
    this.#rows.add({ id, name, selector: `mk${randomHex(SELECTOR_BYTES)}`, pair }, nowMs);
    return this.#find(id);
  }

  /** Looks a domain up for a client. Counts the look-up unless the call joins a running one; 429 if there were too many. */
  async #verify(id: string, nowMs: number): Promise<Answer<DomainCheck>> {
    if (this.#rows.withId(id) !== null && !this.#job.isChecking(id)) {
      const { used, allowance } = spendOne(this.#verified, VERIFICATIONS, nowMs);
      this.#verified = used;
      if (!allowance.allowed) return refused(overBudget("verification", VERIFICATIONS, allowance));
    }
    return this.#job.check(id);
  }

  async #remove(id: string): Promise<Answer<DeletedDomain>> {
    const row = this.#rows.withId(id);
    if (row === null) return refused(notFound("Domain"));
    if (row.held === 1) {
      this.#rows.save(row, { ...LOST, due_at: this.#context.now() + RETRY_MS });
      await this.#job.release(row.name);
    }
    this.#context.commit(() => this.#rows.erase(id));
    return done({ ok: true, deleted: row.name });
  }

  /** Releases all domains, because the mailbox ends. Rejects if the object of one does not answer. */
  async releaseAll(): Promise<void> {
    for (const { held, name } of this.#rows.all()) if (held === 1) await this.#job.release(name);
  }
}

function overBudget(name: string, { windowMs }: Budget, { limit, resetSeconds }: Allowance): Problem {
  return rateLimited(name, { limit, resetSeconds, windowSeconds: windowMs / 1_000 });
}
