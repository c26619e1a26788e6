import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { Mailkeep } from "../client/index.ts";
import { bindingsOf } from "../host/bindings.ts";
import { readBuiltWorker, TWIN_FILES } from "../host/built-worker.ts";
import type { BuiltWorker } from "../host/built-worker.ts";
import { startRuntime } from "../host/runtime.ts";
import type { Runtime, WorkerFront } from "../host/runtime.ts";
import { readSettings } from "../host/settings.ts";
import type { Settings } from "../host/settings.ts";
import { startSmtp } from "../host/smtp/listener.ts";
import type { SmtpListener } from "../host/smtp/listener.ts";
import { OWN_SENDERS } from "../host/smtp/sender-checks.ts";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import type { IncomingMail, MailboxOptions, Twin, TwinClock, TwinMailbox, TwinOptions } from "./api.ts";
import { Control } from "./control.ts";
import { millisecondsOf } from "./durations.ts";
import { TwinFolder } from "./folder.ts";
import { MailSender } from "./mail-sender.ts";
import { startOutside } from "./outside.ts";
import type { Outside } from "./outside.ts";
import { SmtpFaults } from "./smtp-faults.ts";
import type { TwinVariables } from "./worker/time.ts";

/** Where the clock of a twin with a seed starts. */
const SEEDED_START_MS = Date.parse("2026-01-01T00:00:00Z");
/** How long a stop waits for messages that are being received. */
const STOP_GRACE_MS = 1_000;
const CONTROL = "TwinControl";

/** Starts a twin with the worker that a build left in a folder. */
export async function startTwin(builtFolder: string, options: TwinOptions = {}): Promise<Twin> {
  const plan = planOf(options);
  const folder = new TwinFolder();
  const faults = { incoming: new SmtpFaults(), outgoing: new SmtpFaults() };
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    const outside = await startOutside(faults.outgoing);
    cleanUps.push(() => outside.stop());
    const settings = readSettings(environmentOf(plan, outside.port, folder.path));
    const runtime = new TwinRuntime(builtFolder, folder, settings, plan);
    cleanUps.push(() => runtime.stop());
    await runtime.start();
    const listener = await startListener(runtime, settings, plan, faults.incoming);
    cleanUps.push(() => listener.stop(STOP_GRACE_MS));
    return new RunningTwin({ plan, settings, runtime, listener, outside, faults, folder });
  } catch (error) {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    folder.remove();
    throw error;
  }
}

/** The options of a twin, judged, with its secrets. */
interface Plan {
  domain: string;
  settings: Readonly<Record<string, string>>;
  variables: TwinVariables;
  /** The key of the operator. */
  token: string;
  secret: string;
  log: (line: string) => void;
}

function planOf({ seed, now, domain, settings = {}, log = () => {} }: TwinOptions): Plan {
  const isSeeded = seed !== undefined;
  const given = now === undefined ? null : new Date(now).getTime();
  if (Number.isNaN(given)) throw new RangeError(`now: ${JSON.stringify(now)} is no date`);
  const secret = (name: string): string =>
    isSeeded
      ? createHash("sha256")
          .update(`${name}:${String(seed)}`)
          .digest("base64url")
      : randomBytes(32).toString("base64url");
  return {
    domain: domain ?? "mailkeep.test",
    settings,
    variables: {
      // Never from the seed: whoever knows the seed must not move the clock of another's twin.
      token: randomBytes(32).toString("base64url"),
      startMs: given ?? (isSeeded ? SEEDED_START_MS : null),
      stands: isSeeded,
      seed: isSeeded ? String(seed) : null,
    },
    // Nor the operator's key: a web page that finds the port must not be able to compute it.
    token: randomBytes(32).toString("base64url"),
    secret: secret("keys"),
    log,
  };
}

