import type { Job, Mailing } from "./load.ts";
import { interleave, quantile, type Sample, type Side } from "./measure.ts";
import { compared, CONNECTIONS, PLAIN_BYTES, UNBOUNDED, type Row, type Stage } from "./stage.ts";
import type { Box } from "./workbench.ts";

const ROUNDS = 4;
const SLICE_MS = 600;
const WARM_UP_MS = 1_500;
const SENDER = "bench@sender.example";
const MIB = 1_048_576;
/** The largest message whose base64 and framing stay under 24 MiB. */
export const LARGE_BYTES = 24 * MIB;
/** Message sizes and how many of them at most in one slice. */
const SIZES = [
  { sizeBytes: 100_000, maxCount: UNBOUNDED, hasFloor: true },
  { sizeBytes: 10_000_000, maxCount: 2, hasFloor: false },
  { sizeBytes: LARGE_BYTES, maxCount: 1, hasFloor: false },
] as const;
const CODES = 100;

interface Scenario {
  boxes: readonly Box[];
  connections: number;
  sizeBytes: number;
  maxCount: number;
}

let runs = 0;

/** Plain messages by HTTP and SMTP beside floor (c), into one mailbox and into sixty-four, and into filled ones. */
export async function measureReceipt(stage: Stage, say: (line: string) => void): Promise<Row[]> {
  await warmUp(stage);
  const rows: Row[] = [];
  for (const connections of CONNECTIONS) {
    say(`receipt: ${connections} connections`);
    const one = scenarioOf([stage.empty], connections);
    const many = scenarioOf(stage.fleet, connections);
    const sides = [
      floorSide(stage, one, "floor c"),
      httpSide(stage, one, "receipt by HTTP"),
      smtpSide(stage, one, "receipt by SMTP"),
      floorSide(stage, many, "floor c ×64"),
      httpSide(stage, many, "receipt by HTTP ×64"),
      smtpSide(stage, many, "receipt by SMTP ×64"),
    ];
    const samples = await interleave(stage.client, sides, ROUNDS);
    const isMany = ({ name }: Sample): boolean => name.includes("×");
    rows.push(
      ...rowsOf(
        samples.filter((sample) => !isMany(sample)),
        one,
        { suite: "receipt", stored: 0 },
      ),
    );
    const others = samples
      .filter(isMany)
      .map((sample) => ({ ...sample, name: sample.name.replace(" ×64", "") }));
    rows.push(...rowsOf(others, many, { suite: "receipt", stored: stage.fleet[0]?.ids.length ?? 0 }));
  }
  rows.push(...(await measureFilled(stage, say)));
  return rows;
}

async function measureFilled(stage: Stage, say: (line: string) => void): Promise<Row[]> {
  say("receipt: into filled mailboxes");
  const connections = 16;
  const sides = stage.levels.map(({ box, stored }) =>
    httpSide(stage, scenarioOf([box], connections), String(stored)),
  );
  const floorScenario = scenarioOf([stage.empty], connections);
  const [floor, ...samples] = await interleave(
    stage.client,
    [floorSide(stage, floorScenario, "floor c"), ...sides],
    ROUNDS,
  );
  return samples.flatMap((sample) => {
    const renamed = { ...sample, name: "receipt by HTTP" };
    return rowsOf(floor === undefined ? [renamed] : [floor, renamed], floorScenario, {
      suite: "receipt",
      stored: Number(sample.name),
    }).slice(floor === undefined ? 0 : 1);
  });
}

/** Messages of other sizes, one at a time. */
export async function measureSizes(stage: Stage, say: (line: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { hasFloor, ...size } of SIZES) {
    say(`sizes: ${size.sizeBytes} bytes`);
    const scenario: Scenario = { boxes: [stage.empty], connections: 1, ...size };
    const floors = hasFloor ? [floorSide(stage, scenario, "floor c")] : [];
    const sides = [
      ...floors,
      httpSide(stage, scenario, "receipt by HTTP"),
      smtpSide(stage, scenario, "receipt by SMTP"),
    ];
    rows.push(
      ...rowsOf(await interleave(stage.client, sides, 3), scenario, { suite: "sizes", stored: null }),
    );
  }
  return rows;
}

