import type { WebhookStatus } from "../contract/webhook.ts";

/** The wait before each attempt, counted from the end of the one before. */
const DELAYS_MS: readonly number[] = [0, 1_000, 3_000, 8_000];

/** One attempt and three retries, whatever the answer, 410 and 429 included. */
export const MAX_ATTEMPTS = DELAYS_MS.length;

/** Failed deliveries in a row, each with all its attempts, after which a target is marked failed. */
export const FAILURE_THRESHOLD = 10;

/** Time limit of one attempt, in ms: look-up, connection and answer together. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

/** The most simultaneous attempts of one mailbox: as many connections as Cloudflare allows one invocation. */
export const MAX_CONCURRENT = 6;

/** The most simultaneous attempts to one target: a third, so that two targets that hang leave room for others. */
export const MAX_PER_TARGET = 2;

/** The most simultaneous attempts to all targets with retries together. The other two are reserved for targets that answer. */
export const MAX_TROUBLED = 4;

/**
 * When the next attempt is due, in ms since 1970; null if all attempts were made. `finishedAtMs` is when the last of
 * `attemptsMade` ended, or when the job was created.
 */
export function nextAttemptAt(attemptsMade: number, finishedAtMs: number): number | null {
  const delayMs = DELAYS_MS[attemptsMade];
  return delayMs === undefined ? null : finishedAtMs + delayMs;
}

/** The state of a target: how many deliveries in a row failed, and whether it gets more. */
export interface TargetState {
  failures: number;
  status: WebhookStatus;
}

/**
 * The state of a target after a delivery that succeeded, or failed in every attempt. A failed target stays failed, whatever
 * the result of a current attempt or of a test event: only setting its URL or its recovery makes it active.
 */
export function afterDelivery(state: TargetState, succeeded: boolean): TargetState {
  if (state.status !== "active") return state;
  if (succeeded) return { failures: 0, status: "active" };
  const failures = state.failures + 1;
  return { failures, status: failures >= FAILURE_THRESHOLD ? "failed" : "active" };
}

/** A delivery that waits for an attempt or has one under way. */
export interface DueJob {
  id: number;
  /** The URL it goes to. First attempts at one target are made in order. */
  target: number;
  seq: number;
  /** Attempts that ended; 0 = the first one waits or is under way. */
  attempts: number;
  /** ms since 1970. */
  dueAt: number;
}

/** The attempts of one target that are under way, and those that would start next. */
interface Queue {
  inFlight: number;
  retriesInFlight: number;
  /** Whether it has a job whose last attempt failed: waiting, due or under way. */
  troubled: boolean;
  first: DueJob | null;
  retry: DueJob | null;
}

const bySeq = (a: DueJob, b: DueJob): number => a.seq - b.seq || a.id - b.id;
const byDue = (a: DueJob, b: DueJob): number => a.dueAt - b.dueAt || bySeq(a, b);

function earlier(one: DueJob | null, other: DueJob, order: (a: DueJob, b: DueJob) => number): DueJob {
  return one === null || order(other, one) < 0 ? other : one;
}

function queuesOf(jobs: readonly DueJob[], running: ReadonlySet<number>): Queue[] {
  const queues = new Map<number, Queue>();
  for (const job of jobs) {
    const queue = queues.get(job.target) ?? {
      inFlight: 0,
      retriesInFlight: 0,
      troubled: false,
      first: null,
      retry: null,
    };
    queues.set(job.target, queue);
    const again = job.attempts > 0;
    if (again) queue.troubled = true;
    if (running.has(job.id)) {
      queue.inFlight += 1;
      if (again) queue.retriesInFlight += 1;
    } else if (again) queue.retry = earlier(queue.retry, job, byDue);
    else queue.first = earlier(queue.first, job, bySeq);
  }
  return [...queues.values()];
}

/** The jobs that a target may start now. If it has retries, one first attempt and one retry may run side by side, so that neither waits for the other. */
function candidatesOf(queue: Queue, nowMs: number): DueJob[] {
  if (queue.inFlight >= MAX_PER_TARGET) return [];
  const { first, retry, retriesInFlight } = queue;
  const mayFirst = !queue.troubled || queue.inFlight === retriesInFlight;
  return [mayFirst ? first : null, retriesInFlight === 0 ? retry : null]
    .filter((job) => job !== null)
    .filter((job) => job.dueAt <= nowMs);
}

function chooseOne(jobs: readonly DueJob[], running: ReadonlySet<number>, nowMs: number): DueJob | null {
  const queues = queuesOf(jobs, running);
  const troubledInFlight = queues
    .filter((queue) => queue.troubled)
    .reduce((sum, queue) => sum + queue.inFlight, 0);
  const candidates = queues
    .filter((queue) => !queue.troubled || troubledInFlight < MAX_TROUBLED)
    .flatMap((queue) => candidatesOf(queue, nowMs).map((job) => ({ job, inFlight: queue.inFlight })));
  // The target with the fewest attempts under way is first, then the longest due. So no target waits for ever, however many jobs another has.
  const [next] = candidates.toSorted((a, b) => a.inFlight - b.inFlight || byDue(a.job, b.job));
  return next?.job ?? null;
}

/**
 * The ids of the jobs to start now; first attempts of a target are in order of `seq`. A job that waits for its retry delays no
 * other. `jobs` are those that wait and those under way: of each target all that are under way, the first `MAX_PER_TARGET` whose
 * first attempt waits, and the earliest retry suffice. Call it again whenever an attempt ends.
 */
export function chooseDue(jobs: readonly DueJob[], inFlight: ReadonlySet<number>, nowMs: number): number[] {
  const running = new Set(inFlight);
  const chosen: number[] = [];
  while (running.size < MAX_CONCURRENT) {
    const next = chooseOne(jobs, running, nowMs);
    if (next === null) break;
    running.add(next.id);
    chosen.push(next.id);
  }
  return chosen;
}
