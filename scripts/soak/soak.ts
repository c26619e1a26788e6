import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { quantile } from "../bench/measure.ts";
import { audit, AUDITED_HOURS, auditMail, isSettled } from "./audit.ts";
import { Births } from "./births.ts";
import { VirtualClock } from "./clock.ts";
import { forget } from "./deletions.ts";
import { SmallDisk } from "./disk.ts";
import { planFaults, type Fault } from "./faults.ts";
import { Ledger, type Box } from "./ledger.ts";
import { listen } from "./listeners.ts";
import { backUp, exportOne, restoreElsewhere } from "./moving.ts";
import type { SoakOptions } from "./options.ts";
import { pause, unlessAborted } from "./pause.ts";
import { Random } from "./random.ts";
import { read } from "./reads.ts";
import { Sender } from "./receipts.ts";
import { judgeGrowth, lineOf, type Sample } from "./report.ts";
import { send } from "./sends.ts";
import { SoakedServer } from "./server.ts";
import { SmtpSink, WebhookSink } from "./sinks.ts";
import type { Stage } from "./stage.ts";

/** The end of a run. */
export interface Verdict {
  samples: Sample[];
  /** The faults; empty if all is right. */
  faults: string[];
  /** The parts that were not tried, with the reason, and the figures. */
  remarks: string[];
  ledger: Ledger;
}

const DAY_MS = 86_400_000;
/** The hours by which the clock moves at the end, until every deferred send was tried to its end. */
const SETTLING_HOURS = [1, 5, 13, 25, 49];
/** In this time the sends that are due at a start are tried. */
const SETTLING_PAUSE_MS = 3_000;
/** The clock is moved on only when what began so many hours ago has ended; it waits for that for three minutes at most. */
const SLOW_HOURS = 6;
const WAIT_MS = 100;
const MAX_LOG_CHARS = 160;
const MAX_LOG_LINES = 40;
const MAX_WAITS = 1_800;
const DISK_MB = 6_000;
const SETTINGS: Readonly<Record<string, string>> = {
  MAIL_DOMAIN: "soak.test",
  AUTH_TOKEN: "operator-token-of-the-soak-0123456789",
  KEY_SECRET: "key-secret-of-the-soak-0123456789-0123",
  WEBHOOK_SECRET: "webhook-secret-of-the-soak-0123456789",
  ALLOW_PRIVATE_WEBHOOKS: "true",
  EVENT_RETENTION_DAYS: "2",
  DAILY_SEND_LIMIT: "1000000",
  BOOTSTRAP_PER_HOUR: "1000000",
};

/**
 * Runs the server under a mixed load with faults, and compares everything with the ledger. When `stopped` is aborted, it clears
 * away the server, the disk and the folder, and rejects with the signal's reason.
 */
export async function soak(
  options: SoakOptions,
  say: (line: string) => void,
  stopped: AbortSignal = new AbortController().signal,
): Promise<Verdict> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "mailkeep-soak-"));
  const cleanUps: (() => void | Promise<void>)[] = [];
  if (!options.keep) cleanUps.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const disk = options.fillsDisk ? SmallDisk.open(folder, DISK_MB) : null;
    if (disk !== null) cleanUps.push(() => disk.close());
    const ending = new AbortController();
    const stage = await stageOf(options, folder, { disk, ending, say, cleanUps });
    const run = new Soak(stage, disk, say).run(ending);
    // What still runs after a stop fails, because the server is gone.
    run.catch(() => {});
    return await Promise.race([run, rejectionOf(stopped)]);
  } finally {
    // One that fails does not keep the others from being done.
    for (const cleanUp of cleanUps.toReversed()) {
      await Promise.resolve()
        .then(cleanUp)
        .catch((error: unknown) => say(`not cleared away: ${String(error)}`));
    }
    if (options.keep) say(`kept: ${folder}`);
  }
}

/** Rejects with the reason of a signal once it is aborted. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener("abort", fail);
  });
}

interface Means {
  disk: SmallDisk | null;
  ending: AbortController;
  say: (line: string) => void;
  cleanUps: (() => void | Promise<void>)[];
}

async function stageOf(options: SoakOptions, folder: string, means: Means): Promise<Stage> {
  const { disk, ending, say, cleanUps } = means;
  const clock = new VirtualClock(folder);
  const ledger = new Ledger(say, () => clock.now());
  const smtpSink = await SmtpSink.start();
  cleanUps.push(() => smtpSink.stop());
  const secret = SETTINGS["WEBHOOK_SECRET"] ?? "";
  const webhookSink = await WebhookSink.start(secret, (fault) => ledger.wrong(fault));
  cleanUps.push(() => webhookSink.stop());
  const dataDir = path.join(disk?.folder ?? folder, "data");
  mkdirSync(dataDir);
  const server = await SoakedServer.start({
    dataDir,
    logFile: path.join(folder, "server.log"),
    env: {
      ...SETTINGS,
      ...clock.environment(),
      SMTP_URL: `smtp://127.0.0.1:${smtpSink.port}?ignoreTLS=true`,
    },
  });
  cleanUps.push(() => server.stop());
  const random = new Random(options.seed);
  return { options, folder, clock, ledger, server, smtpSink, webhookSink, random, ending: ending.signal };
}

/** One run. */
class Soak {
  readonly #stage: Stage;
  readonly #disk: SmallDisk | null;
  readonly #say: (line: string) => void;
  readonly #births: Births;
  /** Aborted when the listeners are no longer needed. */
  readonly #over = new AbortController();
  readonly #listeners: Promise<void>[] = [];
  readonly #samples: Sample[] = [];
  readonly #startedMs = performance.now();
  #received = 0;
  #movedMs = 0;
  /** How long the plan waited for the server. */
  #waitedMs = 0;

