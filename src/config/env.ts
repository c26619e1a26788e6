import * as z from "zod";
import { readKey } from "../contract/key.ts";
import { sha256Hex } from "../lib/hash.ts";
import { done, refused, type Outcome } from "../lib/outcome.ts";
import { canonicalAddress, canonicalDomain } from "../mail/address.ts";
import type { DkimKey } from "../outbound/dkim.ts";
import { smtpSettings, type SmtpSettings } from "../outbound/smtp-settings.ts";

/** What a deployment sets. The only place that reads a variable. */
export interface Config {
  /** The domain whose addresses are mailboxes here, in canonical form. */
  mailDomain: string;
  /** Digest of the operator's credential; null = there is no operator. */
  operatorDigest: string | null;
  /** Whether that credential could be taken for a mailbox's key; what has that form need not be compared to it else. */
  operatorHasKeyForm: boolean;
  /**
   * What keys that must be said twice are derived from; null = there are none. Anybody may see digests keyed with it, so it
   * is no secret that somebody might guess, and no other one.
   */
  keySecret: string | null;
  /** CF-Connecting-IP is believed: the platform, or a proxy of one's own, sets it whatever the client sent. */
  trustClientAddress: boolean;
  /** The mailbox that has the mail for postmaster@ and abuse@ of the domain, canonical; null = one of the operator's own. */
  postmaster: string | null;
  /** The mailbox an operator acts on who names none. */
  defaultMailbox: string | null;
  /** Plain http is accepted from everywhere: the deployment stands behind TLS of its own. */
  allowHttp: boolean;
  bootstrapEnabled: boolean;
  bootstrapPerHour: number;
  /** Wrong keys a minute and client address before 429. */
  badKeysPerMinute: number;
  /** Calls a minute that the keys of one mailbox make before 429; 0 = any number. */
  requestsPerMinute: number;
  /** Of those, searches that ask the embedding model; 0 = any number. */
  modelSearchesPerMinute: number;
  /** Whose Authentication-Results are believed; null = nobody's. */
  authservId: string | null;
  /** Base address that clients see; null = as requested. */
  publicUrl: string | null;
  /** Bytes of mail that a permanent mailbox holds. */
  mailboxQuotaBytes: number;
  /** Bytes of mail that a temporary mailbox holds. */
  provisionalQuotaBytes: number;
  /** Signs the webhooks of a mailbox without a secret of its own; null = such a mailbox can have none. */
  webhookSecret: string | null;
  /** The deployment's secret before that one: it signs too while it is set, so that receivers can change over. */
  webhookSecretBefore: string | null;
  /** Webhooks may go to any host and port, and over http: for local work. */
  allowPrivateWebhooks: boolean;
  /** Resolver (`application/dns-json`) that names of webhooks are checked with; null = the network itself checks. */
  dohUrl: string | null;
  customDomains: CustomDomains;
  /** How mail leaves the deployment; `local`: it does not, but is kept to be looked at; `none`: nothing is sent at all. */
  outbound: "local" | "smtp" | "worker-mailer" | "cloudflare" | "none";
  /** The relay; null where none is set. */
  smtp: SmtpSettings | null;
  /** What every message that goes out is signed with; null = nothing is. */
  dkim: DkimKey | null;
  /** Messages that one mailbox sends on a day, UTC. */
  dailySendLimit: number;
  /** The model that mail is embedded by, for searches by meaning; null = none. */
  embeddings: EmbeddingSettings | null;
  /** Who may approve a claim: anyone with the page and its code, or the operator alone. */
  claimApproval: "open" | "operator";
  claimTtlSeconds: number;
  /** What tells people from programs on the page of a claim; null = nothing does. */
  turnstile: { siteKey: string; secretKey: string } | null;
  /** How long the log of a mailbox and its log of deliveries go back. */
  eventRetentionDays: number;
}

/** Where embeddings come from. */
export interface EmbeddingSettings {
  /** Base address of an endpoint that speaks as OpenAI's does; null = the platform's Workers AI. */
  url: string | null;
  model: string;
  /** Credential of the endpoint; null = none. */
  key: string | null;
}

/** What domains of the mailboxes' own are told and looked up with. */
export interface CustomDomains {
  /** Resolver (`application/dns-json`) of their records. */
  dohUrl: string;
  /** Hosts that they name in their MX records: the first is shown, any of them counts. */
  mailHosts: readonly [string, ...string[]];
  /** What they name in their SPF records. */
  spfMechanisms: string;
}

