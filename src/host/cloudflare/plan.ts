import { CloudflareFailure, Stop, stopOf } from "./failure.ts";
import type { Permission } from "./permissions.ts";
import type { Decision, Step, StepContext } from "./step.ts";
import { catchAllStep, routingStep } from "./steps/receiving.ts";
import { sendingRecordsStep, sendingStep, subscriptionStep } from "./steps/sending.ts";
import { bucketStep, queueStep, subdomainStep } from "./steps/storage.ts";
import { policySteps } from "./steps/tls-policy.ts";
import { secretStep, workerStep } from "./steps/worker.ts";
import { hearsEvents, namesOf } from "./wanted.ts";

/** A step, and what it will do. */
export interface PlannedStep {
  id: string;
  title: string;
  permission: Permission | null;
  decision: Decision;
}

/** Tries of one step: Cloudflare may fail, or not yet show everywhere what was done. */
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 2_000;

/** The steps of a deployment, in the order in which they must be taken. */
export function stepsOf(context: StepContext): Step[] {
  const { wanted, existing } = context;
  const names = namesOf(wanted);
  const hears = hearsEvents(wanted);
  return [
    subdomainStep(context),
    ...(existing.usesR2 ? [bucketStep(context)] : []),
    ...(hears
      ? [
          queueStep(context, { name: names.events, title: "Queue of events", isConsumed: true }),
          queueStep(context, { name: names.unused, title: "Queue of unused events", isConsumed: false }),
        ]
      : []),
    workerStep(context),
    ...secretSteps(context),
    ...(wanted.sending === "cloudflare" ? [sendingStep(context), sendingRecordsStep(context)] : []),
    ...(hears ? [subscriptionStep(context)] : []),
    // This step is last, so that mail arrives only when everything else is ready.
    routingStep(context),
    catchAllStep(context),
    ...policySteps(context),
  ];
}

function secretSteps(context: StepContext): Step[] {
  const { wanted, operatorKey, makeSecret } = context;
  const { relayUrl } = wanted;
  const made = ["KEY_SECRET", "WEBHOOK_SECRET"].map((name) =>
    secretStep(context, { name, value: () => makeSecret(name), words: "256 random bits, never shown" }),
  );
  return [
    secretStep(context, {
      name: "AUTH_TOKEN",
      value: operatorKey,
      words: "the operator's key, kept in your key file",
    }),
    ...made,
    ...(wanted.sending === "relay" && relayUrl !== null
      ? [secretStep(context, { name: "SMTP_URL", value: () => relayUrl, words: "the relay of SMTP_URL" })]
      : []),
  ];
}

/** Asks each step for its decision. Changes nothing. */
export async function planOf(steps: readonly Step[], again: string): Promise<PlannedStep[]> {
  const planned: PlannedStep[] = [];
  for (const step of steps) {
    const { id, title, permission } = step;
    planned.push({ id, title, permission, decision: await explained(step, again, () => step.check()) });
  }
  return planned;
}

/** How {@link carryOut} reports progress, and how it waits. */
export interface CarryOutOptions {
  context: StepContext;
  /** Called before a step acts, and when it is done. */
  report: (step: Step, decision: Decision, state: "begins" | "done") => void;
}

/**
 * Takes the steps: each is checked, acts where something differs, and is checked again. A run that was ended anywhere is
 * completed by the next. Throws a {@link Stop} if the operator must change something first.
 */
export async function carryOut(steps: readonly Step[], options: CarryOutOptions): Promise<void> {
  for (const step of steps) {
    await explained(step, options.context.wanted.again, () => take(step, options));
  }
}

async function take(
  step: Step,
  { context: { api, journal, wanted }, report }: CarryOutOptions,
): Promise<void> {
  let failure: CloudflareFailure | null = null;
  for (let tries = 0; ; tries += 1) {
    // A call that made something may have been carried out although its answer was lost.
    const decision = await step.check();
    if (decision.kind === "leave") {
      if (tries > 0) report(step, decision, "done");
      return;
    }
    if (tries === MAX_TRIES) {
      throw (
        failure ??
        new Stop(`${step.title}: Cloudflare says that it is done, but does not show it`, wanted.again)
      );
    }
    if (tries === 0) report(step, decision, "begins");
    else await api.pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    const made = step.made();
    if (made !== null) journal.add(made);
    try {
      await step.act();
      failure = null;
    } catch (error) {
      if (!(error instanceof CloudflareFailure) || !error.isTransient) throw error;
      failure = error;
    }
  }
}

async function explained<T>(step: Step, again: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CloudflareFailure)) throw error;
    throw step.explain?.(error) ?? stopOf(error, again);
  }
}
