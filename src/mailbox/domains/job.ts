import type { CheckedRecord, DomainCheck } from "../../contract/domain.ts";
import { locatorOf } from "../../contract/key.ts";
import { conflict, notFound, type Answer } from "../../contract/problem.ts";
import type { Lookup } from "../../lib/doh.ts";
import { done, refused } from "../../lib/outcome.ts";
import { isDeployments } from "../../mail/address/domain-name.ts";
import {
  judgeRecord,
  RECORD_NAMES,
  recordsOf,
  verdictOf,
  type DomainSetup,
  type RecordResults,
} from "../../mail/address/domain-records.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import type { DomainRow, DomainState } from "./rows.ts";
import { domainCheck, GRACE_MS, setupOf } from "./rules.ts";
import type { StoredDomains } from "./stored-domains.ts";

const DAY_MS = 86_400_000;
/** After a look-up that told nothing, and after a process that died in the middle of one. */
export const RETRY_MS = 3_600_000;
/** After a fault of our own. */
const FAULT_PAUSE_MS = 60_000;

/** The object of a domain. */
type Registry = Pick<ReturnType<Env["DOMAIN"]["getByName"]>, "take" | "release">;

/** Everything that it takes to look domains up, beside the mailbox. */
export interface DomainTools {
  lookup: () => Lookup;
  registryOf: (domain: string) => Registry;
}

/** The outcome of a look-up: the domain and its records, or the reason why it cannot be taken. */
type Checked = Answer<DomainCheck>;

/** A domain that is due. */
interface DueDomain {
  id: string;
  name: string;
  /** Its object is to be told that it is no longer this mailbox's. */
  isLost: boolean;
}

/**
 * Looks domains up when a client asks and when they are due, also while the mailbox is paused. A row says `held` from before the
 * domain's object is asked to name this mailbox until it is known not to: whatever dies in between, the alarm goes on.
 */
