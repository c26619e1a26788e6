import { execFileSync, spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { Service } from "./client.ts";
import { message } from "./messages.ts";
import { bareEnvironment, makeDataDir, removeDataDir } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** A start may build the bundle, beside other tests on busy cores, in ms. */
const START_MS = 120_000;
const TOKEN = "operator-token-for-tests-0123456789";

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const isMissing = !hasPython();
if (isMissing) console.warn("Skipped: sockets are handed over by python3");

/** Lines of the service manager, and of the servers that it starts. */
const Sockets = z.object({ http: z.int(), smtp: z.int(), redirect: z.int(), inodes: z.array(z.int()) });
const Started = z.strictObject({ pid: z.int() });
const Ready = z.object({ ready: z.literal(true), http: z.string(), pid: z.int() });
const Ended = z.object({ exit: z.int() });

/** A program that hands its two sockets over to each server that it starts. */
class ServiceManager {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  constructor(dataDir: string) {
    const server = [process.execPath, "scripts/serve.ts"];
    this.#child = spawn("python3", [path.join(import.meta.dirname, "service-manager.py"), ...server], {
      cwd: ROOT,
      // Nothing listens on port 1: the sockets count.
      env: bareEnvironment({
        DATA_DIR: dataDir,
        AUTH_TOKEN: TOKEN,
        HOST: "0.0.0.0",
        PORT: "1",
        MAILKEEP_READY: "json",
      }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line, which must have this shape: a server that ends before it is ready is told at once. */
  async next<Line>(shape: z.ZodType<Line>): Promise<Line> {
    const { value, done } = await this.#lines.next();
    const read = shape.safeParse(done === true ? null : JSON.parse(value));
    if (read.success) return read.data;
    throw new Error(`The service manager says ${value}\n${this.#stderr}`);
  }

  /** Starts a server; resolves to its process id. */
  async start(): Promise<number> {
    this.#child.stdin.write("\n");
    return (await this.next(Started)).pid;
  }

  /** Ends itself and its server. */
  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin.end();
    await ended;
  }
}

/** Ends when a process has closed its descriptors of these sockets, so that it accepts nobody any more. */
async function letGo(pid: number, inodes: readonly number[]): Promise<void> {
  const sockets = inodes.map((inode) => `socket:[${inode}]`);
  const holds = (): boolean =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return sockets.includes(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        // It was closed meanwhile.
        return false;
      }
    });
  await expect.poll(holds).toBe(false);
}

describe.skipIf(isMissing)("a server that is handed its sockets", () => {
  let dataDir: string;
  let manager: ServiceManager;
  let sockets: z.infer<typeof Sockets>;
  let service: Service;
  let ready: z.infer<typeof Ready>;
  let pid: number;

  beforeAll(async () => {
    dataDir = await makeDataDir();
    manager = new ServiceManager(dataDir);
    sockets = await manager.next(Sockets);
    service = new Service(`http://127.0.0.1:${sockets.http}`, TOKEN);
    pid = await manager.start();
    ready = await manager.next(Ready);
  }, START_MS);
  afterAll(async () => {
    service.close();
    await manager.end();
    await removeDataDir(dataDir);
  });

  it("serves HTTP and SMTP on them, whatever PORT says", async () => {
    expect(ready).toMatchObject({ http: `http://127.0.0.1:${sockets.http}`, pid });
    const box = await service.createMailbox();
    const sender = await SmtpConnection.open(sockets.smtp);
    const { data } = await sender.deliver({ from: "a@b.example", to: [box.mailbox], bytes: message() });
    expect(data).toMatch(/^250 /);
    sender.drop();
    expect(await service.inbox(box.api_key)).toHaveLength(1);
    // Without a certificate there is nothing to redirect to yet.
    const { status, statusText } = await fetch(`http://127.0.0.1:${sockets.redirect}/`);
    expect([status, statusText]).toEqual([503, "Service Unavailable"]);
  });

  it("leaves who connects during a stop to the next process, and finishes what was begun", async () => {
    const box = await service.createMailbox();
    const busy = await SmtpConnection.open(sockets.smtp);
    await busy.say("MAIL FROM:<a@b.example>");
    await busy.say(`RCPT TO:<${box.mailbox}>`);
    await busy.say("DATA");
    process.kill(pid, "SIGTERM");
    await letGo(pid, sockets.inodes);
    const late = SmtpConnection.open(sockets.smtp);
    const health = fetch(`http://127.0.0.1:${sockets.http}/health`);
    busy.write("Subject: Under way\r\n\r\nHello.\r\n.\r\n");
    expect(await busy.reply()).toMatch(/^250 /);
    expect(await manager.next(Ended)).toEqual({ exit: 0 });

    const next = await manager.start();
    expect(next).not.toBe(pid);
    await manager.next(Ready);
    const sender = await late;
    const bytes = message({ subject: "Late" });
    const { data } = await sender.deliver({ from: "a@b.example", to: [box.mailbox], bytes });
    expect(data).toMatch(/^250 /);
    sender.drop();
    expect((await health).status).toBe(200);
    const inbox = await service.inbox(box.api_key);
    expect(inbox.map(({ subject }) => subject).toSorted()).toEqual(["Late", "Under way"]);
    process.kill(next, "SIGTERM");
    expect(await manager.next(Ended)).toEqual({ exit: 0 });
  });
});
