import { parseArgs } from "node:util";
import { resolver, type ResolverPlace } from "../../config/kinds.ts";
import { Output } from "../../cli/terminal/output.ts";
import { safeLine } from "../../cli/terminal/safe-text.ts";
import type { Painter, Style } from "../../cli/terminal/style.ts";
import { apiSettings, CloudflareApi } from "../../host/cloudflare/api.ts";
import { examineCloudflare, type Deployment } from "../../host/doctor/cloudflare.ts";
import { DEADLINE_MS, diagnosis, type RunOptions } from "../../host/doctor/doctor.ts";
import { exitOf, worstFirst, type Finding, type Level } from "../../host/doctor/finding.ts";
import { examineMachine } from "../../host/doctor/machine.ts";
import { systemWorld, type Detours } from "../../host/doctor/ports/system.ts";
import { isName } from "../../host/doctor/records.ts";
import { sendReport } from "../../host/doctor/report.ts";
import { shellWord } from "../../host/doctor/shell-word.ts";
import { readMachine, type Given } from "../../host/doctor/subject.ts";
import { Refusal } from "../../host/refusal.ts";
import { listDeployments } from "../cloudflare/files.ts";
import type { CommandContext, ServerCommand } from "../command.ts";

const HELP = `Checks the settings, files, disk, clock, server, DNS, port 25, certificates and relay of this machine. For each fault it
prints what is wrong, what it costs, and the fix: one command or DNS record. It changes nothing without --probe or --report.

  --json                 The findings as one JSON object; also where the output is no terminal
  --env-file FILE        Reads the settings from this file, as systemd does; else from the environment
  --resolver RESOLVER    Another DNS resolver than the server's (RESOLVER): IP addresses, or a URL that answers
                         application/dns-json; else DOCTOR_RESOLVER
  --address ADDRESS      A public address of this machine, if a router or a proxy is in front; may be repeated
  --clock-url URL        Compares the clock with that of this web server
  --outward HOST:PORT    Checks whether this machine can connect there, for example to port 25 of another mail server
  --probe                Sends a mail through this server, to a temporary mailbox that is erased afterwards
  --report               Also sends the findings to the server, for the operator console
  --connect-to A:P:B:Q   Connects to address B, port Q in the place of address A, port P; may be repeated
  --cloudflare [DOMAIN]  Examines the deployment of this domain on Cloudflare, with CLOUDFLARE_API_TOKEN; without a domain,
                         the deployment that up made from this machine
  --name WORKER          The name of its worker; else mailkeep
  --account ID           Its account; else CLOUDFLARE_ACCOUNT_ID, else that of the zone

Exit codes: 0 nothing is wrong, 8 warnings, 9 something is broken, 4 a check needs more rights, 1 a check got no answer.
docs/doctor.md explains every finding.
`;

const OPTIONS = {
  json: { type: "boolean" },
  "env-file": { type: "string" },
  resolver: { type: "string" },
  address: { type: "string", multiple: true },
  "clock-url": { type: "string" },
  outward: { type: "string" },
  probe: { type: "boolean" },
  report: { type: "boolean" },
  cloudflare: { type: "string" },
  name: { type: "string" },
  account: { type: "string" },
  "connect-to": { type: "string", multiple: true },
} as const;

/** `mailkeep-server doctor`. */
export const doctor: ServerCommand = {
  summary: "Checks a deployment and prints how to fix what is wrong",
  help: HELP,
  async run(words, context) {
    const options = read(words);
    const findings = worstFirst(await examine(options, words, context));
    const output = new Output({ ...context, json: options.json === true });
    await output.value(diagnosis(findings), () => screen(findings, output.paint));
    return exitOf(findings);
  },
};

type Options = ReturnType<typeof read>;

async function examine(
  options: Options,
  words: readonly string[],
  context: CommandContext,
): Promise<Finding[]> {
  const { signal } = context;
  const command = ["mailkeep-server", "doctor", ...words].map(shellWord).join(" ");
  const { cloudflare: domain } = options;
  return domain === undefined
    ? examineOwn(options, context, { command, deadlineMs: DEADLINE_MS, signal })
    : examineCloud(options, context, { command, deadlineMs: CLOUD_DEADLINE_MS, signal });
}

async function examineOwn(options: Options, context: CommandContext, run: RunOptions): Promise<Finding[]> {
  const { env, signal, stderr } = context;
  const own = ownResolver(options, env);
  const subject = await readMachine(env, { ...givenBy(options), resolverFrom: own?.from ?? null });
  if ("findings" in subject) return subject.findings;
  const { machine } = subject;
  const world = systemWorld({
    resolver: own?.place ?? machine.settings.resolver?.place ?? null,
    asksSystemToo: own === null,
    authorities: machine.settings.relayAuthorities,
    detours: detoursOf(options["connect-to"] ?? []),
  });
  const findings = await examineMachine(machine, world, run);
  if (options.report !== true) return findings;
  const refusal = await sendReport(machine, world, { findings, signal });
  if (refusal !== null) stderr.write(`The findings were not sent to the server: ${safeLine(refusal)}\n`);
  return findings;
}

