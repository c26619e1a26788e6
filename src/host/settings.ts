import path from "node:path";
import type { z } from "zod";
import { check, isSet, together, WORKER_RULES, type Environment, type Fault } from "../config/check.ts";
import type { WorkerValues } from "../config/env.ts";
import type { ResolverPlace } from "../config/kinds.ts";
import { faultLines } from "../config/fault-lines.ts";
import { MACHINE_SETTINGS } from "../config/machine-settings.ts";
import { WORKER_SETTINGS } from "../config/worker-settings.ts";
import { readAuthorities, readDkimKey, readHttpTls, readSmtpTls, type KeyPairFiles } from "./pem-files.ts";
import { Refusal } from "./refusal.ts";

/** The settings of `npm start`, checked. */
export interface Settings {
  /** Absolute. */
  dataDir: string;
  host: string;
  /** 0: any free one; the same for `smtpPort`. */
  port: number;
  smtpHost: string;
  smtpPort: number;
  /** For HTTPS on `port`; null: plain http. */
  httpTls: KeyPairFiles | null;
  /** Answers plain http with a redirect; null: no such port. 0: any free one. */
  redirectPort: number | null;
  /** The folder in which an ACME client puts the files of challenges; null: none. */
  acmeWebroot: string | null;
  /** Networks in CIDR form whose connections begin with a header of the PROXY protocol; null: none do. */
  proxies: readonly string[] | null;
  /** Networks in CIDR form whose clients get the SMTP greeting without a pause; null: only this machine does. */
  unpaused: readonly string[] | null;
  /** For STARTTLS; null: SMTP offers no TLS. */
  tls: KeyPairFiles | null;
  /** Whether senders of mail by SMTP are checked; null: where other machines reach the listener. */
  senderChecks: boolean | null;
  /** Where DNS is asked, and the variable that says so; null: the resolvers of the system. */
  resolver: { variable: "RESOLVER" | "DNS_SERVERS" | "DOH_URL"; place: ResolverPlace } | null;
  /** Where metrics are served without a key; null: nowhere. */
  metrics: { host: string; port: number } | null;
  /** Certificates in PEM that may have signed the relay's, besides those that browsers know. */
  relayAuthorities: string[];
  /** Print one line of JSON instead of the screen. */
  readyJson: boolean;
  /** The settings of the worker, where the environment sets them; else the worker's own defaults. */
  worker: WorkerValues;
  /** The same as text, for the worker: only what the environment sets. */
  workerVariables: Record<string, string>;
}

const SECRETS = ["AUTH_TOKEN", "KEY_SECRET", "WEBHOOK_SECRET", "WEBHOOK_SECRET_PREVIOUS"];
/** The characters that an Authorization header can hold. */
const HEADER_SAFE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

const MACHINE_RULES = [
  {
    variable: "PORT",
    message: "and SMTP_PORT must be different ports",
    isBroken: ({ PORT, SMTP_PORT, HOST, SMTP_HOST }: Environment) =>
      isSet({ PORT }, "PORT") &&
      PORT !== "0" &&
      PORT === (SMTP_PORT || "2525") &&
      (SMTP_HOST || HOST) === HOST,
  },
  together("TLS_CERT", "TLS_KEY"),
  together("SMTP_TLS_CERT", "SMTP_TLS_KEY"),
  {
    variable: "HTTP_REDIRECT_PORT",
    message: "needs TLS_CERT: without it there is no https to lead to",
    isBroken: (env: Environment) => isSet(env, "HTTP_REDIRECT_PORT") && !isSet(env, "TLS_CERT"),
  },
  {
    variable: "HTTP_REDIRECT_PORT",
    message: "must be another port than PORT",
    isBroken: ({ HTTP_REDIRECT_PORT: port, PORT }: Environment) =>
      isSet({ port }, "port") && port !== "0" && port === (PORT || "8787"),
  },
  ...SECRETS.map((variable) => ({
    variable,
    // An empty secret is a mistake in a shell script: nobody wants another key because of it.
    message: "is empty: give it a value, or remove it",
    isBroken: (env: Environment) => env[variable] === "",
  })),
  ...SECRETS.map((variable) => ({
    variable,
    message: "must be printable ASCII without spaces around it",
    isBroken: (env: Environment) => isSet(env, variable) && !HEADER_SAFE.test(String(env[variable])),
  })),
];

