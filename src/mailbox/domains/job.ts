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
/** The lease of a look-up, and the delay after one without a result, in ms. */
export const RETRY_MS = 3_600_000;
/** The pause after an error of this service, in ms. */
const FAULT_PAUSE_MS = 60_000;

/** The object of a domain, which stores its holder. */
type Registry = Pick<ReturnType<Env["DOMAIN"]["getByName"]>, "take" | "release">;

/** Everything that looking domains up needs, besides the mailbox. */
export interface DomainTools {
  lookup: () => Lookup;
  registryOf: (domain: string) => Registry;
}

/** The outcome of a look-up: the domain and its records, or the reason why it cannot be taken. */
type Checked = Answer<DomainCheck>;

/** A domain that must be looked up or released now. */
interface DueDomain {
  id: string;
  name: string;
  /** Whether the mailbox has lost the domain, so that the domain's object must be told. */
  isLost: boolean;
}

/**
 * Looks domains up when a client asks and when they are due, also while the mailbox is paused. `held` is set in a row
 * before the domain's object is asked to name this mailbox, and cleared once the object is known not to name it. So if a
 * process dies in between, the alarm continues.
 */
export class DomainJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: DomainTools;
  readonly #rows: StoredDomains;
  readonly #drain: Drain<DueDomain>;
  readonly #underWay = new Map<string, Promise<Checked>>();
  /** The latest call of a domain's object. The next call waits for it, as calls through two stubs may overtake each other. */
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

  /** Looks up the records of a domain, and takes or loses it accordingly. Simultaneous calls for a domain share one look-up. */
  check(id: string): Promise<Checked> {
    const running = this.#underWay.get(id);
    if (running !== undefined) return running;
    const begun = this.#check(id).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, begun);
    return begun;
  }

  /** Tells the object of a domain that this mailbox no longer holds it. */
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

  /** Sets the due time of a due row to the end of its lease; false if the row is not due. */
  #lease(row: DomainRow | null, nowMs: number): boolean {
    if (row === null || row.due_at === null || row.due_at > nowMs) return false;
    this.#rows.save(row, { due_at: nowMs + RETRY_MS });
    return true;
  }

  /** Looks up or releases one domain. An error delays only this domain, which is due again when its lease ends. */
  async #attempt({ id, name, isLost }: DueDomain): Promise<void> {
    try {
      await (isLost ? this.#letGo(id) : this.check(id));
    } catch (error) {
      console.error(`The domain ${name} could not be checked; it is checked again later:`, error);
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

  /** Takes a domain whose records are right. 409 if another mailbox holds it. */
  async #take(row: DomainRow, seen: Partial<DomainState>, checked: CheckedRecord[]): Promise<Checked> {
    const { id, name } = row;
    const now = this.#context.now();
    // Stored before the object is called: if the process dies before the answer, the alarm calls it again.
    this.#rows.save(row, { ...seen, held: 1, due_at: now + RETRY_MS });
    const locator = this.#locator();
    const taken = await this.#tell(name, (registry) => registry.take(locator, now));
    const kept = this.#living(id);
    if (kept === null) return refused(notFound("Domain"));
    if (!taken) {
      this.#rows.save(kept, { ...LOST, status: kept.status === "pending" ? "pending" : "failed", held: 0 });
      return refused(
        conflict(
          `${name} is held by another mailbox`,
          "Let that mailbox call DELETE /v1/domains/<id> first, then repeat the call.",
        ),
      );
    }
    const since = kept.status === "verified" ? kept.verified_at : now;
    const state = { status: "verified" as const, verified_at: since, seen_at: now, gone_at: null };
    this.#rows.save(kept, { ...state, due_at: now + DAY_MS });
    return this.#answerOf(id, checked);
  }

  /** Tells the object of a domain that this mailbox no longer holds it, and then stores that it was told. */
  async #letGo(id: string): Promise<void> {
    const name = this.#rows.withId(id)?.name;
    if (name === undefined) return;
    await this.release(name);
    const row = this.#living(id);
    if (row !== null) this.#rows.save(row, { held: 0, due_at: null });
  }

  /** Calls the object of a domain when the call before has ended. */
  #tell<T>(name: string, say: (registry: Registry) => Promise<T>): Promise<T> {
    // The caller of the call before has received its error.
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

  /** The row of a domain; null if the domain was removed or the mailbox has ended meanwhile. */
  #living(id: string): DomainRow | null {
    const { account, now } = this.#context;
    return !this.#drain.isClosed && account()?.isLive(now()) === true ? this.#rows.withId(id) : null;
  }
}

/** The state of a domain that the mailbox has lost. */
export const LOST = { status: "failed", verified_at: null, gone_at: null, due_at: null } as const;

/**
 * The new state of a domain of which not all records were found. Only records that are certainly missing count, and a
 * verified domain fails only after a week.
 */
function without(row: DomainRow, verdict: "gone" | "unknown", nowMs: number): Partial<DomainState> {
  if (row.held === 0) return {};
  if (verdict === "unknown" || row.status !== "verified") return { due_at: nowMs + RETRY_MS };
  // The clock may have moved backwards.
  const goneAt = Math.min(row.gone_at ?? nowMs, nowMs);
  const end = goneAt + GRACE_MS;
  if (nowMs >= end) return { ...LOST, due_at: nowMs + RETRY_MS };
  return { gone_at: goneAt, due_at: Math.min(nowMs + DAY_MS, end) };
}

/** Looks up all records of a domain. Never rejects: a record that cannot be looked up has the result `unknown`. */
async function lookUpAll(setup: DomainSetup, lookup: Lookup): Promise<CheckedRecord[]> {
  const records = recordsOf(setup);
  return Promise.all(
    RECORD_NAMES.map(async (record) => {
      const { type, host } = records[record];
      const answers = await (type === "MX" ? lookup(host, "MX") : lookup(host, "TXT")).catch(
        (error: unknown) => {
          // Only the operator sees the resolver's own words.
          console.error(`The resolver (RESOLVER) did not answer for ${type} of ${host}:`, error);
          return null;
        },
      );
      return judgeRecord(setup, record, answers);
    }),
  );
}
