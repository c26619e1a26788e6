import type { z } from "zod";
import { readKey } from "../contract/key.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Outbound } from "../outbound/transport.ts";
import type { DkimKey } from "../outbound/dkim.ts";
import type { SmtpSettings } from "../outbound/smtp-settings.ts";
import type { MtaSts } from "../mail/mta-sts.ts";
import { check, WORKER_RULES } from "./check.ts";
import { WORKER_SETTINGS } from "./worker-settings.ts";

/** The settings of the worker, as its code uses them. `WORKER_SETTINGS` says what each variable means. */
export interface Config {
  /** In canonical form. */
  mailDomain: string;
  /** SHA-256 of the operator key; null: there is no operator. */
  operatorDigest: string | null;
  /** Whether the operator key has the form of a mailbox key. Only then need a key of that form be compared to it. */
  operatorHasKeyForm: boolean;
  /** Null: no keys are derived. Digests made with it are public, so it differs from every other secret. */
  keySecret: string | null;
  /** Whether CF-Connecting-IP is believed. */
  trustClientAddress: boolean;
  /** The value of the header Mailkeep-Front, which proves that this server's own front set CF-Connecting-IP; null: there is no front. */
  frontSecret: string | null;
  /** In canonical form; null: the operator's own mailbox. */
  postmaster: string | null;
  /** Null: the operator's calls must name a mailbox. */
  defaultMailbox: string | null;
  /** Whether plain http is accepted from other machines. */
  allowHttp: boolean;
  bootstrapEnabled: boolean;
  bootstrapPerHour: number;
  badKeysPerMinute: number;
  /** 0: no limit. */
  requestsPerMinute: number;
  /** 0: no limit. */
  modelSearchesPerMinute: number;
  /** Whether the SMTP listener checks who sent a mail; null: there is none, and mail comes by Email Routing. */
  checksSmtp: boolean | null;
  /** Whose Authentication-Results are believed; null: nobody's. */
  authservId: string | null;
  /** Without a slash at its end; null: the address of each request. */
  publicUrl: string | null;
  mailboxQuotaBytes: number;
  provisionalQuotaBytes: number;
  /** Null: a mailbox without a secret of its own can have no webhook. */
  webhookSecret: string | null;
  /** Signs as well while it is set. */
  webhookSecretBefore: string | null;
  /** Whether webhooks may go to any host and port, and over http. */
  allowPrivateWebhooks: boolean;
  /** Resolver that checks the hosts of webhooks; null: the network itself refuses private addresses. */
  dohUrl: string | null;
  customDomains: CustomDomains;
  /** `local`: mail stays here and can be read; `none`: sending answers 501. */
  outbound: Outbound;
  /** The relay; null: none. */
  smtp: SmtpSettings | null;
  /** Null: outgoing mail is not signed. */
  dkim: DkimKey | null;
  /** Messages a day (UTC) and mailbox. */
  dailySendLimit: number;
  /** The model for searches by meaning; null: none. */
  embeddings: EmbeddingSettings | null;
  /** The MTA-STS policy (RFC 8461) of the mail domain; null: none. */
  mtaSts: MtaSts | null;
  claimApproval: "open" | "operator";
  claimTtlSeconds: number;
  /** Null: no such check on the claim page. */
  turnstile: { siteKey: string; secretKey: string } | null;
  eventRetentionDays: number;
  /** `json`: each request is logged. */
  logFormat: "text" | "json";
}

/** Where embeddings come from. */
export interface EmbeddingSettings {
  /** Base address of an OpenAI-compatible endpoint; null: Workers AI. */
  url: string | null;
  model: string;
  /** API key of the endpoint; null: none. */
  key: string | null;
}

/** How records of custom domains are looked up, and which values they must have. */
export interface CustomDomains {
  /** Resolver that answers `application/dns-json`. */
  dohUrl: string;
  /** Hosts for MX records: users see the first, each counts. */
  mailHosts: readonly [string, ...string[]];
  /** Mechanisms for SPF records. */
  spfMechanisms: string;
}

