import type { Child } from "hono/jsx";
import { VERSION } from "../../contract/product.ts";
import { mtaStsRecord } from "../../mail/mta-sts.ts";
import type { Config } from "../../config/env.ts";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { numberText, sizeText } from "./words.tsx";

const GROUPS = ["Service", "Sending", "Limits", "Webhooks", "Secrets"] as const;

/** How the page shows one setting. */
interface Shown<Value> {
  group: (typeof GROUPS)[number];
  /** The variable that sets it. */
  variable: string;
  show: (value: Value) => Child;
}

const NOT_SET = <span class="muted">not set</span>;
const orNotSet = (value: string | null): Child => value ?? NOT_SET;
/** Shows only the host of a URL: the rest may contain a secret. */
const hostOrNotSet = (url: string | null): Child => (url === null ? NOT_SET : new URL(url).host);
const yesNo = (value: boolean): Child => (value ? "yes" : "no");
const each =
  (what: string) =>
  (value: number): Child =>
    `${numberText(value)} ${what}`;
/** Shows whether a secret is set. */
const masked = (value: string | null): Child =>
  value === null ? NOT_SET : <span class="badge good">set</span>;

const SECURITY = { starttls: "STARTTLS", tls: "TLS", none: "in clear" } as const;

/** Shows a relay without its user and password. */
const relay = (value: Config["smtp"]): Child =>
  value === null ? NOT_SET : `${value.host}:${value.port}, ${SECURITY[value.security]}`;

const dkim = (value: Config["dkim"]): Child =>
  value === null ? NOT_SET : `${value.selector}, for ${value.domain}; its key is set`;

const embeddings = (value: Config["embeddings"]): Child =>
  value === null
    ? NOT_SET
    : `${value.model}, by ${value.url === null ? "Workers AI" : new URL(value.url).host}${value.key === null ? "" : "; its key is set"}`;

/**
 * Every setting, in the order shown; null for one that the page leaves out. A setting that is missing here does not compile,
 * so none is forgotten and no secret is shown by accident.
 */
