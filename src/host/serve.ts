import { createRequire } from "node:module";
import path from "node:path";
import type { Environment } from "../config/check.ts";
import { outboundOf } from "../config/env.ts";
import { ALL_SETTINGS } from "../config/fault-lines.ts";
import { unknownVariableLines, unknownVariables } from "../config/unknown-variables.ts";
import { completeSwap } from "./backup/mailbox-swap.ts";
import { refuseHalfRestored } from "./backup/mark.ts";
import { banner, bracketed, readyLine } from "./banner.ts";
import { bindingsOf } from "./bindings.ts";
import type { BuiltWorker } from "./built-worker.ts";
import { refuseNewerData, writeDataVersion } from "./data-version.ts";
import { watchDescriptors } from "./descriptors.ts";
import { workerDns } from "./dns/mail-dns.ts";
import { withEnvFile } from "./env-file.ts";
import { drain } from "./drain.ts";
import { openControl } from "./control.ts";
import { removeEmptyObjects } from "./empty-objects.ts";
import { newFrontSecret } from "./front/front.ts";
import { needsFront } from "./front/open.ts";
import { HostLog } from "./host-log.ts";
import { liveSwap } from "./live-swap.ts";
import {
  checksSenders,
  freePlaces,
  openListeners,
  placesOf,
  type Listeners,
  type Upstream,
} from "./listeners.ts";
import { lockDataDir } from "./lock.ts";
import { Monitoring } from "./monitoring.ts";
import { claimPorts, listenRefusal } from "./ports.ts";
import { workerdPid } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { RuntimeGate } from "./runtime-gate.ts";
import { startRuntime } from "./runtime.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { loadSecrets, secretsPath, type Secrets } from "./secrets.ts";
import { readSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { stopOnSignals } from "./signals.ts";
import type { SmtpListener } from "./smtp/listener.ts";
import { addressVariables, handedOverSockets } from "./systemd/listen-fds.ts";
import { isHealthy, notifierOf } from "./systemd/notify.ts";
import { startWarnings } from "./warnings.ts";
import { onWorkerdExit } from "./workerd-process.ts";

/** The environment and arguments of `npm start`. */
export interface ServeOptions {
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Arguments of the command line: `--ready-json` prints one line of JSON when the server is ready, `--env-file FILE` adds
   * settings.
   */
  args: readonly string[];
  /** Brings the worker that workerd runs up to date, and reads it. */
  worker: () => Promise<BuiltWorker>;
}

/** Runs the server until a signal ends the process. A start that is refused prints why and exits with 1. */
export async function serve(options: ServeOptions): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    fail(error);
  }
}

async function start({ worker: readWorker, ...given }: ServeOptions): Promise<void> {
  const startedMs = performance.now();
  const { words: args, env } = withEnvFile(given.args, given.env);
  // All settings are checked before anything is written or listened on.
  const sockets = handedOverSockets(env, process.pid);
  const settings = judgedSettings({ ...env, ...addressVariables(sockets) }, args);
  const notifier = notifierOf(env, process.pid, say);
  const lock = await takeDataFolder(settings.dataDir);
  const secrets = await secretsOf(settings);
  await claimPorts(freePlaces(settings, sockets));
  const built = await readWorker();

  // The lock is held and no workerd works on the folder.
  completeSwap(settings.dataDir);
  removeEmptyObjects(settings.dataDir);
  const hasFront = needsFront(settings) || sockets.http !== null;
  const frontSecret = newFrontSecret();
  const gate = gateOfRuntime();
  const monitoring = new Monitoring(settings, log);
  const runtime = await run(settings, {
    ...runtimeOptions(settings, hasFront),
    built,
    bindings: {
      ...bindingsOf(settings, secrets),
      SMTP_CHECKS: checksSenders(settings, sockets.smtp !== null) ? "on" : "off",
      ...(hasFront ? { FRONT_SECRET: frontSecret } : {}),
    },
    ...monitoring.forRuntime(),
    onRestart: () => {
      lock.note(workerdPid(process.pid));
      monitoring.workerdRestarted();
      gate.open();
    },
  });
  lock.note(workerdPid(process.pid));
  watchDescriptors(() => workerdPid(process.pid), say);
  const upstream: Upstream = {
    http: `http://${bracketed(hasFront ? "127.0.0.1" : settings.host)}:${runtime.port}`,
    token: secrets.authToken,
    frontPort: runtime.frontPort,
    frontSecret,
    gate,
  };
  const listeners: Listeners = { smtp: null, front: null, redirect: null };
  const { readiness } = monitoring;
  const own = { dataDir: settings.dataDir, worker: upstream.http, readiness, gate, runtime, log: say };
  const control = await openControl(settings.dataDir, { swapMailbox: liveSwap(own) }, say);
  stopOnSignals({
    say,
    stop: async () => {
      control?.close();
      await drain({ readiness, notifier, worker: upstream.http, ...listeners, runtime });
      monitoring.close();
    },
    onError: fail,
  });
  const reporters = { observer: monitoring.observeSmtp(), say, log: (line: string) => log.pass(line) };
  const open = await openListeners(listeners, settings, { upstream, sockets, ...reporters });
  const metrics = await monitoring.open(upstream);

  for (const line of startWarnings(settings)) warn(line);
  announce(settings, { ...open, metrics, startedMs });
  await notifier.ready(`Serving ${settings.worker.MAIL_DOMAIN}`);
  notifier.watch((limitMs) => isHealthy(upstream.http, limitMs));
}

