import { mkdirSync } from "node:fs";
import path from "node:path";
import { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { BlobDisk, syncFolders } from "./blob-disk.ts";
import { BUNDLE_ROOT, SOURCE_MAP, readBundle } from "./bundle.ts";
import { isHarmless } from "./log-filter.ts";
import { OUTBOUND, outboundWorker } from "./outbound.ts";
import { Restarts } from "./restarts.ts";
import { sourcePositions } from "./stack-trace.ts";

export interface RuntimeOptions {
  host: string;
  /** 0 = any free port. */
  port: number;
  dataDir: string;
  /** Variables and secrets of the worker; it gets no others. */
  bindings: Record<string, string>;
  /** Whether webhooks may go to this machine and its network. */
  allowPrivateTargets: boolean;
  /** PEM certificates of authorities that may have signed the relay's, beside those that browsers trust. */
  relayAuthorities: readonly string[];
  /** Called when workerd died too often. */
  onDead(reason: string): void;
  /** Called after workerd died and was restarted. */
  onRestart(): void;
  /** Receives the log of the worker and of the runtime, line by line. */
  log(line: string): void;
}

export interface Runtime {
  /** The port where the worker answers; a restart does not change it. */
  port: number;
  stop(): Promise<void>;
}

const WRANGLER_CONFIG = path.resolve(import.meta.dirname, "../../wrangler.jsonc");
const WORKER = "mailkeep";
const ASSETS = "mailkeep-assets";
/**
 * Sets V8's semi-spaces to 2 MB instead of 16, because the isolates of one machine share its memory. The benchmark's peak
 * memory fell by a third, at the same speed.
 */
const V8_FLAGS = "--max-semi-space-size=2";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts the bundle in workerd and resolves when it answers on `host` and `port`. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  // Miniflare reads this when it starts workerd. A value that the operator has set stays.
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= V8_FLAGS;
  const disk = await openDisk(options.dataDir);
  const withSources = sourcePositions(SOURCE_MAP);
  const restarts = new Restarts({ ...options, start: () => runtime.setOptions(settings) });
  const settings = convertV4MiniflareOptions({
    // Miniflare's own port trusts MF-* and X-Forwarded-Proto headers of clients, so it is neither public nor announced.
    host: "127.0.0.1",
    port: 0,
    cf: false,
    resourcePersistencePath: options.dataDir,
    log: new RuntimeLog(
      (line) => options.log(line),
      (error) => void restarts.failed(error),
    ),
    handleStructuredLogs: ({ message }) => {
      if (!isHarmless(message)) options.log(withSources(message));
    },
    unsafeHandleRuntimeRestart: () => restarts.restarted(),
    workers: [
      workerOf(options, disk),
      assetsWorker(),
      outboundWorker({ allowPrivate: options.allowPrivateTargets }),
    ],
  });
  const runtime = new Miniflare(settings);
  // Miniflare ends the process at the first signal, even during deliveries. Its "exit" listener stays.
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  await runtime.ready;
  await syncFolders(options.dataDir);
  const { port } = await runtime.unsafeGetDirectURL(WORKER);
  return {
    // A URL omits the default port of its scheme.
    port: Number(port || 80),
    stop() {
      restarts.stop();
      return runtime.dispose();
    },
  };
}

/** Opens the folder of the bucket that wrangler.jsonc names. Null if it names none; blobs are then stored in rows. */
async function openDisk(dataDir: string): Promise<BlobDisk | null> {
  const { workerOptions } = workerOptionsOf(WRANGLER_CONFIG);
  const [bucket]: unknown[] = Object.values(Object(workerOptions.r2Buckets));
  const name = typeof bucket === "object" && bucket !== null && "id" in bucket ? bucket.id : bucket;
  if (typeof name !== "string") return null;
  const disk = new BlobDisk(dataDir, name);
  await disk.begin();
  return disk;
}

function workerOf(options: RuntimeOptions, disk: BlobDisk | null): V4WorkerOptions {
  const { assets: _, ...workerOptions } = workerOptionsOf(WRANGLER_CONFIG).workerOptions;
  // Relay, resolver and embedding model belong to the operator, so they may be on this machine.
  const tlsOptions = { trustBrowserCas: true, trustedCertificates: [...options.relayAuthorities] };
  const OPERATOR_NETWORK = { network: { allow: ["public", "private"], tlsOptions } };
  const BLOB_DISK = async (request: { url: string }) => {
    const { searchParams: blob } = new URL(request.url);
    await disk?.sync(blob.get("key") ?? "", blob.get("upload"));
    return new Response(null, { status: 204 });
  };
  return {
    name: WORKER,
    ...workerOptions,
    serviceBindings: {
      ASSETS,
      OPERATOR_NETWORK,
      OBJECT_FILES: objectFiles(options.dataDir),
      BLOB_DISK,
    },
    // The variables of wrangler.jsonc apply to deployments on Cloudflare only.
    bindings: options.bindings,
    outboundService: OUTBOUND,
    modulesRules: undefined,
    modulesRoot: BUNDLE_ROOT,
    modules: readBundle(),
    // This socket leads directly to the worker, and keeps its port when workerd is restarted.
    unsafeDirectSockets: [{ host: options.host, port: options.port }],
  };
}

/**
 * Serves the files of the pages with the same program as Cloudflare. The worker requests them from it: with `assets` of its
 * own, every request of the API would pass through two more workers.
 */
function assetsWorker(): V4WorkerOptions {
  const { rootPath, compatibilityDate, assets }: Partial<V4WorkerOptions> =
    workerOptionsOf(WRANGLER_CONFIG).workerOptions;
  return {
    name: ASSETS,
    rootPath,
    compatibilityDate,
    assets: assets && { ...assets, binding: undefined },
    modulesRoot: BUNDLE_ROOT,
    modules: [{ type: "ESModule", path: path.join(BUNDLE_ROOT, "assets.js"), contents: NO_FILE }],
  };
}

/** Answers 404 to requests that name no file. */
const NO_FILE = "export default { fetch: () => new Response(null, { status: 404 }) };";

/** The folder where workerd stores the files of Durable Objects; it must exist before workerd starts. */
function objectFiles(dataDir: string): { disk: { path: string; writable: false } } {
  const folder = path.join(dataDir, "do");
  mkdirSync(folder, { recursive: true });
  return { disk: { path: folder, writable: false } };
}

/** Logs Miniflare's warnings and errors. Miniflare reports a failed restart only in its log. */
class RuntimeLog extends Log {
  readonly #log: (line: string) => void;
  readonly #restartFailed: (cause: Error) => void;

  constructor(log: (line: string) => void, restartFailed: (cause: Error) => void) {
    super(LogLevel.ERROR);
    this.#log = log;
    this.#restartFailed = restartFailed;
  }

  protected override log(message: string): void {
    this.#log(message);
  }

  override error(error: Error): void {
    if ("code" in error && error.code === "ERR_RUNTIME_FAILURE") {
      this.#restartFailed(error.cause instanceof Error ? error.cause : error);
    } else {
      super.error(error);
    }
  }
}
