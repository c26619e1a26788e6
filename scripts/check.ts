// Checks format, lint and types, here and in CI: `npm run check`. All steps run, so that one run shows all faults.
import { buildAssets } from "./build-assets.ts";
import { runTool } from "./run-tool.ts";

const STEPS: readonly { name: string; tool: string; args: readonly string[] }[] = [
  { name: "format", tool: "oxfmt", args: ["--check"] },
  // Type-aware rules come from oxlint-tsgolint, switched on in .oxlintrc.json.
  { name: "lint", tool: "oxlint", args: ["--deny-warnings", "--report-unused-disable-directives"] },
  { name: "types", tool: "tsc", args: ["--noEmit"] },
  { name: "types in the browser", tool: "tsc", args: ["--noEmit", "--project", "src/pages/scripts"] },
];

// The pages import these files, which a fresh clone does not have.
buildAssets();
const failed: string[] = [];
for (const { name, tool, args } of STEPS) {
  console.log(`${name} (${tool})`);
  if ((await runTool(tool, args)) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "All checks passed." : `Failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
