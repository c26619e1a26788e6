import type { Direction, MessageStatus } from "../../contract/message.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

/** A message with everything that an export says of it. */
export type ExportRow = {
  seq: Seq;
  thread: Seq;
  direction: Direction;
  status: MessageStatus;
  /** JSON of Listing. */
  listing: string;
  /** JSON array. */
  labels: string;
  hidden: 0 | 1;
  code: string | null;
  link: string | null;
  code_taken_at: number | null;
  size_bytes: number;
  /** JSON of Metadata and more. */
  detail: string;
  raw: ArrayBuffer | null;
  raw_key: string | null;
};

/** The numbers of the messages above one and up to another, oldest first. */
export const LIST_SEQS: Query<{ seq: Seq }, [after: Seq, last: Seq, limit: number]> = {
  text: "SELECT seq FROM message WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ? + 0",
};
export const READ: Query<ExportRow, [Seq]> = {
  text: `SELECT m.seq, m.thread, m.direction, m.status, m.listing, m.labels, m.hidden, m.code, m.link, m.code_taken_at,
    m.size_bytes, c.detail, c.raw, c.raw_key
    FROM message m JOIN content c ON c.seq = m.seq WHERE m.seq = ?`,
};
