// Writes the two packages to `dist/packages`: `npm run pack`, or `npm run pack -- <folder>`.
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { CLIENT_TYPES, stageClient } from "./pack/client.ts";
import { declarationsOf } from "./pack/declarations.ts";
import { SERVER_TYPES, stageServer } from "./pack/server.ts";
import { pack } from "./pack/stage.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const folder = path.resolve(process.argv[2] ?? path.join(ROOT, "dist/packages"));

mkdirSync(folder, { recursive: true });
const declarations = await declarationsOf([CLIENT_TYPES, ...SERVER_TYPES]);
const ofClient = new Map([...declarations].filter(([file]) => file.startsWith("client/")));
const tarballs = [
  await pack(path.join(folder, "mailkeep"), (staged) => stageClient(staged, ofClient)),
  await pack(path.join(folder, "mailkeep-server"), (staged) => stageServer(staged, declarations)),
];
for (const tarball of tarballs) {
  console.log(`${path.relative(process.cwd(), tarball)}  ${Math.ceil(statSync(tarball).size / 1024)} KiB`);
}
