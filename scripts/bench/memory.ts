import path from "node:path";
import type { LoadClient } from "./load.ts";
import { forgetPeak, resident } from "./process-cost.ts";
import { LARGE_BYTES, mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";

/** Memory of workerd for one case, in a fresh service. */
export interface MemoryUse {
  name: string;
  idleBytes: number;
  peakBytes: number;
  /** The most that the peak may be above the idle state. */
  mostBytes: number;
}

interface Case {
  name: string;
  way: "http" | "smtp";
  sizeBytes: number;
  parallel: number;
  count: number;
  mostBytes: number;
}

const SETTLE_MS = 1_500;
const MB = 1_000_000;
/** Caps the JavaScript heap, in MB; buffers lie outside of it. An isolate on the platform has 128 MB for both. */
const V8_FLAGS = "--max-semi-space-size=2 --max-old-space-size=48";
const ONE = { sizeBytes: LARGE_BYTES, parallel: 1, count: 1, mostBytes: 48 * MB } as const;
const CASES: readonly Case[] = [
  { ...ONE, name: "24 MiB by HTTP", way: "http" },
  { ...ONE, name: "24 MiB by SMTP", way: "smtp" },
  { ...ONE, name: "2 × 24 MiB at once by SMTP", way: "smtp", parallel: 2, count: 2, mostBytes: 80 * MB },
  { ...ONE, name: "20 × 24 MiB one after another by HTTP", way: "http", count: 20, mostBytes: 80 * MB },
];

/** The peak of workerd above its idle state, for large messages and with a capped heap: each case with a fresh service. */
export async function measureMemory(
  tempDir: string,
  setting: { client: LoadClient; env: Record<string, string>; created: (service: Service) => void },
): Promise<MemoryUse[]> {
  const uses: MemoryUse[] = [];
  for (const [index, one] of CASES.entries()) {
    const env = { ...setting.env, MINIFLARE_WORKERD_V8_FLAGS: V8_FLAGS };
    const service = await Service.start(path.join(tempDir, `memory${index}`), env);
    setting.created(service);
    uses.push(await measureCase(service, setting.client, { ...one, key: setting.env["AUTH_TOKEN"] ?? "" }));
    await service.stop();
  }
  return uses;
}

async function measureCase(
  service: Service,
  client: LoadClient,
  options: Case & { key: string },
): Promise<MemoryUse> {
  const made = await service.mail(options.key).mailboxes.create({ name: "large" });
  const { mailbox: address, api_key: key } = made;
  const send = (sizeBytes: number, connections: number, maxCount = connections) => {
    const mailing = mailingTo([{ address, key, ids: [] }], sizeBytes);
    const bounds = { connections, maxCount, durationMs: 60_000, mailing };
    return options.way === "http"
      ? client.run({ kind: "post", port: service.httpPort, key: options.key, ...bounds })
      : client.run({ kind: "smtp", port: service.smtpPort, ...bounds });
  };
  // The idle state is measured after some work, not right after the start.
  await send(2_048, 5);
  await new Promise((resolve) => void setTimeout(resolve, SETTLE_MS));
  const idleBytes = resident(service.workerdPid).bytes;
  forgetPeak(service.workerdPid);
  await send(options.sizeBytes, options.parallel, options.count);
  const { name, mostBytes } = options;
  return { name, idleBytes, peakBytes: resident(service.workerdPid).peakBytes, mostBytes };
}
