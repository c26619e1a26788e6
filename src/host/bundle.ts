import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { Refusal } from "./refusal.ts";

/** The bundle in Miniflare's format. */
export interface BundleModule {
  type: "ESModule";
  path: string;
  contents: string;
}

const ROOT = path.resolve(import.meta.dirname, "../..");
const DIST = path.join(ROOT, "dist");
const ENTRY = path.join(DIST, "index.js");
/** Maps positions in the bundle to its sources. */
export const SOURCE_MAP = `${ENTRY}.map`;
/** Inputs of the bundle. The modification time of a folder changes when a file is removed. */
const SOURCES = ["src", "dist/assets.json", "wrangler.jsonc", "package-lock.json", "tsconfig.json"].map(
  (name) => path.join(ROOT, name),
);

/** Builds `dist/` with wrangler, as a deployment does, unless it is newer than all its sources. */
export async function buildBundle(): Promise<void> {
  const startedMs = Date.now();
  if (modifiedAt(ENTRY) > Math.max(...SOURCES.map(newestIn))) return;
  process.stderr.write("Building (after each change of the sources)…\n");
  // Built in a folder of its own and then moved, the entry last: a server that starts meanwhile finds the old bundle or the
  // new one.
  const draft = path.join(DIST, `.build-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    await wrangler(["deploy", "--dry-run", "--metafile", "--outdir", draft]);
    const files = readdirSync(draft).filter((file) => file !== "README.md");
    for (const file of files.toSorted((one) => (one === "index.js" ? 1 : -1))) {
      renameSync(path.join(draft, file), path.join(DIST, file));
    }
    // A source that is saved during the build makes the next start build again.
    utimesSync(ENTRY, new Date(), new Date(startedMs));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Reads the bundle into memory: a restarted runtime must not load the script of a later build. */
export function readBundle(): BundleModule[] {
  return [{ type: "ESModule", path: ENTRY, contents: readFileSync(ENTRY, "utf8") }];
}

/** The folder that module paths are relative to. */
export const BUNDLE_ROOT = DIST;

/** Runs wrangler; prints its output only if it fails. */
function wrangler(args: readonly string[]): Promise<void> {
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
