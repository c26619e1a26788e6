import { configOf, operatorFetch, type OperatorBindings } from "../config/env.ts";
import { dohLookup } from "../lib/doh.ts";
import type { Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import type { AlarmClock } from "../lib/wake.ts";
import { domainOf } from "../mail/address/address.ts";
import type { DkimKey } from "../outbound/dkim.ts";
import type { Transport } from "../outbound/transport.ts";
import type { Account } from "./account.ts";
import type { OpenFile } from "./departing-stream.ts";
import { Domains } from "./domains.ts";
import { embedderOf, type EmbedderBindings } from "./embedder-of.ts";
import { Embeddings } from "./embeddings.ts";
import { insideTransport } from "./inside.ts";
import type { LoggedEvent } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { OutboxPump } from "./outbox-pump.ts";
import { TakeOver } from "./take-over.ts";
import { wayOut, type WayOutBindings } from "./way-out.ts";
import { Webhooks } from "./webhooks.ts";

/** What its jobs are given by a mailbox. */
export interface JobTools {
  db: Database;
  env: () => Env;
  clock: AlarmClock;
  outbox: Outbox;
  account: () => Account | null;
  /** Runs a change as one transaction. */
  commit: <T>(change: () => T) => T;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
  openFile: OpenFile;
  /** Tells whoever hears of the log; after the transaction that wrote `events`. */
  tell: (events: readonly LoggedEvent[]) => void;
  /** Sets the alarm to whatever is due first. */
  rearm: () => void;
  /** The directory should hear of the mailbox again. */
  reportSoon: () => void;
  /** A message may stand differently now. */
  moved: (seq: Seq) => void;
}

/**
 * What a mailbox does by itself, beside whoever asks it something: each job knows when it is due, starts what is due without
 * waiting for it, and goes on after a death.
 */
export class Jobs {
  readonly webhooks: Webhooks;
  readonly outboxPump: OutboxPump;
  readonly embeddings: Embeddings;
  readonly takeOver: TakeOver;
  readonly domains: Domains;
  readonly #tools: JobTools;
  #relay: Transport | null = null;

  constructor(tools: JobTools) {
    this.#tools = tools;
    const env = tools.env();
    const config = () => configOf(tools.env());
    const askResolver = operatorFetch(env as OperatorBindings);
    this.webhooks = new Webhooks({ ...tools, config, askResolver });
    this.takeOver = new TakeOver({ ...tools, env, config });
    this.domains = new Domains({
      ...tools,
      config,
      lookup: () => dohLookup(config().customDomains.dohUrl, askResolver),
      registryOf: (domain) => env.DOMAIN.getByName(domain),
    });
    this.embeddings = new Embeddings({
      ...tools,
      embedder: () => embedderOf(tools.env() as Env & EmbedderBindings, config()),
    });
    this.outboxPump = new OutboxPump({
      ...tools,
      config,
      signerFor: (from) => this.#signerFor(from),
      inside: insideTransport(env, config),
      outside: () => this.#wayOut(),
      enqueue: (account, event, now) => this.webhooks.enqueue(account, event, now),
    });
  }

  /** When the alarm must ring, in ms since 1970; null entries are jobs without a date. */
  dues(nowMs: number): (number | null)[] {
    return [
      ...this.webhooks.dues(nowMs),
      this.outboxPump.due(nowMs),
      this.embeddings.due(nowMs),
      this.takeOver.due(),
      ...this.domains.dues(),
    ];
  }

  /** Starts what is due, and returns before any of it has ended. */
  pump(nowMs: number): void {
    this.webhooks.pump(nowMs);
    this.outboxPump.pump(nowMs);
    this.embeddings.pump(nowMs);
    this.takeOver.pump(nowMs);
    this.domains.pump(nowMs);
  }

  /** Starts what is due of what hands things on, which waits while the mailbox is paused. */
  resume(nowMs: number): void {
    this.webhooks.pump(nowMs);
    this.outboxPump.pump(nowMs);
  }

  /** Forgets what is in memory: a transaction that it believed in was undone. */
  forget(): void {
    this.webhooks.forget();
    this.embeddings.forget();
    this.domains.forget();
  }

  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void {
    this.webhooks.close();
    this.outboxPump.close();
    this.embeddings.close();
  }

  /** Mail from an own domain is signed by it alone: DMARC wants the domain of From. */
  #signerFor(from: string): { dkim: DkimKey | null } | null {
    const domain = domainOf(from);
    const address = this.#tools.account()?.row.address;
    if (address !== undefined && domain === domainOf(address))
      return { dkim: configOf(this.#tools.env()).dkim };
    const dkim = this.domains.signingKey(domain);
    return dkim === null ? null : { dkim };
  }

  /** What carries mail out of the deployment; null where nothing does. One for as long as the jobs run: it keeps sessions. */
  #wayOut(): Transport | null {
    const env = this.#tools.env();
    this.#relay ??= wayOut(env as Env & WayOutBindings, configOf(env));
    return this.#relay;
  }
}