/** Where records of custom domains are looked up if no resolver is set. */
const PUBLIC_DOH_URL = "https://cloudflare-dns.com/dns-query";

/** The values of all variables of the worker. */
export type WorkerValues = z.output<z.ZodObject<typeof WORKER_SETTINGS>>;

/** How mail leaves, also where `OUTBOUND` is not set. */
export function outboundOf({ OUTBOUND, SMTP_URL }: WorkerValues): Config["outbound"] {
  return OUTBOUND ?? (SMTP_URL === null ? "local" : "smtp");
}

function configFrom(values: WorkerValues): Config {
  return {
    mailDomain: values.MAIL_DOMAIN,
    operatorHasKeyForm: readKey(values.AUTH_TOKEN ?? "") !== null,
    operatorDigest: values.AUTH_TOKEN === null ? null : sha256Hex(values.AUTH_TOKEN),
    keySecret: values.KEY_SECRET,
    trustClientAddress: values.TRUST_CLIENT_ADDRESS,
    frontSecret: null,
    defaultMailbox: values.DEFAULT_MAILBOX,
    postmaster: values.POSTMASTER,
    allowHttp: values.ALLOW_HTTP,
    bootstrapEnabled: values.BOOTSTRAP,
    bootstrapPerHour: values.BOOTSTRAP_PER_HOUR,
    badKeysPerMinute: values.BAD_KEY_LIMIT,
    requestsPerMinute: values.REQUEST_LIMIT,
    modelSearchesPerMinute: values.MODEL_SEARCH_LIMIT,
    checksSmtp: null,
    authservId: values.AUTHSERV_ID,
    publicUrl: values.PUBLIC_URL === null ? null : withoutSlash(values.PUBLIC_URL),
    mailboxQuotaBytes: values.MAILBOX_QUOTA_BYTES,
    provisionalQuotaBytes: values.PROVISIONAL_QUOTA_BYTES,
    webhookSecret: values.WEBHOOK_SECRET,
    webhookSecretBefore: values.WEBHOOK_SECRET_PREVIOUS,
    allowPrivateWebhooks: values.ALLOW_PRIVATE_WEBHOOKS,
    dohUrl: dohUrlOf(values),
    customDomains: {
      dohUrl: dohUrlOf(values) ?? PUBLIC_DOH_URL,
      mailHosts: values.MAIL_HOST ?? [values.MAIL_DOMAIN],
      spfMechanisms: values.SPF_MECHANISMS ?? `include:${values.MAIL_DOMAIN}`,
    },
    outbound: outboundOf(values),
    smtp: values.SMTP_URL,
    dkim: dkimOf(values),
    dailySendLimit: values.DAILY_SEND_LIMIT,
    embeddings: embeddingsOf(values),
    mtaSts: mtaStsOf(values),
    claimApproval: values.CLAIM_APPROVAL,
    claimTtlSeconds: values.CLAIM_TTL_SECONDS,
    turnstile: turnstileOf(values),
    eventRetentionDays: values.EVENT_RETENTION_DAYS,
    logFormat: values.LOG_FORMAT,
  };
}

/** The URL that {@link resolverFetch} is given; for DNS servers one that only `npm start` answers. */
function dohUrlOf({ RESOLVER, DOH_URL }: WorkerValues): string | null {
  if (RESOLVER === null) return DOH_URL;
  return "url" in RESOLVER ? RESOLVER.url : "http://npm-start/dns-query";
}

/** Null where mail is not signed; a rule says that key and selector are set together. */
function dkimOf(values: WorkerValues): DkimKey | null {
  const { DKIM_PRIVATE_KEY: key, DKIM_SELECTOR: selector } = values;
  if (key === null || selector === null) return null;
  // A variable of one line has its line ends written as \n.
  return {
    domain: values.DKIM_DOMAIN ?? values.MAIL_DOMAIN,
    selector,
    privateKey: key.replaceAll("\\n", "\n"),
  };
}

