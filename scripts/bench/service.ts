import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import { Mailkeep } from "../../src/client/index.ts";

const SERVE = path.resolve(import.meta.dirname, "../serve.ts");
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

const ReadyLine = z.object({
  ready: z.literal(true),
  http: z.string(),
  smtp: z.object({ port: z.int() }),
  workerd_pid: z.int(),
});

/** The service, as `npm start` runs it, in processes of its own. */
export class Service {
  readonly httpPort: number;
  readonly smtpPort: number;
  readonly workerdPid: number;
  /** Id of the process that listens for SMTP. */
  readonly nodePid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ready: z.infer<typeof ReadyLine>) {
    this.#child = child;
    this.httpPort = Number(new URL(ready.http).port);
    this.smtpPort = ready.smtp.port;
    this.workerdPid = ready.workerd_pid;
    this.nodePid = child.pid ?? 0;
  }

  static async start(dataDir: string, env: Record<string, string>): Promise<Service> {
    const child = spawn(process.execPath, [SERVE], {
      env: {
        ...process.env,
        ...env,
        DATA_DIR: dataDir,
        HOST: "127.0.0.1",
        PORT: "0",
        SMTP_PORT: "0",
        MAILKEEP_READY: "json",
      },
      // The IPC channel ends the service if the bench dies.
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const line = await readyLine(child);
    return new Service(child, ReadyLine.parse(JSON.parse(line)));
  }

  /** A client with a key. What is measured by rate goes over connections of the bench's own, which cost it less. */
  mail(key: string): Mailkeep {
    return new Mailkeep({ url: `http://127.0.0.1:${this.httpPort}`, key });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => void this.#child.once("exit", () => resolve()));
    const force = setTimeout(() => this.#kill(), STOP_TIMEOUT_MS);
    this.#child.kill("SIGTERM");
    await gone;
    clearTimeout(force);
  }

  /** A server that is killed leaves its workerd behind. */
  #kill(): void {
    this.#child.kill("SIGKILL");
    try {
      process.kill(this.workerdPid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error("no output of the service");
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_TIMEOUT_MS);
  try {
    for await (const line of createInterface({ input: stdout })) if (line.startsWith("{")) return line;
  } finally {
    clearTimeout(timer);
  }
  throw new Error("the service ended before it was ready");
}
