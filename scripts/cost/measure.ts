import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { Response, type Miniflare } from "miniflare";
import { directoryShard } from "../../src/contract/directory.ts";
import { locatorOf } from "../../src/contract/key.ts";
import { SCRIPT_FILE } from "../../src/host/built-worker.ts";
import { workerdPids } from "../../src/host/processes.ts";
import { embed, productWorker } from "../bench/bundles.ts";
import { composeMail } from "../bench/mail.ts";
import { cpuMs } from "../bench/process-cost.ts";
import { DIST } from "../build-worker.ts";
import type { Counts } from "./worker/counting.ts";

/** The billed counts of each operation. They are the same on every machine. */
export type OperationCounts = Readonly<Record<string, Counts>>;

/** Bytes of a mailbox's database. */
export interface StoredBytes {
  /** With one mail. */
  mailbox: number;
  /** For each further mail of 2 KB. */
  mail: number;
}

const TOKEN = "operator-token-for-the-cost-measurement";
const MAIL_BYTES = 2_048;
/** Mails over which the bytes of one are counted: a database grows by pages. */
const GROWTH_MAILS = 400;
const PAGE = 20;
/** With so many mails a mailbox has all its indexes. */
const GROWN = 40;
const POLL_MS = 5;
/** Requests over which the CPU of one operation is measured, after as many that let the runtime compile. */
const CPU_REQUESTS = 300;

interface Box {
  mailbox: string;
  api_key: string;
}

/** The service in a runtime of its own, with everything counted that is billed. */
export class Counted {
  readonly #runtime: Miniflare;
  readonly #dir: string;
  #serial = 0;

  private constructor(runtime: Miniflare, dir: string) {
    this.#runtime = runtime;
    this.#dir = dir;
  }

  static async start(): Promise<Counted> {
    const dir = mkdtempSync(path.join(os.tmpdir(), "mailkeep-cost-"));
    const worker = productWorker({
      AUTH_TOKEN: TOKEN,
      WEBHOOK_SECRET: "webhook-secret-for-the-cost-measurement",
      OUTBOUND: "cloudflare",
      DOH_URL: "",
      REQUEST_LIMIT: "0",
    });
    const contents = await countingModule();
    const front = { type: "ESModule" as const, path: path.join(DIST, "counting.js"), contents };
    const modules = Array.isArray(worker.modules) ? worker.modules : [];
    const runtime = await embed(path.join(dir, "data"), [
      // Every webhook is delivered at once.
      { ...worker, modules: [front, ...modules], outboundService: () => new Response("ok") },
    ]);
    return new Counted(runtime, dir);
  }