const MIN_TOKEN_CHARS = 32;
/** Shorter ones are guessed from one signed body. */
const MIN_WEBHOOK_SECRET_CHARS = 16;
/** Ten years. */
const MAX_RETENTION_DAYS = 3_650;
/** Time to reach for a telephone. */
const MIN_CLAIM_SECONDS = 30;
/** A code that can be guessed at for longer is none. */
const MAX_CLAIM_SECONDS = 3_600;
/** Where records of custom domains are looked up unless the deployment names a resolver of its own. */
const PUBLIC_DOH_URL = "https://cloudflare-dns.com/dns-query";
const GB = 1_000_000_000;
const MB = 1_000_000;

/** The domain of a deployment that names none. */
export const DEFAULT_MAIL_DOMAIN = "mailkeep.test";

/**
 * A domain of the deployment's own in canonical form, the one that domains of addresses are compared in. The error completes
 * "MAIL_DOMAIN …".
 */
export function readOwnDomain(written: string): Outcome<string, string> {
  const domain = canonicalDomain(written);
  return domain === null ? refused("must be a domain name such as agents.example.org") : done(domain);
}

const optional = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value === "" ? null : value));

function secretOf(minChars: number) {
  return optional.refine((secret) => secret === null || secret.length >= minChars, {
    error: `must be at least ${minChars} characters`,
  });
}

function wholeNumber(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .optional()
    .transform((value) => (value === undefined ? fallback : Number(value)));
}

const ownDomain = z.string().transform((written, context) => {
  const read = readOwnDomain(written);
  if (read.ok) return read.value;
  context.addIssue({ code: "custom", message: read.error });
  return z.NEVER;
});

/** Host names with commas between them; null for none. */
const hostNames = optional.transform((text, context): [string, ...string[]] | null => {
  const [first = null, ...others] = text?.split(",").map(canonicalDomain) ?? [];
  const rest = others.filter((host) => host !== null);
  if (text === null) return null;
  if (first !== null && rest.length === others.length) return [first, ...rest];
  context.addIssue({ code: "custom", message: "must be host names with commas between them" });
  return z.NEVER;
});

/** Words of printable ASCII (RFC 7208 §4.6.1); quotes have a meaning of their own in zone files. */
const spfTerms = optional.refine(
  (text) => text === null || /^[\x21\x23-\x7e]+(?: [\x21\x23-\x7e]+)*$/.test(text),
  {
    error: "must be mechanisms of SPF with blanks between them, such as include:example.org",
  },
);

function toggle(fallback: boolean) {
  return z
    .enum(["true", "false", "on", "off", "1", "0", ""])
    .optional()
    .transform((value) =>
      value === undefined || value === "" ? fallback : ["true", "on", "1"].includes(value),
    );
}

/** Whether mail leaves by a relay. */
export function needsRelay(outbound: string | undefined): boolean {
  return outbound === "smtp" || outbound === "worker-mailer";
}

function embeddingSettings(
  model: string | null,
  url: string | null,
  key: string | null,
): EmbeddingSettings | null {
  return model === null ? null : { url: url?.replace(/\/+$/, "") ?? null, model, key };
}

/** The refinements see to it that both variables are set or neither. */
function dkimOf(vars: {
  MAIL_DOMAIN: string;
  DKIM_DOMAIN: string | null;
  DKIM_SELECTOR: string | null;
  DKIM_PRIVATE_KEY: string | null;
}): DkimKey | null {
  if (vars.DKIM_PRIVATE_KEY === null || vars.DKIM_SELECTOR === null) return null;
  return {
    domain: vars.DKIM_DOMAIN ?? vars.MAIL_DOMAIN,
    selector: vars.DKIM_SELECTOR,
    // In a variable of one line the line ends are written out.
    privateKey: vars.DKIM_PRIVATE_KEY.replaceAll("\\n", "\n"),
  };
}

/** As `dkimOf`. */
function turnstileOf(vars: { TURNSTILE_SITE_KEY: string | null; TURNSTILE_SECRET_KEY: string | null }) {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = vars;
  return siteKey === null || secretKey === null ? null : { siteKey, secretKey };
}

