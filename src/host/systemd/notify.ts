import { execFile } from "node:child_process";
import type { Environment } from "../../config/check.ts";

/** How long `systemd-notify` may run, in ms: if it hangs, it must not delay a stop. */
const TIMEOUT_MS = 5_000;
/** sd_watchdog_enabled(3) advises a ping every half of the interval; three in each interval allow for a late one. */
const PINGS_EACH_INTERVAL = 3;

/** Sends the state of this process to the service manager (systemd). Without a service manager, every call does nothing. */
export interface Notifier {
  /** The server answers. */
  ready(status: string): Promise<void>;
  /** The server was told to stop. */
  stopping(): Promise<void>;
  /**
   * Pings the watchdog each time that `isAlive` resolves to true, until the function that it returns is called; does nothing if the
   * service has no watchdog.
   */
  watch(isAlive: (limitMs: number) => Promise<boolean>): () => void;
}

/**
 * A notifier for the socket that the variable `NOTIFY_SOCKET` of a process names (sd_notify(3)). Node cannot send to a datagram
 * socket of the Unix domain, so the program `systemd-notify` sends each message; it is part of every systemd. The service needs
 * `NotifyAccess=all`.
 */
export function notifierOf(env: Environment, pid: number, log: (line: string) => void): Notifier {
  const socket = env["NOTIFY_SOCKET"];
  if (typeof socket !== "string" || socket === "") return SILENT;
  const variables = { ...process.env, NOTIFY_SOCKET: socket };
  let isFailed = false;
  const send = (...assignments: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      execFile("systemd-notify", assignments, { timeout: TIMEOUT_MS, env: variables }, (error) => {
        // One line is enough: a watchdog pings for years.
        if (error !== null && !isFailed) log(`systemd-notify failed: ${firstLine(error.message)}`);
        isFailed = error !== null;
        resolve();
      });
    });
  return {
    ready: (status) => send("READY=1", `STATUS=${status}`),
    stopping: () => send("STOPPING=1", "STATUS=Finishing what was begun"),
    watch: (isAlive) => startWatchdog(watchdogMs(env, pid), isAlive, () => send("WATCHDOG=1")),
  };
}

const SILENT: Notifier = {
  ready: () => Promise.resolve(),
  stopping: () => Promise.resolve(),
  watch: () => () => {},
};

/** How long the service manager waits for a ping, in ms; null: the service has no watchdog, or it is for another process. */
export function watchdogMs(env: Environment, pid: number): number | null {
  const limitMs = Number(env["WATCHDOG_USEC"]) / 1_000;
  const isMeant = env["WATCHDOG_PID"] === undefined || env["WATCHDOG_PID"] === String(pid);
  return isMeant && Number.isFinite(limitMs) && limitMs > 0 ? limitMs : null;
}

/** Whether the worker behind `base`, such as `http://127.0.0.1:8787`, answers `GET /health` with 200 within a time. */
export async function isHealthy(base: string, limitMs: number): Promise<boolean> {
  try {
    const response = await fetch(`${base}/health`, { signal: AbortSignal.timeout(limitMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    // It does not listen, or does not answer in time.
    return false;
  }
}

/** Checks regularly whether the server works, and pings only if it does, so that systemd restarts a server that hangs. */
function startWatchdog(
  limitMs: number | null,
  isAlive: (limitMs: number) => Promise<boolean>,
  ping: () => Promise<void>,
): () => void {
  if (limitMs === null) return () => {};
  const everyMs = limitMs / PINGS_EACH_INTERVAL;
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    if (await isAlive(everyMs)) await ping();
    isAsking = false;
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
