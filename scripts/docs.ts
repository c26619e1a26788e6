// Writes the generated pages of docs/: `npm run docs`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { configurationPage } from "../src/config/page.ts";

writeFileSync(path.resolve(import.meta.dirname, "../docs/configuration.md"), configurationPage());
