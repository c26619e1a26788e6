import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import type { Plugin } from "esbuild";
import { unstable_readConfig as readConfig } from "wrangler";
import { withLateMembers } from "./late-members.ts";
import { withLatePatterns } from "./late-patterns.ts";
import { DESCRIBING_FOLDERS, withoutDocumentation } from "./undocumented.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const LAZY = path.join(ROOT, "src/mail/lazy.ts");
const CONFIG = path.join(ROOT, "wrangler.jsonc");
/** The file in which esbuild says what became of each module. `--metafile` of wrangler would name one module. */
export const META_FILE = "bundle-meta.json";

/**
 * Writes the modules of the worker to a folder as one module, `index.js`, with its source map and `bundle-meta.json`: without
 * what only documents need, and with the stubs that `alias` in `wrangler.jsonc` names. Wrangler makes the script of it.
 * Returns the path of the module.
 */
export async function bundleModules(folder: string): Promise<string> {
  const { main, alias = {} } = readConfig({ config: CONFIG });
  if (main === undefined) throw new Error("wrangler.jsonc names no entry point");
  const originals = new Map<string, string>();
  const outfile = path.join(folder, "index.js");
  const { outputFiles, metafile } = await build({
    entryPoints: [main],
    outfile,
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    sourcemap: "linked",
    format: "esm",
    // As wrangler bundles for workerd.
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    minifySyntax: true,
    external: ["cloudflare:*"],
    plugins: [stubs(alias), ofNode, product, ownModules(originals)],
  });
  mkdirSync(folder, { recursive: true });
  for (const { path: file, text } of outputFiles) {
    writeFileSync(file, file.endsWith(".map") ? withOriginals(text, folder, originals) : text);
  }
  writeFileSync(path.join(folder, META_FILE), JSON.stringify(metafile));
  return outfile;
}

/** Replaces modules by their import specifiers, as wrangler does. */
function stubs(alias: Readonly<Record<string, string>>): Plugin {
  return {
    name: "stubs",
    setup(builder) {
      builder.onResolve({ filter: /./ }, ({ path: name }) => {
        const stub = alias[name];
        return stub === undefined ? null : { path: path.resolve(ROOT, stub) };
      });
    },
  };
}

/** Leaves the modules of Node to wrangler. A module of the worker cannot `require` them, so it imports them. */
const ofNode: Plugin = {
  name: "modules of Node",
  setup(builder) {
    builder.onResolve({ filter: /./ }, ({ path: name, kind }) => {
      if (!isBuiltin(name)) return null;
      return kind === "require-call" ? { path: name, namespace: "required" } : { path: name, external: true };
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

/**
 * Takes out what only documents need, and makes regular expressions with properties of Unicode late. Puts the texts of the
 * modules as they were into `originals`.
 */
function ownModules(originals: Map<string, string>): Plugin {
  const folders = DESCRIBING_FOLDERS.map((folder) => path.join(ROOT, folder) + path.sep);
  return {
    name: "modules of the worker",
    setup(builder) {
      builder.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path: file }) => {
        if (!file.startsWith(path.join(ROOT, "src") + path.sep)) return null;
        const code = readFileSync(file, "utf8");
        const loader = file.endsWith("x") ? "tsx" : "ts";
        const isDescribing = folders.some((folder) => file.startsWith(folder));
        const judging = isDescribing ? withoutDocumentation(code) : code;
        const contents = withLatePatterns(withLateMembers(judging, loader), loader, LAZY);
        if (contents === code) return null;
        originals.set(file, code);
        return { contents, loader };
      });
    },
  };
}

/** A source map that shows the sources as they are, not what was made of them before they were bundled. */
function withOriginals(text: string, folder: string, originals: ReadonlyMap<string, string>): string {
  const map: { sources: string[]; sourcesContent: string[] } = JSON.parse(text);
  const contents = map.sources.map(
    (source, index) => originals.get(path.resolve(folder, source)) ?? map.sourcesContent[index],
  );
  return JSON.stringify({ ...map, sourcesContent: contents });
}
