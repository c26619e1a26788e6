import type { KeyRecord, MailboxInfo } from "../contract/mailbox.ts";
import type { Answer } from "../contract/problem.ts";
import type { Scope } from "../contract/scope.ts";
import type {
  DeletedWebhookRoute,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookReplay,
  WebhookRoute,
  WebhookRoutes,
} from "../contract/webhook.ts";
import { done } from "../lib/outcome.ts";
import type { Access } from "./access.ts";
import type { Account } from "./account.ts";
import { MailboxCore } from "./core.ts";
import { OWN_URL } from "./targets.ts";
import type { DeliveryFilter, WebhookSettings } from "./webhooks.ts";

/** What a mailbox can be told of itself, of the keys to it and of its webhooks. */
export abstract class MailboxSettings extends MailboxCore {
  /** State and settings, and whether mail is refused for want of room. */
  info(access: Access): Answer<MailboxInfo & { full: boolean }> {
    return this.answer(access, (account) =>
      done({ ...this.#info(account), full: !this.roomFor(1, Date.now()).ok }),
    );
  }

  /** Changes all that is given, or nothing. */
  configure(
    access: Access,
    change: { displayName: string | null | undefined; webhook: WebhookSettings },
  ): Answer<MailboxInfo> {
    return this.#change(access, (account, now) => {
      const fault = this.jobs.webhooks.faultOf(account, change.webhook);
      if (!fault.ok) return fault;
      if (change.displayName !== undefined) account.setDisplayName(change.displayName);
      this.jobs.webhooks.configure(account, change.webhook, now);
      return done(this.#info(account));
    });
  }

  /** Refuses every request but resume from now on, waiting ones included. Mail still arrives. */
  async pause(access: Access, reason: string | null) {
    return this.changeStatus(access, "paused", reason, ({ row }) => ({
      mailbox: row.address,
      status: "paused" as const,
      reason: row.pause_reason,
      paused_at: new Date(row.paused_at ?? 0).toISOString(),
    }));
  }

  async resume(access: Access) {
    return this.changeStatus(access, "active", null, ({ row }) => ({
      mailbox: row.address,
      status: "active" as const,
    }));
  }

  keys(access: Access): Answer<{ mailbox: string; keys: KeyRecord[] }> {
    return this.answer(access, (account) =>
      done({ mailbox: account.row.address, keys: account.keyRecords() }),
    );
  }

  createKey(
    access: Access,
    key: { secretHash: string; scope: Scope; expiresAt: number | null },
  ): Answer<KeyRecord & { mailbox: string }> {
    return this.answer(access, (account) => {
      const made = account.addKey(key.secretHash, key.scope, key.expiresAt, Date.now());
      return made.ok ? done({ mailbox: account.row.address, ...made.value }) : made;
    });
  }

  /** Revokes a key; who waits with it is told at once. */
  revokeKey(access: Access, id: string): Answer<{ deleted: true }> {
    return this.answer(access, (account) => {
      const removed = account.removeKey(id);
      if (!removed.ok) return removed;
      this.recheck();
      return done({ deleted: true });
    });
  }

  webhookRoutes(access: Access): Answer<WebhookRoutes> {
    return this.answer(access, (account) => done(this.jobs.webhooks.routes(account)));
  }

  putWebhookRoute(access: Access, label: string, url: string): Answer<WebhookRoute> {
    return this.#change(access, (account, now) => this.jobs.webhooks.putRoute(account, label, url, now));
  }

  removeWebhookRoute(access: Access, label: string): Answer<DeletedWebhookRoute> {
    return this.#change(access, () => this.jobs.webhooks.removeRoute(label));
  }

  webhookDeliveries(access: Access, filter: DeliveryFilter): Answer<WebhookDeliveries> {
    return this.answer(access, (account) => this.jobs.webhooks.page(account, filter));
  }

  redeliverWebhook(access: Access, id: string): Answer<WebhookDelivery> {
    return this.#change(access, (account, now) => this.jobs.webhooks.redeliver(account, id, now));
  }

  replayWebhooks(access: Access, range: { from: number; to: number | null }): Answer<WebhookReplay> {
    return this.#change(access, (account, now) => this.jobs.webhooks.replay(account, range, now));
  }

  testWebhook(access: Access, label: string | null): Answer<WebhookDelivery> {
    return this.#change(access, (account, now) => this.jobs.webhooks.test(account, label, now));
  }

  /** A change of one transaction, after which webhooks may have something to do. */
  #change<T>(access: Access, work: (account: Account, now: number) => Answer<T>): Answer<T> {
    const now = Date.now();
    const changed = this.answer(access, (account) => this.commit(() => work(account, now)));
    if (changed.ok) this.jobs.webhooks.pump(now);
    return changed;
  }

  #info(account: Account): MailboxInfo {
    return account.info(this.jobs.webhooks.targets.of(OWN_URL));
  }
}
