import { statSync } from "node:fs";
import path from "node:path";
import { mailboxFile } from "../../../src/host/backup/data-folder.ts";
import { seqTime } from "../../../src/lib/ids.ts";
import { writeCursor } from "../../../src/mailbox/page.ts";
import { LoadClient, type Job } from "../load.ts";
import { interleave, type Sample, type Side } from "../measure.ts";
import { mailingTo } from "../receipt.ts";
import { Service } from "../service.ts";
import { PLAIN_BYTES, UNBOUNDED } from "../stage.ts";
import type { Box } from "../workbench.ts";
import { comparableRows, fillFile } from "./fill.ts";
import { mailAt } from "./mails.ts";
import { OPERATIONS, seqOf, type Deep } from "./operations.ts";
import type { DepthResults, DepthRow } from "./results.ts";

/** The small mailbox, with which the large one is compared. */
const SMALL = 10_000;
const ROUNDS = 4;
const SLICE_MS = 200;
const MAX_WARM_UP = 20;
const DELETIONS = 60;
const EXPORTED_BYTES = 4_000_000;
const COMPARED_MAILS = 12;
const PAUSE_MS = 4_000;
const TABLES = ["message", "content", "known_id", "message_label", "event"];

/** The means of the suite. */
export interface DepthSetting {
  tempDir: string;
  client: LoadClient;
  env: Record<string, string>;
  /** Mails of the large mailbox. */
  mails: number;
  created: (end: () => void | Promise<void>) => void;
}

interface Place {
  service: Service;
  client: LoadClient;
  env: Record<string, string>;
  small: Deep;
  large: Deep;
  /** Receives mail while others work. */
  beside: Box;
}

/** Fills a small and a large mailbox, and measures each operation in both, in turns. */
export async function measureDepth(
  setting: DepthSetting,
  say: (line: string) => void,
): Promise<DepthResults> {
  const { env, mails } = setting;
  const dataDir = path.join(setting.tempDir, "depth");
  const boxes = await createBoxes(dataDir, setting);
  await compareFill(dataDir, boxes, env);
  const beganMs = performance.now();
  for (const [name, count] of [
    ["small", Math.min(SMALL, mails)],
    ["large", mails],
  ] as const) {
    await fillFile(dataDir, { box: boxes[name], env, count }, (done) =>
      say(
        `depth: the ${name} mailbox has ${done.toLocaleString("en")} of ${count.toLocaleString("en")} mails`,
      ),
    );
  }
  const fillSeconds = (performance.now() - beganMs) / 1_000;
  const bytesOf = (box: Box): number => statSync(path.join(dataDir, mailboxFile(box.address))).size;
  const diskBytes = { small: bytesOf(boxes.small), large: bytesOf(boxes.large) };
  const service = await Service.start(dataDir, env);
  setting.created(() => service.stop());
  const place: Place = {
    service,
    client: setting.client,
    env,
    small: deepOf(boxes.small, Math.min(SMALL, mails)),
    large: deepOf(boxes.large, mails),
    beside: boxes.beside,
  };
  const rows = await measureOperations(place, say);
  say("depth: pauses that a receipt sees");
  const pauses = await measurePauses(place, setting);
  say("depth: deletions and exports");
  rows.push(...(await measureDeletions(place)), await measureExport(place));
  rows.push(await measureEnd(place, pauses, setting));
  await service.stop();
  return { small: place.small.count, large: place.large.count, fillSeconds, diskBytes, rows, pauses };
}

type Boxes = Record<"small" | "large" | "beside" | "received" | "filled", Box>;

async function createBoxes(dataDir: string, { env, created }: DepthSetting): Promise<Boxes> {
  const service = await Service.start(dataDir, env);
  created(() => service.stop());
  const mail = service.mail(env["AUTH_TOKEN"] ?? "");
  const create = async (name: string): Promise<Box> => {
    const made = await mail.mailboxes.create({ name });
    return { address: made.mailbox, key: made.api_key, ids: [] };
  };
  const boxes = {
    small: await create("deepsmall"),
    large: await create("deeplarge"),
    beside: await create("deepbeside"),
    received: await create("deepreceived"),
    filled: await create("deepdirectly"),
  };
  for (let index = 0; index < COMPARED_MAILS; index += 1) {
    const { raw } = mailAt(boxes.received.address, index);
    const to = encodeURIComponent(boxes.received.address);
    const response = await fetch(
      `http://127.0.0.1:${service.httpPort}/v1/inbound?from=bench%40sender.example&to=${to}`,
      { method: "POST", headers: { Authorization: `Bearer ${env["AUTH_TOKEN"] ?? ""}` }, body: raw },
    );
    if (response.status !== 202) throw new Error(`a receipt answered ${response.status}`);
  }
  await service.stop();
  return boxes;
}

