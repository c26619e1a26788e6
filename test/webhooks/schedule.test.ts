import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterDelivery,
  ATTEMPT_TIMEOUT_MS,
  chooseDue,
  FAILURE_THRESHOLD,
  MAX_ATTEMPTS,
  MAX_CONCURRENT,
  MAX_PER_TARGET,
  MAX_TROUBLED,
  nextAttemptAt,
  type DueJob,
  type TargetState,
} from "../../src/webhooks/schedule.ts";

describe("the next attempt", () => {
  it("is 0, 1, 3 and 8 s after the end of the one before, and there is no fifth", () => {
    expect([0, 1, 2, 3, 4, 5].map((made) => nextAttemptAt(made, 1_000_000))).toEqual([
      1_000_000,
      1_001_000,
      1_003_000,
      1_008_000,
      null,
      null,
    ]);
    expect(MAX_ATTEMPTS).toBe(4);
  });
});

describe("a target", () => {
  const run = (outcomes: readonly boolean[], start: TargetState = { failures: 0, status: "active" }) =>
    outcomes.reduce(afterDelivery, start);

  it("fails at ten failed deliveries in a row, not at nine", () => {
    expect(run(Array<boolean>(9).fill(false))).toEqual({ failures: 9, status: "active" });
    expect(run(Array<boolean>(10).fill(false))).toEqual({ failures: 10, status: "failed" });
    expect(FAILURE_THRESHOLD).toBe(10);
  });

  it("has its count cleared by one success", () => {
    expect(run([...Array<boolean>(9).fill(false), true])).toEqual({ failures: 0, status: "active" });
  });

  it("stays failed, whatever attempts end later", () => {
    const failed: TargetState = { failures: 10, status: "failed" };
    expect(run([true], failed)).toEqual(failed);
    expect(run([false, true, false], failed)).toEqual(failed);
  });

  it("fails if and only if ten deliveries in a row failed", () => {
    const outcomes = fc.array(fc.boolean(), { maxLength: 60 });
    fc.assert(
      fc.property(outcomes, fc.nat(50), (mixed, at) => {
        const tenInRow = [...mixed.slice(0, at), ...Array<boolean>(10).fill(false), ...mixed.slice(at)];
        for (const all of [mixed, tenInRow]) {
          const text = all.map((ok) => (ok ? "+" : "-")).join("");
          expect(run(all).status === "failed").toBe(text.includes("-".repeat(10)));
        }
      }),
    );
  });
});

/** How a target behaves: how long each attempt takes, and whether it succeeds. */
interface Behaviour {
  takesMs: number;
  succeeds: (attempt: number) => boolean;
}

const HANGING: Behaviour = { takesMs: ATTEMPT_TIMEOUT_MS, succeeds: () => false };

interface Start {
  job: DueJob;
  atMs: number;
}

/** Deliveries on a simulated clock. */
class Simulation {
  readonly jobs = new Map<number, DueJob>();
  readonly running = new Map<number, { job: DueJob; endsAt: number }>();
  readonly starts: Start[] = [];
  nowMs = 0;
  #coming: readonly DueJob[];
  readonly #behaviourOf: (target: number) => Behaviour;

  constructor(arrivals: readonly DueJob[], behaviourOf: (target: number) => Behaviour) {
    this.#coming = arrivals;
    this.#behaviourOf = behaviourOf;
  }

