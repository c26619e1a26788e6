import type { Api, RouteId } from "./api.ts";

/** How a method takes its input: a file of a media type, a JSON body, parameters of the query, or nothing. */
type Takes<Id extends RouteId> = [Api[Id]["file"]] extends [never]
  ? [Api[Id]["body"]] extends [never]
    ? keyof Api[Id]["query"] extends never
      ? "nothing"
      : "query"
    : "body"
  : Api[Id]["file"];

/** The member of a page that lists its items. */
export type ItemsOf<Page> = keyof {
  [Name in keyof Page as Page[Name] extends readonly unknown[] ? Name : never]: true;
} &
  string;

/** The kind of a method's answer: bytes, JSON, or a page of a listing, by the member that has the items. */
type AnswerKind<Id extends RouteId> = [Api[Id]["answer"]] extends [never]
  ? "bytes"
  : Api[Id]["answer"] extends { next_cursor: string | null }
    ? [ItemsOf<Api[Id]["answer"]>] extends [never]
      ? "json"
      : ItemsOf<Api[Id]["answer"]>
    : "json";

/** `?mailbox` stands behind the path where that parameter names the mailbox to act on. */
type RouteLine<Id extends RouteId> =
  `${Api[Id]["method"]} ${Api[Id]["path"]}${Api[Id]["takesMailbox"] extends true ? "?mailbox" : ""} ${Takes<Id>} ${AnswerKind<Id>}`;

/**
 * The part of the route table that a client needs at run time: `METHOD path[?mailbox] takes gives`. It is written out so that the client
 * loads no schema. The compiler compares each line with the table: a route that is missing here, or is another there, does not
 * compile.
 * @internal
 */
