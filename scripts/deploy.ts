// Deploys the worker with what its bundle needs: `npm run deploy`, or `npm run deploy -- --dry-run`.
import { buildDocs } from "./build-docs.ts";
import { runTool } from "./run-tool.ts";

buildDocs();
process.exitCode = await runTool("wrangler", ["deploy", ...process.argv.slice(2)]);
