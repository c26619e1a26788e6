import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import type { Email, EmailPage, ThreadPage } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { receiveSendingEvents } from "../../src/service/sending-events.ts";
import { mintToken, returnPathWith } from "../../src/mail/address/return-path.ts";
import {
  actorOf,
  advance,
  api,
  ask,
  createMailbox,
  deliver,
  message,
  resetClock,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

const ANN = "ann@example.net";
const BOB = "bob@example.net";

/** A message that was sent, and the return path of each recipient. */
async function sentMessage(to: string[] = [ANN, BOB], bcc: string[] = []) {
  const box = await createMailbox();
  const { body } = await ask<Sent>("/v1/send?wait=10", {
    key: box.api_key,
    json: { to, bcc, subject: "Hello", text: "Hello." },
  });
  const rows = await rowsOf<{ address: string; token: string }>(
    box.mailbox,
    "SELECT address, token FROM recipient",
  );
  const pathOf = (address: string): string => {
    const token = rows.find((row) => row.address === address)?.token ?? "";
    return returnPathWith(box.mailbox, token) ?? "";
  };
  return { box, id: body.id, messageId: body.message_id, pathOf, returnPath: pathOf(to[0] ?? "") };
}

/** A delivery status notification (RFC 3464). */
function notification(...recipients: { address: string; action: string; status: string; said?: string }[]) {
  const groups = recipients.map(({ address, action, status, said = "550 5.1.1 no such user" }) =>
    [
      `Final-Recipient: rfc822; ${address}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${said}`,
      "",
    ].join("\n"),
  );
  return message(
    [
      "From: Mail Delivery System <mailer-daemon@mx.example.net>",
      "Subject: Delivery report",
      `Message-ID: <r${Math.random()}@mx.example.net>`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    ],
    `--b\nContent-Type: text/plain\n\nYour code is 482913.\n--b\nContent-Type: message/delivery-status\n\n` +
      `Reporting-MTA: dns; mx.example.net\n\n${groups.join("\n")}\n--b--`,
  );
}

/** A complaint (RFC 5965). */
function complaint(feedbackType: string, recipient: string | null) {
  const named = recipient === null ? "" : `Original-Rcpt-To: <${recipient}>\n`;
  return message(
    [
      "From: feedback@mx.example.net",
      "Subject: complaint",
      `Message-ID: <c${Math.random()}@mx.example.net>`,
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    ],
    `--b\nContent-Type: text/plain\n\nSpam.\n--b\nContent-Type: message/feedback-report\n\n` +
      `Feedback-Type: ${feedbackType}\nUser-Agent: Test/1\nVersion: 1\n${named}\n--b--`,
  );
}

const suppressionsOf = async (box: TestMailbox) =>
  (await ask<{ suppressions: object[] }>("/v1/suppressions", { key: box.api_key })).body.suppressions;
const statesOf = async (box: TestMailbox, id: string) => {
  const { body } = await ask<Email>(`/v1/emails/${id}`, { key: box.api_key });
  return [body.status, ...body.delivery.map(({ status }) => status)];
};
const kindsOf = async (box: TestMailbox) =>
  (await ask<ChangePage>("/v1/changes", { key: box.api_key })).body.events.map(({ event }) => event);
const listed = async (box: TestMailbox, query: string) =>
  (await ask<EmailPage>(`/v1/inbox?direction=inbound&${query}`, { key: box.api_key })).body.emails;

describe("a report to the return path of a recipient", () => {
  it("changes the state of that recipient and of no other", async () => {
    const { box, id, pathOf } = await sentMessage();
    await deliver(pathOf(ANN), notification({ address: ANN, action: "failed", status: "5.1.1" }), "");
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced", "sent"]);
    await deliver(pathOf(BOB), notification({ address: BOB, action: "delivered", status: "2.0.0" }), "");
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced", "delivered"]);
    expect(await kindsOf(box)).toEqual(["message.bounced", "message.delivered"]);
    const { body } = await ask<{ events: { data: object }[] }>("/v1/changes", { key: box.api_key });
    expect(body.events[0]?.data).toMatchObject({ event: "message.bounced", email_id: id, from: box.mailbox });
  });

  it("does not change other recipients that it names; a delay is not final", async () => {
    const { box, id, pathOf } = await sentMessage();
    const both = () =>
      notification(
        { address: ANN.toUpperCase(), action: "delayed", status: "4.4.1" },
        { address: BOB, action: "failed", status: "5.2.2", said: "552 5.2.2 mailbox full" },
      );
    await deliver(pathOf(ANN), both(), "");
    expect(await statesOf(box, id)).toEqual(["sent", "sent", "sent"]);
    await deliver(pathOf(BOB), both(), "");
    expect(await statesOf(box, id)).toEqual(["bounced", "sent", "bounced"]);
    expect(await listed(box, "")).toEqual([]);
    // A full mailbox is a temporary reason, so the address is not suppressed.
    expect(await suppressionsOf(box)).toEqual([]);
  });

  it("suppresses an address that does not exist, and one that complained", async () => {
    const { box, id, pathOf } = await sentMessage();
    await deliver(pathOf(ANN), notification({ address: ANN, action: "failed", status: "5.1.1" }), "");
    await deliver(pathOf(BOB), complaint("abuse", BOB));
    expect(await statesOf(box, id)).toEqual(["complained", "bounced", "complained"]);
    expect(await suppressionsOf(box)).toMatchObject([
      { address: ANN, reason: "bounce" },
      { address: BOB, reason: "complaint" },
    ]);
    const again = await ask("/v1/send", { key: box.api_key, json: { to: BOB, subject: "x", text: "x" } });
    expect(again.body.error).toBe(`Recipient is suppressed: ${BOB} (complaint)`);
  });

  it("applies whoever may write to the mailbox: its rules do not judge reports on its own mail", async () => {
    const { box, id, pathOf } = await sentMessage();
    const receive = { mode: "listed", block: [{ match: "mx.example.net" }] };
    await ask("/v1/mailbox/rules", { key: box.api_key, method: "PUT", json: { receive } });
    const report = () => notification({ address: ANN, action: "failed", status: "5.1.1" });
    expect((await deliver(pathOf(ANN), report(), "")).status).toBe(202);
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced", "sent"]);
    // A report that came to no return path is judged as any other mail.
    expect((await deliver(box.mailbox, report(), "")).status).toBe(422);
  });

  it("that hides its recipient applies to the one whose token it came to", async () => {
    const { box, id, pathOf } = await sentMessage();
    await deliver(pathOf(BOB), complaint("abuse", null));
    expect(await statesOf(box, id)).toEqual(["complained", "sent", "complained"]);
  });

  it("writes one event, however often and in whatever order it comes", async () => {
    const { box, id, returnPath } = await sentMessage([ANN]);
    const bounced = notification({ address: ANN, action: "failed", status: "5.1.1" });
    for (const each of [
      bounced,
      bounced,
      notification({ address: ANN, action: "delivered", status: "2.0.0" }),
    ]) {
      await deliver(returnPath, each, "");
    }
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced"]);
    expect(await kindsOf(box)).toEqual(["message.bounced"]);
  });

  it("is not in the inbox, threads and counters, yields no code, and is found by its label and by search", async () => {
    const { box, returnPath } = await sentMessage([ANN]);
    const { body } = await deliver(
      returnPath,
      notification({ address: ANN, action: "failed", status: "5.1.1" }),
      "",
    );
    expect(await listed(box, "")).toEqual([]);
    expect(await listed(box, "subject=delivery")).toEqual([]);
    expect((await listed(box, "label=report")).map(({ id }) => id)).toEqual([body.id]);
    const found = await ask<EmailPage>("/v1/search?q=delivery", { key: box.api_key });
    expect(found.body.emails.map(({ id }) => id)).toEqual([body.id]);
    const threads = await ask<ThreadPage>("/v1/threads", { key: box.api_key });
    expect(threads.body.threads.map(({ latest_email_id }) => latest_email_id)).not.toContain(body.id);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ inbound: 0, outbound: 1 });
    expect((await ask("/v1/code?timeout=1", { key: box.api_key })).body).toEqual({ code: null });
    expect((await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).status).toBe(200);
    await api(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ inbound: 0, outbound: 1 });
  });
});

