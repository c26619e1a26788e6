import type { Job } from "./load.ts";
import { interleave, type Side } from "./measure.ts";
import { compared, CONNECTIONS, UNBOUNDED, type Row, type Stage } from "./stage.ts";
import { NEEDLES } from "./needles.ts";
import type { Box } from "./workbench.ts";

const ROUNDS = 4;
const SLICE_MS = 250;
/** Operations of each kind before the measurement: on a busy machine, a number warms up the compiler more reliably than a time. */
const WARM_UP_COUNT = 1_000;
const MAX_WARM_UP_MS = 5_000;
const PAGE = 20;

interface Population {
  stored: number;
  boxes: readonly Box[];
}

type Targets = { path: string; key: string }[];

/** The floor that an operation is compared with, if it is not (b). */
const FLOORS = new Map([
  ["email by id", "floor g"],
  ["search", "floor f"],
]);
/** Messages of floor (g) that are read in turn. */
const FLOOR_EMAILS = 200;
const SERIALS = Array.from({ length: FLOOR_EMAILS }, (_, index) => String(1 + index * 100));

/** Inbox page, email by id and search beside their floors. */
export async function measureReads(stage: Stage, say: (line: string) => void): Promise<Row[]> {
  const populations: Population[] = stage.levels.map(({ stored, box }) => ({ stored, boxes: [box] }));
  const [first] = stage.fleet;
  if (first !== undefined) populations.push({ stored: first.ids.length, boxes: stage.fleet });
  await fetch(`http://127.0.0.1:${stage.floor.port}/f/fill?box=0`, { method: "POST" });
  await warmUp(stage, populations);
  const rows: Row[] = [];
  for (const population of populations) {
    for (const connections of CONNECTIONS) {
      say(`reads: ${population.boxes.length} × ${population.stored} messages, ${connections} connections`);
      rows.push(...(await measureGroup(stage, population, connections)));
    }
  }
  return rows;
}

async function measureGroup(stage: Stage, population: Population, connections: number): Promise<Row[]> {
  const samples = await interleave(stage.client, sidesOf(stage, population, connections), ROUNDS);
  const floorOf = (name: string) => samples.find((sample) => sample.name === (FLOORS.get(name) ?? "floor b"));
  return samples.map((sample) => ({
    ...sample,
    suite: "reads",
    connections,
    mailboxes: population.boxes.length,
    stored: sample.name.startsWith("floor") ? null : population.stored,
    sizeBytes: null,
    ...compared(sample, sample.name.startsWith("floor") ? undefined : floorOf(sample.name)),
  }));
}

function sidesOf(stage: Stage, { boxes }: Population, connections: number): Side[] {
  const { floor, service } = stage;
  const side = (name: string, server: { port: number; pid: number }, targets: Targets): Side => ({
    name,
    pids: [server.pid],
    job: (): Job => ({
      kind: "get",
      port: server.port,
      targets,
      connections,
      durationMs: SLICE_MS,
      maxCount: UNBOUNDED,
    }),
  });
  const product = { port: service.httpPort, pid: service.workerdPid };
  const floorTargets = (route: string): Targets =>
    boxes.map((_, index) => ({ path: `/${route}?box=${index}`, key: "" }));
  // One object holds what (f) and (g) read: filling one for each of many mailboxes takes longer than the measurement.
  const onFloor = (route: string, asked: readonly string[]): Targets =>
    asked.map((what) => ({ path: `/${route}?box=0&q=${what}`, key: "" }));
  const onEach = (path: string): Targets => boxes.map(({ key }) => ({ path, key }));
  const searchOnEach = (word: string): Targets => onEach(`/v1/search?q=${word}&limit=${PAGE}`);
  const emails = boxes.flatMap(({ ids, key }) => ids.map((id) => ({ path: `/v1/emails/${id}`, key })));
  return [
    side("floor a", floor, floorTargets("a")),
    side("floor b", floor, floorTargets("b")),
    side("floor f", floor, onFloor("f", NEEDLES)),
    side("floor g", floor, onFloor("g", SERIALS)),
    side("inbox page", product, onEach(`/v1/inbox?limit=${PAGE}`)),
    side("email by id", product, scattered(emails)),
    side("search", product, NEEDLES.flatMap(searchOnEach)),
    side("search, repeated", product, searchOnEach(NEEDLES[0])),
  ];
}

/** The list in a scattered order, which is the same in every run. */
function scattered(targets: Targets): Targets {
  const step = 7_919;
  return targets.map((target, index) => targets[(index * step) % targets.length] ?? target);
}

/** Compiles code and fills caches before the measurement. */
async function warmUp(stage: Stage, populations: readonly Population[]): Promise<void> {
  for (const population of populations) {
    for (const side of sidesOf(stage, population, 16)) {
      const job = side.job(0);
      if (job.kind !== "get") continue;
      await stage.client.run({ ...job, maxCount: WARM_UP_COUNT, durationMs: MAX_WARM_UP_MS });
    }
  }
}
