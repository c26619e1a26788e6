import type { Read } from "./reads.ts";

/** A queued message, in the state in which its server was killed. */
export interface WaitingMessage {
  id: string;
  message_id: string;
  raw_sha256: string;
}

/** The expectations for the stored data of one version; times are ISO 8601. */
export interface StoredData {
  /** Git's tree hash of `src/` of the code that wrote the data. */
  src_tree: string;
  stored_at: string;
  /** The variables of that server. All secrets are made up for tests. */
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
  /** A search that finds one message of `reader`. */
  search: { words: string; id: string };
  /** Records of the domain that `reader` has verified, as type, name and data. */
  dns: { type: string; name: string; data: string[] }[];
  domain: string;
  /** A suppressed address of `sender`. */
  suppressed: string;
  /** A send of `sender` with an Idempotency-Key. */
  keyed: { key: string; body: Record<string, unknown>; id: string; at: string };
  /** An upload of `waiting` that no message uses. */
  upload: { id: string; expires_at: string };
  waiting: {
    /** Deferred by the relay. */
    queued: WaitingMessage;
    /** The relay did not answer DATA. */
    handing: WaitingMessage;
    /** The relay received the complete message and did not answer. */
    ending: WaitingMessage;
    /** Events with a pending webhook delivery. */
    webhook_events: string[];
  };
  /** A claim that takes over `temporary`; the server was killed during the copy. */
  take_over: { raw_sha256: string[]; taken: number };
  /** A claim that nobody decided. */
  pending_claim: { session_id: string; name: string };
  /** A permanent mailbox that was erased. */
  erased: { name: string; at: string };
  /** The cookie of an operator who signed out. */
  ended_cookie: string;
  /** Rows of each table, by actor. */
  tables: Record<string, Record<string, number>>;
  reads: Read[];
}
