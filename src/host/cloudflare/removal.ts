import type { CloudflareApi } from "./api.ts";
import { detachDomain, findCustomDomain } from "./custom-domains.ts";
import { deleteRecord, foreignMx, listRecords, RECORD_COMMENT, routingSpf, sameContent } from "./dns.ts";
import type { DnsRecord } from "./dns.ts";
import {
  disableRouting,
  listRules,
  readCatchAll,
  routingSettings,
  unlockRoutingRecords,
  writeCatchAll,
} from "./email-routing.ts";
import { disableSending, listSendingDomains } from "./email-sending.ts";
import { CloudflareFailure, Stop } from "./failure.ts";
import type { Journal, Made } from "./journal.ts";
import { deleteConsumer, deleteQueue, listQueues, listSubscriptions, unsubscribe } from "./queues.ts";
import { bucketState, deleteBucket, deleteObject, someObjects } from "./r2.ts";
import { isOf } from "./steps/receiving.ts";
import { deleteWorker, workerState } from "./workers.ts";

/** The deployment that `down` works on. */
export interface RemovalContext {
  api: CloudflareApi;
  journal: Journal;
  /** Called with a line of text before a thing is removed, and for a thing that stays. */
  report: (words: string) => void;
}

/** Things that hold mail: they are removed last, and only if the operator typed the worker's name. */
const WITH_MAIL: ReadonlySet<Made["kind"]> = new Set(["worker", "bucket"]);

/** Things that are never removed: other workers may use the account's name under workers.dev. */
const STAYS: ReadonlySet<Made["kind"]> = new Set(["subdomain"]);

/** The order of `down`: first the things that receive mail, then those that send it. */
const ORDER: readonly Made["kind"][] = [
  "catch_all",
  "routing",
  "subscription",
  "record",
  "custom_domain",
  "sending",
  "queue",
  "worker",
  "bucket",
];

/** The entries whose things `down` would remove: those that hold mail, and the others. */
export function entriesToRemove(made: readonly Made[]): { mail: Made[]; others: Made[] } {
  const sorted = ORDER.flatMap((kind) => made.filter((one) => one.kind === kind));
  return {
    mail: sorted.filter(({ kind }) => WITH_MAIL.has(kind)),
    others: sorted.filter(({ kind }) => !WITH_MAIL.has(kind) && !STAYS.has(kind)),
  };
}

/** The name of a thing of the journal, for people. */
export function wordsOf(made: Made): string {
  switch (made.kind) {
    case "subdomain":
      return `the name ${made.name} under workers.dev`;
    case "bucket":
      return `the R2 bucket ${made.name} with every large message in it`;
    case "queue":
      return `the queue ${made.name}`;
    case "worker":
      return `the worker ${made.name} with every mailbox in it`;
    case "routing":
      return `Email Routing of ${made.name}`;
    case "catch_all":
      return "the catch-all rule, which becomes what it was";
    case "sending":
      return `Email Sending from ${made.name}`;
    case "record":
      return `the ${made.type} record ${made.name}`;
    case "subscription":
      return "the subscription to the events of sending";
    case "custom_domain":
      return `the custom domain ${made.name} of the worker`;
  }
}

/** Removes the things of these entries one after the other, each with its entry in the journal. */
export async function removeMade(context: RemovalContext, entries: readonly Made[]): Promise<void> {
  for (const made of entries) {
    context.report(wordsOf(made));
    await removeOne(context, made);
    context.journal.remove(made);
  }
}

async function removeOne(context: RemovalContext, made: Made): Promise<void> {
  const { api, journal } = context;
  const { account } = journal.contents;
  switch (made.kind) {
    case "catch_all":
      return giveCatchAllBack(context, made);
    case "routing":
      return removeRouting(context, made);
    case "subscription":
      return removeSubscription(context, made.name);
    case "record":
      return removeRecord(context, made);
    case "sending":
      return removeSending(context, made.name);
    case "custom_domain":
      return removeCustomDomain(context, made.name);
    case "queue":
      return removeQueue(context, made.name);
    case "worker":
      return deleteWorker(api, account, made.name);
    case "bucket":
      return removeBucket(context, made.name);
    case "subdomain":
      return;
  }
}

async function removeSubscription({ api, journal }: RemovalContext, name: string): Promise<void> {
  const { account } = journal.contents;
  const found = (await listSubscriptions(api, account)).find((one) => one.name === name);
  if (found !== undefined) await unsubscribe(api, account, found.id);
}

