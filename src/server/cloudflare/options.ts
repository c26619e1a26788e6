import { parseArgs } from "node:util";
import { check, RESOLVER_RULE } from "../../config/check.ts";
import { faultLines } from "../../config/fault-lines.ts";
import { DEFAULT_MAIL_DOMAIN, WORKER_SETTINGS } from "../../config/worker-settings.ts";
import { POLICY_MODES, SENDING_WAYS, type SendingWay, type Wanted } from "../../host/cloudflare/wanted.ts";
import { Refusal } from "../../host/refusal.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The options of `up`. */
export interface UpOptions {
  wanted: Wanted;
  isYes: boolean;
  isDryRun: boolean;
  isTry: boolean;
  /** Whether the round trip sends a mail from outside, too. */
  triesOutside: boolean;
}

/** The options of `down`. */
export interface DownOptions {
  worker: string;
  account: string | null;
  isYes: boolean;
  isDryRun: boolean;
  /** The name that was typed to erase mail; null for none. */
  eraseMail: string | null;
  again: string;
}

export const DEFAULT_WORKER = "mailkeep";
/** The name of a worker, which is also a label of a host name. */
const WORKER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;
/** Variables that other options set. */
const NOT_BY_VAR: ReadonlySet<string> = new Set(["MAIL_DOMAIN", "OUTBOUND"]);

const SWITCH = { type: "boolean", default: false } as const;
const UP_FLAGS = {
  domain: { type: "string" },
  name: { type: "string" },
  account: { type: "string" },
  sending: { type: "string" },
  "without-r2": SWITCH,
  "with-r2": SWITCH,
  "without-events": SWITCH,
  "workers-dev": { type: "string" },
  "take-catch-all": SWITCH,
  "mta-sts": { type: "string" },
  var: { type: "string", multiple: true },
  yes: { ...SWITCH, short: "y" },
  "dry-run": SWITCH,
  try: SWITCH,
  "without-outside": SWITCH,
} as const;
type UpFlags = ReturnType<typeof parseUp>;

function parseUp(words: readonly string[]) {
  return read(() => parseArgs({ args: [...words], options: UP_FLAGS, allowPositionals: false }).values, "up");
}

/** Reads the arguments of `up`. Throws a {@link Refusal} that names the first wrong one. */
export function upOptions(words: readonly string[], env: Env, envFile: string | null = null): UpOptions {
  const flags = parseUp(words);
  if (flags.yes && flags["dry-run"]) throw new Refusal("--yes and --dry-run exclude each other");
  const vars = varsOf(flags.var ?? []);
  const domain = domainOf(flags.domain ?? env.MAIL_DOMAIN ?? (flags.try ? DEFAULT_MAIL_DOMAIN : ""), vars);
  const isDomainTyped = flags.domain !== undefined || flags.try;
  return {
    isYes: flags.yes,
    isDryRun: flags["dry-run"],
    isTry: flags.try,
    triesOutside: !flags["without-outside"],
    wanted: {
      domain,
      vars,
      ...namesIn(flags, env),
      ...sendingIn(flags, env),
      r2: r2Of(flags),
      events: !flags["without-events"],
      takesCatchAll: flags["take-catch-all"],
      mtaSts: mtaStsIn(flags),
      again: commandLine(
        "up",
        [...words, ...(isDomainTyped ? [] : ["--domain", domain]), ...fileWords(envFile)],
        env,
      ),
    },
  };
}

function r2Of(flags: UpFlags): boolean | null {
  if (flags["with-r2"] && flags["without-r2"]) {
    throw new Refusal("--with-r2 and --without-r2 exclude each other");
  }
  if (flags["with-r2"]) return true;
  return flags["without-r2"] ? false : null;
}

function namesIn(flags: UpFlags, env: Env): Pick<Wanted, "worker" | "account" | "workersDev"> {
  return {
    worker: workerName(flags.name),
    account: flags.account ?? env.CLOUDFLARE_ACCOUNT_ID ?? null,
    workersDev: flags["workers-dev"] ?? null,
  };
}

