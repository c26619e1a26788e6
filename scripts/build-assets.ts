// What the bundle imports and no compiler makes: `npm start`, `npm test`, `npm run check` and `npm run deploy` begin with it.
import { buildDocs } from "./build-docs.ts";
import { buildPages } from "./build-pages.ts";

/** Brings `src/pages/assets` up to date. */
export function buildAssets(): void {
  buildDocs();
  buildPages();
}

if (import.meta.main) buildAssets();
