import type { DeliveryError } from "../../contract/webhook.ts";
import { dohResolver } from "../../lib/doh.ts";
import { seqTime, type Seq } from "../../lib/ids.ts";
import { attemptDelivery, type AttemptResult } from "../../webhooks/attempt.ts";
import { testBody, webhookBody } from "../../webhooks/body.ts";
import {
  afterDelivery,
  ATTEMPT_TIMEOUT_MS,
  chooseDue,
  MAX_ATTEMPTS,
  MAX_CONCURRENT,
  MAX_PER_TARGET,
  nextAttemptAt,
  type DueJob,
} from "../../webhooks/schedule.ts";
import { signingSecrets } from "../../webhooks/secrets.ts";
import { signatureHeaders, type SignedMessage } from "../../webhooks/sign.ts";
import { metrics } from "../../metrics/metrics.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import type { Log } from "../log/log.ts";
import { deliveryEventId, deliveryId, failedAttempt, isTest, type Deliveries } from "./deliveries.ts";
import type { DeliveryRow, TargetRow, WaitingDelivery } from "./rows.ts";
import type { Recoveries } from "./recoveries.ts";
import { OWN_URL, type Targets } from "./targets.ts";

/** The lease of an attempt, in ms. No attempt lasts longer: after it, the process that made the attempt has died. */
export const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5_000;

/** The pause after an error of this service, in ms. Without it, the alarm would ring at once and fail again. */
const FAULT_PAUSE_MS = 30_000;

/** The most retries and begun attempts that are read for one target: those of this process, and of one or two that died. */
const MAX_LEFT_OVER = MAX_PER_TARGET * 4;

/** Everything that delivering webhooks needs, besides the mailbox. */
export interface WebhookTools {
  log: Log;
  targets: Targets;
  deliveries: Deliveries;
  recoveries: Recoveries;
  /** `fetch` to the deployment's resolver. */
  askResolver: typeof fetch;
}

/** An attempt that is stored as begun: it is under way, or the process that made it has died. */
interface Begun {
  row: DeliveryRow;
  number: number;
  begunAt: number;
}

/** An attempt that is under way, as `chooseDue` reads it. */
interface Attempt extends Begun {
  job: DueJob;
}

/** How an attempt ended. */
type Ended = AttemptResult | ReturnType<typeof failedAttempt>;

/**
 * Makes the attempts of deliveries that `chooseDue` selects. Each attempt is stored with a lease before it is made, and
 * neither the receipt of mail nor the alarm waits for it. If the process dies during an attempt, the attempt counts as
 * failed when its lease ends, and the next one is made. If that was the fourth, it is repeated once, because nobody knows
 * whether any request arrived. So each event is attempted four times, and a fifth time only after such a death.
 */