  arrive(): void {
    for (const job of this.#coming) if (job.dueAt <= this.nowMs) this.jobs.set(job.id, job);
    this.#coming = this.#coming.filter(({ dueAt }) => dueAt > this.nowMs);
  }

  finish(): void {
    for (const [id, { job, endsAt }] of this.running) {
      if (endsAt > this.nowMs) continue;
      this.running.delete(id);
      const attempts = job.attempts + 1;
      const succeeded = this.#behaviourOf(job.target).succeeds(attempts);
      const dueAt = succeeded ? null : nextAttemptAt(attempts, this.nowMs);
      if (dueAt === null) this.jobs.delete(id);
      else this.jobs.set(id, { ...job, attempts, dueAt });
    }
  }

  start(): void {
    const chosen = chooseDue([...this.jobs.values()], new Set(this.running.keys()), this.nowMs);
    for (const id of chosen) {
      const job = this.jobs.get(id);
      if (job === undefined) throw new Error("chose a job that is not there");
      if (this.running.has(id)) throw new Error("chose a job that is under way");
      if (job.dueAt > this.nowMs) throw new Error("chose a job that is not due");
      this.running.set(id, { job, endsAt: this.nowMs + this.#behaviourOf(job.target).takesMs });
      this.starts.push({ job, atMs: this.nowMs });
    }
  }

  /** Moves the clock to the next event; false if there is none. */
  advance(): boolean {
    const waiting = [...this.jobs.values()].filter(({ id }) => !this.running.has(id));
    const next = [
      ...[...this.running.values()].map(({ endsAt }) => endsAt),
      ...[...waiting, ...this.#coming].map(({ dueAt }) => dueAt),
    ].filter((at) => at > this.nowMs);
    this.nowMs = Math.min(...next);
    return next.length > 0;
  }
}

/** Runs jobs to the end, and calls `chooseDue` whenever an attempt ends or becomes due. */
function drain(
  arrivals: readonly DueJob[],
  behaviourOf: (target: number) => Behaviour,
  check: (running: readonly DueJob[], jobs: readonly DueJob[], nowMs: number) => void = () => undefined,
): Start[] {
  const simulation = new Simulation(arrivals, behaviourOf);
  do {
    simulation.arrive();
    simulation.finish();
    simulation.start();
    const running = [...simulation.running.values()].map(({ job }) => job);
    check(running, [...simulation.jobs.values()], simulation.nowMs);
  } while (simulation.advance());
  expect(simulation.jobs.size).toBe(0);
  return simulation.starts;
}

const behaviour = fc.record({
  takesMs: fc.constantFrom(1, 20, 400, ATTEMPT_TIMEOUT_MS),
  succeedsAt: fc.integer({ min: 1, max: MAX_ATTEMPTS + 1 }),
});

const scenario = fc.record({
  targets: fc.array(behaviour, { minLength: 1, maxLength: 9 }),
  events: fc.array(fc.record({ target: fc.nat(8), afterMs: fc.constantFrom(0, 0, 0, 1, 300, 5_000) }), {
    maxLength: 40,
  }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function jobsOf({ targets, events }: Scenario): DueJob[] {
  let dueAt = 0;
  return events.map(({ target, afterMs }, index) => {
    dueAt += afterMs;
    return { id: 1_000 - index, target: target % targets.length, seq: index + 1, attempts: 0, dueAt };
  });
}

const behaviourIn =
  ({ targets }: Scenario) =>
  (target: number): Behaviour => {
    const { takesMs, succeedsAt } = targets[target] ?? { takesMs: 1, succeedsAt: 1 };
    return { takesMs, succeeds: (attempt) => attempt >= succeedsAt };
  };

describe("the jobs to start", () => {
  it("include every job until its target accepts it, and at most four times", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const jobs = jobsOf(given);
        const starts = drain(jobs, behaviourIn(given));
        for (const { id, target } of jobs) {
          const attempts = starts.filter(({ job }) => job.id === id).map(({ job }) => job.attempts);
          const needed = Math.min(MAX_ATTEMPTS, given.targets[target]?.succeedsAt ?? 1);
          expect(attempts).toEqual(Array.from({ length: needed }, (_, attempt) => attempt));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keep the first attempts of each target in order of seq", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const starts = drain(jobsOf(given), behaviourIn(given));
        for (const target of given.targets.keys()) {
          const firsts = starts.filter(({ job }) => job.target === target && job.attempts === 0);
          const seqs = firsts.map(({ job }) => job.seq);
          expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("never exceed the limits of the mailbox and of a target, and never include two retries of one target", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        drain(jobsOf(given), behaviourIn(given), (running) => {
          expect(running.length).toBeLessThanOrEqual(MAX_CONCURRENT);
          for (const same of Map.groupBy(running, ({ target }) => target).values()) {
            expect(same.length).toBeLessThanOrEqual(MAX_PER_TARGET);
            expect(same.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(1);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it("leave no slot empty that a due job may use", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        drain(jobsOf(given), behaviourIn(given), (running, jobs, nowMs) => {
          const troubled = new Set(jobs.filter(({ attempts }) => attempts > 0).map(({ target }) => target));
          const ids = new Set(running.map(({ id }) => id));
          const idle = jobs.filter(
            ({ id, target, dueAt }) => !ids.has(id) && dueAt <= nowMs && !troubled.has(target),
          );
          const free = running.length < MAX_CONCURRENT;
          for (const { target } of free ? idle : []) {
            expect(running.filter((job) => job.target === target)).toHaveLength(MAX_PER_TARGET);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it("never delay a target that answers because of targets that hang, however many jobs these have", () => {
    const hanging = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(hanging, fc.integer({ min: 1, max: 8 }), fc.nat(90_000), (targets, each, atMs) => {
        const backlog = Array.from({ length: targets * each }, (_, index) => ({
          id: index,
          target: index % targets,
          seq: index + 1,
          // The oldest of each target failed once before.
          attempts: index < targets ? 1 : 0,
          dueAt: 0,
        }));
        const late = { id: -1, target: -1, seq: 10_000, attempts: 0, dueAt: atMs };
        const answers = (target: number): Behaviour =>
          target < 0 ? { takesMs: 5, succeeds: () => true } : HANGING;
        const known = (jobs: readonly DueJob[]) =>
          new Set(jobs.filter(({ attempts }) => attempts > 0).map(({ target }) => target)).size;
        let allKnown = true;
        const starts = drain([...backlog, late], answers, (_, jobs, nowMs) => {
          const waiting = new Set(jobs.filter(({ target }) => target >= 0).map(({ target }) => target)).size;
          if (nowMs <= atMs) allKnown = known(jobs) === waiting;
        });
        const start = starts.find(({ job }) => job.id === -1);
        expect(start?.atMs ?? Infinity).toBeLessThanOrEqual(atMs + (allKnown ? 0 : ATTEMPT_TIMEOUT_MS));
      }),
      { numRuns: 100 },
    );
  });

  it("keep no target waiting for ever if all others begin to hang at once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 6 }), (targets, each) => {
        const backlog = Array.from({ length: targets * each }, (_, index) => ({
          id: index,
          target: index % targets,
          seq: index + 1,
          attempts: 0,
          dueAt: 0,
        }));
        const late = { id: -1, target: -1, seq: 10_000, attempts: 0, dueAt: 1 };
        const answers = (target: number): Behaviour =>
          target < 0 ? { takesMs: 5, succeeds: () => true } : HANGING;
        const start = drain([...backlog, late], answers).find(({ job }) => job.id === -1);
        // Each target is tried once before it is known to hang.
        expect(start?.atMs ?? Infinity).toBeLessThanOrEqual(1 + ATTEMPT_TIMEOUT_MS * (1 + targets / 2));
      }),
      { numRuns: 100 },
    );
  });

  it("are two of a single target, and after a failure the retry beside the next first attempt", () => {
    const job = (id: number, attempts: number, dueAt: number): DueJob => ({
      id,
      target: 1,
      seq: id,
      attempts,
      dueAt,
    });
    expect(chooseDue([job(3, 0, 0), job(1, 0, 0), job(2, 0, 0)], new Set(), 0)).toEqual([1, 2]);
    const mixed = [job(1, 1, 0), job(2, 1, 0), job(3, 0, 0), job(4, 0, 0)];
    expect(chooseDue(mixed, new Set(), 0).toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(chooseDue(mixed, new Set([1]), 0)).toEqual([3]);
    expect(chooseDue(mixed, new Set([3]), 0)).toEqual([1]);
    expect(chooseDue(mixed, new Set([1, 3]), 0)).toEqual([]);
    // A retry that is not due delays no other job.
    expect(chooseDue([job(1, 1, 500), job(2, 0, 0)], new Set(), 0)).toEqual([2]);
  });

  it("belong to the target with the fewest attempts under way, then to the one that waited longest", () => {
    const job = (id: number, target: number, dueAt: number): DueJob => ({
      id,
      target,
      seq: id,
      attempts: 0,
      dueAt,
    });
    const jobs = [job(1, 1, 0), job(2, 1, 0), job(3, 2, 9), job(4, 3, 5), job(5, 3, 5)];
    expect(chooseDue(jobs, new Set([1]), 10)).toEqual([4, 3, 2, 5]);
    expect(chooseDue(jobs, new Set([1, 91, 92, 93, 94]), 10)).toEqual([4]);
  });

  it("leave two slots to others when failing targets have filled theirs", () => {
    const troubled = Array.from({ length: 12 }, (_, id) => ({
      id,
      target: id,
      seq: id,
      attempts: 1,
      dueAt: 0,
    }));
    expect(chooseDue(troubled, new Set(), 0)).toHaveLength(MAX_TROUBLED);
  });

  it("are none when all slots are taken, nothing is due, or no job exists", () => {
    const later = { id: 1, target: 1, seq: 1, attempts: 0, dueAt: 10 };
    expect(chooseDue([], new Set(), 0)).toEqual([]);
    expect(chooseDue([later], new Set(), 9)).toEqual([]);
    expect(chooseDue([later], new Set(), 10)).toEqual([1]);
    expect(chooseDue([later], new Set([2, 3, 4, 5, 6, 7]), 10)).toEqual([]);
  });

  it("are the same if only the relevant rows of each target are passed", () => {
    const all = Array.from({ length: 400 }, (_, id) => ({
      id,
      target: id % 4,
      seq: id,
      attempts: id % 4 === 3 && id < 100 ? 2 : 0,
      dueAt: id,
    }));
    const few = [...Map.groupBy(all, ({ target }) => target).values()].flatMap((jobs) => [
      ...jobs.filter(({ attempts }) => attempts === 0).slice(0, MAX_PER_TARGET),
      ...jobs.filter(({ attempts }) => attempts > 0).slice(0, 1),
    ]);
    expect(chooseDue(few, new Set(), 1_000)).toEqual(chooseDue(all, new Set(), 1_000));
  });
});
