import { readFileSync } from "node:fs";
import path from "node:path";
import type { V4WorkerOptions } from "miniflare";

/** A module of the worker, in Miniflare's format. */
export interface WorkerModule {
  type: "ESModule";
  /** Absolute. */
  path: string;
  contents: string;
}

/** The worker as a build left it in a folder. */
export interface BuiltWorker {
  /** The folder. Paths of modules are relative to it. */
  root: string;
  /** The script, read into memory: a restarted runtime must not load the script of a later build. */
  script: WorkerModule;
  /** Maps positions in the script to its sources. The file may be missing. */
  sourceMap: string;
  /** Compatibility and bindings of `wrangler.jsonc`, without its variables, which apply to Cloudflare only. */
  options: BuiltOptions;
}

/** The part of Miniflare's options that a build writes down. */
type BuiltOptions = Pick<V4WorkerOptions, "compatibilityDate" | "durableObjects" | "r2Buckets" | "assets">;

/** The script of a build. */
export const SCRIPT_FILE = "index.js";
/** The options of a build: what `wrangler.jsonc` says, in Miniflare's words. */
export const OPTIONS_FILE = "worker.json";

/** The modules of a twin, the main one first; it imports the second one before the script. */
export const TWIN_FILES = ["twin.js", "twin-time.js"] as const;

/** Reads a build. Throws the error of the file system if it is not complete. */
export function readBuiltWorker(root: string): BuiltWorker {
  const file = path.join(root, SCRIPT_FILE);
  const options: BuiltOptions = JSON.parse(readFileSync(path.join(root, OPTIONS_FILE), "utf8"));
  return {
    root,
    script: { type: "ESModule", path: file, contents: readFileSync(file, "utf8") },
    sourceMap: `${file}.map`,
    options: {
      ...options,
      // The build wrote the folder relative to its own.
      assets: options.assets && {
        ...options.assets,
        directory: path.resolve(root, options.assets.directory),
      },
    },
  };
}
