// Builds the files that the tests read, then runs them: `npm test`, or `npm test -- test/mail` for a part.
import path from "node:path";
import { Refusal } from "../src/host/refusal.ts";
import { buildWorker } from "./build-worker.ts";
import { runTool } from "./run-tool.ts";

// Test files and the programs that they start are hundreds of processes, most of which read the same modules.
process.env["NODE_COMPILE_CACHE"] ??= path.resolve(
  import.meta.dirname,
  "../node_modules/.cache/mailkeep-tests",
);

try {
  await buildWorker();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exit(1);
}
process.exitCode = await runTool("vitest", [
  "run",
  "--config",
  "test/vitest.config.ts",
  ...process.argv.slice(2),
]);
