import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { hang, say, SmtpPeer } from "../transport/smtp-peer.ts";
import type { Act, Plan } from "../transport/smtp-peer.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey, Told } from "./client.ts";
import { copies, isTried, messageIdOf, reading, recipientsOf, send } from "./outgoing.ts";
import { endOrphan, removeDataDir, Server } from "./server.ts";

const BOXES = 3;
const SENDS = 60;
const CLIENTS = 6;
/** Messages that a mailbox hands over at the same time. */
const AT_ONCE = 2;
/** Kills of workerd that a server survives within a minute; it gives up at the sixth. */
const KILLS = 5;
/** How long the relay takes before each answer, and after the end of a message, in ms: long enough that kills happen then. */
const ANSWER_MS = 3;
const WORK_MS = 25;
/** How long a client waits before it repeats a request, in ms. */
const RETRY_MS = 50;
/** More bytes than socket buffers hold, so that the message stays under way while the relay does not read. */
const LARGE_BYTES = 20_000_000;

let relay: SmtpPeer;
let server: Server;

// A server for each test, because it counts how often workerd died.
beforeEach(async () => {
  relay = await SmtpPeer.start();
  server = await Server.start({ env: { SMTP_URL: relay.url() } });
}, 120_000);

afterEach(async () => {
  await server.stop();
  relay.stop();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const later =
  (text: string, ms: number): Act =>
  (talk) =>
    void setTimeout(() => talk.write(`${text}\r\n`), ms);

/** Repeats a send under one Idempotency-Key until it is answered, as a client does that lost the answer. */
async function sendSurely(
  box: MailboxKey,
  number: number,
  wait: number,
): Promise<{ sent: Sent; retries: number }> {
  const to = Array.from({ length: 1 + (number % 3) }, (_, one) => `r${number}-${one}@elsewhere.example`);
  for (let retries = 0; ; retries += 1) {
    const answer: Told<Sent> | null = await send(
      server.service,
      box,
      { to, text: `Message ${number}\n`.repeat(1 + number * 20) },
      { key: `send-${number}`, wait },
    ).catch(() => null);
    if (answer?.status === 200) return { sent: answer.body, retries };
    // Only a server that does not run may fail to answer.
    if (answer !== null && answer.status < 500) throw new Error(JSON.stringify(answer.body));
    await pause(RETRY_MS);
  }
}

/** Makes the relay delay its answer to the final dot of the next `count` messages; resolves when it has received them. */
async function heldAtTheEnd(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { end } = relay.plan;
  let held = 0;
  relay.plan.end = () => {
    held += 1;
    if (held === count) resolve();
  };
  await promise;
  relay.plan.end = end;
}

/** Kills workerd each time the relay has accepted some more messages, at a random point of a transaction. */
async function killAgainAndAgain(kills: number): Promise<void> {
  const before = relay.taken.length;
  for (let kill = 1; kill <= kills; kill += 1) {
    while (relay.taken.length - before < (kill * (SENDS - before)) / (kills + 2)) await pause(1);
    await pause(Math.random() * WORK_MS);
    expect([kill, await server.killWorkerd()]).toEqual([kill, true]);
  }
}

it("loses no message and sends none twice when workerd is killed during sixty", async () => {
  Object.assign(relay.plan, {
    on: { MAIL: later("250 2.1.0 fine", ANSWER_MS) },
    end: later("250 2.0.0 taken", WORK_MS),
  });
  const boxes = await inParallel([...Array(BOXES).keys()], BOXES, () => server.service.createMailbox());
  const boxOf = (number: number): MailboxKey => boxes[number % BOXES] as MailboxKey;
  const sending = inParallel([...Array(SENDS).keys()], CLIENTS, (number) =>
    sendSurely(boxOf(number), number, number % 2),
  );
  // The first kill certainly interrupts hand-overs after their final dot; the others happen at random points.
  await heldAtTheEnd(BOXES * AT_ONCE);
  const behind = sendSurely(boxOf(SENDS), SENDS, 30);
  expect(await server.killWorkerd()).toBe(true);
  await killAgainAndAgain(KILLS - 1);
  const answers = [...(await sending), await behind];
  expect(await server.answers()).toBe(true);
  expect(answers.at(-1)?.retries).toBeGreaterThan(0);
  expect(new Set(answers.map(({ sent }) => sent.id)).size).toBe(SENDS + 1);

  const emails = await inParallel(answers, CLIENTS, ({ sent }, number) =>
    reading(server.service, boxOf(number), sent.id, isTried),
  );
  const unknown = emails.filter(({ status }) => status === "unknown");
  expect(unknown.length).toBeGreaterThanOrEqual(BOXES * AT_ONCE);
  for (const [number, email] of emails.entries()) expectOnce(number, email);

  for (const [index, box] of boxes.entries()) {
    const { body } = await server.service.ask<{ outbound: number; sends_today: number }>("/v1/stats", {
      key: box.api_key,
    });
    const mine = emails.filter((_, number) => number % BOXES === index).length;
    expect(body).toMatchObject({ outbound: mine, sends_today: mine });
  }
});

/** Expects that the relay got a message once for each recipient; at most once for one whose state is `unknown`. */
function expectOnce(number: number, { message_id, delivery }: Email): void {
  const taken = copies(relay, message_id ?? "").map(recipientsOf);
  expect(taken.filter((recipients) => recipients.length !== 1)).toEqual([]);
  const rightly: unknown[] = [
    ["sent", 1],
    ["unknown", 0],
    ["unknown", 1],
  ].map((one) => [number, ...one]);
  for (const { recipient, status } of delivery) {
    const count = taken.flat().filter((one) => one === recipient).length;
    expect(rightly).toContainEqual([number, status, count]);
  }
}

/** Sends `count` messages, and resolves when the relay has stopped in all of them and answers none. */
async function meet(box: MailboxKey, where: "DATA" | "end", count = 1): Promise<Sent[]> {
  const met = Promise.withResolvers<void>();
  let held = 0;
  const act: Act = (talk, line) => {
    hang(talk, line);
    held += 1;
    if (held === count) met.resolve();
  };
  Object.assign(relay.plan, where === "end" ? { end: act } : { on: { [where]: act } });
  const sent = await inParallel([...Array(count).keys()], count, () =>
    send(server.service, box, { to: "x@elsewhere.example" }),
  );
  await met.promise;
  Object.assign(relay.plan, { on: undefined, end: undefined });
  return sent.map(({ body }) => body);
}

it("marks messages killed after their final dot as unknown and does not repeat them; sends waiting ones once", async () => {
  const box = await server.service.createMailbox();
  const held = await meet(box, "end", AT_ONCE);
  const waiting = await send(server.service, box, { to: "x@elsewhere.example" });
  await server.killWorkerd();
  await server.answers();
  for (const sent of held) {
    const email = await reading(server.service, box, sent.id, ({ status }) => status !== "queued");
    expect(email.delivery).toMatchObject([{ status: "unknown", next_attempt_at: null }]);
  }
  expect((await reading(server.service, box, waiting.body.id, isTried)).status).toBe("sent");
  // When another message has been sent, none of these is still under way.
  const more = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
  expect(more.body.status).toBe("sent");
  for (const sent of [...held, waiting.body]) expect(copies(relay, sent.message_id)).toHaveLength(1);
});

it("sends messages again, by the alarm alone, that were under way before their end", async () => {
  const box = await server.service.createMailbox();
  const held = await meet(box, "DATA", AT_ONCE);
  await server.killWorkerd();
  // No request wakes the mailbox meanwhile.
  while (held.some(({ message_id }) => copies(relay, message_id).length === 0)) await pause(20);
  for (const { id, message_id } of held) {
    expect((await reading(server.service, box, id, isTried)).status).toBe("sent");
    expect(copies(relay, message_id)).toHaveLength(1);
  }
});

it.each([
  ["DATA", "sent"],
  ["end", "unknown"],
] as const)(
  "sends to the first two of five before a kill at the %s of the third, and to the others after it",
  async (where, third) => {
    const box = await server.service.createMailbox();
    const to = [1, 2, 3, 4, 5].map((number) => `r${number}@elsewhere.example`);
    const met = Promise.withResolvers<void>();
    let heard = 0;
    const act: Act = (talk, line) => {
      heard += 1;
      if (heard < 3) return where === "end" ? say("250 2.0.0 taken")(talk, line) : talk.take();
      hang(talk, line);
      met.resolve();
    };
    Object.assign(relay.plan, where === "end" ? { end: act } : { on: { [where]: act } });
    const { body } = await send(server.service, box, { to });
    await met.promise;
    Object.assign(relay.plan, { on: undefined, end: undefined });
    await server.killWorkerd();
    await server.answers();
    const isOver = ({ delivery }: Email) => delivery.every(({ status }) => status !== "queued");
    const email = await reading(server.service, box, body.id, isOver);
    expect(email.delivery.map(({ status }) => status)).toEqual(["sent", "sent", third, "sent", "sent"]);
    // Recipients in state `unknown` did get the message: the relay received its end, but its answer was lost.
    expect(copies(relay, body.message_id).flatMap(recipientsOf).toSorted()).toEqual(to);
  },
);

/** The phases of a transaction in which the relay stops. */
const PHASES: Readonly<Record<string, (stop: Act) => Plan>> = {
  greeting: (stop) => ({ greeting: stop }),
  EHLO: (stop) => ({ on: { EHLO: stop } }),
  MAIL: (stop) => ({ on: { MAIL: stop } }),
  RCPT: (stop) => ({ on: { RCPT: stop } }),
  DATA: (stop) => ({ on: { DATA: stop } }),
  "the message": (stop) => ({ data: stop }),
  "the final dot": (stop) => ({ end: stop }),
};

/** Sends from a new mailbox, and resolves when the relay has stopped in that phase. */
async function stoppedIn(phase: string): Promise<{ phase: string; box: MailboxKey; sent: Sent }> {
  const met = Promise.withResolvers<void>();
  const stop: Act = (talk) => {
    talk.plain.pause();
    met.resolve();
  };
  const box = await server.service.createMailbox();
  const { body: file } = await server.service.ask<{ id: string }>("/v1/attachments?filename=large.bin", {
    key: box.api_key,
    body: Buffer.alloc(phase === "the message" ? LARGE_BYTES : 1, "large"),
    headers: { "Content-Type": "application/octet-stream" },
  });
  Object.assign(relay.plan, PHASES[phase]?.(stop));
  const { body: sent } = await send(server.service, box, {
    to: "x@elsewhere.example",
    attachments: [{ attachment_id: file.id }],
  });
  await met.promise;
  Object.assign(relay.plan, { greeting: undefined, on: undefined, data: undefined, end: undefined });
  return { phase, box, sent };
}

it("sends again exactly what the relay cannot have accepted, after the server was killed in any phase", async () => {
  const { dataDir } = server;
  onTestFinished(() => removeDataDir(dataDir));
  const patient = await server.service.createMailbox();
  relay.plan.end = say("451 4.3.0 not now");
  const deferred = await send(server.service, patient, { to: "x@elsewhere.example" }, { wait: 30 });
  expect(deferred.body.status).toBe("queued");
  relay.plan.end = undefined;
  relay.taken = [];

  const stopped = [];
  for (const phase of Object.keys(PHASES)) stopped.push(await stoppedIn(phase));
  endOrphan(await server.abandon());
  const ended = copies(relay, stopped.at(-1)?.sent.message_id ?? "");
  expect(relay.taken).toEqual(ended);
  server = await Server.start({ dataDir, env: { SMTP_URL: relay.url() } });

  // No request wakes the mailboxes until all repeats have come, also the deferred one a minute later.
  const expected = [deferred.body, ...stopped.map(({ sent }) => sent)].map(({ message_id }) => message_id);
  while (expected.some((id) => copies(relay, id).length === 0)) await pause(20);
  for (const { phase, box, sent } of stopped) {
    const email = await reading(server.service, box, sent.id, ({ status }) => status !== "queued");
    const status = phase === "the final dot" ? "unknown" : "sent";
    expect([phase, email.delivery]).toMatchObject([phase, [{ status, next_attempt_at: null }]]);
  }
  const { status } = await reading(
    server.service,
    patient,
    deferred.body.id,
    (email) => email.status !== "queued",
  );
  expect(status).toBe("sent");
  expect(relay.taken.map(({ bytes }) => messageIdOf(bytes)).toSorted()).toEqual(expected.toSorted());
}, 240_000);
