import http from "node:http";
import type { AddressInfo } from "node:net";
import { HttpConnection } from "./http-connection.ts";
import { Listener, type ListenerOptions } from "./listener.ts";
import type { Job } from "./load.ts";
import { composeMail } from "./mail.ts";
import { interleave, quantile, type Side } from "./measure.ts";
import { resident } from "./process-cost.ts";
import { mailingTo } from "./receipt.ts";
import { PLAIN_BYTES, UNBOUNDED, type Stage } from "./stage.ts";
import type { Box } from "./workbench.ts";

/**
 * How fast events of received mail arrive at listeners, and how much listeners slow receipts down. Listeners and target share
 * the machine's cores with the service: with a thousand listeners, much of the time is theirs.
 */
export interface LiveResults {
  /** From the answer to a receipt to its frame at each listener. */
  streams: { listeners: number; count: number; p50Ms: number; p99Ms: number }[];
  /** From the answer to a receipt to the arrival of its webhook. */
  webhook: { count: number; p50Ms: number; p99Ms: number };
  crowd: {
    listeners: number;
    /** Receipts a second, without and with them. */
    alonePerSecond: number;
    perSecond: number;
    /** Growth of workerd for each listener, and for each of as many streams of the floor, in bytes. */
    bytesEach: number;
    floorBytesEach: number;
  };
  replay: { events: number; ms: number };
  /** p50 of an inbox page of a mailbox with so many deliveries that wait, and of one with none. */
  waiting: { jobs: number; pages: { connections: number; p50Ms: number; idleP50Ms: number }[] };
}

const RECEIPTS = 200;
/** Between two receipts: everybody has heard of the one before. */
const PAUSE_MS = 15;
const CROWD = 1_000;
const CROWD_CONNECTIONS = 16;
const CROWD_SLICE_MS = 2_000;
const CROWD_ROUNDS = 3;
const SETTLE_MS = 1_500;
const REPLAYED = 10_000;
const REPLAYS = 3;
/** Its nine fields, with nothing in them. */
const MIN_FRAME_BYTES = 250;
const JOBS = 10_000;
const PAGE_SLICE_MS = 500;
const PAGE_ROUNDS = 6;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export async function measureLive(stage: Stage, say: (line: string) => void): Promise<LiveResults> {
  say("live: receipts to listeners");
  const box = await createBox(stage, "live");
  // Compiles code before the measurement.
  await stage.client.run(postJob(stage, [box], { durationMs: SETTLE_MS, maxCount: UNBOUNDED }));
  const streams = [await measureStreams(stage, box, 1), await measureStreams(stage, box, 100)];
  say("live: receipts to a webhook");
  const webhook = await measureWebhook(stage);
  say(`live: ${CROWD} listeners`);
  const crowd = await measureCrowd(stage);
  say(`live: replay of ${REPLAYED} events`);
  const replay = await measureReplay(stage);
  say(`live: inbox beside ${JOBS} waiting deliveries`);
  return { streams, webhook, crowd, replay, waiting: await measureWaiting(stage) };
}

async function measureStreams(
  stage: Stage,
  box: Box,
  count: number,
): Promise<LiveResults["streams"][number]> {
  const listeners = await openListeners(placeOf(stage, box), count);
  const sender = new Sender(stage, box);
  const latencies: number[] = [];
  let seq = await lastSeq(stage, box);
  for (let index = 0; index < RECEIPTS; index += 1) {
    const storedMs = await sender.send();
    seq += 1;
    for (const listener of listeners) latencies.push((await listener.heard(seq)) - storedMs);
    await pause(PAUSE_MS);
  }
  sender.close();
  for (const listener of listeners) listener.close();
  return { listeners: count, ...spreadOf(latencies) };
}

async function measureWebhook(stage: Stage): Promise<LiveResults["webhook"]> {
  const box = await createBox(stage, "hooked");
  const target = await Target.open(true);
  await setUrl(stage, box, target.url);
  const sender = new Sender(stage, box);
  const latencies: number[] = [];
  for (let index = 0; index < RECEIPTS; index += 1) {
    const arrived = target.next();
    const storedMs = await sender.send();
    latencies.push((await arrived) - storedMs);
    await pause(PAUSE_MS);
  }
  sender.close();
  await setUrl(stage, box, null);
  target.close();
  return spreadOf(latencies);
}