/** The variables of `npm start`. Those of the process that runs the test do not count. */
function environmentOf(plan: Plan, relayPort: number, folder: string): Record<string, string> {
  const own = ownSettings(plan, folder);
  refuseOwnSettings(plan.settings, own);
  return {
    SMTP_URL: `smtp://127.0.0.1:${relayPort}?ignoreTLS=true`,
    CLAIM_APPROVAL: "open",
    BOOTSTRAP_PER_HOUR: "1000000",
    DAILY_SEND_LIMIT: "1000000",
    BAD_KEY_LIMIT: "1000000",
    REQUEST_LIMIT: "0",
    MODEL_SEARCH_LIMIT: "0",
    // The receivers of a test's webhooks are on its own machine.
    ALLOW_PRIVATE_WEBHOOKS: "true",
    ...plan.settings,
    ...own,
  };
}

/** The settings that a test cannot choose. */
function ownSettings(plan: Plan, folder: string): Record<string, string> {
  return {
    MAIL_DOMAIN: plan.domain,
    AUTH_TOKEN: plan.token,
    KEY_SECRET: plan.secret,
    WEBHOOK_SECRET: `whsec_${Buffer.from(plan.secret).toString("base64")}`,
    HOST: "127.0.0.1",
    SMTP_HOST: "127.0.0.1",
    PORT: "0",
    SMTP_PORT: "0",
    DATA_DIR: path.join(folder, "data"),
  };
}

/** Throws TypeError if `settings` holds some that the twin sets itself. */
function refuseOwnSettings(settings: Readonly<Record<string, string>>, own: Record<string, string>): void {
  const refused = Object.keys(settings).filter((name) => Object.hasOwn(own, name));
  if (refused.length === 0) return;
  const hint = refused.includes("MAIL_DOMAIN") ? "; use the option `domain` instead of MAIL_DOMAIN" : "";
  throw new TypeError(`settings: the twin itself sets ${refused.join(", ")}${hint}`);
}

/** The runtime of a twin and its data. */
class TwinRuntime {
  readonly #built: BuiltWorker;
  readonly #front: WorkerFront;
  readonly #folder: TwinFolder;
  readonly #settings: Settings;
  readonly #plan: Plan;
  #runtime: Runtime | null = null;
  #control: Control | null = null;
  #death: string | null = null;

