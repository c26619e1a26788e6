import { closeSync, openSync, readSync } from "node:fs";

/** The first bytes of each database, and the place of its count of pages (sqlite.org/fileformat2.html#the_database_header). */
const MAGIC = "SQLite format 3\0";
const PAGES_AT = 28;
const HEADER_BYTES = 100;

/**
 * Whether a database file of one page or less is the beginning of a larger one that was cut off. A file without a header, or
 * whose header says one page, never held anything. Throws the error of the file system.
 */
export function isCutDatabase(file: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    const bytes = readSync(descriptor, header, 0, HEADER_BYTES, 0);
    if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return false;
    return bytes < HEADER_BYTES || header.readUInt32BE(PAGES_AT) > 1;
  } finally {
    closeSync(descriptor);
  }
}