export class WebhookJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: WebhookTools;
  readonly #drain: Drain<Attempt>;
  /** Targets that may have waiting deliveries; null after a start: all targets may. */
  #busy: Set<number> | null = null;
  /** Targets that are skipped after an error of this service, until this time in ms since 1970. Other targets go on meanwhile. */
  readonly #faulty = new Map<number, number>();

  constructor(context: MailboxContext, tools: WebhookTools) {
    this.#context = context;
    this.#tools = tools;
    this.#drain = new Drain<Attempt>(
      context,
      {
        isHeld: ({ row }) => row.status !== "active",
        nextDue: (afterMs) => this.#nextDue(afterMs),
        claim: (nowMs, underWay) => this.#claim(nowMs, underWay),
        attempt: (attempt, signal) => this.#attempt(attempt, signal),
      },
      { name: "Webhooks", maxAtOnce: MAX_CONCURRENT, heartbeatMs: null, pauseMs: () => FAULT_PAUSE_MS },
    );
  }

  /** Notes that a delivery waits for a target. */
  expect(target: number): void {
    this.#busyTargets().add(target);
  }

  dues(nowMs: number): number[] {
    return this.#drain.dues(nowMs);
  }

  pump(nowMs: number): void {
    this.#drain.pump(nowMs);
  }

  forget(): void {
    this.#tools.targets.forget();
  }

  close(): void {
    this.#drain.close();
  }

  #nextDue(afterMs: number): number | null {
    const dues = [...this.#busyTargets()].flatMap((target) => {
      const faultyUntil = this.#faulty.get(target) ?? 0;
      // Deliveries that an error held back have not begun, so overdue ones count too.
      const after = faultyUntil > afterMs ? -1 : afterMs;
      return [this.#tools.deliveries.nextDue(target, after), this.#recoveryDue(target)]
        .filter((one): one is number => one !== null && one > after)
        .map((one) => Math.max(one, faultyUntil));
    });
    return dues.length === 0 ? null : Math.min(...dues);
  }

  #recoveryDue(id: number): number | null {
    const target = this.#tools.targets.withId(id);
    return target === null ? null : this.#tools.recoveries.nextDue(target, this.#context.now());
  }

  *#claim(nowMs: number, underWay: readonly Attempt[]): Generator<Attempt, void, void> {
    const running = new Set(underWay.map(({ job }) => job.id));
    const waiting = [...this.#busyTargets()].flatMap((target) => {
      if ((this.#faulty.get(target) ?? 0) > nowMs) return [];
      return this.#safely(target, nowMs, () => this.#waitingOf(target, running, nowMs)) ?? [];
    });
    if (waiting.length === 0) return;
    const targetOf = new Map(waiting.map(({ id, target }) => [id, target]));
    for (const id of chooseDue([...underWay.map(({ job }) => job), ...waiting], running, nowMs)) {
      const attempt = this.#safely(targetOf.get(id) ?? 0, nowMs, () => this.#begin(id, nowMs));
      if (attempt !== null) yield attempt;
    }
  }

  /** Does work for one target. If it throws, answers null and skips the target for a while; other targets go on. */
  #safely<T>(target: number, nowMs: number, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      console.error("Deliveries to a webhook target stopped; they continue after a pause:", error);
      this.#faulty.set(target, nowMs + FAULT_PAUSE_MS);
      this.#tools.targets.forget();
      this.#context.rearm();
      return null;
    }
  }

  #busyTargets(): Set<number> {
    this.#busy ??= new Set(this.#tools.targets.all().map(({ id }) => id));
    return this.#busy;
  }

  /** The deliveries of a target that wait for an attempt. First counts attempts as failed whose lease has ended. */
  #waitingOf(target: number, running: ReadonlySet<Seq>, nowMs: number): DueJob[] {
    const { deliveries } = this.#tools;
    const tried = deliveries.tried(target, MAX_LEFT_OVER);
    const untried = this.#untriedOf(target, tried.length > 0, nowMs);
    if (untried.length === 0 && tried.length === 0) this.#rest(target);
    const others = tried.filter(({ id }) => !running.has(id));
    for (const { id, begun_at, due_at } of others) {
      if (begun_at !== null && due_at !== null && due_at <= nowMs) this.#interrupted(id, nowMs);
    }
    const waiting = others.filter(({ begun_at }) => begun_at === null);
    return [...untried, ...waiting].map((job) => dueJob(job, target));
  }

  /**
   * The deliveries of a target that wait for their first attempt. A target that recovers or catches up gets one after the
   * other: none while another waits for a retry or has an attempt under way.
   */
  #untriedOf(id: number, isBusy: boolean, nowMs: number): WaitingDelivery[] {
    const { deliveries, recoveries, targets } = this.#tools;
    const target = targets.withId(id);
    const account = this.#context.account();
    if (target?.recovery == null || target.status === "failed" || account === null) {
      return deliveries.untried(id, MAX_PER_TARGET);
    }
    if (isBusy) return [];
    const [first] = deliveries.untried(id, 1);
    if (first !== undefined) return [first];
    if (!recoveries.isDue(target, nowMs)) return [];
    this.#context.write(() => recoveries.refill(target, account, nowMs));
    return deliveries.untried(id, 1);
  }

  /** Looks no more for deliveries to a target, unless its recovery adds some. */
  #rest(id: number): void {
    if (this.#recoveryDue(id) === null) this.#busyTargets().delete(id);
  }

  /** Counts an attempt as failed, because the process that made it has died. */
  #interrupted(id: Seq, nowMs: number): void {
    const row = this.#tools.deliveries.find(id);
    if (row === null || row.begun_at === null) return;
    const begun = { row, number: row.attempts, begunAt: row.begun_at };
    metrics.count("mailkeep_webhook_attempts_total", { outcome: "interrupted" });
    this.#context.write(() => this.#write(begun, failedAttempt("interrupted"), nowMs));
  }

  /** Stores that an attempt begins; null if its delivery or target is gone. */
  #begin(id: Seq, nowMs: number): Attempt | null {
    const { deliveries, targets } = this.#tools;
    const { write, clock } = this.#context;
    const row = deliveries.find(id);
    const target = row === null ? null : targets.withId(row.target);
    if (row === null || target === null) return null;
    const { url } = target;
    const number = row.attempts + 1;
    const lease = nowMs + LEASE_MS;
    write(() => {
      deliveries.begin(id, { number, url, lease, begunAt: nowMs });
      clock.atLatest(lease);
    });
    return {
      row: { ...row, url },
      number,
      begunAt: nowMs,
      job: dueJob({ ...row, due_at: lease }, target.id),
    };
  }

  async #attempt(begun: Attempt, signal: AbortSignal): Promise<void> {
    const ended = await this.#send(begun).catch((error: unknown) => {
      console.error("A webhook could not be sent:", error);
      return failedAttempt("internal");
    });
    metrics.count("mailkeep_webhook_attempts_total", { outcome: ended.error ?? "delivered" });
    metrics.observe("mailkeep_webhook_attempt_seconds", {}, (ended.durationMs ?? 0) / 1_000);
    if (signal.aborted) return;
    const now = this.#context.now();
    // If this write fails, the lease stays, and when it ends the attempt counts as interrupted.
    this.#safely(begun.row.target, now, () => this.#context.write(() => this.#write(begun, ended, now)));
  }

  async #send(begun: Begun): Promise<Ended> {
    const { row, begunAt } = begun;
    const account = this.#context.account();
    const config = this.#context.config();
    const secrets = account === null ? null : signingSecrets(account.row, config, begunAt);
    if (account === null || secrets === null) return failedAttempt("no_secret");
    const { body, ...message } = this.#messageOf(begun, account.row.address);
    const headers = signatureHeaders(body, message, secrets);
    return attemptDelivery(
      { url: row.url, headers, body },
      {
        fetch: (input, init) => fetch(input, init),
        now: this.#context.now,
        allowPrivate: config.allowPrivateWebhooks,
        resolve: config.dohUrl === null ? null : dohResolver(config.dohUrl, this.#tools.askResolver),
      },
    );
  }

  #messageOf({ row, begunAt }: Begun, mailbox: string): SignedMessage & { body: string } {
    const timestampSeconds = Math.floor(begunAt / 1_000);
    if (isTest(row)) {
      const emailId = deliveryId(row.id, mailbox);
      const id = deliveryEventId(row, mailbox);
      const labels = row.label === OWN_URL ? [] : [row.label];
      const at = new Date(seqTime(row.id)).toISOString();
      const body = testBody({ id, mailbox, emailId, labels, at });
      return { id, timestampSeconds, event: row.kind, emailId, body };
    }
    const [event] = this.#tools.log.after(row.event - 1, 1);
    if (event?.seq !== row.event) throw new Error("The log no longer holds the event of a delivery");
    const id = deliveryEventId(row, mailbox);
    const body = webhookBody(event.data, { id, seq: event.seq });
    return { id, timestampSeconds, event: event.kind, emailId: event.data.email_id, body };
  }

  /** Stores the result of an attempt and its consequences; inside a transaction. */
  #write({ row, number, begunAt }: Begun, ended: Ended, nowMs: number): void {
    const { deliveries } = this.#tools;
    const { clock } = this.#context;
    const now = deliveries.find(row.id);
    // The delivery or the whole mailbox was erased meanwhile.
    if (now === null) return;
    const { ok, status, error, durationMs, answer } = ended;
    const delivery = row.id;
    deliveries.record({ delivery, number, at: begunAt, status, error, duration_ms: durationMs, answer });
    const isProbe = !isTest(row) && this.#tools.targets.withId(row.target)?.status === "recovering";
    // A delivery that was cancelled meanwhile does not go on, but if it arrived, it is shown as delivered.
    if (now.state !== "pending" && !ok) return;
    const next = ok || isProbe ? null : nextAfterFailure(number, nowMs, error);
    if (next !== null) {
      deliveries.moveOn(delivery, "pending", next);
      clock.atLatest(next);
      return;
    }
    deliveries.moveOn(delivery, ok ? "delivered" : "failed", null);
    if (ok && !isTest(row)) deliveries.arrived(row);
    this.#judge(row, { ok, error, isProbe, nowMs });
  }

  /** Counts a finished delivery, unless it is a test event or an error of this service. A probe is always counted. */
  #judge(row: DeliveryRow, ended: Pick<Ended, "ok" | "error"> & { isProbe: boolean; nowMs: number }): void {
    const { ok, error, isProbe, nowMs } = ended;
    if (isProbe || (!isTest(row) && error !== "internal")) this.#count(row, { succeeded: ok, nowMs });
  }

  /** Counts a finished delivery for or against its target, unless the target has another URL by now. */
  #count(row: DeliveryRow, { succeeded, nowMs }: { succeeded: boolean; nowMs: number }): void {
    const { targets, recoveries } = this.#tools;
    const target = targets.withId(row.target);
    if (target?.url !== row.url) return;
    if (target.status === "recovering") {
      if (recoveries.ended(target, row, succeeded)) this.#context.reportSoon();
      return;
    }
    const state = afterDelivery(target, succeeded);
    const isNews = state.status !== target.status;
    if (!isNews && state.failures === target.failures) return;
    targets.mark(target, state, succeeded ? null : Math.min(target.failing_since ?? row.id, row.id));
    if (isNews) this.#failed(target, nowMs);
  }

  #failed(target: TargetRow, nowMs: number): void {
    const { deliveries, recoveries } = this.#tools;
    const account = this.#context.account();
    this.#context.reportSoon();
    deliveries.cancelEvents(target.id);
    if (account !== null) recoveries.failed(target, account, nowMs);
    this.expect(target.id);
  }
}

function nextAfterFailure(number: number, nowMs: number, error: DeliveryError | null): number | null {
  const onceMore = error === "interrupted" && number === MAX_ATTEMPTS;
  return onceMore ? nowMs : nextAttemptAt(number, nowMs);
}

function dueJob({ id, event, attempts, due_at }: WaitingDelivery, target: number): DueJob {
  return { id, target, seq: event, attempts, dueAt: due_at ?? 0 };
}
