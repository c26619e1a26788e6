// Measures the service against floors of its own: `npm run bench -- [--quick] [--only=reads,receipt,…] [results.json]`.
// `--backup-mailboxes=20000 --backup-mb=10000` is the size of what is backed up, `--mails=1000000` that of the large mailbox of
// the suite "depth", `--mailboxes=100000` that of the suite "breadth".
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { buildWorker } from "../build-worker.ts";
import { claimPorts } from "../../src/host/ports.ts";
import { workerdPid } from "../../src/host/processes.ts";
import { measureBackup, type BackupSize } from "./backup.ts";
import { measureBirth } from "./birth.ts";
import { measureBreadth } from "./breadth.ts";
import { benchWorker, buildBenchWorker, embed } from "./bundles.ts";
import { measureDoor } from "./door.ts";
import { measureLarge } from "./large.ts";
import { measureLive } from "./live.ts";
import { measureDepth } from "./depth/depth.ts";
import { LoadClient } from "./load.ts";
import { measureMeaning } from "./meaning.ts";
import { measureMemory } from "./memory.ts";
import { forgetPeak, resident } from "./process-cost.ts";
import { measureReads } from "./reads.ts";
import { measureCodes, measureReceipt, measureSizes } from "./receipt.ts";
import { tableOf, writeJson } from "./report.ts";
import { countRows } from "./row-costs.ts";
import { Service } from "./service.ts";
import { measureSenders } from "./senders.ts";
import { measureSending } from "./sending.ts";
import type { Stage } from "./stage.ts";
import { measureStart } from "./start.ts";
import type { Results } from "./targets.ts";
import { measureTools } from "./tools.ts";
import { Workbench, type Box } from "./workbench.ts";

const LEVELS = [1_000, 20_000, 100_000];
const QUICK_LEVELS = [1_000, 20_000];
const FLEET = 64;
const FLEET_STORED = 100;
/** Suites with a service of their own. */
const ALONE = [
  "sending",
  "senders",
  "door",
  "meaning",
  "memory",
  "large",
  "start",
  "backup",
  "depth",
  "birth",
  "breadth",
] as const;
const SUITES = ["reads", "mcp", "receipt", "sizes", "code", "live", ...ALONE] as const;
type Suite = (typeof SUITES)[number];
const DEPTH_MAILS = 50_000;
const BACKUP_SIZE: BackupSize = { mailboxes: 200, megabytes: 50 };
const BREADTH_MAILBOXES = 2_000;
const DEFAULT_OUTPUT = path.resolve(import.meta.dirname, "../../data/bench.json");

interface Options {
  levels: readonly number[];
  suites: ReadonlySet<Suite>;
  backupSize: BackupSize;
  /** Mails of the large mailbox of the suite "depth". */
  depthMails: number;
  mailboxes: number;
  output: string;
}

interface Filled {
  levels: { stored: number; box: Box }[];
  fleet: Box[];
  empty: Box;
}

/** Undone in reverse order, however the bench ends. */
const cleanUps: (() => void | Promise<void>)[] = [];
const startedMs = performance.now();
const say = (line: string): void =>
  void process.stderr.write(
    `${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${line}\n`,
  );

/** The results before anything is measured. */
function noResults(): Results {
  return {
    startedAt: new Date().toISOString(),
    seconds: 0,
    rows: [],
    rowCosts: {},
    bytesPerMessage: [],
    code: null,
    live: null,
    sending: null,
    senders: null,
    door: null,
    meaning: null,
    start: null,
    memory: [],
    large: null,
    backup: null,
    depth: null,
    birth: null,
    breadth: null,
    workerd: { idleBytes: 0, peakBytes: 0 },
  };
}

