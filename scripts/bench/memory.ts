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
}

interface Case {
  name: string;
  way: "http" | "smtp";
  sizeBytes: number;
  parallel: number;
}

const SETTLE_MS = 1_500;
const CASES: readonly Case[] = [
  { name: "24 MiB by HTTP", way: "http", sizeBytes: LARGE_BYTES, parallel: 1 },
  { name: "24 MiB by SMTP", way: "smtp", sizeBytes: LARGE_BYTES, parallel: 1 },
  { name: "2 × 24 MiB at once by SMTP", way: "smtp", sizeBytes: LARGE_BYTES, parallel: 2 },
];

/** The peak of workerd above its idle state, for large messages: each case with a fresh service. */
export async function measureMemory(
  tempDir: string,
  setting: { client: LoadClient; env: Record<string, string>; created: (service: Service) => void },
): Promise<MemoryUse[]> {
  const uses: MemoryUse[] = [];
  for (const [index, one] of CASES.entries()) {
    const service = await Service.start(path.join(tempDir, `memory${index}`), setting.env);
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
  const send = (sizeBytes: number, count: number) => {
    const mailing = mailingTo([{ address, key, ids: [] }], sizeBytes);
    const bounds = { connections: count, maxCount: count, durationMs: 60_000, mailing };
    return options.way === "http"
      ? client.run({ kind: "post", port: service.httpPort, key: options.key, ...bounds })
      : client.run({ kind: "smtp", port: service.smtpPort, ...bounds });
  };
  // The idle state is measured after some work, not right after the start.
  await send(2_048, 5);
  await new Promise((resolve) => void setTimeout(resolve, SETTLE_MS));
  const idleBytes = resident(service.workerdPid).bytes;
  forgetPeak(service.workerdPid);
  await send(options.sizeBytes, options.parallel);
  return { name: options.name, idleBytes, peakBytes: resident(service.workerdPid).peakBytes };
}
