import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { DovecotLmtp, dovecotMissing } from "./dovecot-lmtp.ts";
import { quantile } from "./measure.ts";
import { cpuMs } from "./process-cost.ts";
import { Service } from "./service.ts";

/** One way to deliver: a session for each mail, or sessions that are used again. */
const WAYS = ["reused sessions", "a session a mail"] as const;
type Way = (typeof WAYS)[number];

/** Rates of mails by SMTP, sixteen sessions at a time. */
export interface DoorResults {
  /** Why there is no floor; null if there is one. */
  missing: string | null;
  ways: {
    way: Way;
    count: number;
    perSecond: number;
    /** Of Dovecot's LMTP in the same turns; null where it is missing. */
    floorPerSecond: number | null;
    /** The median of the ratios of the turns. */
    ratio: number | null;
    /** CPU of the listener and of workerd for a mail, in ms. */
    nodeMs: number;
    workerdMs: number;
  }[];
}

/** The means of the suite. */
export interface DoorSetting {
  tempDir: string;
  env: Record<string, string>;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

/** Debian's places of Postfix's generator of load. */
const GENERATORS = ["/usr/sbin/smtp-source", "/usr/bin/smtp-source"];
const SESSIONS = 16;
const BYTES = 2_048;
const TURNS = 5;
const PER_TURN = 300;
/** The code of the service is compiled while it runs. */
const WARM_UP = 1_500;
const FLOOR_WARM_UP = 200;

/** A server, and how `smtp-source` is told of it. */
interface Target {
  args: readonly string[];
  to: string;
  /** The processes whose CPU is counted. */
  pids: readonly number[];
}

interface Bench {
  generator: string;
  own: Target;
  /** Null where it is missing. */
  floor: Target | null;
}

/** The rates of one turn, in mails a second. */
interface Turn {
  own: number;
  floor: number | null;
}

/** The service's SMTP beside Dovecot's LMTP, in turns: mails of 2 KB by Postfix's `smtp-source`. */
export async function measureDoor(setting: DoorSetting, say: (line: string) => void): Promise<DoorResults> {
  const generator = GENERATORS.find((file) => existsSync(file));
  if (generator === undefined) {
    const missing = "smtp-source is not installed (Debian: postfix)";
    say(`door: not measured: ${missing}`);
    return { missing, ways: [] };
  }
  const missing = dovecotMissing();
  say(missing === null ? "door: beside Dovecot's LMTP" : `door: without a floor: ${missing}`);
  const { service, own } = await startOwn(setting);
  const bench = { generator, own, floor: missing === null ? await startFloor(setting) : null };
  await deliver(bench.generator, own, { way: "reused sessions", count: WARM_UP });
  if (bench.floor !== null) {
    await deliver(bench.generator, bench.floor, { way: "reused sessions", count: FLOOR_WARM_UP });
  }
  const ways: DoorResults["ways"] = [];
  for (const way of WAYS) ways.push(await measureWay(bench, way));
  await service.stop();
  return { missing, ways };
}

async function startOwn({ tempDir, env, created }: DoorSetting): Promise<{ service: Service; own: Target }> {
  const service = await Service.start(path.join(tempDir, "door"), { ...env, SENDER_CHECKS: "off" });
  created(() => service.stop());
  const box = await service.mail(env["AUTH_TOKEN"] ?? "").mailboxes.create({ name: "box" });
  const args = [`127.0.0.1:${service.smtpPort}`];
  return { service, own: { args, to: box.mailbox, pids: [service.nodePid, service.workerdPid] } };
}

async function startFloor({ tempDir, created }: DoorSetting): Promise<Target> {
  const dovecot = await DovecotLmtp.start(path.join(tempDir, "dovecot"));
  created(() => dovecot.stop());
  return { args: ["-L", `127.0.0.1:${dovecot.port}`], to: "box@mailkeep.test", pids: [] };
}

async function measureWay({ generator, own, floor }: Bench, way: Way): Promise<DoorResults["ways"][number]> {
  const turns: Turn[] = [];
  const costs = own.pids.map(() => 0);
  const ownRate = async (): Promise<number> => {
    const before = own.pids.map(cpuMs);
    const rate = await deliver(generator, own, { way, count: PER_TURN });
    for (const [index, pid] of own.pids.entries()) {
      costs[index] = (costs[index] ?? 0) + cpuMs(pid) - (before[index] ?? 0);
    }
    return rate;
  };
  const floorRate = async (): Promise<number | null> =>
    floor === null ? null : deliver(generator, floor, { way, count: PER_TURN });
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The second of a pair finds the disk that the first has left.
    if (turn % 2 === 0) turns.push({ own: await ownRate(), floor: await floorRate() });
    else turns.push(await floorRate().then(async (first) => ({ floor: first, own: await ownRate() })));
  }
  const floors = turns.flatMap((turn) => (turn.floor === null ? [] : [turn.floor]));
  const ratios = turns.flatMap((turn) => (turn.floor === null ? [] : [turn.own / turn.floor]));
  const count = TURNS * PER_TURN;
  return {
    way,
    count,
    perSecond: median(turns.map((turn) => turn.own)),
    floorPerSecond: floors.length === 0 ? null : median(floors),
    ratio: ratios.length === 0 ? null : median(ratios),
    nodeMs: (costs[0] ?? 0) / count,
    workerdMs: (costs[1] ?? 0) / count,
  };
}

const median = (values: readonly number[]): number => quantile(Float64Array.from(values).toSorted(), 0.5);

/** Delivers mails and returns how many a second. Rejects if one was not accepted. */
function deliver(
  generator: string,
  target: Target,
  { way, count }: { way: Way; count: number },
): Promise<number> {
  const load = `-s ${SESSIONS} -m ${count} -l ${BYTES} -f bench@sender.example -t ${target.to}`.split(" ");
  const args = [...load, ...(way === "reused sessions" ? ["-d"] : []), ...target.args];
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(generator, args, { stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve((count * 1_000) / (performance.now() - startMs));
      else reject(new Error(`smtp-source ended with ${code}`));
    });
  });
}
