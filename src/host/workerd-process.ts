import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import path from "node:path";

const children = new Set<ChildProcess>();

// Miniflare restarts workerd whenever it ends, and can only kill it. To stop workerd gracefully, its process is needed.
subscribe("child_process", (message) => {
  const child = childOf(message);
  if (child === null) return;
  children.add(child);
  child.once("exit", () => children.delete(child));
});

function childOf(message: unknown): ChildProcess | null {
  if (typeof message !== "object" || message === null || !("process" in message)) return null;
  return message.process as ChildProcess;
}

/** Whether a workerd of this process runs. While none does, another program may listen on its port. */
export function isWorkerdRunning(): boolean {
  return runningWorkerd() !== undefined;
}

function runningWorkerd(): ChildProcess | undefined {
  return [...children].find((child) => path.basename(child.spawnfile) === "workerd");
}

/**
 * Stops workerd gracefully: on SIGTERM it closes its port and idle connections, answers the requests under way, and ends. Calls
 * `onExit` at the moment it ends. Resolves then, or after `limitMs`, or at once if no workerd runs.
 */
export async function drainWorkerd(limitMs: number, onExit: () => void): Promise<void> {
  const workerd = runningWorkerd();
  if (workerd === undefined) return;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  // This runs before Miniflare's own listener, which would start another workerd.
  workerd.prependOnceListener("exit", () => {
    onExit();
    resolve();
  });
  workerd.kill("SIGTERM");
  await over;
  clearTimeout(timer);
}