const SETTINGS: { [Name in keyof Config]: Shown<Config[Name]> | null } = {
  mailDomain: { group: "Service", variable: "MAIL_DOMAIN", show: (value) => value },
  publicUrl: { group: "Service", variable: "PUBLIC_URL", show: (value) => value ?? "as in the request" },
  allowHttp: { group: "Service", variable: "ALLOW_HTTP", show: yesNo },
  trustClientAddress: { group: "Service", variable: "TRUST_CLIENT_ADDRESS", show: yesNo },
  frontSecret: null,
  checksSmtp: null,
  postmaster: {
    group: "Service",
    variable: "POSTMASTER",
    show: (value) => value ?? "a mailbox of its own",
  },
  defaultMailbox: { group: "Service", variable: "DEFAULT_MAILBOX", show: orNotSet },
  authservId: { group: "Service", variable: "AUTHSERV_ID", show: orNotSet },
  customDomains: {
    group: "Service",
    variable: "MAIL_HOST, SPF_MECHANISMS",
    show: ({ mailHosts, spfMechanisms }) => `${mailHosts.join(", ")}; ${spfMechanisms}`,
  },
  mtaSts: {
    group: "Service",
    variable: "MTA_STS, MTA_STS_MX",
    show: (value) =>
      value === null ? "off" : `${[value.mode, ...value.hosts].join(", ")}; DNS: ${mtaStsRecord(value)}`,
  },
  outbound: { group: "Sending", variable: "OUTBOUND", show: (value) => value },
  smtp: { group: "Sending", variable: "SMTP_URL", show: relay },
  dkim: { group: "Sending", variable: "DKIM_SELECTOR", show: dkim },
  dailySendLimit: {
    group: "Sending",
    variable: "DAILY_SEND_LIMIT",
    show: each("messages a day and mailbox"),
  },
  embeddings: { group: "Service", variable: "EMBEDDINGS_MODEL, EMBEDDINGS_URL", show: embeddings },
  mailboxQuotaBytes: { group: "Limits", variable: "MAILBOX_QUOTA_BYTES", show: sizeText },
  provisionalQuotaBytes: { group: "Limits", variable: "PROVISIONAL_QUOTA_BYTES", show: sizeText },
  bootstrapEnabled: { group: "Limits", variable: "BOOTSTRAP", show: (value) => (value ? "on" : "off") },
  bootstrapPerHour: { group: "Limits", variable: "BOOTSTRAP_PER_HOUR", show: each("an hour and client") },
  badKeysPerMinute: { group: "Limits", variable: "BAD_KEY_LIMIT", show: each("a minute and client") },
  requestsPerMinute: { group: "Limits", variable: "REQUEST_LIMIT", show: each("a minute and mailbox") },
  modelSearchesPerMinute: {
    group: "Limits",
    variable: "MODEL_SEARCH_LIMIT",
    show: each("a minute and mailbox"),
  },
  logFormat: { group: "Service", variable: "LOG_FORMAT", show: (value) => value },
  eventRetentionDays: { group: "Limits", variable: "EVENT_RETENTION_DAYS", show: each("days") },
  allowPrivateWebhooks: { group: "Webhooks", variable: "ALLOW_PRIVATE_WEBHOOKS", show: yesNo },
  dohUrl: { group: "Webhooks", variable: "RESOLVER, DOH_URL", show: hostOrNotSet },
  claimApproval: { group: "Limits", variable: "CLAIM_APPROVAL", show: (value) => value },
  claimTtlSeconds: { group: "Limits", variable: "CLAIM_TTL_SECONDS", show: each("seconds") },
  turnstile: {
    group: "Secrets",
    variable: "TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY",
    show: (value) => masked(value === null ? null : value.secretKey),
  },
  operatorDigest: { group: "Secrets", variable: "AUTH_TOKEN", show: masked },
  operatorHasKeyForm: null,
  keySecret: { group: "Secrets", variable: "KEY_SECRET", show: masked },
  webhookSecret: { group: "Secrets", variable: "WEBHOOK_SECRET", show: masked },
  webhookSecretBefore: { group: "Secrets", variable: "WEBHOOK_SECRET_PREVIOUS", show: masked },
};

/** GET /operator/settings: how the deployment is set up, without any secret. */
export function settingsPage(call: ConsoleCall): Promise<Response> {
  const bucket: R2Bucket | undefined = call.env.BLOBS;
  return consolePage(call, {
    title: "Settings",
    tab: "Settings",
    about: (
      <>
        The variables of the deployment. Change them where the deployment is started; see{" "}
        <a href="/docs/configuration">Configuration</a>. Secrets show only “set” or “not set”.
      </>
    ),
    children: (
      <>
        <dl class="facts settings">
          <dt>Version</dt>
          <dd>{VERSION}</dd>
          <dt>Large messages are stored in</dt>
          <dd>{bucket === undefined ? "the mailboxes: no bucket is bound" : "a bucket (BLOBS)"}</dd>
          <dt>For programs</dt>
          <dd>
            <a href="/docs">API reference</a>, <a href="/openapi.json">OpenAPI description</a>,{" "}
            <a href="/health">health</a>
          </dd>
        </dl>
        {GROUPS.map((group) => (
          <>
            <h2>{group}</h2>
            <dl class="facts settings">
              {NAMES.map((name) => (
                <Setting row={rowOf(call.config, name)} group={group} />
              ))}
            </dl>
          </>
        ))}
      </>
    ),
  });
}

const NAMES = Object.keys(SETTINGS) as (keyof Config)[];

interface Row {
  group: string;
  variable: string;
  value: Child;
}

function Setting({ row, group }: { row: Row | null; group: string }) {
  if (row?.group !== group) return null;
  return (
    <>
      <dt class="mono">{row.variable}</dt>
      <dd>{row.value}</dd>
    </>
  );
}

function rowOf<Name extends keyof Config>(config: Config, name: Name): Row | null {
  const shown = SETTINGS[name];
  return shown === null
    ? null
    : { group: shown.group, variable: shown.variable, value: shown.show(config[name]) };
}
