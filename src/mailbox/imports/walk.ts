import { breath, Pace } from "../../lib/breath.ts";
import { BadArchive } from "../../lib/archive/tar-reader.ts";
import { Window, type ReadRange } from "../../lib/archive/window.ts";
import { formatIn, stepAt, type Found, type Step } from "./rules.ts";
import type { ImportRow } from "./rows.ts";
import { NoRoom, type Ready, type ImportedMessages } from "./imported-messages.ts";

/** The most messages of one transaction, which blocks the mailbox for some milliseconds. */
const MAX_BATCH_MESSAGES = 32;
const MAX_BATCH_BYTES = 2_000_000;
/** After this many entries without a message, the progress is stored. */
const MAX_BATCH_ENTRIES = 1_000;
/** Bytes of the archive after which the place is stored: entries that are no message may be large. */
const MAX_BATCH_SPAN_BYTES = 16_000_000;

/**
 * How many more entries without a message than with one an archive may have. An entry can be a header of 512 bytes, a thousand of
 * which fit into a few bytes of gzip.
 */
export const MAX_EMPTY_ENTRIES = 100_000;

/** Messages and entries that were read and are not stored yet. */
interface Batch {
  ready: Ready[];
  bytes: number;
  entries: number;
  failed: number;
  /** The place that is stored. */
  from: number;
  /** Where the entry after them begins. */
  next: number;
}

/**
 * Reads an archive from the offset that its import has reached to its end, and stores its messages. Resolves to the reason why
 * the import failed, or to null. Throws if another attempt may succeed.
 */
export async function walk(
  row: ImportRow,
  { read, signal, messages }: { read: ReadRange; signal: AbortSignal; messages: ImportedMessages },
): Promise<string | null> {
  const window = new Window(row.size_bytes, read);
  const pace = new Pace();
  // Entries without a message, less those with one.
  let empty = 0;
  const state: Batch = { ready: [], bytes: 0, entries: 0, failed: 0, from: row.cursor, next: row.cursor };
  try {
    const format = await formatIn(window, row.format);
    for (;;) {
      const step = await stepAt(window, format, state.next);
      if (signal.aborted) return null;
      if (step === null) break;
      empty += step.found === null ? 1 : -1;
      if (empty > MAX_EMPTY_ENTRIES) throw new BadArchive(TOO_EMPTY);
      const bytes = step.next - state.next;
      await take(step, state, { row, messages });
      if (signal.aborted) return null;
      if (isFull(state)) store(row, state, messages);
      // A pause after each message lets other calls run.
      await (step.found === null ? pace.spend(bytes) : breath());
    }
    state.next = row.size_bytes;
    store(row, state, messages);
    return null;
  } catch (error) {
    if (!(error instanceof BadArchive) && !(error instanceof NoRoom)) throw error;
    if (error instanceof BadArchive) store(row, state, messages);
    return error.message;
  }
}

const TOO_EMPTY = `The archive has more than ${MAX_EMPTY_ENTRIES} entries that hold no message: pack only the mail`;

async function take(
  step: Step,
  state: Batch,
  to: { row: ImportRow; messages: ImportedMessages },
): Promise<void> {
  const { found } = step;
  const ready = found === null ? null : await readyOf(found, to);
  state.next = step.next;
  state.entries += 1;
  if (ready !== null) {
    state.ready.push(ready);
    state.bytes += ready.mail.sizeBytes;
  } else if (found !== null || step.isFault) state.failed += 1;
}

/** Parses a message; null if that fails. An error of the blob store is thrown, because it is no fault of the message. */
async function readyOf(
  found: Found,
  { row, messages }: { row: ImportRow; messages: ImportedMessages },
): Promise<Ready | null> {
  const read = await messages.read(found, row.labels).catch((error: unknown) => {
    console.error("A message of an archive could not be read and is left out:", error);
    return null;
  });
  return read === null ? null : messages.withBlobs(read);
}

function isFull({ ready, bytes, entries, from, next }: Batch): boolean {
  if (next - from >= MAX_BATCH_SPAN_BYTES) return true;
  return ready.length >= MAX_BATCH_MESSAGES || bytes >= MAX_BATCH_BYTES || entries >= MAX_BATCH_ENTRIES;
}

function store(row: ImportRow, state: Batch, messages: ImportedMessages): void {
  const { ready, failed, next } = state;
  messages.store(row.id, ready, { failed, next });
  Object.assign(state, { ready: [], bytes: 0, entries: 0, failed: 0, from: next });
}
