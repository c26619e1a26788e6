import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Job, LoadClient } from "./load.ts";
import { interleave, quantile, type Side } from "./measure.ts";
import { cpuMs, forgetPeak, resident } from "./process-cost.ts";
import { mailingTo } from "./receipt.ts";
import { Service } from "./service.ts";
import { nowMs, Sink } from "./sink.ts";
import { PLAIN_BYTES, UNBOUNDED } from "./stage.ts";
import type { Box } from "./workbench.ts";

/** How fast mail is accepted and sent, and its cost. The relay shares the machine's cores with the service. */
export interface SendingResults {
  /** p50 of a send without `wait`, alone and while others wait to be handed over, and of an inbox page of the same mailbox. */
  accept: { p50Ms: number; busyP50Ms: number; pageP50Ms: number };
  /** From a relay that answers again to the last of so many messages that waited for it. */
  drain: { count: number; perSecond: number; cpuMs: number; connections: number };
  /** One file, from the answer of the send to the end at the relay; workerd before and at most. */
  large: { fileBytes: number; seconds: number; idleBytes: number; peakBytes: number; cpuMs: number };
  /** Receipts of the same mailbox, one after the other, without and while a file leaves it. */
  receipt: { fileBytes: number; idleP99Ms: number; p99Ms: number; count: number };
}

const ROUNDS = 4;
const ACCEPTS = 25;
/** Time in which a message has left, in ms. */
const PAUSE_MS = 40;
const BUSY = 100;
const DRAINED = 100;
const MB = 1_000_000;
/** With a text it stays within the limit of 100 MB. */
const LARGE_FILE_BYTES = 100 * MB - 1_000;
const MIDDLE_FILE_BYTES = 50 * MB;
const RECEIPT_MS = 2_000;
const RECEIPT_ROUNDS = 3;
const SETTLE_MS = 1_500;
const PATIENCE_MS = 120_000;