/** Reads and checks all settings of `npm start`. Throws a {@link Refusal} with one line for each wrong setting. */
export function readSettings(env: Environment, args: readonly string[] = []): Settings {
  const machine = check(MACHINE_SETTINGS, MACHINE_RULES, env);
  const worker = check(WORKER_SETTINGS, WORKER_RULES, { ...env, HOST_RESOLVER: true });
  const httpTls = readHttpTls(env);
  const tls = readSmtpTls(env);
  const authorities = readAuthorities(env);
  const dkimKey = readDkimKey(env);
  const results = [worker, machine, httpTls, tls, authorities, dkimKey];
  const faults = withoutRepeats(results.flatMap((one): readonly Fault[] => one.faults));
  if (machine.values === null || worker.values === null || faults.length > 0) {
    throw new Refusal(faultLines(faults, env).join("\n"));
  }
  return {
    ...machineSettings(machine.values, args),
    resolver: resolverOf(machine.values, worker.values),
    httpTls: httpTls.value,
    tls: tls.value,
    relayAuthorities: authorities.value ?? [],
    worker: worker.values,
    workerVariables: {
      ...textsOf(env),
      ...(dkimKey.value === null ? {} : { DKIM_PRIVATE_KEY: dkimKey.value }),
    },
  };
}

/** SMTP reads the files of HTTPS too, where it has none of its own. */
function withoutRepeats(faults: readonly Fault[]): Fault[] {
  const isSame = (one: Fault, other: Fault): boolean =>
    one.variable === other.variable && one.message === other.message;
  return faults.filter((fault, index) => faults.findIndex((one) => isSame(one, fault)) === index);
}

type MachineMember =
  | "dataDir"
  | "host"
  | "port"
  | "redirectPort"
  | "acmeWebroot"
  | "proxies"
  | "unpaused"
  | "smtpHost"
  | "smtpPort"
  | "senderChecks"
  | "metrics"
  | "readyJson";

function machineSettings(
  values: z.output<z.ZodObject<typeof MACHINE_SETTINGS>>,
  args: readonly string[],
): Pick<Settings, MachineMember> {
  return {
    dataDir: path.resolve(values.DATA_DIR),
    host: values.HOST,
    port: values.PORT,
    redirectPort: values.HTTP_REDIRECT_PORT,
    acmeWebroot: values.ACME_WEBROOT,
    proxies: values.PROXY_PROTOCOL_FROM,
    unpaused: values.SMTP_NO_PAUSE_FROM,
    smtpHost: values.SMTP_HOST ?? values.HOST,
    smtpPort: values.SMTP_PORT,
    senderChecks: values.SENDER_CHECKS,
    metrics: values.METRICS_PORT === null ? null : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    readyJson: values.MAILKEEP_READY === "json" || args.includes("--ready-json"),
  };
}

function resolverOf(
  { DNS_SERVERS }: z.output<z.ZodObject<typeof MACHINE_SETTINGS>>,
  { RESOLVER, DOH_URL }: WorkerValues,
): Settings["resolver"] {
  if (RESOLVER !== null) return { variable: "RESOLVER", place: RESOLVER };
  if (DNS_SERVERS !== null) return { variable: "DNS_SERVERS", place: { servers: DNS_SERVERS } };
  return DOH_URL === null ? null : { variable: "DOH_URL", place: { url: DOH_URL } };
}

function textsOf(env: Environment): Record<string, string> {
  const names = Object.keys(WORKER_SETTINGS).filter((name) => isSet(env, name));
  return Object.fromEntries(names.map((name) => [name, String(env[name])]));
}
