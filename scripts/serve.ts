// Serves the worker bundle in workerd with an SMTP listener in front: `npm start`.
import path from "node:path";
import { MAX_MESSAGE_BYTES } from "../src/contract/limits.ts";
import { buildAssets } from "./build-assets.ts";
import { banner, bracketed, readyLine } from "../src/host/banner.ts";
import { bindingsOf } from "../src/host/bindings.ts";
import { buildBundle } from "../src/host/bundle.ts";
import { watchDescriptors } from "../src/host/descriptors.ts";
import { exposures } from "../src/host/exposure.ts";
import { lockDataDir } from "../src/host/lock.ts";
import { claimPorts, listenRefusal } from "../src/host/ports.ts";
import type { Place } from "../src/host/ports.ts";
import { workerdPid } from "../src/host/processes.ts";
import { Refusal } from "../src/host/refusal.ts";
import { startRuntime } from "../src/host/runtime.ts";
import type { Runtime, RuntimeOptions } from "../src/host/runtime.ts";
import { loadSecrets, secretsPath } from "../src/host/secrets.ts";
import { readSettings } from "../src/host/settings.ts";
import type { Settings } from "../src/host/settings.ts";
import { sweepEmptyObjects } from "../src/host/sweep.ts";
import { startSmtp } from "../src/host/smtp/listener.ts";
import type { SmtpListener } from "../src/host/smtp/listener.ts";

/** How long a stop waits for messages that are being received. */
const STOP_GRACE_MS = 5_000;

/** One Ctrl-C may arrive twice, from the terminal and from npm: within this time they are one. */
const ECHO_MS = 1_000;

/** Undone in reverse order when the process ends, by whatever way. */
interface Running {
  smtp: SmtpListener | null;
  runtime: Runtime | null;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function serve(): Promise<void> {
  const startedMs = performance.now();
  const settings = readSettings(process.env, process.argv.slice(2));
  const running: Running = { smtp: null, runtime: null };
  const lock = lockDataDir(settings.dataDir);
  process.once("exit", () => lock.release());

  const secrets = await loadSecrets(settings.dataDir, settings);
  // A port of 0 is left to who listens: one that was free a moment ago may be another program's by now.
  await claimPorts(placesOf(settings).filter(({ port }) => port !== 0));
  buildAssets();
  await buildBundle();

  // With the lock held and no workerd on the folder.
  sweepEmptyObjects(settings.dataDir);
  running.runtime = await run(settings, {
    host: settings.host,
    port: settings.port,
    dataDir: settings.dataDir,
    bindings: bindingsOf(settings, secrets),
    allowPrivateTargets: settings.workerVars.ALLOW_PRIVATE_WEBHOOKS === "true",
    relayAuthorities: settings.relayAuthorities,
    onDead: (reason) => fail(new Refusal(reason)),
    onRestart: () => lock.note(workerdPid(process.pid)),
    log: say,
  });
  lock.note(workerdPid(process.pid));
  watchDescriptors(() => workerdPid(process.pid), say);
  stopOnSignals(running);
  const http = `http://${bracketed(settings.host)}:${running.runtime.port}`;
  running.smtp = await listen(settings, { http, token: secrets.authToken });

  for (const line of exposures(settings)) say(`Warning: ${line}`);
  const ready = {
    http,
    smtp: { host: running.smtp.host, port: running.smtp.port, tls: settings.tls !== null },
    mailDomain: settings.mailDomain,
    outbound: settings.workerVars.OUTBOUND || (settings.smtpUrl === null ? "local" : "smtp"),
    dataDir: settings.dataDir,
    keySource: settings.authToken ? "AUTH_TOKEN of the environment" : secretsPath(settings.dataDir),
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
    const lostPort = error instanceof Error && "code" in error && error.code === "ERR_ADDRESS_IN_USE";
    throw lostPort ? listenRefusal(placesOf(settings)[0], error) : error;
  }
}

async function listen(settings: Settings, upstream: { http: string; token: string }): Promise<SmtpListener> {
  try {
    return await startSmtp({
      host: settings.smtpHost,
      port: settings.smtpPort,
      upstream: upstream.http,
      token: upstream.token,
      spoolDir: path.join(settings.dataDir, "spool"),
      maxBytes: MAX_MESSAGE_BYTES,
      name: settings.mailDomain,
      postmaster: `postmaster@${settings.mailDomain}`,
      tls: settings.tls ?? undefined,
      log: say,
    });
  } catch (error) {
    throw listenRefusal(placesOf(settings)[1], error);
  }
}

/** The first signal lets running deliveries finish; the second does not wait. */
function stopOnSignals(running: Running): void {
  let stoppingSinceMs: number | null = null;
  const stop = (): void => {
    const nowMs = performance.now();
    if (stoppingSinceMs !== null) {
      if (nowMs - stoppingSinceMs > ECHO_MS) process.exit(130);
      return;
    }
    stoppingSinceMs = nowMs;
    say("Stopping (again to force)");
    void shutDown(running).then(() => process.exit(0), fail);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  // run.mjs, which forwards the signals of the terminal, is gone.
  process.once("disconnect", stop);
}

async function shutDown(running: Running): Promise<void> {
  await running.smtp?.stop(STOP_GRACE_MS);
  await running.runtime?.stop();
}

/** What the operator can mend is one line; anything else is a bug of ours and shows where. */
function fail(error: unknown): never {
  if (error instanceof Refusal) say(error.message);
  else console.error(error);
  process.exit(1);
}

// The status is the exit code; nothing awaits the top of a script.
serve().catch(fail);
