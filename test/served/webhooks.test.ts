import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetPeak, resident } from "../../scripts/bench/process-cost.ts";
import type { WebhookDeliveries, WebhookDelivery } from "../../src/contract/webhook.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { makeDataDir, readSecrets, removeDataDir, Server } from "./server.ts";
import { answer, cut, drip, flood, hang, Target } from "./target.ts";
import type { Behaviour, Received } from "./target.ts";

/** Delays before attempts two, three and four, from the end of the one before, in ms (docs/limits.md#webhooks). */
const WAITS_MS = [1_000, 3_000, 8_000];
const TOLERANCE_MS = 1_000;
const MB = 1_000_000;

/** The fields of the body (docs/events.md#the-request). */
const FIELDS =
  "event email_id mailbox from subject received_at message_id thread_id labels has_attachments attachment_count sender_verified event_id seq".split(
    " ",
  );
/** The headers of a delivery, as docs/events.md#the-request lists them, without those of the runtime. */
const HEADERS =
  "accept-encoding content-length content-type host user-agent webhook-id webhook-signature webhook-timestamp x-webhook-event x-webhook-id x-webhook-signature".split(
    " ",
  );

const dataDir = await makeDataDir();
let server: Server;
let target: Target;
/** The target of redirects. */
let second: Target;
let secret: string;

beforeAll(async () => {
  [server, target, second] = await Promise.all([
    Server.start({ dataDir, env: { ALLOW_PRIVATE_WEBHOOKS: "true" } }),
    Target.start(),
    Target.start(),
  ]);
  secret = (await readSecrets(dataDir)).webhook_secret;
}, 120_000);

afterAll(async () => {
  await server.stop();
  await Promise.all([target.stop(), second.stop(), removeDataDir(dataDir)]);
});

async function mailboxFor(url: string): Promise<MailboxKey> {
  const box = await server.service.createMailbox();
  await setUrl(box, url);
  return box;
}

async function setUrl({ api_key }: MailboxKey, url: string): Promise<void> {
  const set = await server.service.ask("/v1/mailbox", {
    key: api_key,
    method: "PATCH",
    json: { webhook_url: url },
  });
  expect([set.status, set.body]).toEqual([200, expect.objectContaining({ webhook_url: url })]);
}

async function receive(box: MailboxKey, subject = "Hello"): Promise<string> {
  const received = await server.service.handOver(box.mailbox, message({ subject }));
  expect(received.status).toBe(202);
  return received.body.id;
}

async function deliveries({ api_key }: MailboxKey): Promise<WebhookDelivery[]> {
  return (await server.service.get<WebhookDeliveries>("/v1/webhook/deliveries?limit=100", api_key))
    .deliveries;
}

/** The deliveries, as soon as `condition` is true for all of them: the mailbox writes results after the requests. */
async function settled(
  box: MailboxKey,
  condition: (delivery: WebhookDelivery) => boolean = ({ state }) => state !== "pending",
): Promise<WebhookDelivery[]> {
  for (let left = 600; left > 0; left -= 1) {
    const all = await deliveries(box);
    if (all.length > 0 && all.every(condition)) return all;
    await pause(50);
  }
  throw new Error(`Not settled: ${JSON.stringify(await deliveries(box))}`);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Delays from the end of each request to the arrival of the next. */
const waitsOf = (requests: readonly Received[]): number[] =>
  requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.endedMs ?? Number.NaN));

function expectWaits(waits: readonly number[]): void {
  for (const [index, wait] of waits.entries()) {
    const expected = WAITS_MS[index] ?? 0;
    expect([index, wait, Math.abs(wait - expected) <= TOLERANCE_MS]).toEqual([
      index,
      expect.any(Number),
      true,
    ]);
  }
}