export const ROUTE_LINES = {
  guide: "GET /llms.txt nothing bytes",
  skill: "GET /skill.md nothing bytes",
  bootstrap: "POST /v1/bootstrap nothing json",
  claimStart: "POST /v1/claim/start body json",
  claimPoll: "GET /v1/claim/poll query json",
  claimConfirm: "POST /v1/claim/confirm body json",
  me: "GET /v1/me?mailbox nothing json",
  listKeys: "GET /v1/keys?mailbox nothing json",
  createKey: "POST /v1/keys?mailbox body json",
  revokeKey: "DELETE /v1/keys/:id?mailbox nothing json",
  getMailbox: "GET /v1/mailbox?mailbox nothing json",
  updateMailbox: "PATCH /v1/mailbox?mailbox body json",
  pauseMailbox: "PATCH /v1/mailbox/pause?mailbox body json",
  resumeMailbox: "PATCH /v1/mailbox/resume?mailbox nothing json",
  deleteMailbox: "DELETE /v1/mailbox?mailbox nothing json",
  stats: "GET /v1/stats?mailbox nothing json",
  inbox: "GET /v1/inbox?mailbox query emails",
  search: "GET /v1/search?mailbox query emails",
  emailByQuery: "GET /v1/email?mailbox query json",
  email: "GET /v1/emails/:id?mailbox nothing json",
  rawEmail: "GET /v1/emails/:id/raw?mailbox nothing bytes",
  emailView: "GET /v1/emails/:id/view?mailbox query json",
  emailLink: "GET /v1/emails/:id/links/:n?mailbox nothing json",
  labelEmail: "PATCH /v1/emails/:id?mailbox body json",
  deleteEmail: "DELETE /v1/emails/:id?mailbox nothing json",
  deleteEmailByQuery: "DELETE /v1/email?mailbox query json",
  code: "GET /v1/code?mailbox query json",
  createExpectation: "POST /v1/expect?mailbox body json",
  expectation: "GET /v1/expect/:id?mailbox query json",
  cancelExpectation: "DELETE /v1/expect/:id?mailbox nothing json",
  addTotp: "POST /v1/totp?mailbox body json",
  listTotp: "GET /v1/totp?mailbox nothing json",
  totpCode: "GET /v1/totp/:id/code?mailbox nothing json",
  deleteTotp: "DELETE /v1/totp/:id?mailbox nothing json",
  extract: "POST /v1/extract?mailbox body json",
  threads: "GET /v1/threads?mailbox query threads",
  threadByQuery: "GET /v1/thread?mailbox query emails",
  thread: "GET /v1/threads/:id?mailbox query emails",
  threadView: "GET /v1/threads/:id/view?mailbox query json",
  upload: "POST /v1/attachments?mailbox */* json",
  attachmentByQuery: "GET /v1/attachment?mailbox query bytes",
  attachment: "GET /v1/attachments/:id?mailbox nothing bytes",
  send: "POST /v1/send?mailbox body json",
  reply: "POST /v1/emails/:id/reply?mailbox body json",
  forward: "POST /v1/emails/:id/forward?mailbox body json",
  seen: "GET /v1/mailbox/seen?mailbox nothing json",
  markSeen: "PATCH /v1/mailbox/seen?mailbox body json",
  getRules: "GET /v1/mailbox/rules?mailbox nothing json",
  putRules: "PUT /v1/mailbox/rules?mailbox body json",
  listRefused: "GET /v1/refused?mailbox query refused",
  releaseRefused: "POST /v1/refused/:id/release?mailbox nothing json",
  deleteRefused: "DELETE /v1/refused/:id?mailbox nothing json",
  listSuppressions: "GET /v1/suppressions?mailbox query suppressions",
  deleteSuppression: "DELETE /v1/suppressions/:address?mailbox nothing json",
  events: "GET /v1/events?mailbox query bytes",
  changes: "GET /v1/changes?mailbox query json",
  webhookRoutes: "GET /v1/mailbox/routes?mailbox nothing json",
  setWebhookRoute: "PUT /v1/mailbox/routes?mailbox body json",
  deleteWebhookRoute: "DELETE /v1/mailbox/routes?mailbox query json",
  webhookDeliveries: "GET /v1/webhook/deliveries?mailbox query deliveries",
  redeliverWebhook: "POST /v1/webhook/deliveries/:id/redeliver?mailbox nothing json",
  replayWebhooks: "POST /v1/webhook/replay?mailbox body json",
  testWebhook: "POST /v1/webhook/test?mailbox body json",
  addDomain: "POST /v1/domains?mailbox body json",
  listDomains: "GET /v1/domains?mailbox nothing json",
  getDomain: "GET /v1/domains/:id?mailbox nothing json",
  verifyDomain: "POST /v1/domains/:id/verify?mailbox nothing json",
  deleteDomain: "DELETE /v1/domains/:id?mailbox nothing json",
  exportMailbox: "GET /v1/export?mailbox query bytes",
  importMail: "POST /v1/import?mailbox */* json",
  importProgress: "GET /v1/import/:id?mailbox nothing json",
  cancelImport: "DELETE /v1/import/:id?mailbox nothing json",
  signingKeys: "GET /.well-known/mailkeep-keys.json nothing json",
  createMailbox: "POST /v1/mailboxes body json",
  claimAuto: "POST /v1/claim/auto body json",
  listMailboxes: "GET /v1/mailboxes query mailboxes",
  describeMailbox: "GET /v1/mailboxes/:address nothing json",
  removeMailbox: "DELETE /v1/mailboxes/:address nothing json",
  pauseByOperator: "PATCH /v1/mailboxes/:address/pause body json",
  resumeByOperator: "PATCH /v1/mailboxes/:address/resume nothing json",
  reindexMailbox: "POST /v1/mailboxes/:address/reindex query json",
  inbound: "POST /v1/inbound message/rfc822 json",
  metrics: "GET /metrics nothing bytes",
  sendingState: "GET /v1/sending nothing json",
  haltSending: "PATCH /v1/sending/halt body json",
  resumeSending: "PATCH /v1/sending/resume nothing json",
  diagnosis: "GET /v1/doctor nothing json",
  reportDiagnosis: "PUT /v1/doctor body json",
} as const satisfies { readonly [Id in RouteId]: RouteLine<Id> };

