import * as z from "zod";

/** The rights of a key; the server assigns them. */
export const Scope = z.enum(["provisional", "mailbox", "operator"]);
export type Scope = z.infer<typeof Scope>;

/** Every key of a mailbox, and the operator. */
export const ANYONE: readonly Scope[] = ["provisional", "mailbox", "operator"];
/** Keys that own their mailbox for good, and the operator. */
export const OWNERS: readonly Scope[] = ["mailbox", "operator"];
/** The deployment's administration. */
export const OPERATORS: readonly Scope[] = ["operator"];

const READER = ["read", "search", "code", "extract", "threads", "events", "stats"];
const OWNER = [
  ...READER,
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
];

/** The capabilities of a key, by its scope: `capabilities` of GET /v1/me and of a bootstrap. */
export const CAPABILITIES: Readonly<Record<Scope, string[]>> = {
  provisional: [...READER, "delete_mailbox"],
  mailbox: OWNER,
  operator: [...OWNER, "mailboxes", "inbound"],
};
