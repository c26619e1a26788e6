// The one gate, here and in CI: format, lint, types. All of them run, so that one run shows everything.
import { buildAssets } from "./build-assets.ts";
import { runTool } from "./run-tool.ts";

const STEPS: readonly { name: string; tool: string; args: readonly string[] }[] = [
  { name: "format", tool: "oxfmt", args: ["--check"] },
  // Type-aware rules come from oxlint-tsgolint, switched on in .oxlintrc.json.
  { name: "lint", tool: "oxlint", args: ["--deny-warnings", "--report-unused-disable-directives"] },
  { name: "types", tool: "tsc", args: ["--noEmit"] },
  { name: "types in the browser", tool: "tsc", args: ["--noEmit", "--project", "src/pages/scripts"] },
];

// The pages import the list of these files.
await buildAssets();
const failed: string[] = [];
for (const { name, tool, args } of STEPS) {
  console.log(`${name} (${tool})`);
  if ((await runTool(tool, args)) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "All checks passed." : `Failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
