import type { BackupResults } from "./backup.ts";
import type { BirthResults, FirstSteps } from "./birth.ts";
import type { BreadthResults } from "./breadth.ts";
import type { DepthResults } from "./depth/results.ts";
import type { DoorResults } from "./door.ts";
import type { LargeResults } from "./large.ts";
import type { LiveResults } from "./live.ts";
import type { MeaningResults } from "./meaning.ts";
import type { MemoryUse } from "./memory.ts";
import type { RowCosts } from "./row-costs.ts";
import type { SenderResults } from "./senders.ts";
import type { SendingResults } from "./sending.ts";
import type { Row } from "./stage.ts";
import type { StartResults } from "./start.ts";

/** Everything that a run measured. */
export interface Results {
  startedAt: string;
  seconds: number;
  rows: Row[];
  rowCosts: RowCosts;
  bytesPerMessage: { stored: number; messageBytes: number; diskBytes: number }[];
  code: { count: number; p50Ms: number; p99Ms: number } | null;
  live: LiveResults | null;
  sending: SendingResults | null;
  senders: SenderResults | null;
  door: DoorResults | null;
  meaning: MeaningResults | null;
  start: StartResults | null;
  memory: MemoryUse[];
  large: LargeResults | null;
  backup: BackupResults | null;
  depth: DepthResults | null;
  birth: BirthResults | null;
  breadth: BreadthResults | null;
  /** Memory of the service of the other measurements: idle at first, and its peak. */
  workerd: { idleBytes: number; peakBytes: number };
}

/** One target of speed, and the measured value. */
export interface Target {
  name: string;
  wanted: string;
  /** Null if the run did not measure it. */
  measured: string | null;
  ok: boolean | null;
}

const MB = 1_000_000;
const PAGE = 20;
/** The scale at which the targets are set, and at which "one mailbox" is compared with many. */
const LOW = 1_000;
const MIDDLE = 20_000;
const HIGH = 100_000;

/** Reads of one mailbox, their floors and how much longer they may take. */
const READS = [
  ["inbox page", "(b)", 1.3],
  ["email by id", "(g)", 1.15],
] as const;

/** Compares a run with the targets of the project. */
export function judge(results: Results): Target[] {
  const { rows } = results;
  const targets: Target[] = [];
  for (const connections of [1, 16]) {
    for (const [operation, floor, most] of READS) {
      for (const stored of [LOW, HIGH]) {
        const ratio = find(rows, { name: operation, stored, connections, mailboxes: 1 })?.p50Ratio;
        targets.push(
          atMost(`${operation} / ${floor}, p50, ${stored} stored, ${connections} conn`, ratio, most),
        );
      }
      targets.push(sameAt(rows, operation, connections));
    }
    const search = find(rows, { name: "search", stored: MIDDLE, connections, mailboxes: 1 })?.p50Ratio;
    targets.push(atMost(`search, 1 % of 20,000 / (f), p50, ${connections} conn`, search, 1.3));
  }
  targets.push(
    ...toolTargets(rows),
    ...receiptTargets(rows),
    ...liveTargets(results.live),
    ...sendingTargets(results.sending),
    ...senderTargets(results.senders),
    ...doorTargets(results.door),
    ...meaningTargets(results.meaning),
    ...startTargets(results.start),
    ...largeTargets(results.large),
    atLeast("receipts beside a backup / while it is stopped, rate", results.backup?.receipts.ratio, 0.8),
    ...depthTargets(results.depth),
    ...birthTargets(results.birth),
    ...breadthTargets(results.breadth),
    ...otherTargets(results),
  );
  return targets;
}

function sameAt(rows: readonly Row[], name: string, connections: number): Target {
  const low = find(rows, { name, stored: LOW, connections, mailboxes: 1 });
  const high = find(rows, { name, stored: HIGH, connections, mailboxes: 1 });
  // Ratios to the floor of the same time are compared, so that a slow minute of the machine does not matter.
  const ratio = low?.p50Ratio && high?.p50Ratio ? high.p50Ratio / low.p50Ratio : undefined;
  return {
    name: `${name}, 100,000 / 1,000 stored, ${connections} conn`,
    wanted: "0.80 to 1.20",
    measured: ratio?.toFixed(2) ?? null,
    ok: ratio === undefined ? null : ratio >= 0.8 && ratio <= 1.2,
  };
}

/** A tool of the Model Context Protocol may cost half as much again as the route that it calls. */
function toolTargets(rows: readonly Row[]): Target[] {
  const tools = ["check_mail", "read_mail", "search_mail"];
  const names = tools.flatMap((tool) =>
    ["2026-07-28", "2025-11-25"].map((revision) => `${tool} ${revision}`),
  );
  return names.flatMap((name) =>
    [1, 16].map((connections) => {
      const row = rows.find(
        (one) => one.suite === "mcp" && one.name === name && one.connections === connections,
      );
      return atMost(`${name} / its route, p50, ${connections} conn`, row?.p50Ratio ?? undefined, 1.5);
    }),
  );
}

