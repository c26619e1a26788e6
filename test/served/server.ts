import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { startedAt, workerdPid } from "../../src/host/processes.ts";
import { Service } from "./client.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** The folder of compiled modules: most of the start of a server is reading Miniflare, and of a command reading its sources. */
const COMPILE_CACHE = path.join(ROOT, "node_modules/.cache/mailkeep-tests");
/** A start builds the bundle if a source is newer, which is slow with two busy cores. */
const TIMEOUT_MS = 90_000;
const POLL_MS = 5;

/** How a process ended; `code` is null when a signal ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerOptions {
  /** `stop` does not remove this folder. Without one, the server gets a temporary folder, which `stop` removes. */
  dataDir?: string;
  /** Variables of the server; ports default to free ones. Of the test's own environment it gets PATH and HOME only. */
  env?: Record<string, string>;
  /** A program that starts the server as its child, with its arguments. */
  through?: readonly string[];
  /** Arguments of the server. */
  args?: readonly string[];
  /** Through `scripts/run.mjs`, as `npm start` does. */
  throughRunner?: boolean;
}

/** An environment of `variables`, with only PATH and HOME of the test's own, and the folder of compiled modules. */
export function bareEnvironment(variables: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const bare: Partial<NodeJS.ProcessEnv> = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...variables,
  };
  // The Worker's types make its own variables members of every environment of this project.
  return bare as NodeJS.ProcessEnv;
}

/** Variables by which this machine reaches the registry of npm. */
const NETWORK = /^(?:NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i;

/** A bare environment in which npm reaches its registry as it does outside of tests. */
export function npmEnvironment(variables: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
  return bareEnvironment({ ...Object.fromEntries(network), ...variables });
}

const environment = ({ dataDir, env }: ServerOptions): NodeJS.ProcessEnv =>
  bareEnvironment({
    DATA_DIR: dataDir,
    PORT: "0",
    SMTP_PORT: "0",
    ...env,
  });

/** A process of `scripts/serve.ts`, running or ended. */
export class ServeProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  stdout = "";
  stderr = "";
  #heard: () => void = () => {};
  #ended = false;

  constructor(options: ServerOptions & { dataDir: string }) {
    const runner = options.throughRunner ? ["scripts/run.mjs"] : [];
    const command = [
      ...(options.through ?? []),
      process.execPath,
      "--",
      ...runner,
      "scripts/serve.ts",
      ...(options.args ?? []),
    ];
    this.child = spawn(command[0] ?? process.execPath, command.slice(1), {
      cwd: ROOT,
      env: environment(options),
      // The IPC channel ends the server when the test process dies.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.child.stdout?.on("data", (chunk: Buffer) => this.#hear("stdout", chunk));
    this.child.stderr?.on("data", (chunk: Buffer) => this.#hear("stderr", chunk));
    this.exited = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        this.#ended = true;
        this.#heard();
        resolve({ code, signal });
      });
    });
  }

  get isRunning(): boolean {
    return !this.#ended;
  }

  /** Resolves when the output matches `pattern`; rejects if the process ends before, or after a time limit. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (this.#ended || Date.now() > deadline) {
        this.child.kill("SIGKILL");
        throw new Error(`The server did not start.\n${this.stdout}\n${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
        setTimeout(resolve, 1_000).unref();
      });
    }
  }

  /** Starts a server, waits until its output matches `pattern`, and returns both. */
  static async launch(
    options: ServerOptions & { dataDir: string },
    pattern: RegExp,
  ): Promise<{ process: ServeProcess; match: RegExpExecArray }> {
    const process = new ServeProcess(options);
    return { process, match: await process.printed(pattern) };
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Exit> {
    if (!this.#ended) this.child.kill(signal);
    return this.exited;
  }

  #hear(stream: "stdout" | "stderr", chunk: Buffer): void {
    this[stream] += chunk.toString("utf8");
    this.#heard();
  }
}

const ReadyLine = z.object({
  ready: z.literal(true),
  http: z.url(),
  smtp: z.object({ host: z.string(), port: z.int().positive() }),
  data_dir: z.string(),
  pid: z.int().positive(),
});

/** A server as `npm start` runs it, used from outside. */
export class Server {
  readonly process: ServeProcess;
  readonly url: string;
  readonly smtpPort: number;
  readonly dataDir: string;
  /** The operator's token. */
  readonly token: string;
  readonly service: Service;
  readonly #ownsData: boolean;
  /** Process id of the server itself, also if another program started it. */
  readonly #serverPid: number;