/** Expects requests for the same event: body and id are equal, and each request has its own signature. */
function expectSameEvent(requests: readonly Received[]): void {
  for (const { body, headers, method } of requests) {
    expect(method).toBe("POST");
    expect(body.equals(requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
    expect(headers["webhook-id"]).toBe(requests[0]?.headers["webhook-id"]);
    expect(headers["x-webhook-signature"]).toBe(requests[0]?.headers["x-webhook-signature"]);
    new Webhook(secret).verify(body, headers as Record<string, string>);
  }
}

describe.concurrent("a target that refuses a delivery gets four attempts, and no fifth", () => {
  const cases: [string, { behaviour: Behaviour; status: number | null; error: string }][] = [
    ["500", { behaviour: answer(500, "broken"), status: 500, error: "status" }],
    ["400", { behaviour: answer(400, "broken"), status: 400, error: "status" }],
    ["410", { behaviour: answer(410, "broken"), status: 410, error: "status" }],
    [
      "429 that asks for an hour",
      { behaviour: answer(429, "broken", { "Retry-After": "3600" }), status: 429, error: "status" },
    ],
    ["a cut connection", { behaviour: cut, status: null, error: "connection" }],
    ...[301, 302, 303, 307, 308].map((status): (typeof cases)[number] => [
      `a redirect by ${status}`,
      {
        behaviour: (response) =>
          void response.writeHead(status, { Location: second.url("/elsewhere") }).end("broken"),
        status,
        error: "redirect",
      },
    ]),
  ];

  it("with the same bytes, after 1, 3 and 8 s, which the log of deliveries shows", async () => {
    await inParallel(cases, cases.length, async ([name, { behaviour, status, error }], index) => {
      const path = `/never/${index}`;
      const box = await mailboxFor(target.plan(path, behaviour));
      const id = await receive(box, name);
      const requests = await target.heard(path, 4);
      const [delivery, ...more] = await settled(box);
      expect(more).toEqual([]);
      expectSameEvent(requests);
      expectWaits(waitsOf(requests));
      const attempt = { status, error, answer: status === null ? "" : "broken", at: expect.any(String) };
      expect(delivery).toMatchObject({
        email_id: id,
        event_id: requests[0]?.headers["webhook-id"],
        state: "failed",
        next_attempt_at: null,
        attempts: [1, 2, 3, 4].map((number) => ({ ...attempt, number })),
      });
    });
    // A fifth attempt would have come by now, because the delivery is marked as failed.
    await pause(1_500);
    expect(cases.map((_, index) => target.at(`/never/${index}`).length)).toEqual(cases.map(() => 4));
    expect([second.received, second.connections]).toEqual([[], 0]);
  });

  it("also if nothing listens there", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => void gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => void gone.close(resolve));
    const box = await mailboxFor(`http://127.0.0.1:${port}/`);
    await receive(box);
    const [delivery] = await settled(box);
    expect(delivery).toMatchObject({
      state: "failed",
      attempts: [1, 2, 3, 4].map((number) => ({ number, status: null, error: "connection" })),
    });
  });

  it.each([
    ["says nothing", "/hang", hang],
    ["drips its headers", "/drip", drip],
  ] as const)("and ten seconds for each, when it %s", async (_what, path, behaviour) => {
    const box = await mailboxFor(target.plan(path, behaviour, answer(204, "")));
    await receive(box);
    const requests = await target.heard(path, 2);
    const [first] = requests;
    const held = (first?.endedMs ?? Number.NaN) - (first?.atMs ?? Number.NaN);
    expect([held, Math.abs(held - 10_000) <= TOLERANCE_MS]).toEqual([expect.any(Number), true]);
    expectWaits(waitsOf(requests));
    expectSameEvent(requests);
    const [delivery] = await settled(box);
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [
        { status: null, error: "timeout", answer: "" },
        { status: 204, error: null },
      ],
    });
  });

  it("but no second after any 2xx", async () => {
    await inParallel([200, 201, 202, 204, 299], 5, async (status) => {
      const path = `/fine/${status}`;
      const box = await mailboxFor(target.plan(path, answer(status, "")));
      await receive(box);
      const [delivery] = await settled(box);
      expect(delivery).toMatchObject({ state: "delivered", attempts: [{ number: 1, status, error: null }] });
      expect(target.at(path)).toHaveLength(1);
    });
  });

  it("and no further one after a success", async () => {
    const path = "/recovers";
    const box = await mailboxFor(target.plan(path, answer(503), cut, answer(200)));
    await receive(box);
    const requests = await target.heard(path, 3);
    expectSameEvent(requests);
    const [delivery] = await settled(box);
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(["status", "connection", null]);
    expect(delivery?.state).toBe("delivered");
  });
});

