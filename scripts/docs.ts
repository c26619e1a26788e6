// Writes the pages that are generated: `npm run docs`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { configurationPage } from "../src/config/page.ts";
import { doctorPage } from "../src/host/doctor/page.ts";
import { tokenCharsFile } from "./token-chars.ts";
import { publicSuffixesFile } from "./public-suffixes.ts";
import { LOCAL_FACTS, skillText } from "../src/contract/guide.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

writeFileSync(path.join(ROOT, "docs/configuration.md"), configurationPage());
writeFileSync(path.join(ROOT, "docs/doctor.md"), doctorPage());
writeFileSync(path.join(ROOT, "SKILL.md"), skillText(LOCAL_FACTS));
writeFileSync(path.join(ROOT, "src/mail/tables/public-suffixes.ts"), publicSuffixesFile());
writeFileSync(path.join(ROOT, "src/mail/tables/token-chars.ts"), tokenCharsFile());