  async close(): Promise<void> {
    await this.#runtime.dispose();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** A request to the service; anything but 2xx is an error. */
  async ask(method: string, target: string, call: { key?: string; body?: unknown } = {}): Promise<string> {
    const { key = TOKEN, body } = call;
    const response = await this.#runtime.dispatchFetch(`http://localhost${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(typeof body === "object" ? { "Content-Type": "application/json" } : {}),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${text}`);
    return text;
  }

  async create(name: string): Promise<Box> {
    return JSON.parse(await this.ask("POST", "/v1/mailboxes", { body: { name } }));
  }

  /** Delivers a mail of 2 KB; returns its id. */
  async deliver({ mailbox }: Box, code?: string): Promise<string> {
    this.#serial += 1;
    const mail = composeMail({
      to: mailbox,
      serial: `cost${this.#serial}`,
      sizeBytes: MAIL_BYTES,
      ...(code === undefined ? {} : { code }),
    });
    const query = new URLSearchParams({ from: "ann@sender.example", to: mailbox });
    const { id }: { id: string } = JSON.parse(
      await this.ask("POST", `/v1/inbound?${query.toString()}`, { body: mail }),
    );
    return id;
  }

  /** Counts what an operation is billed for, with all work that it begins. */
  async cost(box: Box, operation: () => Promise<unknown>): Promise<Counts> {
    await this.settle(box);
    await this.take();
    await operation();
    await this.settle(box);
    return this.take();
  }

  async take(): Promise<Counts> {
    return JSON.parse(await this.ask("GET", "/cost/take"));
  }

  /** Waits until the mailbox has nothing to do. */
  async settle({ mailbox }: Box): Promise<void> {
    const target = `/cost/idle?box=${locatorOf(mailbox)}`;
    while ((await this.ask("GET", target)) !== "true") {
      await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
    }
  }

  async bytes({ mailbox }: Box): Promise<number> {
    return Number(await this.ask("GET", `/cost/bytes?box=${locatorOf(mailbox)}`));
  }

  /** Opens the events of a mailbox as a stream, and returns what closes it. */
  async listen({ api_key: key }: Box): Promise<() => Promise<void>> {
    const response = await this.#runtime.dispatchFetch("http://localhost/v1/events", {
      headers: { Authorization: `Bearer ${key}`, Accept: "text/event-stream" },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    return async () => {
      await reader?.cancel();
    };
  }
}

/** The module in front of the script, bundled. */
async function countingModule(): Promise<string> {
  const toBuilt: Plugin = {
    name: "the script beside it",
    setup(builder) {
      builder.onResolve({ filter: /\/index\.ts$/ }, () => ({ path: `./${SCRIPT_FILE}`, external: true }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "worker/counting.ts")],
    bundle: true,
    format: "esm",
    target: "esnext",
    external: ["cloudflare:*"],
    plugins: [toBuilt],
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** Counts each operation once, in mailboxes of its own. The keys are the names in the table. */
export async function countOperations(service: Counted): Promise<OperationCounts> {
  const counts: Record<string, Counts> = {};
  const box = await service.create("counted");
  const { api_key: key } = box;
  const get = (target: string) => () => service.ask("GET", target, { key });
  counts["create a mailbox"] = await service.cost(box, async () =>
    service.settle(await service.create(nameBeside(box))),
  );
  counts["receive the first mail"] = await service.cost(box, () => service.deliver(box));
  // The first use of a key in an hour writes its time.
  await service.cost(box, get("/v1/me"));
  counts["search for the first time"] = await service.cost(box, get("/v1/search?q=code"));
  const id = await service.deliver(box, "482913");
  for (let stored = 2; stored < GROWN; stored += 1) await service.deliver(box);
  counts["receive a mail"] = await service.cost(box, () => service.deliver(box));
  counts["receive a mail with a code"] = await service.cost(box, () => service.deliver(box, "517204"));
  counts["read an email"] = await service.cost(box, get(`/v1/emails/${id}`));
  counts[`list ${PAGE} emails`] = await service.cost(box, get(`/v1/inbox?limit=${PAGE}`));
  const { last_seq: last }: { last_seq: number } = JSON.parse(await get("/v1/changes")());
  counts["poll, nothing new"] = await service.cost(box, get(`/v1/changes?after=${last}`));
  counts["search"] = await service.cost(box, get("/v1/search?q=code"));
  counts["wait for a code, and receive it"] = await service.cost(box, () => waitForCode(service));
  const mail = { to: "ann@elsewhere.example", subject: "Hello", text: "Hello" };
  const send = () => service.ask("POST", "/v1/send", { key, body: mail });
  // The first one makes the tables of sending.
  await send();
  counts["send a mail"] = await service.cost(box, send);
  counts["open a stream of events"] = await service.cost(box, async () => (await service.listen(box))());
  const webhook = { webhook_url: "https://hook.example/mail" };
  await service.ask("PATCH", "/v1/mailbox", { key, body: webhook });
  await service.deliver(box);
  counts["receive a mail, and deliver its webhook"] = await service.cost(box, () => service.deliver(box));
  return counts;
}

/** A name whose mailbox is listed by the same directory object, which has its tables already. */
function nameBeside({ mailbox }: Box): string {
  const domain = mailbox.slice(mailbox.indexOf("@"));
  const names = Array.from({ length: 1_000 }, (_, index) => `created${index}`);
  const beside = names.find((name) => directoryShard(`${name}${domain}`) === directoryShard(mailbox));
  if (beside === undefined) throw new Error("No name belongs to the same directory object");
  return beside;
}

async function waitForCode(service: Counted): Promise<void> {
  const box = await service.create("waiting");
  await service.ask("GET", "/v1/me", { key: box.api_key });
  await service.deliver(box);
  await service.settle(box);
  await service.take();
  const waited = service.ask("GET", "/v1/code?timeout=30", { key: box.api_key });
  await service.deliver(box, "640118");
  await waited;
  await service.settle(box);
}

/** Bytes that a mailbox and a mail take. */
export async function countBytes(service: Counted): Promise<StoredBytes> {
  const box = await service.create("growing");
  await service.deliver(box);
  const mailbox = await service.bytes(box);
  for (let count = 0; count < GROWTH_MAILS; count += 1) await service.deliver(box);
  return { mailbox, mail: Math.round(((await service.bytes(box)) - mailbox) / GROWTH_MAILS) };
}

/** CPU of router and mailbox together for one operation, in ms. It differs between machines and runs. */
export async function measureCpu(service: Counted): Promise<Record<string, number>> {
  const box = await service.create("measured");
  const { api_key: key } = box;
  const id = await service.deliver(box);
  const { last_seq: last }: { last_seq: number } = JSON.parse(
    await service.ask("GET", "/v1/changes", { key }),
  );
  // Reads come first: receipts would give the poll something to answer.
  const operations: Record<string, () => Promise<unknown>> = {
    "poll, nothing new": () => service.ask("GET", `/v1/changes?after=${last}`, { key }),
    "read an email": () => service.ask("GET", `/v1/emails/${id}`, { key }),
    "receive a mail": () => service.deliver(box),
    "receive a mail with a code": () => service.deliver(box, "482913"),
    [`list ${PAGE} emails`]: () => service.ask("GET", `/v1/inbox?limit=${PAGE}`, { key }),
  };
  const measured: Record<string, number> = {};
  for (const [name, operation] of Object.entries(operations)) {
    for (let count = 0; count < CPU_REQUESTS; count += 1) await operation();
    const before = usedCpuMs();
    for (let count = 0; count < CPU_REQUESTS; count += 1) await operation();
    measured[name] = Math.round(((usedCpuMs() - before) / CPU_REQUESTS) * 100) / 100;
  }
  return measured;
}

const usedCpuMs = (): number => workerdPids(process.pid).reduce((sum, pid) => sum + cpuMs(pid), 0);