const Variables = z
  .object({
    MAIL_DOMAIN: ownDomain.default(DEFAULT_MAIL_DOMAIN),
    AUTH_TOKEN: secretOf(MIN_TOKEN_CHARS),
    KEY_SECRET: secretOf(MIN_TOKEN_CHARS),
    TRUST_CLIENT_ADDRESS: toggle(false),
    DEFAULT_MAILBOX: optional,
    POSTMASTER: optional.transform((written, context) => {
      const address = written === null ? null : canonicalAddress(written);
      if (written === null || address !== null) return address;
      context.addIssue({ code: "custom", message: "must be an email address" });
      return z.NEVER;
    }),
    ALLOW_HTTP: toggle(false),
    BOOTSTRAP: toggle(true),
    BOOTSTRAP_PER_HOUR: wholeNumber(10),
    BAD_KEY_LIMIT: wholeNumber(300),
    REQUEST_LIMIT: wholeNumber(300_000),
    MODEL_SEARCH_LIMIT: wholeNumber(3_000),
    AUTHSERV_ID: optional,
    PUBLIC_URL: optional.pipe(z.url().nullable()),
    MAILBOX_QUOTA_BYTES: wholeNumber(5 * GB),
    PROVISIONAL_QUOTA_BYTES: wholeNumber(100 * MB),
    WEBHOOK_SECRET: secretOf(MIN_WEBHOOK_SECRET_CHARS),
    WEBHOOK_SECRET_PREVIOUS: secretOf(MIN_WEBHOOK_SECRET_CHARS),
    ALLOW_PRIVATE_WEBHOOKS: toggle(false),
    DOH_URL: optional.pipe(z.url({ protocol: /^https?$/ }).nullable()),
    MAIL_HOST: hostNames,
    SPF_MECHANISMS: spfTerms,
    OUTBOUND: z.enum(["local", "smtp", "worker-mailer", "cloudflare", "none", ""]).optional(),
    EMAIL: z.unknown().optional(),
    SMTP_URL: optional.transform((url, context) => {
      const settings = url === null ? null : smtpSettings(url);
      if (settings === null || settings.ok) return settings?.value ?? null;
      context.addIssue({ code: "custom", message: settings.error.replace(/^SMTP_URL /, "") });
      return z.NEVER;
    }),
    DKIM_DOMAIN: optional.pipe(ownDomain.nullable()),
    DKIM_SELECTOR: optional,
    DKIM_PRIVATE_KEY: optional,
    EMBEDDINGS_URL: optional.pipe(z.url({ protocol: /^https?$/ }).nullable()).refine(
      // `fetch` takes no such URL (Fetch standard, Request constructor).
      (url) => url === null || !/^https?:\/\/[^/]*@/i.test(url),
      { error: "must hold no credential: set EMBEDDINGS_KEY" },
    ),
    EMBEDDINGS_MODEL: optional,
    EMBEDDINGS_KEY: optional,
    AI: z.unknown().optional(),
    DAILY_SEND_LIMIT: wholeNumber(100),
    CLAIM_APPROVAL: z.enum(["open", "operator", ""]).optional(),
    CLAIM_TTL_SECONDS: wholeNumber(600).refine(
      (seconds) => seconds >= MIN_CLAIM_SECONDS && seconds <= MAX_CLAIM_SECONDS,
      { error: `must be from ${MIN_CLAIM_SECONDS} to ${MAX_CLAIM_SECONDS}` },
    ),
    TURNSTILE_SITE_KEY: optional,
    TURNSTILE_SECRET_KEY: optional,
    EVENT_RETENTION_DAYS: wholeNumber(30).refine((days) => days >= 1 && days <= MAX_RETENTION_DAYS, {
      error: `must be from 1 to ${MAX_RETENTION_DAYS}`,
    }),
  })
  .refine(({ OUTBOUND, SMTP_URL }) => !needsRelay(OUTBOUND) || SMTP_URL !== null, {
    path: ["SMTP_URL"],
    error: "must be set where OUTBOUND is smtp or worker-mailer",
  })
  .refine(({ OUTBOUND, EMAIL }) => OUTBOUND !== "cloudflare" || EMAIL !== undefined, {
    path: ["OUTBOUND"],
    error: "is cloudflare, but there is no send_email binding called EMAIL",
  })
  .refine((vars) => (vars.DKIM_PRIVATE_KEY === null) === (vars.DKIM_SELECTOR === null), {
    path: ["DKIM_PRIVATE_KEY"],
    error: "and DKIM_SELECTOR must be set together",
  })
  .refine((vars) => vars.EMBEDDINGS_URL === null || vars.EMBEDDINGS_MODEL !== null, {
    path: ["EMBEDDINGS_MODEL"],
    error: "must be set where EMBEDDINGS_URL is",
  })
  .refine((vars) => vars.EMBEDDINGS_MODEL === null || vars.EMBEDDINGS_URL !== null || vars.AI !== undefined, {
    path: ["EMBEDDINGS_MODEL"],
    error: "needs EMBEDDINGS_URL, or a Workers AI binding called AI",
  })
  .refine((vars) => (vars.TURNSTILE_SITE_KEY === null) === (vars.TURNSTILE_SECRET_KEY === null), {
    path: ["TURNSTILE_SITE_KEY"],
    error: "and TURNSTILE_SECRET_KEY must be set together",
  })
  .transform((vars): Config => ({
    mailDomain: vars.MAIL_DOMAIN,
    operatorHasKeyForm: readKey(vars.AUTH_TOKEN ?? "") !== null,
    operatorDigest: vars.AUTH_TOKEN === null ? null : sha256Hex(vars.AUTH_TOKEN),
    keySecret: vars.KEY_SECRET,
    trustClientAddress: vars.TRUST_CLIENT_ADDRESS,
    defaultMailbox: vars.DEFAULT_MAILBOX,
    postmaster: vars.POSTMASTER,
    allowHttp: vars.ALLOW_HTTP,
    bootstrapEnabled: vars.BOOTSTRAP,
    bootstrapPerHour: vars.BOOTSTRAP_PER_HOUR,
    badKeysPerMinute: vars.BAD_KEY_LIMIT,
    requestsPerMinute: vars.REQUEST_LIMIT,
    modelSearchesPerMinute: vars.MODEL_SEARCH_LIMIT,
    authservId: vars.AUTHSERV_ID,
    publicUrl: vars.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    mailboxQuotaBytes: vars.MAILBOX_QUOTA_BYTES,
    provisionalQuotaBytes: vars.PROVISIONAL_QUOTA_BYTES,
    webhookSecret: vars.WEBHOOK_SECRET,
    webhookSecretBefore: vars.WEBHOOK_SECRET_PREVIOUS,
    allowPrivateWebhooks: vars.ALLOW_PRIVATE_WEBHOOKS,
    dohUrl: vars.DOH_URL,
    customDomains: customDomainsOf(vars),
    outbound: vars.OUTBOUND || (vars.SMTP_URL === null ? "local" : "smtp"),
    smtp: vars.SMTP_URL,
    dkim: dkimOf(vars),
    dailySendLimit: vars.DAILY_SEND_LIMIT,
    embeddings: embeddingSettings(vars.EMBEDDINGS_MODEL, vars.EMBEDDINGS_URL, vars.EMBEDDINGS_KEY),
    claimApproval: vars.CLAIM_APPROVAL || "operator",
    claimTtlSeconds: vars.CLAIM_TTL_SECONDS,
    turnstile: turnstileOf(vars),
    eventRetentionDays: vars.EVENT_RETENTION_DAYS,
  }));