function receiptTargets(rows: readonly Row[]): Target[] {
  const http = (mailboxes: number, connections: number) =>
    rows.find(
      (row) =>
        row.suite === "receipt" &&
        row.name === "receipt by HTTP" &&
        row.mailboxes === mailboxes &&
        row.connections === connections,
    );
  const [one, many] = [http(1, 16), http(64, 16)];
  const spread = one && many ? many.perSecond / one.perSecond : undefined;
  const inbox = (mailboxes: number, stored: number | null) =>
    rows.find(
      (row) =>
        row.name === "inbox page" &&
        row.mailboxes === mailboxes &&
        row.connections === 16 &&
        (stored === null || row.stored === stored),
    );
  const [oneRead, manyRead] = [inbox(1, LOW), inbox(64, null)];
  const readSpread = oneRead && manyRead ? manyRead.perSecond / oneRead.perSecond : undefined;
  return [
    atLeast("receipt by HTTP / (c), rate, 16 conn", one?.rateRatio ?? undefined, 0.75),
    atLeast("receipt, 64 mailboxes / one, rate, 16 conn", spread, 1),
    atLeast("inbox page, 64 mailboxes / one, rate, 16 conn", readSpread, 1),
  ];
}

function largeTargets(large: LargeResults | null): Target[] {
  return [
    atMost("receipt of 24 MiB by HTTP / (e), p50", large && large.http.p50Ms / large.floor.p50Ms, 0.5),
    atMost("receipt of 24 MiB by HTTP / (e), CPU", large && large.http.cpuMs / large.floor.cpuMs, 0.5),
  ];
}

function startTargets(start: StartResults | null): Target[] {
  const ms = start === null ? undefined : start.scriptMs - start.emptyMs;
  return [atMost("CPU of the script's start above an empty script's, ms", ms, 60)];
}

function liveTargets(live: LiveResults | null): Target[] {
  const heardBy = (listeners: number) => live?.streams.find((one) => one.listeners === listeners);
  const crowd = live?.crowd;
  const page = (connections: number) => {
    const pages = live?.waiting.pages.find((one) => one.connections === connections);
    return pages && pages.p50Ms / pages.idleP50Ms;
  };
  return [
    atMost("receipt to the frame of one listener, p50 ms", heardBy(1)?.p50Ms, 3),
    atMost("receipt to the frames of 100 listeners, p50 ms", heardBy(100)?.p50Ms, 10),
    atMost("receipt to the frames of 100 listeners, p99 ms", heardBy(100)?.p99Ms, 50),
    atMost("receipt to the webhook at its target, p50 ms", live?.webhook.p50Ms, 25),
    atLeast(
      "receipts beside 1,000 listeners / none, rate, 16 conn",
      crowd && crowd.perSecond / crowd.alonePerSecond,
      0.7,
    ),
    atMost("memory of workerd for a listener, KB", crowd && crowd.bytesEach / 1_000, 20),
    atMost("10,000 events replayed to one client, s", live && live.replay.ms / 1_000, 2),
    atMost("inbox page, 10,000 waiting deliveries / none, p50, 1 conn", page(1), 1.5),
    atMost("inbox page, 10,000 waiting deliveries / none, p50, 16 conn", page(16), 1.5),
  ];
}

function sendingTargets(sending: SendingResults | null): Target[] {
  const { accept, drain, large, receipt } = sending ?? {};
  return [
    atMost("send accepted / inbox page, p50, 1 conn", accept && accept.p50Ms / accept.pageP50Ms, 2),
    atLeast("messages a second handed to a relay", drain?.perSecond, 50),
    atLeast("100 MB file handed to a relay, MB/s", large && large.fileBytes / MB / large.seconds, 10),
    atMost("100 MB file sent: workerd, MB", large && large.peakBytes / MB, 250),
    atMost(
      "receipt beside a 50 MB file that leaves / idle, p99",
      receipt && receipt.p99Ms / receipt.idleP99Ms,
      3,
    ),
  ];
}

function senderTargets(senders: SenderResults | null): Target[] {
  const name = "receipt by SMTP with a check of the sender / without, DNS cached";
  return [
    atMost(`${name}, p50`, senders && senders.checkedP50Ms / senders.uncheckedP50Ms, 1.15),
    atMost(`${name}, CPU`, senders && senders.checkedCpuMs / senders.uncheckedCpuMs, 1.15),
  ];
}