  constructor(stage: Stage, disk: SmallDisk | null, say: (line: string) => void) {
    this.#stage = stage;
    this.#disk = disk;
    this.#say = say;
    this.#births = new Births(stage, (box) => this.#listen(box));
  }

  async run(ending: AbortController): Promise<Verdict> {
    const { options } = this.#stage;
    for (let made = 0; made < options.mailboxes; made += 1)
      await this.#births.make("permanent", made % 2 === 0);
    for (let made = 0; made < options.mailboxes / 4; made += 1) await this.#births.make("temporary", false);
    const load = this.#load();
    await this.#makeFaults();
    await this.#pauseUntil(options.minutes * 60_000);
    ending.abort();
    await Promise.all(load);
    this.#say("the load has ended; everything is compared");
    await this.#compareAll();
    this.#over.abort();
    await Promise.all(this.#listeners);
    return this.#verdict();
  }

  /** Everything that happens at the same time, until the load ends. */
  #load(): Promise<void>[] {
    const stage = this.#stage;
    const senders = Array.from({ length: 4 }, () => new Sender(stage));
    const repeater = new Sender(stage);
    const coder = new Sender(stage);
    const tasks: { name: string; everyMs: number; turn: (random: Random) => Promise<void> }[] = [
      ...senders.map((sender, index) => ({
        name: `sender ${index}`,
        everyMs: 160,
        turn: (random: Random) => sender.receive(random),
      })),
      { name: "repeater", everyMs: 700, turn: (random) => repeater.repeat(random) },
      { name: "codes", everyMs: 1_000, turn: (random) => coder.code(random) },
      { name: "reader 0", everyMs: 60, turn: (random) => read(stage, random) },
      { name: "reader 1", everyMs: 60, turn: (random) => read(stage, random) },
      { name: "sends 0", everyMs: 500, turn: (random) => send(stage, random) },
      { name: "sends 1", everyMs: 500, turn: (random) => send(stage, random) },
      { name: "deletions 0", everyMs: 250, turn: (random) => forget(stage, random) },
      { name: "deletions 1", everyMs: 250, turn: (random) => forget(stage, random) },
      { name: "births", everyMs: 15_000, turn: (random) => this.#births.turn(random) },
      { name: "exports", everyMs: 12_000, turn: (random) => exportOne(stage, random) },
      ...(stage.options.backsUp ? [{ name: "backups", everyMs: 40_000, turn: () => backUp(stage) }] : []),
    ];
    const loops = tasks.map(({ name, everyMs, turn }) =>
      this.#repeating(stage.random.named(name), everyMs, turn),
    );
    return [
      ...loops,
      Promise.all(loops).then(() => {
        for (const sender of [...senders, repeater, coder]) sender.close();
      }),
    ];
  }

  /** Takes turns until the load ends, with pauses around `everyMs` between them. */
  async #repeating(random: Random, everyMs: number, turn: (random: Random) => Promise<void>): Promise<void> {
    const { ending, options, ledger } = this.#stage;
    while (!ending.aborted) {
      try {
        await turn(random);
      } catch (error) {
        ledger.wrong(`the tool itself failed: ${error instanceof Error ? error.stack : String(error)}`);
      }
      await unlessAborted(ending, pause((everyMs * 2 * random.next()) / options.rate));
    }
  }

  async #makeFaults(): Promise<void> {
    for (const fault of planFaults(this.#stage.options, this.#stage.random.named("faults"))) {
      await this.#pauseUntil(fault.atMs);
      const beganMs = performance.now();
      await this.#make(fault);
      // While the server starts, the plan waits: else a slow machine would only ever start it.
      if (fault.kind !== "full disk") this.#waitedMs += performance.now() - beganMs;
    }
  }

