import type { LoggedData } from "../../contract/event.ts";
import { WEBHOOK_KINDS, type WebhookRoute } from "../../contract/webhook.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { TargetState } from "../../webhooks/schedule.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import type { TargetRow } from "./rows.ts";
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
    this.#rows ??= this.#tables.all(rows.LIST_TARGETS);
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
   * gets one request. Failed targets get none.
   */
  for(data: Pick<LoggedData, "event" | "labels">): TargetRow[] {
    if (!WEBHOOK_KINDS.includes(data.event)) return [];
    const wanted = this.all().filter(
      ({ label, status }) => status === "active" && (label === OWN_URL || data.labels.includes(label)),
    );
    const urls = wanted.map(({ url }) => spelledOnce(url));
    return wanted.filter((_, index) => urls.indexOf(urls[index] ?? "") === index);
  }

  /** Sets the URL of a label, or of the mailbox, and makes it active. */
  put(label: string, url: string, nowMs: number): TargetRow {
    this.#tables.run(rows.PUT_TARGET, label, url, nowMs);
    this.forget();
    const target = this.of(label);
    if (target === null) throw new Error("The row of a new webhook target is missing");
    return target;
  }

  /** Stores the status and the consecutive failures of a target. */
  mark(target: TargetRow, state: TargetState): void {
    this.#tables.run(rows.MARK_TARGET, state.status, state.failures, target.id);
    Object.assign(target, { status: state.status, failures: state.failures });
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
export function webhookRoute({ label, url, status, created_at }: TargetRow): WebhookRoute {
  return { label, webhook_url: url, status, created_at: new Date(created_at).toISOString() };
}