/** A mailbox that is filled has the rows of one that received the same mail. */
async function compareFill(dataDir: string, boxes: Boxes, env: Record<string, string>): Promise<void> {
  await fillFile(dataDir, { box: boxes.filled, env, count: COMPARED_MAILS }, () => undefined);
  const [filled, received] = [boxes.filled, boxes.received].map((box) =>
    comparableRows(dataDir, box, TABLES),
  );
  if (filled !== received) throw new Error(`the fill differs from receipts: ${difference(filled, received)}`);
}

/** Where two texts begin to differ. */
function difference(one = "", two = ""): string {
  const at = Array.from(one).findIndex((character, index) => character !== two[index]);
  return [one, two].map((text) => text.slice(Math.max(0, at - 100), at + 100)).join("\n");
}

function deepOf(box: Box, count: number): Deep {
  const middle = seqOf(box, 0.5);
  return {
    box,
    count,
    middle: writeCursor(middle),
    middleTime: new Date(seqTime(middle)).toISOString(),
    middleEvent: Math.floor(count / 2),
  };
}

async function measureOperations(place: Place, say: (line: string) => void): Promise<DepthRow[]> {
  const rows: DepthRow[] = [];
  for (const { name, paths, reason } of OPERATIONS) {
    const side = (deep: Deep): Side => ({
      name,
      pids: [place.service.workerdPid],
      job: () => reading(place, deep, paths(deep)),
    });
    rows.push(await compare(place, { name, reason }, [side(place.small), side(place.large)], say));
  }
  const side = ({ box }: Deep): Side => ({
    name: "receipt",
    pids: [place.service.workerdPid],
    job: () => receiving(place, box, SLICE_MS),
  });
  rows.push(
    await compare(place, { name: "receipt", reason: null }, [side(place.small), side(place.large)], say),
  );
  return rows;
}

async function compare(
  place: Place,
  { name, reason }: { name: string; reason: string | null },
  sides: Side[],
  say: (line: string) => void,
): Promise<DepthRow> {
  for (const side of sides) await place.client.run({ ...side.job(0), maxCount: MAX_WARM_UP } as Job);
  const [small, large] = await interleave(place.client, sides, ROUNDS);
  if (small === undefined || large === undefined) throw new Error(`${name} was not measured`);
  const row = rowOf(name, { small, large }, reason);
  say(`depth: ${name}: ${row.smallMs.toFixed(2)} and ${row.largeMs.toFixed(2)} ms`);
  return row;
}

function rowOf(
  name: string,
  { small, large }: Record<"small" | "large", Pick<Sample, "p50Ms" | "cpuMs">>,
  reason: string | null,
): DepthRow {
  const [smallMs, largeMs] = [small.p50Ms, large.p50Ms];
  return { name, smallMs, largeMs, ratio: largeMs / smallMs, cpuRatio: large.cpuMs / small.cpuMs, reason };
}

function reading({ service }: Place, { box }: Deep, paths: readonly string[]): Job {
  const targets = paths.map((target) => ({ path: target, key: box.key }));
  const bounds = { connections: 1, durationMs: SLICE_MS, maxCount: UNBOUNDED };
  return { kind: "get", port: service.httpPort, targets, ...bounds };
}

function receiving({ service, env }: Place, box: Box, durationMs: number): Job {
  const mailing = mailingTo([box], PLAIN_BYTES);
  const bounds = { connections: 1, durationMs, maxCount: UNBOUNDED };
  return { kind: "post", port: service.httpPort, key: env["AUTH_TOKEN"] ?? "", mailing, ...bounds };
}