/** Measures slices without and with the crowd in turn, so that noise of the machine affects both equally. */
async function measureCrowd(stage: Stage): Promise<LiveResults["crowd"]> {
  const box = await createBox(stage, "crowd");
  const slice = async (): Promise<number> => {
    const bounds = { durationMs: CROWD_SLICE_MS, maxCount: UNBOUNDED };
    const { latenciesMs, elapsedMs } = await stage.client.run(postJob(stage, [box], bounds));
    return (latenciesMs.length / elapsedMs) * 1_000;
  };
  const alone: number[] = [];
  const crowded: number[] = [];
  let bytesEach = 0;
  for (let round = 0; round < CROWD_ROUNDS; round += 1) {
    alone.push(await slice());
    const { listeners, bytesEach: grown } = await gather(stage.service.workerdPid, placeOf(stage, box));
    // Only the first crowd counts: later ones reuse its memory.
    if (round === 0) bytesEach = grown;
    crowded.push(await slice());
    // A listener that was disconnected would have cost nothing, so all must have the last event.
    const last = await lastSeq(stage, box);
    await Promise.all(listeners.map((listener) => listener.heard(last)));
    for (const listener of listeners) listener.close();
    await pause(SETTLE_MS);
  }
  const floorBytesEach = await measureFloorCrowd(stage);
  return {
    listeners: CROWD,
    alonePerSecond: mean(alone),
    perSecond: mean(crowded),
    bytesEach,
    floorBytesEach,
  };
}

/** Measures the same for streams of the floor actor, also after a warm-up. */
async function measureFloorCrowd({ client, floor }: Stage): Promise<number> {
  await client.run({
    kind: "get",
    port: floor.port,
    targets: [{ path: "/a", key: "" }],
    connections: CROWD_CONNECTIONS,
    durationMs: CROWD_SLICE_MS,
    maxCount: UNBOUNDED,
  });
  const { listeners, bytesEach } = await gather(floor.pid, { port: floor.port, path: "/d", key: "" });
  for (const listener of listeners) listener.close();
  return bytesEach;
}

/** Opens a crowd; answers the growth of workerd for each listener in bytes, garbage included. */
async function gather(
  pid: number,
  options: ListenerOptions,
): Promise<{ listeners: Listener[]; bytesEach: number }> {
  await pause(SETTLE_MS);
  const before = resident(pid).bytes;
  const listeners = await openListeners(options, CROWD);
  await pause(SETTLE_MS);
  return { listeners, bytesEach: (resident(pid).bytes - before) / CROWD };
}

async function measureReplay(stage: Stage): Promise<LiveResults["replay"]> {
  const full = stage.levels.find(({ stored }) => stored >= REPLAYED);
  if (full === undefined) throw new Error(`no mailbox holds ${REPLAYED} messages`);
  const last = await lastSeq(stage, full.box);
  const times: number[] = [];
  for (let round = 0; round < REPLAYS; round += 1) {
    const startedMs = performance.now();
    const listener = await Listener.open({ ...placeOf(stage, full.box), lastEventId: last - REPLAYED });
    times.push((await listener.heard(last)) - startedMs);
    if (listener.bytes < REPLAYED * MIN_FRAME_BYTES) throw new Error("a replay left events out");
    listener.close();
  }
  return { events: REPLAYED, ms: spreadOf(times).p50Ms };
}

/** Compares two mailboxes with the same mail; the webhook target of one never answers. */
async function measureWaiting(stage: Stage): Promise<LiveResults["waiting"]> {
  const idle = await createBox(stage, "no-jobs");
  const busy = await createBox(stage, "jobs");
  const target = await Target.open(false);
  await setUrl(stage, busy, target.url);
  await stage.client.run(postJob(stage, [idle, busy], { durationMs: 120_000, maxCount: 2 * JOBS }));
  const pages: LiveResults["waiting"]["pages"] = [];
  for (const connections of [1, 16]) {
    const sides = [idle, busy].map((box) => pageSide(stage, box, connections));
    const [idleSample, sample] = await interleave(stage.client, sides, PAGE_ROUNDS);
    pages.push({
      connections,
      p50Ms: sample?.p50Ms ?? Number.NaN,
      idleP50Ms: idleSample?.p50Ms ?? Number.NaN,
    });
  }
  await setUrl(stage, busy, null);
  target.close();
  return { jobs: JOBS, pages };
}

