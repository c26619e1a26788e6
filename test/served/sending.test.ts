import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import type { Stats } from "../../src/contract/mailbox.ts";
import { close, hang, reset, say, SmtpPeer } from "../transport/smtp-peer.ts";
import type { Act, Plan, Talk } from "../transport/smtp-peer.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { copies, isTried, reading, recipientsOf, returnPathOf, send, statuses } from "./outgoing.ts";
import { Server } from "./server.ts";

/** More messages than a mailbox hands over at the same time. */
const CROWD = 3;
/** Bytes of a message that takes a second or more to send. */
const LARGE_BYTES = 20_000_000;
/** Requests that must be answered during the transfer; one or two come before it starts. */
const TURNS = 10;

/** The `wait` of a send to a relay that hangs. */
const PATIENCE_SECONDS = 4;

let relay: SmtpPeer;
let server: Server;
let box: MailboxKey;

beforeAll(async () => {
  relay = await SmtpPeer.start();
  server = await Server.start({ env: { SMTP_URL: relay.url() } });
  box = await server.service.createMailbox();
}, 120_000);

afterEach(() => behave({}));

afterAll(async () => {
  await server.stop();
  relay.stop();
});

/** Sets the behaviour of the relay. */
function behave({ greeting, on, end, data }: Plan): void {
  Object.assign(relay.plan, { greeting, on, end, data });
}

/** Answers by recipient; all others are accepted. */
const toRecipients =
  (replies: Readonly<Record<string, string>>): Act =>
  (talk, line) => {
    const named = Object.keys(replies).find((name) => line.includes(`<${name}@`));
    talk.write(`${named === undefined ? "250 2.1.5 fine" : replies[named]}\r\n`);
  };

async function kinds({ api_key }: MailboxKey, id: string): Promise<string[]> {
  const { events } = await server.service.get<ChangePage>("/v1/changes?limit=100", api_key);
  return events.filter(({ data }) => data.email_id === id).map(({ event }) => event);
}

/** Sends another message from the same mailbox; when it has been sent, all earlier ones have been tried. */
async function sendOneMore(): Promise<void> {
  const more = await send(server.service, box, { to: "more@elsewhere.example" }, { wait: 30 });
  expect(more.body).toMatchObject({ status: "sent" });
}