function sendingIn(flags: UpFlags, env: Env): Pick<Wanted, "sending" | "relayUrl"> {
  const text = flags.sending ?? "cloudflare";
  const sending: SendingWay | undefined = SENDING_WAYS.find((way) => way === text);
  if (sending === undefined) throw new Refusal(`--sending must be one of ${SENDING_WAYS.join(", ")}`);
  const relayUrl = sending === "relay" ? (env.SMTP_URL ?? null) : null;
  checkSettings({ ...(relayUrl !== null && { SMTP_URL: relayUrl }) });
  return { sending, relayUrl };
}

function mtaStsIn({ "mta-sts": mode }: UpFlags): Wanted["mtaSts"] {
  const known = POLICY_MODES.find((one) => one === mode);
  if (mode === undefined || known !== undefined) return known ?? null;
  throw new Refusal(`--mta-sts must be one of ${POLICY_MODES.join(", ")}`);
}

function domainOf(given: string, vars: Readonly<Record<string, string>>): string {
  if (given === "") {
    throw new Refusal(
      "--domain is missing: the domain whose addresses become mailboxes, such as example.com",
    );
  }
  const values = checkSettings({ ...vars, MAIL_DOMAIN: given });
  if (!values.MAIL_DOMAIN.includes("."))
    throw new Refusal("--domain must be a complete domain name, such as example.com");
  return values.MAIL_DOMAIN;
}

function varsOf(given: readonly string[]): Record<string, string> {
  const entries = given.map((text): [string, string] => {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(0, at));
    const setting = Object.hasOwn(WORKER_SETTINGS, name);
    if (!setting)
      throw new Refusal(`--var ${text.slice(0, 60)}: not a setting; docs/configuration.md lists all`);
    if (NOT_BY_VAR.has(name)) throw new Refusal(`--var ${name}: use --domain or --sending`);
    if (/SECRET|TOKEN|_KEY$|SMTP_URL/.test(name)) {
      throw new Refusal(
        `--var ${name}: a secret must not stand in a variable; use npx wrangler secret put ${name}`,
      );
    }
    return [name, text.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}

function checkSettings(env: Readonly<Record<string, string>>) {
  const { values, faults } = check(WORKER_SETTINGS, [RESOLVER_RULE], env);
  if (values === null) throw new Refusal(faultLines(faults, env).join("\n"));
  return values;
}

function workerName(given: string | undefined): string {
  const name = given ?? DEFAULT_WORKER;
  if (WORKER_NAME.test(name)) return name;
  throw new Refusal("--name must be at most 48 lower-case letters, digits and hyphens");
}

/** Reads the arguments of `down`. Throws a {@link Refusal} that names the first wrong one. */
export function downOptions(words: readonly string[], env: Env, envFile: string | null = null): DownOptions {
  const options = {
    name: { type: "string" },
    account: { type: "string" },
    yes: { type: "boolean", short: "y" },
    "dry-run": { type: "boolean" },
    "yes-erase-mail": { type: "string" },
  } as const;
  const flags = read(() => parseArgs({ args: [...words], options, allowPositionals: false }).values, "down");
  return {
    worker: workerName(flags.name),
    account: flags.account ?? env.CLOUDFLARE_ACCOUNT_ID ?? null,
    isYes: flags.yes === true,
    isDryRun: flags["dry-run"] === true,
    eraseMail: flags["yes-erase-mail"] ?? null,
    again: commandLine("down", [...words, ...fileWords(envFile)], env),
  };
}

function fileWords(envFile: string | null): string[] {
  return envFile === null ? [] : ["--env-file", envFile];
}

function read<T>(parse: () => T, command: string): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [line = ""] = error.message.split("\n");
    throw new Refusal(`${line}\nTry mailkeep-server ${command} --help`);
  }
}

/** The command as it was typed, for a shell. npx must not fetch a package of that name from a registry. */
function commandLine(name: string, words: readonly string[], { npm_lifecycle_event: script }: Env): string {
  const quoted = words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  const program = script === "server" ? "npm run server --" : "npx --no-install mailkeep-server";
  return [program, name, ...quoted].join(" ");
}
