import path from "node:path";
import type { Environment } from "../config/check.ts";
import { outboundOf } from "../config/env.ts";
import { ALL_SETTINGS } from "../config/fault-lines.ts";
import { unknownVariableLines, unknownVariables } from "../config/unknown-variables.ts";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { banner, bracketed, readyLine } from "./banner.ts";
import { bindingsOf } from "./bindings.ts";
import type { BuiltWorker } from "./built-worker.ts";
import { watchDescriptors } from "./descriptors.ts";
import { removeEmptyObjects } from "./empty-objects.ts";
import { lockDataDir } from "./lock.ts";
import { claimPorts, listenRefusal } from "./ports.ts";
import type { Place } from "./ports.ts";
import { workerdPid } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { startRuntime } from "./runtime.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { loadSecrets, secretsPath } from "./secrets.ts";
import { readSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { stopOnSignals } from "./signals.ts";
import { startSmtp } from "./smtp/listener.ts";
import type { SmtpListener } from "./smtp/listener.ts";
import { startWarnings } from "./warnings.ts";

/** How long a stop waits for messages that are being received. */
const STOP_GRACE_MS = 5_000;

/** The environment and arguments of `npm start`. */
export interface ServeOptions {
  env: Environment;
  /** Arguments of the command line: `--ready-json` prints one line of JSON when the server is ready. */
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

async function start({ env, args, worker: readWorker }: ServeOptions): Promise<void> {
  const startedMs = performance.now();
  const unknown = unknownVariables(Object.keys(env), [...Object.keys(ALL_SETTINGS), "MAILKEEP_URL"]);
  for (const line of unknownVariableLines(unknown)) warn(line);
  // All settings are checked before anything is written or listened on.
  const settings = readSettings(env, args);
  const lock = lockDataDir(settings.dataDir);
  process.once("exit", () => lock.release());

  const { worker } = settings;
  const secrets = await loadSecrets(settings.dataDir, {
    authToken: worker.AUTH_TOKEN,
    webhookSecret: worker.WEBHOOK_SECRET,
    keySecret: worker.KEY_SECRET,
  });
  // A port of 0 is chosen when it is listened on: one that is free now may be another program's by then.
  await claimPorts(placesOf(settings).filter(({ port }) => port !== 0));
  const built = await readWorker();

  // The lock is held and no workerd works on the folder.
  removeEmptyObjects(settings.dataDir);
  const runtime = await run(settings, {
    host: settings.host,
    port: settings.port,
    dataDir: settings.dataDir,
    built,
    bindings: bindingsOf(settings, secrets),
    allowPrivateTargets: worker.ALLOW_PRIVATE_WEBHOOKS,
    relayAuthorities: settings.relayAuthorities,
    onDead: (reason) => fail(new Refusal(reason)),
    onRestart: () => lock.note(workerdPid(process.pid)),
    log: say,
  });
  lock.note(workerdPid(process.pid));
  watchDescriptors(() => workerdPid(process.pid), say);
  let smtp: SmtpListener | null = null;
  stopOnSignals({
    say,
    stop: async () => {
      await smtp?.stop(STOP_GRACE_MS);
      await runtime.stop();
    },
    onError: fail,
  });
  const http = `http://${bracketed(settings.host)}:${runtime.port}`;
  smtp = await listen(settings, { http, token: secrets.authToken });

  for (const line of startWarnings(settings)) warn(line);
  const ready = {
    http,
    host: settings.host,
    smtp: { host: smtp.host, port: smtp.port, tls: settings.tls !== null },
    mailDomain: worker.MAIL_DOMAIN,
    outbound: outboundOf(worker),
    dataDir: settings.dataDir,
    keySource: worker.AUTH_TOKEN === null ? secretsPath(settings.dataDir) : "the variable AUTH_TOKEN",
    workerdPid: workerdPid(process.pid),
    startMs: performance.now() - startedMs,
  };
  process.stdout.write(settings.readyJson ? `${readyLine(ready)}\n` : banner(ready));
}

function placesOf(settings: Settings): [Place, Place] {
  return [
    { protocol: "HTTP", host: settings.host, port: settings.port, variable: "PORT" },
    { protocol: "SMTP", host: settings.smtpHost, port: settings.smtpPort, variable: "SMTP_PORT" },
  ];
}

async function run(settings: Settings, options: RuntimeOptions): Promise<Runtime> {
  try {
    return await startRuntime(options);
  } catch (error) {
    const isPortTaken = error instanceof Error && "code" in error && error.code === "ERR_ADDRESS_IN_USE";
    throw isPortTaken ? listenRefusal(placesOf(settings)[0], error) : error;
  }
}

async function listen(settings: Settings, upstream: { http: string; token: string }): Promise<SmtpListener> {
  const mailDomain = settings.worker.MAIL_DOMAIN;
  try {
    return await startSmtp({
      host: settings.smtpHost,
      port: settings.smtpPort,
      upstream: upstream.http,
      token: upstream.token,
      spoolDir: path.join(settings.dataDir, "spool"),
      maxBytes: MAX_MESSAGE_BYTES,
      name: mailDomain,
      postmaster: `postmaster@${mailDomain}`,
      tls: settings.tls ?? undefined,
      log: say,
    });
  } catch (error) {
    throw listenRefusal(placesOf(settings)[1], error);
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
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