describe("a relay that answers", () => {
  it("gets the message for the recipients it accepts, and only the refused one bounces", async () => {
    behave({ on: { RCPT: toRecipients({ nobody: "550 5.1.1 no such user" }) } });
    const to = ["ann", "nobody", "ben"].map((name) => `${name}@elsewhere.example`);
    const { body, status } = await send(server.service, box, { to }, { wait: 30 });
    expect([status, body.delivery_status]).toEqual([200, "bounced"]);

    const email = await server.service.email(box.api_key, body.id);
    expect(statuses(email)).toEqual({ ann: "sent", nobody: "bounced", ben: "sent" });
    expect(email.delivery[1]).toMatchObject({ diagnostic: "550 5.1.1 no such user", next_attempt_at: null });
    expect(copies(relay, body.message_id).map(recipientsOf)).toEqual([[to[0]], [to[2]]]);
    expect((await kinds(box, body.id)).toSorted()).toEqual(["message.bounced", "message.sent"]);

    const again = await send(server.service, box, { to: to[1] });
    expect([again.status, again.body]).toEqual([
      400,
      expect.objectContaining({ error: `Recipient is suppressed: ${to[1]} (bounce)` }),
    ]);
  });

  it("that refuses this server causes no suppression: the send is retried, and the error shown until one succeeds", async () => {
    const refusals = {
      relay: "554 5.7.1 <relay@elsewhere.example>: Relay access denied",
      listed: "550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
      login: "530 5.7.0 Authentication required",
      full: "552 5.2.2 mailbox full",
    };
    behave({ on: { RCPT: toRecipients(refusals) } });
    const to = Object.keys(refusals).map((name) => `${name}@elsewhere.example`);
    const { body } = await send(server.service, box, { to }, { wait: 30 });
    const email = await server.service.email(box.api_key, body.id);
    expect(statuses(email)).toEqual({ relay: "queued", listed: "queued", login: "queued", full: "bounced" });
    expect(email.delivery[2]?.next_attempt_at).not.toBeNull();
    const { suppressions } = await server.service.get<{ suppressions: { address: string }[] }>(
      "/v1/suppressions",
      box.api_key,
    );
    expect(to.filter((one) => suppressions.some(({ address }) => address === one))).toEqual([]);
    const stats = () => server.service.get<Stats>("/v1/stats", box.api_key);
    expect((await stats()).sending_obstacle?.reply).toMatch(/^530 .*SMTP_URL/);
    behave({});
    await sendOneMore();
    expect((await stats()).sending_obstacle).toBeNull();
  });

  it("can defer one recipient, who is queued with the time of the next try", async () => {
    behave({ on: { RCPT: toRecipients({ later: "450 4.2.1 come back" }) } });
    const to = ["now@elsewhere.example", "later@elsewhere.example"];
    const { body } = await send(server.service, box, { to }, { wait: 30 });
    expect(body.status).toBe("queued");
    const { delivery } = await server.service.email(box.api_key, body.id);
    expect(delivery.map(({ status, diagnostic }) => [status, diagnostic])).toEqual([
      ["sent", "250 2.0.0 taken as 4711"],
      ["queued", "450 4.2.1 come back"],
    ]);
    const [, later] = delivery;
    expect(Date.parse(later?.next_attempt_at ?? "") - Date.parse(later?.at ?? "")).toBe(60_000);
  });

  it("can defer the whole message", async () => {
    behave({ end: say("451 4.3.0 not now") });
    const { body } = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
    const { delivery } = await server.service.email(box.api_key, body.id);
    expect(delivery).toMatchObject([
      { status: "queued", diagnostic: "451 4.3.0 not now", next_attempt_at: expect.any(String) as string },
    ]);
  });

  it("gets what the sender wrote, without Bcc", async () => {
    const { body } = await send(
      server.service,
      box,
      { to: "to@elsewhere.example", bcc: "hidden@elsewhere.example", subject: "Zażółć", text: ".\r\n..x" },
      { wait: 30 },
    );
    const taken = copies(relay, body.message_id);
    expect(taken.map(recipientsOf)).toEqual([["to@elsewhere.example"], ["hidden@elsewhere.example"]]);
    // The API's raw message equals what the relay got.
    const raw = await server.service.raw(box.api_key, body.id);
    for (const { bytes } of taken)
      expect([bytes.includes("hidden"), raw.equals(bytes)]).toEqual([false, true]);
  });

  it("gets each recipient with its own return path, on one connection", async () => {
    const to = Array.from({ length: 20 }, (_, number) => `r${number}@elsewhere.example`);
    const before = relay.connections;
    const { body } = await send(server.service, box, { to }, { wait: 30 });
    expect(body.status).toBe("sent");
    const taken = copies(relay, body.message_id);
    expect(taken.map(recipientsOf)).toEqual(to.map((one) => [one]));
    const paths = taken.map(returnPathOf);
    const [local = "", domain = ""] = box.mailbox.split("@");
    for (const path of paths) expect(path).toMatch(new RegExp(`^${local}\\+b\\.[a-z2-7]{20}@${domain}$`));
    expect(new Set(paths).size).toBe(to.length);
    for (const { bytes } of taken) expect(bytes.includes("+b.")).toBe(false);
    expect(relay.connections - before).toBeLessThanOrEqual(1);
  });

  it("gets a large message to many recipients once, with a return path that belongs to none of them", async () => {
    const { body: file } = await server.service.ask<{ id: string }>("/v1/attachments?filename=large.bin", {
      key: box.api_key,
      body: Buffer.alloc(LARGE_BYTES, "large"),
      headers: { "Content-Type": "application/octet-stream" },
    });
    const to = ["ann", "ben"].map((name) => `${name}@elsewhere.example`);
    const attachments = [{ attachment_id: file.id }];
    const { body } = await send(server.service, box, { to, attachments }, { wait: 30 });
    expect((await reading(server.service, box, body.id, isTried)).status).toBe("sent");
    const taken = copies(relay, body.message_id);
    expect(taken.map(recipientsOf)).toEqual([to]);
    const report = [
      "From: mailer-daemon@elsewhere.example",
      "Subject: Undelivered",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      "",
      "--b",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; elsewhere.example",
      "",
      `Final-Recipient: rfc822; ${to[1]}`,
      "Action: failed",
      "Status: 5.1.1",
      "",
      "--b--",
    ];
    const path = returnPathOf(taken[0]);
    expect((await server.service.handOver(path, Buffer.from(report.join("\r\n")), "")).status).toBe(202);
    const email = await server.service.email(box.api_key, body.id);
    expect(statuses(email)).toEqual({ ann: "sent", ben: "sent" });
    expect((await server.service.inbox(box.api_key))[0]).toMatchObject({ subject: "Undelivered" });
  });
});

