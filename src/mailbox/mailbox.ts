import { Server } from "partyserver";
import { configOf } from "../config/env.ts";
import { directoryShard } from "../contract/directory.ts";
import { AlarmClock } from "../lib/wake.ts";
import { hasTables } from "../mail/tables/tables.ts";
import { noteActivity } from "../metrics/activity.ts";
import { flushSoon } from "../metrics/flush.ts";
import { metrics } from "../metrics/metrics.ts";
import type { Transport } from "../outbound/transport.ts";
import { insideTransport } from "../service/inside-transport.ts";
import { loadTables } from "../service/load-tables.ts";
import { sendingSwitch } from "../service/sending-switch.ts";
import { takeoverTools } from "../service/take-over.ts";
import type { Access } from "./account/access.ts";
import { Birth } from "./account/birth.ts";
import type { MailboxApi } from "./api.ts";
import { assemble, type Life } from "./capabilities.ts";
import { transportOf, type TransportBindings } from "./sending/transport.ts";

type Args<Name extends keyof MailboxApi> = Parameters<MailboxApi[Name]>;

/**
 * One mailbox: an object named by its locator that holds its mail, keys, counters and jobs. Each method is one line that
 * calls the capability which does the work; `api.ts` lists them in the same order.
 * | RPC does not pass through partyserver's `onStart`. Only `create` makes tables, so calls to an address that nobody
 * created write no row.
 */
