import type { Entry } from "./entry.ts";

const NO_MAIL = "Mail from outside does not arrive: senders get it back.";
const UP = "The command makes what is missing, and leaves the rest as it is.";

/** Findings about a deployment on Cloudflare. */
export const CLOUDFLARE = {
  "token.refused": {
    level: "broken",
    kind: "permission",
    meaning: "Cloudflare does not accept the token of `CLOUDFLARE_API_TOKEN`.",
    cost: "Nothing of the deployment can be checked.",
    fix: "Make an API token, and put it into the command.",
  },
  "token.permission": {
    level: "broken",
    kind: "permission",
    meaning: "The token lacks a permission.",
    cost: "A part of the deployment cannot be checked.",
    fix: "Make a token that has it on the page that is printed.",
  },
  "zone.missing": {
    level: "broken",
    meaning: "The account has no zone for the domain, or the token does not include it.",
    cost: NO_MAIL,
    fix: "Add the domain to the account, or the zone to the token.",
  },
  "zone.inactive": {
    level: "broken",
    meaning:
      "The zone is not active: the registrar does not name Cloudflare's servers, or the zone is paused.",
    cost: NO_MAIL,
    fix: "Set these name servers at the registrar. A zone that is paused is resumed in the dashboard.",
  },
  "routing.off": {
    level: "broken",
    meaning: "Email Routing is off for the zone.",
    cost: NO_MAIL,
    fix: UP,
  },
  "routing.records": {
    level: "broken",
    meaning: "The domain has no MX record that leads to Email Routing.",
    cost: NO_MAIL,
    fix: UP,
  },
  "routing.catch-all": {
    level: "broken",
    meaning: "The catch-all rule of the zone does not lead to the worker.",
    cost: "Mail from outside goes elsewhere, or is refused.",
    fix: "The command takes the rule from what has it now.",
  },
  "worker.missing": {
    level: "broken",
    meaning: "The account has no worker of that name.",
    cost: "No program reaches a mailbox, and no mail is taken.",
    fix: `${UP} If the worker has another name, say it with \`--name\`.`,
  },
  "worker.domain": {
    level: "broken",
    meaning: "`MAIL_DOMAIN` of the worker is another domain.",
    cost: "The worker refuses mail for the domain.",
    fix: "One worker serves one domain: the command plans another worker for this one. If the deployment is meant for the other domain, examine that one.",
  },
  "worker.secrets": {
    level: "broken",
    meaning: "A secret of the worker is not set.",
    cost: "Without `AUTH_TOKEN` there is no operator, without `KEY_SECRET` there are no claims, without `WEBHOOK_SECRET` no webhooks.",
    fix: "The command makes what is missing; secrets that are set stay.",
  },
  "worker.version": {
    level: "warning",
    meaning: "The worker is another version than this program.",
    cost: "The worker lacks what later versions mended, or this program does not know what it does.",
    fix: "The command uploads this version. Where the worker is the newer one, it installs the worker's version here.",
  },
  "bucket.missing": {
    level: "broken",
    meaning: "The R2 bucket that the worker is bound to is not there, or R2 is turned off for the account.",
    cost: "Large messages and files cannot be stored or read.",
    fix: "The command makes the bucket; what the old one held does not come back. R2 itself is turned on in the dashboard.",
  },
  "sending.off": {
    level: "broken",
    meaning: "The worker sends through Cloudflare, but the domain may not send.",
    cost: "Mail to other domains is refused.",
    fix: UP,
  },
  "queue.reader": {
    level: "warning",
    meaning: "Events of sent mail come to a queue, but the worker does not read it.",
    cost: "Bounces and complaints stay unknown: messages remain `sent`.",
    fix: "The command uploads the worker again, which makes it the reader.",
  },
  "queue.events": {
    level: "warning",
    meaning: "The worker reads a queue, but no events of sent mail come to it.",
    cost: "Bounces and complaints stay unknown: messages remain `sent`.",
    fix: UP,
  },
} as const satisfies Record<string, Entry>;
