import { afterAll, beforeAll, expect, it } from "vitest";
import { HALTED_HINT, type SendingState } from "../../src/contract/sending-state.ts";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import { inParallel, type MailboxKey } from "./client.ts";
import { copies, isTried, reading, send } from "./outgoing.ts";
import { Server } from "./server.ts";

const BOXES = 4;
const SENDS = 12;
const TO = "x@elsewhere.example";

let relay: SmtpPeer;
let server: Server;

beforeAll(async () => {
  relay = await SmtpPeer.start();
  server = await Server.start({ env: { SMTP_URL: relay.url() } });
}, 120_000);

afterAll(async () => {
  await server.stop();
  relay.stop();
});

async function turn(action: "halt" | "resume"): Promise<void> {
  const { service } = server;
  const asked = { key: service.operator, method: "PATCH", json: {} };
  const { status, body } = await service.ask<SendingState>(`/v1/sending/${action}`, asked);
  expect([status, body.status]).toEqual([200, action === "halt" ? "halted" : "active"]);
}

async function killWorkerd(): Promise<void> {
  expect(await server.killWorkerd()).toBe(true);
  expect(await server.answers()).toBe(true);
}

/** Sends a message and waits until its mailbox knows whether sending is halted. */
async function sendAndWait(box: MailboxKey) {
  const { body } = await send(server.service, box, { to: TO }, { wait: 30 });
  return body;
}

it("keeps all mail of all mailboxes while sending is halted, through kills of workerd, and then sends each once", async () => {
  const boxes = await inParallel([...Array(BOXES).keys()], BOXES, () => server.service.createMailbox());
  await turn("halt");
  const held = await inParallel([...Array(SENDS).keys()], BOXES, async (number) => {
    const box = boxes[number % BOXES] as MailboxKey;
    return { box, sent: await sendAndWait(box) };
  });
  await killWorkerd();
  // The first call wakes each mailbox, whose alarm then rings at once; the second is answered after it has looked.
  for (const box of boxes) {
    for (let calls = 0; calls < 2; calls += 1) held.push({ box, sent: await sendAndWait(box) });
  }
  for (const { sent } of held) expect(sent).toMatchObject({ status: "queued", hint: HALTED_HINT });
  expect(relay.taken).toEqual([]);

  await turn("resume");
  await killWorkerd();
  for (const { box, sent } of held) {
    expect((await reading(server.service, box, sent.id, isTried)).status).toBe("sent");
    expect(copies(relay, sent.message_id)).toHaveLength(1);
  }
}, 120_000);

it("lets the hand-over that is under way end, and hands over nothing after it until sending is resumed", async () => {
  const box = await server.service.createMailbox();
  const met = Promise.withResolvers<void>();
  let release = (): void => {};
  relay.plan.on = {
    DATA: (talk) => {
      release = () => talk.take();
      met.resolve();
    },
  };
  const begun = await send(server.service, box, { to: TO });
  await met.promise;
  relay.plan.on = undefined;
  await turn("halt");
  release();
  const ended = await reading(server.service, box, begun.body.id, isTried);
  expect(ended.status).toBe("sent");
  const waiting = await sendAndWait(box);
  expect(waiting).toMatchObject({ status: "queued", hint: HALTED_HINT });
  expect(copies(relay, waiting.message_id)).toEqual([]);
  await turn("resume");
  await killWorkerd();
  expect((await reading(server.service, box, waiting.id, isTried)).status).toBe("sent");
  for (const { message_id } of [begun.body, waiting]) expect(copies(relay, message_id)).toHaveLength(1);
}, 120_000);
