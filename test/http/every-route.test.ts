import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StartedClaim } from "../../src/contract/claim.ts";
import type { Domain } from "../../src/contract/domain.ts";
import type { Email } from "../../src/contract/message.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { routes, type RouteId } from "../../src/contract/routes.ts";
import { checkedAnswers } from "../answer-schema.ts";
import {
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  deliver,
  DOMAIN,
  message,
  OPERATOR,
  plainMessage,
  type Ask,
  type TestMailbox,
} from "../harness.ts";
import { deliveriesOf, endOutside, hooked, outside, receive, settled } from "../webhook-target.ts";

let box: TestMailbox;
let email: Email;

const MIME = [
  "From: ann@example.com",
  "Subject: Your code is 482913",
  "Message-ID: <every-route@example.com>",
  'Content-Type: multipart/mixed; boundary="x"',
];
const PARTS = [
  "--x",
  "Content-Type: text/plain",
  "",
  "Your code is 482913. See https://shop.example/help.",
  "--x",
  'Content-Disposition: attachment; filename="a.bin"',
  "Content-Type: application/octet-stream",
  "",
  "0123456789",
  "--x--",
];
const MAIL = { to: "ann@example.net", subject: "Hello", text: "Hello." };
const OPEN = { CLAIM_APPROVAL: "open" };

beforeAll(async () => {
  outside();
  box = await createMailbox();
  const { body } = await deliver(box.mailbox, message(MIME, PARTS.join("\n")));
  email = (await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key })).body;
});
afterEach(endOutside);

const own = (path: string, asked: Ask = {}) => api(path, { key: box.api_key, ...asked });
const FINDING = { id: "dns.mx", level: "broken", title: "No MX record", cost: "No mail", fix: "Add one" };
const asOperator = (path: string, asked: Ask = {}) => api(path, { key: OPERATOR, ...asked });
const anotherEmail = async () => (await deliver(box.mailbox, message(["Subject: Hello"]))).body.id;
const start = (name: string) =>
  ask<StartedClaim>("/v1/claim/start", {
    json: { name },
    headers: { "CF-Connecting-IP": clientAddress() },
    vars: OPEN,
  });
const addDomain = async (domain: string) =>
  (await ask<Domain>("/v1/domains", { key: box.api_key, json: { domain } })).body.id;

const idOfNew = async (path: string, json: unknown) =>
  (await ask<{ id: string }>(path, { key: box.api_key, json })).body.id;
