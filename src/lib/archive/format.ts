import { isMail } from "./mail-head.ts";
import { isMbox } from "./mbox-reader.ts";
import { isTar, isTarEnd } from "./tar-reader.ts";

/** The formats of archives. */
export type ArchiveFormat = "tar" | "mbox" | "eml";

/**
 * The format of an archive, by its first HEAD_BYTES: the stated one, or the one that it looks like. Null for bytes that
 * are no archive and no mail, such as a zip, which would else become one email of noise.
 */
export function formatOf(head: Uint8Array, stated: string): ArchiveFormat | null {
  if (stated === "maildir-tar" || stated === "tar") return "tar";
  if (stated === "eml") return "eml";
  if (stated !== "mbox" && (isTar(head) || isTarEnd(head))) return "tar";
  if (isMbox(head) || head.length === 0) return "mbox";
  // An mbox file may lack its first From_ line.
  return isMail(head) ? (stated === "mbox" ? "mbox" : "eml") : null;
}
