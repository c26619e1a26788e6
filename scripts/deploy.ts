// Checks the variables and builds, before `wrangler deploy` uploads (`build` in wrangler.jsonc). `npm run deploy` is that
// command with the wrangler of this project.
import path from "node:path";
import * as z from "zod";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { check } from "../src/config/check.ts";
import { faultLines } from "../src/config/fault-lines.ts";
import { unknownVariableLines, unknownVariables } from "../src/config/unknown-variables.ts";
import { WORKER_SETTINGS } from "../src/config/worker-settings.ts";
import { deploymentWarnings } from "../src/host/warnings.ts";
import { buildAssets } from "./build-assets.ts";
import { buildWorker } from "./build-worker.ts";

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
