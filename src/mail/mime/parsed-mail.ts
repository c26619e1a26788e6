import type { StartOfBody } from "./part-text.ts";

/** A mailbox as a header names it: display name ("" if none) and address as written, without angle brackets. */
export interface NamedAddress {
  name: string;
  address: string;
}

/** One attachment or inline file of a parsed message. `start` gives its decoded beginning. */
export interface ParsedAttachment extends StartOfBody {
  /** Never empty, no path, no control characters. */
  filename: string;
  /** Lower case, without parameters. */
  contentType: string;
  disposition: string | null;
  /** Without angle brackets. */
  contentId: string | null;
  /** Position among the attachments, from 0. */
  partIndex: number;
  /** Size of the decoded content, in bytes. */
  readonly sizeBytes: number;
  /** All bytes, decoded anew at each use. */
  readonly content: Uint8Array;
  /** The same in pieces of at most 1 MB (one piece if the message holds it undecoded); each is valid until the next is read. */
  pieces(): Iterable<Uint8Array>;
  /** Its text, decoded from its charset, with `\n` for line ends; null if that takes more than `maxBytes`. */
  readText(maxBytes: number): string | null;
}

/** A message as far as it could be read. Every string is well-formed Unicode. */
export interface ParsedMail {
  /** "" if none. */
  subject: string;
  /** The first mailbox of the first From header; both "" if there is none. */
  from: NamedAddress;
  /** Every mailbox of every From header, `from` first. */
  senders: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  /** With angle brackets, as in the header; null if the message has none. */
  messageId: string | null;
  inReplyTo: string | null;
  references: string | null;
  /** Ids of In-Reply-To and References, each with angle brackets, nearest ancestor last, without repeats, bounded. */
  ancestorIds: string[];
  /** ISO 8601 UTC from the Date header; null if missing or unreadable. */
  date: string | null;
  /** Text of the message; derived from the HTML where there is no text part. */
  text: string;
  /** "" if the message has no HTML part. */
  html: string;
  /** Lower-case name to value, repeats joined by "\n", in order of first appearance. */
  headers: Record<string, string>;
  attachments: ParsedAttachment[];
  /** Whether text or HTML go on in the raw message: they end at MAX_BODY_BYTES. */
  isTextCut: boolean;
  /** Stable words for the parts that could not be read or were cut, such as `too_many_parts`; empty for a sound message. */
  faults: string[];
}
