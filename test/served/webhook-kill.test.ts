import { afterAll, beforeAll, expect, it } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import type { WebhookDeliveries, WebhookDelivery } from "../../src/contract/webhook.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";
import { Target } from "./target.ts";
import type { Behaviour, Received } from "./target.ts";

const BOXES = 4;
const MAILS_EACH = 50;
/** Kills of workerd that a server survives within a minute; it gives up at the sixth. */
const KILLS = 5;
/** Four, and one more after a crash during the fourth. */
const MAX_ATTEMPTS = 5;
/** How long a target takes to answer, in ms: long enough that kills happen during it. */
const WORK_MS = 30;
/** How long a sender waits before it tries again, in ms. */
const RETRY_MS = 50;

let server: Server;
let target: Target;

beforeAll(async () => {
  [server, target] = await Promise.all([
    Server.start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } }),
    Target.start(),
  ]);
}, 120_000);

afterAll(async () => {
  await server.stop();
  await target.stop();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const idOf = (received: Received): string => String(received.headers["webhook-id"]);

/** A slow target that refuses the first attempt of every fourth event, so that some wait for a second one at each kill. */
const reluctant: Behaviour = (response, received) => {
  const { seq } = JSON.parse(received.body.toString()) as { seq: number };
  const isFirst = target.received.filter((one) => idOf(one) === idOf(received)).length === 1;
  setTimeout(() => response.writeHead(seq % 4 === 0 && isFirst ? 503 : 200).end("ok"), WORK_MS);
};

async function mailbox(index: number): Promise<MailboxKey> {
  const box = await server.service.createMailbox();
  const webhook_url = target.plan(`/${index}`, reluctant);
  const json = { webhook_url };
  const set = await server.service.call("/v1/mailbox", { key: box.api_key, method: "PATCH", json });
  expect(set.status).toBe(200);
  return box;
}

/** Sends the same bytes until they are acknowledged, as a sender does. */
async function receive(box: MailboxKey, subject: string): Promise<string> {
  const bytes = message({ subject });
  for (;;) {
    const received = await server.service.handOver(box.mailbox, bytes).catch(() => null);
    if (received?.status === 202) return received.body.id;
    await pause(RETRY_MS);
  }
}

async function settled({ api_key }: MailboxKey): Promise<WebhookDelivery[]> {
  for (let left = 300; left > 0; left -= 1) {
    const { deliveries } = await server.service.get<WebhookDeliveries>(
      "/v1/webhook/deliveries?limit=100",
      api_key,
    );
    if (deliveries.every(({ state }) => state !== "pending")) return deliveries;
    await pause(200);
  }
  throw new Error("Some deliveries are still pending");
}

async function killAgainAndAgain(): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const arrived = (kill * BOXES * MAILS_EACH) / (KILLS + 2);
    await target.until(() => new Set(target.received.map(idOf)).size >= arrived, `${arrived} events`);
    // At a random point of a target's answer.
    await pause(Math.random() * WORK_MS);
    expect(await server.killWorkerd()).toBe(true);
  }
}

it("loses no delivery when workerd is killed during two hundred, and repeats under the same id", async () => {
  const boxes = await inParallel([0, 1, 2, 3], BOXES, mailbox);
  const mails = boxes.flatMap((box) => Array.from({ length: MAILS_EACH }, (_, number) => ({ box, number })));
  const killing = killAgainAndAgain();
  const ids = await inParallel(mails, 8, ({ box, number }) => receive(box, `Mail ${number}`));
  await killing;
  expect(await server.answers()).toBe(true);

  let interrupted = 0;
  for (const [index, box] of boxes.entries()) {
    const { events } = await server.service.get<ChangePage>("/v1/changes?limit=100", box.api_key);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: MAILS_EACH }, (_, seq) => seq + 1));
    const emails = events.map(({ data }) => data.email_id).toSorted();
    const sent = mails.flatMap((mail, number) => (mail.box === box ? [String(ids[number])] : []));
    expect(emails).toEqual(sent.toSorted());

    const deliveries = await settled(box);
    const bySeq = new Map(deliveries.map((delivery) => [delivery.seq, delivery]));
    expect([deliveries.length, bySeq.size]).toEqual([MAILS_EACH, MAILS_EACH]);
    expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);
    interrupted += deliveries.flatMap(({ attempts }) => attempts).filter(isInterrupted).length;
    for (const { attempts } of deliveries) expect(attempts.length).toBeLessThanOrEqual(MAX_ATTEMPTS);

    const requests = Map.groupBy(target.at(`/${index}`), idOf);
    expect(requests.size).toBe(MAILS_EACH);
    for (const { seq, event_id, email_id } of deliveries) {
      const repeats = requests.get(event_id) ?? [];
      // One event, by id and bytes, however often it arrived.
      expect([seq, new Set(repeats.map(({ body }) => body.toString())).size]).toEqual([seq, 1]);
      expect(JSON.parse(repeats[0]?.body.toString() ?? "")).toMatchObject({ seq, email_id, event_id });
    }
  }
  // Otherwise no kill interrupted a delivery, and the test has shown nothing.
  expect(interrupted).toBeGreaterThan(0);
});

const isInterrupted = ({ error }: WebhookDelivery["attempts"][number]): boolean => error === "interrupted";
