import { readFileSync } from "node:fs";
import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { inject } from "vitest";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { CONFIG } from "./bundle.ts";
import type { MailOrder, Order, Sent, TransportChoice } from "./worker/order.ts";

/** The answer of a platform to a message. */
export type SendAnswer = { messageId: string } | { code?: string; message: string };

/** The service's transports in workerd, sending for a test that runs in Node beside their peers. */
export class Rig {
  readonly #runtime: Miniflare;
  #actors = 0;
  /** Asked at the end of each message that says `beforeEnd: "ask"`; a rejection withholds the end. */
  onBeforeEnd: () => Promise<void> = () => Promise.resolve();
  /** The platform, for the transport that is sent through one: an error's code and message are its refusal. */
  onSend: (from: string, to: string, raw: Buffer) => Promise<SendAnswer> = () =>
    Promise.reject(new Error("unasked"));

  private constructor(fetchesApart: boolean) {
    const dir = inject("transportWorker");
    const entry = path.join(dir, "index.js");
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
            modules: [{ type: "ESModule", path: entry, contents: readFileSync(entry, "utf8") }],
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

  /** The output of the worker and of workerd. */
  readonly logged: string[] = [];

  /** Starts the bundled worker; with `fetchesApart` its own way out is a worker, as under `npm start`. */
  static async start(options: { fetchesApart?: boolean } = {}): Promise<Rig> {
    const rig = new Rig(options.fetchesApart ?? false);
    await rig.#runtime.ready;
    return rig;
  }

  async stop(): Promise<void> {
    await this.#runtime.dispose();
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
