// Deploys the worker with what its bundle needs: `npm run deploy`, or `npm run deploy -- --dry-run`.
import { buildAssets } from "./build-assets.ts";
import { runTool } from "./run-tool.ts";

buildAssets();
process.exitCode = await runTool("wrangler", ["deploy", ...process.argv.slice(2)]);
