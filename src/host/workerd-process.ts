import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import path from "node:path";

const children = new Set<ChildProcess>();
const exitListeners = new Set<() => void>();

// Miniflare restarts workerd whenever it ends, and can only kill it. To stop workerd gracefully, its process is needed.
subscribe("child_process", (message) => {
  const child = childOf(message);
  if (child === null) return;
  children.add(child);
  child.once("exit", () => {
    children.delete(child);
    if (isWorkerd(child)) for (const listener of exitListeners) listener();
  });
});

function childOf(message: unknown): ChildProcess | null {
  if (typeof message !== "object" || message === null || !("process" in message)) return null;
  return message.process as ChildProcess;
}

/** Calls `listener` each time that a workerd of this process ends. While none runs, another program may listen on its port. */
export function onWorkerdExit(listener: () => void): void {
  exitListeners.add(listener);
}

function runningWorkerd(): ChildProcess | undefined {
  return [...children].find(isWorkerd);
}

function isWorkerd(child: ChildProcess): boolean {
  return path.basename(child.spawnfile) === "workerd";
}

/**
 * Stops workerd gracefully: on SIGTERM it closes its port and idle connections, answers the requests under way, and ends. Calls
 * `onExit` at the moment it ends, before Miniflare starts another one. Resolves then, or after `limitMs`, or at once if no
 * workerd runs.
 *
 * @returns whether it has ended.
 */
export async function drainWorkerd(limitMs: number, onExit: () => void): Promise<boolean> {
  const workerd = runningWorkerd();
  if (workerd === undefined) return true;
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  // This runs before Miniflare's own listener, which would start another workerd.
  workerd.prependOnceListener("exit", () => {
    onExit();
    resolve(true);
  });
  workerd.kill("SIGTERM");
  const hasEnded = await over;
  clearTimeout(timer);
  return hasEnded;
}

/** Ends workerd at once, with whatever it has under way. */
export function killWorkerd(): void {
  runningWorkerd()?.kill("SIGKILL");
}
