import { locatorOf } from "../../contract/key.ts";
import type { DeliveryError } from "../../contract/webhook.ts";
import { dohResolver } from "../../lib/doh.ts";
import { seqTime, type Seq } from "../../lib/ids.ts";
import { attemptDelivery } from "../../webhooks/attempt.ts";
import { eventId, testBody, webhookBody } from "../../webhooks/body.ts";
import {
  afterDelivery,
  ATTEMPT_TIMEOUT_MS,
  chooseDue,
  MAX_ATTEMPTS,
  MAX_PER_TARGET,
  nextAttemptAt,
  type DueJob,
} from "../../webhooks/schedule.ts";
import { signingSecrets } from "../../webhooks/secrets.ts";
import { signatureHeaders, type SignedMessage } from "../../webhooks/sign.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import type { Log } from "../log/log.ts";
import { deliveryId, failedAttempt, isTest, type Deliveries } from "./deliveries.ts";
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

/** An attempt that was written down and is now made. */
interface Begun {
  row: DeliveryRow;
  number: number;
  begunAt: number;
}

/** What came of an attempt. */
interface Ended {
  ok: boolean;
  status: number | null;
  error: DeliveryError | null;
  durationMs: number | null;
  answer: string;
}

/**
 * Makes the attempts of deliveries, as `chooseDue` says. An attempt is written down with a lease before it is made, and
 * nobody waits for it: neither the receipt that caused it nor the alarm. Should the process die in the middle of one, it
 * counts as failed when its lease is over, and the next is made; the fourth is then made once more, because nobody knows
 * whether any arrived. So each event is tried four times, and a fifth only after such a death.
 */
export class WebhookJob implements Job {
  readonly #context: MailboxContext;
  readonly #tools: WebhookTools;
  readonly #inFlight = new Map<Seq, DueJob>();
  /** Targets that may have something waiting; after a start, all of them. */
  #busy: Set<number> | null = null;
  /** What was due by then was started, or waits for the end of one under way. */
  #pumpedAt = 0;
  /** Targets with a fault of ours, and until when they are left alone: others get their turn, and no alarm rings at once. */
  readonly #faulty = new Map<number, number>();
  #closed = false;

  constructor(context: MailboxContext, tools: WebhookTools) {
    this.#context = context;
    this.#tools = tools;
  }

  /** Something waits for a target now. */
  expect(target: number): void {
    this.#busyTargets().add(target);
  }

  /** The mailbox ends: what is under way writes nothing any more. */
  close(): void {
    this.#closed = true;
  }

  /**
   * When the alarm must ring, in ms since 1970. What is due already and waits for the end of an attempt under way needs no
   * alarm, and one would ring without end.
   */
  dues(nowMs: number): number[] {
    if (!this.#mayWork(nowMs)) return [];
    const after = this.#inFlight.size > 0 ? Math.min(this.#pumpedAt, nowMs) : -1;
    return [...this.#busyTargets()].flatMap((target) => {
      const due = this.#tools.deliveries.nextDue(target, after);
      return due === null ? [] : [Math.max(due, this.#faulty.get(target) ?? 0)];
    });
  }

  /** Starts the attempts that are due and may start. Never throws, and returns before any of them has ended. */
  pump(nowMs: number): void {
    if (!this.#mayWork(nowMs)) return;
    const jobs = [...this.#busyTargets()].flatMap((target) => {
      if ((this.#faulty.get(target) ?? 0) > nowMs) return [];
      return this.#safely(target, nowMs, () => this.#jobsOf(target, nowMs)) ?? [];
    });
    this.#pumpedAt = nowMs;
    if (jobs.length === 0) return;
    const targetOf = new Map(jobs.map(({ id, target }) => [id, target]));
    const running = new Set(this.#inFlight.keys());
    for (const id of chooseDue([...this.#inFlight.values(), ...jobs], running, nowMs)) {
      this.#safely(targetOf.get(id) ?? 0, nowMs, () => this.#start(id, nowMs));
    }
  }

  forget(): void {
    this.#tools.targets.forget();
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

  /** Jobs of a paused mailbox are held until it is resumed. */
  #mayWork(nowMs: number): boolean {
    const account = this.#context.account();
    return !this.#closed && account?.row.status === "active" && account.isLive(nowMs);
  }

  /** What `chooseDue` needs to know of a target, besides what is under way. */
  #jobsOf(target: number, nowMs: number): DueJob[] {
    const { deliveries } = this.#tools;
    const untried = deliveries.untried(target, MAX_PER_TARGET);
    const tried = deliveries.tried(target, MAX_LEFT_OVER);
    if (untried.length === 0 && tried.length === 0) this.#busyTargets().delete(target);
    const others = tried.filter(({ id }) => !this.#inFlight.has(id));
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

  /** Writes the attempt down, then makes it. */
  #start(id: Seq, nowMs: number): void {
    const { deliveries, targets } = this.#tools;
    const { write, clock } = this.#context;
    const row = deliveries.find(id);
    const target = row === null ? null : targets.withId(row.target);
    if (row === null || target === null) return;
    const number = row.attempts + 1;
    const lease = nowMs + LEASE_MS;
    write(() => {
      deliveries.begin(id, { number, url: target.url, lease, begunAt: nowMs });
      clock.atLatest(lease);
    });
    this.#inFlight.set(id, {
      ...dueJob({ ...row, due_at: lease }, target.id),
      attempts: row.attempts,
    });
    void this.#attempt({ row: { ...row, url: target.url }, number, begunAt: nowMs });
  }

  /** Never rejects. */
  async #attempt(begun: Begun): Promise<void> {
    const { id } = begun.row;
    let ended: Ended;
    try {
      ended = await this.#send(begun);
    } catch (error) {
      console.error("A webhook could not be sent:", error);
      ended = failedAttempt("internal");
    }
    this.#inFlight.delete(id);
    if (this.#closed) return;
    const now = this.#context.now();
    // Should it fail, the lease is still there: past it, the attempt counts as interrupted.
    this.#safely(begun.row.target, now, () => this.#context.write(() => this.#write(begun, ended, now)));
    this.pump(now);
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

  /** What a delivery that is over says of its target; nothing, if that has another URL by now. */
  #count(row: DeliveryRow, succeeded: boolean): void {
    const { targets, deliveries } = this.#tools;
    const target = targets.withId(row.target);
    if (target?.url !== row.url) return;
    const state = afterDelivery(target, succeeded);
    if (state.status === target.status && state.failures === target.failures) return;
    const isNews = state.status !== target.status;
    targets.mark(target, state);
    if (isNews) this.#context.reportSoon();
    if (state.status === "failed") deliveries.cancelEvents(target.id);
  }
}

/** `webhook-id` of a delivery. Test events have one each, or a receiver that knows repeats would see but the first. */
export function deliveryEventId(row: Pick<DeliveryRow, "event" | "id">, mailbox: string): string {
  const locator = locatorOf(mailbox);
  return isTest(row) ? `evt_${locator}_test_${row.id}` : eventId(locator, row.event);
}

function nextAfterFailure(number: number, nowMs: number, error: DeliveryError | null): number | null {
  const onceMore = error === "interrupted" && number === MAX_ATTEMPTS;
  return onceMore ? nowMs : nextAttemptAt(number, nowMs);
}

function dueJob({ id, event, attempts, due_at }: WaitingDelivery, target: number): DueJob {
  return { id, target, seq: event, attempts, dueAt: due_at ?? 0 };
}
