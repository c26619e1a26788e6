import { readFileSync } from "node:fs";
import path from "node:path";
import { createSecureContext } from "node:tls";
import { DEFAULT_MAIL_DOMAIN, needsRelay, readOwnDomain } from "../config/env.ts";
import { smtpSettings } from "../outbound/smtp-settings.ts";
import { Refusal } from "./refusal.ts";

/** What the environment says, checked. */
export interface Settings {
  /** Absolute. */
  dataDir: string;
  host: string;
  /** 0 chooses a free one; so for `smtpPort`. */
  port: number;
  smtpHost: string;
  smtpPort: number;
  mailDomain: string;
  /** PEM texts for STARTTLS; null: not offered. */
  tls: { cert: string; key: string } | null;
  /** Null: the one of the data folder. */
  authToken: string | null;
  /** Null: the one of the data folder. */
  webhookSecret: string | null;
  /** What `webhookSecret` was before; null: it was no other. */
  webhookSecretPrevious: string | null;
  /** Null: the one of the data folder. */
  keySecret: string | null;
  /** The relay that mail leaves by; null: it stays here. */
  smtpUrl: string | null;
  /** Certificates in PEM that the relay's may be signed with, beside those that every browser knows. */
  relayAuthorities: string[];
  /** What outgoing mail is signed with, by the names the worker knows; empty: nothing is signed. */
  dkim: Record<string, string>;
  /** The model that mail is embedded by, by the names the worker knows; empty: none. */
  embeddings: Record<string, string>;
  /** Variables that go to the worker as they are, when set. */
  workerVars: Record<string, string>;
  /** Print one line of JSON instead of the screen. */
  readyJson: boolean;
}

/** The environment of a process, or of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** As long as a random key in hex with 128 bits. */
const MIN_AUTH_TOKEN_LENGTH = 32;
/** As for the operator key: what is derived from it opens mailboxes. */
const MIN_KEY_SECRET_LENGTH = 32;
/** The contract's minimum for webhook secrets (part 5). */
const MIN_WEBHOOK_SECRET_LENGTH = 16;
const MAX_PORT = 65_535;
/** What can stand in an Authorization header. */
const HEADER_SAFE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

interface Kind {
  test(value: string): boolean;
  /** Completes "NAME must be …". */
  words: string;
}

const TRUTH: Kind = { test: (value) => /^(true|false)$/.test(value), words: '"true" or "false"' };
const SWITCH: Kind = { test: (value) => /^(on|off)$/.test(value), words: '"on" or "off"' };
const COUNT: Kind = { test: (value) => /^\d{1,15}$/.test(value), words: "a whole number" };
const ADDRESS: Kind = { test: (value) => /^[^\s@]+@[^\s@]+$/.test(value), words: "an email address" };
const NAME: Kind = { test: (value) => /^[^\s;]+$/.test(value), words: "a host name" };
const NAMES: Kind = {
  test: (value) => /^[^\s;,]+(,\s*[^\s;,]+)*$/.test(value),
  words: "host names with commas between them",
};
const TERMS: Kind = {
  test: (value) => /^[^\s"]+( [^\s"]+)*$/.test(value),
  words: "SPF mechanisms with blanks between them",
};
const OUTBOUND: Kind = {
  test: (value) => /^(local|smtp|worker-mailer|none)$/.test(value),
  words: '"local", "smtp", "worker-mailer" or "none"',
};
const APPROVAL: Kind = {
  test: (value) => /^(open|operator)$/.test(value),
  words: '"open" or "operator"',
};
/** What only others can judge, and may be a secret: it is not shown as wrong. */
const ANYTHING: Kind = { test: () => true, words: "anything" };
const WEB_URL: Kind = { test: isWebUrl, words: "an http or https URL" };

const WORKER_VARS: Readonly<Record<string, Kind>> = {
  ALLOW_HTTP: TRUTH,
  TRUST_CLIENT_ADDRESS: TRUTH,
  BOOTSTRAP: SWITCH,
  BOOTSTRAP_PER_HOUR: COUNT,
  BAD_KEY_LIMIT: COUNT,
  REQUEST_LIMIT: COUNT,
  MODEL_SEARCH_LIMIT: COUNT,
  DEFAULT_MAILBOX: ADDRESS,
  POSTMASTER: ADDRESS,
  AUTHSERV_ID: NAME,
  PUBLIC_URL: WEB_URL,
  MAILBOX_QUOTA_BYTES: COUNT,
  PROVISIONAL_QUOTA_BYTES: COUNT,
  EVENT_RETENTION_DAYS: COUNT,
  ALLOW_PRIVATE_WEBHOOKS: TRUTH,
  DOH_URL: WEB_URL,
  MAIL_HOST: NAMES,
  SPF_MECHANISMS: TERMS,
  OUTBOUND: OUTBOUND,
  DAILY_SEND_LIMIT: COUNT,
  CLAIM_APPROVAL: APPROVAL,
  CLAIM_TTL_SECONDS: COUNT,
  TURNSTILE_SITE_KEY: ANYTHING,
  TURNSTILE_SECRET_KEY: ANYTHING,
};