  async #make(fault: Fault): Promise<void> {
    const { server, clock, ledger } = this.#stage;
    if (fault.kind === "jump") {
      // A sender or a client that tries again for days would not be typical, and what it repeats is forgotten by then.
      for (let waits = 0; ledger.isSlow(SLOW_HOURS) && waits < MAX_WAITS; waits += 1) await pause(WAIT_MS);
      clock.move(fault.byMs);
      server.disturbed();
      if (clock.canMove) this.#movedMs += fault.byMs;
      return;
    }
    if (fault.kind === "full disk") return this.#fillDisk(fault.forMs);
    await this.#sample(`killed ${fault.victim}`);
    await server.kill(fault.victim);
  }

  async #fillDisk(forMs: number): Promise<void> {
    const disk = this.#disk;
    if (disk?.kind === null || disk === null) return;
    await this.#stage.server.inTrouble(async () => {
      disk.fill();
      this.#say("the disk is full");
      await pause(forMs);
      disk.free();
      this.#say("the disk has room again");
    });
  }

  async #sample(what: string): Promise<void> {
    const { server, ledger, folder } = this.#stage;
    const { workerd, host } = server.memory();
    const data = this.#disk === null ? path.join(folder, "data") : path.join(this.#disk.folder, "data");
    const received = ledger.counted("received");
    const sample: Sample = {
      minutes: this.#plannedMs() / 60_000,
      day: this.#movedMs / DAY_MS,
      workerdBytes: workerd,
      hostBytes: host,
      diskBytes: await bytesUnder(data),
      heldBytes: ledger.heldBytes(),
      received: received - this.#received,
      p99Ms: quantile(Float64Array.from(ledger.takeLatencies()).toSorted(), 0.99),
      what,
    };
    this.#received = received;
    this.#samples.push(sample);
    this.#say(lineOf(sample, ledger));
  }

  async #pauseUntil(ms: number): Promise<void> {
    await pause(Math.max(0, ms - this.#plannedMs()));
  }

  /** The time of the plan. */
  #plannedMs(): number {
    return performance.now() - this.#startedMs - this.#waitedMs;
  }

  #listen(box: Box): void {
    const way = this.#listeners.length % 3 === 2 ? "poll" : "stream";
    this.#listeners.push(listen(this.#stage, box, this.#over.signal, way));
  }

  /** Compares every mailbox, what is gone, and a restored backup. */
  async #compareAll(): Promise<void> {
    const stage = this.#stage;
    const { ledger, clock, server } = stage;
    for (const box of ledger.boxes) box.isRetired = true;
    const isYoung = (box: Box): boolean => !ledger.isOlder(box, AUDITED_HOURS);
    const temporary = ledger.boxes.filter((box) => box.kind === "temporary" && isYoung(box));
    for (const box of temporary) await audit(stage, box);
    // Deferred sends are tried again after hours, and alarms ring at the start at the latest.
    for (const hours of SETTLING_HOURS) {
      clock.move(hours * 3_600_000);
      await server.restart();
      if (await this.#settle()) break;
    }
    for (const box of ledger.boxes) if (box.kind === "permanent") await audit(stage, box);
    this.#say("every mailbox is compared");
    await this.#births.checkGone();
    if (!stage.options.backsUp) return;
    const restored = await restoreElsewhere(stage);
    if (restored === null) return;
    this.#over.abort();
    await Promise.all(this.#listeners);
    await server.startOn(restored);
    for (const box of ledger.boxes) if (isYoung(box)) await auditMail(stage, box);
  }

  /** Waits until every send was tried to its end, for some seconds; false if some still wait. */
  async #settle(): Promise<boolean> {
    const endMs = performance.now() + SETTLING_PAUSE_MS;
    while (!(await this.#areSettled())) {
      if (performance.now() > endMs) return false;
      await pause(WAIT_MS);
    }
    return true;
  }

  async #areSettled(): Promise<boolean> {
    const permanent = this.#stage.ledger.boxes.filter(({ kind }) => kind === "permanent");
    for (const box of permanent) if (!(await isSettled(this.#stage, box))) return false;
    return true;
  }

  #verdict(): Verdict {
    const { ledger, server, clock, folder } = this.#stage;
    const { sentences, faults } = judgeGrowth(this.#samples);
    const remarks = [
      ...(clock.canMove ? [] : ["Skipped: no virtual days, because that needs Linux and a C compiler (cc)."]),
      ...(this.#disk?.kind === null
        ? ["Skipped: no full disk, because a small file system needs root to mount."]
        : []),
      ...sentences,
      ...server.ownEnds,
      ...logLines(path.join(folder, "server.log")),
    ];
    return { samples: this.#samples, faults: [...ledger.faults, ...faults], remarks, ledger };
  }
}

/** The most frequent lines of the log of the server, without ids and numbers, and how often each came. */
function logLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const counts = new Map<string, number>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const shape = line
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+/g, "#")
      .replaceAll(/reference = \w+/g, "reference = #")
      .slice(0, MAX_LOG_CHARS);
    if (/^\w/.test(shape)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_LOG_LINES)
    .map(([line, count]) => `log, ${count} times: ${line}`);
}

const exec = promisify(execFile);

/** Bytes of disk that a folder takes. */
async function bytesUnder(folder: string): Promise<number> {
  // `du` fails if a file goes away while it looks, and prints the sum nevertheless.
  const stdout = await exec("du", ["-s", "-B1", folder]).then(
    (done) => done.stdout,
    (error: { stdout?: string }) => error.stdout ?? "",
  );
  return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
}
