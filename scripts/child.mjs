// Runs a child process and forwards signals. Plain JavaScript for any Node from 20 on, with nothing installed.
import { spawn } from "node:child_process";

const PARENT_CHECK_MS = 250;

/**
 * Runs a program to its end and forwards the signals that do not reach it directly; resolves to its exit code. With `detached`
 * the child has a process group of its own: the terminal's Ctrl-C then reaches it only through this process.
 */
export function runChild(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    const forward = (signal) => child.kill(signal);
    // A child of the same process group gets the terminal's Ctrl-C itself; a second one would force it to end.
    process.on("SIGINT", options.detached ? forward : () => {});
    process.on("SIGTERM", forward);
    process.on("SIGHUP", forward);
    const watch = stopWithParent(child);
    child.once("error", (error) => {
      console.error(`${command} cannot be started: ${error.message}`);
      process.exit(1);
    });
    // A process that a signal ended has no exit code: 1 stands for it.
    child.once("close", (code) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
      clearInterval(watch);
      if (options.detached) killGroup(child.pid);
      resolve(code ?? 1);
    });
  });
}

/** Ends the workerd that a killed server leaves behind, which would keep the port and the data. */
function killGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // The group is empty: the server stopped normally.
  }
}

/**
 * Stops the program when npm is gone. npm passes a SIGTERM only to its shell, which ends without telling us, and a SIGKILL to
 * nothing at all, so no one could stop a program that npm started.
 */
function stopWithParent(child) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, PARENT_CHECK_MS).unref();
}
