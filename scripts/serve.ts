// Serves the worker on this machine, with an SMTP listener in front: `npm start`.
import { readBuiltWorker } from "../src/host/built-worker.ts";
import { serve } from "../src/host/serve.ts";
import { DIST } from "./build-worker.ts";
import { buildPackages } from "./pack.ts";

await serve({
  env: process.env,
  args: process.argv.slice(2),
  worker: async () => {
    // The command line that the banner shows belongs to the same build.
    await buildPackages();
    return readBuiltWorker(DIST);
  },
});
