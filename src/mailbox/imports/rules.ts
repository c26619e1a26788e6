import { label as Label } from "../../contract/parameters.ts";
import { readNote, type EntryNote } from "../../lib/archive/entry-note.ts";
import { isInMaildir, isSentFolder, labelsOfFlags, readMailName } from "../../lib/archive/maildir.ts";
import { formatOf, type ArchiveFormat } from "../../lib/archive/format.ts";
import { HEAD_BYTES, isMail } from "../../lib/archive/mail-head.ts";
import { readMboxEntry } from "../../lib/archive/mbox-reader.ts";
import { BadArchive, readTarEntry } from "../../lib/archive/tar-reader.ts";
import type { Window } from "../../lib/archive/window.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { ownJson } from "../../lib/json-text.ts";
import type { ParsedMail } from "../../mail/mime/parsed-mail.ts";

/** The most labels of one message. */
const MAX_LABELS = 100;
const MAX_LABEL_CHARS = 64;
/** 2 January 1971. No mail is older, so an earlier time is a mistake. */
const EARLIEST_MS = 31_622_400_000;

/** A step through an archive. */
export interface Step {
  /** The message; null for an entry that is not a message, and for one that is too large. */
  found: Found | null;
  /** Whether the entry should have been a message. */
  isFault: boolean;
  /** Where the next step begins. */
  next: number;
}

/** A message of an archive, and what the archive says of it. */
export interface Found {
  raw: Uint8Array;
  note: EntryNote;
  /** Labels from its folder and its flags. */
  labels: readonly string[];
  /** When it was received, by the container; ms since 1970. */
  containerMs: number | null;
}

/** The format of a stored archive. Throws BadArchive. */
export async function formatIn(window: Window, stated: string): Promise<ArchiveFormat> {
  const format = formatOf(await window.at(0, HEAD_BYTES), stated);
  if (format === null) throw new BadArchive("The archive is neither a tar, nor an mbox, nor one email");
  return format;
}

/** Reads the message or entry at `offset`; null at the end. Throws BadArchive. */
export function stepAt(window: Window, format: ArchiveFormat, offset: number): Promise<Step | null> {
  if (format === "tar") return tarStep(window, offset);
  return format === "mbox" ? mboxStep(window, offset) : emlStep(window, offset);
}

async function tarStep(window: Window, offset: number): Promise<Step | null> {
  const entry = await readTarEntry(window, offset);
  if (entry === null) return null;
  const { start, sizeBytes, next, comment, modifiedMs } = entry;
  if (start + sizeBytes > window.sizeBytes) throw new BadArchive("The archive ends within an entry");
  const name = entry.isFile ? readMailName(entry.name) : null;
  if (name === null) return { found: null, isFault: false, next };
  if (sizeBytes > MAX_MESSAGE_BYTES || sizeBytes === 0) return { found: null, isFault: true, next };
  const raw = (await window.at(start, sizeBytes)).slice();
  // The folder of a Maildir says that a file is a mail; a name alone does not.
  if (!isInMaildir(entry.name) && !isMail(raw)) return { found: null, isFault: true, next };
  const note = readNote(comment);
  const { folder, flags } = name;
  const labels = folder === "" ? labelsOfFlags(flags) : [folder, ...labelsOfFlags(flags)];
  const sent = isSentFolder(folder) && note.direction === undefined ? { direction: "outbound" as const } : {};
  return {
    found: { raw, note: { ...note, ...sent }, labels, containerMs: modifiedMs },
    isFault: false,
    next,
  };
}

async function mboxStep(window: Window, offset: number): Promise<Step | null> {
  const entry = await readMboxEntry(window, offset, MAX_MESSAGE_BYTES);
  if (entry === null) return null;
  const { raw, isRest, fromMs, next } = entry;
  if (isRest) return { found: null, isFault: false, next };
  if (raw === null || raw.length === 0) return { found: null, isFault: true, next };
  return { found: { raw, note: {}, labels: [], containerMs: fromMs }, isFault: false, next };
}

async function emlStep(window: Window, offset: number): Promise<Step | null> {
  const { sizeBytes } = window;
  if (offset >= sizeBytes) return null;
  if (sizeBytes > MAX_MESSAGE_BYTES) return { found: null, isFault: true, next: sizeBytes };
  const raw = (await window.at(0, sizeBytes)).slice();
  return { found: { raw, note: {}, labels: [], containerMs: null }, isFault: false, next: sizeBytes };
}

/**
 * When a message was received, in ms since 1970: by the note of an export, its topmost Received field, the container, its Date
 * field; else now. Never later than now.
 */
export function receivedMs(
  { note, containerMs }: Found,
  parsed: Pick<ParsedMail, "headers" | "date">,
  nowMs: number,
): number {
  const received = parsed.headers["received"]?.split("\n")[0]?.split(";").at(-1) ?? "";
  const times = [note.received_at ?? "", received, containerMs, parsed.date ?? ""].map((time) =>
    typeof time === "string" ? Date.parse(time.replace(/\(.*$/, "")) : (time ?? Number.NaN),
  );
  return Math.min(nowMs, times.find((ms) => ms >= EARLIEST_MS) ?? nowMs);
}

/** The labels of an imported message: those of its note, or what its text, folder and flags give; and those of the import. */
export function labelsOfImport(found: Found, read: readonly string[], ofImport: string): string[] {
  const own = found.note.labels ?? [...read, ...found.labels];
  const wanted = [...own, ...ownJson<string[]>(ofImport)].map((one) =>
    one.slice(0, MAX_LABEL_CHARS).toWellFormed(),
  );
  const fitting = wanted.flatMap((one) => {
    const label = Label.safeParse(one);
    return label.success ? [label.data] : [];
  });
  return [...new Set(fitting)].slice(0, MAX_LABELS);
}
