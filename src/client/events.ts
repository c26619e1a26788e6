import type { Api, Change, EventKind } from "./api.ts";
import { isTransient, type CallOptions } from "./core.ts";
import { GapError, MailkeepError } from "./error.ts";
import type { MailboxOption, Method } from "./methods.ts";
import { pause } from "./pause.ts";
import { pauseBefore } from "./retry.ts";

/** Seconds that one call waits for an event; the service holds it no longer. */
const WAIT_SECONDS = 25;
/** A call that is not answered by then has lost its connection, in ms. */
const ANSWER_MS = (WAIT_SECONDS + 15) * 1_000;
/** The most events of one answer. */
const PAGE = 100;

/** The events that an iteration brings. */
export interface EventsOptions extends MailboxOption {
  /** `seq` of the last event that was handled; without it, only what happens from now on. */
  after?: number;
  /** Only these kinds. */
  types?: readonly EventKind[];
  /** Ends the iteration. */
  signal?: AbortSignal;
}

type Changes = Method<"changes">;

/** Called after each attempt of a call: with null, or with the failure and the pause before the next attempt, in ms. */
export type OnAttempt = (failure: MailkeepError | null, pauseMs: number) => void;

/**
 * The events after `after`, each once, in order, without an end. A lost connection and a service that is away for a while are
 * waited out. Throws {@link GapError} rather than skip an event, and MailkeepError where a repeat does not help.
 */
export async function* follow(
  changes: Changes,
  after: Promise<number>,
  options: EventsOptions,
  onAttempt: OnAttempt = () => {},
): AsyncGenerator<Change, void, undefined> {
  const { types, signal, mailbox } = options;
  try {
    for (let last = await after; ;) {
      const seen = last;
      const page = await untilAnswered(
        () => changes({ after: seen, types, limit: PAGE, wait: WAIT_SECONDS }, callOptions(signal, mailbox)),
        signal,
        onAttempt,
      ).catch((error: unknown) => {
        throw gapOf(error, seen) ?? error;
      });
      for (const change of page.events) {
        if (change.prev_seq !== last) throw lost(last, change.prev_seq, page.oldest_seq);
        last = change.seq;
        yield change;
      }
      // Without another page, nothing of these kinds is between the last of them and the end of the log.
      if (page.events.length < PAGE) last = Math.max(last, page.last_seq);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** `seq` of the newest event; 0 before the first. */
export async function newestSeq(
  changes: Changes,
  { signal, mailbox }: Pick<EventsOptions, "signal" | "mailbox">,
  onAttempt: OnAttempt = () => {},
): Promise<number> {
  const read = (after: number) => changes({ after, limit: 1 }, callOptions(signal, mailbox));
  const page = await untilAnswered(
    () =>
      read(0).catch((error: unknown) => {
        const oldest = oldestOf(error);
        if (oldest === null) throw error;
        return read(oldest - 1);
      }),
    signal,
    onAttempt,
  );
  return page.last_seq;
}

function callOptions(
  signal: AbortSignal | undefined,
  mailbox: string | undefined,
): CallOptions & MailboxOption {
  return { signal, mailbox, timeoutMs: ANSWER_MS, retries: 0 };
}

/** Repeats a call until it is answered, however long that takes. Rejects where a repeat does not help. */
export async function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal | undefined,
  onAttempt: OnAttempt,
): Promise<Answer> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      const answer = await call();
      onAttempt(null, 0);
      return answer;
    } catch (error) {
      if (signal?.aborted || !isTransient(error)) throw error;
      const bounds = { remainingMs: Infinity, random: Math.random() };
      const pauseMs = pauseBefore(repeats, error.retryAfterMs, bounds) ?? 0;
      onAttempt(error, pauseMs);
      await pause(pauseMs, signal);
    }
  }
}

/** The oldest event of the log, where a call asked for older ones. */
function oldestOf(error: unknown): number | null {
  if (!(error instanceof MailkeepError) || error.code !== "gone") return null;
  const { oldest_seq: oldest } = error.body;
  return typeof oldest === "number" ? oldest : null;
}

/** The gap that a refusal tells of; null for another refusal. */
function gapOf(cause: unknown, after: number): GapError | null {
  const oldestSeq = oldestOf(cause);
  if (oldestSeq !== null) {
    const message = `The events from ${after + 1} to ${oldestSeq - 1} are no longer kept`;
    return new GapError(message, { after, oldestSeq, cause });
  }
  const isBeyond = cause instanceof MailkeepError && cause.code === "invalid" && cause.field === "after";
  if (!isBeyond) return null;
  const message = `The log ends before event ${after}: it is not the log that this event came from`;
  return new GapError(message, { after, oldestSeq: null, cause });
}

function lost(after: number, previous: number, oldestSeq: number): GapError {
  return new GapError(`Expected an event after ${after}; the next one follows ${previous}`, {
    after,
    oldestSeq,
  });
}

/** A page of the log. */
export type ChangePage = Api["changes"]["answer"];