/** Unless told otherwise, mail comes to a host of the deployment's domain, and whoever sends for that sends for them. */
function customDomainsOf(vars: {
  MAIL_DOMAIN: string;
  MAIL_HOST: [string, ...string[]] | null;
  SPF_MECHANISMS: string | null;
  DOH_URL: string | null;
}): CustomDomains {
  return {
    dohUrl: vars.DOH_URL ?? PUBLIC_DOH_URL,
    mailHosts: vars.MAIL_HOST ?? [vars.MAIL_DOMAIN],
    spfMechanisms: vars.SPF_MECHANISMS ?? `include:${vars.MAIL_DOMAIN}`,
  };
}

/** A deployment that cannot run as it is set; the message names the variable and the rule, never its value. */
export class ConfigError extends Error {}

const parsed = new WeakMap<object, Config>();

/** The configuration of this deployment, read once. Throws ConfigError. */
export function configOf(env: object): Config {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const result = Variables.safeParse(env);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".") ?? "configuration"} ${issue?.message ?? "is wrong"}`);
  }
  parsed.set(env, result.data);
  return result.data;
}

/** Bindings that `npm start` adds. */
export interface OperatorBindings {
  /** The network for hosts that the operator named, such as the relay: they may well stand on this machine. */
  OPERATOR_NETWORK?: Fetcher;
}

/** `fetch` to a host that the operator named. */
export function operatorFetch({ OPERATOR_NETWORK }: OperatorBindings): typeof fetch {
  return OPERATOR_NETWORK === undefined
    ? (input, init) => fetch(input, init)
    : (input, init) => OPERATOR_NETWORK.fetch(input, init);
}
