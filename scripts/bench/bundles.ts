import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from "miniflare";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { readBuiltWorker, SCRIPT_FILE } from "../../src/host/built-worker.ts";
import { DIST } from "../build-worker.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const PRODUCT_CONFIG = path.join(ROOT, "wrangler.jsonc");
const BENCH_CONFIG = path.join(import.meta.dirname, "worker/wrangler.jsonc");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Builds the bench's own worker into `outDir`, by the same tool as the service. */
export async function buildBenchWorker(outDir: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, "worker/index.ts")],
    outfile: path.join(outDir, SCRIPT_FILE),
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
  });
}

/** The bench's worker; with a port it answers there directly, as the service does. */
export function benchWorker(builtDir: string, port: number | null): V4WorkerOptions {
  const { workerOptions } = workerOptionsOf(BENCH_CONFIG);
  const entry = path.join(builtDir, SCRIPT_FILE);
  return {
    name: "bench",
    ...workerOptions,
    modulesRules: undefined,
    modulesRoot: builtDir,
    modules: [{ type: "ESModule", path: entry, contents: readFileSync(entry, "utf8") }],
    ...(port === null ? {} : { unsafeDirectSockets: [{ host: "127.0.0.1", port }] }),
  };
}

/** The service's worker, of the bundle that `npm start` serves, for what only an embedding can see. */
export function productWorker(bindings: Record<string, string>): V4WorkerOptions {
  // Without the files of the pages: Miniflare would route each request through two more workers.
  const { assets: _, ...workerOptions } = workerOptionsOf(PRODUCT_CONFIG).workerOptions;
  return {
    name: "mailkeep",
    ...workerOptions,
    bindings: Object.assign({}, workerOptions.bindings, bindings),
    modulesRules: undefined,
    modulesRoot: DIST,
    modules: [readBuiltWorker(DIST).script],
    serviceBindings: { ASSETS: builtAsset },
  };
}

/** Answers with a static asset of the build. */
async function builtAsset(request: { url: string }): Promise<Response> {
  const name = path.basename(new URL(request.url).pathname);
  return new Response(readFileSync(path.join(DIST, "public/assets", name)));
}

/** Starts workers in one workerd. The caller disposes of it. */
export async function embed(dataDir: string, workers: V4WorkerOptions[]): Promise<Miniflare> {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      resourcePersistencePath: dataDir,
      log: new Log(LogLevel.ERROR),
      workers,
    }),
  );
  // Miniflare ends the process at the first signal, before the bench has cleaned up.
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
    }
  }
  await runtime.ready;
  return runtime;
}