/** The longest receipts, alone and while the large mailbox does what takes long, into that mailbox and into another. */
async function measurePauses(place: Place, { created }: DepthSetting): Promise<DepthResults["pauses"]> {
  const other = new LoadClient();
  created(() => other.close());
  const longest = async (box: Box): Promise<number> => {
    const { latenciesMs } = await other.run(receiving(place, box, PAUSE_MS));
    return Math.max(...latenciesMs);
  };
  const pauses = [{ name: "alone", ms: await longest(place.large.box) }];
  const works = {
    "an unknown sender": "/v1/inbox?from=nobody",
    "a word in all": "/v1/search?mode=keyword&q=hello",
    "a word in all and an unknown sender": "/v1/search?mode=keyword&q=hello%20from:nobody",
  };
  for (const [name, target] of Object.entries(works)) {
    const work = place.client.run({
      ...reading(
        place,
        place.large,
        Array.from({ length: 6 }, (_, more) => `${target}&limit=${20 + more}`),
      ),
      durationMs: PAUSE_MS,
    } as Job);
    pauses.push({ name: `beside a look for ${name}`, ms: await longest(place.large.box) });
    await work;
  }
  return pauses;
}

async function measureDeletions({ service, small, large }: Place): Promise<DepthRow[]> {
  const ids = await Promise.all(
    [small, large].map(async ({ box, middle }) => {
      const page = await ask(service, box, `/v1/inbox?limit=${DELETIONS}&cursor=${middle}`);
      return ((await page.json()) as { emails: { id: string }[] }).emails.map(({ id }) => id);
    }),
  );
  const times: [number[], number[]] = [[], []];
  for (let at = 0; at < DELETIONS; at += 1) {
    for (const [side, { box }] of [small, large].entries()) {
      const id = ids[side]?.[at];
      if (id === undefined) continue;
      const beganMs = performance.now();
      await (await ask(service, box, `/v1/emails/${id}`, "DELETE")).arrayBuffer();
      times[side]?.push(performance.now() - beganMs);
    }
  }
  const [one, two] = times.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN);
  const sample = (p50Ms = NaN) => ({ p50Ms, cpuMs: NaN });
  return [rowOf("deletion of an email", { small: sample(one), large: sample(two) }, null)];
}

/** The first megabytes of an export, after its list of mails. */
async function measureExport({ service, small, large }: Place): Promise<DepthRow> {
  const timeOf = async ({ box }: Deep): Promise<number> => {
    const response = await ask(service, box, "/v1/export");
    const reader = response.body?.getReader();
    let [bytes, beganMs] = [0, performance.now()];
    for (let first = true; reader !== undefined && bytes < EXPORTED_BYTES; first = false) {
      const { done, value } = await reader.read();
      if (done) break;
      if (first) beganMs = performance.now();
      bytes += value.byteLength;
    }
    const ms = performance.now() - beganMs;
    await reader?.cancel();
    return ms / (bytes / EXPORTED_BYTES);
  };
  const sample = async (deep: Deep) => ({ p50Ms: await timeOf(deep), cpuMs: NaN });
  await timeOf(small);
  return rowOf("export, 4 MB of it", { small: await sample(small), large: await sample(large) }, null);
}

/** Deletes both mailboxes, and notes the longest receipt of another mailbox beside the deletion of the large one. */
async function measureEnd(
  place: Place,
  pauses: DepthResults["pauses"],
  { created }: DepthSetting,
): Promise<DepthRow> {
  const timeOf = async ({ box }: Deep): Promise<number> => {
    const beganMs = performance.now();
    await (await ask(place.service, box, "/v1/mailbox", "DELETE")).arrayBuffer();
    return performance.now() - beganMs;
  };
  const small = { p50Ms: await timeOf(place.small), cpuMs: NaN };
  const other = new LoadClient();
  created(() => other.close());
  const receipts = other.run(receiving(place, place.beside, PAUSE_MS));
  const large = { p50Ms: await timeOf(place.large), cpuMs: NaN };
  pauses.push({
    name: "of another mailbox, beside the deletion of the large one",
    ms: Math.max(...(await receipts).latenciesMs),
  });
  return rowOf("deletion of the mailbox", { small, large }, "the runtime erases everything stored");
}

async function ask({ httpPort }: Service, { key }: Box, target: string, method = "GET"): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${httpPort}${target}`, { method, headers });
  if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}`);
  return response;
}
