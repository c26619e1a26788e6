// Builds the files that the pages load: `npm start`, `npm test`, `npm run check` and `npm run deploy` begin with it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { readTables } from "../src/mail/tables/all-tables.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const PAGES = path.join(ROOT, "src/pages");
/** The folder that wrangler.jsonc names: the platform serves what is in it. */
const PUBLIC = path.join(ROOT, "dist/public");
const ASSETS = path.join(PUBLIC, "assets");
/** File names by the names that pages use (`src/pages/static-files.ts`). */
const MANIFEST = path.join(ROOT, "dist/assets.json");
const HASH_CHARS = 16;

/**
 * Headers of the files, in Cloudflare's format. A name contains a hash of the contents, so browsers may keep a file for a year.
 * Nobody else's page may load one, and an image that is opened by itself may run nothing.
 */
const HEADERS = `/assets/*
  Cache-Control: public, max-age=31536000, immutable
  Content-Security-Policy: default-src 'none'; sandbox
  Cross-Origin-Resource-Policy: same-origin
  X-Content-Type-Options: nosniff
`;

/**
 * Writes each script of `src/pages/scripts` (one file with all it imports), each style sheet of `styles` and each file of
 * `images` to `dist/public/assets`, with the tables by which the worker reads mail, and their names to `dist/assets.json`. Leaves up-to-date files alone. Files of
 * earlier builds stay, because a running server still refers to them; `clean` removes them.
 */
export function buildAssets(options: { clean?: boolean } = {}): void {
  mkdirSync(ASSETS, { recursive: true });
  const names: Record<string, string> = {};
  for (const { name, contents } of [
    ...bundled("scripts", ".ts"),
    ...bundled("styles", ".css"),
    ...images(),
    tables(),
  ]) {
    const { name: stem, ext } = path.parse(name);
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, HASH_CHARS);
    names[name] = `${stem}.${hash}${ext}`;
    put(path.join(ASSETS, names[name]), contents);
  }
  put(path.join(PUBLIC, "_headers"), Buffer.from(HEADERS));
  // Last: it refers to the files.
  put(MANIFEST, Buffer.from(`${JSON.stringify(names, null, 2)}\n`));
  if (options.clean !== true) return;
  const current = new Set(Object.values(names));
  for (const file of readdirSync(ASSETS)) if (!current.has(file)) rmSync(path.join(ASSETS, file));
}

interface Asset {
  name: string;
  contents: Uint8Array;
}

function bundled(folder: string, suffix: string): Asset[] {
  const source = path.join(PAGES, folder);
  const entries = readdirSync(source).filter((name) => name.endsWith(suffix));
  const { outputFiles } = buildSync({
    entryPoints: entries.map((name) => path.join(source, name)),
    outdir: ASSETS,
    bundle: true,
    minify: true,
    write: false,
    // Browsers of the last three years; esbuild rewrites newer syntax, nested rules included.
    target: ["chrome120", "firefox121", "safari17"],
  });
  return outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), contents }));
}

function images(): Asset[] {
  const folder = path.join(PAGES, "images");
  return readdirSync(folder).map((name) => ({ name, contents: readFileSync(path.join(folder, name)) }));
}

/** The tables by which the worker reads mail (`src/mail/tables`), without the blanks that make them readable in the sources. */
function tables(): Asset {
  const json = JSON.stringify(readTables(), (_, value: unknown) =>
    typeof value === "string" && value.includes("\n") ? value.trim().replaceAll(/\s+/g, " ") : value,
  );
  return { name: "tables.json", contents: Buffer.from(json) };
}

/** Writes a file unless it has these contents already, so that its time says when it changed. */
function put(target: string, contents: Uint8Array): void {
  if (readBytes(target)?.equals(contents)) return;
  const draft = path.join(ROOT, "dist", `.asset-${process.pid}`);
  writeFileSync(draft, contents);
  renameSync(draft, target);
}

/** Null for a file that does not exist yet. */
function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

if (import.meta.main) buildAssets();
