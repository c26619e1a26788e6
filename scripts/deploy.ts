// Deploys the worker with what its bundle needs: `npm run deploy`, or `npm run deploy -- --dry-run`.
import path from "node:path";
import * as z from "zod";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { buildAssets } from "./build-assets.ts";
import { runTool } from "./run-tool.ts";
import { deploymentExposures } from "../src/host/exposure.ts";

const { workerOptions } = workerOptionsOf(path.resolve(import.meta.dirname, "../wrangler.jsonc"));
const vars = z.record(z.string(), z.unknown()).parse(workerOptions.bindings ?? {});
for (const line of deploymentExposures(vars)) console.error(`Warning: ${line}`);
// Only what this release serves is uploaded.
buildAssets({ clean: true });
process.exitCode = await runTool("wrangler", ["deploy", ...process.argv.slice(2)]);
