import { configOf, resolverFetch, type OperatorBindings } from "../config/env.ts";
import { dohLookup } from "../lib/doh.ts";
import type { Seq } from "../lib/ids.ts";
import { Schemas } from "../lib/schemas.ts";
import { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import { domainOf } from "../mail/address/address.ts";
import type { Activity } from "../metrics/monitor.ts";
import type { DkimKey } from "../outbound/dkim.ts";
import type { Transport } from "../outbound/transport.ts";
import type { SendingSwitch } from "../service/sending-switch.ts";
import { Admission } from "./account/admission.ts";
import { Lifecycle, type DirectoryEntry } from "./account/lifecycle.ts";
import { Room } from "./account/room.ts";
import { VERSION } from "../contract/product.ts";
import { STEPS } from "./account/schema.ts";
import { Settings } from "./account/settings.ts";
import { Blobs } from "./blobs/blobs.ts";
import { Codes } from "./codes/codes.ts";
import { activityCounter, throttled } from "./activity.ts";
import type { MailboxContext, MailboxStorage } from "./context.ts";
import { Domains } from "./domains/domains.ts";
import { embedderOf, type EmbedderBindings } from "./embeddings/embedder-of.ts";
import { Embeddings } from "./embeddings/embeddings.ts";
import { Expectations } from "./expectations/expectations.ts";
import { Exporting } from "./exporting/exporting.ts";
import { Imports } from "./imports/imports.ts";
import { ImportedMessages } from "./imports/imported-messages.ts";
import { Jobs } from "./jobs.ts";
import { LateWrites } from "./late-writes.ts";
import { Feed } from "./log/feed.ts";
import { Log } from "./log/log.ts";
import { Filing } from "./messages/filing.ts";
import { Messages } from "./messages/messages.ts";
import { Reindexing } from "./messages/reindex.ts";
import { SearchIndex } from "./messages/search-index.ts";
import { Scans } from "./turns.ts";
import { KnownIds } from "./messages/threads.ts";
import { Reading } from "./reading/reading.ts";
import { Receiving } from "./receiving/receiving.ts";
import { ReceiveRules } from "./rules/receive-rules.ts";
import { RefusedMails } from "./rules/refused-mails.ts";
import { EARLIER, SCHEMAS } from "./schemas.ts";
import { Search } from "./search/search.ts";
import { Seen } from "./seen/seen.ts";
import { SendingGate } from "./sending/gate.ts";
import { SendingJob } from "./sending/job.ts";
import { Outbox } from "./sending/outbox.ts";
import { OutgoingEvents } from "./sending/outgoing-events.ts";
import { Reports } from "./sending/reports.ts";
import { Sending } from "./sending/sending.ts";
import { Takeover, type TakeoverTools } from "./takeover/takeover.ts";
import { TotpSecrets } from "./totp/totp.ts";
import { Uploads } from "./uploads/uploads.ts";
import type { DeliveryRetention } from "./webhooks/retention.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/** All capabilities of one life of a mailbox. */
export interface Capabilities {
  settings: Settings;
  lifecycle: Lifecycle;
  admission: Admission;
  log: Log;
  feed: Feed;
  blobs: Blobs;
  codes: Codes;
  expectations: Expectations;
  outbox: Outbox;
  ids: KnownIds;
  searchIndex: SearchIndex;
  scans: Scans;
  seen: Seen;
  receiveRules: ReceiveRules;
  refusedMails: RefusedMails;
  room: Room;
  messages: Messages;
  reindexing: Reindexing;
  reading: Reading;
  search: Search;
  receiving: Receiving;
  sending: Sending;
  sendingGate: SendingGate;
  sendingJob: SendingJob;
  reports: Reports;
  webhooks: Webhooks;
  deliveryRetention: DeliveryRetention;
  uploads: Uploads;
  domains: Domains;
  embeddings: Embeddings;
  takeover: Takeover;
  totp: TotpSecrets;
  imports: Imports;
  exporting: Exporting;
}

/** One life of a mailbox, from its creation to its end. */
export interface Life extends Capabilities {
  context: MailboxContext;
  jobs: Jobs;
  /** Authenticates every waiting call and every stream again, and ends those that are no longer allowed. */
  recheck: () => void;
  /** Ends a wait whose caller closed its connection. */
  forgetWait: (waitId: string) => void;
  /** The answer of the call with this wait has left. */
  delivered: (waitId: string) => void;
}

/** The environment of a mailbox. */
export interface Surroundings {
  storage: MailboxStorage;
  clock: AlarmClock;
  env: () => Env;
  /** ms since 1970. */
  now: () => number;
  /** Keeps the object in memory until a promise is settled. */
  waitUntil: (promise: Promise<unknown>) => void;
  /** Calls a function after a time in ms, if the object is still in memory. */
  later: (work: () => void, ms: number) => void;
  directoryOf: (address: string) => DirectoryEntry;
  /** By which the operator halts the sending of the whole deployment. */
  sendingSwitch: SendingSwitch;
  /** Delivers to mailboxes of this deployment. */
  inside: Transport;
  /** Carries mail out of the deployment; null if no transport is configured. */
  outside: () => Transport | null;
  takeover: TakeoverTools;
  /** Reports the waiting work of the mailbox and the number of its listeners; null: neither. */
  noteActivity: (activity: Activity | null) => void;
  /** Called when the mailbox is completely erased: another mailbox may then be created in the object. */
  ended: () => void;
}

/** Connects the capabilities of a mailbox, whether or not the mailbox exists yet. */
export function assemble(around: Surroundings): Life {
  const db = new Database(around.storage);
  const schemas = new Schemas(db, SCHEMAS, { chain: EARLIER, record: STEPS, version: VERSION });
  schemas.open();
  const context = contextOf(around, { db, schemas }, () => life);
  const stores = storesOf(context, around);
  const { codes, expectations, feed, webhooks } = stores;
  const mail = mailOf(context, around, stores);
  const waitedFor = [codes, expectations, feed, mail.sending];
  const recheck = () => waitedFor.forEach((waited) => waited.recheck());
  const lifecycle = new Lifecycle(
    context,
    { ...stores, imports: mail.imports },
    {
      directoryOf: around.directoryOf,
      ended: around.ended,
      stop: () => {
        life.jobs.close();
        recheck();
      },
    },
  );
  const settings = new Settings(context, {
    ...stores,
    recheck,
    resume: () => life.jobs.resume(context.now()),
    reportNow: (account) => lifecycle.reportNow(account),
  });
  const admission = new Admission((nowMs) => lifecycle.live(nowMs), context.config);
  const deliveryRetention = webhooks.retention;
  const capabilities = { ...stores, ...mail, settings, lifecycle, admission, deliveryRetention };
  const life: Life = {
    ...capabilities,
    context,
    recheck,
    forgetWait: (waitId) => {
      for (const waited of waitedFor) waited.forgetWait(waitId);
      stores.scans.forget(waitId);
    },
    delivered: (waitId) => {
      codes.delivered(waitId);
      expectations.delivered(waitId);
    },
    jobs: new Jobs(capabilities),
  };
  return life;
}

/** The capabilities that the others build on; they need only each other. */
function storesOf(context: MailboxContext, { takeover, sendingSwitch }: Surroundings) {
  const { env, config } = context;
  const askResolver = resolverFetch(env() as OperatorBindings);
  const room = new Room(context);
  const totp = new TotpSecrets(context);
  const log = new Log(context);
  const scans = new Scans();
  const blobs = new Blobs(context);
  const receiveRules = new ReceiveRules(context);
  return {
    room,
    log,
    blobs,
    scans,
    feed: new Feed(context, { log, scans }),
    codes: new Codes(context),
    expectations: new Expectations(context),
    outbox: new Outbox(context),
    sendingGate: new SendingGate(context, sendingSwitch),
    ids: new KnownIds(context),
    searchIndex: new SearchIndex(context),
    uploads: new Uploads(context, { room, blobs }),
    seen: new Seen(context),
    receiveRules,
    refusedMails: new RefusedMails(context, { room, blobs }),
    webhooks: new Webhooks(context, { log, askResolver }),
    takeover: new Takeover(context, takeover, { receiveRules, totp }),
    totp,
    embeddings: new Embeddings(context, () => embedderOf(env() as Env & EmbedderBindings, config())),
    domains: new Domains(context, {
      lookup: () => dohLookup(config().customDomains.dohUrl, askResolver),
      registryOf: (domain) => env().DOMAIN.getByName(domain),
    }),
  };
}

/** Capabilities that read, receive, send and change messages. */
function mailOf(
  context: MailboxContext,
  { inside, outside }: Surroundings,
  stores: ReturnType<typeof storesOf>,
) {
  const openFile = (upload: string) => stores.uploads.open(upload);
  const filing = new Filing(context, stores);
  const reading = new Reading(context, { ...stores, openFile });
  const events = new OutgoingEvents(context, stores);
  const reports = new Reports(context, { ...stores, events });
  const signer = (from: string) => signerFor(from, context, stores.domains);
  const waits = { moved: (seq: Seq) => sending.moved(seq), halted: () => sending.recheck() };
  const tools = { outbox: stores.outbox, events, openFile, inside, outside, signerFor: signer, ...waits };
  const sendingJob = new SendingJob(context, tools, stores.sendingGate);
  const embedAdded = () => {
    context.write(() => stores.embeddings.fillGaps());
    stores.embeddings.stored(context.now());
  };
  const messages = new ImportedMessages(context, { ...stores, filing });
  const sending: Sending = new Sending(context, { ...stores, filing, reading, job: sendingJob });
  return {
    reading,
    reports,
    sending,
    sendingJob,
    imports: new Imports(context, { ...stores, messages, embedAdded }),
    exporting: new Exporting(context, stores),
    messages: new Messages(context, { ...stores, reading }),
    reindexing: new Reindexing(context, stores),
    search: new Search(context, { ...stores, pages: reading.pages }),
    receiving: new Receiving(context, { ...stores, filing, reports }),
  };
}

function contextOf(
  { storage, clock, env, now, waitUntil, later, noteActivity }: Surroundings,
  { db, schemas }: { db: Database; schemas: Schemas },
  life: () => Life,
): MailboxContext {
  const arm = () => armAlarm(life(), clock, now());
  const rearm = () =>
    waitUntil(arm().catch((error: unknown) => console.error("A mailbox's alarm could not be set:", error)));
  const write = <T>(change: () => T): T => {
    try {
      return db.transaction(change);
    } catch (error) {
      schemas.forget();
      // They refer to the account and keys as they were before the jobs read them again.
      late.forget();
      life().jobs.forget();
      // The transaction's changes to the alarm are undone with it.
      rearm();
      throw error;
    }
  };
  const late = new LateWrites({ later, write, made: rearm });
  const countActivity = activityCounter(now);
  return {
    db,
    schemas,
    clock,
    attempts: { underWay: 0 },
    storage,
    env,
    now,
    arm,
    rearm,
    write,
    late,
    config: () => configOf(env()),
    tables: (schema) => schemas.tables(schema),
    account: () => life().lifecycle.account,
    live: (nowMs) => life().lifecycle.live(nowMs),
    admit: (access) => life().admission.admit(access, now()),
    answer: (access, work) => life().admission.answer(access, now(), work),
    commit: (change) => {
      life().reading.pages.forget();
      return write(() => late.beside(change));
    },
    durable: () => storage.sync(),
    publish: (events) => {
      const { feed, webhooks } = life();
      feed.publish(events);
      if (events.length > 0) webhooks.pump(now());
    },
    reportSoon: () => life().lifecycle.reportSoon(),
    noteActivity: throttled({ now, later }, () => {
      try {
        noteActivity(countActivity(life()));
      } catch (error) {
        // A failure to count must not stop the work.
        console.error("A mailbox could not tell how much work waits in it:", error);
      }
    }),
  };
}

/** Sets the alarm to the earliest due job. A mailbox that is being erased has no other job. */
async function armAlarm({ lifecycle, jobs }: Life, clock: AlarmClock, nowMs: number): Promise<void> {
  if (lifecycle.account === null) return;
  const isEnding = lifecycle.account.row.status === "closing";
  await clock.set(isEnding ? lifecycle.dues() : jobs.dues(nowMs));
}

/**
 * The key that signs mail from `from`; null if the address does not belong to the mailbox. A custom domain signs with its
 * own key, because DMARC (RFC 7489) compares the signing domain with that of From.
 */
function signerFor(
  from: string,
  { account, config }: MailboxContext,
  domains: Domains,
): { dkim: DkimKey | null } | null {
  const domain = domainOf(from);
  const address = account()?.row.address;
  if (address !== undefined && domain === domainOf(address)) return { dkim: config().dkim };
  const dkim = domains.signingKey(domain);
  return dkim === null ? null : { dkim };
}
