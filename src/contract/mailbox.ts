import * as z from "zod";
import { Timestamp } from "./message.ts";
import { Scope } from "./scope.ts";
import { MissedEvents, WebhookStatus } from "./webhook.ts";

export const MailboxStatus = z.enum(["active", "paused"]);
export type MailboxStatus = z.infer<typeof MailboxStatus>;

/** GET /v1/mailbox. */
export const MailboxInfo = z
  .object({
    mailbox: z.string(),
    address: z.string().meta({ description: "The same as `mailbox`." }),
    status: MailboxStatus,
    webhook_url: z.string().nullable(),
    webhook_status: WebhookStatus.nullable(),
    webhook_recovery: z.boolean(),
    webhook_missed: MissedEvents.optional(),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    display_name: z.string().nullable(),
    full: z
      .boolean()
      .optional()
      .meta({ description: "Whether mail is refused because the quota is used up." }),
  })
  .meta({ id: "Mailbox" });
export type MailboxInfo = z.infer<typeof MailboxInfo>;

export const PausedMailbox = z.object({
  mailbox: z.string(),
  status: z.literal("paused"),
  reason: z.string().nullable(),
  paused_at: Timestamp,
});
export type PausedMailbox = z.infer<typeof PausedMailbox>;
export const ResumedMailbox = z.object({ mailbox: z.string(), status: z.literal("active") });
export type ResumedMailbox = z.infer<typeof ResumedMailbox>;

export const DeletedMailbox = z.object({
  ok: z.literal(true),
  deleted: z.string(),
  r2_blobs_deleted: z.int(),
});
export type DeletedMailbox = z.infer<typeof DeletedMailbox>;

/** One row of the operator's list. */
export const MailboxEntry = z
  .object({
    mailbox: z.string(),
    kind: z.enum(["permanent", "temporary"]),
    status: MailboxStatus,
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: "MailboxEntry" });
export type MailboxEntry = z.infer<typeof MailboxEntry>;

export const MailboxPage = z.object({
  mailboxes: z.array(MailboxEntry),
  next_cursor: z.string().nullable(),
});

export const KeyRecord = z
  .object({
    id: z.string(),
    scope: Scope,
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: "Key" });
export type KeyRecord = z.infer<typeof KeyRecord>;

export const KeyList = z.object({ mailbox: z.string(), keys: z.array(KeyRecord) });
export type KeyList = z.infer<typeof KeyList>;
export const NewKey = KeyRecord.extend({ mailbox: z.string(), api_key: z.string() });

export const Me = z
  .object({
    worker: z.string(),
    version: z.string(),
    mailbox: z.string().nullable(),
    scope: Scope,
    expires_at: Timestamp.nullable(),
    send: z.boolean(),
    capabilities: z.array(z.string()),
  })
  .meta({ id: "Me" });

export const Bootstrapped = z
  .object({
    mailbox: z.string(),
    api_key: z.string(),
    scope: z.literal("provisional"),
    expires_at: Timestamp,
    replayed: z.boolean(),
    capabilities: z.array(z.string()),
    upgrade: z.object({ command: z.string(), url: z.string() }),
    fix: z.string().optional().meta({
      description: "Why a repeat of the Idempotency-Key will make another mailbox, and what to send.",
    }),
  })
  .meta({ id: "Bootstrapped" });

export const CreatedMailbox = z.object({ mailbox: z.string(), api_key: z.string() });

/** GET /v1/stats. */
export const Stats = z
  .object({
    mailbox: z.string(),
    total_emails: z.int(),
    inbound: z.int(),
    outbound: z.int(),
    emails_this_month: z.int(),
    suppression_count: z.int(),
    webhook_routes: z.int(),
    storage_bytes: z.int(),
    sends_today: z.int(),
    daily_send_limit: z.int(),
    sending_obstacle: z.object({ reply: z.string(), at: Timestamp }).nullable().meta({
      description:
        "The relay's last refusal of this deployment, or that it could not be reached; null once it accepts a message.",
    }),
    ingest: z.object({ pending: z.int(), parsed: z.int(), failed: z.int() }),
    embeddings: z
      .object({
        model: z.string(),
        embedded: z.int(),
        pending: z.int(),
        failed: z
          .int()
          .meta({ description: "Emails that the model refused; only keyword search finds them." }),
        error: z.string().nullable().meta({ description: "Why the model embeds no more mail now." }),
      })
      .nullable()
      .meta({ description: "How much mail semantic search finds; null without an embedding model." }),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof Stats>;
