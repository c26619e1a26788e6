// Builds the files that the pages load: `npm start`, `npm test`, `npm run check` and `npm run deploy` begin with it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, buildSync, type Metafile, type Plugin } from "esbuild";
import { readTables } from "../src/mail/tables/all-tables.ts";
import { readGuides, type Picture } from "./guides.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const PAGES = path.join(ROOT, "src/pages");
/** The folder that wrangler.jsonc names: the platform serves what is in it. */
const PUBLIC = path.join(ROOT, "dist/public");
const ASSETS = path.join(PUBLIC, "assets");
/** File names by the names that pages use (`src/pages/static-files.ts`). */
const MANIFEST = path.join(ROOT, "dist/assets.json");
/** The files that the scripts and style sheets are made of, as esbuild lists them: the packages name the code of others. */
const BUNDLE_METAS = path.join(ROOT, "dist/assets-meta.json");
/** Titles of the pages of `docs/` by their names. */
const GUIDE_TITLES = path.join(ROOT, "dist/guides.json");
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
 * Writes each script of `src/pages/scripts` and each module of `scripts/later` (one file with all it imports), each style sheet
 * of `styles` and each file of `images` to `dist/public/assets`, with the tables by which the worker reads mail, the documents of
 * the API and the pages of `docs/`, and their names to `dist/assets.json`. Leaves up-to-date files alone. Files of
 * earlier builds stay, because a running server still refers to them; `clean` removes them.
 */
export async function buildAssets(options: { clean?: boolean } = {}): Promise<void> {
  mkdirSync(ASSETS, { recursive: true });
  const names: Record<string, string> = {};
  const pictures = new Set<string>();
  const bundles = [
    bundled("scripts", ".ts"),
    bundled("scripts/later", ".ts", "esm"),
    bundled("styles", ".css"),
  ];
  for (const { name, contents, hashed = contents } of [
    ...bundles.flatMap(({ assets }) => assets),
    ...images(),
    tables(),
    ...(await documents()),
    ...guides(pictures),
  ]) {
    names[name] = hashedName(name, hashed);
    put(path.join(ASSETS, names[name]), contents);
  }
  put(path.join(PUBLIC, "_headers"), Buffer.from(HEADERS));
  put(BUNDLE_METAS, Buffer.from(JSON.stringify(bundles.map(({ metafile }) => metafile))));
  // Last: it refers to the files.
  put(MANIFEST, Buffer.from(`${JSON.stringify(names, null, 2)}\n`));
  if (options.clean !== true) return;
  const current = new Set([...Object.values(names), ...pictures]);
  for (const file of readdirSync(ASSETS)) if (!current.has(file)) rmSync(path.join(ASSETS, file));
}

interface Asset {
  name: string;
  contents: Uint8Array;
  /** The bytes whose hash is in the name, where they are not the contents. */
  hashed?: Uint8Array;
}

interface Bundles {
  assets: Asset[];
  metafile: Metafile;
}

function bundled(folder: string, suffix: string, format: "iife" | "esm" = "iife"): Bundles {
  const source = path.join(PAGES, folder);
  const entries = readdirSync(source).filter((name) => name.endsWith(suffix));
  const { outputFiles, metafile } = buildSync({
    entryPoints: entries.map((name) => path.join(source, name)),
    absWorkingDir: ROOT,
    outdir: ASSETS,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format,
    // Browsers of the last three years; esbuild rewrites newer syntax, nested rules included.
    target: ["chrome120", "firefox121", "safari17"],
  });
  const assets = outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), contents }));
  return { assets, metafile };
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

/** Modules of the runtime, and the list that this build writes: nothing that the documents are made of uses them. */
const withoutRuntime: Plugin = {
  name: "without the runtime",
  setup(builder) {
    builder.onResolve({ filter: /^cloudflare:|\/dist\/assets\.json$/ }, ({ path: name }) => ({
      path: name,
      namespace: "runtime",
    }));
    builder.onLoad({ filter: /./, namespace: "runtime" }, () => ({
      contents: "module.exports = new Proxy({}, { get: () => class {} })",
    }));
  },
};

/** The description of the API, its reference page and the list of MCP tools, which are made of code with JSX. */
async function documents(): Promise<Asset[]> {
  const draft = path.join(ROOT, "dist", `.documents-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(ROOT, "scripts/documents.ts")],
    outfile: draft,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [withoutRuntime],
  });
  try {
    const made: { documents(): Promise<Record<string, string>> } = await import(pathToFileURL(draft).href);
    return Object.entries(await made.documents()).map(([name, text]) => ({
      name,
      contents: Buffer.from(text),
    }));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The name of a file with the hash of its contents, or of what they are made of. */
function hashedName(name: string, hashed: Uint8Array): string {
  const { name: stem, ext } = path.parse(name);
  return `${stem}.${createHash("sha256").update(hashed).digest("hex").slice(0, HASH_CHARS)}${ext}`;
}

/** Copies a picture that a page of `docs/` shows. The manifest leaves it out, because the worker does not name it. */
function picture(file: string): Picture {
  const contents = readFileSync(path.join(ROOT, "docs", file));
  const name = hashedName(path.basename(file), contents);
  put(path.join(ASSETS, name), contents);
  if (contents.toString("latin1", 12, 16) !== "VP8X")
    throw new Error(`${file}: no WebP file with an extended header`);
  // RFC 9649, section 2.7: both less one.
  const [width, height] = [contents.readUIntLE(24, 3) + 1, contents.readUIntLE(27, 3) + 1];
  return { url: `/assets/${name}`, width, height };
}

/** The pages of `docs/`, rendered, and their texts for the search. Adds the names of the pictures that they show. */
function guides(shown: Set<string>): Asset[] {
  const rendered = readGuides((file) => {
    const found = picture(file);
    shown.add(path.basename(found.url));
    return found;
  });
  put(
    GUIDE_TITLES,
    Buffer.from(`${JSON.stringify(Object.fromEntries(rendered.map(({ name, title }) => [name, title])))}\n`),
  );
  const index = rendered.map(({ name, title, sections }) => ({ name, title, sections }));
  // The worker's script names each of them. One hash for all takes less of it, and only the worker asks for them.
  const hashed = Buffer.from(rendered.map(({ html }) => html).join(""));
  return [
    ...rendered.map(({ name, html }) => ({
      name: `guide-${name}.htm`,
      contents: Buffer.from(html),
      hashed,
    })),
    { name: "guides.json", contents: Buffer.from(JSON.stringify(index)) },
  ];
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

if (import.meta.main) await buildAssets();
