import { createHash } from "node:crypto";
import { isTransient } from "../../client/core.ts";
import { pause } from "../../client/pause.ts";
import { pauseBefore } from "../../client/retry.ts";

/** Attempts in a row that bring no byte, after which the export is given up: some two minutes. */
const MAX_FRUITLESS = 10;
/** The most times that one export is resumed. */
const MAX_RESUMED = 100;

/** The part of an export that has arrived. */
export interface Arrived {
  /** The header Mailkeep-Resume of the export. */
  resume: string;
  /** In bytes. */
  offset: number;
  /** SHA-256 of these bytes, in hex. */
  sha256: string;
}

/** The bytes of an export, and the token by which it can be resumed; null if the deployment gives none. */
export interface ExportAnswer {
  body: AsyncIterable<Uint8Array>;
  token: string | null;
}

interface Resuming {
  /** Asks for the bytes after those that have arrived. */
  ask: (arrived: Arrived) => Promise<ExportAnswer>;
  signal: AbortSignal;
  /** Is told how often the export was resumed. */
  resumed: (times: number) => void;
  /** The pause before an attempt, in ms, from the number of fruitless ones before it. */
  pauseMs?: (fruitless: number) => number;
}

const usualPauseMs = (fruitless: number): number =>
  pauseBefore(fruitless, null, { remainingMs: Infinity, random: Math.random() }) ?? 0;

/**
 * The bytes of an export, each once. When the connection is lost or the server is away, the rest is asked for. Throws the error
 * of the last attempt once ten in a row brought nothing, or what the deployment answers if it cannot go on.
 */
export async function* resumingExport(
  first: ExportAnswer,
  { ask, signal, resumed, pauseMs = usualPauseMs }: Resuming,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash("sha256");
  let { body } = first;
  let offset = 0;
  for (let times = 0, fruitless = 0; ; times += 1) {
    const before = offset;
    try {
      for await (const bytes of body) {
        hash.update(bytes);
        offset += bytes.length;
        yield bytes;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      fruitless = offset === before ? fruitless + 1 : 0;
      if (first.token === null || !isTransient(error)) throw error;
      if (fruitless >= MAX_FRUITLESS || times >= MAX_RESUMED) throw error;
    }
    await pause(pauseMs(fruitless), signal);
    const arrived = { resume: first.token, offset, sha256: hash.copy().digest("hex") };
    // A failure to ask counts as an answer without a byte.
    body = await ask(arrived).then((answer) => answer.body, failing);
    resumed(times + 1);
  }
}

// eslint-disable-next-line require-yield -- it only fails
async function* failing(error: unknown): AsyncGenerator<Uint8Array, void> {
  throw error;
}
