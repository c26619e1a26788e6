import type { Topic } from "./catalogue/catalogue.ts";
import { wrong, type Diagnosis, type Finding } from "./finding.ts";
import type { Check } from "./checks/check.ts";
import { reasonOf } from "./ports/http.ts";
import type { World } from "./ports/world.ts";

/** How long a check may take; after this time it counts as `not-checked`. */
export const DEADLINE_MS = 20_000;

/** How the checks are run. */
export interface RunOptions {
  /** The command that runs the doctor again, printed for a check that did not end. */
  command: string;
  deadlineMs: number;
  /** Ends all checks. */
  signal: AbortSignal;
}

/** A check of one topic. */
export interface Task {
  topic: Topic;
  run: (signal: AbortSignal) => Promise<Finding[]>;
}

/** Runs checks at the same time. Their findings keep the order of the checks; a check that throws is one finding itself. */
export function runChecks<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  world: World,
  options: RunOptions,
): Promise<Finding[]> {
  const tasks = checks.map((check) => ({
    topic: check.topic,
    run: (signal: AbortSignal) => check.run(subject, world, signal),
  }));
  return runTasks(tasks, options);
}

/** As {@link runChecks}. */
export async function runTasks(tasks: readonly Task[], options: RunOptions): Promise<Finding[]> {
  const found = await Promise.all(tasks.map((task) => runOne(task, options)));
  return found.flat();
}

async function runOne({ topic, run }: Task, { command, deadlineMs, signal }: RunOptions): Promise<Finding[]> {
  signal.throwIfAborted();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  try {
    return await Promise.race([run(limit), aborted(limit)]);
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no end within ${Math.round(deadlineMs / 1_000)} s` : reasonOf(error);
    return [wrong("not-checked", `${topic} could not be checked: ${why}`, command)];
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}

/** The findings in the form that programs read. */
export function diagnosis(findings: readonly Finding[]): Diagnosis {
  return { version: 1, findings: [...findings] };
}
