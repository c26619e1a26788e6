import { spawn } from "node:child_process";
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
import path from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import type { V4WorkerOptions } from "miniflare";
import { OPTIONS_FILE, SCRIPT_FILE, TWIN_FILES } from "../src/host/built-worker.ts";
import { DEPLOY_FILE } from "../src/host/cloudflare/wrangler.ts";
import { Refusal } from "../src/host/refusal.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
/** The folder that a build is written to. */
export const DIST = path.join(ROOT, "dist");
const CONFIG = path.join(ROOT, "wrangler.jsonc");
const ENTRY = path.join(DIST, SCRIPT_FILE);
const ASSET_NAMES = path.join(DIST, "assets.json");
const GUIDE_TITLES = path.join(DIST, "guides.json");
/** Inputs of the build. The modification time of a folder changes when a file is removed. */
const SOURCES = [
  "src",
  "docs",
  "scripts/bundle-modules.ts",
  "scripts/undocumented.ts",
  "scripts/late-members.ts",
  "scripts/late-patterns.ts",
  "scripts/minify-script.ts",
  "scripts/module-edits.ts",
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
  if (isComplete() && modifiedAt(ENTRY) > Math.max(...SOURCES.map(newestIn))) return;
  // esbuild and wrangler take a second to load, which a start without a build saves.
  const { buildAssets } = await import("./build-assets.ts");
  await buildAssets();
  // The files of the pages can be older than the script although they had to be written again.
  if (isComplete() && modifiedAt(ENTRY) > Math.max(...SOURCES.map(newestIn))) return;
  const { bundleModules, META_FILE } = await import("./bundle-modules.ts");
  const { minifyScript } = await import("./minify-script.ts");
  process.stderr.write("Building (after each change of the sources)…\n");
  // Built in a folder of its own and then moved, the script last: a server that starts meanwhile finds the old build or the
  // new one.
  const draft = path.join(DIST, `.build-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    const modules = path.join(draft, "modules");
    await wrangler(["deploy", await bundleModules(modules), "--dry-run", "--outdir", draft]);
    minifyScript(draft);
    renameSync(path.join(modules, META_FILE), path.join(draft, META_FILE));
    rmSync(modules, { recursive: true });
    await writeOptions(path.join(draft, OPTIONS_FILE));
    await writeDeployBase(path.join(draft, DEPLOY_FILE));
    await buildTwin(draft);
    const files = readdirSync(draft).filter((file) => file !== "README.md");
    for (const file of files.toSorted((one) => (one === SCRIPT_FILE ? 1 : -1))) {
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

/** Runs wrangler in the root of the project; prints its output only if it fails. Rejects with a refusal then. */
export function wrangler(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, "node_modules/.bin/wrangler"), args, {
      cwd: ROOT,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_SANITIZE: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      reject(new Refusal("The bundle could not be built: the output above says why"));
    });
  });
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
