// Counts what operations cost on Cloudflare and writes docs/cost.md: `npm run cost`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { buildWorker } from "../build-worker.ts";
import { runTool } from "../run-tool.ts";
import { Counted, countBytes, countOperations, measureCpu } from "./measure.ts";
import { costPage, type Measured } from "./page.ts";
import { PRICES } from "./prices.ts";

const PAGE = path.resolve(import.meta.dirname, "../../docs/cost.md");
const MEASURED = path.join(import.meta.dirname, "measured.json");

await buildWorker();
const service = await Counted.start();
try {
  const measured: Measured = {
    counts: await countOperations(service),
    bytes: await countBytes(service),
    cpuMs: await measureCpu(service),
  };
  writeFileSync(MEASURED, `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(PAGE, costPage(measured, PRICES));
} finally {
  await service.close();
}
process.exitCode = await runTool("oxfmt", [PAGE, MEASURED]);
