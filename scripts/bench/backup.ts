import { spawn, type ChildProcess } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { copyFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mailboxFile } from "../../src/host/backup/data-folder.ts";
import type { Job, LoadClient } from "./load.ts";
import { cpuMs } from "./process-cost.ts";
import { mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";
import { PLAIN_BYTES, UNBOUNDED } from "./stage.ts";
import type { Box } from "./workbench.ts";

/** How many mailboxes are backed up, and how large they are together. */
export interface BackupSize {
  mailboxes: number;
  megabytes: number;
}

/** Time of one command, and of its CPU. */
interface Run {
  seconds: number;
  cpuSeconds: number;
}

/** The cost of backup, verification and restore, and what receipts lose beside a backup. */
export interface BackupResults extends BackupSize {
  first: Run;
  unchanged: Run;
  verify: Run;
  restore: Run;
  /** Receipts a second by HTTP while the backup runs, divided by those while it is stopped, in turns. */
  receipts: { ratio: number; turns: number; count: number };
  /** Mailboxes whose mail was compared by SHA-256 after the restore; each was the same. */
  compared: number;
}

/** The means of the suite. */
export interface BackupSetting {
  tempDir: string;
  client: LoadClient;
  env: Record<string, string>;
  size: BackupSize;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

const MB = 1_000_000;
/** The text of the mail is cut out of so many bytes at random places, so that no two mailboxes share a chunk. */
const POOL_BYTES = 16 * MB;
const CONNECTIONS = 4;
const TURN_MS = 3_000;
/** After so many turns the backup runs on alone. */
const MAX_TURNS = 40;
const MAX_COMPARED = 1_000;
const CPU_SAMPLE_MS = 100;
const SERVER = path.resolve(import.meta.dirname, "../server.ts");

/** Fills a data folder, backs it up beside receipts, verifies and restores it, and compares what was restored. */
export async function measureBackup(
  setting: BackupSetting,
  say: (line: string) => void,
): Promise<BackupResults> {
  const { tempDir, env, size } = setting;
  const dataDir = path.join(tempDir, "backup-data");
  const folder = path.join(tempDir, "backup");
  say(`backup: making ${size.mailboxes} mailboxes of ${size.megabytes} MB together`);
  const addresses = await fill(dataDir, setting);
  const service = await Service.start(dataDir, env);
  setting.created(() => service.stop());
  const run = (name: string, place = dataDir): Command => {
    const started = command(name, folder, place);
    setting.created(async () => void started.child.kill("SIGKILL"));
    return started;
  };
  say("backup: the first run, beside receipts");
  const { first, receipts } = await besideReceipts(setting, service, run("backup"));
  say("backup: a run without changes, and verify");
  const unchanged = await run("backup").ended;
  const verify = await run("verify").ended;
  await service.stop();
  say("backup: restore");
  const restored = path.join(tempDir, "backup-restored");
  const restore = await run("restore", restored).ended;
  return {
    ...size,
    first,
    unchanged,
    verify,
    restore,
    receipts,
    compared: compare(addresses, dataDir, restored),
  };
}

/** Copies one mailbox that the service has made, each with an address and mail of its own. */
async function fill(dataDir: string, { client, env, size, created }: BackupSetting): Promise<string[]> {
  const bytes = Math.round((size.megabytes * MB) / size.mailboxes);
  if (bytes > MB) throw new Error("--backup-mb: at most one MB for each of --backup-mailboxes");
  const service = await Service.start(dataDir, env);
  created(() => service.stop());
  const template = await boxOf(service, env, "template");
  await client.run(receiptsOf(service, env, template, { maxCount: 1 }));
  await service.stop();
  const pool = Buffer.from(randomBytes((POOL_BYTES / 4) * 3).toString("base64"));
  const [, domain = ""] = template.address.split("@");
  return Array.from({ length: size.mailboxes }, (_, index) => {
    const address = `bench-${index}@${domain}`;
    const file = path.join(dataDir, mailboxFile(address));
    copyFileSync(path.join(dataDir, mailboxFile(template.address)), file);
    const database = new DatabaseSync(file);
    database.exec("PRAGMA synchronous = OFF");
    database.prepare("UPDATE account SET address = ?").run(address);
    const from = randomInt(POOL_BYTES - bytes);
    database.prepare("UPDATE content SET raw = ?").run(pool.subarray(from, from + bytes));
    database.close();
    return address;
  });
}

async function boxOf(service: Service, env: BackupSetting["env"], name: string): Promise<Box> {
  const made = await service.mail(env["AUTH_TOKEN"] ?? "").mailboxes.create({ name });
  return { address: made.mailbox, key: made.api_key, ids: [] };
}

function receiptsOf(
  service: Service,
  env: BackupSetting["env"],
  box: Box,
  { maxCount }: { maxCount: number },
): Job {
  return {
    kind: "post",
    port: service.httpPort,
    key: env["AUTH_TOKEN"] ?? "",
    mailing: mailingTo([box], PLAIN_BYTES),
    connections: CONNECTIONS,
    durationMs: TURN_MS,
    maxCount,
  };
}

/** Runs the first backup, and in turns receipts while it is stopped and while it runs, until it ends. */
async function besideReceipts(
  { client, env }: BackupSetting,
  service: Service,
  backup: Command,
): Promise<{ first: Run; receipts: BackupResults["receipts"] }> {
  const box = await boxOf(service, env, "receiver");
  const rate = { stopped: 0, running: 0 };
  let [turns, count, stoppedMs] = [0, 0, 0];
  const receive = async (): Promise<number> => {
    const { latenciesMs, elapsedMs } = await client.run(
      receiptsOf(service, env, box, { maxCount: UNBOUNDED }),
    );
    count += latenciesMs.length;
    return latenciesMs.length / elapsedMs;
  };
  while (turns < MAX_TURNS && backup.isRunning) {
    const beganMs = performance.now();
    backup.child.kill("SIGSTOP");
    const whileStopped = await receive();
    backup.child.kill("SIGCONT");
    stoppedMs += performance.now() - beganMs;
    const whileRunning = await receive();
    // In the last turn the backup may have ended in the middle.
    if (!backup.isRunning && turns > 0) break;
    rate.stopped += whileStopped;
    rate.running += whileRunning;
    turns += 1;
  }
  const { seconds, cpuSeconds } = await backup.ended;
  return {
    first: { seconds: seconds - stoppedMs / 1_000, cpuSeconds },
    receipts: { ratio: rate.running / rate.stopped, turns, count },
  };
}

/** A command of `mailkeep-server` in a process of its own. */
interface Command {
  child: ChildProcess;
  readonly isRunning: boolean;
  /** Rejects unless it exits with 0. */
  ended: Promise<Run>;
}

function command(name: string, folder: string, dataDir: string): Command {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [SERVER, name, folder], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let cpu = 0;
  const sample = setInterval(() => (cpu = cpuOf(child) ?? cpu), CPU_SAMPLE_MS);
  const ended = new Promise<Run>((resolve, reject) => {
    child.once("exit", (code, signal) => {
      clearInterval(sample);
      const seconds = (performance.now() - beganMs) / 1_000;
      if (code === 0) resolve({ seconds, cpuSeconds: cpu / 1_000 });
      else reject(new Error(`${name} ended with ${code ?? signal}`));
    });
  });
  return {
    child,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    ended,
  };
}

/** Null if the process has just ended. */
function cpuOf({ pid }: ChildProcess): number | null {
  try {
    return cpuMs(pid ?? 0);
  } catch {
    return null;
  }
}

/** Compares mail of restored mailboxes by SHA-256; returns of how many. Throws if one differs. */
function compare(addresses: readonly string[], dataDir: string, restored: string): number {
  const every = Math.ceil(addresses.length / MAX_COMPARED);
  const chosen = addresses.filter((_, index) => index % every === 0);
  for (const address of chosen) {
    const [before, after] = [dataDir, restored].map((dir) => hashOf(path.join(dir, mailboxFile(address))));
    if (before !== after) throw new Error(`${address} is not as it was`);
  }
  return chosen.length;
}

function hashOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const hash = createHash("sha256");
    for (const row of database.prepare("SELECT seq, raw FROM content ORDER BY seq").iterate())
      hash.update(String(row["seq"])).update(row["raw"] instanceof Uint8Array ? row["raw"] : "");
    return hash.digest("hex");
  } finally {
    database.close();
  }
}
