import { spawn } from "node:child_process";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Runs a program of `node_modules/.bin` in the root of the project and shows its output; resolves to its exit code. */
export function runTool(tool: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, "node_modules/.bin", tool), args, { cwd: ROOT, stdio: "inherit" });
    // Ctrl-C reaches the tool directly (same process group); this process waits for the tool to end.
    process.on("SIGINT", () => {});
    process.once("SIGTERM", () => child.kill("SIGTERM"));
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
