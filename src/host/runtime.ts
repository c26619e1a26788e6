import { mkdirSync } from "node:fs";
import path from "node:path";
import { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import type { Json, V4WorkerOptions } from "miniflare";
import type { Ask } from "../lib/dns/cached-dns.ts";
import type { Series } from "../lib/metrics.ts";
import { blobFolder, BlobDisk, syncFolders } from "./blob-disk.ts";
import type { BuiltWorker, WorkerModule } from "./built-worker.ts";
import { jsonAnswer } from "./dns/mail-dns.ts";
import { ErasedFiles } from "./erased-files.ts";
import { isHarmless } from "./log-filter.ts";
import { OUTBOUND, outboundWorker } from "./outbound.ts";
import type { HostReadiness } from "./readiness.ts";
import { Restarts } from "./restarts.ts";
import { sourcePositions } from "./stack-trace.ts";
import { whileEnded } from "./while-ended.ts";
import { drainWorkerd, killWorkerd } from "./workerd-process.ts";

export interface RuntimeOptions {
  host: string;
  /** 0 = any free port. */
  port: number;
  dataDir: string;
  built: BuiltWorker;
  /** Variables and secrets of the worker; it gets no others. */
  bindings: Record<string, string>;
  /** Further variables that are JSON; undefined: none. */
  jsonBindings?: Readonly<Record<string, Json>>;
  /** Whether webhooks may go to this machine and its network. */
  allowPrivateTargets: boolean;
  /** PEM certificates of authorities that may have signed the relay's, beside those that browsers trust. */
  relayAuthorities: readonly string[];
  /** Whether {@link Runtime.frontPort} is opened. */
  hasFront?: boolean;
  /** Modules in front of the worker's script; undefined: the script alone. */
  front?: WorkerFront;
  /** False: nothing needs to survive a power loss, so blobs are not synced to disk. */
  isDurable?: boolean;
  /** The reasons why this process or its disk cannot take mail now; undefined: there are never any. */
  readiness?: Pick<HostReadiness, "reasons">;
  /** Hands over what this process counted since the last call, for the worker to add to its own; undefined: nothing. */
  takeCounts?: () => Series;
  /** Asks the DNS servers of `RESOLVER` for the worker; undefined: it has none. */
  askDns?: Ask | undefined;
  /** An existing folder for temporary files of the runtime; undefined: that of the system. */
  tempDir?: string;
  /** Called when workerd died too often. */
  onDead(reason: string): void;
  /** Called after workerd died, or was ended by {@link Runtime.whileEnded}, and was restarted. */
  onRestart(): void;
  /** Receives the log of the worker and of the runtime, line by line. */
  log(line: string): void;
}

export interface Runtime {
  /** The port where the worker answers; a restart does not change it. */
  port: number;
  /**
   * The port on 127.0.0.1 for a front: requests there have absolute targets, whose scheme and host the worker takes for those
   * of the client. Null without {@link RuntimeOptions.hasFront}. A restart does not change it.
   */
  frontPort: number | null;
  /** The address of an entry point of {@link WorkerFront}, for this machine. */
  urlOf(entrypoint: string): Promise<URL>;
  /**
   * Ends workerd, calls `work` while none runs, so that its files can be replaced, and starts it again. Requests under way get
   * up to `graceMs` to finish. Resolves when workerd listens again; rejects with the error of `work`, then too.
   */
  whileEnded(work: () => void, graceMs: number): Promise<void>;
  /** Ends workerd. Requests under way get up to `graceMs` to finish, and new ones are not accepted; without it they are cut off. */
  stop(graceMs?: number): Promise<void>;
}

/** Modules that are loaded instead of the worker's script, and import it. */
export interface WorkerFront {
  /** The first one is the main module. They import the script as `./index.js`. */
  modules: readonly WorkerModule[];
  /** Names of its entry points that get a port of their own on this machine. */
  entrypoints: readonly string[];
}

const WORKER = "mailkeep";
const ASSETS = "mailkeep-assets";
/**
 * Sets V8's semi-spaces to 2 MB instead of 16, because the isolates of one machine share its memory. The benchmark's peak
 * memory fell by a third, at the same speed.
 */
const V8_FLAGS = "--max-semi-space-size=2";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts the worker in workerd and resolves when it answers on `host` and `port`. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  // Miniflare reads this when it starts workerd. A value that the operator has set stays.
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= V8_FLAGS;
  const disk = options.isDurable === false ? null : await openDisk(options);
  const restarts = new Restarts({ ...options, start: () => runtime.setOptions(settings) });
  const settings = settingsOf(options, disk, restarts);
  const runtime = inTempFolder(options.tempDir, () => withoutSignals(() => new Miniflare(settings)));
  await runtime.ready;
  if (options.isDurable !== false) await syncFolders(options.dataDir);
  const { port } = await runtime.unsafeGetDirectURL(WORKER);
  return {
    // A URL omits the default port of its scheme.
    port: Number(port || 80),
    frontPort: options.hasFront === true ? Number((await runtime.unsafeGetDirectURL(OUTBOUND)).port) : null,
    urlOf: (entrypoint) => runtime.unsafeGetDirectURL(WORKER, entrypoint),
    whileEnded: (work, graceMs) =>
      whileEnded({ plan: () => restarts.plan(), drain: drainWorkerd, kill: killWorkerd }, work, graceMs),
    async stop(graceMs = 0) {
      restarts.stop();
      let disposed: Promise<void> | null = null;
      const dispose = (): Promise<void> => (disposed ??= runtime.dispose());
      if (graceMs > 0) await drainWorkerd(graceMs, () => void dispose());
      await dispose();
    },
  };
}

