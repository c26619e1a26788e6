import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { claimPorts } from "../../src/host/ports.ts";
import { mailboxFile } from "../../src/host/backup/data-folder.ts";
import { workerdPids } from "../../src/host/processes.ts";
import { benchWorker, embed } from "./bundles.ts";
import { HttpConnection, type HttpAnswer } from "./http-connection.ts";
import { composeMail } from "./mail.ts";
import { quantile } from "./measure.ts";
import { preciseCpuMs } from "./process-cost.ts";
import { Service } from "./service.ts";
import { PLAIN_BYTES } from "./stage.ts";

/** Medians in ms of what a mailbox does first, and CPU of the server for all of it. */
export interface FirstSteps {
  birthMs: number;
  mailMs: number;
  /** The inbox of a mailbox that was not in memory. */
  wakeMs: number;
  /** CPU of birth and first mail together. */
  cpuMs: number;
  /** Bytes on disk of a mailbox with one mail: while it is in memory, and once it has left it. */
  awakeBytes: number;
  asleepBytes: number;
}

export interface BirthResults {
  count: number;
  service: FirstSteps;
  /** The least that an actor can do and still be a mailbox. */
  bare: FirstSteps;
}

/** The means of the suite. */
export interface BirthSetting {
  tempDir: string;
  builtDir: string;
  env: { AUTH_TOKEN: string } & Record<string, string>;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

const COUNT = 150;
/** The first ones let the runtime compile its code. */
const WARM_UP = 50;
/** The runtime closes an object after ten idle seconds. */
const SLEEP_MS = 13_000;
const SENDER = "bench@sender.example";

/** The figures of one side. */
interface Times {
  birth: number[];
  mail: number[];
  wake: number[];
  cpuMs: number;
}

/** Mailboxes are made, get a mail, fall asleep and are read, in turn with bare actors. */
export async function measureBirth(
  setting: BirthSetting,
  say: (line: string) => void,
): Promise<BirthResults> {
  const { tempDir, env } = setting;
  const dataDir = path.join(tempDir, "birth");
  const service = await Service.start(dataDir, env);
  setting.created(() => service.stop());
  const ours = serviceSide(service, env.AUTH_TOKEN, dataDir);
  const bare = await startBare(setting);
  const measured = [ours, bare].map((side) => ({
    side,
    times: { birth: [], mail: [], wake: [], cpuMs: 0 } as Times,
  }));
  say(`birth: ${COUNT} mailboxes and their first mails, in turn with bare actors`);
  for (let index = 0; index < WARM_UP + COUNT; index += 1) {
    for (const { side, times } of measured) await firstSteps(side, index, times);
  }
  const last = `n${WARM_UP + COUNT - 1}`;
  const awake = { service: ours.bytes(last), bare: bare.bytes(last) };
  say("birth: waiting until they have left memory");
  await new Promise((resolve) => void setTimeout(resolve, SLEEP_MS));
  const asleep = { service: ours.bytes(last), bare: bare.bytes(last) };
  for (let index = 0; index < WARM_UP + COUNT; index += 1) {
    for (const { side, times } of measured) {
      const wake = await timed(() => side.inbox(`n${index}`));
      if (index >= WARM_UP) times.wake.push(wake);
    }
  }
  for (const { side } of measured) side.close();
  await service.stop();
  const [of, ofBare] = measured.map(({ times }) => times);
  if (of === undefined || ofBare === undefined) throw new Error("nothing was measured");
  return {
    count: COUNT,
    service: { ...mediansOf(of), awakeBytes: awake.service, asleepBytes: asleep.service },
    bare: { ...mediansOf(ofBare), awakeBytes: awake.bare, asleepBytes: asleep.bare },
  };
}

/** Makes a mailbox and delivers its first mail. */
async function firstSteps(side: BirthSide, index: number, times: Times): Promise<void> {
  const before = preciseCpuMs(side.pid);
  const birth = await timed(() => side.begin(`n${index}`));
  const mail = await timed(() => side.mail(`n${index}`));
  if (index < WARM_UP) return;
  times.birth.push(birth);
  times.mail.push(mail);
  times.cpuMs += preciseCpuMs(side.pid) - before;
}

function mediansOf({ birth, mail, wake, cpuMs }: Times): Omit<FirstSteps, "awakeBytes" | "asleepBytes"> {
  return { birthMs: median(birth), mailMs: median(mail), wakeMs: median(wake), cpuMs: cpuMs / COUNT };
}

/** One of the two that are compared. */
interface BirthSide {
  pid: number;
  begin(name: string): Promise<void>;
  mail(name: string): Promise<void>;
  inbox(name: string): Promise<void>;
  /** Bytes of the files of one mailbox. */
  bytes(name: string): number;
  close(): void;
}

function serviceSide(service: Service, operatorKey: string, dataDir: string): BirthSide {
  const http = new HttpConnection(service.httpPort);
  const keys = new Map<string, { mailbox: string; api_key: string }>();
  const ask = async (
    target: string,
    key: string,
    body?: { type: string; text: string },
  ): Promise<HttpAnswer> => {
    const bytes = body === undefined ? undefined : Buffer.from(body.text);
    const typed =
      body === undefined ? "" : `Content-Type: ${body.type}\r\nContent-Length: ${bytes?.length}\r\n`;
    const method = body === undefined ? "GET" : "POST";
    const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${typed}\r\n`;
    return good(await http.request(head, bytes));
  };
  const boxOf = (name: string) => keys.get(name) ?? { mailbox: "", api_key: "" };
  return {
    pid: service.workerdPid,
    async begin(name) {
      const text = JSON.stringify({ name });
      const { body } = await ask("/v1/mailboxes", operatorKey, { type: "application/json", text });
      keys.set(name, JSON.parse(body.toString()) as { mailbox: string; api_key: string });
    },
    async mail(name) {
      const { mailbox } = boxOf(name);
      const text = composeMail({ to: mailbox, serial: "first", sizeBytes: PLAIN_BYTES });
      const target = `/v1/inbound?from=${encodeURIComponent(SENDER)}&to=${encodeURIComponent(mailbox)}`;
      await ask(target, operatorKey, { type: "message/rfc822", text });
    },
    inbox: async (name) => void (await ask("/v1/inbox?limit=20", boxOf(name).api_key)),
    bytes: (name) => bytesOf(path.join(dataDir, mailboxFile(boxOf(name).mailbox))),
    close: () => http.close(),
  };
}

async function startBare({ tempDir, builtDir, created }: BirthSetting): Promise<BirthSide> {
  const [port = 0] = await claimPorts([{ protocol: "HTTP", host: "127.0.0.1", port: 0, variable: "none" }]);
  const before = new Set(workerdPids(process.pid));
  const dataDir = path.join(tempDir, "birth-bare");
  const runtime = await embed(dataDir, [benchWorker(builtDir, port)]);
  created(() => runtime.dispose());
  const pid = workerdPids(process.pid).find((one) => !before.has(one)) ?? 0;
  const http = new HttpConnection(port);
  const ask = async (what: string, name: string, text = ""): Promise<void> => {
    const body = Buffer.from(text);
    const length = text === "" ? "" : `Content-Length: ${body.length}\r\n`;
    const method = text === "" ? "GET" : "POST";
    const target = `/bare/${what}?box=${name}`;
    good(await http.request(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${length}\r\n`, body));
  };
  return {
    pid,
    begin: (name) => ask("begin", name),
    mail: (name) =>
      ask(
        "store",
        name,
        composeMail({ to: `${name}@bench.example`, serial: "first", sizeBytes: PLAIN_BYTES }),
      ),
    inbox: (name) => ask("inbox", name),
    bytes: () => newestBytes(path.join(dataDir, "do/bench-Bare")),
    close: () => http.close(),
  };
}

function good(answer: HttpAnswer): HttpAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`answered ${answer.status}: ${answer.body.toString("utf8", 0, 500)}`);
}

/** Bytes of a database and its log. */
function bytesOf(file: string): number {
  const sizes = ["", "-wal", "-shm"].map(
    (suffix) => statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** Bytes of one of the objects of a class: those that did the same are equally large. */
function newestBytes(folder: string): number {
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return median(files.map((name) => bytesOf(path.join(folder, name))));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const fromMs = performance.now();
  await work();
  return performance.now() - fromMs;
}

const median = (values: readonly number[]): number => quantile(Float64Array.from(values).toSorted(), 0.5);
