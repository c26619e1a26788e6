import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Metafile } from "esbuild";
import { DEPLOY_FILE } from "../../src/host/cloudflare/wrangler.ts";
import { OPTIONS_FILE, SCRIPT_FILE, TWIN_FILES } from "../../src/host/built-worker.ts";
import { DIST } from "../build-worker.ts";
import { bundle, usedInputs } from "./bundles.ts";
import type { Declarations } from "./declarations.ts";
import { manifestOf, REPOSITORY } from "./manifest.ts";
import type { Described } from "./manifest.ts";
import type { Staged } from "./stage.ts";

/** Defines `require` for packages in the bundles that need it. */
const REQUIRE =
  'import{createRequire as createRequire$}from"node:module";globalThis.require??=createRequire$(import.meta.url);';

/** Entry points, by what users import. */
const ENTRIES = { testing: "server/testing", vitest: "server/vitest", playwright: "server/playwright" };
export const SERVER_TYPES: readonly string[] = Object.values(ENTRIES).map((entry) => `src/${entry}.ts`);

const DESCRIBED: Described = {
  name: "mailkeep-server",
  description: "Mailboxes for software agents, on one machine; and the same server inside your tests.",
  keywords: ["email", "mailbox", "smtp", "testing", "vitest", "playwright", "agents"],
  // Node has SQLite since 22.13.
  engines: { node: ">=22.13.0" },
  bin: { "mailkeep-server": "bin/mailkeep-server.js" },
  exports: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [
      `./${name}`,
      { types: `./types/${entry}.d.ts`, default: `./lib/${name}.js` },
    ]),
  ),
  optionalPeers: { "@playwright/test": ">=1.50.0", vitest: ">=3.2.0" },
};

/** Writes the package `mailkeep-server` to a folder: the built worker as it is deployed, and the programs around it. */
export async function stageServer(folder: string, declarations: Declarations): Promise<Staged> {
  const files = { serve: "server/serve.ts", program: "server/program.ts" };
  const programs = Object.entries(ENTRIES).map(([name, entry]) => [name, `${entry}.ts`]);
  const library = await bundle({ ...files, ...Object.fromEntries(programs) }, path.join(folder, "lib"), {
    target: "node22",
    chunkNames: "[name]-[hash]",
    // CommonJS packages call `require` for modules of Node; an ES module has no `require` of its own.
    banner: { js: REQUIRE },
  });
  const program = path.join(folder, "bin");
  await bundle({ "mailkeep-server": "server/bin.mjs" }, program, {
    // An older Node must be able to read it.
    target: "node16",
    define: { "process.env.MAILKEEP_SERVER_VERSION": JSON.stringify(REPOSITORY.version) },
  });
  chmodSync(path.join(program, "mailkeep-server.js"), 0o755);
  copyWorker(path.join(folder, "worker"));
  for (const [file, text] of declarations) {
    const target = path.join(folder, "types", file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return {
    manifest: manifestOf(DESCRIBED, library.imports),
    inputs: [...library.inputs, ...workerInputs()],
  };
}

/** Copies what `npm start` serves from `dist/`, without files of earlier builds. */
function copyWorker(folder: string): void {
  mkdirSync(path.join(folder, "public/assets"), { recursive: true });
  for (const file of [SCRIPT_FILE, OPTIONS_FILE, DEPLOY_FILE, ...TWIN_FILES, "public/_headers"]) {
    cpSync(path.join(DIST, file), path.join(folder, file));
  }
  const names: Record<string, string> = JSON.parse(readFileSync(path.join(DIST, "assets.json"), "utf8"));
  for (const name of Object.values(names)) {
    const file = path.join("public/assets", name);
    cpSync(path.join(DIST, file), path.join(folder, file));
  }
  // Stack traces need positions and names of files. The sources themselves are three quarters of the map.
  // Its root is a folder of the machine that built it.
  const {
    sourcesContent: _sources,
    sourceRoot: _root,
    ...map
  } = JSON.parse(readFileSync(path.join(DIST, `${SCRIPT_FILE}.map`), "utf8"));
  writeFileSync(path.join(folder, `${SCRIPT_FILE}.map`), JSON.stringify(map));
}

/** Files whose code is in the worker, and in the scripts and style sheets of the pages. */
function workerInputs(): string[] {
  const built = (name: string) => JSON.parse(readFileSync(path.join(DIST, name), "utf8"));
  const metas: Metafile[] = [built("bundle-meta.json"), ...built("assets-meta.json")];
  return metas.flatMap((meta) => usedInputs(meta));
}