async function bench(options: Options): Promise<void> {
  const tempDir = mkdtempSync(path.join(os.tmpdir(), "mailkeep-bench-"));
  cleanUps.push(() => rmSync(tempDir, { recursive: true, force: true }));
  const token = randomBytes(24).toString("base64url");
  const env = {
    AUTH_TOKEN: token,
    WEBHOOK_SECRET: randomBytes(24).toString("base64url"),
    MAILBOX_QUOTA_BYTES: "100000000000",
    // No limit of calls, because the speed of one mailbox is measured.
    REQUEST_LIMIT: "0",
    MODEL_SEARCH_LIMIT: "0",
    // The target of the bench is on this machine.
    ALLOW_PRIVATE_WEBHOOKS: "true",
  };
  const builtDir = path.join(tempDir, "worker");
  await Promise.all([buildWorker(), buildBenchWorker(builtDir)]);

  const results = noResults();
  if (options.suites.has("start")) {
    say("start: the script beside an empty one");
    results.start = await measureStart(tempDir, env);
  }
  const client = new LoadClient();
  cleanUps.push(() => client.close());
  if ([...options.suites].some((suite) => !ALONE.some((one) => one === suite)))
    await measureStaged({ tempDir, builtDir, env, client, options }, results);
  const alone = suitesAlone({ tempDir, builtDir, env, client, options }, results);
  for (const suite of options.suites) await alone[suite]?.();
  results.seconds = (performance.now() - startedMs) / 1_000;
  writeJson(options.output, results);
  process.stdout.write(
    `${tableOf(results)}\n\nWritten to ${options.output} after ${results.seconds.toFixed(0)} s\n`,
  );
}

/** The suites that start services of their own; each writes into `results`. */
function suitesAlone(
  { tempDir, builtDir, env, client, options }: Staging,
  results: Results,
): Partial<Record<Suite, () => Promise<void>>> {
  const created = (end: () => void | Promise<void>): void => void cleanUps.push(end);
  const place = { tempDir, env, created };
  return {
    sending: async () => void (results.sending = await measureSending({ ...place, client }, say)),
    senders: async () => void (results.senders = await measureSenders(place, say)),
    door: async () => void (results.door = await measureDoor(place, say)),
    meaning: async () => void (results.meaning = await measureMeaning({ ...place, builtDir, client }, say)),
    memory: async () => {
      say("memory: 24 MiB messages, each with a fresh service");
      const started = (fresh: Service): void => created(() => fresh.stop());
      results.memory = await measureMemory(tempDir, { client, env, created: started });
    },
    large: async () => {
      const floor = () => startFloor(tempDir, builtDir);
      results.large = await measureLarge({ ...place, client, startFloor: floor }, say);
    },
    backup: async () =>
      void (results.backup = await measureBackup({ ...place, client, size: options.backupSize }, say)),
    depth: async () =>
      void (results.depth = await measureDepth({ ...place, client, mails: options.depthMails }, say)),
    birth: async () => void (results.birth = await measureBirth({ ...place, builtDir }, say)),
    breadth: async () =>
      void (results.breadth = await measureBreadth({ ...place, client, mailboxes: options.mailboxes }, say)),
  };
}

/** Everything that the suites with a common service need. */
interface Staging {
  tempDir: string;
  builtDir: string;
  env: { AUTH_TOKEN: string } & Record<string, string>;
  client: LoadClient;
  options: Options;
}

/** The suites that share one service with filled mailboxes. */
async function measureStaged(
  { tempDir, builtDir, env, client, options }: Staging,
  results: Results,
): Promise<void> {
  const dataDir = path.join(tempDir, "data");
  const filled = await fillAll({ dataDir, builtDir, env, levels: options.levels }, results);
  const floor = await startFloor(tempDir, builtDir);
  const service = await Service.start(dataDir, env);
  cleanUps.push(() => service.stop());
  await runSuites(
    { client, service, floor, operatorKey: env.AUTH_TOKEN, ...filled },
    options.suites,
    results,
  );
  await service.stop();
}

async function runSuites(stage: Stage, suites: ReadonlySet<Suite>, results: Results): Promise<void> {
  const { workerdPid: pid } = stage.service;
  results.workerd.idleBytes = resident(pid).bytes;
  forgetPeak(pid);
  if (suites.has("reads")) results.rows.push(...(await measureReads(stage, say)));
  if (suites.has("mcp")) results.rows.push(...(await measureTools(stage, say)));
  if (suites.has("receipt")) results.rows.push(...(await measureReceipt(stage, say)));
  if (suites.has("code")) {
    say("code: handed to a waiting client");
    results.code = await measureCodes(stage);
  }
  if (suites.has("live")) results.live = await measureLive(stage, say);
  if (suites.has("sizes")) results.rows.push(...(await measureSizes(stage, say)));
  results.workerd.peakBytes = resident(pid).peakBytes;
}