export class DomainJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: DomainTools;
  readonly #rows: StoredDomains;
  readonly #drain: Drain<DueDomain>;
  readonly #underWay = new Map<string, Promise<Checked>>();
  /** The latest call of a domain's object: calls of two stubs may overtake each other. */
  #told: Promise<unknown> = Promise.resolve();

  constructor(context: MailboxContext, rows: StoredDomains, tools: DomainTools) {
    this.#context = context;
    this.#tools = tools;
    this.#rows = rows;
    this.#drain = new Drain<DueDomain>(
      context,
      {
        nextDue: (afterMs) => rows.nextDue(afterMs),
        claim: (nowMs, underWay) => this.#claim(nowMs, underWay),
        renew: ({ id }, nowMs) => this.#lease(rows.withId(id), nowMs),
        attempt: (due) => this.#attempt(due),
      },
      { name: "Domains", maxAtOnce: Infinity, heartbeatMs: null, pauseMs: () => FAULT_PAUSE_MS },
    );
  }

  dues(nowMs: number): number[] {
    return this.#drain.dues(nowMs);
  }

  pump(nowMs: number): void {
    this.#drain.pump(nowMs);
  }

  forget(): void {
    this.#rows.forget();
  }

  close(): void {
    this.#drain.close();
  }

  /** Whether a domain is being looked up. */
  isChecking(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Looks the records of a domain up, and takes or loses it by what they say. Asked twice at once it is one look-up. */
  check(id: string): Promise<Checked> {
    const running = this.#underWay.get(id);
    if (running !== undefined) return running;
    const begun = this.#check(id).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, begun);
    return begun;
  }

  /** Tells the object of a domain that it is no longer this mailbox's. */
  async release(name: string): Promise<void> {
    const locator = this.#locator();
    await this.#tell(name, (registry) => registry.release(locator));
  }

  *#claim(nowMs: number, underWay: readonly DueDomain[]): Generator<DueDomain, void, void> {
    for (const row of this.#rows.all()) {
      const { id, name, status } = row;
      if (underWay.some((due) => due.id === id) || !this.#lease(row, nowMs)) continue;
      yield { id, name, isLost: status === "failed" };
    }
  }

  /** Makes a row that is due wait until its lease is over; false if it is not due. */
  #lease(row: DomainRow | null, nowMs: number): boolean {
    if (row === null || row.due_at === null || row.due_at > nowMs) return false;
    this.#rows.save(row, { due_at: nowMs + RETRY_MS });
    return true;
  }

  /** A domain that cannot be checked holds no other up: it is due again when its lease is over. */
  async #attempt({ id, name, isLost }: DueDomain): Promise<void> {
    try {
      await (isLost ? this.#letGo(id) : this.check(id));
    } catch (error) {
      console.error(`The domain ${name} could not be checked and is checked again:`, error);
    }
  }

  async #check(id: string): Promise<Checked> {
    const asked = this.#rows.withId(id);
    if (asked === null) return refused(notFound("Domain"));
    const checked = await lookUpAll(setupOf(asked, this.#context.config()), this.#tools.lookup());
    const row = this.#living(id);
    if (row === null) return refused(notFound("Domain"));
    const results = Object.fromEntries(checked.map(({ record, result }) => [record, result]));
    const verdict = isDeployments(row.name, this.#context.config())
      ? "gone"
      : verdictOf(results as RecordResults);
    const now = this.#context.now();
    const seen = { results: JSON.stringify(results), ...(verdict === "unknown" ? {} : { checked_at: now }) };
    if (verdict === "good") return this.#take(row, seen, checked);
    this.#rows.save(row, { ...seen, ...without(row, verdict, now) });
    const isLost = row.status === "failed" || (row.status === "pending" && verdict === "gone");
    if (row.held === 1 && isLost) await this.#letGo(id);
    return this.#answerOf(id, checked);
  }

  /** Its records are right: the domain is this mailbox's, unless it is another's. */
  async #take(row: DomainRow, seen: Partial<DomainState>, checked: CheckedRecord[]): Promise<Checked> {
    const { id, name } = row;
    const now = this.#context.now();
    // Before the object is asked: should the process end before its answer, the alarm asks again.
    this.#rows.save(row, { ...seen, held: 1, due_at: now + RETRY_MS });
    const locator = this.#locator();
    const taken = await this.#tell(name, (registry) => registry.take(locator, now));
    const kept = this.#living(id);
    if (kept === null) return refused(notFound("Domain"));
    if (!taken) {
      this.#rows.save(kept, { ...LOST, status: kept.status === "pending" ? "pending" : "failed", held: 0 });
      return refused(conflict(`${name} is held by another mailbox`));
    }
    const since = kept.status === "verified" ? kept.verified_at : now;
    const state = { status: "verified" as const, verified_at: since, seen_at: now, gone_at: null };
    this.#rows.save(kept, { ...state, due_at: now + DAY_MS });
    return this.#answerOf(id, checked);
  }

  /** Tells the object of a domain that it is no longer this mailbox's, and writes down that it knows. */
  async #letGo(id: string): Promise<void> {
    const name = this.#rows.withId(id)?.name;
    if (name === undefined) return;
    await this.release(name);
    const row = this.#living(id);
    if (row !== null) this.#rows.save(row, { held: 0, due_at: null });
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
    const account = this.#context.account();
    if (account === null) throw new Error("There is no mailbox to hold a domain");
    return locatorOf(account.row.address);
  }

  /** A domain of a mailbox that has not ended meanwhile. */
  #living(id: string): DomainRow | null {
    const { account, now } = this.#context;
    return !this.#drain.isClosed && account()?.isLive(now()) === true ? this.#rows.withId(id) : null;
  }
}

/** How a domain stands that is lost. */
export const LOST = { status: "failed", verified_at: null, gone_at: null, due_at: null } as const;

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