/** The options of the runtime that follow from settings. */
function runtimeOptions(settings: Settings, hasFront: boolean) {
  return {
    // Behind a front, the runtime listens on loopback only.
    host: hasFront ? "127.0.0.1" : settings.host,
    port: hasFront ? 0 : settings.port,
    hasFront,
    dataDir: settings.dataDir,
    allowPrivateTargets: settings.worker.ALLOW_PRIVATE_WEBHOOKS,
    relayAuthorities: settings.relayAuthorities,
    askDns: workerDns(settings.worker.RESOLVER),
    onDead: (reason: string) => fail(new Refusal(reason)),
    log: (line: string) => log.pass(line),
  };
}

/** A gate that closes when workerd ends. */
function gateOfRuntime(): RuntimeGate {
  const gate = new RuntimeGate();
  onWorkerdExit(() => gate.close());
  return gate;
}

/** Locks the data folder until the process ends. Throws a {@link Refusal} if this version cannot serve it. */
async function takeDataFolder(dataDir: string): Promise<ReturnType<typeof lockDataDir>> {
  // Before the lock: a folder of a newer version is left as it is.
  refuseNewerData(dataDir);
  const lock = lockDataDir(dataDir);
  process.once("exit", () => lock.release());
  refuseHalfRestored(dataDir);
  await writeDataVersion(dataDir);
  return lock;
}

/** Says where the server is: a screen, or a line of JSON. */
function announce(
  settings: Settings,
  place: { http: string; smtp: SmtpListener; metrics: string | null; startedMs: number },
): void {
  const { worker } = settings;
  const { http, smtp, metrics, startedMs } = place;
  const ready = {
    http,
    publicUrl: worker.PUBLIC_URL,
    host: settings.host,
    smtp: { host: smtp.host, port: smtp.port, tls: settings.tls !== null },
    metrics,
    mailDomain: worker.MAIL_DOMAIN,
    outbound: outboundOf(worker),
    dataDir: settings.dataDir,
    keySource: worker.AUTH_TOKEN === null ? secretsPath(settings.dataDir) : "the variable AUTH_TOKEN",
    hasClient: hasPackage("mailkeep"),
    workerdPid: workerdPid(process.pid),
    startMs: performance.now() - startedMs,
  };
  process.stdout.write(settings.readyJson ? `${readyLine(ready)}\n` : banner(ready));
}

/** Whether a program in the folder of this process can import a package. */
function hasPackage(name: string): boolean {
  try {
    createRequire(path.resolve("package.json")).resolve(name);
    return true;
  } catch {
    // Not there.
    return false;
  }
}

/** Warns of variables that nobody knows, and reads all settings. Throws a {@link Refusal}. */
function judgedSettings(env: Environment, args: readonly string[]): Settings {
  const unknown = unknownVariables(Object.keys(env), [...Object.keys(ALL_SETTINGS), "MAILKEEP_URL"]);
  for (const line of unknownVariableLines(unknown)) warn(line);
  const settings = readSettings(env, args);
  log.format = settings.worker.LOG_FORMAT;
  return settings;
}

function secretsOf({ dataDir, worker }: Settings): Promise<Secrets> {
  return loadSecrets(dataDir, {
    authToken: worker.AUTH_TOKEN,
    webhookSecret: worker.WEBHOOK_SECRET,
    keySecret: worker.KEY_SECRET,
  });
}

async function run(settings: Settings, options: RuntimeOptions): Promise<Runtime> {
  try {
    return await startRuntime(options);
  } catch (error) {
    const isPortTaken = error instanceof Error && "code" in error && error.code === "ERR_ADDRESS_IN_USE";
    throw isPortTaken ? listenRefusal(placesOf(settings).http, error) : error;
  }
}

const log = new HostLog((line) => process.stderr.write(`${line}\n`));

function say(line: string): void {
  log.say(line);
}

function warn(line: string): void {
  say(`Warning: ${line}`);
}

/** Prints a Refusal as its lines. Any other error is a bug and is printed with its stack. */
function fail(error: unknown): never {
  if (error instanceof Refusal) say(error.message);
  else console.error(error);
  process.exit(1);
}