/** Reads the settings of `npm start`; an empty variable counts as not set. Throws a {@link Refusal} that names the first wrong one. */
export function readSettings(env: Environment, args: readonly string[] = []): Settings {
  const host = env.HOST || "127.0.0.1";
  return {
    dataDir: path.resolve(env.DATA_DIR || "./data"),
    host,
    port: port(env, "PORT", 8787),
    smtpHost: env.SMTP_HOST || host,
    smtpPort: port(env, "SMTP_PORT", 2525),
    mailDomain: ownDomain(env, "MAIL_DOMAIN", DEFAULT_MAIL_DOMAIN),
    tls: tls(env),
    authToken: secret(env, "AUTH_TOKEN", MIN_AUTH_TOKEN_LENGTH),
    webhookSecret: secret(env, "WEBHOOK_SECRET", MIN_WEBHOOK_SECRET_LENGTH),
    smtpUrl: smtpUrl(env),
    relayAuthorities: relayAuthorities(env),
    dkim: dkim(env),
    embeddings: embeddings(env),
    webhookSecretPrevious: secret(env, "WEBHOOK_SECRET_PREVIOUS", MIN_WEBHOOK_SECRET_LENGTH),
    keySecret: secret(env, "KEY_SECRET", MIN_KEY_SECRET_LENGTH),
    workerVars: workerVars(env),
    readyJson: env.MAILKEEP_READY === "json" || args.includes("--ready-json"),
  };
}

function port(env: Environment, name: string, fallback: number): number {
  const value = env[name];
  if (!value) return fallback;
  if (!/^\d{1,5}$/.test(value) || Number(value) > MAX_PORT) {
    throw new Refusal(`${name} must be a port from 0 to ${MAX_PORT}, not "${value}"`);
  }
  return Number(value);
}

/** By the rule of the worker, which reads it again. */
function ownDomain(env: Environment, name: string, fallback: string): string {
  const value = env[name];
  if (!value) return fallback;
  const domain = readOwnDomain(value);
  if (!domain.ok) throw new Refusal(`${name} ${domain.error}, not "${value}"`);
  return domain.value;
}

/** Unlike the others, an empty secret is refused: it is a mistake in somebody's shell, and no wish for another key. */
function secret(env: Environment, name: string, minLength: number): string | null {
  const value = env[name];
  if (value === undefined) return null;
  if (value.length < minLength) {
    throw new Refusal(`${name} must have at least ${minLength} characters, and has ${value.length}`);
  }
  if (!HEADER_SAFE.test(value)) {
    throw new Refusal(`${name} must be printable ASCII without spaces around it`);
  }
  return value;
}

/** It may hold a password, so an error never shows it. */
function smtpUrl(env: Environment): string | null {
  const url = env.SMTP_URL;
  if (!url) {
    if (needsRelay(env.OUTBOUND)) {
      throw new Refusal("SMTP_URL must be set where OUTBOUND is smtp or worker-mailer");
    }
    return null;
  }
  const settings = smtpSettings(url);
  if (!settings.ok) throw new Refusal(settings.error);
  return url;
}

/** Under the name that Node has for it: a file of one or several. */
function relayAuthorities(env: Environment): string[] {
  const name = "NODE_EXTRA_CA_CERTS";
  if (!env[name]) return [];
  const found = readNamedFile(env, name).match(
    /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
  );
  if (found === null) throw new Refusal(`${name} names a file without a certificate in PEM: ${env[name]}`);
  return found;
}

/** The key is PEM text, or the path of a file that holds it. */
function dkim(env: Environment): Record<string, string> {
  const { DKIM_PRIVATE_KEY: key, DKIM_SELECTOR: selector } = env;
  if (!key && !selector) return {};
  if (!key || !selector) throw new Refusal("DKIM_PRIVATE_KEY and DKIM_SELECTOR must be set together");
  const text = key.includes("-----BEGIN") ? key : readNamedFile(env, "DKIM_PRIVATE_KEY");
  if (!text.includes("-----BEGIN")) {
    throw new Refusal("DKIM_PRIVATE_KEY names a file without a private key in PEM");
  }
  const domain = ownDomain(env, "DKIM_DOMAIN", "");
  return {
    DKIM_PRIVATE_KEY: text,
    DKIM_SELECTOR: selector,
    ...(domain === "" ? {} : { DKIM_DOMAIN: domain }),
  };
}

/** The key is a secret, so an error never shows it. */
function embeddings(env: Environment): Record<string, string> {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = env;
  if (!url && !model) return {};
  if (!url || !model) throw new Refusal("EMBEDDINGS_URL and EMBEDDINGS_MODEL must be set together");
  if (!isWebUrl(url)) throw new Refusal(`EMBEDDINGS_URL must be an http or https URL, not "${url}"`);
  if (new URL(url).username !== "" || new URL(url).password !== "") {
    throw new Refusal("EMBEDDINGS_URL must hold no credential: set EMBEDDINGS_KEY");
  }
  return { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, ...(key ? { EMBEDDINGS_KEY: key } : {}) };
}

function tls(env: Environment): { cert: string; key: string } | null {
  if (!env.SMTP_TLS_CERT && !env.SMTP_TLS_KEY) return null;
  const files = { cert: pem(env, "SMTP_TLS_CERT"), key: pem(env, "SMTP_TLS_KEY") };
  try {
    createSecureContext(files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `SMTP_TLS_CERT and SMTP_TLS_KEY must name the PEM files of a certificate and of its key, without a passphrase (${reason})`,
    );
  }
  return files;
}

function pem(env: Environment, name: string): string {
  if (!env[name]) throw new Refusal(`${name} must be set too: STARTTLS needs SMTP_TLS_CERT and SMTP_TLS_KEY`);
  return readNamedFile(env, name);
}

function readNamedFile(env: Environment, name: string): string {
  const file = env[name] ?? "";
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Missing, a folder, or not ours to read: the path is what the operator must look at.
    throw new Refusal(`${name} names a file that cannot be read: ${file}`);
  }
}

function workerVars(env: Environment): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const [name, kind] of Object.entries(WORKER_VARS)) {
    const value = env[name];
    if (!value) continue;
    if (!kind.test(value)) throw new Refusal(`${name} must be ${kind.words}, not "${value}"`);
    vars[name] = value;
  }
  return vars;
}

function isWebUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
