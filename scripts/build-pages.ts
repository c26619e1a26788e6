import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const PAGES = path.resolve(import.meta.dirname, "../src/pages");
const TARGET = path.join(PAGES, "assets");

/**
 * Puts what the pages load, compressed, where the bundle imports it (`src/pages/assets`): each script of
 * `scripts/` (with what it imports of `scripts/lib`, in one file), each style sheet of `styles/` and each file of `images/`.
 * The same input gives the same bytes; what is up to date is left alone, so that the bundle need not be built again.
 */
export function buildPages(): void {
  mkdirSync(TARGET, { recursive: true });
  for (const { path: file, contents } of [...bundled("scripts", ".ts"), ...bundled("styles", ".css")]) {
    put(path.basename(file), contents);
  }
  for (const name of readdirSync(path.join(PAGES, "images"))) {
    put(name, readFileSync(path.join(PAGES, "images", name)));
  }
}

function bundled(folder: string, suffix: string) {
  const source = path.join(PAGES, folder);
  const entries = readdirSync(source).filter((name) => name.endsWith(suffix));
  const { outputFiles } = buildSync({
    entryPoints: entries.map((name) => path.join(source, name)),
    outdir: TARGET,
    bundle: true,
    minify: true,
    write: false,
    // What browsers of the last three years know; esbuild rewrites newer syntax, nested rules included.
    target: ["chrome120", "firefox121", "safari17"],
  });
  return outputFiles;
}

function put(name: string, contents: Uint8Array): void {
  const target = path.join(TARGET, `${name}.gz`);
  // The gzip header of zlib has no file name and time 0 (RFC 1952 §2.3.1).
  const bytes = gzipSync(contents, { level: 9 });
  if (readBytes(target)?.equals(bytes)) return;
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, bytes);
  renameSync(draft, target);
}

/** Null for a file that does not exist yet. */
function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