function doorTargets(door: DoorResults | null): Target[] {
  const ratioOf = (way: string) => door?.ways.find((one) => one.way === way)?.ratio ?? undefined;
  return ["reused sessions", "a session a mail"].map((way) =>
    atLeast(`2 KB by SMTP / Dovecot's LMTP, rate, 16 sessions, ${way}`, ratioOf(way), 1.5),
  );
}

function meaningTargets(meaning: MeaningResults | null): Target[] {
  const { search, memory, receipt } = meaning ?? {};
  return [
    atMost("search by meaning over 50,000 vectors of 384 dimensions, p50 ms", search?.p50Ms, 60),
    atMost("their memory, MB", memory && (memory.afterBytes - memory.beforeBytes) / MB, 25),
    atLeast("receipts with a model / without", receipt && receipt.onPerSecond / receipt.offPerSecond, 0.95),
  ];
}

/** An operation that does the same work in a mailbox of any size takes the same time. */
function depthTargets(depth: DepthResults | null): Target[] {
  const rows = depth?.rows.filter(({ reason }) => reason === null) ?? [];
  return rows.map(({ name, ratio }) =>
    atMost(
      `${name}, ${depth?.large.toLocaleString("en")} / ${depth?.small.toLocaleString("en")} mails`,
      ratio,
      1.5,
    ),
  );
}

function birthTargets(birth: BirthResults | null): Target[] {
  const firstMs = birth && ratio(birth, ({ birthMs, mailMs }) => birthMs + mailMs);
  return [
    atMost("a mailbox and its first mail / a bare actor's, p50", firstMs, 1.5),
    atMost(
      "inbox of a mailbox that was asleep / a bare actor's, p50",
      birth && ratio(birth, (one) => one.wakeMs),
      1.3,
    ),
    atMost(
      "disk of a mailbox with one mail that is asleep, KB",
      birth && birth.service.asleepBytes / 1_024,
      72,
    ),
  ];
}

/** The goals are those of 100,000 mailboxes; those of disk and memory hold for each mailbox. */
function breadthTargets(breadth: BreadthResults | null): Target[] {
  const { doors, doorsAlone } = breadth ?? {};
  return [
    atMost("start with many mailboxes, s", breadth?.startSeconds, 3),
    atMost(
      "disk for each of many mailboxes, KB",
      breadth && breadth.diskBytes / breadth.mailboxes / 1_000,
      80,
    ),
    atMost("workerd after reads of random mailboxes, MB", breadth && breadth.memory.readBytes / MB, 600),
    atMost("a page of 100 of the list of mailboxes, p50 ms", breadth?.listPage.p50Ms, 3),
    atMost(
      "HTTP door, many mailboxes / one, p50",
      doors && doorsAlone && doors.httpP50Ms / doorsAlone.httpP50Ms,
      1.3,
    ),
    atMost(
      "SMTP door, many mailboxes / one, p50",
      doors && doorsAlone && doors.smtpP50Ms / doorsAlone.smtpP50Ms,
      1.3,
    ),
  ];
}

function ratio({ service, bare }: BirthResults, of: (steps: FirstSteps) => number): number {
  return of(service) / of(bare);
}

function otherTargets(results: Results): Target[] {
  const large = results.memory.map((use) =>
    atMost(`${use.name}: workerd above idle, MB`, (use.peakBytes - use.idleBytes) / MB, use.mostBytes / MB),
  );
  const costs = results.rowCosts;
  return [
    atMost("code to a waiting client after the store answered, p50 ms", results.code?.p50Ms, 3),
    ...large,
    atMost("rows written for a plain email", costs["receive a plain email"]?.written, 8),
    atMost(`rows read of an inbox page of ${PAGE}`, costs[`inbox page of ${PAGE}`]?.read, PAGE + 1),
  ];
}

interface Place {
  name: string;
  stored: number;
  connections: number;
  mailboxes: number;
}

function find(rows: readonly Row[], place: Place): Row | undefined {
  return rows.find(
    (row) =>
      row.suite === "reads" &&
      row.name === place.name &&
      row.stored === place.stored &&
      row.connections === place.connections &&
      row.mailboxes === place.mailboxes,
  );
}

function atMost(name: string, measured: number | null | undefined, limit: number): Target {
  const missing = measured === undefined || measured === null || Number.isNaN(measured);
  return {
    name,
    wanted: `≤ ${limit}`,
    measured: missing ? null : short(measured),
    ok: missing ? null : measured <= limit,
  };
}

function atLeast(name: string, measured: number | undefined, limit: number): Target {
  const missing = measured === undefined || Number.isNaN(measured);
  // "Not slower" allows the difference between two runs of the same code.
  const tolerated = limit === 1 ? 0.97 : limit;
  return {
    name,
    wanted: `≥ ${limit}`,
    measured: missing ? null : short(measured),
    ok: missing ? null : measured >= tolerated,
  };
}

const short = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
