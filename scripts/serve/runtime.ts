import path from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { BUNDLE_ROOT, readBundle } from "./bundle.ts";

export interface RuntimeOptions {
  host: string;
  port: number;
  dataDir: string;
  /** Variables and secrets of the worker. */
  bindings: Record<string, string>;
  /** Called when workerd died and could not be started again, or died too often. */
  onDead(reason: string): void;
  /** Called when workerd died and runs again, as another process. */
  onRestart(): void;
  /** Gets what the worker and the runtime have to say, line by line. */
  log(line: string): void;
}

export interface Runtime {
  stop(): Promise<void>;
}

const WRANGLER_CONFIG = path.resolve(import.meta.dirname, "../../wrangler.jsonc");
/** A workerd that dies more often is broken, not unlucky (wire contract, part 5). */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts the bundle in workerd and resolves when it answers on `host` and `port`. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const restarts = countRestarts(options);
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      // Miniflare's own entrance trusts MF-* and X-Forwarded-Proto of the client: nobody is told where it is.
      host: "127.0.0.1",
      port: 0,
      cf: false,
      resourcePersistencePath: options.dataDir,
      log: new RuntimeLog(options),
      handleStructuredLogs: ({ message }) => options.log(message),
      unsafeHandleRuntimeRestart: restarts,
      workers: [workerOf(options)],
    }),
  );
  // Miniflare ends the process at the first signal, in the middle of deliveries. Its "exit" listener stays.
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  await runtime.ready;
  return { stop: () => runtime.dispose() };
}

function workerOf(options: RuntimeOptions): V4WorkerOptions {
  const { workerOptions } = workerOptionsOf(WRANGLER_CONFIG);
  return {
    name: "mailkeep",
    ...workerOptions,
    bindings: Object.assign({}, workerOptions.bindings, options.bindings),
    modulesRules: undefined,
    modulesRoot: BUNDLE_ROOT,
    modules: readBundle(),
    // This socket leads straight to the worker and keeps its port when workerd is restarted.
    unsafeDirectSockets: [{ host: options.host, port: options.port }],
  };
}

/** Returns the callback for each restart. */
function countRestarts(options: RuntimeOptions): () => void {
  let recent: number[] = [];
  return () => {
    const now = Date.now();
    recent = [...recent.filter((at) => at > now - RESTART_WINDOW_MS), now];
    if (recent.length > MAX_RESTARTS) {
      options.onDead(`workerd died ${recent.length} times within a minute`);
    } else {
      options.log("workerd died and was started again");
      options.onRestart();
    }
  };
}

/** Miniflare's warnings and errors; a restart that failed is told by a log line only. */
class RuntimeLog extends Log {
  readonly #options: RuntimeOptions;

  constructor(options: RuntimeOptions) {
    super(LogLevel.ERROR);
    this.#options = options;
  }

  protected override log(message: string): void {
    this.#options.log(message);
  }

  override error(error: Error): void {
    if ("code" in error && error.code === "ERR_RUNTIME_FAILURE") {
      this.#options.onDead(`workerd died and could not be started again: ${firstLine(error.cause)}`);
    } else {
      super.error(error);
    }
  }
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : "no reason given";
  return text.split("\n", 1)[0] ?? "";
}
