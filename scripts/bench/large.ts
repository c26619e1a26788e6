import path from "node:path";
import type { Job, LoadClient } from "./load.ts";
import { interleave } from "./measure.ts";
import { LARGE_BYTES, mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";

/** The cost of a message of 24 MiB, beside a minimal actor that parses it with postal-mime and stores its bytes as rows. */
export interface LargeResults {
  rounds: number;
  floor: LargeCost;
  http: LargeCost;
  smtp: LargeCost;
}

/** Of one receipt: median time, and CPU of all processes that take part. */
interface LargeCost {
  p50Ms: number;
  cpuMs: number;
}

interface Setting {
  tempDir: string;
  client: LoadClient;
  env: Record<string, string>;
  startFloor: () => Promise<{ port: number; pid: number }>;
  created: (end: () => Promise<void>) => void;
}

const ROUNDS = 8;
const ONE = { connections: 1, maxCount: 1, durationMs: 60_000 } as const;
const NOTHING: LargeCost = { p50Ms: Number.NaN, cpuMs: Number.NaN };

/** Receipts of 24 MiB by HTTP and by SMTP beside the floor, one after another in turns. */
export async function measureLarge(setting: Setting, say: (line: string) => void): Promise<LargeResults> {
  const { client, env, tempDir } = setting;
  say("large: messages of 24 MiB");
  const floor = await setting.startFloor();
  const service = await Service.start(path.join(tempDir, "large"), env);
  setting.created(() => service.stop());
  const key = env["AUTH_TOKEN"] ?? "";
  const { mailbox: address } = await service.mail(key).mailboxes.create({ name: "large" });
  const mailing = () => mailingTo([{ address, key: "", ids: [] }], LARGE_BYTES);
  const onFloor = () => ({ ...mailing(), targets: [{ address, path: "/e?box=large" }] });
  const sides = [
    {
      name: "floor e",
      job: (): Job => ({ kind: "post", port: floor.port, key: "", mailing: onFloor(), ...ONE }),
      pids: [floor.pid],
    },
    {
      name: "http",
      job: (): Job => ({ kind: "post", port: service.httpPort, key, mailing: mailing(), ...ONE }),
      pids: [service.workerdPid, service.nodePid],
    },
    {
      name: "smtp",
      job: (): Job => ({ kind: "smtp", port: service.smtpPort, mailing: mailing(), ...ONE }),
      pids: [service.workerdPid, service.nodePid],
    },
  ];
  // The first ones compile code.
  await interleave(client, sides, 2);
  const [least = NOTHING, http = NOTHING, smtp = NOTHING] = await interleave(client, sides, ROUNDS);
  await service.stop();
  const costOf = ({ p50Ms, cpuMs }: LargeCost): LargeCost => ({ p50Ms, cpuMs });
  return { rounds: ROUNDS, floor: costOf(least), http: costOf(http), smtp: costOf(smtp) };
}