async function removeSending({ api, journal }: RemovalContext, name: string): Promise<void> {
  const { zone } = journal.contents;
  const found = (await listSendingDomains(api, zone)).find((one) => one.name === name);
  if (found !== undefined) await disableSending(api, zone, found.id);
}

/** Takes a host name from the worker, unless another worker has it by now. */
export async function removeCustomDomain(
  { api, journal }: Pick<RemovalContext, "api" | "journal">,
  name: string,
): Promise<void> {
  const { account, worker } = journal.contents;
  const found = await findCustomDomain(api, account, name);
  if (found?.worker === worker) await detachDomain(api, account, found.id);
}

/** Gives the rule back as it was, unless somebody has changed it since. */
async function giveCatchAllBack(
  { api, journal, report }: RemovalContext,
  { previous }: Extract<Made, { kind: "catch_all" }>,
): Promise<void> {
  const { zone, worker } = journal.contents;
  const now = await readCatchAll(api, zone);
  if (now === null || !isOf(now, worker)) return report("  it was changed since, so it stays");
  await writeCatchAll(api, zone, previous);
}

/** Turns Email Routing off, unless it was on before or other rules use it now. */
async function removeRouting(
  { api, journal, report }: RemovalContext,
  { name, wasOn }: Extract<Made, { kind: "routing" }>,
): Promise<void> {
  const { zone } = journal.contents;
  const records = await listRecords(api, zone, { name });
  const own = records.filter((record) =>
    record.type === "MX"
      ? foreignMx(records, name).every(({ content }) => content !== record.content)
      : routingSpf(record) === "own",
  );
  if (wasOn) {
    if (records.some((record) => routingSpf(record) === "merged")) {
      report(`  the SPF record of ${name} has other senders too, so it stays`);
    }
    if (own.length > 0) await unlockRoutingRecords(api, zone, name);
    for (const { id } of own) await deleteRecord(api, zone, id);
    return;
  }
  const rules = await listRules(api, zone);
  const catchAll = await readCatchAll(api, zone);
  const isUsed = rules.some(({ isEnabled }) => isEnabled) || catchAll?.isEnabled === true;
  if (isUsed) return report("  other rules use it, so it stays");
  if ((await routingSettings(api, zone))?.isEnabled === true) await disableRouting(api, zone);
}

/** Removes a DNS record, unless somebody has changed it since. */
async function removeRecord(
  { api, journal, report }: RemovalContext,
  made: Extract<Made, { kind: "record" }>,
): Promise<void> {
  const { zone } = journal.contents;
  const { name } = made;
  const own = await ownRecord(api, zone, made);
  if (own === undefined) return;
  await deleteRecord(api, zone, own.id);
  if (name.startsWith("_mta-sts."))
    report("  senders who know the policy keep to it until it ends (MTA_STS_MAX_AGE)");
}

/** The record of an entry of the journal; undefined if it is gone, or somebody has changed it since. */
export async function ownRecord(
  api: CloudflareApi,
  zoneId: string,
  { type, name, content }: Extract<Made, { kind: "record" }>,
): Promise<DnsRecord | undefined> {
  const records = await listRecords(api, zoneId, { name, type });
  return records.find((one) => one.comment === RECORD_COMMENT && sameContent(one.content, content));
}

async function removeQueue({ api, journal }: RemovalContext, name: string): Promise<void> {
  const { account, worker } = journal.contents;
  const queue = (await listQueues(api, account)).find((one) => one.name === name);
  if (queue === undefined) return;
  for (const { id, script } of queue.consumers) {
    if (script === worker && id !== null) await deleteConsumer(api, account, { queueId: queue.id, id });
  }
  await deleteQueue(api, account, queue.id);
}

/** Deletes a bucket with its objects. The worker must be gone before, or it would write more. */
async function removeBucket({ api, journal }: RemovalContext, bucket: string): Promise<void> {
  const { account, worker } = journal.contents;
  if ((await workerState(api, account, worker)) !== null) {
    throw new Stop(
      `The worker ${worker} still uses the bucket ${bucket}`,
      `npx --no-install mailkeep-server down --yes-erase-mail ${worker}`,
    );
  }
  if ((await bucketState(api, account, bucket)) !== "there") return;
  for (;;) {
    const keys = await someObjects(api, account, bucket);
    if (keys.length === 0) break;
    for (const key of keys) await deleteObject(api, account, { bucket, key });
  }
  try {
    await deleteBucket(api, account, bucket);
  } catch (error) {
    if (!(error instanceof CloudflareFailure) || error.kind !== "refused") throw error;
    throw new Stop(error.message, `npx wrangler r2 bucket delete ${bucket}`, error);
  }
}
