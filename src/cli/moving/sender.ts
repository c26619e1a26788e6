import { setTimeout as pause } from "node:timers/promises";
import type { Mailkeep } from "../../client/index.ts";
import { writeNote } from "../../lib/archive/entry-note.ts";
import { tarEnd, tarHeader, tarPadding } from "../../lib/archive/tar-writer.ts";
import { CliError, EXIT } from "../exit.ts";
import type { MovedMessage, Source } from "./message.ts";

/** The size of one archive: below the limits of proxies, and large enough that the number of requests does not matter. */
const MAX_BATCH_BYTES = 16_000_000;
const MAX_BATCH_MESSAGES = 1_000;
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 2_000;

/** Numbers of messages by result. */
export interface Outcome {
  imported: number;
  duplicates: number;
  failed: number;
}

/** An outcome in a few words. */
export function shownOutcome({ imported, duplicates, failed }: Outcome): string {
  return `${imported} imported, ${duplicates} already there, ${failed} failed`;
}

interface Sending {
  mail: Mailkeep;
  labels: { label?: string };
  signal: AbortSignal;
  /** Called after each archive. */
  progress: (outcome: Outcome) => void;
}

/**
 * Sends messages in archives of some megabytes, and waits for each until it is stored, so that what was sent before an
 * interruption is known. Throws CliError if the deployment gives an import up.
 */
export async function sendAll(source: Source, sending: Sending): Promise<Outcome> {
  const outcome: Outcome = { imported: 0, duplicates: 0, failed: 0 };
  let batch: MovedMessage[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await sendBatch(batch, outcome, sending);
    batch = [];
    bytes = 0;
    sending.progress(outcome);
  };
  for await (const message of source.messages) {
    sending.signal.throwIfAborted();
    if ("tooLarge" in message) {
      outcome.failed += 1;
      continue;
    }
    batch.push(message);
    bytes += message.raw.length;
    if (bytes >= MAX_BATCH_BYTES || batch.length >= MAX_BATCH_MESSAGES) await flush();
  }
  await flush();
  return outcome;
}

async function sendBatch(
  batch: readonly MovedMessage[],
  outcome: Outcome,
  { mail, labels, signal }: Sending,
): Promise<void> {
  const blocks = batch.flatMap(({ raw, name, modifiedMs, note }) => [
    tarHeader({ name, sizeBytes: raw.length, modifiedMs, comment: writeNote(note) }),
    raw,
    tarPadding(raw.length),
  ]);
  const archive = new Blob([Buffer.concat([...blocks, tarEnd()])]);
  const { id } = await mail.archives.import(archive, { format: "tar", ...labels }, { signal });
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 1.5)) {
    const { status, error, imported, duplicates, failed } = await mail.archives.progress(id, { signal });
    if (status === "waiting" || status === "running") {
      await pause(pollMs, undefined, { signal });
      continue;
    }
    outcome.imported += imported;
    outcome.duplicates += duplicates;
    outcome.failed += failed;
    if (status === "failed") {
      throw new CliError(EXIT.usage, `The import was given up: ${error ?? "no reason is known"}`);
    }
    for (const { done } of batch) done?.();
    return;
  }
}
