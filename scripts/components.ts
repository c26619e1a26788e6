// Serves the page of all components of the pages, in both schemes: `npm run components`.
import { buildAssets } from "./build-assets.ts";
import { serveComponents } from "./components/server.ts";

const PORT = 8790;

await buildAssets();
const { url } = await serveComponents(PORT);
console.log(`The components: ${url}`);
