import type { KeyRecord, MailboxInfo, PausedMailbox, ResumedMailbox, Stats } from "../../contract/mailbox.ts";
import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import type { MailboxContext } from "../context.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import { jsonText, receivedAt, viewOf, type JsonText } from "../messages/present.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import type { Outbox } from "../sending/outbox.ts";
import { missedEvents, OWN_URL } from "../webhooks/targets.ts";
import type { Webhooks, WebhookSettings } from "../webhooks/webhooks.ts";
import type { Access, Principal } from "./access.ts";
import type { Account, NewKey } from "./account.ts";
import {
  findUnsent,
  healthOf,
  unsentPage,
  type Overview,
  type UnsentMessage,
  type UnsentMessagePage,
} from "./overview.ts";
import type { Room } from "./room.ts";
import { statsOf, type Counted } from "./stats.ts";

/** Capabilities whose state is shown with that of the mailbox. */
interface Others {
  room: Room;
  webhooks: Webhooks;
  outbox: Outbox;
  embeddings: Embeddings;
  /** Authenticates every waiting call and every stream again, and ends those that are no longer allowed. */
  recheck: () => void;
  /** Starts jobs that waited while the mailbox was paused. */
  resume: () => void;
  reportNow: (account: Account) => Promise<void>;
}

/** The state, the settings and the keys of a mailbox. */
export class Settings {
  readonly #context: MailboxContext;
  readonly #others: Others;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#others = others;
  }

  /** The caller's key and its mailbox. */
  me(access: Access): Answer<Principal & { address: string }> {
    return this.#context.answer(access, ({ row }, principal) => done({ ...principal, address: row.address }));
  }

  /** State and settings; `full` = mail is refused because there is no room. */
  info(access: Access): Answer<MailboxInfo & { full: boolean }> {
    return this.#context.answer(access, (account) =>
      done({ ...this.#info(account), full: !this.#others.room.for(1, this.#context.now()).ok }),
    );
  }

  /** Changes all given settings, or none. */
  configure(
    access: Access,
    change: { displayName: string | null | undefined; webhook: WebhookSettings },
  ): Answer<MailboxInfo> {
    const { webhooks } = this.#others;
    return webhooks.change(access, (account, nowMs) => {
      const fault = webhooks.faultOf(account, change.webhook);
      if (!fault.ok) return fault;
      if (change.displayName !== undefined) account.setDisplayName(change.displayName);
      webhooks.configure(account, change.webhook, nowMs);
      return done(this.#info(account));
    });
  }

  /** Pauses the mailbox: every call but `resume` is refused, waiting ones too. Mail still arrives. */
  pause(access: Access, reason: string | null): Promise<Answer<PausedMailbox>> {
    return this.#changeStatus(access, "paused", reason, ({ row }) => ({
      mailbox: row.address,
      status: "paused",
      reason: row.pause_reason,
      paused_at: new Date(row.paused_at ?? 0).toISOString(),
    }));
  }

  /** Ends a pause. */
  resume(access: Access): Promise<Answer<ResumedMailbox>> {
    return this.#changeStatus(access, "active", null, ({ row }) => ({
      mailbox: row.address,
      status: "active",
    }));
  }

  keys(access: Access): Answer<{ mailbox: string; keys: KeyRecord[] }> {
    return this.#context.answer(access, (account) =>
      done({ mailbox: account.row.address, keys: account.keyRecords() }),
    );
  }

  createKey(access: Access, key: NewKey): Answer<KeyRecord & { mailbox: string }> {
    return this.#context.answer(access, (account) => {
      const made = account.addKey(key, this.#context.now());
      return made.ok ? done({ mailbox: account.row.address, ...made.value }) : made;
    });
  }

  /** Revokes a key; its holder's waits and streams end at once. */
  revokeKey(access: Access, id: string): Answer<{ deleted: true }> {
    return this.#context.answer(access, (account) => {
      const removed = account.removeKey(id);
      if (!removed.ok) return removed;
      this.#others.recheck();
      return done({ deleted: true });
    });
  }

  /** Usage counters. */
  stats(access: Access): Answer<JsonText<Stats>> {
    return this.#context.answer(access, (account) => {
      const counted = statsOf(account.row, this.#counted(account), this.#context.now());
      return done(jsonText({ ...counted, embeddings: this.#others.embeddings.progress() }));
    });
  }

  /** Everything that the operator sees of the mailbox. */
  overview(access: Access): Answer<Overview> {
    const info = this.info(access);
    if (!info.ok) return info;
    const { webhooks, outbox, room } = this.#others;
    return this.#context.answer(access, (account) => {
      const { kind, paused_at, pause_reason, last_seq } = account.row;
      const keys = account.keyRecords();
      return done({
        info: info.value,
        kind,
        stats: statsOf(account.row, this.#counted(account), this.#context.now()),
        quotaBytes: room.quotaOf(account),
        pause: paused_at === null ? null : { at: new Date(paused_at).toISOString(), reason: pause_reason },
        keys: keys.length,
        activeAt:
          [last_seq > 0 ? receivedAt(last_seq) : null, ...keys.map((key) => key.last_used_at)]
            .filter((at) => at !== null)
            .toSorted()
            .at(-1) ?? null,
        webhooks: healthOf(webhooks),
        hasUnsent: outbox.unsent(BEYOND_ALL, 1).length > 0,
      });
    });
  }

  /** Messages that were not sent because no transport is configured, newest first. */
  unsent(access: Access, page: { cursor: string | null; limit: number }): Answer<UnsentMessagePage> {
    return this.#context.answer(access, (account) => unsentPage(this.#others.outbox, viewOf(account), page));
  }

  /** One of these messages. 404 for any other. */
  unsentOne(access: Access, id: string): Answer<UnsentMessage> {
    return this.#context.answer(access, (account) => findUnsent(this.#others.outbox, viewOf(account), id));
  }

  /** The values of `GET /v1/stats` that are not in the account's row. */
  #counted(account: Account): Counted {
    const { webhooks, outbox } = this.#others;
    return {
      routes: webhooks.targets.routes().length,
      suppressions: outbox.countSuppressions(),
      sendsToday: account.sendsOn(this.#context.now()).count,
      obstacle: outbox.obstacle(),
      dailySendLimit: this.#context.config().dailySendLimit,
    };
  }

  async #changeStatus<T>(
    access: Access,
    status: "active" | "paused",
    reason: string | null,
    show: (account: Account) => T,
  ): Promise<Answer<T>> {
    const admitted = this.#context.answer(access, (account) => done(account));
    if (!admitted.ok) return admitted;
    const account = admitted.value;
    if (account.row.status !== status) {
      account.setStatus(status, reason, this.#context.now());
      this.#others.recheck();
      this.#others.resume();
      await this.#others.reportNow(account);
    }
    return done(show(account));
  }

  #info(account: Account): MailboxInfo {
    const target = this.#others.webhooks.targets.of(OWN_URL);
    return account.info(target === null ? null : { ...target, missed: missedEvents(target) });
  }
}