  constructor(builtFolder: string, folder: TwinFolder, settings: Settings, plan: Plan) {
    this.#built = readBuiltWorker(builtFolder);
    this.#front = {
      entrypoints: [CONTROL],
      modules: TWIN_FILES.map((name) => ({
        type: "ESModule",
        path: path.join(builtFolder, name),
        contents: readFileSync(path.join(builtFolder, name), "utf8"),
      })),
    };
    this.#folder = folder;
    this.#settings = settings;
    this.#plan = plan;
  }

  /** 0 before the first start. */
  get port(): number {
    return this.#runtime?.port ?? 0;
  }

  get control(): Control {
    if (this.#death !== null) throw new Error(this.#death);
    if (this.#control === null) throw new Error("The twin is stopped");
    return this.#control;
  }

  async start(port = 0): Promise<void> {
    const { dataDir, worker } = this.#settings;
    const { token: authToken, secret: keySecret, variables } = this.#plan;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const secrets = { authToken, keySecret, webhookSecret: worker.WEBHOOK_SECRET ?? "" };
    const died = () => {
      this.#death = "The runtime of the twin died, and its clock and seed with it: start another twin";
    };
    const runtime = await this.#folder.recordingProcesses(() =>
      startRuntime({
        host: "127.0.0.1",
        port,
        dataDir,
        built: this.#built,
        front: this.#front,
        bindings: {
          ...bindingsOf(this.#settings, secrets),
          SMTP_CHECKS: this.#settings.senderChecks === false ? "off" : "on",
        },
        jsonBindings: { TWIN: { ...variables } },
        allowPrivateTargets: worker.ALLOW_PRIVATE_WEBHOOKS,
        relayAuthorities: this.#settings.relayAuthorities,
        isDurable: false,
        tempDir: this.#folder.path,
        onDead: died,
        onRestart: died,
        log: this.#plan.log,
      }),
    );
    this.#runtime = runtime;
    this.#control = new Control(await runtime.urlOf(CONTROL), variables.token);
  }

  async stop(): Promise<void> {
    const runtime = this.#runtime;
    this.#runtime = null;
    this.#control = null;
    await runtime?.stop();
    this.#folder.ended();
    rmSync(this.#settings.dataDir, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Forgets everything, at the same address. */
  async restart(): Promise<void> {
    const { port } = this;
    await this.stop();
    await this.start(port);
  }
}

function startListener(
  runtime: TwinRuntime,
  settings: Settings,
  plan: Plan,
  faults: SmtpFaults,
): Promise<SmtpListener> {
  return startSmtp({
    // A mailbox that a test erases, or resets away, is unknown at once.
    looksUpAll: true,
    host: settings.smtpHost,
    port: settings.smtpPort,
    upstream: `http://127.0.0.1:${runtime.port}`,
    token: plan.token,
    spoolDir: path.join(path.dirname(settings.dataDir), "spool"),
    maxBytes: MAX_MESSAGE_BYTES,
    name: plan.domain,
    postmaster: `postmaster@${plan.domain}`,
    ...(settings.senderChecks === false ? {} : { senders: OWN_SENDERS }),
    between: (handlers, drop) => faults.before(handlers, drop),
    log: plan.log,
  });
}

interface Parts {
  plan: Plan;
  settings: Settings;
  runtime: TwinRuntime;
  listener: SmtpListener;
  outside: Outside;
  faults: { incoming: SmtpFaults; outgoing: SmtpFaults };
  folder: TwinFolder;
}

/** A twin that has started. */
class RunningTwin implements Twin {
  readonly url: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly domain: string;
  readonly operatorKey: string;
  readonly operator: Mailkeep;
  readonly clock: TwinClock;
  readonly faults: Twin["faults"];
  readonly sent: Twin["sent"];
  readonly #parts: Parts;
  readonly #sender: MailSender;
  #mailboxes = 0;
  #deliveries = 0;
  #stopped: Promise<void> | null = null;

  constructor(parts: Parts) {
    const { plan, runtime, listener, outside, faults } = parts;
    this.#parts = parts;
    this.#sender = new MailSender(listener.port);
    this.url = `http://127.0.0.1:${runtime.port}`;
    this.smtp = { host: "127.0.0.1", port: listener.port };
    this.domain = plan.domain;
    this.operatorKey = plan.token;
    this.operator = new Mailkeep({ url: this.url, key: plan.token });
    this.sent = outside.received;
    this.clock = {
      now: () => runtime.control.now(),
      advance: async (duration) => runtime.control.advance(millisecondsOf(duration)),
    };
    this.faults = {
      smtp: (fault, options) => faults.incoming.order(fault, options),
      outgoing: (fault, options) => faults.outgoing.order(fault, options),
      clear: () => {
        faults.incoming.clear();
        faults.outgoing.clear();
      },
    };
  }

  async mailbox({ name, kind = "permanent" }: MailboxOptions = {}): Promise<TwinMailbox> {
    this.#mailboxes += 1;
    const made = await this.operator.mailboxes.create({ name: name ?? `box-${this.#mailboxes}`, kind });
    const { mailbox: address, api_key: key } = made;
    return { address, key, client: new Mailkeep({ url: this.url, key }) };
  }

  async deliver(mail: IncomingMail): Promise<{ id: string }> {
    this.#deliveries += 1;
    const { seed } = this.#parts.plan.variables;
    const stamp = { date: await this.clock.now(), number: seed === null ? null : this.#deliveries };
    return this.#sender.send(mail, stamp, this.#parts.faults.incoming.isPending);
  }

  settled(): Promise<void> {
    return this.#parts.runtime.control.settled();
  }

  async reset(): Promise<void> {
    this.faults.clear();
    await this.#parts.runtime.restart();
    this.#parts.outside.received.length = 0;
    this.#mailboxes = 0;
    this.#deliveries = 0;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { listener, runtime, outside, folder } = this.#parts;
    this.#sender.stop();
    await listener.stop(STOP_GRACE_MS);
    await runtime.stop();
    await outside.stop();
    folder.remove();
  }
}
