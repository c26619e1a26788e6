import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BackupResults } from "./backup.ts";
import type { BirthResults } from "./birth.ts";
import type { BreadthResults } from "./breadth.ts";
import type { DepthResults } from "./depth/results.ts";
import type { DoorResults } from "./door.ts";
import type { LiveResults } from "./live.ts";
import type { MeaningResults } from "./meaning.ts";
import type { SenderResults } from "./senders.ts";
import type { SendingResults } from "./sending.ts";
import type { Row } from "./stage.ts";
import { judge, type Results, type Target } from "./targets.ts";

const MB = 1_000_000;

/** Writes the results for programs. */
export function writeJson(file: string, results: Results): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...results, targets: judge(results) }, null, 2)}\n`);
}

/** The results for people. */
export function tableOf(results: Results): string {
  return [
    section("Requests", rowsTable(results.rows)),
    section("Rows of SQLite for one operation", costTable(results)),
    section("Disk, memory, codes", otherTable(results)),
    section("Streams and webhooks, whose clients share the cores with the service", liveTable(results.live)),
    section("Sending, whose relay shares the cores with the service", sendingTable(results.sending)),
    section("Senders checked by the SMTP listener", senderTable(results.senders)),
    section("SMTP, whose senders share the cores with the service", doorTable(results.door)),
    section(
      "Search by meaning, whose model shares the cores with the service",
      meaningTable(results.meaning),
    ),
    section("Backup, which shares the cores with the service", backupTable(results.backup)),
    section("One large mailbox beside a small one", depthTable(results.depth)),
    section("A mailbox and its first mail", birthTable(results.birth)),
    section("Many mailboxes", breadthTable(results.breadth)),
    section("Targets", targetTable(judge(results))),
  ].join("\n");
}

function rowsTable(rows: readonly Row[]): string[][] {
  const head = [
    "operation",
    "size",
    "boxes",
    "stored",
    "conn",
    "p50 ms",
    "p99 ms",
    "req/s",
    "CPU ms",
    "answer B",
    "p50 ÷ floor",
    "rate ÷ floor",
  ];
  return [head, ...rows.map(rowCells)];
}

function rowCells(row: Row): string[] {
  return [
    row.name,
    row.sizeBytes === null ? "" : bytes(row.sizeBytes),
    String(row.mailboxes),
    row.stored === null ? "" : row.stored.toLocaleString("en"),
    String(row.connections),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.perSecond.toFixed(row.perSecond < 20 ? 1 : 0),
    row.cpuMs.toFixed(2),
    row.answerBytes.toFixed(0),
    row.p50Ratio === null ? "" : `${row.p50Ratio.toFixed(2)} × ${floorLetter(row)}`,
    row.rateRatio === null ? "" : `${row.rateRatio.toFixed(2)} × ${floorLetter(row)}`,
  ];
}

const floorLetter = (row: Row): string => row.floor?.at(-1) ?? "";

function costTable({ rowCosts }: Results): string[][] {
  const rows = Object.entries(rowCosts).map(([name, cost]) => [
    name,
    String(cost.read),
    String(cost.written),
  ]);
  return [["operation", "read", "written"], ...rows];
}

function otherTable(results: Results): string[][] {
  const { workerd, code, start } = results;
  return [
    ["what", "value"],
    ...results.bytesPerMessage.map(({ stored, messageBytes, diskBytes }) => [
      `disk for a message of ${messageBytes.toFixed(0)} bytes, ${stored.toLocaleString("en")} stored`,
      `${diskBytes.toFixed(0)} bytes`,
    ]),
    ...results.memory.map((use) => [
      use.name,
      `workerd ${megabytes(use.idleBytes)} idle, ${megabytes(use.peakBytes)} at most`,
    ]),
    ...largeLines(results),
    [
      "all of the above",
      `workerd ${megabytes(workerd.idleBytes)} at first, ${megabytes(workerd.peakBytes)} at most`,
    ],
    [
      "CPU from the start of the runtime to its first answer",
      start === null
        ? ""
        : `${start.scriptMs.toFixed(0)} ms, with an empty script ${start.emptyMs.toFixed(0)} ms (medians of ${start.rounds})`,
    ],
    [
      "code after the store answered",
      code === null ? "" : `p50 ${code.p50Ms.toFixed(2)} ms, p99 ${code.p99Ms.toFixed(2)} ms (${code.count})`,
    ],
  ];
}

function largeLines({ large }: Results): string[][] {
  if (large === null) return [];
  const said = ({ p50Ms, cpuMs }: typeof large.floor): string =>
    `p50 ${p50Ms.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms`;
  return [
    ["24 MiB received by the floor (e)", said(large.floor)],
    ["24 MiB received by HTTP", said(large.http)],
    ["24 MiB received by SMTP", said(large.smtp)],
  ];
}

function liveTable(live: LiveResults | null): string[][] {
  const head = ["what", "value"];
  if (live === null) return [head];
  const { streams, webhook, crowd, replay, waiting } = live;
  const spread = ({ p50Ms, p99Ms, count }: LiveResults["webhook"]): string =>
    `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms (${count})`;
  return [
    head,
    ...streams.map((one) => [`frame after the receipt, ${one.listeners} listeners`, spread(one)]),
    ["webhook after the receipt", spread(webhook)],
    [
      `receipts beside ${crowd.listeners} listeners`,
      `${crowd.perSecond.toFixed(0)}/s, ${crowd.alonePerSecond.toFixed(0)}/s without`,
    ],
    [
      "growth of workerd for one of them, the garbage of opening it included",
      `${kilobytes(crowd.bytesEach)}, ${kilobytes(crowd.floorBytesEach)} for a bare stream of the floor`,
    ],
    [`replay of ${replay.events} events`, `${replay.ms.toFixed(0)} ms`],
    ...waiting.pages.map(({ connections, p50Ms, idleP50Ms }) => [
      `inbox page beside ${waiting.jobs} waiting deliveries, ${connections} conn`,
      `p50 ${p50Ms.toFixed(2)} ms, ${idleP50Ms.toFixed(2)} ms without`,
    ]),
  ];
}

function sendingTable(sending: SendingResults | null): string[][] {
  const head = ["what", "value"];
  if (sending === null) return [head];
  const { accept, drain, large, receipt } = sending;
  return [
    head,
    [
      "send accepted, p50, 1 conn",
      `${accept.p50Ms.toFixed(2)} ms, ${accept.busyP50Ms.toFixed(2)} ms beside what waits, inbox page ${accept.pageP50Ms.toFixed(2)} ms`,
    ],
    [
      `${drain.count} messages handed over`,
      `${drain.perSecond.toFixed(0)}/s, CPU ${drain.cpuMs.toFixed(1)} ms each, ${drain.connections} new connections`,
    ],
    [
      `file of ${megabytes(large.fileBytes)} sent`,
      `${large.seconds.toFixed(1)} s, CPU ${(large.cpuMs / 1_000).toFixed(1)} s, workerd ${megabytes(large.idleBytes)} idle, ${megabytes(large.peakBytes)} at most`,
    ],
    [
      `receipt beside a file of ${megabytes(receipt.fileBytes)} that leaves`,
      `p99 ${receipt.p99Ms.toFixed(2)} ms (${receipt.count}), ${receipt.idleP99Ms.toFixed(2)} ms without`,
    ],
  ];
}

function backupTable(backup: BackupResults | null): string[][] {
  const head = ["what", "value"];
  if (backup === null) return [head];
  const { mailboxes, megabytes: size, receipts, compared } = backup;
  const runs = (["first", "unchanged", "verify", "restore"] as const).map((name) => [
    name,
    `${backup[name].seconds.toFixed(1)} s, CPU ${backup[name].cpuSeconds.toFixed(1)} s`,
  ]);
  return [
    head,
    ["mailboxes", `${mailboxes.toLocaleString("en")}, ${size.toLocaleString("en")} MB together`],
    ...runs,
    [
      "receipts beside it, rate",
      `× ${receipts.ratio.toFixed(2)} (${receipts.count} in ${receipts.turns} turns)`,
    ],
    ["restored mailboxes with the same SHA-256", `${compared} of ${compared}`],
  ];
}

function depthTable(depth: DepthResults | null): string[][] {
  if (depth === null) return [["what", "value"]];
  const { small, large, fillSeconds, diskBytes, rows, pauses } = depth;
  const [few, many] = [small.toLocaleString("en"), large.toLocaleString("en")];
  return [
    ["what", `p50 ms, ${few}`, `p50 ms, ${many}`, "ratio", "CPU ratio", "why"],
    ["disk, MB", megabytes(diskBytes.small), megabytes(diskBytes.large), "", "", ""],
    ["filled, s", "", fillSeconds.toFixed(0), "", "", ""],
    ...rows.map((row) => [
      row.name,
      row.smallMs.toFixed(2),
      row.largeMs.toFixed(2),
      row.ratio.toFixed(2),
      Number.isNaN(row.cpuRatio) ? "" : row.cpuRatio.toFixed(2),
      row.reason ?? "",
    ]),
    ...pauses.map(({ name, ms }) => [`longest receipt ${name}`, "", ms.toFixed(1), "", "", ""]),
  ];
}

function birthTable(birth: BirthResults | null): string[][] {
  const head = ["what", "mailbox", "bare actor"];
  if (birth === null) return [head];
  const { service, bare, count } = birth;
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  return [
    head,
    [`made, p50 of ${count}`, ms(service.birthMs), ms(bare.birthMs)],
    ["first mail, p50", ms(service.mailMs), ms(bare.mailMs)],
    ["CPU of both", ms(service.cpuMs), ms(bare.cpuMs)],
    ["inbox while asleep, p50", ms(service.wakeMs), ms(bare.wakeMs)],
    ["disk while awake", kilobytes(service.awakeBytes), kilobytes(bare.awakeBytes)],
    ["disk while asleep", kilobytes(service.asleepBytes), kilobytes(bare.asleepBytes)],
  ];
}

function breadthTable(breadth: BreadthResults | null): string[][] {
  const head = ["what", "value"];
  if (breadth === null) return [head];
  const { mailboxes, startSeconds, diskBytes, memory, reads, listPage, doors, doorsAlone } = breadth;
  return [
    head,
    ["mailboxes with one mail each", mailboxes.toLocaleString("en")],
    ["start", `${startSeconds.toFixed(1)} s`],
    ["disk", `${megabytes(diskBytes)}, ${kilobytes(diskBytes / mailboxes)} each`],
    [
      "workerd",
      `${megabytes(memory.startBytes)} after the start, ${megabytes(memory.readBytes)} after the reads, ${megabytes(memory.idleBytes)} idle`,
    ],
    [
      `inbox of a random mailbox, ${reads.count} in all`,
      `p50 ${reads.p50Ms.toFixed(2)} ms, p99 ${reads.p99Ms.toFixed(2)} ms`,
    ],
    [`list, ${listPage.count} pages`, `p50 ${listPage.p50Ms.toFixed(2)} ms`],
    [
      "receipt by HTTP, p50",
      `${doors.httpP50Ms.toFixed(2)} ms, ${doorsAlone.httpP50Ms.toFixed(2)} ms with one mailbox`,
    ],
    [
      "receipt by SMTP, p50",
      `${doors.smtpP50Ms.toFixed(2)} ms, ${doorsAlone.smtpP50Ms.toFixed(2)} ms with one mailbox`,
    ],
  ];
}

function senderTable(senders: SenderResults | null): string[][] {
  const head = ["what", "value"];
  if (senders === null) return [head];
  const { count, checkedP50Ms, uncheckedP50Ms, checkedCpuMs, uncheckedCpuMs } = senders;
  return [
    head,
    [
      `receipt of ${count} signed messages, p50`,
      `${checkedP50Ms.toFixed(2)} ms, ${uncheckedP50Ms.toFixed(2)} ms without a check`,
    ],
    ["CPU of a receipt", `${checkedCpuMs.toFixed(2)} ms, ${uncheckedCpuMs.toFixed(2)} ms without a check`],
  ];
}

function doorTable(door: DoorResults | null): string[][] {
  const head = ["what", "value"];
  if (door === null) return [head];
  const floor = (perSecond: number | null): string =>
    perSecond === null ? `Dovecot's LMTP is missing` : `${perSecond.toFixed(0)}/s by Dovecot's LMTP`;
  return [
    head,
    ...(door.missing === null ? [] : [["not measured", door.missing]]),
    ...door.ways.map((one) => [
      `${one.count} mails of 2 KB, ${one.way}`,
      `${one.perSecond.toFixed(0)}/s, ${floor(one.floorPerSecond)}; CPU listener ${one.nodeMs.toFixed(2)} ms, workerd ${one.workerdMs.toFixed(2)} ms`,
    ]),
  ];
}

function meaningTable(meaning: MeaningResults | null): string[][] {
  const head = ["what", "value"];
  if (meaning === null) return [head];
  const { vectors, dimensions, embedded, search, memory, receipt } = meaning;
  return [
    head,
    [
      `${vectors} messages embedded, ${dimensions} dimensions`,
      `${embedded.perSecond.toFixed(0)}/s, CPU ${embedded.cpuMs.toFixed(2)} ms each`,
    ],
    [
      "search by meaning",
      `p50 ${search.p50Ms.toFixed(1)} ms, p99 ${search.p99Ms.toFixed(1)} ms, the first ${search.firstMs.toFixed(0)} ms; by words p50 ${search.keywordP50Ms.toFixed(1)} ms`,
    ],
    ["workerd", `${megabytes(memory.beforeBytes)} before, ${megabytes(memory.afterBytes)} with the vectors`],
    [
      "receipts, 16 conn",
      `${receipt.onPerSecond.toFixed(0)}/s with a model, ${receipt.offPerSecond.toFixed(0)}/s without`,
    ],
  ];
}

function targetTable(targets: readonly Target[]): string[][] {
  const verdict = ({ ok }: Target): string => (ok === null ? "not measured" : ok ? "ok" : "MISSED");
  return [
    ["target", "wanted", "measured", ""],
    ...targets.map((one) => [one.name, one.wanted, one.measured ?? "", verdict(one)]),
  ];
}

function section(title: string, table: readonly string[][]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((cells) => (cells[column] ?? "").length)),
  );
  const lines = table.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? pad(cell, widths[column]) : " ".repeat(space(cell, widths[column])) + cell,
      )
      .join("  ")
      .trimEnd(),
  );
  return `\n${title}\n${"-".repeat(title.length)}\n${lines.join("\n")}`;
}

const space = (cell: string, width = 0): number => Math.max(0, width - cell.length);
const pad = (cell: string, width = 0): string => cell + " ".repeat(space(cell, width));
const kilobytes = (value: number): string => `${(value / 1_000).toFixed(1)} KB`;
const megabytes = (value: number): string => `${(value / MB).toFixed(0)} MB`;

function bytes(value: number): string {
  if (value < 10_000) return `${(value / 1_024).toFixed(0)} KB`;
  if (value < MB) return `${(value / 1_000).toFixed(0)} KB`;
  return value % 1_048_576 === 0 ? `${value / 1_048_576} MiB` : `${value / MB} MB`;
}
