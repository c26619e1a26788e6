// Serves the worker on this machine, with an SMTP listener in front: `npm start`.
import { buildBundle } from "../src/host/bundle.ts";
import { serve } from "../src/host/serve.ts";
import { buildAssets } from "./build-assets.ts";

await serve({
  env: process.env,
  args: process.argv.slice(2),
  build: async () => {
    buildAssets();
    await buildBundle();
  },
});
