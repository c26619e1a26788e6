import type { Domain } from "../../src/contract/domain.ts";
import type { NewKey } from "../../src/contract/mailbox.ts";
import type { WebhookDeliveries, WebhookRoutes } from "../../src/contract/webhook.ts";
import type { z } from "zod";
import type { MailboxKey } from "../../test/served/client.ts";
import { deliver } from "../../test/served/smtp.ts";
import { answer } from "../../test/served/target.ts";
import { GARDEN, MAILS, MERGED, notification } from "./mails.ts";
import { create, must, receive, until, type Stage } from "./stage.ts";

/** Consecutive failures after which a webhook is failed. */
const FAILURES = 10;
const DOMAIN = "garden.example.org";
const PENDING_DOMAIN = "orchard.example.org";

/** The mailbox that mostly receives: every kind of mail, labels, codes, keys, webhooks and a domain of its own. */
export async function fillReader(stage: Stage): Promise<MailboxKey> {
  const box = await create(stage, "reader");
  await setUp(stage, box);
  await receiveAll(stage, box);
  await holdDomains(stage, box);
  await failWebhook(stage, box);
  return box;
}

async function setUp(stage: Stage, box: MailboxKey): Promise<void> {
  const { hooks, known } = stage;
  hooks.plan("/broken", answer(500, "broken"));
  await must(stage, box.api_key, "PATCH /v1/mailbox", {
    display_name: "Rita Reader",
    webhook_url: hooks.url("/own"),
    webhook_secret: "whsec_dGVzdC1vbmx5LXNlY3JldC1vZi1yZWFkZXI=",
  });
  // The previous secret also signs for a day.
  const changed = { webhook_secret: "whsec_dGVzdC1vbmx5LXNlY29uZC1zZWNyZXQtb2YtcmVhZGVy" };
  await must(stage, box.api_key, "PATCH /v1/mailbox", changed);
  for (const [label, path] of [
    ["code", "/codes"],
    ["notification", "/broken"],
  ] as const) {
    await must(stage, box.api_key, "PUT /v1/mailbox/routes", { label, webhook_url: hooks.url(path) });
  }
  await must(stage, box.api_key, "POST /v1/webhook/test", {});
  const newKey = (body: object) => must<z.infer<typeof NewKey>>(stage, box.api_key, "POST /v1/keys", body);
  known.second_key = (await newKey({ expires_at: "2099-01-01T00:00:00Z" })).api_key;
  const revoked = await newKey({});
  known.revoked_key = revoked.api_key;
  await must(stage, box.api_key, `DELETE /v1/keys/${revoked.id}`);
}

async function receiveAll(stage: Stage, box: MailboxKey): Promise<void> {
  const { server, known } = stage;
  for (const bytes of GARDEN) {
    await deliver(server.smtpPort, { from: "ann@example.com", to: [box.mailbox], bytes });
  }
  const [newest, , first] = await server.service.inbox(box.api_key);
  if (newest === undefined || first === undefined) throw new Error("The thread did not arrive");
  known.thread = { id: newest.thread_id, message_id: "<garden-3@friends.example>", emails: GARDEN.length };
  known.repeated = { id: first.id, received_at: first.received_at };
  const ids: Record<string, string> = {};
  for (const [name, raw] of Object.entries(MAILS)) {
    const to = name === "tagged" ? box.mailbox.replace("@", "+shop@") : box.mailbox;
    ids[name] = await receive(stage, to, raw);
  }
  for (const raw of MERGED) await receive(stage, box.mailbox, raw);
  // A duplicate: no message is stored, and its blob is erased.
  await receive(stage, box.mailbox, MAILS.largeFile);
  known.search = { words: "plumber", id: ids.labelled ?? "" };
  const labels = { add_labels: ["todo", "house"], remove_labels: ["personal"] };
  await must(stage, box.api_key, `PATCH /v1/emails/${ids.labelled}`, labels);
  await must(stage, box.api_key, `DELETE /v1/emails/${ids.deleted}`);
  await must(stage, box.api_key, "GET /v1/code?from=bank.example&consume=true");
}

async function holdDomains(stage: Stage, box: MailboxKey): Promise<void> {
  const { around, server, known } = stage;
  const held = await must<Domain>(stage, box.api_key, "POST /v1/domains", { domain: DOMAIN });
  around.doh.zone.publish(held.dns_records);
  const { status } = await must<Domain>(stage, box.api_key, `POST /v1/domains/${held.id}/verify`);
  if (status !== "verified") throw new Error(`The domain is ${status}`);
  known.domain = DOMAIN;
  known.dns = around.doh.zone.records();
  const pending = await must<Domain>(stage, box.api_key, "POST /v1/domains", { domain: PENDING_DOMAIN });
  await must(stage, box.api_key, `POST /v1/domains/${pending.id}/verify`);
  await deliver(server.smtpPort, {
    from: "cleo@example.com",
    to: [`sales@${DOMAIN}`],
    bytes: MAILS.tagged,
  });
}

/** Makes one route fail; the others deliver everything. */
async function failWebhook(stage: Stage, box: MailboxKey): Promise<void> {
  for (let number = 1; number <= FAILURES; number += 1) {
    await receive(stage, box.mailbox, notification(number));
  }
  await until("a failed webhook", async () => {
    const { routes } = await must<WebhookRoutes>(stage, box.api_key, "GET /v1/mailbox/routes");
    return routes.some(({ status }) => status === "failed");
  });
  await until("no delivery under way", async () => {
    const path = "GET /v1/webhook/deliveries?state=pending";
    return (await must<WebhookDeliveries>(stage, box.api_key, path)).deliveries.length === 0;
  });
}
