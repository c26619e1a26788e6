// Serves the worker that the package `mailkeep-server` brings along.
import { readBuiltWorker } from "../host/built-worker.ts";
import { serve } from "../host/serve.ts";
import { BUILT } from "./built.ts";

await serve({
  env: process.env,
  args: process.argv.slice(2),
  worker: () => Promise.resolve(readBuiltWorker(BUILT)),
});
