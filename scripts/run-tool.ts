import { spawn } from "node:child_process";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Runs a program of `node_modules/.bin` in the project's root, its output shown as it comes; resolves to its exit code. */
export function runTool(tool: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, "node_modules/.bin", tool), args, { cwd: ROOT, stdio: "inherit" });
    // Ctrl-C reaches the tool by itself (same process group); this process waits for what it makes of it.
    process.on("SIGINT", () => {});
    process.once("SIGTERM", () => child.kill("SIGTERM"));
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