/** The means of the suite. */
export interface SendingSetting {
  tempDir: string;
  client: LoadClient;
  env: Record<string, string>;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

interface Place {
  service: Service;
  client: LoadClient;
  sink: Sink;
  operatorKey: string;
  box: Box;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export async function measureSending(
  setting: SendingSetting,
  say: (line: string) => void,
): Promise<SendingResults> {
  const sink = await Sink.open();
  setting.created(() => sink.close());
  const place = await open(setting, sink, null);
  await run(place, { maxCount: BUSY, pauseMs: 0 });
  await arrived(place);
  say("sending: accepted");
  const accept = await measureAccept(place);
  say(`sending: ${DRAINED} messages handed over`);
  const drain = await measureDrain(place);
  say("sending: receipts beside a file that leaves");
  const receipt = await measureReceiptBeside(place);
  say("sending: the largest file");
  const upload = await uploadFile(place, LARGE_FILE_BYTES);
  await place.service.stop();
  // Another process, so that its memory shows sending only, and not the upload before.
  const fresh = await open(setting, sink, place.box);
  const large = await measureLarge(fresh, upload);
  await fresh.service.stop();
  await sink.close();
  return { accept, drain, receipt, large };
}

async function open(
  { tempDir, client, env, created }: SendingSetting,
  sink: Sink,
  box: Box | null,
): Promise<Place> {
  const service = await Service.start(path.join(tempDir, "sending"), {
    ...env,
    SMTP_URL: sink.url,
    DAILY_SEND_LIMIT: "1000000",
  });
  created(() => service.stop());
  const operatorKey = env["AUTH_TOKEN"] ?? "";
  const place = { service, client, sink, operatorKey };
  if (box !== null) return { ...place, box };
  const made = await place.service.mail(operatorKey).mailboxes.create({ name: "sender" });
  return { ...place, box: { address: made.mailbox, key: made.api_key, ids: [] } };
}

function sendJob(
  { service, box }: Place,
  options: { maxCount: number; pauseMs: number },
): Extract<Job, { kind: "send" }> {
  return {
    kind: "send",
    port: service.httpPort,
    key: box.key,
    connections: 1,
    durationMs: PATIENCE_MS,
    ...options,
  };
}

function run(place: Place, options: { maxCount: number; pauseMs: number }) {
  return place.client.run(sendJob(place, options));
}

/** Resolves when all messages have arrived at the relay. */
async function arrived({ sink }: Place): Promise<void> {
  for (let count = -1; count !== sink.arrivals.length;) {
    count = sink.arrivals.length;
    await pause(SETTLE_MS);
  }
}

async function measureAccept(place: Place): Promise<SendingResults["accept"]> {
  const pids = [place.service.workerdPid];
  const pageJob = (): Job => ({
    kind: "get",
    port: place.service.httpPort,
    targets: [{ path: "/v1/inbox?limit=20", key: place.box.key }],
    connections: 1,
    durationMs: PATIENCE_MS,
    maxCount: ACCEPTS,
    // Both have the same pauses, because an idle core needs time to wake.
    pauseMs: PAUSE_MS,
  });
  const sides: Side[] = [
    { name: "inbox page", job: pageJob, pids },
    { name: "accept", job: () => sendJob(place, { maxCount: ACCEPTS, pauseMs: PAUSE_MS }), pids },
  ];
  const [page, accept] = await interleave(place.client, sides, ROUNDS);
  const { latenciesMs } = await run(place, { maxCount: BUSY, pauseMs: 0 });
  await arrived(place);
  return {
    p50Ms: accept?.p50Ms ?? Number.NaN,
    busyP50Ms: quantile(latenciesMs.toSorted(), 0.5),
    pageP50Ms: page?.p50Ms ?? Number.NaN,
  };
}

/** The relay does not answer until all messages are accepted, so that only the hand-over is measured. */
async function measureDrain(place: Place): Promise<SendingResults["drain"]> {
  const { sink, service } = place;
  const pid = service.workerdPid;
  sink.order("hold");
  await run(place, { maxCount: DRAINED, pauseMs: 0 });
  await pause(SETTLE_MS);
  const [before, connections, cpu] = [sink.arrivals.length, sink.connections, cpuMs(pid)];
  const startedMs = nowMs();
  sink.order("release");
  await sink.until(() => sink.arrivals.length >= before + DRAINED);
  const elapsedMs = (sink.arrivals.at(-1)?.atMs ?? Number.NaN) - startedMs;
  return {
    count: DRAINED,
    perSecond: (DRAINED / elapsedMs) * 1_000,
    cpuMs: (cpuMs(pid) - cpu) / DRAINED,
    connections: sink.connections - connections,
  };
}

async function measureReceiptBeside(place: Place): Promise<SendingResults["receipt"]> {
  const { sink } = place;
  const id = await uploadFile(place, MIDDLE_FILE_BYTES);
  const idle: number[] = [];
  const beside: number[] = [];
  await receipts(place);
  for (let round = 0; round < RECEIPT_ROUNDS; round += 1) {
    idle.push(...(await receipts(place)));
    const { begun } = sink;
    const before = sink.arrivals.length;
    await sendFile(place, id);
    await sink.until(() => sink.begun > begun);
    // As many slices as fit: none outlasts the file by more than itself.
    while (sink.arrivals.length === before) beside.push(...(await receipts(place, RECEIPT_MS / 10)));
    await arrived(place);
  }
  return {
    fileBytes: MIDDLE_FILE_BYTES,
    idleP99Ms: quantile(Float64Array.from(idle).toSorted(), 0.99),
    p99Ms: quantile(Float64Array.from(beside).toSorted(), 0.99),
    count: beside.length,
  };
}

async function receipts(
  { client, service, operatorKey, box }: Place,
  durationMs = RECEIPT_MS,
): Promise<Float64Array> {
  const { latenciesMs } = await client.run({
    kind: "post",
    port: service.httpPort,
    key: operatorKey,
    mailing: mailingTo([box], PLAIN_BYTES),
    connections: 1,
    durationMs,
    maxCount: UNBOUNDED,
  });
  return latenciesMs;
}

async function measureLarge(place: Place, id: string): Promise<SendingResults["large"]> {
  const { sink, service } = place;
  const pid = service.workerdPid;
  // The idle state is measured after some work.
  await run(place, { maxCount: 5, pauseMs: PAUSE_MS });
  await arrived(place);
  const [idleBytes, cpu, before] = [resident(pid).bytes, cpuMs(pid), sink.arrivals.length];
  forgetPeak(pid);
  await sendFile(place, id);
  const startedMs = nowMs();
  await sink.until(() => sink.arrivals.length > before);
  const seconds = ((sink.arrivals.at(-1)?.atMs ?? Number.NaN) - startedMs) / 1_000;
  return {
    fileBytes: LARGE_FILE_BYTES,
    seconds,
    idleBytes,
    peakBytes: resident(pid).peakBytes,
    cpuMs: cpuMs(pid) - cpu,
  };
}

async function uploadFile(place: Place, sizeBytes: number): Promise<string> {
  const { attachments } = place.service.mail(place.box.key);
  const { id } = await attachments.upload(randomBytes(sizeBytes), { filename: "file.bin" });
  return id;
}

async function sendFile(place: Place, attachment_id: string): Promise<void> {
  await place.service.mail(place.box.key).send({
    to: "reader@elsewhere.example",
    subject: "A file",
    text: "Here it is.",
    attachments: [{ attachment_id }],
  });
}
