import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  despiteFaults,
  holdsForAll,
  mailOf,
  ring,
  settled,
  TEST_CLOCK,
  useTestClock,
  wait,
} from "./node-drain.ts";
import { NodeMailbox } from "./node-mailbox.ts";

const GATHER_MS = 200;
const REFUSED = "refused";

/** Texts that the model was given and has not answered. */
interface Held {
  texts: readonly string[];
  process: number;
  answer: (status: number | null, mark?: number) => void;
}

/** A mailbox whose model answers when the test says so. */
class Rig {
  held: Held[] = [];
  readonly broken: string[] = [];
  #process = 0;
  #mails = 0;
  mailbox!: NodeMailbox;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    const network = { fetch: (_: string, init: RequestInit) => rig.#fetch(init) };
    rig.mailbox = await NodeMailbox.create(TEST_CLOCK, {
      EMBEDDINGS_URL: "http://model.example/v1/embeddings",
      EMBEDDINGS_MODEL: "tiny",
      OPERATOR_NETWORK: network,
    });
    return rig;
  }

  /** The model: it refuses texts that say so, whoever else is asked with them. */
  #fetch({ body, signal }: RequestInit): Promise<Response> {
    const { input: texts } = JSON.parse(body as string) as { input: string[] };
    const process = this.#process;
    if (this.alive.length > 0) this.broken.push("two calls at once");
    return new Promise((resolve, reject) => {
      const answer: Held["answer"] = (status, mark = 1) => {
        this.held = this.held.filter((one) => one !== held);
        if (status === null) return reject(new TypeError("connection refused"));
        const isRefused = texts.some((text) => text.includes(REFUSED));
        const data = texts.map((_, index) => ({ index, embedding: [1, mark] }));
        return resolve(Response.json({ data }, { status: isRefused && status === 200 ? 400 : status }));
      };
      const held: Held = { texts, process, answer };
      signal?.addEventListener("abort", () => answer(null));
      this.held.push(held);
    });
  }

  get alive(): Held[] {
    return this.held.filter(({ process }) => process === this.#process);
  }

  async mail(name = ""): Promise<void> {
    this.#mails += 1;
    await this.mailbox.life.receiving.receive(mailOf(`${name}-${this.#mails}`));
    await settled();
  }

  die(): void {
    this.#process += 1;
    this.mailbox.die();
  }

  get progress() {
    return this.mailbox.life.embeddings.progress();
  }

  get vectors(): number {
    const isMade = this.mailbox.rows("SELECT 1 FROM sqlite_master WHERE name = 'embedding'").length > 0;
    return isMade ? this.mailbox.rows("SELECT seq FROM embedding").length : 0;
  }

  check(): string[] {
    const { progress, vectors } = this;
    const stored = this.mailbox.rows("SELECT seq FROM message").length;
    const { embedded = 0, pending = 0, failed = 0 } = progress ?? {};
    return [
      ...this.broken,
      ...this.mailbox.storage.late.map((query) => `written by a dead process: ${query}`),
      ...(embedded === vectors ? [] : [`counts ${embedded} vectors of ${vectors}`]),
      ...(embedded + pending + failed === stored ? [] : ["counts messages wrong"]),
      ...(pending > 0 && this.mailbox.storage.alarm === null ? ["has no alarm"] : []),
    ];
  }

  /** Nothing fails any more. The alarm alone goes on. */
  async finish(): Promise<void> {
    this.mailbox.storage.failing = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      while (this.held.length > 0) {
        for (const { answer } of this.held) answer(200);
        await settled();
      }
      if (this.progress?.pending === 0) return;
      await ring(this.mailbox);
    }
  }
}

