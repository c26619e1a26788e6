import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoredDomains } from "../../src/mailbox/domains/stored-domains.ts";
import type { DomainRow } from "../../src/mailbox/domains/rows.ts";
import { despiteFaults, holdsForAll, ring, settled, TEST_CLOCK, useTestClock, wait } from "./node-drain.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KEY = "MIIBIjANBgkq";
const NAMES = ["one.example", "two.example"];
const SELECTOR = "mk1";

/** How the resolver answers: the records are right, gone, it fails, or it says nothing. */
const RESOLVERS = ["good", "gone", "down", "silent"] as const;
type Resolver = (typeof RESOLVERS)[number];

/** A call of a domain's object that it has not answered. */
interface Held {
  /** Changes who holds the domain. */
  take: () => boolean;
  /** `isDone`: the call has its effect. `isLost`: the mailbox does not hear of it. */
  answer: (isDone: boolean, isLost: boolean) => void;
}

/** A mailbox with two domains, whose resolver and registry behave as the test says. */
class Rig {
  held: Held[] = [];
  resolver: Resolver = "good";
  /** Whether another mailbox holds the domains that this one asks for. */
  isTaken = false;
  /** The domains that the registry says are this mailbox's. */
  readonly owned = new Set<string>();
  readonly broken: string[] = [];
  readonly #asked = new Set<string>();
  #process = 0;
  mailbox!: NodeMailbox;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    rig.mailbox = await NodeMailbox.create(TEST_CLOCK, {
      DOMAIN: { getByName: (name: string) => rig.#registryOf(name) },
      OPERATOR_NETWORK: {
        fetch: (url: string, init?: RequestInit) => rig.#resolve(new URL(url), init?.signal),
      },
      MAIL_HOST: "mx.mailkeep.test",
    });
    const { context, domains } = rig.mailbox.life;
    const stored = new StoredDomains(context);
    context.commit(() => {
      for (const name of NAMES) {
        const domain = { id: name, name, selector: SELECTOR, pair: { privateKey: KEY, publicKey: KEY } };
        stored.add(domain, Date.now());
      }
    });
    domains.forget();
    return rig;
  }

  #registryOf(name: string) {
    return {
      take: () =>
        this.#call(() => {
          if (!this.isTaken) this.owned.add(name);
          return this.owned.has(name);
        }),
      release: () => this.#call(() => this.owned.delete(name)),
    };
  }

  #call(take: () => boolean): Promise<boolean> {
    if (this.held.length > 0) this.broken.push("two calls of the registry at once");
    return new Promise((resolve, reject) => {
      const held: Held = {
        take,
        answer: (isDone, isLost) => {
          this.held = this.held.filter((one) => one !== held);
          const result = isDone ? take() : null;
          if (result === null || isLost) reject(new Error("The network is down"));
          else resolve(result);
        },
      };
      this.held.push(held);
    });
  }

  async #resolve({ searchParams }: URL, signal: AbortSignal | null | undefined): Promise<Response> {
    const [name, type] = [searchParams.get("name") ?? "", searchParams.get("type") ?? ""];
    const question = `${this.#process} ${name} ${type}`;
    if (this.#asked.has(question)) this.broken.push(`asked twice at once: ${question}`);
    this.#asked.add(question);
    try {
      if (this.resolver === "down") return new Response("", { status: 500 });
      if (this.resolver === "silent") {
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("late"))));
      }
      await settledOnce();
      return this.resolver === "good" ? recordsOf(name, type) : noRecords();
    } finally {
      this.#asked.delete(question);
    }
  }

  get rows(): Pick<DomainRow, "name" | "status" | "held" | "due_at">[] {
    return this.mailbox.rows("SELECT name, status, held, due_at FROM domain ORDER BY name");
  }

  /** @param isDone whether a call that is under way still has its effect. */
  die(isDone: boolean): void {
    if (isDone) for (const { take } of this.held) take();
    // The dead hear nothing, and ask nothing more.
    this.held = [];
    this.#process += 1;
    this.mailbox.die();
  }

  check(): string[] {
    const { rows } = this;
    const isWaiting = rows.some(({ due_at }) => due_at !== null);
    const unheld = rows.filter(({ held }) => held === 0).map(({ name }) => name);
    return [
      ...this.broken,
      ...this.mailbox.storage.late.map((query) => `written by a dead process: ${query}`),
      ...rows
        .filter(({ held, due_at }) => held === 1 && due_at === null)
        .map(({ name }) => `${name} is forgotten`),
      ...unheld.filter((name) => this.owned.has(name)).map((name) => `${name} is held and nobody knows`),
      ...(isWaiting && this.mailbox.storage.alarm === null ? ["has no alarm"] : []),
    ];
  }

  async answerAll(): Promise<void> {
    while (this.held.length > 0) {
      for (const { answer } of this.held) answer(true, false);
      await settled();
    }
  }

  /** The records are gone for good and nothing fails. The alarm alone goes on, until there is none. */
  async lose(): Promise<void> {
    this.mailbox.storage.failing = 0;
    this.resolver = "gone";
    for (let turn = 0; turn < 100 && this.mailbox.storage.alarm !== null; turn += 1) {
      await this.answerAll();
      await ring(this.mailbox);
    }
    await this.answerAll();
  }
}

