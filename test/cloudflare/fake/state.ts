// The state of the fake of Cloudflare's API.

export interface FakeToken {
  id: string;
  value: string;
  /** A login of wrangler is refused by parts of the API. */
  isLogin: boolean;
  status: "active" | "disabled" | "expired";
  /** Names of permission groups. */
  groups: Set<string>;
  /** Whether a list that it may not read is refused; else it is empty. */
  isRefusedLists: boolean;
  /** Whether it may read its own permissions. */
  readsItself: boolean;
  /** Ids of the accounts that it includes. */
  accounts: Set<string>;
}

export interface FakeRecord {
  id: string;
  type: string;
  name: string;
  content: string;
  priority?: number;
  comment?: string;
  /** When the content was set, in ms since 1970. */
  modifiedMs?: number;
  /** Locked records belong to a product: they are changed only once they are unlocked. */
  isLocked: boolean;
}

export interface FakeAction {
  type: string;
  value?: string[] | undefined;
}

export interface FakeRule {
  id: string;
  enabled: boolean;
  name: string;
  matchers: { type: string; field?: string | undefined; value?: string | undefined }[];
  actions: FakeAction[];
}

export interface FakeSending {
  tag: string;
  name: string;
  enabled: boolean;
}

export interface FakeZone {
  id: string;
  name: string;
  account: string;
  status: "initializing" | "pending" | "active" | "moved";
  paused: boolean;
  records: FakeRecord[];
  /** Email Routing; null before it was ever turned on. */
  routing: { enabled: boolean; status: string; names: string[] } | null;
  rules: FakeRule[];
  catchAll: FakeRule;
  sending: FakeSending[];
  /** Whether the plan has Email Sending. */
  allowsSending: boolean;
  /** Whether Cloudflare adds the records of sending itself. */
  addsSendingRecords: boolean;
}

export interface FakeConsumer {
  consumer_id: string;
  script: string;
  settings: unknown;
  dead_letter_queue: string | null;
}

export interface FakeQueue {
  queue_id: string;
  queue_name: string;
  consumers: FakeConsumer[];
}

export interface FakeSubscription {
  id: string;
  name: string;
  enabled: boolean;
  source: { type: string; zone_id: string; domain: string };
  destination: { type: string; queue_id: string };
  events: string[];
}

export interface FakeBinding {
  type: string;
  name: string;
  text?: string;
  bucket_name?: string;
  class_name?: string;
}

export interface FakeScript {
  name: string;
  etag: string;
  bindings: FakeBinding[];
  secrets: Map<string, string>;
  migrationTag: string | null;
  /** Whether it is reached under workers.dev. */
  isPublic: boolean;
  /** Names of its modules and of their source maps. */
  modules: string[];
  /** Uploads of it so far. */
  uploads: number;
}

export interface FakeCustomDomain {
  id: string;
  hostname: string;
  /** The name of its worker. */
  service: string;
  zone_id: string;
  environment: string;
}

export interface FakeAccount {
  id: string;
  name: string;
  subdomain: string | null;
  /** Whether R2 is turned on. */
  hasR2: boolean;
  /** The number of the error where it is not. */
  r2Code: number;
  hasQueues: boolean;
  /** The largest script in bytes, as it is uploaded. */
  maxScriptBytes: number;
  buckets: Map<string, Set<string>>;
  queues: FakeQueue[];
  subscriptions: FakeSubscription[];
  scripts: Map<string, FakeScript>;
  customDomains: FakeCustomDomain[];
  /** Raw messages that were sent through the API. */
  sent: { from: string; recipients: string[]; mime_message: string }[];
}

/** Names under workers.dev that others have. */
export const TAKEN_SUBDOMAINS: ReadonlySet<string> = new Set(["taken"]);

/** The rule that a zone begins with. */
export function defaultCatchAll(): FakeRule {
  return {
    id: "catch_all",
    enabled: false,
    name: "",
    matchers: [{ type: "all" }],
    actions: [{ type: "drop" }],
  };
}