/** Milliseconds from the answer of the inbound call to the arrival of the code at a client that waits for it. */
export async function measureCodes(stage: Stage): Promise<{ count: number; p50Ms: number; p99Ms: number }> {
  const { address, key } = stage.empty;
  const { latenciesMs } = await stage.client.run({
    kind: "code",
    port: stage.service.httpPort,
    operatorKey: stage.operatorKey,
    address,
    key,
    count: CODES,
    run: nextRun(),
  });
  const sorted = latenciesMs.toSorted();
  return { count: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

/** How messages reach a mailbox by HTTP. */
export function mailingTo(boxes: readonly Box[], sizeBytes: number): Mailing {
  const from = encodeURIComponent(SENDER);
  const path = (address: string): string => `/v1/inbound?from=${from}&to=${encodeURIComponent(address)}`;
  return {
    targets: boxes.map(({ address }) => ({ path: path(address), address })),
    sizeBytes,
    run: nextRun(),
  };
}

/** Serials never repeat within a mailbox: a repeat would be a duplicate, and cheap. */
function nextRun(): string {
  runs += 1;
  return `run${runs}`;
}

function scenarioOf(boxes: readonly Box[], connections: number): Scenario {
  return { boxes, connections, sizeBytes: PLAIN_BYTES, maxCount: UNBOUNDED };
}

function boundsOf({ connections, maxCount }: Scenario) {
  return { connections, maxCount, durationMs: maxCount === UNBOUNDED ? SLICE_MS : 60_000 };
}

function floorSide({ floor }: Stage, scenario: Scenario, name: string): Side {
  const job = (): Job => {
    const { targets, ...mailing } = mailingTo(scenario.boxes, scenario.sizeBytes);
    const onFloor = targets.map(({ address }, index) => ({
      address,
      path: `/c?box=c${scenario.boxes.length}-${index}`,
    }));
    return {
      kind: "post",
      port: floor.port,
      key: "",
      mailing: { ...mailing, targets: onFloor },
      ...boundsOf(scenario),
    };
  };
  return { name, job, pids: [floor.pid] };
}

function httpSide({ service, operatorKey }: Stage, scenario: Scenario, name: string): Side {
  const job = (): Job => ({
    kind: "post",
    port: service.httpPort,
    key: operatorKey,
    mailing: mailingTo(scenario.boxes, scenario.sizeBytes),
    ...boundsOf(scenario),
  });
  return { name, job, pids: [service.workerdPid] };
}

function smtpSide({ service }: Stage, scenario: Scenario, name: string): Side {
  const job = (): Job => ({
    kind: "smtp",
    port: service.smtpPort,
    mailing: mailingTo(scenario.boxes, scenario.sizeBytes),
    ...boundsOf(scenario),
  });
  return { name, job, pids: [service.workerdPid, service.nodePid] };
}

function rowsOf(samples: readonly Sample[], scenario: Scenario, about: Pick<Row, "suite" | "stored">): Row[] {
  const floor = samples.find(({ name }) => name.startsWith("floor"));
  return samples.map((sample) => ({
    ...sample,
    suite: about.suite,
    connections: scenario.connections,
    mailboxes: scenario.boxes.length,
    stored: sample === floor ? null : about.stored,
    sizeBytes: scenario.sizeBytes,
    ...compared(sample, sample === floor ? undefined : floor),
  }));
}

/** Compiles code, prepares each mailbox's statements and fills its caches before the measurement. */
async function warmUp(stage: Stage): Promise<void> {
  for (const boxes of [[stage.empty], stage.fleet]) {
    const scenario = scenarioOf(boxes, 16);
    for (const side of [
      floorSide(stage, scenario, ""),
      httpSide(stage, scenario, ""),
      smtpSide(stage, scenario, ""),
    ]) {
      const job = side.job(0);
      if (job.kind !== "code") await stage.client.run({ ...job, durationMs: WARM_UP_MS });
    }
  }
}
