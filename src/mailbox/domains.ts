import type { CheckedRecord, DeletedDomain, Domain, DomainCheck, DomainStatus } from "../contract/domain.ts";
import { locatorOf } from "../contract/key.ts";
import { conflict, notFound, rateLimited, type Answer, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { spendOne, UNSPENT, type Allowance, type Budget } from "../lib/budget.ts";
import type { Lookup } from "../lib/doh.ts";
import { randomHex } from "../lib/hash.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import { isDeployments } from "../mail/address/domain-name.ts";
import {
  judgeRecord,
  RECORD_NAMES,
  recordsOf,
  verdictOf,
  type DomainSetup,
  type RecordResults,
} from "../mail/address/domain-records.ts";
import type { DkimKey } from "../outbound/dkim.ts";
import type { DkimPair } from "../outbound/dkim-pair.ts";
import type { Account } from "./account.ts";
import { DomainRows, type DomainState } from "./domain-rows.ts";
import { domainCheck, domainRecord, GRACE_MS, setupOf } from "./domain-view.ts";
import type { DomainRow } from "./schema.ts";

/** Domains of one mailbox at most: each is looked up once a day. */
const MAX_DOMAINS = 20;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** To make a key takes a tenth of a second, in which nobody else is served. Counted in memory. */
const NEW_DOMAINS: Budget = { limit: 60, windowMs: HOUR_MS };
/** Each look-up is four questions to a resolver that serves others too. Counted in memory, over all domains of the mailbox. */
const VERIFICATIONS: Budget = { limit: 10, windowMs: MINUTE_MS };
/** After a look-up that told nothing, and after a process that died in the middle of one. */
const RETRY_MS = HOUR_MS;
/** A selector is seen by everybody; it only must not meet another one of the same domain. */
const SELECTOR_BYTES = 5;

/** The object of a domain. */
type Registry = Pick<ReturnType<Env["DOMAIN"]["getByName"]>, "take" | "release">;

/** What domains work with. */
export interface DomainTools {
  db: Database;
  clock: AlarmClock;
  config: () => Config;
  account: () => Account | null;
  /** Runs a change as one transaction. */
  commit: <T>(change: () => T) => T;
  lookup: () => Lookup;
  registryOf: (domain: string) => Registry;
}

/** What became of looking a domain up: the domain and its records, or what stands in the way. */
type Checked = Answer<DomainCheck>;

/**
 * The domains of one mailbox. Who holds a domain its own object says; what it takes to hold it is here. A row says `held`
 * from before the object is asked to name this mailbox until it is known not to: whatever dies in between, the alarm goes on.
 */
export class Domains {
  readonly #tools: DomainTools;
  readonly #rows: DomainRows;
  #added = UNSPENT;
  #verified = UNSPENT;
  readonly #underWay = new Map<string, Promise<Checked>>();
  /** The latest call of a domain's object: calls of two stubs may overtake each other. */
  #told: Promise<unknown> = Promise.resolve();

  constructor(tools: DomainTools) {
    this.#tools = tools;
    this.#rows = new DomainRows(tools.db);
  }

  /** Reads the rows again when next asked: a change was undone. */
  forget(): void {
    this.#rows.forget();
  }

  get count(): number {
    return this.#rows.all().length;
  }

  list(): Domain[] {
    return this.#rows.all().map((row) => domainRecord(row, this.#tools.config()));
  }

  find(id: string): Answer<Domain> {
    const row = this.#rows.withId(id);
    return row === null ? refused(notFound("Domain")) : done(domainRecord(row, this.#tools.config()));
  }

  /** How the domains stand, by name; one that the deployment has become since is nobody's. */
  statuses(): ReadonlyMap<string, DomainStatus> {
    const rows = this.#rows.all().filter(({ name }) => !isDeployments(name, this.#tools.config()));
    return new Map(rows.map(({ name, status }) => [name, status]));
  }

  /** Names of those whose addresses are the mailbox's. */
  verified(): string[] {
    return [...this.statuses()].flatMap(([name, status]) => (status === "verified" ? [name] : []));
  }

  isVerified(name: string): boolean {
    return this.#rows.named(name)?.status === "verified" && !isDeployments(name, this.#tools.config());
  }

  /** What mail from a domain is signed with; null where it is not the mailbox's. */
  signingKey(name: string): DkimKey | null {
    const row = this.isVerified(name) ? this.#rows.named(name) : null;
    return row === null ? null : { domain: name, selector: row.selector, privateKey: row.private_key };
  }

  /** What stands in the way of a domain more, which is counted; null if nothing does. */
  spend(name: string, nowMs: number): Problem | null {
    const hindrance = this.#hindrance(name);
    if (hindrance !== null) return hindrance;
    const { used, allowance } = spendOne(this.#added, NEW_DOMAINS, nowMs);
    this.#added = used;
    return allowance.allowed ? null : overBudget("new domains", NEW_DOMAINS, allowance);
  }

  #hindrance(name: string): Problem | null {
    if (this.#rows.named(name) !== null) return conflict(`${name} is among your domains already`);
    return this.count < MAX_DOMAINS
      ? null
      : conflict(`Too many domains (max ${MAX_DOMAINS}); delete one first`);
  }

  /** Writes a domain down with the key made for it; within one transaction. */
  add(name: string, pair: DkimPair, nowMs: number): Answer<Domain> {
    const hindrance = this.#hindrance(name);
    if (hindrance !== null) return refused(hindrance);
    const id = uuidV7(nowMs);
    this.#rows.add({ id, name, selector: `mk${randomHex(SELECTOR_BYTES)}`, pair }, nowMs);
    return this.find(id);
  }

  /** A look-up that a client asks for, which is counted if it is one of its own; 429 once there were too many. */
  async verify(id: string, nowMs: number): Promise<Checked> {
    if (this.#rows.withId(id) !== null && !this.#underWay.has(id)) {
      const { used, allowance } = spendOne(this.#verified, VERIFICATIONS, nowMs);
      this.#verified = used;
      if (!allowance.allowed) return refused(overBudget("verification", VERIFICATIONS, allowance));
    }
    return this.check(id);
  }

  /** Looks the records of a domain up, and takes or loses it by what they say. Asked twice at once it is one look-up. */
  check(id: string): Promise<Checked> {
    const running = this.#underWay.get(id);
    if (running !== undefined) return running;
    const begun = this.#check(id).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, begun);
    return begun;
  }

  /** Gives a domain up. */
  async remove(id: string): Promise<Answer<DeletedDomain>> {
    const row = this.#rows.withId(id);
    if (row === null) return refused(notFound("Domain"));
    if (row.held === 1) {
      this.#write(row, { ...LOST, due_at: Date.now() + RETRY_MS });
      await this.#release(row.name);
    }
    this.#tools.commit(() => this.#rows.erase(id));
    return done({ ok: true, deleted: row.name });
  }

  /** Gives all of them up, for a mailbox that ends; rejects if the object of one cannot be told. */
  async releaseAll(): Promise<void> {
    for (const { held, name } of this.#rows.all()) if (held === 1) await this.#release(name);
  }

  /** When the alarm must ring. */
  dues(): (number | null)[] {
    return this.#rows.all().map(({ due_at }) => due_at);
  }

  /** Looks up again what is due. Returns before any of it has ended. */
  pump(nowMs: number): void {
    for (const row of this.#rows.all()) {
      if (row.due_at === null || row.due_at > nowMs) continue;
      // A lease: whoever dies in the middle is followed by the next alarm.
      this.#write(row, { due_at: nowMs + RETRY_MS });
      const work = row.status === "failed" ? this.#letGo(row.id) : this.check(row.id);
      work.catch((error: unknown) =>
        console.error(`The domain ${row.name} could not be checked and is checked again:`, error),
      );
    }
  }

  async #check(id: string): Promise<Checked> {
    const asked = this.#rows.withId(id);
    if (asked === null) return refused(notFound("Domain"));
    const checked = await lookUpAll(setupOf(asked, this.#tools.config()), this.#tools.lookup());
    const row = this.#living(id);
    if (row === null) return refused(notFound("Domain"));
    const results = Object.fromEntries(checked.map(({ record, result }) => [record, result]));
    const verdict = isDeployments(row.name, this.#tools.config())
      ? "gone"
      : verdictOf(results as RecordResults);
    const now = Date.now();
    const seen = { results: JSON.stringify(results), ...(verdict === "unknown" ? {} : { checked_at: now }) };
    if (verdict === "good") return this.#take(row, seen, checked);
    this.#write(row, { ...seen, ...without(row, verdict, now) });
    const isLost = row.status === "failed" || (row.status === "pending" && verdict === "gone");
    if (row.held === 1 && isLost) await this.#letGo(id);
    return this.#answerOf(id, checked);
  }

  /** Its records are right: the domain is this mailbox's, unless it is another's. */
  async #take(row: DomainRow, seen: Partial<DomainState>, checked: CheckedRecord[]): Promise<Checked> {
    const { id, name } = row;
    const now = Date.now();
    // Before the object is asked: should the process end before its answer, the alarm asks again.
    this.#write(row, { ...seen, held: 1, due_at: now + RETRY_MS });
    const locator = this.#locator();
    const taken = await this.#tell(name, (registry) => registry.take(locator, now));
    const kept = this.#living(id);
    if (kept === null) return refused(notFound("Domain"));
    if (!taken) {
      this.#write(kept, { ...LOST, status: kept.status === "pending" ? "pending" : "failed", held: 0 });
      return refused(conflict(`${name} is held by another mailbox`));
    }
    const since = kept.status === "verified" ? kept.verified_at : now;
    const state = { status: "verified" as const, verified_at: since, seen_at: now, gone_at: null };
    this.#write(kept, { ...state, due_at: now + DAY_MS });
    return this.#answerOf(id, checked);
  }

  /** Tells the object of a domain that it is no longer this mailbox's, and writes down that it knows. */
  async #letGo(id: string): Promise<void> {
    const name = this.#rows.withId(id)?.name;
    if (name === undefined) return;
    await this.#release(name);
    const row = this.#living(id);
    if (row !== null) this.#write(row, { held: 0, due_at: null });
  }

  async #release(name: string): Promise<void> {
    const locator = this.#locator();
    await this.#tell(name, (registry) => registry.release(locator));
  }

  /** Calls the object of a domain after the call before is answered. */
  #tell<T>(name: string, say: (registry: Registry) => Promise<T>): Promise<T> {
    // What failed before was told to who called then.
    const now = this.#told.catch(() => {}).then(() => say(this.#tools.registryOf(name)));
    this.#told = now;
    return now;
  }

  #answerOf(id: string, checked: CheckedRecord[]): Checked {
    const row = this.#living(id);
    return row === null ? refused(notFound("Domain")) : done(domainCheck(row, checked));
  }

  #locator(): string {
    const account = this.#tools.account();
    if (account === null) throw new Error("There is no mailbox to hold a domain");
    return locatorOf(account.row.address);
  }

  /** A domain of a mailbox that has not ended meanwhile. */
  #living(id: string): DomainRow | null {
    return this.#tools.account()?.isLive(Date.now()) === true ? this.#rows.withId(id) : null;
  }

  #write(row: DomainRow, change: Partial<DomainState>): void {
    this.#tools.commit(() => this.#rows.write(row, change));
    if (change.due_at != null) this.#tools.clock.atLatest(change.due_at);
  }
}

