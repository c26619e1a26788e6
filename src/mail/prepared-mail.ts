import type { Authentication, EmailSummary } from "../contract/message.ts";
import type { Alternative } from "./code/find-code.ts";
import type { ByteSpan } from "./large-body.ts";
import type { TransferEncoding } from "./mime/stream-decoding.ts";
import type { ReportNews } from "./report/report-news.ts";

/** Where in the raw message the bytes of a file lie, and how they are encoded there. */
export interface FilePlace extends ByteSpan {
  encoding: TransferEncoding;
  /** Where the header of its part begins; set only for an iCalendar file that was turned into UTF-8. */
  headerFrom?: number;
}

/**
 * The stored description of one attachment. Its bytes are cut from a small raw message, and decoded from their place in a large
 * one. Releases before 0.2.0 stored those of a large message decoded, in a blob of parts.
 */
export interface StoredAttachment {
  filename: string;
  contentType: string;
  sizeBytes: number;
  disposition: string | null;
  contentId: string | null;
  /** First byte within the blob of parts; null where there is none. */
  offset: number | null;
  /** Set for a file of a large message without a blob of parts. */
  place?: FilePlace;
  /** Its text, if it is a text file that is not too large to be read. */
  text?: string;
  /** Set if it is a text file that is too large to be read. */
  isTooLarge?: true;
}

/** The members of a listed message that never change. */
export type Listing = Pick<
  EmailSummary,
  | "sender_verified"
  | "text_truncated"
  | "from_address"
  | "from_name"
  | "to_address"
  | "subject"
  | "snippet"
  | "code"
  | "direction"
  | "has_attachments"
  | "attachment_count"
>;

/** The columns of the full-text row, as indexed. */
export interface SearchText {
  subject: string;
  names: string;
  addresses: string;
  body: string;
  code: string;
  attachments: string;
}

/** How sure the code and the link of a message are, and why, as it is stored. */
export interface StoredEvidence {
  /** Of the code, or of the link where there is no code. */
  confidence: number;
  /** Of the link; left out where there is none, and by releases that did not keep it. */
  link_confidence?: number;
  /** Left out where there are none. */
  alternatives?: Alternative[];
  evidence: string[];
}

/** A message ready to be written: everything that takes CPU time was done outside the actor. */
export interface PreparedMail {
  /** JSON object: the members of an EmailSummary that never change (`Listing`). */
  listing: string;
  /** The envelope recipient, its tag kept. */
  toAddress: string;
  /** The addresses of its From as written, each once, for the rules; one that nobody can read is "". Empty for outgoing mail. */
  senders: string[];
  /**
   * Addresses of To and Cc with their tags (`trimmedAddress`), each once, for expectations; unreadable ones are left out.
   * `unproven`: those that the proven domain may not have written (`proven_fields`).
   */
  named: string[];
  unproven: string[];
  /** Whether it says that it answers a mail by itself (RFC 3834). */
  isAutoReplied: boolean;
  /** Sender and subject as filters compare them (`foldForMatch`). */
  senderFolded: string;
  subjectFolded: string;
  code: string | null;
  link: string | null;
  /** JSON of a `StoredEvidence`; null where there is neither code nor link. */
  codeEvidence: string | null;
  /** `CODE_READER_VERSION` of the reader that found them; 0 if reading failed. */
  codeReader: number;
  labels: string[];
  /** As the message bears it, in angle brackets; null if it has none. */
  messageId: string | null;
  /** Digest of the Message-ID; null if the message has none. */
  messageKey: string | null;
  /** Digests of the ids it refers to, nearest ancestor last. */
  ancestorKeys: string[];
  /** Digest of everything but the trace headers. */
  digest: string;
  /** The findings about the sender, as `detail` has it; null where nothing was checked. */
  authentication: Authentication | null;
  /** Domain of the one author, in canonical form, proven or not; null if there is no author, several, or an unreadable one. */
  authorDomain: string | null;
  /** JSON object: the members of an Email that fit a row whatever the message. */
  detail: string;
  /** JSON object: body_text, body_html, headers; null where they are too large for a row and lie in the blob `bodyKey`. */
  body: string | null;
  /** Where the bodies of a message lie that do not fit a row, in rows of the mailbox; null where they do. */
  bodyKey: string | null;
  /** JSON of BodyLayout; null as `bodyKey` is. */
  bodyLayout: string | null;
  attachments: StoredAttachment[];
  search: SearchText;
  sizeBytes: number;
  /** News about a message that the mailbox sent, if the mail is a delivery report; else null. */
  report: ReportNews | null;
  /** False if the parser gave up on it. */
  parsed: boolean;
  /** The message byte for byte; null where it lies in the blob store under `rawKey`. */
  raw: ArrayBuffer | null;
  rawKey: string | null;
  /** Blobs that were reserved for this message and not written. */
  unusedKeys: string[];
}
