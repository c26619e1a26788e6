import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import type { MailOrder, Order, Sent, TransportChoice } from "./worker/order.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const CONFIG = path.join(import.meta.dirname, "worker/wrangler.jsonc");

/** What a platform says to a message. */
export type SendAnswer = { messageId: string } | { code?: string; message: string };

/** The service's transports in workerd, sending for a test that runs in Node beside their peers. */
export class Rig {
  readonly #runtime: Miniflare;
  readonly #dir: string;
  #actors = 0;
  /** Asked at the end of each message that says `beforeEnd: "ask"`; a rejection withholds the end. */
  onBeforeEnd: () => Promise<void> = () => Promise.resolve();
  /** The platform, for the transport that is sent through one: an error's code and message are its refusal. */
  onSend: (from: string, to: string, raw: Buffer) => Promise<SendAnswer> = () =>
    Promise.reject(new Error("unasked"));

  private constructor(dir: string, script: string, fetchesApart: boolean) {
    this.#dir = dir;
    const trusted = process.env.NODE_EXTRA_CA_CERTS;
    const trustedCertificates = trusted === undefined ? [] : [readFileSync(trusted, "utf8")];
    const { workerOptions } = workerOptionsOf(CONFIG);
    this.#runtime = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        cf: false,
        log: new Log(LogLevel.NONE),
        handleStructuredLogs: ({ message }) => void this.logged.push(message),
        workers: [
          {
            name: "sender",
            ...workerOptions,
            modulesRules: undefined,
            modulesRoot: dir,
            modules: [{ type: "ESModule", path: path.join(dir, "index.js"), contents: script }],
            serviceBindings: {
              TEST: (request: { url: string; arrayBuffer(): Promise<ArrayBuffer> }) => this.#answer(request),
              NETWORK: { network: { allow: ["public", "private"], tlsOptions: { trustedCertificates } } },
            },
            ...(fetchesApart ? { outboundService: "outbound" } : {}),
          },
          {
            name: "outbound",
            compatibilityDate: "2026-11-01",
            modules: true,
            script: "export default { fetch: (request) => fetch(request) };",
          },
        ],
      }),
    );
  }

  /** What the worker and workerd printed. */
  readonly logged: string[] = [];

  /** Bundles the worker as a deployment would and starts it; with `fetchesApart` its own way out is a worker, as under `npm start`. */
  static async start(options: { fetchesApart?: boolean } = {}): Promise<Rig> {
    const dir = await mkdtemp(path.join(tmpdir(), "mailkeep-transport-"));
    await promisify(execFile)(
      path.join(ROOT, "node_modules/.bin/wrangler"),
      ["deploy", "--dry-run", "--config", CONFIG, "--outdir", dir],
      { cwd: ROOT, env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
    );
    const rig = new Rig(
      dir,
      await readFile(path.join(dir, "index.js"), "utf8"),
      options.fetchesApart ?? false,
    );
    await rig.#runtime.ready;
    return rig;
  }

  async stop(): Promise<void> {
    await this.#runtime.dispose();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** An actor of its own: its connections are not those of another. */
  actor(): Actor {
    this.#actors += 1;
    return new Actor(this.#runtime, `/actor-${this.#actors}`);
  }

  /** Whether the isolate answers. */
  async ping(): Promise<string> {
    return (await this.#runtime.dispatchFetch("http://rig/ping")).text();
  }

  async #answer(request: { url: string; arrayBuffer(): Promise<ArrayBuffer> }): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/send") return this.#answerBeforeEnd();
    const raw = Buffer.from(await request.arrayBuffer());
    const answer = await this.onSend(searchParams.get("from") ?? "", searchParams.get("to") ?? "", raw);
    return Response.json(answer, { status: "messageId" in answer ? 200 : 500 });
  }

  async #answerBeforeEnd(): Promise<Response> {
    try {
      await this.onBeforeEnd();
      return new Response("go on");
    } catch {
      return new Response("no", { status: 500 });
    }
  }
}

export class Actor {
  readonly #runtime: Miniflare;
  readonly #path: string;

  constructor(runtime: Miniflare, actorPath: string) {
    this.#runtime = runtime;
    this.#path = actorPath;
  }

  async order(order: Order): Promise<Sent[]> {
    const response = await this.#runtime.dispatchFetch(`http://rig${this.#path}`, {
      method: "POST",
      body: JSON.stringify(order),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${text}`);
    return JSON.parse(text) as Sent[];
  }

  async send(transport: TransportChoice, mail: MailOrder): Promise<Sent> {
    const [sent] = await this.order({ transport, mails: [mail] });
    if (sent === undefined) throw new Error("nothing was sent");
    return sent;
  }
}