describe("a relay that drops the connection", () => {
  const drops: [string, Act][] = [
    ["with FIN", close],
    ["with RST", reset],
  ];

  it.each(drops)("after the final dot, %s: unknown, and never sent again by itself", async (_, drop) => {
    behave({ end: drop });
    const { body } = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
    expect(body.delivery_status).toBe("unknown");
    behave({});
    await sendOneMore();
    // A new process reads the same state from disk.
    await server.killWorkerd();
    await server.answers();
    await sendOneMore();
    const email = await server.service.email(box.api_key, body.id);
    expect(email.delivery).toMatchObject([{ status: "unknown", next_attempt_at: null }]);
    expect(copies(relay, body.message_id)).toHaveLength(1);
    expect(await kinds(box, body.id)).toEqual([]);
  });

  const early: [string, Plan][] = [
    ["before it greets", { greeting: close }],
    ["after MAIL", { on: { MAIL: close } }],
    ["after RCPT", { on: { RCPT: reset } }],
    ["after DATA", { on: { DATA: close } }],
    ["in the middle of the message", { data: reset }],
  ];

  it.each(early)("%s: queued with a next try, and nothing was taken", async (_, plan) => {
    behave(plan);
    // A new mailbox, which has no open session with the relay.
    const box = await server.service.createMailbox();
    const { body } = await send(server.service, box, { to: "x@elsewhere.example" }, { wait: 30 });
    expect(body.status).toBe("queued");
    const email = await server.service.email(box.api_key, body.id);
    expect(email.delivery).toMatchObject([
      { diagnostic: expect.any(String) as string, next_attempt_at: expect.any(String) as string },
    ]);
    expect(copies(relay, body.message_id)).toEqual([]);
  });
});

describe("mail to another mailbox of the deployment", () => {
  it("is delivered as real mail, and the relay gets nothing", async () => {
    const other = await server.service.createMailbox();
    const heard = relay.commands.length;
    const { body } = await send(server.service, box, { to: other.mailbox, subject: "Inside" }, { wait: 30 });
    expect(body.delivery_status).toBe("delivered");
    expect(relay.commands.slice(heard)).toEqual([]);
    const [arrived] = await server.service.inbox(other.api_key);
    expect(arrived).toMatchObject({ subject: "Inside", from_address: box.mailbox, status: "received" });
    expect(await kinds(box, body.id)).toEqual(["message.sent", "message.delivered"]);
    const [sent, received] = [
      await server.service.raw(box.api_key, body.id),
      await server.service.raw(other.api_key, arrived?.id ?? ""),
    ];
    expect(received.equals(sent)).toBe(true);
  });

  it("is delivered while other recipients get theirs through the relay", async () => {
    const other = await server.service.createMailbox();
    const to = [other.mailbox, "outside@elsewhere.example"];
    const { body } = await send(server.service, box, { to }, { wait: 30 });
    expect(body.status).toBe("sent");
    const email = await server.service.email(box.api_key, body.id);
    expect(email.delivery.map(({ status }) => status)).toEqual(["delivered", "sent"]);
    expect(copies(relay, body.message_id).map(recipientsOf)).toEqual([[to[1]]]);
  });
});

