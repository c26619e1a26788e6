import { afterEach, beforeEach, expect, it } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { hang, SmtpPeer } from "../transport/smtp-peer.ts";
import type { Act } from "../transport/smtp-peer.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey, Told } from "./client.ts";
import { copies, isTried, reading, recipientsOf, send } from "./outgoing.ts";
import { Server } from "./server.ts";

const BOXES = 3;
const SENDS = 60;
const CLIENTS = 6;
/** Messages that a mailbox hands over at once. */
const AT_ONCE = 2;
/** A server gives up at the sixth within a minute (wire contract, part 5). */
const KILLS = 5;
/** How long the relay takes before each answer, and after the end of a message: long enough to be met in the middle of it. */
const ANSWER_MS = 3;
const WORK_MS = 25;
/** How long a client waits before it asks again. */
const RETRY_MS = 50;

let relay: SmtpPeer;
let server: Server;

// One for each test: a server counts its deaths.
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

/** Sends under a key, again and again, until it is answered: as a client does that lost the answer. */
async function sendSurely(box: MailboxKey, number: number): Promise<{ sent: Sent; retries: number }> {
  const to = Array.from({ length: 1 + (number % 3) }, (_, one) => `r${number}-${one}@elsewhere.example`);
  for (let retries = 0; ; retries += 1) {
    const answer: Told<Sent> | null = await send(
      server.service,
      box,
      { to, text: `Message ${number}\n`.repeat(1 + number * 20) },
      { key: `send-${number}`, wait: number % 2 },
    ).catch(() => null);
    if (answer?.status === 200) return { sent: answer.body, retries };
    // Only a service that is not there may leave it unanswered.
    if (answer !== null && answer.status < 500) throw new Error(JSON.stringify(answer.body));
    await pause(RETRY_MS);
  }
}

/** Kills workerd whenever the relay has heard of so many messages more, somewhere within what it does with one. */
async function killAgainAndAgain(): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    while (relay.taken.length < (kill * SENDS) / (KILLS + 2)) await pause(1);
    await pause(Math.random() * WORK_MS);
    expect([kill, await server.killWorkerd()]).toEqual([kill, true]);
  }
}

it("loses nothing and sends nothing twice when workerd is killed in the middle of sixty", async () => {
  Object.assign(relay.plan, {
    on: { MAIL: later("250 2.1.0 fine", ANSWER_MS) },
    end: later("250 2.0.0 taken", WORK_MS),
  });
  const boxes = await inParallel([...Array(BOXES).keys()], BOXES, () => server.service.createMailbox());
  const boxOf = (number: number): MailboxKey => boxes[number % BOXES] as MailboxKey;
  const killing = killAgainAndAgain();
  const answers = await inParallel([...Array(SENDS).keys()], CLIENTS, (number) =>
    sendSurely(boxOf(number), number),
  );
  await killing;
  expect(await server.answers()).toBe(true);
  // Otherwise no kill met a request, and nothing was shown.
  expect(answers.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0);
  expect(new Set(answers.map(({ sent }) => sent.id)).size).toBe(SENDS);

  const emails = await inParallel(answers, CLIENTS, ({ sent }, number) =>
    reading(server.service, boxOf(number), sent.id, isTried),
  );
  const unknown = emails.filter(({ status }) => status === "unknown");
  // Otherwise no kill met a hand-over in its last moment.
  expect(unknown.length).toBeGreaterThan(0);
  for (const [number, email] of emails.entries()) expectOnce(number, email);

  for (const [index, box] of boxes.entries()) {
    const { body } = await server.service.ask<{ outbound: number; sends_today: number }>("/v1/stats", {
      key: box.api_key,
    });
    const mine = emails.filter((_, number) => number % BOXES === index).length;
    expect(body).toMatchObject({ outbound: mine, sends_today: mine });
  }
});

/** The relay has a message once, for everybody it is for; one that is `unknown` once at most. */
function expectOnce(number: number, { message_id, status, delivery }: Email): void {
  const taken = copies(relay, message_id ?? "");
  const rightly: unknown[] = [
    ["sent", 1],
    ["unknown", 0],
    ["unknown", 1],
  ].map((one) => [number, ...one]);
  expect(rightly).toContainEqual([number, status, taken.length]);
  expect(new Set(delivery.map((one) => one.status))).toEqual(new Set([status]));
  for (const copy of taken) expect(recipientsOf(copy)).toEqual(delivery.map(({ recipient }) => recipient));
}

/** Sends so many messages, and resolves when the relay holds all of them in its hands, and answers none. */
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

it("calls unknown, and leaves alone, what was under way after its final dot; sends once what waited behind", async () => {
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
  // Nothing of the above is still under way when one more is through.
  const more = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
  expect(more.body.status).toBe("sent");
  for (const sent of [...held, waiting.body]) expect(copies(relay, sent.message_id)).toHaveLength(1);
});

it("sends again, by the alarm alone, what was under way before its end", async () => {
  const box = await server.service.createMailbox();
  const held = await meet(box, "DATA", AT_ONCE);
  await server.killWorkerd();
  // Nobody asks for anything meanwhile.
  while (held.some(({ message_id }) => copies(relay, message_id).length === 0)) await pause(20);
  for (const { id, message_id } of held) {
    expect((await reading(server.service, box, id, isTried)).status).toBe("sent");
    expect(copies(relay, message_id)).toHaveLength(1);
  }
});