async function fillAll(
  setup: { dataDir: string; builtDir: string; env: Record<string, string>; levels: readonly number[] },
  results: Results,
): Promise<Filled> {
  const workbench = await Workbench.open(setup.dataDir, setup.builtDir, setup.env);
  cleanUps.push(() => workbench.close());
  const filled: Filled = { levels: [], fleet: [], empty: await workbench.createBox("empty") };
  for (const stored of setup.levels) {
    say(`filling a mailbox with ${stored.toLocaleString("en")} messages`);
    const box = await workbench.createBox(`box${stored}`);
    await workbench.fill(box, stored);
    filled.levels.push({ stored, box });
  }
  say(`filling ${FLEET} mailboxes with ${FLEET_STORED} messages each`);
  for (let index = 0; index < FLEET; index += 1) {
    const box = await workbench.createBox(`fleet${index}`);
    await workbench.fill(box, FLEET_STORED);
    filled.fleet.push(box);
  }
  const largest = filled.levels.at(-1)?.box;
  const objects = await Promise.all(filled.levels.map(({ box }) => workbench.objectId(box)));
  const stats = await Promise.all(
    filled.levels.map(
      async ({ box }) =>
        JSON.parse(await workbench.request("GET", "/v1/stats", { key: box.key })) as {
          storage_bytes: number;
        },
    ),
  );
  if (largest !== undefined) results.rowCosts = await countRows(workbench, largest);
  await workbench.close();
  results.bytesPerMessage = filled.levels.map(({ stored }, index) => ({
    stored,
    messageBytes: (stats[index]?.storage_bytes ?? 0) / stored,
    diskBytes:
      statSync(path.join(setup.dataDir, "do/mailkeep-Mailbox", `${objects[index] ?? ""}.sqlite`)).size /
      stored,
  }));
  return filled;
}

async function startFloor(tempDir: string, builtDir: string): Promise<{ port: number; pid: number }> {
  const [port = 0] = await claimPorts([{ protocol: "HTTP", host: "127.0.0.1", port: 0, variable: "none" }]);
  const runtime = await embed(path.join(tempDir, "floor"), [benchWorker(builtDir, port)]);
  cleanUps.push(() => runtime.dispose());
  const pid = workerdPid(process.pid);
  if (pid === null) throw new Error("the floor's workerd is not to be found");
  return { port, pid };
}

const WITH_VALUE = /^--(?:only=|(?:backup-mailboxes|backup-mb|mails|mailboxes)=[1-9]\d*$)/;

function readOptions(args: readonly string[]): Options {
  const only = args
    .find((arg) => arg.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const unknown = [
    ...args.filter((arg) => arg.startsWith("--") && arg !== "--quick" && !WITH_VALUE.test(arg)),
    ...(only ?? []).filter((name) => !SUITES.some((suite) => suite === name)),
  ];
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}`);
  return {
    levels: args.includes("--quick") ? QUICK_LEVELS : LEVELS,
    suites: new Set(SUITES.filter((suite) => only === undefined || only.includes(suite))),
    backupSize: {
      mailboxes: numberOf(args, "--backup-mailboxes=") ?? BACKUP_SIZE.mailboxes,
      megabytes: numberOf(args, "--backup-mb=") ?? BACKUP_SIZE.megabytes,
    },
    depthMails: numberOf(args, "--mails=") ?? DEPTH_MAILS,
    mailboxes: numberOf(args, "--mailboxes=") ?? BREADTH_MAILBOXES,
    output: path.resolve(args.find((arg) => !arg.startsWith("--")) ?? DEFAULT_OUTPUT),
  };
}

function numberOf(args: readonly string[], name: string): number | null {
  const arg = args.find((one) => one.startsWith(name));
  return arg === undefined ? null : Number(arg.slice(name.length));
}

let cleaning: Promise<void> | null = null;
function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const undo of cleanUps.toReversed()) {
      try {
        await undo();
      } catch {
        // Already disposed of, or broken by the error that ended the bench: the other clean-ups still run.
      }
    }
  })();
  return cleaning;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => void cleanUp().then(() => process.exit(130)));
}

try {
  await bench(readOptions(process.argv.slice(2)));
  process.exitCode = 0;
} catch (error) {
  process.exitCode = 1;
  // Errors caused by the clean-up are not reported.
  if (cleaning === null) console.error(error);
}
await cleanUp();
process.exit();