type Step =
  | { do: "answer"; at: number; status: number | null }
  | { do: "wait"; ms: number }
  | { do: "mail"; name: string }
  | { do: "fail" | "ring" | "die" | "again" | "gaps" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("mail" as const), name: fc.constantFrom("a", "b", REFUSED) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at: fc.nat(3),
      status: fc.constantFrom(200, 200, 200, 500, null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(GATHER_MS, 15_000, 60_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["fail", "ring", "ring", "die", "again", "gaps"] as const)),
    }),
  },
);

async function take(rig: Rig, one: Step): Promise<void> {
  const { life, storage } = rig.mailbox;
  switch (one.do) {
    case "mail":
      return despiteFaults(() => rig.mail(one.name));
    case "answer":
      rig.held[one.at % Math.max(1, rig.held.length)]?.answer(one.status);
      return settled();
    case "wait":
      return wait(one.ms);
    case "ring":
      return despiteFaults(() => ring(rig.mailbox));
    case "fail":
      storage.failing = 1;
      return undefined;
    case "die":
      rig.die();
      return settled();
    case "again":
      return despiteFaults(() => life.context.write(() => life.embeddings.startOver()));
    case "gaps":
      return despiteFaults(() => life.context.write(() => life.embeddings.fillGaps()));
  }
}

describe("the mail of a mailbox with a model", () => {
  useTestClock();

  it("is all embedded except texts that the model refuses, by one call at a time, whatever process dies or call fails", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) {
        await take(rig, one);
        expect(rig.check()).toEqual([]);
      }
      await rig.finish();
      const refused = rig.mailbox.rows(`SELECT seq FROM message WHERE listing LIKE '%${REFUSED}%'`).length;
      expect(rig.check()).toEqual([]);
      expect(rig.progress).toMatchObject({ pending: 0, failed: refused, error: null });
    });
  });

  it("gets no vector after the mailbox has ended", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) await take(rig, one);
      rig.mailbox.storage.failing = 0;
      await rig.mailbox.life.lifecycle.end();
      for (const { answer } of rig.held) answer(200);
      await wait(60_000);
      expect(rig.mailbox.storage.late).toEqual([]);
    });
  });

  it("is gathered for 200 ms and embedded together", async () => {
    const rig = await Rig.start();
    for (const name of ["a", "b", "c"]) await rig.mail(name);
    expect(rig.held).toEqual([]);
    await wait(GATHER_MS);
    expect(rig.held.map(({ texts }) => texts.length)).toEqual([3]);
  });

  it("is retried after growing delays of at most an hour while the model fails, and the progress shows the error", async () => {
    const rig = await Rig.start();
    await rig.mail();
    await wait(GATHER_MS);
    const pauses: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      while (rig.held.length > 0) {
        rig.held[0]?.answer(500);
        await settled();
      }
      expect(rig.progress?.error).not.toBeNull();
      const failedAt = Date.now();
      while (rig.held.length === 0) await ring(rig.mailbox);
      pauses.push((Date.now() - failedAt) / 1_000);
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    await rig.finish();
    expect(rig.progress).toMatchObject({ embedded: 1, error: null });
  });

  it("is embedded again if embedding starts over during a call: the vectors of the older texts are dropped", async () => {
    const rig = await Rig.start();
    await rig.mail();
    await wait(GATHER_MS);
    rig.held[0]?.answer(200);
    await settled();
    const { context, embeddings } = rig.mailbox.life;
    context.write(() => embeddings.startOver());
    await ring(rig.mailbox);
    await rig.mailbox.ring();
    context.write(() => embeddings.startOver());
    rig.held[0]?.answer(200, -1);
    await settled();
    const vector = () => rig.mailbox.rows<{ vector: ArrayBuffer }>("SELECT vector FROM embedding")[0]?.vector;
    const before = new Int8Array(vector() ?? new ArrayBuffer());
    expect(before.at(-1)).toBeGreaterThan(0);
    rig.held[0]?.answer(200, -1);
    await settled();
    expect(new Int8Array(vector() ?? new ArrayBuffer()).at(-1)).toBeLessThan(0);
  });
});