describe("a forged report", () => {
  const failed = (address: string) => notification({ address, action: "failed", status: "5.1.1" });
  /** A token computed from the Message-ID, as earlier releases did. */
  const derived = (messageId: string) =>
    mintToken(Buffer.from(/^<([0-9a-f]{40})@/.exec(messageId)?.[1] ?? "", "hex"));

  it("by somebody who knows the Message-ID suppresses nobody", async () => {
    const { box, id, messageId } = await sentMessage([ANN]);
    const [row] = await rowsOf<{ return_path: string }>(box.mailbox, "SELECT return_path FROM outbox");
    const guessed = returnPathWith(box.mailbox, derived(messageId)) ?? "";
    expect(guessed).not.toBe(row?.return_path);
    for (const path of [guessed, row?.return_path ?? ""]) {
      await deliver(path, complaint("abuse", ANN));
      await deliver(path, failed(ANN), "");
    }
    expect(await statesOf(box, id)).toEqual(["sent", "sent"]);
    expect(await suppressionsOf(box)).toEqual([]);
    expect(await listed(box, "")).toHaveLength(4);
  });

  it("by a recipient of the same message changes no other recipient, Bcc included", async () => {
    const CAT = "cat@example.net";
    const { box, id, pathOf } = await sentMessage([ANN, BOB], [CAT]);
    const all = [ANN, BOB, CAT].map((address) => ({ address, action: "failed", status: "5.1.1" }));
    await deliver(pathOf(ANN), notification(...all), "");
    await deliver(pathOf(ANN), complaint("abuse", CAT));
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced", "sent", "sent"]);
    expect(await suppressionsOf(box)).toMatchObject([{ address: ANN }]);
  });

  it("cannot use a token from the message itself, nor one that two recipients share", async () => {
    const { box, id, messageId } = await sentMessage();
    const raw = await (await api(`/v1/emails/${id}/raw`, { key: box.api_key })).text();
    const rows = await rowsOf<{ token: string }>(box.mailbox, "SELECT token FROM recipient");
    const tokens = rows.map(({ token }) => token);
    expect(new Set([...tokens, derived(messageId)]).size).toBe(3);
    for (const token of tokens) expect(raw.toLowerCase()).not.toContain(token);
    expect(raw).not.toMatch(/^cfbl-/im);
    expect(raw).not.toContain("+b.");
  });

  it("that comes 30 days after the hand-over changes nothing", async () => {
    const { box, id, returnPath } = await sentMessage([ANN]);
    advance(30 * 86_400_000 - 60_000);
    await deliver(returnPath, notification({ address: ANN, action: "delivered", status: "2.0.0" }), "");
    expect(await statesOf(box, id)).toEqual(["delivered", "delivered"]);
    advance(60_000);
    await deliver(returnPath, failed(ANN), "");
    await deliver(returnPath, complaint("abuse", ANN));
    expect(await statesOf(box, id)).toEqual(["delivered", "delivered"]);
    expect(await suppressionsOf(box)).toEqual([]);
  });

  it.each([
    ["without a token", (box: TestMailbox) => box.mailbox],
    ["with a token nobody minted", (box: TestMailbox) => box.mailbox.replace("@", `+b.${"a".repeat(20)}@`)],
  ])("%s changes no state, and is stored like any other mail", async (_, to) => {
    const { box, id } = await sentMessage([ANN]);
    await deliver(to(box), failed(ANN), "");
    expect(await statesOf(box, id)).toEqual(["sent", "sent"]);
    expect(await listed(box, "")).toHaveLength(1);
    expect(await kindsOf(box)).toEqual(["message.received"]);
  });

  it("with the token of another message or mailbox does not change the recipient it names", async () => {
    const [one, other] = [await sentMessage([ANN]), await sentMessage([BOB])];
    await deliver(other.returnPath, failed(ANN), "");
    expect(await statesOf(one.box, one.id)).toEqual(["sent", "sent"]);
    expect(await statesOf(other.box, other.id)).toEqual(["sent", "sent"]);
    expect(await listed(other.box, "")).toHaveLength(1);
  });

  it("of another feedback type is not a complaint", async () => {
    const { box, id, returnPath } = await sentMessage([ANN]);
    for (const kind of ["not-spam", "opt-out", "auth-failure", "fraud"])
      await deliver(returnPath, complaint(kind, ANN));
    expect(await statesOf(box, id)).toEqual(["sent", "sent"]);
    expect(await listed(box, "")).toHaveLength(4);
  });

  it("that is an out-of-office answer is an ordinary email", async () => {
    const { box, id, returnPath } = await sentMessage([ANN]);
    const away = message(
      [
        `From: ${ANN}`,
        "Subject: Out of office",
        "Auto-Submitted: auto-replied",
        "Message-ID: <o@example.net>",
      ],
      "I am away. Delivery of your mail failed to interest me.",
    );
    await deliver(returnPath, away, "");
    expect(await statesOf(box, id)).toEqual(["sent", "sent"]);
    expect(await listed(box, "")).toHaveLength(1);
  });
});

