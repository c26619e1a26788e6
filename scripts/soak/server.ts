import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { claimPorts } from "../../src/host/ports.ts";
import { workerdPids } from "../../src/host/processes.ts";
import { Service } from "../../test/served/client.ts";
import { resident } from "../bench/process-cost.ts";
import { pause } from "./pause.ts";

const SERVE = path.resolve(import.meta.dirname, "../serve.ts");
const SERVER = path.resolve(import.meta.dirname, "../server.ts");
const HEALTH_TIMEOUT_MS = 3_000;
const START_LIMIT_MS = 120_000;
const POLL_MS = 50;
/** After the server answers again, what it had under way may still fail for so long. */
const AFTERMATH_MS = 3_000;
const HOST = "127.0.0.1";

/** The output of a command. */
export interface CommandEnd {
  code: number | null;
  output: string;
}

/** Which process is killed. */
export type Victim = "host" | "workerd";

/** The options of the server. */
export interface ServerSetup {
  dataDir: string;
  logFile: string;
  env: Record<string, string>;
}

/** The server as `npm start` runs it, on ports that stay the same, and started again after each kill. */
export class SoakedServer {
  readonly httpPort: number;
  readonly smtpPort: number;
  readonly service: Service;
  /** A copy, because the data folder may change. */
  readonly #setup: ServerSetup;
  #host: ChildProcess | null = null;
  #isTrouble = 0;
  #troubleEndMs = 0;
  /** Set while the host is ended on purpose. */
  #isEnding = false;
  /** Set by `stop`: what still runs must not start the server again. */
  #isStopped = false;
  /** Ends of the host that nobody asked for. */
  readonly ownEnds: string[] = [];

  private constructor(setup: ServerSetup, ports: readonly number[]) {
    this.#setup = { ...setup };
    [this.httpPort = 0, this.smtpPort = 0] = ports;
    this.service = new Service(`http://${HOST}:${this.httpPort}`, setup.env["AUTH_TOKEN"] ?? "");
  }

  static async start(setup: ServerSetup): Promise<SoakedServer> {
    const ports = await claimPorts([
      { protocol: "HTTP", host: HOST, port: 0, variable: "PORT" },
      { protocol: "SMTP", host: HOST, port: 0, variable: "SMTP_PORT" },
    ]);
    const server = new SoakedServer(setup, ports);
    await server.startAgain();
    return server;
  }

  get mailDomain(): string {
    return this.#setup.env["MAIL_DOMAIN"] ?? "";
  }

  /** Whether nothing that may fail calls happened since `sinceMs` (by `performance.now()`), and nothing does now. */
  isCalmSince(sinceMs: number): boolean {
    return this.#isTrouble === 0 && sinceMs > this.#troubleEndMs;
  }

  /** Does something during which calls may fail, and resolves when the server answers again. */
  async inTrouble<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isTrouble += 1;
    try {
      const result = await work();
      await this.answers();
      return result;
    } finally {
      this.#isTrouble -= 1;
      this.#troubleEndMs = performance.now() + AFTERMATH_MS;
    }
  }

  /** Notes that calls under way may fail: the clock was moved. */
  disturbed(): void {
    this.#troubleEndMs = performance.now() + AFTERMATH_MS;
  }

  /** Kills a process without a warning, and brings the server back. */
  kill(victim: Victim): Promise<void> {
    return this.inTrouble(async () => {
      const host = this.#host?.pid ?? 0;
      if (victim === "workerd") {
        for (const pid of workerdPids(host)) killed(pid);
        return;
      }
      await this.#endHost("SIGKILL");
      await this.startAgain();
    });
  }

  /** Stops the server as Ctrl-C does, and starts it again. */
  restart(): Promise<void> {
    return this.inTrouble(async () => {
      await this.#endHost("SIGINT");
      await this.startAgain();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // It stays so: calls that still run fail now.
    this.#isTrouble += 1;
    await this.#endHost("SIGINT");
    this.service.close();
  }

  /** Stops the server, and starts it on another data folder. */
  startOn(dataDir: string): Promise<void> {
    return this.inTrouble(async () => {
      await this.#endHost("SIGINT");
      this.#setup.dataDir = dataDir;
      await this.startAgain();
    });
  }

  /** Resident bytes of workerd and of the host. */
  memory(): { workerd: number; host: number } {
    const host = this.#host?.pid ?? 0;
    const bytesOf = (pid: number): number => {
      try {
        return resident(pid).bytes;
      } catch {
        // It has just ended.
        return 0;
      }
    };
    return { host: bytesOf(host), workerd: workerdPids(host).reduce((sum, pid) => sum + bytesOf(pid), 0) };
  }

  /** Runs a command of `mailkeep-server` on the data folder. */
  command(words: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> {
    const child = spawn(process.execPath, [SERVER, ...words], {
      env: { ...this.#environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const hear = (chunk: Buffer): void => void (output = `${output}${chunk.toString()}`.slice(-4_000));
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    return new Promise((resolve) => void child.once("close", (code) => resolve({ code, output })));
  }

  /** Resolves when the server answers. A host that has ended by itself is started again. */
  async answers(): Promise<void> {
    const limit = performance.now() + START_LIMIT_MS;
    while (performance.now() < limit) {
      if (this.#host === null) await this.startAgain();
      const health = await this.service.call("/health", { timeoutMs: HEALTH_TIMEOUT_MS }).catch(() => null);
      if (health?.status === 200) return;
      await pause(POLL_MS);
    }
    throw new Error(
      `The server does not answer within ${START_LIMIT_MS / 1_000} s; see ${this.#setup.logFile}`,
    );
  }

  async startAgain(): Promise<void> {
    if (this.#isStopped) throw new Error("The soak has ended");
    const host = spawn(process.execPath, [SERVE], {
      env: this.#environment(),
      // The IPC channel ends the server when this process dies.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#host = host;
    const ready = Promise.withResolvers<boolean>();
    host.stdout?.on("data", (chunk: Buffer) => {
      if (chunk.includes('"ready":true')) ready.resolve(true);
    });
    host.stderr?.on("data", (chunk: Buffer) => appendFileSync(this.#setup.logFile, chunk));
    host.once("close", (code, signal) => {
      ready.resolve(false);
      if (this.#host !== host) return;
      this.#host = null;
      if (!this.#isEnding) this.ownEnds.push(`the host ended by itself with ${code ?? signal}`);
    });
    if (!(await ready.promise)) await pause(POLL_MS);
  }

  async #endHost(signal: NodeJS.Signals): Promise<void> {
    const host = this.#host;
    if (host === null) return;
    this.#isEnding = true;
    const gone = new Promise<void>((resolve) => void host.once("close", () => resolve()));
    host.kill(signal);
    await gone;
    this.#isEnding = false;
  }

  /** The variables of the server; those of this process that are settings do not count. */
  #environment(): NodeJS.ProcessEnv {
    const own: Partial<NodeJS.ProcessEnv> = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(process.env["NODE_COMPILE_CACHE"] === undefined
        ? {}
        : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
      ...this.#setup.env,
      DATA_DIR: this.#setup.dataDir,
      HOST,
      PORT: String(this.httpPort),
      SMTP_PORT: String(this.smtpPort),
      MAILKEEP_READY: "json",
    };
    // The types of the worker make its variables members of every environment of this project.
    return own as NodeJS.ProcessEnv;
  }
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
