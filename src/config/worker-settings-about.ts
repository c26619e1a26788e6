import { BOOTSTRAPS_PER_HOUR } from "./bootstraps.ts";
import type { About } from "./setting.ts";

/** Room for a developer's afternoon of tests, on a machine that nobody else reaches. */
const LOCAL_BOOTSTRAPS_PER_HOUR = 1_000;
const MADE_ON_FIRST_START = "made on first start, kept in `secrets.json` of `DATA_DIR`";

/** The meaning of each variable of the worker. */
export const ABOUT = {
  MAIL_DOMAIN: {
    group: "Addresses and access",
    meaning:
      "The domain whose addresses are mailboxes here. An internationalized name and a dot at the end are understood.",
  },
  PUBLIC_URL: {
    group: "Addresses and access",
    meaning: "The base address that clients see in links, such as `https://mail.example.org`.",
    defaultWords: "the address of each request",
  },
  ALLOW_HTTP: {
    group: "Addresses and access",
    meaning:
      "Accept plain http from other machines. Set it behind a TLS proxy that talks plain http to the server. Without it, only this machine may use plain http.",
  },
  TRUST_CLIENT_ADDRESS: {
    group: "Addresses and access",
    meaning:
      "Believe the header `CF-Connecting-IP` and count the limits for each client address by it. Without it, all clients share one budget. Set it behind a proxy that overwrites this header with the address of the client; Cloudflare does, so `wrangler.jsonc` sets it.",
  },
  DEFAULT_MAILBOX: {
    group: "Addresses and access",
    meaning: "The mailbox that the operator's calls act on when they have no `?mailbox=`.",
  },
  AUTH_TOKEN: {
    group: "Secrets",
    meaning:
      "The operator key: the bearer token of operator calls, and the password of `/operator`. A random one: `openssl rand -hex 32`.",
    defaultWords: { machine: MADE_ON_FIRST_START, cloudflare: "none: there is no operator" },
  },
  KEY_SECRET: {
    group: "Secrets",
    meaning:
      "The secret that mailbox keys are derived from when the same bootstrap or claim must answer the same key again.",
    defaultWords: {
      machine: MADE_ON_FIRST_START,
      cloudflare: "none: bootstraps with an `Idempotency-Key` are refused",
    },
  },
  WEBHOOK_SECRET: {
    group: "Secrets",
    meaning: "Signs the webhooks of each mailbox that has no secret of its own.",
    defaultWords: {
      machine: MADE_ON_FIRST_START,
      cloudflare: "none: a mailbox without a secret of its own can set no webhook",
    },
  },
  WEBHOOK_SECRET_PREVIOUS: {
    group: "Secrets",
    meaning:
      "The `WEBHOOK_SECRET` before the present one. While it is set, webhooks are signed with both, so that receivers can change over. Remove it a day after the change.",
  },
  POSTMASTER: {
    group: "Receiving mail",
    meaning: "The mailbox that receives mail for `postmaster@` and `abuse@` of `MAIL_DOMAIN`.",
    defaultWords:
      "a mailbox of its own, made with the first such mail; the operator reads it with `?mailbox=postmaster@…`",
  },
  MTA_STS: {
    group: "Receiving mail",
    meaning:
      "The policy that `https://mta-sts.<domain>/.well-known/mta-sts.txt` states (MTA-STS): with `enforce`, senders deliver to your mail hosts only over TLS with a valid certificate; with `testing`, they deliver anyway and only report failures; `none` [withdraws](deployment.md#tls-for-mail-that-comes-in) a policy that they remember. It needs [two DNS records](deployment.md#tls-for-mail-that-comes-in).",
  },
  MTA_STS_MX: {
    group: "Receiving mail",
    meaning: "The mail hosts of that policy: every name that an MX record of your domains holds.",
    defaultWords: "`MAIL_HOST`",
  },
  MTA_STS_MAX_AGE: {
    group: "Receiving mail",
    meaning: "How many seconds senders remember that policy. The default is a week.",
  },
  AUTHSERV_ID: {
    group: "Receiving mail",
    meaning:
      "The name that your mail gateway writes at the start of its `Authentication-Results` headers, where the gateway hands mail over by [`POST /v1/inbound`](api.md#post-v1inbound). Its SPF, DKIM and DMARC results then [say who sent each mail](threats.md#who-really-sent-a-mail). Your gateway must strip this header from incoming mail, because a sender can write it too. The SMTP listener does not read it: it checks by itself.",
    defaultWords: "none: no such header is believed",
  },
  OUTBOUND: {
    group: "Sending mail",
    meaning:
      "How mail to other domains leaves. `smtp`: through the relay of `SMTP_URL`. `worker-mailer`: through the same relay with a lighter client, messages up to 10 MB. `cloudflare`: through Cloudflare's sending service, on Cloudflare only. `local`: it does not leave, and is kept for you to look at. `none`: sending is off and answers 501. Mail between mailboxes of the deployment never leaves it.",
    defaultWords: "`smtp` if `SMTP_URL` is set, otherwise `local`",
  },
  SMTP_URL: {
    group: "Sending mail",
    meaning:
      "The relay that sends your mail. `smtp://` requires STARTTLS, unless the URL ends in `?ignoreTLS=true`; `smtps://` is TLS from the first byte. `?authMethod=` chooses `PLAIN`, `LOGIN` or `XOAUTH2`. Percent-encode special characters of the user and the password.",
  },
  DKIM_PRIVATE_KEY: {
    group: "Sending mail",
    meaning:
      "The RSA private key, as PEM, that signs all mail that leaves. With `npm start` it may be the path of a PEM file. Set it together with `DKIM_SELECTOR`.",
    defaultWords: "none: mail is not signed",
  },
  DKIM_SELECTOR: {
    group: "Sending mail",
    meaning: "The selector under which the public key stands in DNS: `<selector>._domainkey.<domain>`.",
  },
  DKIM_DOMAIN: {
    group: "Sending mail",
    meaning: "The domain that signs.",
    defaultWords: "`MAIL_DOMAIN`",
  },
  DAILY_SEND_LIMIT: {
    group: "Sending mail",
    meaning: "Messages that one mailbox may send in a day (UTC). `0`: none.",
  },
  MAIL_HOST: {
    group: "Custom domains",
    meaning:
      "The host that the MX record of a custom domain must name; it needs an address record of its own. Of several, the first is shown to users and each counts.",
    defaultWords: "`MAIL_DOMAIN`",
  },
  SPF_MECHANISMS: {
    group: "Custom domains",
    meaning: "The mechanisms that users put into the SPF record of a custom domain.",
    defaultWords: "`include:<MAIL_DOMAIN>`",
  },
  RESOLVER: {
    group: "Addresses and access",
    meaning:
      "The DNS resolver for everything: the senders of mail that comes by SMTP, by Email Routing and by `/v1/inbound` ([who really sent a mail](threats.md#who-really-sent-a-mail)), the records of custom domains, the hosts of webhooks, which must then have public addresses only, and [the doctor](doctor.md). Cloudflare takes the URL only. It wins over `DOH_URL` and `DNS_SERVERS`.",
    defaultWords: {
      machine: "`DNS_SERVERS` and `DOH_URL`, where they are set; else the resolvers of the system",
      cloudflare: "`DOH_URL`",
    },
  },
  DOH_URL: {
    group: "Custom domains",
    meaning:
      "The older name of `RESOLVER` for a URL that answers `application/dns-json`. On one machine, mail by SMTP is checked with it only if `DNS_SERVERS` is not set.",
    defaultWords: {
      machine: "`https://cloudflare-dns.com/dns-query`, for custom domains only",
      cloudflare: "`https://cloudflare-dns.com/dns-query`, set in `wrangler.jsonc`",
    },
  },
  ALLOW_PRIVATE_WEBHOOKS: {
    group: "Events and webhooks",
    meaning:
      "Allow webhooks to http URLs, to any port and to private addresses. For work on your own machine.",
  },
  EVENT_RETENTION_DAYS: {
    group: "Events and webhooks",
    meaning: "Days that events and webhook deliveries stay in their logs.",
  },
  EMBEDDINGS_URL: {
    group: "Search by meaning",
    meaning:
      "The base address of an OpenAI-compatible endpoint for embeddings, such as `http://127.0.0.1:11434/v1`. With it and `EMBEDDINGS_MODEL`, searches find mail by meaning too.",
  },
  EMBEDDINGS_MODEL: {
    group: "Search by meaning",
    meaning:
      "The name of the embedding model. On Cloudflare it may stand without `EMBEDDINGS_URL`: then it names a model of Workers AI, and `wrangler.jsonc` must have a binding `AI`.",
  },
  EMBEDDINGS_KEY: {
    group: "Search by meaning",
    meaning: "The API key of the endpoint, if it wants one.",
  },
  BOOTSTRAP: {
    group: "New mailboxes and claims",
    meaning: "`off` turns `POST /v1/bootstrap` off: it answers 404.",
  },
  BOOTSTRAP_PER_HOUR: {
    group: "New mailboxes and claims",
    meaning: "Temporary mailboxes that one client address (IPv6: one /64) may create in an hour.",
    defaultWords: {
      machine: `\`${LOCAL_BOOTSTRAPS_PER_HOUR}\`, or \`${BOOTSTRAPS_PER_HOUR}\` if [others can reach the server](#when-others-can-reach-the-server)`,
      cloudflare: `\`${BOOTSTRAPS_PER_HOUR}\``,
    },
    machineDefault: ({ isReachable }) =>
      String(isReachable ? BOOTSTRAPS_PER_HOUR : LOCAL_BOOTSTRAPS_PER_HOUR),
  },
  CLAIM_APPROVAL: {
    group: "New mailboxes and claims",
    meaning:
      "Who approves a claim. `open`: everybody who has the page and its code. `operator`: the operator, who signs in with `AUTH_TOKEN`.",
    defaultWords: {
      machine:
        "`open`, or `operator` if [others can reach the server](#when-others-can-reach-the-server) or mail leaves it",
      cloudflare: "`operator`",
    },
    machineDefault: ({ isReachable, sendsMail }) => (isReachable || sendsMail ? "operator" : "open"),
  },
  CLAIM_TTL_SECONDS: {
    group: "New mailboxes and claims",
    meaning: "Seconds that a claim waits for a person to approve it.",
  },
  TURNSTILE_SITE_KEY: {
    group: "New mailboxes and claims",
    meaning:
      "With `CLAIM_APPROVAL=open`, Cloudflare Turnstile keeps programs from approving claims. Set it together with `TURNSTILE_SECRET_KEY`. It is the only thing that a page loads from elsewhere.",
  },
  TURNSTILE_SECRET_KEY: {
    group: "New mailboxes and claims",
    meaning: "The secret key that belongs to `TURNSTILE_SITE_KEY`.",
  },
  MAILBOX_QUOTA_BYTES: {
    group: "Limits",
    meaning: "Bytes of mail that one permanent mailbox holds.",
  },
  PROVISIONAL_QUOTA_BYTES: {
    group: "Limits",
    meaning: "Bytes of mail that one temporary mailbox holds.",
  },
  REQUEST_LIMIT: {
    group: "Limits",
    meaning:
      "Calls in a minute of all keys of one mailbox together; more get 429. `0`: no limit. A call that waits counts once, and the operator's calls do not count.",
  },
  MODEL_SEARCH_LIMIT: {
    group: "Limits",
    meaning: "Searches in a minute of one mailbox that ask the embedding model; more get 429. `0`: no limit.",
  },
  BAD_KEY_LIMIT: {
    group: "Limits",
    meaning: "Wrong keys in a minute from one client address; more get 429.",
  },
  LOG_FORMAT: {
    group: "Logs and monitoring",
    meaning:
      "`json`: one JSON object a line, also for each request and each message by SMTP ([operating.md](operating.md#logs)). `text`: lines for people, and none for requests that succeed.",
  },
} satisfies Record<string, About>;
