import { conflict, gone, invalid, notFound, type Answer } from "../../contract/problem.ts";
import {
  WEBHOOK_KINDS,
  type DeletedWebhookRoute,
  type DeliveryState,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookReplay,
  type WebhookRoute,
  type WebhookRoutes,
} from "../../contract/webhook.ts";
import { seqTime, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import { pageOf, pageStart, writeCursor } from "../page.ts";
import { Deliveries, isTest, readDeliveryId } from "./deliveries.ts";
import type { Log } from "../log/log.ts";
import type { LoggedEvent } from "../log/rows.ts";
import { DeliveryRetention } from "./retention.ts";
import type { AttemptRow, TargetRow } from "./rows.ts";
import { OWN_URL, Targets, webhookRoute } from "./targets.ts";
import { LEASE_MS, WebhookJob } from "./job.ts";
import { Recoveries } from "./recoveries.ts";

/** The most labels of one mailbox with a URL: after each attempt, every target is checked for waiting deliveries. */
const MAX_ROUTES = 50;
/** The most events of one replay: one transaction writes them all, and other calls wait for it. */
const MAX_REPLAYED = 10_000;
/** Events read from the log at once, to limit memory. */
const REPLAY_PAGE = 500;

/** Changes of the webhook settings; undefined = unchanged. */
export interface WebhookSettings {
  /** Null removes it. */
  url?: string | null | undefined;
  /** Null = use the deployment's secret. */
  secret?: string | null | undefined;
  /** Whether targets that failed are tried again by themselves. */
  recovery?: boolean | undefined;
}

/** Filters of a listing of deliveries; null = no filter. */
export interface DeliveryFilter {
  state: DeliveryState | null;
  label: string | null;
  limit: number;
  cursor: string | null;
}

/**
 * The webhooks of one mailbox. Methods that change rows run inside a transaction of the caller. The caller calls `forget`
 * if the transaction is undone, and `pump` after it is committed.
 */
export class Webhooks implements Job {
  readonly targets: Targets;
  readonly retention: DeliveryRetention;
  readonly #context: MailboxContext;
  readonly #log: Log;
  readonly #deliveries: Deliveries;
  readonly #recoveries: Recoveries;
  readonly #job: WebhookJob;

  constructor(context: MailboxContext, { log, askResolver }: { log: Log; askResolver: typeof fetch }) {
    this.#context = context;
    this.#log = log;
    this.targets = new Targets(context);
    this.#deliveries = new Deliveries(context);
    this.retention = new DeliveryRetention(context, { log, deliveries: this.#deliveries });
    const tools = { log, targets: this.targets, deliveries: this.#deliveries };
    this.#recoveries = new Recoveries(context, tools);
    this.#job = new WebhookJob(context, { ...tools, recoveries: this.#recoveries, askResolver });
  }

  /** How many deliveries wait for an attempt, up to a limit, and the oldest of those that were counted. */
  waiting(limit: number): { count: number; oldest: Seq | null } {
    return this.#deliveries.waiting(limit);
  }

  dues(nowMs: number): number[] {
    return this.#job.dues(nowMs);
  }

  pump(nowMs: number): void {
    this.#job.pump(nowMs);
  }

  forget(): void {
    this.#job.forget();
  }

  close(): void {
    this.#job.close();
  }

  /**
   * Adds the deliveries of a new log entry, within the transaction that writes the entry, so that neither exists without
   * the other. A paused mailbox adds none; a replay can add them later.
   */
  enqueue(account: Account, event: LoggedEvent, nowMs: number): void {
    if (account.row.status !== "active" || this.targets.all().length === 0) return;
    if (this.#addAll(event, nowMs) > 0) this.#context.clock.atLatest(nowMs + LEASE_MS);
  }

  /** Checks a change of the settings. 400 for a URL without any secret: its requests could not be verified. */
  faultOf(account: Account, { url, secret }: WebhookSettings): Answer<null> {
    const own = secret === undefined ? account.row.webhook_secret : secret;
    if (own !== null || this.#context.config().webhookSecret !== null) return done(null);
    if (typeof url === "string") {
      const fix = "Repeat the call with a webhook_secret of 16 characters or more as well.";
      return refused({ ...invalid("webhook_url", NEEDS_SECRET), fix });
    }
    const left = url === null ? this.targets.routes() : this.targets.all();
    return secret === null && left.length > 0
      ? refused({
          ...invalid("webhook_secret", "must not be cleared while a webhook URL is set"),
          fix: 'Call PATCH /v1/mailbox with {"webhook_url":null} and DELETE /v1/mailbox/routes for each route first.',
        })
      : done(null);
  }

  /** Changes the mailbox's own URL and secret. */
  configure(account: Account, { url, secret, recovery }: WebhookSettings, nowMs: number): void {
    if (secret !== undefined && secret !== account.row.webhook_secret)
      account.setWebhookSecret(secret, nowMs);
    if (recovery !== undefined && recovery !== (account.row.webhook_recovery === 1)) {
      account.setWebhookRecovery(recovery);
      this.#recoveries.want(recovery, nowMs);
      for (const { id } of this.targets.all()) this.#job.expect(id);
    }
    if (typeof url === "string") this.#put(OWN_URL, url, nowMs);
    const own = url === null ? this.targets.of(OWN_URL) : null;
    if (own !== null) this.#remove(own);
  }

  /** The URLs of labels. */
  webhookRoutes(access: Access): Answer<WebhookRoutes> {
    return this.#context.answer(access, ({ row: { address } }) =>
      done({ mailbox: address, routes: this.targets.routes().map(webhookRoute) }),
    );
  }

  /** Sets the URL of a label. 409 beyond MAX_ROUTES. */
  putWebhookRoute(access: Access, label: string, url: string): Answer<WebhookRoute> {
    return this.change(access, (account, nowMs) => this.#putRoute(account, label, url, nowMs));
  }

  removeWebhookRoute(access: Access, label: string): Answer<DeletedWebhookRoute> {
    return this.change(access, () => this.#removeRoute(label));
  }

  /** Deliveries, newest first. */
  webhookDeliveries(access: Access, filter: DeliveryFilter): Answer<WebhookDeliveries> {
    return this.#context.answer(access, (account) => this.#page(account, filter));
  }

  /** Delivers the event of a finished delivery again, to the current URL of its label. */
  redeliverWebhook(access: Access, id: string): Answer<WebhookDelivery> {
    return this.change(access, (account, nowMs) => this.#redeliver(account, id, nowMs));
  }

  /** Delivers a range of the log again to every active target. */
  replayWebhooks(access: Access, range: { from: number; to: number | null }): Answer<WebhookReplay> {
    return this.change(access, (account, nowMs) => this.#replay(account, range, nowMs));
  }

  /** Sends a test event, also to a failed target. */
  testWebhook(access: Access, label: string | null): Answer<WebhookDelivery> {
    return this.change(access, (account, nowMs) => this.#test(account, label, nowMs));
  }

  /** Authenticates a caller and changes rows in one transaction; then starts deliveries that became due. */
  change<T>(access: Access, work: (account: Account, nowMs: number) => Answer<T>): Answer<T> {
    const { answer, write, now } = this.#context;
    const nowMs = now();
    const changed = answer(access, (account) => write(() => work(account, nowMs)));
    if (changed.ok) this.pump(nowMs);
    return changed;
  }

  /** Whether some target has failed: it gets no events until its URL is set again, or it recovers. */
  get hasFailed(): boolean {
    return this.targets.all().some(({ status }) => status !== "active");
  }

  /** Every target with its latest attempt; null before the first. */
  health(): { target: TargetRow; latest: AttemptRow | null }[] {
    return this.targets
      .all()
      .map((target) => ({ target, latest: this.#deliveries.latestAttempt(target.id) }));
  }

  #putRoute(account: Account, label: string, url: string, nowMs: number): Answer<WebhookRoute> {
    const fault = this.faultOf(account, { url });
    if (!fault.ok) return fault;
    if (this.targets.of(label) === null && this.targets.routes().length >= MAX_ROUTES) {
      return refused(
        conflict(
          `Too many routes (max ${MAX_ROUTES}); remove one first`,
          "Call DELETE /v1/mailbox/routes?label=<label> for one of GET /v1/mailbox/routes, then repeat the call.",
        ),
      );
    }
    return done(webhookRoute(this.#put(label, url, nowMs)));
  }

  #removeRoute(label: string): Answer<DeletedWebhookRoute> {
    const target = this.targets.of(label);
    if (target === null) return refused(notFound("Route"));
    this.#remove(target);
    return done({ ok: true, deleted: label });
  }

  #page(account: Account, { state, label, limit, cursor }: DeliveryFilter): Answer<WebhookDeliveries> {
    const read = pageStart(cursor, [Number.MAX_SAFE_INTEGER]);
    if (!read.ok) return read;
    const [below = 0] = read.value;
    const rows = this.#deliveries.page({ below, state, label, limit: limit + 1 });
    const { shown, next } = pageOf(rows, limit, ({ id }) => writeCursor(id));
    return done({ deliveries: this.#deliveries.shown(account.row.address, shown), next_cursor: next });
  }

  #redeliver(account: Account, id: string, nowMs: number): Answer<WebhookDelivery> {
    const found = readDeliveryId(id, account.row.address);
    const row = found === null ? null : this.#deliveries.find(found);
    if (row === null) return refused(notFound("Delivery"));
    if (row.state === "pending") {
      return refused(
        conflict("The delivery is still pending", "Watch it with GET /v1/webhook/deliveries until it ends."),
      );
    }
    if (isTest(row)) {
      return refused(
        conflict("A test event is not delivered again; send another", "Call POST /v1/webhook/test."),
      );
    }
    const target = this.targets.of(row.label);
    if (target === null)
      return refused(conflict("The webhook URL of this delivery is no longer set", setUrl(row.label)));
    if (target.status !== "active") return refused(hasFailed(target));
    const oldest = this.#log.oldestSeq(account);
    if (row.event < oldest) return refused(gone("The event is no longer kept", oldest, replayFrom(oldest)));
    const event = { seq: row.event, kind: row.kind, emailId: row.email_id };
    return this.#shown(account, this.#deliveries.add(event, target, nowMs), target);
  }

  #replay(
    account: Account,
    range: { from: number; to: number | null },
    nowMs: number,
  ): Answer<WebhookReplay> {
    const { from } = range;
    const last = account.row.last_event;
    const to = Math.min(range.to ?? last, last);
    const oldest = this.#log.oldestSeq(account);
    if (from < oldest) {
      return refused(gone("The log no longer goes back to from_seq", oldest, replayFrom(oldest)));
    }
    if (from > to)
      return refused(invalid("from_seq", `must not lie behind to_seq or the newest entry, ${last}`));
    if (to - from >= MAX_REPLAYED) {
      return refused(invalid("to_seq", `must lie at most ${MAX_REPLAYED - 1} behind from_seq`));
    }
    const [target] = this.targets.all();
    if (target === undefined) return refused(conflict("No webhook URL is set", setUrl(OWN_URL)));
    const isAnyActive = this.targets.all().some(({ status }) => status === "active");
    return isAnyActive ? this.#replayed(from, to, nowMs) : refused(hasFailed(target));
  }

  /** Adds the deliveries of a range of the log. 409 if every target of its events has failed. */
  #replayed(from: number, to: number, nowMs: number): Answer<WebhookReplay> {
    const made = { from_seq: from, to_seq: to, events: 0, deliveries: 0 };
    const failed = new Set<TargetRow>();
    for (let after = from - 1; after < to; after += REPLAY_PAGE) {
      const page = this.#log.after(after, Math.min(REPLAY_PAGE, to - after));
      for (const event of page.filter(({ kind }) => WEBHOOK_KINDS.includes(kind))) {
        made.events += 1;
        made.deliveries += this.#addAll(event, nowMs);
        for (const one of this.targets.wanting(event.data)) if (one.status !== "active") failed.add(one);
      }
    }
    const [first] = failed;
    if (made.deliveries > 0) this.#context.clock.atLatest(nowMs + LEASE_MS);
    else if (first !== undefined) return refused(hasFailed(first));
    return done(first === undefined ? made : { ...made, failed_targets: [...failed].map(failedTarget) });
  }

  #test(account: Account, label: string | null, nowMs: number): Answer<WebhookDelivery> {
    const target = this.targets.of(label ?? OWN_URL);
    if (target !== null) return this.#shown(account, this.#deliveries.addTest(target, nowMs), target);
    return refused(label === null ? conflict("No webhook_url is set", setUrl(OWN_URL)) : notFound("Route"));
  }

  #put(label: string, url: string, nowMs: number): TargetRow {
    this.#reportIfFailed(this.targets.of(label));
    const target = this.targets.put(label, url, nowMs);
    this.#job.expect(target.id);
    return target;
  }

  #remove(target: TargetRow): void {
    this.#reportIfFailed(target);
    this.#deliveries.cancelAll(target.id);
    this.targets.remove(target);
  }

  /** Reports to the directory, which stores whether the mailbox has a failed target. */
  #reportIfFailed(target: TargetRow | null): void {
    if (target !== null && target.status !== "active") this.#context.reportSoon();
  }

  /** Adds the deliveries of an event; answers how many. */
  #addAll(event: LoggedEvent, nowMs: number): number {
    const targets = this.targets.for(event);
    for (const target of targets) {
      this.#deliveries.add({ seq: event.seq, kind: event.kind, emailId: event.data.email_id }, target, nowMs);
      this.#job.expect(target.id);
    }
    return targets.length;
  }

  #shown(account: Account, id: Seq, target: TargetRow): Answer<WebhookDelivery> {
    this.#job.expect(target.id);
    this.#context.clock.atLatest(seqTime(id) + LEASE_MS);
    const row = this.#deliveries.find(id);
    const [shown] = row === null ? [] : this.#deliveries.shown(account.row.address, [row]);
    if (shown === undefined) throw new Error("A delivery is not where it was put");
    return done(shown);
  }
}

/** The call that sets the URL of a label, or the mailbox's own. */
function setUrl(label: string): string {
  return label === OWN_URL
    ? 'Call PATCH /v1/mailbox with {"webhook_url":"https://..."}, then repeat the call.'
    : `Call PUT /v1/mailbox/routes with {"label":${JSON.stringify(label)},"webhook_url":"https://..."}, then repeat the call.`;
}

/** The problem of a call that would deliver to a target that has failed. */
function hasFailed({ label, status }: TargetRow) {
  const why =
    status === "recovering"
      ? "The webhook has failed and is tried again by itself; what it missed follows then"
      : "The webhook has failed; set its URL again first";
  return conflict(why, setUrl(label));
}

/** A failed target as the answer of a replay names it. */
function failedTarget({ label, url, status }: TargetRow) {
  return { label: label === OWN_URL ? null : label, webhook_url: url, status };
}

/** The call that delivers again what the log still has. */
function replayFrom(seq: number): string {
  return `Call POST /v1/webhook/replay with {"from_seq":${seq}} for what the log still has.`;
}

const NEEDS_SECRET =
  "needs a secret to sign with: give webhook_secret as well, or set WEBHOOK_SECRET for the deployment";
