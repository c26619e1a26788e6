import type { ByteSpan } from "../large-body.ts";
import type { ParsedAttachment, ParsedMail } from "./parsed-mail.ts";
import type { BodyStart } from "./transfer-decoding.ts";

/** One attachment or inline file of a scanned message: its bytes lie in the raw message. */
export interface ScannedFile extends Pick<
  ParsedAttachment,
  "filename" | "contentType" | "disposition" | "contentId" | "partIndex"
> {
  /** Size of the decoded content, in bytes. */
  sizeBytes: number;
  /** SHA-256 of the decoded content, in hex; "" unless the reader wants digests. */
  sha256: string;
  /** Where the encoded content lies in the raw message. */
  span: ByteSpan;
  /** How it is encoded there: the first token of Content-Transfer-Encoding, lower case. */
  encoding: string;
  /** Where the header of its part begins in the raw message. */
  headerFrom: number;
  /** Whether it is an iCalendar file that was turned into UTF-8, ended by one line feed: size and digest are those of the result. */
  isConverted: boolean;
}

/** A file at the end of its body, while its beginning is still held. */
export interface PassingFile extends ScannedFile {
  /** The decoded beginning, as far as the reader wanted it; valid during the call. */
  start(maxBytes: number): BodyStart;
  /** Its text, decoded from its charset, with `\n` for line ends; null if that takes more than `maxBytes`. */
  readText(maxBytes: number): string | null;
}

/** Reads the beginnings of files as they pass, each in the order of the message. */
export interface FileReader {
  /** Whether files are digested. */
  readonly wantsDigests?: boolean;
  /** The most bytes of text or content that `read` asks for in a file of this type; 0 for none. */
  wantedBytes(contentType: string): number;
  read(file: PassingFile): void;
  /** Forgets the files: the message could not be read to its end, and its beginning is read again. */
  restart(): void;
}

/** A message as far as it could be read while it passed. */
export interface ScannedMail extends Omit<ParsedMail, "attachments"> {
  attachments: ScannedFile[];
  /** Size of the raw message, in bytes. */
  sizeBytes: number;
  /** `contentDigest` of the raw message. */
  digest: string;
}
