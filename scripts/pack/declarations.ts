import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runTool } from "../run-tool.ts";
import { expandedTypes } from "./expanded-types.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const DRAFT = path.join(ROOT, "dist/.declarations");
/** The module whose types are computed from the route table. */
const COMPUTED = "client/api";
/** Declarations may name these packages: whoever imports the entry point has them. */
const FRAMEWORKS: readonly string[] = ["vitest", "@playwright/test"];
const IMPORT = /(?:from |import\()"([^"]+)"/g;

/** Declarations by their path below `src/`, such as `client/index.d.ts`. */
export type Declarations = ReadonlyMap<string, string>;

/**
 * The declarations of entry points, such as `src/client/index.ts`, and of every module they mention: plain types that need no
 * other package than `FRAMEWORKS`. Throws if one needs more.
 */
export async function declarationsOf(entries: readonly string[]): Promise<Declarations> {
  rmSync(DRAFT, { recursive: true, force: true });
  mkdirSync(DRAFT, { recursive: true });
  const config = path.join(DRAFT, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: path.join(ROOT, "src"),
    outDir: DRAFT,
  };
  const files = entries.map((entry) => path.join(ROOT, entry));
  const extended = path.join(ROOT, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ extends: extended, compilerOptions, files, include: [] }));
  try {
    if ((await runTool("tsc", ["--project", config])) !== 0)
      throw new Error("The declarations were not written");
    const found = new Map<string, string>();
    for (const entry of entries) collect(entry.replace(/^src\/(.*)\.ts$/, "$1"), found, config);
    return found;
  } finally {
    rmSync(DRAFT, { recursive: true, force: true });
  }
}

/** Adds a module, such as `client/index`, and those that it mentions. */
function collect(module: string, found: Map<string, string>, config: string): void {
  const file = `${module}.d.ts`;
  if (found.has(file)) return;
  const text =
    module === COMPUTED
      ? expandedTypes(config, path.join(ROOT, "src", `${module}.ts`))
      : readFileSync(path.join(DRAFT, file), "utf8");
  const built = text.replaceAll(IMPORT, (whole, from: string) => whole.replace(from, builtName(from)));
  // Indentation is a quarter of the bytes.
  found.set(file, built.replaceAll(/^ +(?!\*)/gm, ""));
  for (const [, from = ""] of text.matchAll(IMPORT)) {
    if (from.startsWith("."))
      collect(path.join(path.dirname(module), from).replace(/\.ts$/, ""), found, config);
    else if (!FRAMEWORKS.includes(from)) throw new Error(`The declaration ${file} needs the package ${from}`);
  }
}

function builtName(from: string): string {
  return from.startsWith(".") ? from.replace(/\.ts$/, ".js") : from;
}