describe("a delivery", () => {
  it("has the documented fields and headers, and no others", async () => {
    const path = "/plain";
    const box = await mailboxFor(target.plan(path, answer(200)));
    const id = await receive(box, "Grüße ☃ \u2028");
    const [request] = await target.heard(path, 1);
    const body = JSON.parse(request?.body.toString("utf8") ?? "") as Record<string, unknown>;
    expect(Object.keys(body).toSorted()).toEqual(FIELDS.toSorted());
    expect(body).toMatchObject({ event: "message.received", email_id: id, mailbox: box.mailbox, seq: 1 });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "x-webhook-event": "message.received",
      "x-webhook-id": id,
      "webhook-id": body.event_id,
      "user-agent": expect.stringMatching(/^Mailkeep\/\d/),
    });
    expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual(HEADERS.toSorted());
    expect(JSON.stringify(request?.headers)).not.toContain(server.token);
  });

  it("begins in the order of the log", async () => {
    const path = "/ordered";
    const box = await mailboxFor(target.plan(path, answer(200)));
    await inParallel(Array.from({ length: 60 }), 8, () => receive(box));
    const requests = await target.heard(path, 60);
    const order = requests.map(({ body }) => (JSON.parse(body.toString()) as { seq: number }).seq);
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    // Two may be under way at the same time, so a delivery may be overtaken by one other.
    expect(order.filter((seq, index) => Math.abs(seq - (index + 1)) > 1)).toEqual([]);
  });

  it("whose answer is 10 MB stores 500 characters of it, and does not use memory for the rest", async () => {
    const path = "/large";
    const box = await mailboxFor(target.plan(path, flood(10 * MB)));
    await receive(box);
    await settled(box);
    const pid = await server.workerdPid();
    const before = resident(pid).bytes;
    forgetPeak(pid);
    await inParallel(Array.from({ length: 20 }), 4, () => receive(box));
    const all = await settled(box, ({ state }) => state === "delivered");
    expect(all).toHaveLength(21);
    expect(all.map(({ attempts }) => attempts.map((one) => one.answer))).toEqual(
      all.map(() => ["x".repeat(500)]),
    );
    // A tenth of what was sent.
    expect(resident(pid).peakBytes - before).toBeLessThan(20 * MB);
  });

  it("that hangs delays no other target, no received mail and no read", async () => {
    const box = await mailboxFor(target.plan("/stuck", hang));
    const route = { label: "personal", webhook_url: target.plan("/label", answer(200)) };
    const put = await server.service.call("/v1/mailbox/routes", {
      key: box.api_key,
      method: "PUT",
      json: route,
    });
    expect(put.status).toBe(200);
    await receive(box);
    await target.heard("/stuck", 1);
    for (let count = 0; count < 50; count += 1) await receive(box, `Mail ${count}`);
    expect((await server.service.inbox(box.api_key)).length).toBe(51);
    await target.heard("/label", 51);
    // All of this while the very first attempts still hang.
    const stuck = target.at("/stuck");
    expect(stuck.length).toBeGreaterThan(0);
    expect(stuck.length).toBeLessThanOrEqual(2);
    expect(stuck.every(({ endedMs }) => endedMs === null)).toBe(true);
    const erased = await server.service.call("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(erased.status).toBe(200);
  });
});

it("connects to no target on this machine without ALLOW_PRIVATE_WEBHOOKS", async () => {
  const path = "/private";
  const box = await mailboxFor(target.plan(path, answer(200)));
  await receive(box);
  await target.heard(path, 1);
  await settled(box);
  // Targets that cannot be reached are not logged.
  expect(server.process.stderr).not.toMatch(/ failed: |stack/);
  await server.stop();
  server = await Server.start({ dataDir });
  const { connections } = target;
  // This URL was set while it was allowed; now each attempt is refused.
  await receive(box);
  const [newest] = await settled(box, ({ attempts, state }) => state !== "pending" || attempts.length === 2);
  expect(newest?.attempts).toMatchObject(
    [1, 2].map((number) => ({ number, status: null, error: "not_public" })),
  );
  const urls = [
    target.url(),
    `https://127.0.0.1:${target.port}/`,
    "https://localhost:8443/",
    "https://[::1]:8443/",
  ];
  for (const webhook_url of urls) {
    const set = await server.service.ask("/v1/mailbox", {
      key: box.api_key,
      method: "PATCH",
      json: { webhook_url },
    });
    expect([webhook_url, set.status, set.body.error]).toEqual([
      webhook_url,
      400,
      expect.stringMatching(/^webhook_url/),
    ]);
  }
  expect([target.connections, target.at(path).length]).toEqual([connections, 1]);
});