function pageSide({ service }: Stage, box: Box, connections: number): Side {
  const job = (): Job => ({
    kind: "get",
    port: service.httpPort,
    targets: [{ path: "/v1/inbox?limit=20", key: box.key }],
    connections,
    durationMs: PAGE_SLICE_MS,
    maxCount: UNBOUNDED,
  });
  return { name: "inbox page", job, pids: [service.workerdPid] };
}

function postJob(
  { service, operatorKey }: Stage,
  boxes: readonly Box[],
  bounds: { durationMs: number; maxCount: number },
): Job {
  return {
    kind: "post",
    port: service.httpPort,
    key: operatorKey,
    mailing: mailingTo(boxes, PLAIN_BYTES),
    connections: CROWD_CONNECTIONS,
    ...bounds,
  };
}

const placeOf = ({ service }: Stage, { key }: Box) => ({
  port: service.httpPort,
  path: "/v1/events",
  key,
});

async function openListeners(options: ListenerOptions, count: number): Promise<Listener[]> {
  const listeners: Listener[] = [];
  while (listeners.length < count) {
    const some = Array.from({ length: Math.min(50, count - listeners.length) }, () => Listener.open(options));
    listeners.push(...(await Promise.all(some)));
  }
  return listeners;
}

/** Sends one message after another on one connection. */
class Sender {
  readonly #connection: HttpConnection;
  readonly #head: (bytes: number) => string;
  readonly #box: Box;
  #sent = 0;

  constructor({ service, operatorKey }: Stage, box: Box) {
    this.#connection = new HttpConnection(service.httpPort);
    this.#box = box;
    const path = mailingTo([box], PLAIN_BYTES).targets[0]?.path ?? "";
    this.#head = (bytes) =>
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.httpPort}\r\nAuthorization: Bearer ${operatorKey}\r\n` +
      `Content-Type: message/rfc822\r\nContent-Length: ${bytes}\r\n\r\n`;
  }

  /** Resolves to the time when the message was acknowledged. */
  async send(): Promise<number> {
    this.#sent += 1;
    const serial = `live${performance.now()}-${this.#sent}`;
    const text = composeMail({ to: this.#box.address, serial, sizeBytes: PLAIN_BYTES });
    const message = Buffer.from(text, "latin1");
    const answer = await this.#connection.request(this.#head(message.length), message);
    if (answer.status !== 202)
      throw new Error(`a receipt answered ${answer.status}: ${answer.body.toString()}`);
    return performance.now();
  }

  close(): void {
    this.#connection.close();
  }
}

/** A webhook target that answers at once, or never. */
class Target {
  readonly #server: http.Server;
  #arrived: (atMs: number) => void = () => {};

  private constructor(answers: boolean) {
    this.#server = http.createServer((request, response) => {
      this.#arrived(performance.now());
      request.resume();
      if (answers) response.end();
    });
  }

  static async open(answers: boolean): Promise<Target> {
    const target = new Target(answers);
    await new Promise<void>((resolve) => void target.#server.listen(0, "127.0.0.1", resolve));
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Resolves to the time when the next request arrives. */
  next(): Promise<number> {
    return new Promise((resolve) => (this.#arrived = resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function createBox(stage: Stage, name: string): Promise<Box> {
  const made = await stage.service.mail(stage.operatorKey).mailboxes.create({ name });
  return { address: made.mailbox, key: made.api_key, ids: [] };
}

async function setUrl(stage: Stage, { key }: Box, webhook_url: string | null): Promise<void> {
  await stage.service.mail(key).mailbox.update({ webhook_url });
}

async function lastSeq(stage: Stage, { key }: Box): Promise<number> {
  const { last_seq } = await stage.service.mail(key).changes({ limit: 1 });
  return last_seq;
}

function spreadOf(latencies: readonly number[]): { count: number; p50Ms: number; p99Ms: number } {
  const sorted = Float64Array.from(latencies).toSorted();
  return { count: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