// Formatted by hand: one line a method.
// oxfmt-ignore
export class Mailbox extends Server<Env> implements MailboxApi {
  /** The current life. RPC cannot reach it, because it calls methods only; tests read it. */
  life: Life;
  readonly #clock: AlarmClock;
  readonly #birth: Birth;
  /** Created once for the object's lifetime, because a transport reuses its sessions. */
  #outside: Transport | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (!hasTables()) void ctx.blockConcurrencyWhile(() => loadTables(env));
    this.#clock = new AlarmClock(ctx.storage);
    this.life = this.#newLife();
    this.#birth = new Birth(
      () => this.life.lifecycle,
      (address) => this.env.DIRECTORY.getByName(directoryShard(address)).standing(address),
    );
    // The platform deletes an alarm that failed too often. The next call that wakes the object sets it again.
    if (this.life.lifecycle.account !== null) {
      void ctx.blockConcurrencyWhile(() => this.life.context.arm());
    }
  }

  // Beginning, end and authentication.
  create(...args: Args<"create">) { return this.#birth.create(...args); }
  replay(...args: Args<"replay">) { return this.life.lifecycle.replay(...args); }
  hold(...args: Args<"hold">) { return this.life.lifecycle.hold(...args); }
  destroy(...args: Args<"destroy">) { return this.life.lifecycle.destroy(...args); }
  admit(access: Access) { return this.life.context.admit(access); }
  isTaken() { return this.life.lifecycle.live(Date.now()) !== null; }

  // State, settings, keys.
  me(...args: Args<"me">) { return this.life.settings.me(...args); }
  info(...args: Args<"info">) { return this.life.settings.info(...args); }
  configure(...args: Args<"configure">) { return this.life.settings.configure(...args); }
  pause(...args: Args<"pause">) { return this.life.settings.pause(...args); }
  resume(...args: Args<"resume">) { return this.life.settings.resume(...args); }
  keys(...args: Args<"keys">) { return this.life.settings.keys(...args); }
  createKey(...args: Args<"createKey">) { return this.life.settings.createKey(...args); }
  revokeKey(...args: Args<"revokeKey">) { return this.life.settings.revokeKey(...args); }
  stats(...args: Args<"stats">) { return this.life.settings.stats(...args); }
  overview(...args: Args<"overview">) { return this.life.settings.overview(...args); }
  unsent(...args: Args<"unsent">) { return this.life.settings.unsent(...args); }
  unsentOne(...args: Args<"unsentOne">) { return this.life.settings.unsentOne(...args); }

  // Reading.
  inbox(...args: Args<"inbox">) { return this.life.reading.inbox(...args); }
  readEmail(...args: Args<"readEmail">) { return this.life.reading.readEmail(...args); }
  raw(...args: Args<"raw">) { return this.life.reading.raw(...args); }
  attachment(...args: Args<"attachment">) { return this.life.reading.attachment(...args); }
  threads(...args: Args<"threads">) { return this.life.reading.threads(...args); }
  thread(...args: Args<"thread">) { return this.life.reading.thread(...args); }
  search(...args: Args<"search">) { return this.life.search.search(...args); }
  code(...args: Args<"code">) { return this.life.codes.code(...args); }
  createExpectation(...args: Args<"createExpectation">) { return this.life.expectations.createExpectation(...args); }
  expectation(...args: Args<"expectation">) { return this.life.expectations.expectation(...args); }
  cancelExpectation(...args: Args<"cancelExpectation">) { return this.life.expectations.cancelExpectation(...args); }
  changes(...args: Args<"changes">) { return this.life.feed.changes(...args); }

  // Changes to stored emails.
  relabel(...args: Args<"relabel">) { return this.life.messages.relabel(...args); }
  deleteEmail(...args: Args<"deleteEmail">) { return this.life.messages.deleteEmail(...args); }
  allInbound(...args: Args<"allInbound">) { return this.life.reindexing.allInbound(...args); }
  rewrite(...args: Args<"rewrite">) { return this.life.reindexing.rewrite(...args); }
  embedAgain(...args: Args<"embedAgain">) { return this.life.reindexing.embedAgain(...args); }

  // The mail that a person has seen; who may write, and refused mail.
  seen(...args: Args<"seen">) { return this.life.seen.seen(...args); }
  markSeen(...args: Args<"markSeen">) { return this.life.seen.markSeen(...args); }
  rules(...args: Args<"rules">) { return this.life.receiveRules.rules(...args); }
  putRules(...args: Args<"putRules">) { return this.life.receiveRules.putRules(...args); }
  refusedPage(...args: Args<"refusedPage">) { return this.life.refusedMails.refusedPage(...args); }
  refusedMail(...args: Args<"refusedMail">) { return this.life.refusedMails.refusedMail(...args); }
  deleteRefused(...args: Args<"deleteRefused">) { return this.life.refusedMails.deleteRefused(...args); }

  // Receiving and sending.
  reserve(...args: Args<"reserve">) { return this.life.receiving.reserve(...args); }
  receive(...args: Args<"receive">) { return this.life.receiving.receive(...args); }
  receiveTogether(...args: Args<"receiveTogether">) { return this.life.receiving.receiveTogether(...args); }
  send(...args: Args<"send">) { return this.life.sending.send(...args); }
  admitSend(...args: Args<"admitSend">) { return this.life.sending.admitSend(...args); }
  sentBefore(...args: Args<"sentBefore">) { return this.life.sending.sentBefore(...args); }
  emailToAnswer(...args: Args<"emailToAnswer">) { return this.life.sending.emailToAnswer(...args); }
  emailWithMessageId(...args: Args<"emailWithMessageId">) { return this.life.sending.emailWithMessageId(...args); }
  suppressions(...args: Args<"suppressions">) { return this.life.sending.suppressions(...args); }
  forgive(...args: Args<"forgive">) { return this.life.sending.forgive(...args); }
  sendingEvent(...args: Args<"sendingEvent">) { return this.life.reports.sendingEvent(...args); }

  // Files. If a deployment has no bucket, blobs are stored in rows; only the router calls the chunk methods.
  beginUpload(...args: Args<"beginUpload">) { return this.life.uploads.beginUpload(...args); }
  completeUpload(...args: Args<"completeUpload">) { return this.life.uploads.completeUpload(...args); }
  abandonUpload(...args: Args<"abandonUpload">) { return this.life.uploads.abandonUpload(...args); }
  discardUploads(...args: Args<"discardUploads">) { return this.life.uploads.discardUploads(...args); }
  putChunk(...args: Args<"putChunk">) { return this.life.blobs.putChunk(...args); }
  getChunk(...args: Args<"getChunk">) { return this.life.blobs.getChunk(...args); }
  deleteChunks(...args: Args<"deleteChunks">) { return this.life.blobs.deleteChunks(...args); }

  // Archives.
  exportStart(...args: Args<"exportStart">) { return this.life.exporting.exportStart(...args); }
  exportKeep(...args: Args<"exportKeep">) { return this.life.exporting.exportKeep(...args); }
  exportEnd(...args: Args<"exportEnd">) { return this.life.exporting.exportEnd(...args); }
  exportSeqs(...args: Args<"exportSeqs">) { return this.life.exporting.exportSeqs(...args); }
  exportLines(...args: Args<"exportLines">) { return this.life.exporting.exportLines(...args); }
  exportPage(...args: Args<"exportPage">) { return this.life.exporting.exportPage(...args); }
  beginImport(...args: Args<"beginImport">) { return this.life.imports.beginImport(...args); }
  completeImport(...args: Args<"completeImport">) { return this.life.imports.completeImport(...args); }
  abandonImport(...args: Args<"abandonImport">) { return this.life.imports.abandonImport(...args); }
  importProgress(...args: Args<"importProgress">) { return this.life.imports.importProgress(...args); }
  cancelImport(...args: Args<"cancelImport">) { return this.life.imports.cancelImport(...args); }

  // Second factors.
  addTotp(...args: Args<"addTotp">) { return this.life.totp.addTotp(...args); }
  listTotp(...args: Args<"listTotp">) { return this.life.totp.listTotp(...args); }
  totpCode(...args: Args<"totpCode">) { return this.life.totp.totpCode(...args); }
  deleteTotp(...args: Args<"deleteTotp">) { return this.life.totp.deleteTotp(...args); }
  sealedTotp(...args: Args<"sealedTotp">) { return this.life.totp.sealedTotp(...args); }

  // Webhooks and domains.
  webhookRoutes(...args: Args<"webhookRoutes">) { return this.life.webhooks.webhookRoutes(...args); }
  putWebhookRoute(...args: Args<"putWebhookRoute">) { return this.life.webhooks.putWebhookRoute(...args); }
  removeWebhookRoute(...args: Args<"removeWebhookRoute">) { return this.life.webhooks.removeWebhookRoute(...args); }
  webhookDeliveries(...args: Args<"webhookDeliveries">) { return this.life.webhooks.webhookDeliveries(...args); }
  redeliverWebhook(...args: Args<"redeliverWebhook">) { return this.life.webhooks.redeliverWebhook(...args); }
  replayWebhooks(...args: Args<"replayWebhooks">) { return this.life.webhooks.replayWebhooks(...args); }
  testWebhook(...args: Args<"testWebhook">) { return this.life.webhooks.testWebhook(...args); }
  addDomain(...args: Args<"addDomain">) { return this.life.domains.addDomain(...args); }
  listDomains(...args: Args<"listDomains">) { return this.life.domains.listDomains(...args); }
  getDomain(...args: Args<"getDomain">) { return this.life.domains.getDomain(...args); }
  verifyDomain(...args: Args<"verifyDomain">) { return this.life.domains.verifyDomain(...args); }
  removeDomain(...args: Args<"removeDomain">) { return this.life.domains.removeDomain(...args); }

  // Other.
  takeoverProgress() { return this.life.takeover.progress(); }
  forget(waitId: string) { this.life.forgetWait(waitId); }
  delivered(waitId: string) { this.life.delivered(waitId); }
  takeRowCost() { this.life.context.late.flush(); return this.life.context.db.takeCost(); }

  /** Opens a stream of the log. This is the only request served by `fetch` and not by RPC. */
  override onRequest(request: Request): Promise<Response> {
    return this.life.feed.stream(request);
  }

  /** Skips partyserver's own `fetch`, which would store the name of the object: an address that nobody created gets no row. */
  override fetch(request: Request): Promise<Response> {
    return this.life.lifecycle.account === null ? this.onRequest(request) : super.fetch(request);
  }

  /**
   * Runs all due jobs. It may be called twice for one alarm, and it never throws: the platform deletes an alarm that throws
   * too often.
   */
  override async onAlarm(): Promise<void> {
    this.#clock.rang();
    metrics.count("mailkeep_wakeups_total", {});
    const { lifecycle, blobs, jobs, context } = this.life;
    try {
      const nowMs = Date.now();
      if (lifecycle.account === null) await blobs.drainLate(nowMs, () => lifecycle.account === null);
      else if (lifecycle.isOver()) await lifecycle.end();
      else await jobs.pump(nowMs);
    } catch (error) {
      console.error("A mailbox's alarm did not finish and rings again:", error);
    } finally {
      await context.arm();
      context.noteActivity(true);
    }
  }

  #newLife(): Life {
    const env = () => this.env;
    const config = () => configOf(this.env);
    return assemble({
      storage: this.ctx.storage,
      clock: this.#clock,
      env,
      now: () => Date.now(),
      waitUntil: (promise) => this.ctx.waitUntil(promise),
      later: (work, ms) => this.ctx.waitUntil(scheduler.wait(ms).then(work)),
      directoryOf: (address) => this.env.DIRECTORY.getByName(directoryShard(address)),
      sendingSwitch: sendingSwitch(env),
      inside: insideTransport(this.env, config),
      outside: () => (this.#outside ??= transportOf(this.env as Env & TransportBindings, config())),
      takeover: takeoverTools(env, () => this.life.lifecycle.account?.row.address ?? null),
      ended: () => {
        this.life = this.#newLife();
      },
      noteActivity: (activity) => {
        noteActivity(this.ctx.id.name ?? "", activity);
        flushSoon(this.env, (work) => this.ctx.waitUntil(work));
      },
    });
  }
}