const noRecords = () => Response.json({ Status: 0, Answer: [] });

/** The records that count, as a resolver answers them. */
function recordsOf(name: string, type: string): Response {
  if (type === "MX")
    return Response.json({ Status: 0, Answer: [{ type: 15, data: "10 mx.mailkeep.test." }] });
  if (!name.startsWith(SELECTOR)) return noRecords();
  return Response.json({ Status: 0, Answer: [{ type: 16, data: `"v=DKIM1; k=rsa; p=${KEY}"` }] });
}

function settledOnce(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Step =
  | { do: "verify"; id: string }
  | { do: "answer"; at: number; isDone: boolean; isLost: boolean }
  | { do: "wait"; ms: number }
  | { do: "resolver"; resolver: Resolver }
  | { do: "die"; isDone: boolean }
  | { do: "fail" | "ring" | "taken" | "free" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("verify" as const), id: fc.constantFrom(...NAMES) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("die" as const), isDone: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at: fc.nat(3),
      isDone: fc.constantFrom(true, true, true, false),
      isLost: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 5_000, HOUR_MS, 8 * DAY_MS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("resolver" as const), resolver: fc.constantFrom(...RESOLVERS) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["fail", "ring", "ring", "taken", "free"] as const)),
    }),
  },
);

async function take(rig: Rig, one: Step): Promise<void> {
  const { domains } = rig.mailbox.life;
  switch (one.do) {
    case "verify":
      // Whoever asked hears of the fault.
      domains.verifyDomain(OPERATOR, one.id).catch(() => undefined);
      return settled();
    case "answer":
      rig.held[one.at % Math.max(1, rig.held.length)]?.answer(one.isDone, one.isLost);
      return settled();
    case "wait":
      return wait(one.ms);
    case "resolver":
      rig.resolver = one.resolver;
      return undefined;
    case "fail":
      rig.mailbox.storage.failing = 1;
      return undefined;
    case "ring":
      return despiteFaults(() => ring(rig.mailbox));
    case "die":
      rig.die(one.isDone);
      return settled();
    case "taken":
    case "free":
      rig.isTaken = one.do === "taken";
      return undefined;
  }
}

/** A mailbox whose first domain is verified. */
async function withVerified(work: (rig: Rig, verified: () => DomainRow["status"]) => Promise<void>) {
  const rig = await Rig.start();
  const [id = ""] = NAMES;
  void rig.mailbox.life.domains.verifyDomain(OPERATOR, id);
  await settled();
  await rig.answerAll();
  const status = () => rig.rows.find(({ name }) => name === id)?.status ?? "pending";
  expect(status()).toBe("verified");
  await work(rig, status);
}

describe("the domains of a mailbox", () => {
  useTestClock();

  it("are never looked up twice at the same time, and released when their records are gone, whatever process dies or call fails", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) {
        await take(rig, one);
        expect(rig.check()).toEqual([]);
      }
      await rig.lose();
      expect(rig.check()).toEqual([]);
      expect([[...rig.owned], rig.rows.filter(({ held, due_at }) => held === 1 || due_at !== null)]).toEqual([
        [],
        [],
      ]);
    });
  });

  it("are all released when the mailbox ends, and no row is written after that", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) await take(rig, one);
      rig.mailbox.storage.failing = 0;
      const end = rig.mailbox.life.lifecycle.end();
      await settled();
      await rig.answerAll();
      await end;
      await wait(HOUR_MS);
      await rig.answerAll();
      expect([rig.mailbox.storage.late, [...rig.owned]]).toEqual([[], []]);
    });
  });

  it("are looked up daily, also while the mailbox is paused, and again an hour after the process died in a look-up", async () => {
    await withVerified(async (rig) => {
      await rig.mailbox.life.settings.pause(OPERATOR, null);
      const due = Date.now() + DAY_MS;
      expect(rig.rows[0]?.due_at).toBe(due);
      while (Date.now() < due) await ring(rig.mailbox);
      expect(rig.held).toHaveLength(1);
      const dead = Date.now();
      rig.die(false);
      await settled();
      while (rig.held.length === 0) await ring(rig.mailbox);
      expect(Date.now() - dead).toBe(HOUR_MS);
    });
  });

  it("are not changed by a look-up whose process has died", async () => {
    await withVerified(async (rig) => {
      rig.resolver = "silent";
      void rig.mailbox.life.domains.verifyDomain(OPERATOR, NAMES[0] ?? "");
      await settled();
      rig.die(false);
      await wait(MINUTE_MS);
      expect([rig.mailbox.storage.late, rig.held]).toEqual([[], []]);
    });
  });

  it("fail exactly one week after their records were first found missing", async () => {
    await withVerified(async (rig, status) => {
      rig.resolver = "gone";
      let goneAt = 0;
      while (status() === "verified") {
        await ring(rig.mailbox);
        if (goneAt === 0 && rig.mailbox.rows("SELECT 1 FROM domain WHERE gone_at IS NOT NULL").length > 0) {
          goneAt = Date.now();
        }
      }
      expect([status(), Date.now() - goneAt]).toEqual(["failed", 7 * DAY_MS]);
    });
  });
});