function settingsOf(
  options: RuntimeOptions,
  disk: BlobDisk | null,
  restarts: Restarts,
): ReturnType<typeof convertV4MiniflareOptions> {
  const withSources = sourcePositions(options.built.sourceMap);
  return convertV4MiniflareOptions({
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
      assetsWorker(options.built),
      {
        ...outboundWorker({ allowPrivate: options.allowPrivateTargets }),
        unsafeDirectSockets: options.hasFront === true ? [FRONT_SOCKET] : [],
      },
    ],
  });
}

/**
 * Makes something that listens for signals, without those listeners: Miniflare ends the process at the first signal, even
 * during deliveries. Its "exit" listener stays, and so do the listeners of others.
 */
function withoutSignals<T>(make: () => T): T {
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  const made = make();
  SIGNALS.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.has(listener) !== true) process.removeListener(signal, listener);
    }
  });
  return made;
}

/** Makes something whose temporary files lie in `folder`; undefined: where those of every program lie. */
function inTempFolder<T>(folder: string | undefined, make: () => T): T {
  if (folder === undefined) return make();
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

/** The bucket that wrangler.jsonc names. Null if it names none; blobs are then stored in rows. */
function bucketName({ built }: Pick<RuntimeOptions, "built">): string | null {
  const [bucket]: unknown[] = Object.values(Object(built.options.r2Buckets));
  const name = typeof bucket === "object" && bucket !== null && "id" in bucket ? bucket.id : bucket;
  return typeof name === "string" ? name : null;
}

/** Opens the folder of the bucket; null if there is none. */
async function openDisk(options: RuntimeOptions): Promise<BlobDisk | null> {
  const name = bucketName(options);
  if (name === null) return null;
  const disk = new BlobDisk(options.dataDir, name);
  await disk.begin();
  return disk;
}

function workerOf(options: RuntimeOptions, disk: BlobDisk | null): V4WorkerOptions {
  const { built, front } = options;
  const { assets: _, ...workerOptions } = built.options;
  // Relay, resolver and embedding model belong to the operator, so they may be on this machine.
  const tlsOptions = { trustBrowserCas: true, trustedCertificates: [...options.relayAuthorities] };
  const OPERATOR_NETWORK = { network: { allow: ["public", "private"], tlsOptions } };
  const BLOB_DISK = async (request: { url: string }) => {
    const { searchParams: blob } = new URL(request.url);
    await disk?.sync(blob.get("key") ?? "");
    return new Response(null, { status: 204 });
  };
  const erased = new ErasedFiles(options.dataDir);
  const MAILBOX_FILES = async (request: { url: string }) => {
    await erased.hold(new URL(request.url).searchParams.get("address") ?? "");
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
      MAILBOX_FILES,
      ...blobFiles(options),
      ...hostResolver(options),
      HOST_STATE: async (request: { url: string }) =>
        Response.json(
          request.url.endsWith("/counts")
            ? (options.takeCounts?.() ?? {})
            : ((await options.readiness?.reasons()) ?? []),
        ),
    },
    // The variables of wrangler.jsonc apply to deployments on Cloudflare only.
    bindings: { ...options.jsonBindings, ...options.bindings },
    outboundService: OUTBOUND,
    modulesRoot: built.root,
    modules: [...(front?.modules ?? []), built.script],
    unsafeDirectSockets: [
      // This socket leads directly to the worker, and keeps its port when workerd is restarted.
      { host: options.host, port: options.port },
      ...(front?.entrypoints ?? []).map((entrypoint) => ({ host: "127.0.0.1", port: 0, entrypoint })),
    ],
  };
}

/** A second socket of the worker. Miniflare takes one for each worker and entry point, so it is listed with another worker. */
const FRONT_SOCKET = { host: "127.0.0.1", port: 0, serviceName: WORKER, proxy: true };

/**
 * Serves the files of the pages with the same program as Cloudflare. The worker requests them from it: with `assets` of its
 * own, every request of the API would pass through two more workers.
 */
function assetsWorker({ root, options: { compatibilityDate, assets } }: BuiltWorker): V4WorkerOptions {
  return {
    name: ASSETS,
    compatibilityDate,
    assets: assets && { ...assets, binding: undefined },
    modulesRoot: root,
    modules: [{ type: "ESModule", path: path.join(root, "assets.js"), contents: NO_FILE }],
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

/** The folder of the files of blobs, which the runtime writes and reads; it must exist before workerd starts. */
function blobFiles(options: RuntimeOptions): { BLOB_FILES?: { disk: { path: string; writable: true } } } {
  const name = bucketName(options);
  if (name === null) return {};
  const folder = blobFolder(options.dataDir, name);
  mkdirSync(folder, { recursive: true });
  return { BLOB_FILES: { disk: { path: folder, writable: true } } };
}

/** Answers the worker's questions to DNS. */
function hostResolver({ askDns }: RuntimeOptions): {
  HOST_RESOLVER?: (request: { url: string }) => Promise<Response>;
} {
  if (askDns === undefined) return {};
  return {
    HOST_RESOLVER: async (request) =>
      Response.json(await jsonAnswer(askDns, new URL(request.url).searchParams)),
  };
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
