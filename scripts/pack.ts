// Writes the packages `mailkeep` and `mailkeep-server`. As folders in `dist/packages` they are also the commands and the module
// of a clone (`bin` and `exports` in package.json): `npm install` and `npm start` write those, `npm run pack` tarballs as well.
import { statSync, utimesSync } from "node:fs";
import path from "node:path";
import { buildWorker, DIST, isNewer, ROOT } from "./build-worker.ts";

const PACKAGES = path.join(DIST, "packages");
/** Files and folders that the packages are made of. */
const SOURCES = [
  "src",
  "scripts",
  "dist/index.js",
  "dist/assets.json",
  "SKILL.md",
  "LICENSE",
  "package.json",
  "package-lock.json",
].map((name) => path.join(ROOT, name));

export interface PackageOptions {
  /** The folder that gets the packages. */
  folder?: string;
  /** Whether declarations of TypeScript are written: they take most of the time. */
  types?: boolean;
}

/** Brings the worker and the folders of the packages up to date; returns the folders. */
export async function buildPackages(options: PackageOptions = {}): Promise<string[]> {
  const { folder = PACKAGES, types = false } = options;
  await buildWorker();
  const [client, server] = [path.join(folder, "mailkeep"), path.join(folder, "mailkeep-server")];
  // The last file that is written.
  const last = path.join(server, types ? "types/server/testing.d.ts" : "package.json");
  if (isNewer(last, SOURCES)) return [client, server];
  const startedMs = Date.now();
  // They load the bundler and the compiler, which a start without a build does not need.
  const { stage } = await import("./pack/stage.ts");
  const { CLIENT_TYPES, stageClient } = await import("./pack/client.ts");
  const { SERVER_TYPES, stageServer } = await import("./pack/server.ts");
  const { declarationsOf } = await import("./pack/declarations.ts");
  const declarations = types ? await declarationsOf([CLIENT_TYPES, ...SERVER_TYPES]) : new Map();
  const ofClient = new Map([...declarations].filter(([file]) => file.startsWith("client/")));
  await stage(client, (draft) => stageClient(draft, ofClient));
  await stage(server, (draft) => stageServer(draft, declarations));
  // A source that is saved meanwhile makes the next build write them again.
  utimesSync(last, new Date(), new Date(startedMs));
  return [client, server];
}

if (import.meta.main) {
  const folder = path.resolve(process.argv[2] ?? PACKAGES);
  const { tarball } = await import("./pack/stage.ts");
  for (const packed of await buildPackages({ folder, types: true })) {
    const file = await tarball(packed);
    console.log(`${path.relative(process.cwd(), file)}  ${Math.ceil(statSync(file).size / 1024)} KiB`);
  }
}
