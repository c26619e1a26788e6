import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { directoryShard } from "../../src/contract/directory.ts";
import { keyOf, locatorOf } from "../../src/contract/key.ts";
import {
  ALARMS_FILE,
  DIRECTORY_FOLDER,
  MAILBOX_FOLDER,
  mailboxFile,
  objectFile,
} from "../../src/host/backup/data-folder.ts";
import type { Job, LoadClient } from "./load.ts";
import { quantile } from "./measure.ts";
import { resident } from "./process-cost.ts";
import { mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";
import { PLAIN_BYTES } from "./stage.ts";
import type { Box } from "./workbench.ts";

/** Latencies in ms of the two doors, each into one mailbox. */
export interface Doors {
  httpP50Ms: number;
  smtpP50Ms: number;
}

/** The cost of many mailboxes with one mail each on one machine. */
export interface BreadthResults {
  mailboxes: number;
  /** From the start of the process until it is ready. */
  startSeconds: number;
  /** All files of the data folder. */
  diskBytes: number;
  /** Resident memory of workerd: after the start, after reads of random mailboxes, and when they have left memory. */
  memory: { startBytes: number; readBytes: number; idleBytes: number };
  reads: { count: number; p50Ms: number; p99Ms: number };
  listPage: { count: number; p50Ms: number };
  doors: Doors;
  /** Those of a service with one mailbox, in turn with the others. */
  doorsAlone: Doors;
}

/** The means of the suite. */
export interface BreadthSetting {
  tempDir: string;
  client: LoadClient;
  env: { AUTH_TOKEN: string } & Record<string, string>;
  mailboxes: number;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

const READS = 5_000;
const CONNECTIONS = 16;
const LIST_PAGES = 100;
const PAGE = 100;
const DOOR_ROUNDS = 5;
const DOOR_MAILS = 60;
const LIMIT_MS = 600_000;
/** The runtime closes an object after ten idle seconds, and gives memory back a little later. */
const IDLE_MS = 25_000;
const DIGITS = 7;

/** Makes many mailboxes, and measures what the service is like with them. */
export async function measureBreadth(
  setting: BreadthSetting,
  say: (line: string) => void,
): Promise<BreadthResults> {
  const { tempDir, env, client, mailboxes, created } = setting;
  const dataDir = path.join(tempDir, "breadth");
  say(`breadth: making ${mailboxes.toLocaleString("en")} mailboxes with one mail each`);
  const boxes = await fill(dataDir, setting);
  say("breadth: start, list and random reads");
  const beganMs = performance.now();
  const service = await Service.start(dataDir, env);
  const startSeconds = (performance.now() - beganMs) / 1_000;
  created(() => service.stop());
  const startBytes = resident(service.workerdPid).bytes;
  const listPage = await listAll(service, setting);
  const { latenciesMs } = await client.run({
    kind: "get",
    port: service.httpPort,
    targets: Array.from({ length: READS }, (_, index) => {
      const box = boxes[(index * 7_919 + 13) % boxes.length];
      return { path: "/v1/inbox?limit=20", key: box?.key ?? "" };
    }),
    connections: CONNECTIONS,
    durationMs: LIMIT_MS,
    maxCount: READS,
  });
  const readBytes = resident(service.workerdPid).bytes;
  say("breadth: waiting until the mailboxes have left memory");
  await new Promise((resolve) => void setTimeout(resolve, IDLE_MS));
  const idleBytes = resident(service.workerdPid).bytes;
  say("breadth: the doors, in turn with a service of one mailbox");
  const { doors, doorsAlone } = await compareDoors(setting, { service, box: boxes[0] });
  await service.stop();
  const sorted = latenciesMs.toSorted();
  return {
    mailboxes,
    startSeconds,
    diskBytes: bytesBelow(dataDir),
    memory: { startBytes, readBytes, idleBytes },
    reads: { count: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) },
    listPage,
    doors,
    doorsAlone,
  };
}

/**
 * Copies one mailbox that the service has made: each copy has its own address in all its rows, its entry in the directory and its
 * alarm. The addresses are equally long, so that they can be replaced in the bytes of the file.
 */
async function fill(dataDir: string, { env, client, mailboxes, created }: BreadthSetting): Promise<Box[]> {
  const service = await Service.start(dataDir, env);
  created(() => service.stop());
  const template = await boxOf(service, env.AUTH_TOKEN, nameOf(0));
  await client.run(doorJob(service, env.AUTH_TOKEN, { box: template, kind: "post", count: 1 }));
  // Each object of the directory makes its tables.
  await service.mail(env.AUTH_TOKEN).mailboxes.list({ limit: 1 });
  await service.stop();
  const file = path.join(dataDir, mailboxFile(template.address));
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const boxes = copyMailbox({ file, dataDir, count: mailboxes }, template);
  listBoxes(dataDir, boxes);
  copyAlarms(dataDir, template, boxes);
  return boxes;
}

function copyMailbox(from: { file: string; dataDir: string; count: number }, template: Box): Box[] {
  const bytes = readFileSync(from.file);
  const places: number[] = [];
  for (let at = bytes.indexOf(nameOf(0)); at !== -1; at = bytes.indexOf(nameOf(0), at + 1)) places.push(at);
  const [, domain = ""] = template.address.split("@");
  const secret = template.key.slice(-32);
  return Array.from({ length: from.count }, (_, index) => {
    const address = `${nameOf(index)}@${domain}`;
    for (const at of places) bytes.write(nameOf(index), at, "latin1");
    if (index > 0) writeFileSync(path.join(from.dataDir, mailboxFile(address)), bytes);
    return { address, key: keyOf(address, secret), ids: [] };
  });
}

function nameOf(index: number): string {
  return `bench-${String(index).padStart(DIGITS, "0")}`;
}

function listBoxes(dataDir: string, boxes: readonly Box[]): void {
  for (const [shard, listed] of Map.groupBy(boxes, ({ address }) => directoryShard(address))) {
    const database = new DatabaseSync(path.join(dataDir, objectFile(DIRECTORY_FOLDER, shard)));
    database.exec("PRAGMA synchronous = OFF; BEGIN");
    const insert = database.prepare(
      "INSERT OR IGNORE INTO entry (address, kind, status, created_at) VALUES (?, 'permanent', 'active', ?)",
    );
    for (const { address } of listed) insert.run(address, Date.now());
    database.exec("COMMIT");
    database.close();
  }
}

function copyAlarms(dataDir: string, template: Box, boxes: readonly Box[]): void {
  const database = new DatabaseSync(path.join(dataDir, MAILBOX_FOLDER, ALARMS_FILE));
  const idOf = ({ address }: Box): string => path.basename(mailboxFile(address), ".sqlite");
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  const copy = database.prepare(
    "INSERT OR IGNORE INTO _cf_ALARM (actor_id, scheduled_time, actor_name) SELECT ?, scheduled_time, ? FROM _cf_ALARM WHERE actor_id = ?",
  );
  for (const box of boxes) copy.run(idOf(box), locatorOf(box.address), idOf(template));
  database.exec("COMMIT");
  database.close();
}

async function listAll(service: Service, { env }: BreadthSetting): Promise<BreadthResults["listPage"]> {
  const times: number[] = [];
  const { mailboxes } = service.mail(env.AUTH_TOKEN);
  for (let cursor: string | undefined = ""; cursor !== undefined && times.length < LIST_PAGES;) {
    const fromMs = performance.now();
    const page: { next_cursor: string | null } = await mailboxes.list({ limit: PAGE, cursor });
    times.push(performance.now() - fromMs);
    cursor = page.next_cursor ?? undefined;
  }
  return { count: times.length, p50Ms: quantile(Float64Array.from(times).toSorted(), 0.5) };
}

async function compareDoors(
  { tempDir, env, client, created }: BreadthSetting,
  many: { service: Service; box: Box | undefined },
): Promise<Pick<BreadthResults, "doors" | "doorsAlone">> {
  const alone = await Service.start(path.join(tempDir, "breadth-alone"), env);
  created(() => alone.stop());
  const box = await boxOf(alone, env.AUTH_TOKEN, "alone");
  const sides = [
    { ...many, box: many.box ?? box, http: [] as number[], smtp: [] as number[] },
    { service: alone, box, http: [] as number[], smtp: [] as number[] },
  ];
  for (let round = 0; round <= DOOR_ROUNDS; round += 1) {
    for (const side of sides) {
      for (const kind of ["post", "smtp"] as const) {
        const job = doorJob(side.service, env.AUTH_TOKEN, { box: side.box, kind, count: DOOR_MAILS });
        const { latenciesMs } = await client.run(job);
        // The first round lets the runtime compile.
        if (round > 0) side[kind === "post" ? "http" : "smtp"].push(...latenciesMs);
      }
    }
  }
  await alone.stop();
  const [doors, doorsAlone] = sides.map(({ http, smtp }) => ({
    httpP50Ms: median(http),
    smtpP50Ms: median(smtp),
  }));
  if (doors === undefined || doorsAlone === undefined) throw new Error("nothing was measured");
  return { doors, doorsAlone };
}

function doorJob(
  service: Service,
  key: string,
  { box, kind, count }: { box: Box; kind: "post" | "smtp"; count: number },
): Job {
  const mailing = mailingTo([box], PLAIN_BYTES);
  const bounds = { connections: 1, durationMs: LIMIT_MS, maxCount: count, mailing };
  return kind === "post"
    ? { kind, port: service.httpPort, key, ...bounds }
    : { kind, port: service.smtpPort, ...bounds };
}

async function boxOf(service: Service, token: string, name: string): Promise<Box> {
  const { mailbox, api_key } = await service.mail(token).mailboxes.create({ name });
  return { address: mailbox, key: api_key, ids: [] };
}

const BLOCK_BYTES = 512;

/** Bytes that the files below a folder take on disk. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).blocks * BLOCK_BYTES, 0);
}

const median = (values: readonly number[]): number => quantile(Float64Array.from(values).toSorted(), 0.5);