describe("a message that an earlier release handed over with one token for all recipients", () => {
  const OLD_TOKEN = "b".repeat(20);
  const reported = (box: TestMailbox, words: string) =>
    deliver(
      returnPathWith(box.mailbox, OLD_TOKEN) ?? "",
      notification({ address: ANN, action: "failed", status: "5.1.1" }).replace(
        "Reporting-MTA: dns; mx.example.net",
        `Reporting-MTA: dns; mx.example.net\n${words}`,
      ),
      "",
    );

  /** A message as an earlier release stored it. */
  async function oldMessage() {
    const sent = await sentMessage();
    await runInDurableObject(actorOf(sent.box.mailbox), (_, { storage }) => {
      storage.sql.exec("UPDATE outbox SET token = ?", OLD_TOKEN);
      storage.sql.exec(
        "UPDATE recipient SET token = NULL, diagnostic = '250 2.0.0 Ok: queued as 4F2A6B7C8D'",
      );
    });
    return sent;
  }

  it("is not changed by a report that has the token alone", async () => {
    const { box, id } = await oldMessage();
    for (const words of ["", "X-Postfix-Queue-ID: 4F2A6B7C8E", "X-Note: queued as queued", "X-Queue-ID: "]) {
      await reported(box, words);
    }
    expect(await statesOf(box, id)).toEqual(["sent", "sent", "sent"]);
    expect(await suppressionsOf(box)).toEqual([]);
  });

  it("is changed by a report that also has the name which the receiving host gave the message", async () => {
    const { box, id } = await oldMessage();
    await reported(box, "X-Postfix-Queue-ID: 4F2A6B7C8D");
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced", "sent"]);
    expect(await suppressionsOf(box)).toMatchObject([{ address: ANN }]);
  });
});