/**
 * A line, read.
 * @internal
 */
export interface Line {
  method: string;
  path: string;
  takesMailbox: boolean;
  takes: string;
  gives: string;
}

const read = new Map<RouteId, Line>();

/**
 * Reads the line of a route, once.
 * @internal
 */
export function routeLine(id: RouteId): Line {
  const known = read.get(id) ?? readLine(id);
  read.set(id, known);
  return known;
}

function readLine(id: RouteId): Line {
  const [method = "", place = "", takes = "", gives = ""] = ROUTE_LINES[id].split(" ");
  const [path = "", mailbox] = place.split("?");
  return { method, path, takesMailbox: mailbox !== undefined, takes, gives };
}

/** The name of each method by its group. The group "" is the client itself. Each route has one method; `bootstrap` is static. */
export const METHODS = {
  "": {
    me: "me",
    send: "send",
    extract: "extract",
    changes: "changes",
    eventStream: "events",
    inbound: "inbound",
  },
  inbox: { list: "inbox", search: "search" },
  emails: {
    get: "email",
    getByQuery: "emailByQuery",
    raw: "rawEmail",
    view: "emailView",
    link: "emailLink",
    label: "labelEmail",
    reply: "reply",
    forward: "forward",
    delete: "deleteEmail",
    deleteByQuery: "deleteEmailByQuery",
  },
  codes: { get: "code" },
  expectations: { create: "createExpectation", get: "expectation", cancel: "cancelExpectation" },
  totp: { add: "addTotp", list: "listTotp", code: "totpCode", delete: "deleteTotp" },
  threads: { list: "threads", get: "thread", getByQuery: "threadByQuery", view: "threadView" },
  attachments: { upload: "upload", download: "attachment", downloadByQuery: "attachmentByQuery" },
  rules: { get: "getRules", put: "putRules" },
  refused: { list: "listRefused", release: "releaseRefused", delete: "deleteRefused" },
  suppressions: { list: "listSuppressions", delete: "deleteSuppression" },
  mailbox: {
    get: "getMailbox",
    stats: "stats",
    update: "updateMailbox",
    pause: "pauseMailbox",
    resume: "resumeMailbox",
    seen: "seen",
    markSeen: "markSeen",
    delete: "deleteMailbox",
  },
  keys: { list: "listKeys", create: "createKey", revoke: "revokeKey" },
  webhooks: {
    routes: "webhookRoutes",
    setRoute: "setWebhookRoute",
    deleteRoute: "deleteWebhookRoute",
    deliveries: "webhookDeliveries",
    redeliver: "redeliverWebhook",
    replay: "replayWebhooks",
    test: "testWebhook",
  },
  domains: {
    list: "listDomains",
    get: "getDomain",
    add: "addDomain",
    verify: "verifyDomain",
    delete: "deleteDomain",
  },
  archives: {
    export: "exportMailbox",
    import: "importMail",
    progress: "importProgress",
    cancel: "cancelImport",
    signingKeys: "signingKeys",
  },
  guide: { text: "guide", skill: "skill" },
  claim: { start: "claimStart", poll: "claimPoll", confirm: "claimConfirm" },
  mailboxes: {
    list: "listMailboxes",
    get: "describeMailbox",
    create: "createMailbox",
    createByName: "claimAuto",
    pause: "pauseByOperator",
    resume: "resumeByOperator",
    delete: "removeMailbox",
    reindex: "reindexMailbox",
  },
  deployment: {
    metrics: "metrics",
    diagnosis: "diagnosis",
    reportDiagnosis: "reportDiagnosis",
    sending: "sendingState",
    haltSending: "haltSending",
    resumeSending: "resumeSending",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RouteId>>>>;

export type Group = keyof typeof METHODS;
