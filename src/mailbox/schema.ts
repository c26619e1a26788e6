import type { Seq } from "../lib/ids.ts";
import type { DomainStatus } from "../contract/domain.ts";
import type { EventKind } from "../contract/event.ts";
import type { MessageStatus } from "../contract/message.ts";
import type { DeliveryError, DeliveryState } from "../contract/webhook.ts";
import type { Scope } from "../contract/scope.ts";
import type { RecipientState } from "../outbound/ledger.ts";

/** The mailbox itself; one row. */
export type AccountRow = {
  /** Canonical address. */
  address: string;
  kind: "permanent" | "temporary";
  /** `closing`: erased for everybody; what is left waits for the blob store and the directory. */
  status: "active" | "paused" | "closing";
  /** ms since 1970, as every time here. */
  created_at: number;
  /** null = never. */
  expires_at: number | null;
  display_name: string | null;
  paused_at: number | null;
  pause_reason: string | null;
  /** The newest number handed out; it survives the deletion of its message. */
  last_seq: Seq;
  inbound: number;
  outbound: number;
  /** UTC month `YYYY-MM` that `month_count` counts. */
  month: string;
  month_count: number;
  /** Messages that the parser gave up on. */
  unparsed: number;
  storage_bytes: number;
  /** When the directory is told (again) of this state; null = it knows. */
  directory_due: number | null;
  /** `seq` of the newest entry of the log; it survives the entry. */
  last_event: number;
  /** Signs the webhooks; null = the deployment's does. */
  webhook_secret: string | null;
  /** What signed before the last change, in the same words. */
  webhook_secret_before: string | null;
  /** When that was; null = never. */
  webhook_secret_changed_at: number | null;
  /** UTC day `YYYY-MM-DD` that `sends_count` counts; "" before the first send. */
  sends_day: string;
  sends_count: number;
};

/** Where webhooks go: the mailbox's URL or that of one label. */
export type TargetRow = {
  id: number;
  /** "" = the mailbox's own `webhook_url`. */
  label: string;
  /** As it was set. */
  url: string;
  status: "active" | "failed";
  /** Deliveries in a row that failed. */
  failures: number;
  created_at: number;
};

/** One event on its way to one target. */
export type DeliveryRow = {
  /** Time-ordered like the numbers of messages (`nextSeq`): it says when the delivery was made. */
  id: Seq;
  /** `seq` of the log; 0 = a test event, which the log does not know. */
  event: number;
  kind: EventKind;
  /** "" for a test event. */
  email_id: string;
  target: number;
  label: string;
  /** Where the latest attempt went; before the first, where it was to go. */
  url: string;
  state: DeliveryState;
  /** Attempts begun. */
  attempts: number;
  /**
   * Null exactly when it is over; 0 until the first attempt begins. While an attempt is under way, the end of its lease:
   * past it, whoever made the attempt is dead.
   */
  due_at: number | null;
  /** Begin of the attempt under way; null = none is. */
  begun_at: number | null;
};

/** One attempt that ended. */
export type AttemptRow = {
  delivery: Seq;
  /** From 1. */
  number: number;
  at: number;
  status: number | null;
  error: DeliveryError | null;
  /** Null if nobody lived to see its end. */
  duration_ms: number | null;
  answer: string;
};

export type KeyRow = {
  id: string;
  /** SHA-256 of the secret, hex. */
  secret_hash: string;
  scope: Scope;
  created_at: number;
  expires_at: number | null;
  /** Written at most once an hour. */
  last_used_at: number | null;
};

/** What a listing needs of a message: few columns, because each costs more than its bytes. */
export type MessageRow = {
  seq: Seq;
  /** `seq` of the message that began the thread. */
  thread: Seq;
  status: MessageStatus;
  /** JSON array. */
  labels: string;
  /** JSON of Listing: what of a listing never changes, ready to be sent. */
  listing: string;
};

/** What the search for codes needs of a message. */
export type CodeRow = {
  seq: Seq;
  code: string | null;
  link: string | null;
  /** JSON of `{ confidence, evidence }`; null where there is neither code nor link, or who read them kept none (version 1). */
  code_evidence: string | null;
  /** Address and name of the sender, folded (`foldForMatch`). */
  sender_folded: string;
  listing: string;
};