function examineCloud(
  options: Options,
  { env, signal }: CommandContext,
  run: RunOptions,
): Promise<Finding[]> {
  const { baseUrl, token } = apiSettings(env);
  const api = new CloudflareApi({ baseUrl, token, signal });
  return examineCloudflare(api, { ...deploymentOf(options, env), token }, run);
}

/** Repeats of calls after a rate limit take a minute. */
const CLOUD_DEADLINE_MS = 120_000;

type CloudOptions = Pick<Options, "cloudflare" | "name" | "account">;

/** The deployment of the options; without a domain, the one that `up` made from this machine. Throws a refusal. */
export function deploymentOf(
  { cloudflare: text = "", name, account }: CloudOptions,
  env: CommandContext["env"],
): Pick<Deployment, "domain" | "worker" | "accountId"> {
  const accountId = account ?? (env.CLOUDFLARE_ACCOUNT_ID || null);
  if (text === "") return knownDeployment(env, { worker: name, accountId });
  return { ...namesOf(text, name), accountId };
}

function knownDeployment(
  env: CommandContext["env"],
  asked: { worker: string | undefined; accountId: string | null },
): Pick<Deployment, "domain" | "worker" | "accountId"> {
  const found = listDeployments(env).filter(
    ({ worker, account }) =>
      (asked.worker === undefined || worker === asked.worker) &&
      (asked.accountId === null || account === asked.accountId),
  );
  const [only, ...others] = found;
  if (only === undefined)
    throw new Refusal(
      "This machine has no record of a deployment: name it, as --cloudflare agents.example.org",
    );
  if (others.length > 0) {
    const names = found.map(({ domain, worker }) => `--cloudflare ${domain} --name ${worker}`);
    throw new Refusal(`This machine has several deployments: name one, ${names.join(" or ")}`);
  }
  return { domain: only.domain, worker: only.worker, accountId: only.account };
}

function namesOf(text: string, name = "mailkeep"): Pick<Deployment, "domain" | "worker"> {
  const domain = text.toLowerCase();
  if (!isName(domain) || !domain.includes("."))
    throw new Refusal("--cloudflare must be a domain, such as agents.example.org");
  if (!/^[a-z0-9-]{1,63}$/.test(name))
    throw new Refusal(
      "--name must be the name of a worker: at most 63 lower-case letters, digits and hyphens",
    );
  return { domain, worker: name };
}

/** The resolver of the doctor alone; null: it asks where the server asks. */
function ownResolver(
  { resolver: option }: Options,
  { DOCTOR_RESOLVER: variable }: CommandContext["env"],
): { from: string; place: ResolverPlace } | null {
  const [from, text] = option === undefined ? ["DOCTOR_RESOLVER", variable] : ["--resolver", option];
  if (!text) return null;
  const read = resolver.read(text);
  if (!read.ok) throw new Refusal(`${from} must be ${resolver.values}`);
  return { from, place: read.value };
}

function givenBy(options: Options): Omit<Given, "resolverFrom"> {
  return {
    envFile: options["env-file"] ?? null,
    addresses: options.address ?? [],
    clockUrl: options["clock-url"] === undefined ? null : clockUrl(options["clock-url"]),
    outward: options.outward === undefined ? null : place(options.outward, "--outward"),
    probe: options.probe === true,
  };
}

function read(words: readonly string[]) {
  try {
    // The domain may be left out.
    const args = words.map((word, at) =>
      word === "--cloudflare" && (words[at + 1] ?? "-").startsWith("-") ? "--cloudflare=" : word,
    );
    return parseArgs({ args, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new Refusal(
      `${error instanceof Error ? error.message : String(error)}; try mailkeep-server doctor --help`,
    );
  }
}

function clockUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Refusal("--clock-url must be an http or https URL");
  return url;
}

/** `host:port`. */
function place(text: string, option: string): { host: string; port: number } {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) > 65_535)
    throw new Refusal(`${option} must be HOST:PORT, such as mx.example.org:25`);
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}

function detoursOf(texts: readonly string[]): Detours {
  return new Map(
    texts.map((text) => {
      const [, from = "", to = ""] = /^(\[[^\]]+\]:\d+|[^:]+:\d+):(.+)$/.exec(text) ?? [];
      const [source, target] = [place(from, "--connect-to A:P:B:Q"), place(to, "--connect-to A:P:B:Q")];
      return [`${source.host}:${source.port}`, { address: target.host, port: target.port }];
    }),
  );
}

const STYLES: Record<Level, Style> = { broken: "red", warning: "yellow", ok: "green" };

/** The findings for a terminal: worst first, each with its cost and its fix in full. */
export function screen(findings: readonly Finding[], paint: Painter): string[] {
  const counted = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const lines = findings.flatMap(({ id, level, title, cost, fix }) => [
    `${paint(STYLES[level], level.padEnd(LEVEL_COLUMNS))}${safeLine(title)} ${paint("dim", `(${id})`)}`,
    ...(cost === "" ? [] : [`${INDENT}${safeLine(cost)}`]),
    ...(fix === "" ? [] : [`${INDENT}${paint("bold", safeLine(fix))}`]),
  ]);
  return [...lines, "", `${counted("broken")} broken, ${counted("warning")} warnings, ${counted("ok")} ok`];
}

const LEVEL_COLUMNS = 9;
const INDENT = " ".repeat(LEVEL_COLUMNS);
