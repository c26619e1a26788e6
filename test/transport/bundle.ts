import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the bundled worker of these tests. */
    transportWorker: string;
  }
}

const ROOT = path.resolve(import.meta.dirname, "../..");

/** The configuration of the worker that sends for these tests. */
export const CONFIG = path.join(import.meta.dirname, "worker/wrangler.jsonc");

/** Bundles the worker as a deployment would, once for all files; returns what removes the bundle. */
export default async function bundle(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(path.join(tmpdir(), "mailkeep-transport-"));
  await promisify(execFile)(
    path.join(ROOT, "node_modules/.bin/wrangler"),
    ["deploy", "--dry-run", "--config", CONFIG, "--outdir", dir],
    { cwd: ROOT, env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  );
  project.provide("transportWorker", dir);
  return () => rm(dir, { recursive: true, force: true });
}
