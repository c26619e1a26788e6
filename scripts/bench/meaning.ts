import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { LoadClient } from "./load.ts";
import { interleave, quantile, type Side } from "./measure.ts";
import { cpuMs, resident } from "./process-cost.ts";
import { mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";
import { PLAIN_BYTES, UNBOUNDED } from "./stage.ts";
import { Workbench, type Box } from "./workbench.ts";

/** The cost of a search by meaning, and how much embedding slows receipts down. The model is local and answers at once. */
export interface MeaningResults {
  vectors: number;
  dimensions: number;
  /** Vectors a second while all mail is embedded, and workerd's CPU for each. */
  embedded: { perSecond: number; cpuMs: number };
  /** Of a search by meaning, one after the other; the first of a process reads the vectors from disk. */
  search: { firstMs: number; p50Ms: number; p99Ms: number; keywordP50Ms: number };
  /** Of workerd, before and after the vectors came into memory. */
  memory: { beforeBytes: number; afterBytes: number };
  /** Receipts a second at 16 connections, without a model and with one. */
  receipt: { offPerSecond: number; onPerSecond: number };
}

const VECTORS = 50_000;
const DIMENSIONS = 384;
const SEARCHES = 60;
const ROUNDS = 4;
const SLICE_MS = 1_000;
const POLL_MS = 200;
const PATIENCE_MS = 600_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

interface Setting {
  tempDir: string;
  builtDir: string;
  client: LoadClient;
  env: Record<string, string>;
  created: (end: () => void | Promise<void>) => void;
}

export async function measureMeaning(setting: Setting, say: (line: string) => void): Promise<MeaningResults> {
  const { env, created } = setting;
  const model = await startModel();
  created(() => void model.close());
  const dataDir = path.join(setting.tempDir, "meaning");
  say(`meaning: filling a mailbox with ${VECTORS.toLocaleString("en")} messages`);
  const workbench = await Workbench.open(dataDir, setting.builtDir, env);
  created(() => workbench.close());
  const [box, quiet] = [await workbench.createBox("meaning"), await workbench.createBox("quiet")];
  await workbench.fill(box, VECTORS);
  await workbench.close();

  const { port } = model.address() as AddressInfo;
  const withModel = { ...env, EMBEDDINGS_URL: `http://127.0.0.1:${port}/v1`, EMBEDDINGS_MODEL: "bench" };
  const start = async (folder: string, variables: Record<string, string>): Promise<Service> => {
    const service = await Service.start(folder, variables);
    created(() => service.stop());
    return service;
  };
  say("meaning: embedding all of it");
  const first = await start(dataDir, withModel);
  const embedded = await embedAll(first, box);
  await first.stop();

  say("meaning: searches");
  const service = await start(dataDir, withModel);
  const { search, memory } = await measureSearch(service, box);
  say("meaning: receipts with and without a model");
  const plain = await start(path.join(setting.tempDir, "no-model"), env);
  const { mailbox } = await plain.mail(env["AUTH_TOKEN"] ?? "").mailboxes.create({ name: "quiet" });
  const sides: Side[] = [
    receiptSide("off", plain, { ...quiet, address: mailbox }, env["AUTH_TOKEN"] ?? ""),
    receiptSide("on", service, quiet, env["AUTH_TOKEN"] ?? ""),
  ];
  await interleave(setting.client, sides, 1);
  const [off, on] = await interleave(setting.client, sides, ROUNDS);
  await Promise.all([service.stop(), plain.stop()]);
  model.close();
  return {
    vectors: VECTORS,
    dimensions: DIMENSIONS,
    embedded,
    search,
    memory,
    receipt: { offPerSecond: off?.perSecond ?? Number.NaN, onPerSecond: on?.perSecond ?? Number.NaN },
  };
}

async function embedAll(service: Service, box: Box): Promise<MeaningResults["embedded"]> {
  const [startedMs, cpu] = [performance.now(), cpuMs(service.workerdPid)];
  for (;;) {
    const { embeddings } = await service.mail(box.key).mailbox.stats();
    if (embeddings === null) throw new Error("The service has no model");
    if (embeddings.error !== null) throw new Error(embeddings.error);
    const elapsedMs = performance.now() - startedMs;
    if (embeddings.pending === 0) {
      const count = embeddings.embedded;
      return { perSecond: (count / elapsedMs) * 1_000, cpuMs: (cpuMs(service.workerdPid) - cpu) / count };
    }
    if (elapsedMs > PATIENCE_MS) throw new Error("embedding takes too long");
    await pause(POLL_MS);
  }
}

async function measureSearch(service: Service, box: Box): Promise<Pick<MeaningResults, "search" | "memory">> {
  const { inbox } = service.mail(box.key);
  const timed = async (mode: "keyword" | "semantic", q: string): Promise<number> => {
    const startedMs = performance.now();
    await inbox.search({ mode, q, limit: 20 });
    return performance.now() - startedMs;
  };
  for (let at = 0; at < SEARCHES; at += 1) await timed("keyword", `warm${at}`);
  const beforeBytes = resident(service.workerdPid).bytes;
  const firstMs = await timed("semantic", "first");
  const afterBytes = resident(service.workerdPid).bytes;
  const [meaning, words]: [number[], number[]] = [[], []];
  for (let at = 0; at < SEARCHES; at += 1) {
    // New words each time, so that neither query vectors nor pages are cached.
    meaning.push(await timed("semantic", `meaning number${at}`));
    words.push(await timed("keyword", `words number${at}`));
  }
  const [sorted, sortedWords] = [meaning, words].map((times) => Float64Array.from(times).toSorted());
  const of = (times: Float64Array | undefined, q: number) => quantile(times ?? new Float64Array(), q);
  return {
    search: { firstMs, p50Ms: of(sorted, 0.5), p99Ms: of(sorted, 0.99), keywordP50Ms: of(sortedWords, 0.5) },
    memory: { beforeBytes, afterBytes },
  };
}

function receiptSide(name: string, service: Service, box: Box, key: string): Side {
  return {
    name,
    job: () => ({
      kind: "post",
      port: service.httpPort,
      key,
      mailing: mailingTo([box], PLAIN_BYTES),
      connections: 16,
      durationMs: SLICE_MS,
      maxCount: UNBOUNDED,
    }),
    pids: [service.workerdPid],
  };
}

/** A model whose vectors have a real model's dimensions and are computed from the length of the text. */
async function startModel(): Promise<Server> {
  const known = Array.from({ length: 64 }, (_, seed) =>
    JSON.stringify(
      Array.from({ length: DIMENSIONS }, (__, at) => Number(Math.sin((seed + 1) * (at + 1)).toFixed(7))),
    ),
  );
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
      const data = input.map((text, index) => `{"index":${index},"embedding":${known[text.length % 64]}}`);
      response.writeHead(200, { "Content-Type": "application/json" }).end(`{"data":[${data.join(",")}]}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
