import type { LoggedData } from "../../contract/event.ts";
import {
  WEBHOOK_KINDS,
  type MissedEvents,
  type WebhookRoute,
  type WebhookStatus,
} from "../../contract/webhook.ts";
import type { Tables } from "../../lib/schemas.ts";
import { ownJson } from "../../lib/json-text.ts";
import type { Missed, Recovery } from "../../webhooks/recovery.ts";
import type { TargetState } from "../../webhooks/schedule.ts";
import type { Seq } from "../../lib/ids.ts";
import type { MailboxContext } from "../context.ts";
import type { LoggedEvent } from "../log/rows.ts";
import * as rows from "./rows.ts";
import type { StoredTarget, TargetRow } from "./rows.ts";
import { WEBHOOKS } from "./schema.ts";

/** The label of the mailbox's own URL, which every event goes to. */
export const OWN_URL = "";

/** The URLs that webhooks of a mailbox go to, cached so that receiving mail reads no row if there are none. */
export class Targets {
  readonly #tables: Tables;
  #rows: TargetRow[] | null = null;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(WEBHOOKS);
  }

  /** All targets: the mailbox's own first, then those of labels, by label. */
  all(): readonly TargetRow[] {
    this.#rows ??= this.#tables.all(rows.LIST_TARGETS).map(readTarget);
    return this.#rows;
  }

  /** Drops the cache, because a transaction that changed it was undone. */
  forget(): void {
    this.#rows = null;
  }

  withId(id: number): TargetRow | null {
    return this.all().find((target) => target.id === id) ?? null;
  }

  of(label: string): TargetRow | null {
    return this.all().find((target) => target.label === label) ?? null;
  }

  /** The targets of labels. */
  routes(): TargetRow[] {
    return this.all().filter(({ label }) => label !== OWN_URL);
  }

  /**
   * The targets that get an event: the mailbox's own, and those of the event's labels. A URL that several of them share
   * gets one request. Failed targets get none. A target that recovers or catches up gets the event in its turn, unless
   * it has already passed it.
   */
  for({ seq, data }: Pick<LoggedEvent, "seq" | "data">): TargetRow[] {
    return this.takers(data).filter(
      ({ status, recovery }) => status === "active" && (recovery === null || seq <= recovery.sent),
    );
  }

  /** As `for`, with the targets that get the event in their turn. */
  takers(data: Pick<LoggedData, "event" | "labels">): TargetRow[] {
    if (!WEBHOOK_KINDS.includes(data.event)) return [];
    const wanted = this.wanting(data).filter(({ status }) => status !== "failed");
    const urls = wanted.map(({ url }) => spelledOnce(url));
    return wanted.filter((_, index) => urls.indexOf(urls[index] ?? "") === index);
  }

  /** The targets of an event in any state: the mailbox's own, and those of the event's labels. */
  wanting(data: Pick<LoggedData, "labels">): TargetRow[] {
    return this.all().filter(({ label }) => label === OWN_URL || data.labels.includes(label));
  }

  /** Sets the URL of a label, or of the mailbox, and makes it active. A target that was recovering then catches up. */
  put(label: string, url: string, nowMs: number): TargetRow {
    this.#tables.run(rows.PUT_TARGET, label, url, nowMs);
    this.forget();
    const target = this.of(label);
    if (target === null) throw new Error("The row of a new webhook target is missing");
    return target;
  }

  /** Stores the status and the consecutive failures of a target. */
  mark(target: TargetRow, { status, failures }: TargetState, failingSince: Seq | null): void {
    this.#tables.run(rows.MARK_TARGET, status, failures, failingSince, target.id);
    Object.assign(target, { status, failures, failing_since: failingSince });
  }

  /** Stores what a target has not received, and its status. An active target has no consecutive failures. */
  setRecovery(target: TargetRow, recovery: Recovery | null, status: WebhookStatus): void {
    this.#tables.run(rows.SET_RECOVERY, recovery === null ? null : JSON.stringify(recovery), target.id);
    target.recovery = recovery;
    if (status === target.status) return;
    const failures = status === "active" ? 0 : target.failures;
    this.mark(target, { status, failures }, status === "active" ? null : target.failing_since);
  }

  /** Stores which events a target can no longer receive. */
  setMissed(target: TargetRow, missed: Missed): void {
    this.#tables.run(rows.SET_MISSED, JSON.stringify(missed), target.id);
    target.missed = missed;
  }

  remove(target: TargetRow): void {
    this.#tables.run(rows.REMOVE_TARGET, target.id);
    this.forget();
  }
}

/** Normalizes a URL: two URLs that lead to the same request become equal. */
function spelledOnce(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** The URL of a label as the API shows it. */
export function webhookRoute(target: TargetRow): WebhookRoute {
  const { label, url, status, created_at } = target;
  const missed = missedEvents(target);
  return {
    label,
    webhook_url: url,
    status,
    created_at: new Date(created_at).toISOString(),
    ...(missed === null ? {} : { missed }),
  };
}

/** The events that a target can no longer receive, as the API shows them. */
export function missedEvents({ missed }: TargetRow): MissedEvents | null {
  return missed === null ? null : { from_seq: missed.from, to_seq: missed.to };
}

function readTarget({ recovery, missed, ...row }: StoredTarget): TargetRow {
  return {
    ...row,
    recovery: recovery === null ? null : ownJson<Recovery>(recovery),
    missed: missed === null ? null : ownJson<Missed>(missed),
  };
}
