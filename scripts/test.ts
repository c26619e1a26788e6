// Runs the tests: `npm test` the promises, `npm run test:all` everything, `npm test -- test/mail` the files below a path.
import path from "node:path";
import { Refusal } from "../src/host/refusal.ts";
import { buildPackages } from "./pack.ts";
import { runTool } from "./run-tool.ts";

/** The projects of test/vitest.config.ts that `npm test` runs. */
const PROMISES = ["pure", "workerd", "promises"];

// Test files and the programs that they start are hundreds of processes, most of which read the same modules.
process.env["NODE_COMPILE_CACHE"] ??= path.resolve(
  import.meta.dirname,
  "../node_modules/.cache/mailkeep-tests",
);

const words = process.argv.slice(2);
const isAll = words.includes("--all");
/** Only the projects that `npm test` leaves out: CI runs both, one after the other. */
const isRest = words.includes("--rest");
const args = words.filter((word) => word !== "--all" && word !== "--rest");
/** Files or projects are named. */
const isPart = args.some((word) => !word.startsWith("-") || word.startsWith("--project"));

try {
  await buildPackages();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exit(1);
}
if (isAll || isRest) {
  process.env["THOROUGH"] = "1";
  console.log(`Testing ${isAll ? "everything" : "the rest"}: about ${isAll ? 23 : 17} minutes on two cores.`);
} else if (!isPart) {
  args.push(...PROMISES.map((name) => `--project=${name}`));
  console.log("Testing the promises: about 6 minutes on two cores. `npm run test:all` tests everything.");
}
if (isRest) args.push(...PROMISES.map((name) => `--project=!${name}`));
process.exitCode = await runTool("vitest", ["run", "--config", "test/vitest.config.ts", ...args]);