function overBudget(name: string, { windowMs }: Budget, { limit, resetSeconds }: Allowance): Problem {
  return rateLimited(name, { limit, resetSeconds, windowSeconds: windowMs / 1_000 });
}

const LOST = { status: "failed", verified_at: null, gone_at: null, due_at: null } as const;

/** How a domain stands whose records were not all seen. Only what is certainly gone counts, and only after a week. */
function without(row: DomainRow, verdict: "gone" | "unknown", nowMs: number): Partial<DomainState> {
  if (row.held === 0) return {};
  if (verdict === "unknown" || row.status !== "verified") return { due_at: nowMs + RETRY_MS };
  // The clock may have gone back.
  const goneAt = Math.min(row.gone_at ?? nowMs, nowMs);
  const end = goneAt + GRACE_MS;
  if (nowMs >= end) return { ...LOST, due_at: nowMs + RETRY_MS };
  return { gone_at: goneAt, due_at: Math.min(nowMs + DAY_MS, end) };
}

/** Looks all records of a domain up. Never rejects: what cannot be told is unknown. */
async function lookUpAll(setup: DomainSetup, lookup: Lookup): Promise<CheckedRecord[]> {
  const records = recordsOf(setup);
  return Promise.all(
    RECORD_NAMES.map(async (record) => {
      const { type, host } = records[record];
      // The resolver's own words are no business of who asks.
      const answers = await (type === "MX" ? lookup(host, "MX") : lookup(host, "TXT")).catch(() => null);
      return judgeRecord(setup, record, answers);
    }),
  );
}
