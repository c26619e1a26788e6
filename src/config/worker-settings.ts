import { MTA_STS_MODES } from "../mail/mta-sts.ts";
import { OUTBOUNDS } from "../outbound/transport.ts";
import {
  address,
  anyText,
  bareWebUrl,
  domain,
  flag,
  hostNames,
  hostPatterns,
  mailboxAddress,
  oneOf,
  relayUrl,
  resolver,
  secret,
  textLike,
  webUrl,
  wholeNumber,
} from "./kinds.ts";
import { BOOTSTRAPS_PER_HOUR } from "./bootstraps.ts";
import { setting } from "./setting.ts";
import { ABOUT } from "./worker-settings-about.ts";

/** The domain of a deployment that names none. */
export const DEFAULT_MAIL_DOMAIN = "mailkeep.test";

/** As long as a random key in hex with 128 bits. */
const MIN_KEY_CHARS = 32;
/** Shorter ones are guessed from one signed body. */
const MIN_WEBHOOK_SECRET_CHARS = 16;
/** Ten years. */
const MAX_RETENTION_DAYS = 3_650;
/** Time to reach for a telephone. */
const MIN_CLAIM_SECONDS = 30;
/** Within a longer time, the code of a claim can be guessed. */
const MAX_CLAIM_SECONDS = 3_600;
/** A day: a shorter policy is forgotten between two mails. */
const MIN_POLICY_SECONDS = 86_400;
/** RFC 8461 §3.2: about a year. */
const MAX_POLICY_SECONDS = 31_557_600;
/** A number that JSON and SQLite hold exactly. */
const MAX_COUNT = 999_999_999_999_999;
const GB = 1_000_000_000;
const MB = 1_000_000;

const count = wholeNumber(0, MAX_COUNT);
/** A host name or another identifier (RFC 8601 §2.5) without spaces. */
const authservId = textLike(/^[^\s;]+$/, "a host name");
/** Words of printable ASCII (RFC 7208 §4.6.1) without quotes, which have a meaning of their own in zone files. */
const spfMechanisms = textLike(
  /^[\x21\x23-\x7e]+(?: [\x21\x23-\x7e]+)*$/,
  "SPF mechanisms with blanks between them, such as include:example.org",
);

/** Every variable that the worker reads, on one machine and on Cloudflare. `worker-settings-about.ts` says what each means. */
export const WORKER_SETTINGS = {
  MAIL_DOMAIN: setting(domain, DEFAULT_MAIL_DOMAIN, ABOUT.MAIL_DOMAIN),
  PUBLIC_URL: setting(webUrl, null, ABOUT.PUBLIC_URL),
  ALLOW_HTTP: setting(flag, false, ABOUT.ALLOW_HTTP),
  TRUST_CLIENT_ADDRESS: setting(flag, false, ABOUT.TRUST_CLIENT_ADDRESS),
  DEFAULT_MAILBOX: setting(address, null, ABOUT.DEFAULT_MAILBOX),
  AUTH_TOKEN: setting(secret(MIN_KEY_CHARS), null, { ...ABOUT.AUTH_TOKEN, secret: true }),
  KEY_SECRET: setting(secret(MIN_KEY_CHARS), null, { ...ABOUT.KEY_SECRET, secret: true }),
  WEBHOOK_SECRET: setting(secret(MIN_WEBHOOK_SECRET_CHARS), null, { ...ABOUT.WEBHOOK_SECRET, secret: true }),
  WEBHOOK_SECRET_PREVIOUS: setting(secret(MIN_WEBHOOK_SECRET_CHARS), null, {
    ...ABOUT.WEBHOOK_SECRET_PREVIOUS,
    secret: true,
  }),
  POSTMASTER: setting(mailboxAddress, null, ABOUT.POSTMASTER),
  MTA_STS: setting(oneOf(MTA_STS_MODES), "off", ABOUT.MTA_STS),
  MTA_STS_MX: setting(hostPatterns, null, ABOUT.MTA_STS_MX),
  MTA_STS_MAX_AGE: setting(
    wholeNumber(MIN_POLICY_SECONDS, MAX_POLICY_SECONDS),
    604_800,
    ABOUT.MTA_STS_MAX_AGE,
  ),
  AUTHSERV_ID: setting(authservId, null, ABOUT.AUTHSERV_ID),
  OUTBOUND: setting(oneOf(OUTBOUNDS), null, ABOUT.OUTBOUND),
  SMTP_URL: setting(relayUrl, null, { ...ABOUT.SMTP_URL, secret: true }),
  DKIM_PRIVATE_KEY: setting(anyText, null, { ...ABOUT.DKIM_PRIVATE_KEY, secret: true }),
  DKIM_SELECTOR: setting(anyText, null, ABOUT.DKIM_SELECTOR),
  DKIM_DOMAIN: setting(domain, null, ABOUT.DKIM_DOMAIN),
  DAILY_SEND_LIMIT: setting(count, 100, ABOUT.DAILY_SEND_LIMIT),
  MAIL_HOST: setting(hostNames, null, ABOUT.MAIL_HOST),
  SPF_MECHANISMS: setting(spfMechanisms, null, ABOUT.SPF_MECHANISMS),
  RESOLVER: setting(resolver, null, ABOUT.RESOLVER),
  DOH_URL: setting(webUrl, null, ABOUT.DOH_URL),
  ALLOW_PRIVATE_WEBHOOKS: setting(flag, false, ABOUT.ALLOW_PRIVATE_WEBHOOKS),
  EVENT_RETENTION_DAYS: setting(wholeNumber(1, MAX_RETENTION_DAYS), 30, ABOUT.EVENT_RETENTION_DAYS),
  EMBEDDINGS_URL: setting(bareWebUrl, null, ABOUT.EMBEDDINGS_URL),
  EMBEDDINGS_MODEL: setting(anyText, null, ABOUT.EMBEDDINGS_MODEL),
  EMBEDDINGS_KEY: setting(anyText, null, { ...ABOUT.EMBEDDINGS_KEY, secret: true }),
  BOOTSTRAP: setting(flag, true, ABOUT.BOOTSTRAP),
  BOOTSTRAP_PER_HOUR: setting(count, BOOTSTRAPS_PER_HOUR, ABOUT.BOOTSTRAP_PER_HOUR),
  CLAIM_APPROVAL: setting(oneOf(["open", "operator"]), "operator", ABOUT.CLAIM_APPROVAL),
  CLAIM_TTL_SECONDS: setting(wholeNumber(MIN_CLAIM_SECONDS, MAX_CLAIM_SECONDS), 600, ABOUT.CLAIM_TTL_SECONDS),
  TURNSTILE_SITE_KEY: setting(anyText, null, ABOUT.TURNSTILE_SITE_KEY),
  TURNSTILE_SECRET_KEY: setting(anyText, null, { ...ABOUT.TURNSTILE_SECRET_KEY, secret: true }),
  MAILBOX_QUOTA_BYTES: setting(count, 5 * GB, ABOUT.MAILBOX_QUOTA_BYTES),
  PROVISIONAL_QUOTA_BYTES: setting(count, 100 * MB, ABOUT.PROVISIONAL_QUOTA_BYTES),
  REQUEST_LIMIT: setting(count, 300_000, ABOUT.REQUEST_LIMIT),
  MODEL_SEARCH_LIMIT: setting(count, 3_000, ABOUT.MODEL_SEARCH_LIMIT),
  BAD_KEY_LIMIT: setting(count, 300, ABOUT.BAD_KEY_LIMIT),
  LOG_FORMAT: setting(oneOf(["text", "json"]), "text", ABOUT.LOG_FORMAT),
};