  private constructor(
    process: ServeProcess,
    ready: z.infer<typeof ReadyLine>,
    own: { token: string; data: boolean },
  ) {
    this.process = process;
    this.url = ready.http;
    this.smtpPort = ready.smtp.port;
    this.dataDir = ready.data_dir;
    this.token = own.token;
    this.service = new Service(this.url, own.token);
    this.#ownsData = own.data;
    this.#serverPid = ready.pid;
  }

  static async start(options: ServerOptions = {}): Promise<Server> {
    const dataDir = options.dataDir ?? (await makeDataDir());
    const env: Record<string, string> = {
      MAILKEEP_READY: "json",
      BOOTSTRAP_PER_HOUR: "100000",
      ...options.env,
    };
    const { process, match } = await ServeProcess.launch({ ...options, dataDir, env }, /^\{.*\}$/m);
    const token = env.AUTH_TOKEN ?? (await readSecrets(dataDir)).auth_token;
    return new Server(process, ReadyLine.parse(JSON.parse(match[0])), {
      token,
      data: options.dataDir === undefined,
    });
  }

  /**
   * Kills workerd, and nothing else, without a warning. Resolves when the server has started another, to true, or has
   * ended, to false.
   */
  async killWorkerd(): Promise<boolean> {
    const killed = await this.#whileRunning("a workerd", () => workerdPid(this.#pid));
    if (killed === null) return false;
    end(killed);
    const next = await this.#whileRunning(`another workerd than ${killed}`, () => {
      const pid = workerdPid(this.#pid);
      return pid === killed ? null : pid;
    });
    return next !== null;
  }

  /** Resolves after a kill: to true when the service answers again, to false if the server has ended. */
  async answers(): Promise<boolean> {
    const healthy = await this.#whileRunning("an answer", async () => {
      // Refused or reset until the new workerd listens.
      const health = await this.service.call("/health").catch(() => null);
      return health?.status === 200 ? true : null;
    });
    return healthy !== null;
  }

  /** Process id of the current workerd; rejects if the server has ended. */
  async workerdPid(): Promise<number> {
    const pid = await this.#whileRunning("a workerd", () => workerdPid(this.#pid));
    if (pid === null) throw new Error(`The server has ended: ${this.process.stderr}`);
    return pid;
  }

  /** Kills the server with SIGKILL, as the system does when memory runs out: its workerd keeps running. */
  async abandon(): Promise<Orphan> {
    const pid = await this.workerdPid();
    const orphan = { pid, started: startedAt(pid) };
    await this.process.end("SIGKILL");
    return orphan;
  }

  /** Ends a server that another program started and does not forward signals to. */
  async stopChild(): Promise<void> {
    process.kill(this.#serverPid, "SIGINT");
    await this.process.exited;
    this.service.close();
  }

  /** Ends the server as Ctrl-C does. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<Exit> {
    const exit = await this.process.end(signal);
    this.service.close();
    if (this.#ownsData) await removeDataDir(this.dataDir);
    return exit;
  }

  get #pid(): number {
    return this.process.child.pid ?? 0;
  }

  /** The first answer of `look` that is not null; null when the server has ended. */
  async #whileRunning<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T | null> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (this.process.isRunning) {
      const found = await look();
      if (found !== null) return found;
      if (Date.now() > deadline) throw new Error(`There is not ${what}: ${this.process.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return null;
  }
}

/** A workerd whose server has died; its start time distinguishes it from a later process with the same id. */
export interface Orphan {
  pid: number;
  started: string | null;
}

export const isRunning = (orphan: Orphan): boolean =>
  orphan.started !== null && startedAt(orphan.pid) === orphan.started;

export function endOrphan(orphan: Orphan): void {
  if (isRunning(orphan)) end(orphan.pid);
}

/** Kills a process; one that has already ended is no error. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export function makeDataDir(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), "mailkeep-served-"));
}

export function removeDataDir(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

const Secrets = z.object({ auth_token: z.string(), webhook_secret: z.string() });

/** The secrets that a server stores in its data folder. */
export async function readSecrets(dataDir: string): Promise<z.infer<typeof Secrets>> {
  return Secrets.parse(JSON.parse(await readFile(path.join(dataDir, "secrets.json"), "utf8")));
}
