import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import { EventSocket } from "./event-socket.ts";
import { message } from "./messages.ts";
import { copies, reading, send } from "./outgoing.ts";
import { Server, endOrphan, makeDataDir, readSecrets, removeDataDir, type Orphan } from "./server.ts";
import { SmtpConnection, deliver, sendMail } from "./smtp.ts";
import { Target } from "./target.ts";

// The main promises against the bundle as `npm start` serves it; the other files of this folder test each in depth.

const MAILS = 40;
const RETRY_MS = 50;

let relay: SmtpPeer;
let target: Target;
let dataDir: string;
let server: Server;
const orphans: Orphan[] = [];

const start = () => Server.start({ dataDir, env: { SMTP_URL: relay.url(), ALLOW_PRIVATE_WEBHOOKS: "true" } });

beforeAll(async () => {
  [relay, target, dataDir] = await Promise.all([SmtpPeer.start(), Target.start(), makeDataDir()]);
  server = await start();
}, 180_000);

afterAll(async () => {
  await server.stop();
  orphans.forEach(endOrphan);
  relay.stop();
  await target.stop();
  await removeDataDir(dataDir);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends the same bytes until they are acknowledged, as a mail server does. */
async function deliverUntilTaken(to: string, bytes: Buffer): Promise<void> {
  for (;;) {
    const replies = await deliver(server.smtpPort, { from: "a@b.example", to: [to], bytes }).catch(
      () => null,
    );
    if (replies?.data?.startsWith("250") === true) return;
    await pause(RETRY_MS);
  }
}

it("hands the code of a mail to an agent that waits for it", async () => {
  const box = await server.service.bootstrap();
  const [code] = await Promise.all([
    server.service.code(box.api_key),
    sendMail(server.smtpPort, {
      from: '"Example Shop" <shop@example.com>',
      to: box.mailbox,
      subject: "Your code",
      text: "Your verification code is 482913.",
    }),
  ]);
  expect(code).toMatchObject({ code: "482913", from: "shop@example.com", subject: "Your code" });
});

it("refuses mail for an address that nobody created, and requests without a key", async () => {
  const connection = await SmtpConnection.open(server.smtpPort);
  await connection.say("MAIL FROM:<a@b.example>");
  expect(await connection.say("RCPT TO:<nobody@mailkeep.test>")).toMatch(/^550 5\.1\.1/);
  connection.drop();
  expect((await server.service.ask("/v1/inbox")).status).toBe(401);
});

it("stores every acknowledged mail once, byte for byte, when workerd is killed meanwhile", async () => {
  const box = await server.service.createMailbox();
  const mails = Array.from({ length: MAILS }, (_, number) => message({ subject: `Mail ${number}` }));
  const sending = (async () => {
    for (const bytes of mails) await deliverUntilTaken(box.mailbox, bytes);
  })();
  await pause(300);
  expect(await server.killWorkerd()).toBe(true);
  await sending;
  const stored = await server.service.inbox(box.api_key);
  expect(stored.map(({ subject }) => subject)).toEqual(
    mails.map((_, number) => `Mail ${number}`).toReversed(),
  );
  for (const { id, subject } of stored) {
    expect(await server.service.raw(box.api_key, id)).toEqual(mails[Number(subject.slice("Mail ".length))]);
  }
});

it("streams an event for each mail, and resumes at the last one after a kill of the whole server", async () => {
  const box = await server.service.createMailbox();
  const before = EventSocket.listen(server.url, box.api_key);
  await before.answered();
  await deliverUntilTaken(box.mailbox, message({ subject: "One" }));
  await before.until(() => before.frames.length === 1);
  orphans.push(await server.abandon());
  server = await start();
  await deliverUntilTaken(box.mailbox, message({ subject: "Two" }));
  const after = EventSocket.listen(server.url, box.api_key, { lastEventId: before.frames[0]?.id });
  await after.until(() => after.frames.length === 1);
  after.drop();
  const heard = [...before.frames, ...after.frames];
  expect(heard.map(({ id, event, data }) => [id, event, data.subject])).toEqual([
    [1, "message.received", "One"],
    [2, "message.received", "Two"],
  ]);
});

it("delivers a signed webhook, and again after a refusal under the same id", async () => {
  const box = await server.service.createMailbox();
  const webhook_url = target.plan(
    "/hook",
    (response) => void response.writeHead(503).end(),
    (response) => void response.writeHead(200).end(),
  );
  await server.service.mail(box.api_key).mailbox.update({ webhook_url });
  await deliverUntilTaken(box.mailbox, message({ subject: "To the webhook" }));
  const [first, second] = await target.heard("/hook", 2);
  const { webhook_secret } = await readSecrets(dataDir);
  for (const attempt of [first, second]) {
    const signature = createHmac("sha256", webhook_secret)
      .update(attempt?.body ?? "")
      .digest("hex");
    expect(attempt?.headers["x-webhook-signature"]).toBe(`sha256=${signature}`);
    expect(attempt?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  }
  expect(JSON.parse(String(first?.body))).toMatchObject({
    event: "message.received",
    subject: "To the webhook",
  });
});

it("sends a message once, however often the same request is repeated, and also after a restart", async () => {
  const box = await server.service.createMailbox();
  const json = { to: "ann@elsewhere.example", subject: "Once" };
  const { body: sent } = await send(server.service, box, json, { wait: 30, key: "order-17-confirmation" });
  expect(sent).toMatchObject({ status: "sent" });
  expect((await server.stop()).code).toBe(0);
  server = await start();
  const { body: again } = await send(server.service, box, json, { key: "order-17-confirmation" });
  expect(again.id).toBe(sent.id);
  await reading(server.service, box, sent.id, ({ status }) => status === "sent");
  expect(copies(relay, sent.message_id)).toHaveLength(1);
});
