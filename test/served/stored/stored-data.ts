import type { Read } from "./reads.ts";

/** A message of the mailbox that waits, as it stood when its server was killed. */
export interface WaitingMessage {
  id: string;
  message_id: string;
  raw_sha256: string;
}

/** What is known of the stored data of one version; times are ISO 8601. */
export interface StoredData {
  /** What git calls `src/` of the code that wrote it. */
  src_tree: string;
  stored_at: string;
  /** The variables it was served with. All secrets are of the tests. */
  settings: Record<string, string>;
  /** Keys by the name of their mailbox; `operator` is the operator's. */
  keys: Record<string, string>;
  mailboxes: Record<string, string>;
  /** A second key of `reader`, and one that was revoked. */
  second_key: string;
  revoked_key: string;
  /** An old thread of `reader`, by its newest message. */
  thread: { id: string; message_id: string; emails: number };
  /** A message of `reader` with a Message-ID. */
  repeated: { id: string; received_at: string };
  /** Words that a search for finds one message of `reader`. */
  search: { words: string; id: string };
  /** Records of the domain that `reader` has verified, as type, name and data. */
  dns: { type: string; name: string; data: string[] }[];
  domain: string;
  /** An address that `sender` sends to no more. */
  suppressed: string;
  /** A send of `sender` with an Idempotency-Key. */
  keyed: { key: string; body: Record<string, unknown>; id: string; at: string };
  /** An upload of `waiting` that no message uses. */
  upload: { id: string; expires_at: string };
  waiting: {
    /** Put off by the relay. */
    queued: WaitingMessage;
    /** The relay was asked for DATA and said nothing. */
    handing: WaitingMessage;
    /** The relay had all of it and did not answer. */
    ending: WaitingMessage;
    /** Events whose delivery to the webhook was not over. */
    webhook_events: string[];
  };
  /** A claim that takes over the mail of `temporary`; it was killed in the middle. */
  take_over: { raw_sha256: string[]; taken: number };
  /** A claim that nobody decided. */
  pending_claim: { session_id: string; name: string };
  /** A permanent mailbox that was erased. */
  erased: { name: string; at: string };
  /** Of an operator who signed out. */
  ended_cookie: string;
  /** Rows of each table, by actor. */
  tables: Record<string, Record<string, number>>;
  reads: Read[];
}
