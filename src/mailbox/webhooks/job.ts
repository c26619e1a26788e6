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
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import type { Log } from "../log/log.ts";
import { deliveryEventId, deliveryId, failedAttempt, isTest, type Deliveries } from "./deliveries.ts";
import type { DeliveryRow, WaitingDelivery } from "./rows.ts";
import { OWN_URL, type Targets } from "./targets.ts";

/** No attempt that anybody still makes lasts longer: past it, the process that made it is dead. */
export const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5_000;

/** After a fault of our own: an alarm that rings at once would fail again at once. */
const FAULT_PAUSE_MS = 30_000;

/** Attempts of one target under way: now, and left over from a process or two that died just before. */
const MAX_LEFT_OVER = MAX_PER_TARGET * 4;

/** Everything that it takes to deliver webhooks, beside the mailbox. */
export interface WebhookTools {
  log: Log;
  targets: Targets;
  deliveries: Deliveries;
  /** `fetch` to the deployment's resolver. */
  askResolver: typeof fetch;
}

/** An attempt that is written down: it is made now, or its process died. */
interface Begun {
  row: DeliveryRow;
  number: number;
  begunAt: number;
}

/** An attempt that is made now, as `chooseDue` sees it. */
interface Attempt extends Begun {
  job: DueJob;
}

/** How an attempt ended. */
type Ended = AttemptResult | ReturnType<typeof failedAttempt>;

/**
 * Makes the attempts of deliveries, as `chooseDue` says. An attempt is written down with a lease before it is made, and
 * nobody waits for it: neither the receipt that caused it nor the alarm. Should the process die in the middle of one, it
 * counts as failed when its lease is over, and the next is made; the fourth is then made once more, because nobody knows
 * whether any arrived. So each event is tried four times, and a fifth only after such a death.
 */
export class WebhookJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: WebhookTools;
  readonly #drain: Drain<Attempt>;
  /** Targets that may have something waiting; after a start, all of them. */
  #busy: Set<number> | null = null;
  /** Targets with a fault of ours, and until when they are left alone: others get their turn, and no alarm rings at once. */
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

  /** Something waits for a target now. */
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
      // What a fault held back has not begun, however long it is due.
      const due = this.#tools.deliveries.nextDue(target, faultyUntil > afterMs ? -1 : afterMs);
      return due === null ? [] : [Math.max(due, faultyUntil)];
    });
    return dues.length === 0 ? null : Math.min(...dues);
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

  /** Does something about one target. What throws there leaves the others alone, and is tried again later. */
  #safely<T>(target: number, nowMs: number, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      console.error("The webhooks of a target are looked at again later:", error);
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

  /** The deliveries of a target that wait, as `chooseDue` needs them. */
  #waitingOf(target: number, running: ReadonlySet<Seq>, nowMs: number): DueJob[] {
    const { deliveries } = this.#tools;
    const untried = deliveries.untried(target, MAX_PER_TARGET);
    const tried = deliveries.tried(target, MAX_LEFT_OVER);
    if (untried.length === 0 && tried.length === 0) this.#busyTargets().delete(target);
    const others = tried.filter(({ id }) => !running.has(id));
    for (const { id, begun_at, due_at } of others) {
      if (begun_at !== null && due_at !== null && due_at <= nowMs) this.#interrupted(id, nowMs);
    }
    const waiting = others.filter(({ begun_at }) => begun_at === null);
    return [...untried, ...waiting].map((job) => dueJob(job, target));
  }

  /** Counts an attempt whose process died as failed. */
  #interrupted(id: Seq, nowMs: number): void {
    const row = this.#tools.deliveries.find(id);
    if (row === null || row.begun_at === null) return;
    const begun = { row, number: row.attempts, begunAt: row.begun_at };
    this.#context.write(() => this.#write(begun, failedAttempt("interrupted"), nowMs));
  }

  /** Writes an attempt down; null if its delivery or target is gone. */
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
    if (signal.aborted) return;
    const now = this.#context.now();
    // Should it fail, the lease is still there: past it, the attempt counts as interrupted.
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

  /** Writes what came of an attempt, and what follows from it; inside a transaction. */
  #write({ row, number, begunAt }: Begun, ended: Ended, nowMs: number): void {
    const { deliveries } = this.#tools;
    const { clock } = this.#context;
    const now = deliveries.find(row.id);
    // Erased meanwhile, or with the whole mailbox.
    if (now === null) return;
    const { status, error, durationMs, answer } = ended;
    deliveries.record({
      delivery: row.id,
      number,
      at: begunAt,
      status,
      error,
      duration_ms: durationMs,
      answer,
    });
    if (now.state !== "pending") {
      // Cancelled meanwhile. That it arrived all the same is the truth.
      if (ended.ok) deliveries.moveOn(row.id, "delivered", null);
      return;
    }
    const next = ended.ok ? null : nextAfterFailure(number, nowMs, error);
    if (next !== null) {
      deliveries.moveOn(row.id, "pending", next);
      clock.atLatest(next);
      return;
    }
    deliveries.moveOn(row.id, ended.ok ? "delivered" : "failed", null);
    // Neither a test event nor a fault of ours says anything of the target.
    if (!isTest(row) && error !== "internal") this.#count(row, ended.ok);
  }

  /** Counts a finished delivery for or against its target, unless the target has another URL by now. */
  #count(row: DeliveryRow, succeeded: boolean): void {
    const { targets, deliveries } = this.#tools;
    const target = targets.withId(row.target);
    if (target?.url !== row.url) return;
    const state = afterDelivery(target, succeeded);
    const isNews = state.status !== target.status;
    if (!isNews && state.failures === target.failures) return;
    targets.mark(target, state);
    if (isNews) this.#context.reportSoon();
    if (state.status === "failed") deliveries.cancelEvents(target.id);
  }
}

function nextAfterFailure(number: number, nowMs: number, error: DeliveryError | null): number | null {
  const onceMore = error === "interrupted" && number === MAX_ATTEMPTS;
  return onceMore ? nowMs : nextAttemptAt(number, nowMs);
}

function dueJob({ id, event, attempts, due_at }: WaitingDelivery, target: number): DueJob {
  return { id, target, seq: event, attempts, dueAt: due_at ?? 0 };
}
