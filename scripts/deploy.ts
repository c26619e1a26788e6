// Deploys the worker with what its bundle needs: `npm run deploy`, or `npm run deploy -- --dry-run`.
import path from "node:path";
import * as z from "zod";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { check } from "../src/config/check.ts";
import { faultLines } from "../src/config/fault-lines.ts";
import { unknownVariableLines, unknownVariables } from "../src/config/unknown-variables.ts";
import { WORKER_SETTINGS } from "../src/config/worker-settings.ts";
import { SCRIPT_FILE } from "../src/host/built-worker.ts";
import { deploymentWarnings } from "../src/host/warnings.ts";
import { buildAssets } from "./build-assets.ts";
import { buildWorker, DIST } from "./build-worker.ts";
import { runTool } from "./run-tool.ts";

const { workerOptions } = workerOptionsOf(path.resolve(import.meta.dirname, "../wrangler.jsonc"));
const vars = z.record(z.string(), z.unknown()).parse(workerOptions.bindings ?? {});
// Rules that concern several settings are left to the worker: secrets are not in wrangler.jsonc.
const { values, faults } = check(WORKER_SETTINGS, [], vars);
const unknown = unknownVariables(Object.keys(vars), Object.keys(WORKER_SETTINGS));
for (const line of [...unknownVariableLines(unknown), ...(values ? deploymentWarnings(values) : [])]) {
  console.error(`Warning: ${line}`);
}
if (values === null) {
  for (const line of faultLines(faults, vars)) console.error(`wrangler.jsonc: ${line}`);
  process.exit(1);
}
// Only what this release serves is uploaded.
await buildAssets({ clean: true });
await buildWorker();
// The script is bundled and minified already.
const words = ["deploy", path.join(DIST, SCRIPT_FILE), "--no-bundle", "--minify=false"];
process.exitCode = await runTool("wrangler", [...words, ...process.argv.slice(2)]);