describe("events of the platform's sending service", () => {
  const event = (kind: string, sender: string, more: Record<string, unknown> = {}) => ({
    type: `cf.email.sending.message.${kind}`,
    payload: { eventId: `e-${Math.random()}`, messageId: "p-1", sender, recipient: ANN, ...more },
    metadata: { eventTimestamp: new Date().toISOString() },
  });

  /** Delivers events as the platform's queue does; answers whether each was acknowledged. */
  async function queue(...bodies: unknown[]): Promise<("ack" | "retry")[]> {
    const fates: ("ack" | "retry")[] = bodies.map(() => "ack");
    const messages = bodies.map((body, index) => ({
      id: String(index),
      timestamp: new Date(),
      attempts: 1,
      body,
      ack: () => undefined,
      retry: () => (fates[index] = "retry"),
    }));
    const batch = { queue: "events", messages, ackAll: () => undefined, retryAll: () => undefined };
    await receiveSendingEvents(batch as unknown as MessageBatch, env);
    return fates;
  }

  async function named() {
    const sent = await sentMessage([ANN]);
    await runInDurableObject(actorOf(sent.box.mailbox), (_, { storage }) => {
      storage.sql.exec("UPDATE recipient SET provider_id = 'p-1'");
    });
    return sent;
  }

  it("change the recipient whose message they name, once, in whatever order they come", async () => {
    const { box, id } = await named();
    const bounced = event("bounced", box.mailbox, { bounce: { type: "hard", reason: "no such user" } });
    const all = [event("deferred", box.mailbox), bounced, bounced, event("delivered", box.mailbox)];
    expect(await queue(...all)).toEqual(["ack", "ack", "ack", "ack"]);
    expect(await statesOf(box, id)).toEqual(["bounced", "bounced"]);
    await queue(event("complained", box.mailbox));
    expect(await statesOf(box, id)).toEqual(["complained", "complained"]);
    expect(await kindsOf(box)).toEqual(["message.bounced", "message.complained"]);
    expect((await ask("/v1/suppressions", { key: box.api_key })).body).toMatchObject({
      suppressions: [{ address: ANN, reason: "bounce" }],
    });
  });

  it("that say the host could not be reached are not a bounce", async () => {
    const { box, id } = await named();
    await queue(event("failed", box.mailbox, { failure: { reason: "timed out" } }));
    expect(await statesOf(box, id)).toEqual(["failed", "failed"]);
    expect(await kindsOf(box)).toEqual([]);
  });

  it("are retried if they come before the message is known, and acknowledged if they are for no mailbox", async () => {
    const { box } = await sentMessage([ANN]);
    const old = {
      ...event("delivered", box.mailbox),
      metadata: { eventTimestamp: "2020-01-01T00:00:00.000Z" },
    };
    expect(await queue(event("delivered", box.mailbox), old)).toEqual(["retry", "ack"]);
    const strangers = [event("delivered", "nobody-at-all@mailkeep.test"), { type: "other" }, null, "text"];
    expect(await queue(...strangers)).toEqual(["ack", "ack", "ack", "ack"]);
  });
});
