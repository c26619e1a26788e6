import { isBuiltin } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import type { BuildOptions, Metafile } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Packages that are not bundled: the runtime, with its program, and the test frameworks of whoever uses the fixtures. */
const NOT_BUNDLED: readonly string[] = ["miniflare", "vitest", "@playwright/test"];

/** A program that was written. */
export interface Bundled {
  /** Files of the repository and of `node_modules` that it is made of. */
  inputs: readonly string[];
  /** Packages that it imports when it runs. */
  imports: readonly string[];
}

/** Bundles entry points for Node. `files` are paths below `src/`, by the names of the files that are written to `folder`. */
export async function bundle(
  files: Readonly<Record<string, string>>,
  folder: string,
  options: BuildOptions = {},
): Promise<Bundled> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(files).map(([name, file]) => [name, path.join(ROOT, "src", file)]),
    ),
    outdir: folder,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    charset: "utf8",
    external: [...NOT_BUNDLED],
    // Names stay, for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    ...options,
  });
  if (metafile === undefined) throw new Error("esbuild did not say what it bundled");
  return bundledBy(metafile);
}

/** The inputs and imports of a program that esbuild wrote. */
export function bundledBy(metafile: Metafile): Bundled {
  return { inputs: usedInputs(metafile), imports: importsOf(metafile) };
}

/** Files of which something is left in the result. */
export function usedInputs({ outputs }: Pick<Metafile, "outputs">): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

function importsOf({ outputs }: Metafile): string[] {
  const external = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter((one) => one.external === true && !isBuiltin(one.path));
  return [...new Set(external.map((one) => one.path))].toSorted();
}
