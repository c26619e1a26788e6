import * as z from "zod";

/** What a key may do; assigned by the server (specification, Authentication). */
export const Scope = z.enum(["provisional", "mailbox", "operator"]);
export type Scope = z.infer<typeof Scope>;

/** Every key of a mailbox, and the operator. */
export const ANYONE: readonly Scope[] = ["provisional", "mailbox", "operator"];
/** Keys that own their mailbox for good, and the operator. */
export const OWNERS: readonly Scope[] = ["mailbox", "operator"];
/** The deployment's administration. */
export const OPERATORS: readonly Scope[] = ["operator"];

/** What a caller is told that its key can do (`capabilities` of GET /v1/me and of a bootstrap). */
export const CAPABILITIES: Record<Scope, readonly string[]> = {
  provisional: ["read", "search", "code", "extract", "threads", "events", "stats", "delete_mailbox"],
  mailbox: [
    "read",
    "search",
    "code",
    "extract",
    "threads",
    "events",
    "stats",
    "labels",
    "send",
    "delete_email",
    "attachments",
    "webhooks",
    "domains",
    "keys",
    "settings",
    "pause",
    "delete_mailbox",
  ],
  operator: [
    "read",
    "search",
    "code",
    "extract",
    "threads",
    "events",
    "stats",
    "labels",
    "send",
    "delete_email",
    "attachments",
    "webhooks",
    "domains",
    "keys",
    "settings",
    "pause",
    "delete_mailbox",
    "mailboxes",
    "inbound",
  ],
};
