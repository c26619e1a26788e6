// Builds the worker: `npm start`, `npm test`, the packages and wrangler (`build` in wrangler.jsonc) all use what it writes.
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import type { V4WorkerOptions } from "miniflare";
import { OPTIONS_FILE, SCRIPT_FILE, TWIN_FILES } from "../src/host/built-worker.ts";
import { DEPLOY_FILE } from "../src/host/cloudflare/wrangler.ts";
import { Refusal } from "../src/host/refusal.ts";

export const ROOT = path.resolve(import.meta.dirname, "..");
/** The folder that a build is written to. */
export const DIST = path.join(ROOT, "dist");
const CONFIG = path.join(ROOT, "wrangler.jsonc");
/** The file in which esbuild says what became of each module. */
const META_FILE = "bundle-meta.json";
const ENTRY = path.join(DIST, SCRIPT_FILE);
const ASSET_NAMES = path.join(DIST, "assets.json");
const GUIDE_TITLES = path.join(DIST, "guides.json");
/** Inputs of the build. The modification time of a folder changes when a file is removed. */
const SOURCES = [
  "src",
  "docs",
  "CHANGELOG.md",
  "scripts/build-worker.ts",
  "scripts/late-members.ts",
  "scripts/late-patterns.ts",
  "scripts/module-edits.ts",
  "scripts/undocumented.ts",
  "dist/assets.json",
  "wrangler.jsonc",
  "package-lock.json",
  "tsconfig.json",
].map((name) => path.join(ROOT, name));

/**
 * Brings `dist/` up to date: the files of the pages, the worker's script as a deployment has it, and the options that the
 * runtime needs, so that a start needs neither wrangler nor esbuild.
 */