describe("a relay that reads a large message as fast as it comes", () => {
  it("does not delay other calls", async () => {
    const { body: file } = await server.service.ask<{ id: string }>("/v1/attachments?filename=large.bin", {
      key: box.api_key,
      body: Buffer.alloc(LARGE_BYTES, "large"),
      headers: { "Content-Type": "application/octet-stream" },
    });
    const begun = Promise.withResolvers<void>();
    let isUnderWay = true;
    behave({
      on: {
        DATA: (talk) => {
          begun.resolve();
          talk.take();
        },
      },
      end: (talk, line) => {
        isUnderWay = false;
        say("250 2.0.0 taken")(talk, line);
      },
    });
    const attachments = [{ attachment_id: file.id }];
    const { body } = await send(server.service, box, { to: "x@elsewhere.example", attachments });
    await begun.promise;
    let turns = 0;
    while (isUnderWay) {
      await server.service.inbox(box.api_key);
      turns += 1;
    }
    expect(turns).toBeGreaterThan(TURNS);
    const email = await reading(server.service, box, body.id, isTried);
    expect(email.delivery).toMatchObject([{ status: "sent" }]);
  });
});

describe("a relay that hangs", () => {
  it("delays neither received mail, nor answers, nor mail inside the deployment, nor another mailbox", async () => {
    const hanging = Promise.withResolvers<void>();
    let held = 0;
    behave({
      on: {
        DATA: (talk, line) => {
          hang(talk, line);
          held += 1;
          if (held === 2) hanging.resolve();
        },
      },
    });
    const mine = await server.service.createMailbox();
    const stuck = await inParallel([...Array(CROWD).keys()], CROWD, (number) =>
      send(server.service, mine, { to: `x${number}@elsewhere.example` }),
    );
    await hanging.promise;
    const code = server.service.code(mine.api_key, { timeout: 30 });
    expect(
      (await server.service.handOver(mine.mailbox, message({ subject: "Your code is 482913" }))).status,
    ).toBe(202);
    expect(await code).toMatchObject({ code: "482913" });
    expect((await server.service.inbox(mine.api_key)).length).toBe(CROWD + 1);
    // Recipients inside the deployment do not wait for the relay, even if the message also has others.
    const mixed = { to: [box.mailbox, "z@elsewhere.example"] };
    const inside = await send(server.service, mine, { to: box.mailbox }, { wait: 30 });
    expect(inside.body.delivery_status).toBe("delivered");
    const { body: half } = await send(server.service, mine, mixed);
    const arrived = await reading(server.service, mine, half.id, ({ delivery: [first] }) => {
      return first?.status === "delivered";
    });
    expect(arrived).toMatchObject({ status: "queued", delivery: [{}, { status: "queued" }] });
    const accepted = await send(server.service, mine, { to: "y@elsewhere.example" });
    expect([accepted.status, accepted.body.status]).toEqual([200, "queued"]);
    behave({});
    await sendOneMore();
    // All of this happened while the relay did not answer the first two messages.
    const emails = await inParallel(stuck, CROWD, ({ body }) => server.service.email(mine.api_key, body.id));
    expect(emails.filter((email) => !isTried(email)).length).toBeGreaterThan(0);
  });

  it("does not hold a waiting send beyond its time: it answers queued, and other calls are answered meanwhile", async () => {
    const held = Promise.withResolvers<Talk>();
    behave({ end: (talk) => held.resolve(talk) });
    const mine = await server.service.createMailbox();
    let isOver = false;
    const waiting = send(server.service, mine, { to: "x@elsewhere.example" }, { wait: PATIENCE_SECONDS });
    void waiting.finally(() => (isOver = true));
    const talk = await held.promise;
    expect(await server.service.inbox(mine.api_key)).toMatchObject([{ status: "queued" }]);
    expect((await server.service.handOver(mine.mailbox, message())).status).toBe(202);
    expect(isOver).toBe(false);

    const { status, body } = await waiting;
    expect([status, body.status]).toEqual([200, "queued"]);
    const { delivery } = await server.service.email(mine.api_key, body.id);
    expect(delivery).toMatchObject([{ status: "queued", diagnostic: null }]);
    // The send was answered during the try, but the relay's reply still counts.
    talk.write("250 2.0.0 taken at last\r\n");
    const email = await reading(server.service, mine, body.id, isTried);
    expect(email.delivery).toMatchObject([{ status: "sent", diagnostic: "250 2.0.0 taken at last" }]);
  });
});
