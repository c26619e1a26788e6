// Runs a command of `mailkeep-server` from the sources: `npm run server -- <command>`.
import { readBuiltWorker } from "../src/host/built-worker.ts";
import { runProcess } from "../src/server/main.ts";
import { buildWorker, DIST } from "./build-worker.ts";

await runProcess(process.argv.slice(2), async () => {
  await buildWorker();
  return readBuiltWorker(DIST);
});
