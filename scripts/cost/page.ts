import type { OperationCounts, StoredBytes } from "./measure.ts";
import type { Prices } from "./prices.ts";
import type { Counts } from "./worker/counting.ts";

/** Everything that `npm run cost` found out, as `measured.json` has it. */
export interface Measured {
  counts: OperationCounts;
  bytes: StoredBytes;
  /** Measured on one machine; not compared. */
  cpuMs: Readonly<Record<string, number>>;
}

const MILLION = 1_000_000;
const GB = 1_000_000_000;
const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;
/** How long a stream of events lasts; its client opens the next one. */
const STREAM_SECONDS = 25;
/** How long an object runs for one call, in seconds: its own work, and the wait until the platform has stored the rows. */
const CALL_SECONDS = 0.03;
const IDLE_MAILBOXES = 10_000;
/** Its CPU is taken for operations whose own is not measured. */
const RECEIPT = "receive a mail";
const SEND = "send a mail";
const LISTEN = "open a stream of events";

/** Dollars of one line of a bill. */
interface Bill {
  requests: number;
  cpu: number;
  duration: number;
  rows: number;
  sending: number;
}

/** The bill of one operation, in dollars. */
export function billOf(counts: Counts, cpuMs: number, prices: Prices): Bill {
  const { dollars, objectGb } = prices;
  return {
    requests:
      (counts.workerRequests * dollars.millionWorkerRequests +
        counts.objectRequests * dollars.millionObjectRequests) /
      MILLION,
    cpu: (cpuMs * dollars.millionCpuMs) / MILLION,
    duration: (counts.objectRequests * CALL_SECONDS * objectGb * dollars.millionGbSeconds) / MILLION,
    rows:
      (counts.rowsRead * dollars.millionRowsRead + counts.rowsWritten * dollars.millionRowsWritten) / MILLION,
    sending: (counts.sent * dollars.thousandMailsSent) / 1_000,
  };
}

const sum = ({ requests, cpu, duration, rows, sending }: Bill): number =>
  requests + cpu + duration + rows + sending;

/** `docs/cost.md`. */
export function costPage(measured: Measured, prices: Prices): string {
  return `# Cost

For whoever runs Mailkeep on Cloudflare and pays for it. Counts are exact: \`npm run cost\` runs each operation on the
built script, counts what the platform bills and writes this page; a test repeats the counts and fails while they differ.
Prices are those of Cloudflare's paid plan beyond what its monthly fee of $5 includes, read on ${prices.readOn} in stored
copies of its pages: ${prices.sources.map(linkTo).join(", ")}. They are in \`scripts/cost/prices.json\`. On one machine of your own nothing of
this is billed.

## What one operation costs

| Operation | Requests of the worker | Requests of objects | Rows read | Rows written | CPU, ms | Dollars a million |
| --- | --- | --- | --- | --- | --- | --- |
${Object.entries(measured.counts)
  .map(([name, counts]) => operationRow(name, counts, measured, prices))
  .join("\n")}

A row of an index counts as a row. A receipt writes the message and its place in the thread, its content, its Message-ID,
its words for search, its event, the counters of the mailbox, and one row for each label; the mail that is counted here
has one label. A code adds a label and a row of the index that finds it. A mailbox has the indexes of codes and of words from
its 33rd email on, that of words also from its first search on: until then a receipt writes fewer rows. The CPU is that of the router and the mailbox
together, measured on the machine that wrote this page; it is not compared. Operations without a figure are priced with
the CPU of a receipt. Each call is assumed to keep its object running for ${CALL_SECONDS * 1_000} ms; each second that a call waits, for a code or for news, adds
${money(prices.objectGb * prices.dollars.millionGbSeconds)} to the price of a million calls. Sending is expensive because Cloudflare's sending service is:
$${prices.dollars.thousandMailsSent} for a thousand mails, $${(prices.dollars.thousandMailsSent * 1_000).toFixed(0)} for a million. A relay of your own has its own price.

## Sums

| What | Dollars |
| --- | --- |
${sumRows(measured, prices)
  .map(([what, dollars]) => `| ${what} | ${dollars} |`)
  .join("\n")}

**After sending, listening costs most.** A stream keeps the mailbox in memory, and the platform bills the time of an object
that cannot hibernate, also while it only waits. A stream lasts ${STREAM_SECONDS} seconds and its client opens the next one. Ten listeners of one
mailbox cost one object's time. A [webhook](events.md#webhooks) costs nothing while no mail comes: for a mailbox that
waits for weeks it is cheaper than a stream. Call [\`GET /v1/code\`](api.md#get-v1code), which waits, only after you asked a site for a code.

**An idle mailbox costs its storage.** A mailbox with one mail takes ${kilobytes(measured.bytes.mailbox)}, and each further mail of 2 KB about
${kilobytes(measured.bytes.mail)}: its raw bytes, its text and its words. An object that nobody calls costs nothing else. Each isolate
that served requests reports its counts to the monitor at most twice a minute, which is one request of an object. One that sends
also asks it once in five seconds at most whether sending is [halted](operating.md#halt-all-sending).

Static assets (the pages and the lists of words) cost nothing. Mail over 512 KiB is stored in R2, which bills a write and a
read for each. In a mailbox with more than 32 emails, each such mail also adds a row to the index of messages with blobs.
`;
}

function operationRow(name: string, counts: Counts, measured: Measured, prices: Prices): string {
  const known = measured.cpuMs[name];
  const dollars = sum(billOf(counts, cpuOf(name, measured), prices)) * MILLION;
  const { workerRequests, objectRequests, rowsRead, rowsWritten } = counts;
  const cells = [name, workerRequests, objectRequests, rowsRead, rowsWritten, known ?? "", money(dollars)];
  return `| ${cells.join(" | ")} |`;
}

const cpuOf = (name: string, { cpuMs }: Measured): number => cpuMs[name] ?? cpuMs[RECEIPT] ?? 0;

function sumRows(measured: Measured, prices: Prices): [string, string][] {
  const bill = (name: string): number => {
    const counts = measured.counts[name];
    if (counts === undefined) throw new Error(`No operation is called ${name}`);
    return sum(billOf(counts, cpuOf(name, measured), prices));
  };
  const receivedAndRead = (bill(RECEIPT) + bill("read an email") + bill("poll, nothing new")) * MILLION;
  const { dollars, objectGb } = prices;
  const storedGb = (measured.bytes.mailbox * IDLE_MAILBOXES) / GB;
  const mailsGb = (measured.bytes.mail * MILLION) / GB;
  const time = (DAY_SECONDS * objectGb * dollars.millionGbSeconds) / MILLION;
  const openings = (DAY_SECONDS / STREAM_SECONDS) * bill(LISTEN);
  return [
    ["A million mails received, each noticed by one poll and read once", money(receivedAndRead)],
    ["The same million kept for a month", money(mailsGb * dollars.gbMonth)],
    [
      `${IDLE_MAILBOXES.toLocaleString("en")} idle mailboxes with one mail each, a month`,
      money(storedGb * dollars.gbMonth),
    ],
    ["A mailbox with a listener, a day", money(time + openings)],
    [`A mailbox with a listener, ${MONTH_DAYS} days`, money((time + openings) * MONTH_DAYS)],
    ["A million mails sent by Cloudflare", money(bill(SEND) * MILLION)],
  ];
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;
const linkTo = (url: string): string => `[${new URL(url).pathname.split("/")[1] ?? ""}](${url})`;