/** What one email needs beyond its listing. */
export type ContentRow = {
  detail: string;
  /** JSON array of StoredAttachment. */
  attachments: string;
  /** JSON object (`bodyJson`); null where it is too large for this row. */
  body: string | null;
  /** Where it lies then, in rows of the mailbox; null for mail stored before there were such, until it is read. */
  body_key: string | null;
  /** JSON of BodyLayout. */
  body_layout: string | null;
  raw_key: string | null;
  parts_key: string | null;
  size_bytes: number;
  link: string | null;
};

/** A message of ours as it is composed, and when it is tried next. */
export type OutboxRow = {
  seq: Seq;
  /** JSON of OutgoingMessage but for text and html, which have columns of their own: together they may be 1.5 MB. */
  message: string;
  text: string;
  html: string;
  /** JSON array: ids of the uploads that hold the attachments. */
  files: string;
  /** MAIL FROM of copies that several recipients share. */
  return_path: string;
  smtp_utf8: 0 | 1;
  /** Tries to hand it over outside the deployment that came to an end. */
  tries: number;
  /** The next of them, or the end of the lease of one under way; null = nobody tries. */
  due_at: number | null;
  /** Tries to deliver it inside the deployment that came to an end. */
  inside_tries: number;
  inside_due_at: number | null;
  /** Tries outside that were begun since one of them last ended. */
  unended: number;
  /** The same of those inside. */
  inside_unended: number;
  /** Whether the log told that a transport took it. */
  told_sent: 0 | 1;
  /** DKIM-Signature field with its line end, made at the first try; "" before that, and without a key. */
  signature: string;
};

export type RecipientRow = {
  seq: Seq;
  position: number;
  address: string;
  /** Whether it is a mailbox of this deployment, as it was set up when the message was accepted. */
  inside: 0 | 1;
  state: RecipientState;
  /** When it came to that state. */
  at: number;
  /** The last that a host said of it; null = nothing yet. */
  diagnostic: string | null;
  /** What reports about it come back to; null before the first try, inside the deployment, and where a name is too long. */
  token: string | null;
};

/** What stands in the way of sending, as it was last said. */
export type ObstacleRow = { reply: string; at: number };

/** An address that nothing more is sent to. */
export type SuppressionRow = { address: string; reason: "bounce" | "complaint"; at: number; seq: Seq };

/** A file on its way into a message. */
export type UploadRow = {
  /** Public id. */
  id: string;
  /** Where its bytes lie in the blob store. */
  key: string;
  filename: string;
  content_type: string;
  /** While it comes in: the room that is kept free for it. Counted in `storage_bytes` either way. */
  size_bytes: number;
  /** Hex; null while it comes in. */
  sha256: string | null;
  created_at: number;
  /** null = a message uses it. */
  expires_at: number | null;
};

/** A domain that the mailbox asked for, and the key made for it. */
export type DomainRow = {
  /** Public id. */
  id: string;
  /** In A-labels, lower case. */
  name: string;
  status: DomainStatus;
  /** Where the public key stands: `<selector>._domainkey.<name>`. */
  selector: string;
  /** RSA, PKCS #8 as PEM. It never leaves the mailbox. */
  private_key: string;
  /** SubjectPublicKeyInfo in Base64. */
  public_key: string;
  created_at: number;
  /** Whether the domain's object may name this mailbox as its holder: then its records are looked up again and again. */
  held: 0 | 1;
  /** Since when it is verified; null = it is not. */
  verified_at: number | null;
  /** When the records that count were last seen right; null = never. */
  seen_at: number | null;
  /** When one of them was first seen gone after that; null = none is. */
  gone_at: number | null;
  /** When the resolver last told; null = never. */
  checked_at: number | null;
  /** When they are looked up again; null = when somebody asks. */
  due_at: number | null;
  /** JSON of RecordResults: what the last look-up came to. */
  results: string;
};
