// Bundles the command line into one file that needs no package: `npm run pack` puts it into the package `mailkeep`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build as bundle, type Metafile, type Plugin } from "esbuild";
import { minifySync } from "rolldown/utils";

const ROOT = path.resolve(import.meta.dirname, "..");

/**
 * Modules whose exports are plain data that follow from the route table and the manifest. The bundle holds the data: to compute
 * them at each start would load every schema.
 */
const COMPUTED = ["src/cli/operations.ts", "src/contract/product.ts"].map((file) => path.join(ROOT, file));

const computeNow: Plugin = {
  name: "computed-modules",
  setup(build) {
    build.onLoad({ filter: /[/\\](?:operations|product)\.ts$/ }, async ({ path: file }) => {
      if (!COMPUTED.includes(file)) return null;
      const exported: unknown = await import(/* @vite-ignore */ pathToFileURL(file).href);
      const lines = Object.entries(Object(exported)).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};

/** Writes the command line to one file, which Node 20.12 and later run. Resolves to what it is made of. */
export async function bundleCli(outfile: string): Promise<Metafile> {
  const { metafile } = await bundle({
    entryPoints: [path.join(ROOT, "src/cli/main.ts")],
    absWorkingDir: ROOT,
    outfile,
    bundle: true,
    platform: "node",
    // Modules that are imported when they are needed, and what they import of Node, are also loaded only then. In a bundle of
    // ES modules all that they import of Node would be loaded at the start.
    format: "cjs",
    define: { "import.meta.filename": "__filename" },
    target: "node20",
    minify: true,
    legalComments: "none",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [computeNow],
    metafile: true,
    logLevel: "warning",
  });
  // A second minifier finds one percent more.
  const { code, errors } = minifySync(outfile, readFileSync(outfile, "utf8"), {
    compress: { target: "es2022" },
    mangle: true,
    codegen: true,
  });
  if (errors.length > 0) throw new Error(`The command line cannot be read: ${errors[0]?.message}`);
  writeFileSync(outfile, code);
  return metafile;
}
