import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ledger, type Forwarded } from "../../src/cli/listen/ledger.ts";
import type { Progress } from "../../src/cli/listen/state.ts";
import { FAILURE_THRESHOLD, MAX_ATTEMPTS } from "../../src/webhooks/schedule.ts";

const eventOf = (seq: number): Forwarded => ({
  seq,
  event: "message.received",
  emailId: `e${seq}`,
  body: `{"seq":${seq}}`,
});
const START: Progress = { after: 0, settled: [], failed: new Map(), underway: [] };

/** A progress as it is read from a file: without any object of the process that wrote it. */
const stored = ({ after, settled, failed, underway }: Progress): Progress => ({
  after,
  settled: [...settled],
  failed: new Map(failed),
  underway: [...underway],
});

interface Run {
  events: number;
  /** Of each attempt in turn: whether it succeeds, fails, or the process is killed before its result is stored. */
  fates: ("ok" | "fails" | "killed before" | "killed after")[];
}

const runs: fc.Arbitrary<Run> = fc.record({
  events: fc.integer({ min: 1, max: 12 }),
  fates: fc.array(fc.constantFrom("ok", "ok", "fails", "killed before", "killed after"), { maxLength: 40 }),
});

/** How often each event came. */
type Counts = Map<number, number>;
const timesOf = (counts: Counts, seq: number): number => counts.get(seq) ?? 0;
const count = (counts: Counts, seq: number): void => void counts.set(seq, timesOf(counts, seq) + 1);

/** Counts the events that a receiver saw and that forwarders announced, while processes were killed. */
class World {
  readonly received: Counts = new Map();
  readonly announced: Counts = new Map();
  readonly failures: Counts = new Map();
  kept = START;
  readonly #fates: Run["fates"];
  readonly #events: number;

  constructor({ events, fates }: Run) {
    this.#events = events;
    this.#fates = [...fates];
  }

  /** Starts processes, each from what the one before stored, until one comes to the end. */
  play(): this {
    while (!this.#live());
    return this;
  }

  /** The life of one process; true if it came to the end of the log. */
  #live(): boolean {
    const ledger = new Ledger(stored(this.kept));
    for (const seq of ledger.interrupted) count(this.announced, seq);
    // The log is read again from where the progress ends.
    for (let seq = this.kept.after + 1; seq <= this.#events; seq += 1) ledger.add(seq, eventOf(seq), 0);
    for (let nowMs = 0; ledger.outstanding > 0 && !ledger.hasFailed; nowMs = ledger.nextDueAt ?? nowMs) {
      const begun = ledger.begin(nowMs);
      this.kept = stored(ledger.progress);
      if (!begun.every(({ forwarded }) => this.#attempt(ledger, forwarded.seq, nowMs))) return false;
    }
    return true;
  }

  /** One attempt; false if the process is killed in it. */
  #attempt(ledger: Ledger, seq: number, nowMs: number): boolean {
    const fate = this.#fates.shift() ?? "ok";
    if (fate === "ok" || fate === "killed after") count(this.received, seq);
    if (fate === "killed before" || fate === "killed after") return false;
    if (fate === "fails") count(this.failures, seq);
    ledger.settle(seq, fate === "ok", nowMs);
    this.kept = stored(ledger.progress);
    return true;
  }
}

describe("the ledger of forwarded events", () => {
  it("delivers each event, and a second time only what it says was under way at a kill", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const world = new World(run).play();
        const seqs = Array.from({ length: run.events }, (_, at) => at + 1);
        const lost = seqs.filter(
          (seq) => timesOf(world.received, seq) === 0 && timesOf(world.failures, seq) < MAX_ATTEMPTS,
        );
        const unannounced = seqs.filter(
          (seq) => timesOf(world.received, seq) > 1 + timesOf(world.announced, seq),
        );
        expect({ lost, unannounced }).toEqual({ lost: [], unannounced: [] });
        expect(stored(world.kept)).toEqual({
          after: run.events,
          settled: [],
          failed: new Map(),
          underway: [],
        });
      }),
      { numRuns: 400 },
    );
  });

  it("passes over what webhooks do not deliver", () => {
    const ledger = new Ledger(START);
    ledger.add(1, null, 0);
    ledger.add(2, eventOf(2), 0);
    ledger.add(3, null, 0);
    expect([ledger.progress.after, ledger.outstanding]).toEqual([1, 1]);
    ledger.begin(0);
    expect(ledger.settle(2, true, 0)).toBe("delivered");
    expect(ledger.progress.after).toBe(3);
  });

  it("retries after 1, 3 and 8 seconds, gives up, and stops after ten in a row", () => {
    const ledger = new Ledger(START);
    for (let seq = 1; seq <= FAILURE_THRESHOLD + 1; seq += 1) ledger.add(seq, eventOf(seq), 0);
    const dues: (number | null)[] = [];
    const verdicts: string[] = [];
    for (let seq = 1; !ledger.hasFailed;) {
      const [begun] = ledger.begin(ledger.nextDueAt ?? 0);
      seq = begun?.forwarded.seq ?? seq;
      const verdict = ledger.settle(seq, false, 0);
      verdicts.push(verdict);
      if (seq === 1 && verdict === "retry") dues.push(ledger.progress.failed.get(1) ?? null);
    }
    expect(dues).toEqual([1, 2, 3]);
    expect(verdicts.filter((verdict) => verdict === "failed").length).toBe(FAILURE_THRESHOLD);
    expect(ledger.begin(1e9)).toEqual([]);
    expect(ledger.outstanding).toBe(1);
  });
});
