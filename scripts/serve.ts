// Serves the worker on this machine, with an SMTP listener in front: `npm start`.
import { readBuiltWorker } from "../src/host/built-worker.ts";
import { serve } from "../src/host/serve.ts";
import { buildWorker, DIST } from "./build-worker.ts";

await serve({
  env: process.env,
  args: process.argv.slice(2),
  worker: async () => {
    await buildWorker();
    return readBuiltWorker(DIST);
  },
});