/** The policy for senders; null for none. A rule says that the mail hosts are set where it is on. */
export function mtaStsOf(
  values: Pick<WorkerValues, "MTA_STS" | "MTA_STS_MAX_AGE" | "MTA_STS_MX" | "MAIL_HOST">,
): MtaSts | null {
  const { MTA_STS: mode, MTA_STS_MAX_AGE: maxAgeSeconds } = values;
  const hosts = values.MTA_STS_MX ?? values.MAIL_HOST;
  if (mode === "none") return { mode, hosts: hosts ?? [], maxAgeSeconds };
  return mode === "off" || hosts === null ? null : { mode, hosts, maxAgeSeconds };
}

function embeddingsOf(values: WorkerValues): EmbeddingSettings | null {
  const { EMBEDDINGS_MODEL: model, EMBEDDINGS_URL: url, EMBEDDINGS_KEY: key } = values;
  return model === null ? null : { url: url === null ? null : withoutSlash(url), model, key };
}

function turnstileOf(values: WorkerValues): Config["turnstile"] {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = values;
  return siteKey === null || secretKey === null ? null : { siteKey, secretKey };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Thrown where settings are wrong. The message names each variable and its rule, never a value: clients see it. */
export class ConfigError extends Error {}

const parsed = new WeakMap<object, Config>();

/** The configuration of this deployment, read once for each environment. Throws ConfigError. */
export function configOf(env: object): Config {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const { values, faults } = check(WORKER_SETTINGS, WORKER_RULES, { ...env });
  if (values === null) {
    throw new ConfigError(faults.map(({ variable, message }) => `${variable} ${message}`).join("; "));
  }
  const config = { ...configFrom(values), ...serverFacts(env) };
  parsed.set(env, config);
  return config;
}

/** Facts that the server around the worker tells it; no settings. */
function serverFacts(env: { FRONT_SECRET?: unknown; SMTP_CHECKS?: unknown }) {
  const { FRONT_SECRET, SMTP_CHECKS } = env;
  return {
    frontSecret: typeof FRONT_SECRET === "string" ? FRONT_SECRET : null,
    checksSmtp: SMTP_CHECKS === undefined ? null : SMTP_CHECKS === "on",
  };
}

/** The doors by which mail comes in, and whether each checks who sent it. */
export function checkingDoors({
  checksSmtp,
  authservId,
  dohUrl,
}: Config): { door: string; checks: boolean }[] {
  // Email Routing has always checked a mail.
  if (checksSmtp === null) return [{ door: "Email Routing", checks: true }];
  return [
    { door: "SMTP", checks: checksSmtp },
    { door: "POST /v1/inbound", checks: authservId !== null || dohUrl !== null },
  ];
}

/** Bindings that `npm start` adds. */
export interface OperatorBindings {
  /** A network that reaches private addresses too: the operator's own relay, resolver or model may be on this machine. */
  OPERATOR_NETWORK?: Fetcher;
  /** Answers `application/dns-json` with what the DNS servers of RESOLVER say. */
  HOST_RESOLVER?: Fetcher;
}

/** Returns a `fetch` for hosts that the operator set. */
export function operatorFetch({ OPERATOR_NETWORK }: OperatorBindings): typeof fetch {
  return OPERATOR_NETWORK === undefined
    ? (input, init) => fetch(input, init)
    : (input, init) => OPERATOR_NETWORK.fetch(input, init);
}

/** Returns a `fetch` for the resolver. */
export function resolverFetch(bindings: OperatorBindings): typeof fetch {
  const { HOST_RESOLVER } = bindings;
  return HOST_RESOLVER === undefined
    ? operatorFetch(bindings)
    : (input, init) => HOST_RESOLVER.fetch(input, init);
}