const expected = () => idOfNew("/v1/expect", { from_domain: "brand.example" });
const SECRET = { label: "Brand", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
const secret = () => idOfNew("/v1/totp", SECRET);

async function slowedDown(): Promise<Response> {
  const path = `/v1/claim/poll?session=${(await start("polled-twice")).body.session_id}`;
  await api(path, { vars: OPEN });
  return api(path, { vars: OPEN });
}

async function replayed(): Promise<Response> {
  const headers = { "Idempotency-Key": crypto.randomUUID(), "CF-Connecting-IP": clientAddress() };
  await bootstrap(headers);
  return api("/v1/bootstrap", { method: "POST", headers });
}

async function redelivered(): Promise<Response> {
  outside();
  const other = await hooked();
  await receive(other);
  await settled(other);
  const [delivery] = await deliveriesOf(other);
  return api(`/v1/webhook/deliveries/${delivery?.id}/redeliver`, { key: other.api_key, method: "POST" });
}

async function forgiven(): Promise<Response> {
  const nobody = `no-such-box@${DOMAIN}`;
  const sent = await own("/v1/send?wait=10", { json: { ...MAIL, to: nobody } });
  await sent.json();
  const listed = await own("/v1/suppressions");
  expect(JSON.stringify(await listed.json())).toContain(nobody);
  return own(`/v1/suppressions/${nobody}`, { method: "DELETE" });
}

/** The id of a mail that the rules of `box` refuse. */
async function refusedMail(): Promise<string> {
  const rules = { receive: { mode: "everyone", block: [{ match: "blocked@example.com" }] } };
  await own("/v1/mailbox/rules", { method: "PUT", json: rules });
  await deliver(box.mailbox, plainMessage({ from: "blocked@example.com" }));
  const { body } = await ask<{ refused: { id: string }[] }>("/v1/refused", { key: box.api_key });
  return body.refused[0]?.id ?? "";
}

async function withRoute(asked: Ask, query = ""): Promise<Response> {
  const other = await createMailbox();
  const put = { label: "orders", webhook_url: "https://hooks.example.com/orders" };
  const answer = await api("/v1/mailbox/routes", { key: other.api_key, method: "PUT", json: put });
  return asked.method === "PUT"
    ? answer
    : api(`/v1/mailbox/routes${query}`, { key: other.api_key, ...asked });
}

const newMailbox = async () => (await createMailbox()).mailbox;

/** For each route, a call for each status that it documents, in order. A missing route does not compile. */
const CALLS: Record<RouteId, readonly (() => Promise<Response>)[]> = {
  guide: [() => api("/llms.txt")],
  skill: [() => api("/skill.md")],
  bootstrap: [replayed, () => api("/v1/bootstrap", { method: "POST" })],
  claimStart: [
    () =>
      api("/v1/claim/start", {
        json: { name: "started" },
        headers: { "CF-Connecting-IP": clientAddress() },
        vars: OPEN,
      }),
  ],
  claimPoll: [
    async () => api(`/v1/claim/poll?session=${(await start("polled-once")).body.session_id}`, { vars: OPEN }),
    slowedDown,
  ],
  claimConfirm: [
    async () => {
      const { device_code } = (await start("confirmed")).body;
      const headers = { Origin: "https://api.example", "CF-Connecting-IP": clientAddress() };
      return api("/v1/claim/confirm", { json: { device_code }, headers, vars: OPEN });
    },
  ],
  me: [() => own("/v1/me")],
  listKeys: [() => own("/v1/keys")],
  createKey: [() => own("/v1/keys", { json: {} })],
  revokeKey: [
    async () => {
      const made = await ask<{ id: string }>("/v1/keys", { key: box.api_key, json: {} });
      return own(`/v1/keys/${made.body.id}`, { method: "DELETE" });
    },
  ],
  getMailbox: [() => own("/v1/mailbox")],
  updateMailbox: [() => own("/v1/mailbox", { method: "PATCH", json: { display_name: "Agent" } })],
  pauseMailbox: [
    async () => api("/v1/mailbox/pause", { key: (await createMailbox()).api_key, method: "PATCH" }),
  ],
  resumeMailbox: [() => own("/v1/mailbox/resume", { method: "PATCH" })],
  deleteMailbox: [async () => api("/v1/mailbox", { key: (await createMailbox()).api_key, method: "DELETE" })],
  stats: [() => own("/v1/stats")],
  inbox: [() => own("/v1/inbox?query=code")],
  search: [() => own("/v1/search?q=code")],
  email: [() => own(`/v1/emails/${email.id}`)],
  emailByQuery: [() => own(`/v1/email?id=${email.id}`)],
  rawEmail: [() => own(`/v1/emails/${email.id}/raw`)],
  labelEmail: [() => own(`/v1/emails/${email.id}`, { method: "PATCH", json: { add_labels: ["seen"] } })],
  deleteEmail: [async () => own(`/v1/emails/${await anotherEmail()}`, { method: "DELETE" })],
  deleteEmailByQuery: [async () => own(`/v1/email?id=${await anotherEmail()}`, { method: "DELETE" })],
  code: [() => own("/v1/code?timeout=1")],
  createExpectation: [() => own("/v1/expect", { json: { from_domain: "brand.example" } })],
  expectation: [async () => own(`/v1/expect/${await expected()}`)],
  cancelExpectation: [async () => own(`/v1/expect/${await expected()}`, { method: "DELETE" })],
  addTotp: [() => own("/v1/totp", { json: SECRET })],
  listTotp: [() => own("/v1/totp")],
  totpCode: [async () => own(`/v1/totp/${await secret()}/code`)],
  deleteTotp: [async () => own(`/v1/totp/${await secret()}`, { method: "DELETE" })],
  extract: [() => own("/v1/extract", { json: { email_id: email.id, type: "code" } })],
  emailView: [() => own(`/v1/emails/${email.id}/view?include=hidden,quoted`)],
  emailLink: [() => own(`/v1/emails/${email.id}/links/1`)],
  threadView: [() => own(`/v1/threads/${email.thread_id}/view`)],
  threads: [() => own("/v1/threads")],
  thread: [() => own(`/v1/threads/${email.thread_id}`)],
  threadByQuery: [() => own(`/v1/thread?id=${email.thread_id}`)],
  attachment: [
    () => own(`/v1/attachments/${email.attachments[0]?.id}`),
    () => own(`/v1/attachments/${email.attachments[0]?.id}`, { headers: { Range: "bytes=0-3" } }),
  ],
  attachmentByQuery: [
    () => own(`/v1/attachment?id=${email.attachments[0]?.id}`),
    () => own(`/v1/attachment?id=${email.attachments[0]?.id}`, { headers: { Range: "bytes=0-3" } }),
  ],
  upload: [() => own("/v1/attachments?filename=a.bin", { body: "0123" })],
  send: [() => own("/v1/send", { json: MAIL })],
  reply: [() => own(`/v1/emails/${email.id}/reply`, { json: { text: "Hello." } })],
  forward: [() => own(`/v1/emails/${email.id}/forward`, { json: { to: "ann@example.net" } })],
  seen: [() => own("/v1/mailbox/seen")],
  markSeen: [() => own("/v1/mailbox/seen", { method: "PATCH", json: { seen: [email.id] } })],
  getRules: [() => own("/v1/mailbox/rules")],
  putRules: [() => own("/v1/mailbox/rules", { method: "PUT", json: { receive: { mode: "everyone" } } })],
  listRefused: [
    async () => {
      await refusedMail();
      return own("/v1/refused");
    },
  ],
  releaseRefused: [async () => own(`/v1/refused/${await refusedMail()}/release`, { method: "POST" })],
  deleteRefused: [async () => own(`/v1/refused/${await refusedMail()}`, { method: "DELETE" })],
  listSuppressions: [() => own("/v1/suppressions")],
  deleteSuppression: [forgiven],
  events: [() => own("/v1/events")],
  changes: [() => own("/v1/changes")],
  webhookRoutes: [() => withRoute({ method: "GET" })],
  setWebhookRoute: [() => withRoute({ method: "PUT" })],
  deleteWebhookRoute: [() => withRoute({ method: "DELETE" }, "?label=orders")],
  webhookDeliveries: [
    async () => {
      const other = await hooked();
      await receive(other);
      await settled(other);
      return api("/v1/webhook/deliveries", { key: other.api_key });
    },
  ],
  redeliverWebhook: [redelivered],
  replayWebhooks: [
    async () => {
      const other = await hooked();
      await receive(other);
      return api("/v1/webhook/replay", { key: other.api_key, json: { from_seq: 1 } });
    },
  ],
  testWebhook: [async () => api("/v1/webhook/test", { key: (await hooked()).api_key, json: {} })],
  addDomain: [() => own("/v1/domains", { json: { domain: "added.example.org" } })],
  listDomains: [
    async () => {
      await addDomain("listed.example.org");
      return own("/v1/domains");
    },
  ],
  getDomain: [async () => own(`/v1/domains/${await addDomain("shown.example.org")}`)],
  verifyDomain: [
    async () => own(`/v1/domains/${await addDomain("verified.example.org")}/verify`, { method: "POST" }),
  ],
  deleteDomain: [async () => own(`/v1/domains/${await addDomain("gone.example.org")}`, { method: "DELETE" })],
  exportMailbox: [() => own("/v1/export")],
  importMail: [() => own("/v1/import", { body: message(["Subject: Imported"]) })],
  importProgress: [
    async () => {
      const started = await own("/v1/import", { body: message(["Subject: Imported"]) });
      const { id } = await started.json<{ id: string }>();
      return own(`/v1/import/${id}`);
    },
  ],
  cancelImport: [
    async () => {
      const started = await own("/v1/import", { body: message(["Subject: Cancelled"]) });
      const { id } = await started.json<{ id: string }>();
      return own(`/v1/import/${id}`, { method: "DELETE" });
    },
  ],
  signingKeys: [() => api("/.well-known/mailkeep-keys.json")],
  createMailbox: [() => asOperator("/v1/mailboxes", { json: { name: "created" } })],
  claimAuto: [() => asOperator("/v1/claim/auto", { json: { name: "claimed" } })],
  listMailboxes: [() => asOperator("/v1/mailboxes")],
  describeMailbox: [() => asOperator(`/v1/mailboxes/${box.mailbox}`)],
  removeMailbox: [async () => asOperator(`/v1/mailboxes/${await newMailbox()}`, { method: "DELETE" })],
  pauseByOperator: [async () => asOperator(`/v1/mailboxes/${await newMailbox()}/pause`, { method: "PATCH" })],
  resumeByOperator: [
    async () => asOperator(`/v1/mailboxes/${await newMailbox()}/resume`, { method: "PATCH" }),
  ],
  reindexMailbox: [async () => asOperator(`/v1/mailboxes/${await newMailbox()}/reindex`, { method: "POST" })],
  inbound: [
    async () =>
      asOperator(`/v1/inbound?to=${box.mailbox}&to=nobody@${DOMAIN}`, { body: message(["Subject: Hello"]) }),
  ],
  metrics: [() => asOperator("/metrics")],
  sendingState: [() => asOperator("/v1/sending")],
  haltSending: [() => asOperator("/v1/sending/halt", { method: "PATCH", json: { reason: "A key leaked" } })],
  resumeSending: [() => asOperator("/v1/sending/resume", { method: "PATCH" })],
  diagnosis: [() => asOperator("/v1/doctor")],
  reportDiagnosis: [
    () => asOperator("/v1/doctor", { method: "PUT", json: { version: 1, findings: [FINDING] } }),
  ],
};

describe("every route", () => {
  const all = Object.entries<RouteSpec>(routes) as [RouteId, RouteSpec][];

  it.each(all)("answers with each status that it documents, and with its shape: %s", async (id, spec) => {
    outside();
    const documented = Object.entries(spec.responses);
    expect(CALLS[id]).toHaveLength(documented.length);
    for (const [index, [status, shape]] of documented.entries()) {
      const response = await CALLS[id][index]?.();
      const type = response?.headers.get("Content-Type");
      expect([String(response?.status), type]).toEqual([
        status,
        "media" in shape ? shape.media : "application/json; charset=utf-8",
      ]);
      // The harness checks JSON against the schema when a test reads it.
      if ("media" in shape) await response?.body?.cancel();
      else await response?.json();
    }
  });

  it("was checked against the schema of each of its statuses", () => {
    const json = all.flatMap(([id, { responses }]) =>
      Object.entries(responses).flatMap(([status, shape]) => ("json" in shape ? [`${id} ${status}`] : [])),
    );
    expect([...checkedAnswers]).toEqual(expect.arrayContaining(json));
  });
});