export async function buildWorker(): Promise<void> {
  const startedMs = Date.now();
  if (isComplete() && isNewer(ENTRY, SOURCES)) return;
  // esbuild and wrangler take a second to load, which a start without a build saves.
  const { buildAssets } = await import("./build-assets.ts");
  await buildAssets();
  // The files of the pages can be older than the script although they had to be written again.
  if (isComplete() && isNewer(ENTRY, SOURCES)) return;
  process.stderr.write("Building (after each change of the sources)…\n");
  // Built in a folder of its own and then moved, the script last: a server that starts meanwhile finds the old build or the
  // new one.
  const draft = path.join(DIST, `.build-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    await bundleScript(draft);
    await writeOptions(path.join(draft, OPTIONS_FILE));
    await writeDeployBase(path.join(draft, DEPLOY_FILE));
    await buildTwin(draft);
    for (const file of readdirSync(draft).toSorted((one) => (one === SCRIPT_FILE ? 1 : -1))) {
      renameSync(path.join(draft, file), path.join(DIST, file));
    }
    // A source that is saved during the build makes the next start build again.
    utimesSync(ENTRY, new Date(), new Date(startedMs));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether every file of a build is there, those of the pages included. */
function isComplete(): boolean {
  const built = [OPTIONS_FILE, DEPLOY_FILE, ...TWIN_FILES].map((file) => path.join(DIST, file));
  if ([ASSET_NAMES, GUIDE_TITLES, ...built].some((file) => modifiedAt(file) === 0)) return false;
  const names: Record<string, string> = JSON.parse(readFileSync(ASSET_NAMES, "utf8"));
  return Object.values(names).every((name) => modifiedAt(path.join(DIST, "public/assets", name)) > 0);
}

/** Writes the script of the worker with its source map, and `bundle-meta.json`, which says what it is made of. */
async function bundleScript(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  const originals = new Map<string, string>();
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(ROOT, "src/index.ts")],
    outfile: path.join(folder, SCRIPT_FILE),
    write: false,
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    metafile: true,
    sourcemap: "linked",
    legalComments: "none",
    logLevel: "warning",
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["cloudflare:*"],
    plugins: [loadedTables, ofNode, product, await ownModules(originals)],
  });
  for (const { path: file, text } of outputFiles) {
    writeFileSync(file, file.endsWith(".map") ? withOriginals(text, folder, originals) : text);
  }
  writeFileSync(path.join(folder, META_FILE), JSON.stringify(metafile));
}

/**
 * Changes modules of the worker so that the script starts faster: what only documents need is left out, and what few requests
 * need is made at its first use. Puts the texts of the modules as they were into `originals`.
 */
async function ownModules(originals: Map<string, string>): Promise<Plugin> {
  const { withLateMembers } = await import("./late-members.ts");
  const { withLatePatterns } = await import("./late-patterns.ts");
  const { DESCRIBING_FOLDERS, withoutDocumentation } = await import("./undocumented.ts");
  const sources = path.join(ROOT, "src") + path.sep;
  const describing = DESCRIBING_FOLDERS.map((folder) => path.join(ROOT, folder) + path.sep);
  const lazy = path.join(ROOT, "src/mail/lazy.ts");
  return {
    name: "modules of the worker",
    setup(builder) {
      builder.onLoad({ filter: /\.tsx?$/ }, ({ path: file }) => {
        if (!file.startsWith(sources)) return null;
        const code = readFileSync(file, "utf8");
        const loader = file.endsWith("x") ? "tsx" : "ts";
        const isDescribing = describing.some((folder) => file.startsWith(folder));
        const judging = isDescribing ? withoutDocumentation(code) : code;
        const contents = withLatePatterns(withLateMembers(judging, loader), loader, lazy);
        if (contents === code) return null;
        originals.set(file, code);
        return { contents, loader };
      });
    },
  };
}

/** A source map that shows the sources as they are. The changes above keep every line in its place. */
function withOriginals(text: string, folder: string, originals: ReadonlyMap<string, string>): string {
  const map: { sources: string[]; sourcesContent: string[] } = JSON.parse(text);
  const contents = map.sources.map(
    (source, index) => originals.get(path.resolve(folder, source)) ?? map.sourcesContent[index],
  );
  return JSON.stringify({ ...map, sourcesContent: contents });
}

/** Modules with lists by which mail is read, and those that read the lists from a static asset instead (src/mail/tables). */
const LOADED: Readonly<Record<string, string>> = {
  "all-tables.ts": "loaded-tables.ts",
  "public-suffixes.ts": "loaded-suffixes.ts",
};

const loadedTables: Plugin = {
  name: "tables as a static asset",
  setup(builder) {
    const folder = path.join(ROOT, "src/mail/tables");
    builder.onResolve({ filter: /\/(?:all-tables|public-suffixes)\.ts$/ }, ({ path: name, resolveDir }) => {
      const { dir, base } = path.parse(path.resolve(resolveDir, name));
      const loaded = LOADED[base];
      return dir === folder && loaded !== undefined ? { path: path.join(folder, loaded) } : null;
    });
  },
};

/** The runtime has the modules of Node. A module of the worker cannot `require` them, so it imports them. */
const ofNode: Plugin = {
  name: "modules of Node",
  setup(builder) {
    builder.onResolve({ filter: /./ }, ({ path: name, kind }) => {
      if (!isBuiltin(name)) return null;
      const full = name.startsWith("node:") ? name : `node:${name}`;
      return kind === "require-call" ? { path: full, namespace: "required" } : { path: full, external: true };
    });
    builder.onLoad({ filter: /./, namespace: "required" }, ({ path: name }) => ({
      contents: `import whole from ${JSON.stringify(name)}; module.exports = whole;`,
    }));
  },
};

/** Of `package.json` the worker reads the name and the version. */
const product: Plugin = {
  name: "name and version of the product",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]package\.json$/ }, ({ path: file }) => {
      if (file !== path.join(ROOT, "package.json")) return null;
      const { name, version }: { name: string; version: string } = JSON.parse(readFileSync(file, "utf8"));
      return { contents: JSON.stringify({ name, version }), loader: "json" };
    });
  },
};

/** Writes the options of `wrangler.jsonc` that the local runtime needs, with paths relative to `dist/`. */
async function writeOptions(file: string): Promise<void> {
  const { unstable_getMiniflareWorkerOptions: optionsOf } = await import("wrangler");
  // Variables apply to deployments on Cloudflare only, and the script comes as one module.
  const { workerOptions }: { workerOptions: Partial<V4WorkerOptions> } = optionsOf(CONFIG);
  const { rootPath: _, bindings: __, modulesRules: ___, assets, ...rest } = workerOptions;
  if (assets === undefined) throw new Refusal("wrangler.jsonc names no folder of assets");
  const options = { ...rest, assets: { ...assets, directory: path.relative(DIST, assets.directory) } };
  writeFileSync(file, `${JSON.stringify(options, null, 2)}\n`);
}

/** Writes the part of `wrangler.jsonc` that every deployment has, and the version of wrangler, for `mailkeep-server up`. */
async function writeDeployBase(file: string): Promise<void> {
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const {
    compatibility_date,
    compatibility_flags,
    durable_objects,
    migrations,
    observability,
    assets,
    vars,
  } = readConfig({ config: CONFIG });
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(path.join(ROOT, "package.json"), "utf8"),
  );
  const config = {
    compatibility_date,
    compatibility_flags,
    durable_objects,
    migrations,
    observability: { enabled: observability.enabled },
    upload_source_maps: true,
    assets: { ...assets, directory: "./public" },
    vars,
  };
  const base = { wrangler: manifest.devDependencies["wrangler"], config };
  writeFileSync(file, `${JSON.stringify(base, null, 2)}\n`);
}

/**
 * Writes the modules that a twin loads in front of the worker's script. They import it, so that a twin runs the deployed
 * script as it is.
 */
async function buildTwin(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  const toBuilt: Plugin = {
    name: "the modules that are loaded beside each other",
    setup(builder) {
      builder.onResolve({ filter: /\/index\.ts$/ }, () => ({ path: `./${SCRIPT_FILE}`, external: true }));
      builder.onResolve({ filter: /^\.\/time\.ts$/ }, () => ({ path: `./${TWIN_FILES[1]}`, external: true }));
    },
  };
  const [front, time] = TWIN_FILES;
  const sources = path.join(ROOT, "src/twin/worker");
  const common: BuildOptions = { bundle: true, format: "esm", target: "esnext", external: ["cloudflare:*"] };
  await build({
    ...common,
    entryPoints: [path.join(sources, "front.ts")],
    outfile: path.join(folder, front),
    plugins: [toBuilt],
  });
  await build({ ...common, entryPoints: [path.join(sources, "time.ts")], outfile: path.join(folder, time) });
}

/** Whether a file is newer than everything that it is made of: files and folders. */
export function isNewer(file: string, sources: readonly string[]): boolean {
  return modifiedAt(file) > Math.max(...sources.map(newestIn));
}

/** The newest modification time of a file, or of a folder with everything in it, in ms. */
function newestIn(target: string): number {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  const below = readdirSync(target).map((name) => newestIn(path.join(target, name)));
  return Math.max(stat.mtimeMs, ...below);
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
