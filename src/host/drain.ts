import { setTimeout } from "node:timers/promises";
import type { Front } from "./front/front.ts";
import type { Redirect } from "./front/redirect.ts";
import type { HostReadiness } from "./readiness.ts";
import type { Runtime } from "./runtime.ts";
import type { SmtpListener } from "./smtp/listener.ts";
import type { Notifier } from "./systemd/notify.ts";

/** The times of a stop in ms, whatever clients do. What they have not sent by then was not acknowledged. */
export interface StopTimes {
  /** How long it waits for messages that are being received. */
  smtp: number;
  /** The same for requests that a listener of Node's passes on. */
  http: number;
  /** From the signal to the end of the listeners, even if one of them does not end. */
  listeners: number;
  /** From the signal until the runtime is ended, with whatever it has under way. */
  runtime: number;
  /** From the signal to the end of the stop, even if the runtime does not end. */
  all: number;
}

const TIMES: StopTimes = { smtp: 6_000, http: 7_000, listeners: 7_500, runtime: 8_500, all: 9_500 };
/** How long the worker may take to hear of the stop, in ms: it is asked again if it was just being restarted. */
const TELL_MS = 2_000;
const TELL_AGAIN_MS = 100;

/** Everything that ends when the server stops. */
export interface Drained {
  readiness: Pick<HostReadiness, "drain">;
  notifier: Pick<Notifier, "stopping">;
  /** Address of the worker on this machine. */
  worker: string;
  /** Null: SMTP does not listen yet. */
  smtp: Pick<SmtpListener, "stop"> | null;
  /** Null: the runtime listens for HTTP itself. */
  front: Pick<Front, "drain"> | null;
  redirect: Pick<Redirect, "close"> | null;
  runtime: Pick<Runtime, "stop">;
}

/**
 * Shuts the server down gracefully, within ten seconds: it refuses new mail, finishes and acknowledges messages and requests
 * under way, ends streams and waiting calls early, and then ends the runtime.
 */
export async function drain(
  { readiness, notifier, worker, runtime, ...listeners }: Drained,
  times: StopTimes = TIMES,
): Promise<void> {
  const beganMs = performance.now();
  const left = (untilMs: number): number => Math.max(0, beganMs + untilMs - performance.now());
  readiness.drain();
  // What listeners still have under way is handed to the worker, so the runtime ends after them.
  const ended = Promise.all([
    tellWorker(`${worker}/readyz`),
    notifier.stopping(),
    listeners.smtp?.stop(times.smtp),
    listeners.front?.drain(times.http),
    listeners.redirect?.close(),
  ]);
  await within(left(times.listeners), ended);
  // Timers may come late: the runtime always gets some of its time.
  const graceMs = Math.max(left(times.runtime), (times.runtime - times.listeners) / 2);
  await within(left(times.all), runtime.stop(graceMs));
}

/** Waits for the end of something, or until the time is over. */
async function within(limitMs: number, ended: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const over = setTimeout(limitMs, null, { signal: waiting.signal }).catch(() => {});
  await Promise.race([ended, over]);
  waiting.abort();
}

/** Makes the worker ask this process for its state. The answer 503 shows that the worker knows of the stop, and will end its streams and waiting calls. */
export async function tellWorker(url: string): Promise<void> {
  const limit = AbortSignal.timeout(TELL_MS);
  for (let isTold = false; !isTold && !limit.aborted;) {
    isTold = await fetch(url, { signal: limit }).then(
      ({ status }) => status === 503,
      () => false,
    );
    if (!isTold) await setTimeout(TELL_AGAIN_MS);
  }
}
