import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Email, EmailPage } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import type { ChangePage } from "../../src/contract/event.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  createMailbox,
  evict,
  kill,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  type Ask,
  type TestMailbox,
} from "../harness.ts";

afterEach(() => resetClock());

const DAY_MS = 86_400_000;

function send(box: TestMailbox, json: Record<string, unknown>, more: Ask = {}, query = "") {
  const { headers, ...rest } = more;
  return ask<Sent>(`/v1/send${query}`, {
    key: box.api_key,
    json: { to: "ann@example.net", subject: "Hello", text: "Hello.", ...json },
    headers,
    ...rest,
  });
}

const email = async (box: TestMailbox, id: string) =>
  (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body;

const inboxOf = async (box: TestMailbox) =>
  (await ask<EmailPage>("/v1/inbox", { key: box.api_key })).body.emails;

const kindsOf = async (box: TestMailbox) =>
  (await ask<ChangePage>("/v1/changes", { key: box.api_key })).body.events.map(({ event }) => event);

describe("POST /v1/send", () => {
  it("accepts a message and answers with its status", async () => {
    const box = await createMailbox();
    const { status, body } = await send(box, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "queued", sends_today: 1, daily_send_limit: 100 });
    expect(body.message_id).toMatch(/^<[^@<>\s]+@mailkeep\.test>$/);
    expect([body.provider_id, body.thread_id]).toEqual([body.id, body.id]);
  });

  it("delivers inside the deployment, as real mail, and says so", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const sent = await send(
      from,
      { to: to.mailbox, subject: "Größe 📦", text: "Grüße\n.\n" },
      {},
      "?wait=10",
    );
    expect(sent.body.delivery_status).toBe("delivered");
    const [arrived] = await inboxOf(to);
    expect(arrived).toMatchObject({ subject: "Größe 📦", from_address: from.mailbox, direction: "inbound" });
    expect(await email(to, arrived?.id ?? "")).toMatchObject({
      message_id: sent.body.message_id,
      body_text: "Grüße\n.",
      metadata: { received_via: "api" },
      sender_verified: true,
      authentication: { verdict: "pass", aligned_domain: "mailkeep.test", checked_by: "self", dkim: "none" },
    });
    expect(await kindsOf(from)).toEqual(["message.sent", "message.delivered"]);
    expect((await email(from, sent.body.id)).delivery).toEqual([
      {
        recipient: to.mailbox,
        status: "delivered",
        at: expect.stringMatching(/Z$/),
        diagnostic: expect.stringContaining("2.1.5"),
        next_attempt_at: null,
      },
    ]);
  });

  it("does not send to other domains without a transport, and stores the message", async () => {
    const box = await createMailbox();
    const { body } = await send(box, { html: "<p>Hi</p>", cc: "Bob <bob@example.net>" }, {}, "?wait=10");
    expect(body.status).toBe("sent");
    const shown = await email(box, body.id);
    expect(shown).toMatchObject({
      direction: "outbound",
      status: "sent",
      subject: "Hello",
      to_address: "ann@example.net",
      cc_address: "Bob <bob@example.net>",
      body_text: "Hello.",
      body_html: "<p>Hi</p>",
    });
    expect(shown.delivery.map(({ recipient, status }) => [recipient, status])).toEqual([
      ["ann@example.net", "sent"],
      ["bob@example.net", "sent"],
    ]);
    // Nothing left.
    expect(await kindsOf(box)).toEqual([]);
    const raw = await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text();
    expect(raw).toContain("Subject: Hello\r\n");
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
  });

  it("raises message.sent once for the recipients here, and not for those outside, without a transport", async () => {
    const [from, one, two] = [await createMailbox(), await createMailbox(), await createMailbox()];
    await send(from, { to: ["ann@example.net", one.mailbox, two.mailbox] }, {}, "?wait=10");
    const kinds = await kindsOf(from);
    expect(kinds.toSorted()).toEqual(["message.delivered", "message.delivered", "message.sent"]);
  });

  it("bounces mail to an unknown address here, suppresses the address, and can remove the suppression", async () => {
    const box = await createMailbox();
    const nobody = "no-such-box@mailkeep.test";
    const { body } = await send(box, { to: nobody }, {}, "?wait=10");
    expect(body.delivery_status).toBe("bounced");
    expect(await kindsOf(box)).toEqual(["message.bounced"]);
    const again = await send(box, { to: nobody.toUpperCase() });
    expect([again.status, again.body]).toMatchObject([
      400,
      { error: expect.stringMatching(/^Recipient is suppressed: \S+ \(bounce\)$/) },
    ]);
    const listed = await ask("/v1/suppressions", { key: box.api_key });
    expect(listed.body).toMatchObject({
      suppressions: [{ address: nobody, reason: "bounce" }],
      next_cursor: null,
    });
    const path = `/v1/suppressions/${encodeURIComponent(nobody)}`;
    expect((await ask(path, { key: box.api_key, method: "DELETE" })).status).toBe(200);
    expect((await ask(path, { key: box.api_key, method: "DELETE" })).status).toBe(404);
    expect((await send(box, { to: nobody })).status).toBe(200);
  });

  it("sends to the other recipients if one is refused", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const { body } = await send(from, { to: [to.mailbox, "nobody-here@mailkeep.test"] }, {}, "?wait=10");
    const { delivery, status } = await email(from, body.id);
    expect(delivery.map((each) => each.status)).toEqual(["delivered", "bounced"]);
    expect(status).toBe("bounced");
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it("hides Bcc from everybody, and delivers to it", async () => {
    const [from, to, hidden] = [await createMailbox(), await createMailbox(), await createMailbox()];
    await send(from, { to: to.mailbox, bcc: hidden.mailbox }, {}, "?wait=10");
    for (const box of [to, hidden]) {
      const [arrived] = await inboxOf(box);
      const raw = await (await api(`/v1/emails/${arrived?.id}/raw`, { key: box.api_key })).text();
      expect(raw.toLowerCase()).not.toContain(hidden.mailbox);
    }
  });

  it("joins the thread of the email it answers, on both sides", async () => {
    const [one, other] = [await createMailbox(), await createMailbox()];
    const first = await send(one, { to: other.mailbox }, {}, "?wait=10");
    const [arrived] = await inboxOf(other);
    const in_reply_to = first.body.message_id;
    const answer = await send(other, { to: one.mailbox, subject: "Re: Hello", in_reply_to }, {}, "?wait=10");
    expect(answer.body.thread_id).toBe(arrived?.thread_id);
    const [back] = await inboxOf(one);
    expect(back?.thread_id).toBe(first.body.thread_id);
  });

  it("refuses another address in From with the documented text", async () => {
    const box = await createMailbox();
    const { status, body } = await send(box, { from: "ceo@example.com" });
    expect([status, body]).toMatchObject([
      403,
      { error: `From address must match your mailbox: ${box.mailbox}` },
    ]);
    const tagged = box.mailbox.replace("@", "+shop@");
    expect((await send(box, { from: `Shop <${tagged}>` })).status).toBe(200);
  });

  it.each([
    [{ to: [] }, 400, "Missing required fields: to, subject"],
    [{ text: "" }, 400, "Either text or html body is required"],
    [
      { to: Array.from({ length: 51 }, (_, n) => `a${n}@example.net`) },
      400,
      "Too many recipients (max 50 total across to/cc/bcc)",
    ],
    [{ subject: "x".repeat(999) }, 400, "Subject too long (max 998 characters)"],
    [{ text: "x".repeat(500_001) }, 400, "Body too large"],
  ])("refuses invalid request %# with the documented error", async (json, status, error) => {
    const box = await createMailbox();
    expect(await send(box, json)).toMatchObject({ status, body: { error } });
  });

  it("names each missing field in details, beside the documented text", async () => {
    const box = await createMailbox();
    const required = (...paths: string[]) => paths.map((path) => ({ path, message: "is required" }));
    for (const [json, details, fix] of [
      [{ subject: "" }, required("subject"), /^Add "subject": "Hello" to the request body$/],
      [{ to: [] }, required("to"), /^Add "to": "ann@example.com" to the request body$/],
      [{ to: null, subject: null }, required("to", "subject"), / and /],
    ] as const) {
      expect(await send(box, json)).toMatchObject({
        status: 400,
        body: {
          error: "Missing required fields: to, subject",
          code: "invalid",
          details,
          fix: expect.stringMatching(fix),
        },
      });
    }
    const { body } = await send(box, {});
    const forward = { key: box.api_key, json: { text: "See." } };
    expect(await ask(`/v1/emails/${body.id}/forward`, forward)).toMatchObject({
      status: 400,
      body: { error: "Missing required fields: to", details: required("to") },
    });
  });

  it("is refused to a provisional key, to a paused mailbox, and if sending is switched off", async () => {
    const temporary = await bootstrap();
    expect(await send(temporary, {})).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    const box = await createMailbox();
    await api("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    expect((await send(box, {})).status).toBe(403);
  });
});

describe("an Idempotency-Key", () => {
  const headers = { "Idempotency-Key": "order-4711" };

  it("sends once, however often and however fast it comes", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send(from, { to: to.mailbox }, { headers }, "?wait=10")),
    );
    expect(new Set(all.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    await evict(from.mailbox);
    expect((await send(from, { to: to.mailbox }, { headers })).body.id).toBe(all[0]?.body.id);
    expect(await inboxOf(to)).toHaveLength(1);
    expect((await send(from, { to: to.mailbox })).body.sends_today).toBe(2);
  });

  it("is refused with another message for a day, and can be used again after that", async () => {
    const box = await createMailbox();
    const first = await send(box, {}, { headers });
    expect(await send(box, { subject: "Other" }, { headers })).toMatchObject({ status: 422 });
    advance(DAY_MS + 1_000);
    const next = await send(box, {}, { headers });
    expect(next.body.id).not.toBe(first.body.id);
  });

  it("answers a repeat with `queued` or `sent`, whatever the status of the email is by then", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const told: Record<string, string[]> = {};
    const outcomes = {
      delivered: to.mailbox,
      bounced: "nobody-at-all@mailkeep.test",
      sent: "ann@elsewhere.example",
    };
    for (const [outcome, recipient] of Object.entries(outcomes)) {
      const keyed = { headers: { "Idempotency-Key": `became-${outcome}` } };
      const first = await send(from, { to: recipient }, keyed, "?wait=10");
      const again = await send(from, { to: recipient }, keyed);
      expect([again.status, again.body.id]).toEqual([200, first.body.id]);
      expect((await email(from, first.body.id)).status).toBe(outcome);
      told[outcome] = [first, again].flatMap(({ body }) => [body.status, body.delivery_status ?? ""]);
    }
    expect(told).toEqual({
      delivered: ["sent", "delivered", "sent", "delivered"],
      bounced: ["queued", "bounced", "queued", "bounced"],
      sent: ["sent", "sent", "sent", "sent"],
    });
  });

  it("does the same for a reply and a forward", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    await send(from, { to: to.mailbox }, {}, "?wait=10");
    const [arrived] = await inboxOf(to);
    for (const [action, json] of [
      ["reply", { text: "Yes." }],
      ["forward", { to: from.mailbox, text: "See below." }],
    ] as const) {
      const request = { key: to.api_key, json, headers: { "Idempotency-Key": `an-${action}` } };
      const first = await ask<Sent>(`/v1/emails/${arrived?.id}/${action}?wait=10`, request);
      const again = await ask<Sent>(`/v1/emails/${arrived?.id}/${action}`, request);
      expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, "sent"]);
    }
  });

  it("answers the same after the email was deleted, and sends nothing again", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const first = await send(from, { to: to.mailbox }, { headers }, "?wait=10");
    await api(`/v1/emails/${first.body.id}`, { key: from.api_key, method: "DELETE" });
    await evict(from.mailbox);
    const again = await send(from, { to: to.mailbox }, { headers });
    const { delivery_status, ...rest } = first.body;
    expect(delivery_status).toBe("delivered");
    expect([again.status, again.body]).toEqual([200, { ...rest, hint: expect.stringContaining("deleted") }]);
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it("is valid in its mailbox only", async () => {
    const [one, other] = [await createMailbox(), await createMailbox()];
    const sent = await Promise.all([send(one, {}, { headers }), send(other, {}, { headers })]);
    expect(new Set(sent.map(({ body }) => body.id)).size).toBe(2);
  });
});

describe("the daily limit", () => {
  it("accepts exactly 100 of 200 messages that come at once", async () => {
    const box = await createMailbox();
    const all = await Promise.all(Array.from({ length: 200 }, () => send(box, {})));
    const refused = all.filter(({ status }) => status === 429);
    expect(all.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(refused).toHaveLength(100);
    expect(refused[0]).toMatchObject({ body: { error: "Daily send limit reached (100/100)" } });
    expect(Number(refused[0]?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({
      sends_today: 100,
      daily_send_limit: 100,
      outbound: 100,
    });
  });

  it("restarts at midnight, even if alarms are late, and only once if the clock moves backwards", async () => {
    const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    setClock(midnight - 100);
    const box = await createMailbox();
    expect((await send(box, {})).body.sends_today).toBe(1);
    const { headers } = await send(box, {});
    expect(headers.get("Retry-After")).toBeNull();
    setClock(midnight + 100);
    expect((await send(box, {})).body.sends_today).toBe(1);
    setClock(midnight - 7_200_000);
    expect((await send(box, {})).body.sends_today).toBe(2);
    setClock(midnight + 2 * DAY_MS);
    expect((await send(box, {})).body.sends_today).toBe(1);
  });
});

/** Sets the counted bytes of a mailbox, so that it is full or empty. */
async function fill(box: TestMailbox, bytes: number): Promise<void> {
  await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
    storage.sql.exec("UPDATE account SET storage_bytes = ?", bytes);
  });
  await evict(box.mailbox);
}
const HANDING = "SELECT seq FROM recipient WHERE state IN ('handing', 'ending')";
const FULL = 10_000_000_000;

describe("the room of a mailbox", () => {
  const QUOTA = 5_000_000_000;

  it("counts outgoing mail, texts and fields, and is free again when that is deleted", async () => {
    const box = await createMailbox();
    const bytes = async () =>
      (await ask<{ storage_bytes: number }>("/v1/stats", { key: box.api_key })).body.storage_bytes;
    const json = { text: "x".repeat(10_000), headers: { "X-Long": "y".repeat(5_000) } };
    const { body } = await send(box, json);
    expect(await bytes()).toBeGreaterThan(15_000);
    await api(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    expect(await bytes()).toBe(0);
  });

  it("limits sends, replies and forwards as it limits uploads and received mail", async () => {
    const box = await createMailbox();
    const keyed = { headers: { "Idempotency-Key": "before-it-was-full" } };
    const { body } = await send(box, {}, keyed);
    await fill(box, QUOTA - 500);
    const refusal = {
      status: 507,
      body: { code: "mailbox_full", error: `Mailbox is full (max ${QUOTA} bytes)` },
    };
    expect(await send(box, { text: "x".repeat(600) })).toMatchObject(refusal);
    const more = { key: box.api_key, json: { to: "bob@example.net", text: "x".repeat(600) } };
    expect(await ask(`/v1/emails/${body.id}/forward`, more)).toMatchObject(refusal);
    const { to: _, ...reply } = more.json;
    expect(await ask(`/v1/emails/${body.id}/reply`, { ...more, json: reply })).toMatchObject(refusal);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({
      sends_today: 1,
      outbound: 1,
    });
    // A repeat of an accepted message still gets its answer.
    expect((await send(box, {}, keyed)).body.id).toBe(body.id);
    await fill(box, 0);
    expect((await send(box, { text: "x".repeat(600) })).status).toBe(200);
  });
});

describe("a message that is too large for a mailbox of this deployment", () => {
  const LIMIT = 26_214_400;
  const uploaded = async (box: TestMailbox, bytes: number) => {
    const file = { key: box.api_key, body: new Uint8Array(bytes), headers: { "Content-Type": "image/png" } };
    return [{ attachment_id: (await ask<{ id: string }>("/v1/attachments?filename=a.png", file)).body.id }];
  };
  const kept = async (box: TestMailbox) =>
    Promise.all(
      ["message", "outbox", "recipient", "send_key"].map((table) =>
        rowsOf(box.mailbox, `SELECT * FROM ${table}`),
      ),
    );

  it("is refused at once, with the recipient, its size and the limit, and nothing is stored", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const attachments = await uploaded(from, 30_000_000);
    const headers = { "Idempotency-Key": "too-large" };
    for (const recipients of [[to.mailbox], ["ann@example.net", to.mailbox]]) {
      const refused = await send(from, { to: recipients, attachments }, { headers });
      expect(refused).toMatchObject({
        status: 413,
        body: {
          code: "too_large",
          error: expect.stringMatching(
            new RegExp(`^Message too large for ${to.mailbox}: 41\\d{6} bytes when composed \\(max ${LIMIT} `),
          ),
          fix: expect.stringContaining("leave this recipient out"),
        },
      });
    }
    expect(await kept(from)).toEqual([[], [], [], []]);
    expect((await ask("/v1/stats", { key: from.api_key })).body).toMatchObject({ sends_today: 0 });
    expect((await send(from, { to: "ann@example.net", attachments })).status).toBe(200);
  });

  it("leaves no file behind that came in the request", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const content = Buffer.alloc(9_000_000).toString("base64");
    const attachments = await uploaded(from, 12_000_000);
    const inline = [...attachments, { filename: "b.bin", content }];
    expect((await send(from, { to: to.mailbox, attachments: inline })).status).toBe(413);
    expect(await rowsOf(from.mailbox, "SELECT filename FROM upload")).toEqual([{ filename: "a.png" }]);
  });
});

describe("mail that is not sent because no relay is configured", () => {
  const WHY = /no relay is configured \(OUTBOUND=local\).*SMTP_URL/;

  it("has the status `sent`, and a hint that says why it was not sent and how to change that", async () => {
    const box = await createMailbox();
    const headers = { "Idempotency-Key": "kept-here" };
    const first = await send(box, {}, { headers });
    expect(first.body).toMatchObject({ status: "queued", hint: expect.stringMatching(WHY) });
    const told = await send(box, {}, { headers }, "?wait=10");
    expect(told.body).toMatchObject({
      status: "sent",
      hint: expect.stringMatching(/kept here and not sent/),
    });
    const { delivery } = await email(box, first.body.id);
    expect(delivery).toMatchObject([
      { status: "sent", kept_here: true, diagnostic: expect.stringMatching(WHY) },
    ]);
  });

  it("is marked in lists and searches, whose hint says why", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    await send(box, { to: other.mailbox, subject: "Went" }, {}, "?wait=10");
    const list = async (query = "") =>
      (await ask<EmailPage & { emails: { kept_here?: boolean }[] }>(`/v1/${query}`, { key: box.api_key }))
        .body;
    expect((await list("inbox")).hint).toBeUndefined();
    await send(box, { to: [other.mailbox, "ann@example.net"], subject: "Stayed" }, {}, "?wait=10");
    for (const query of ["inbox", "inbox?direction=outbound", "search?q=hello&mode=keyword"]) {
      const { emails, hint } = await list(query);
      const marks = Object.fromEntries(emails.map(({ subject, kept_here }) => [subject, kept_here]));
      expect(marks).toEqual({ Stayed: true, Went: undefined });
      expect(hint).toMatch(WHY);
    }
  });

  it("has no hint if all recipients are inside the deployment", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    expect((await send(from, { to: to.mailbox }, {}, "?wait=10")).body).not.toHaveProperty("hint");
  });
});

describe("an accepted message", () => {
  it("is attempted again after 1, 5, 15 minutes and so on, and given up after the eighth attempt", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    await fill(to, FULL);
    const { body } = await send(from, { to: to.mailbox }, {}, "?wait=10");
    for (const minutes of [1, 5, 15, 60, 240, 720, 1_440]) {
      const { delivery, status } = await email(from, body.id);
      expect(status).toBe("queued");
      expect(delivery[0]?.diagnostic).toContain("452 4.2.2");
      const due = Date.parse(delivery[0]?.at ?? "") + minutes * 60_000;
      expect(delivery[0]?.next_attempt_at).toBe(new Date(due).toISOString());
      expect(await alarmOf(from.mailbox)).toBeLessThanOrEqual(due);
      advance(minutes * 60_000);
      await ringAlarm(from.mailbox);
      await vi.waitFor(async () =>
        expect((await email(from, body.id)).delivery[0]?.at).not.toBe(delivery[0]?.at),
      );
      await vi.waitFor(async () => expect(await rowsOf(from.mailbox, HANDING)).toEqual([]));
    }
    expect(await email(from, body.id)).toMatchObject({
      status: "failed",
      delivery: [{ next_attempt_at: null }],
    });
    expect(await kindsOf(from)).toEqual([]);
    expect(await inboxOf(to)).toEqual([]);
  });

  it("is attempted again, and finally given up, if it cannot be composed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [from, to] = [await createMailbox(), await createMailbox()];
    await fill(to, FULL);
    const attachments = [{ filename: "a.txt", content: Buffer.from("abc").toString("base64") }];
    const { body } = await send(from, { to: to.mailbox, attachments }, {}, "?wait=10");
    await runInDurableObject(actorOf(from.mailbox), (_, { storage }) => {
      storage.sql.exec("DELETE FROM upload");
    });
    for (const minutes of [1, 5, 15, 60, 240, 720, 1_440]) {
      const { delivery, status } = await email(from, body.id);
      expect(status).toBe("queued");
      advance(minutes * 60_000);
      await ringAlarm(from.mailbox);
      await vi.waitFor(async () =>
        expect((await email(from, body.id)).delivery[0]?.at).not.toBe(delivery[0]?.at),
      );
      await vi.waitFor(async () => expect(await rowsOf(from.mailbox, HANDING)).toEqual([]));
    }
    expect((await email(from, body.id)).status).toBe("failed");
    vi.restoreAllMocks();
  });

  it("is sent by the alarm if the process died right after accepting it", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const { body } = await send(from, { to: to.mailbox });
    await evict(from.mailbox);
    await ringAlarm(from.mailbox);
    await vi.waitFor(async () => expect((await email(from, body.id)).status).toBe("delivered"));
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it("is attempted again by the alarm within half a minute if the process dies during the hand-over", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const gate = Promise.withResolvers<void>();
    const held = runInDurableObject(actorOf(to.mailbox), (_, state) =>
      state.blockConcurrencyWhile(() => gate.promise),
    );
    const { body } = await send(from, { to: to.mailbox });
    await vi.waitFor(async () => expect(await rowsOf(from.mailbox, HANDING)).toHaveLength(1));
    for (let ring = 0; ring < 3; ring += 1) {
      await ringAlarm(from.mailbox);
      expect(await alarmOf(from.mailbox)).toBeLessThanOrEqual(Date.now() + 30_000);
      expect(await rowsOf(from.mailbox, HANDING)).toHaveLength(1);
    }
    await kill(from.mailbox);
    gate.resolve();
    await held;
    // No call wakes the mailbox, only its alarm.
    await ringAlarm(from.mailbox);
    await vi.waitFor(async () => expect(await rowsOf(from.mailbox, HANDING)).toEqual([]));
    expect(await inboxOf(to)).toHaveLength(1);
    expect((await email(from, body.id)).status).toBe("delivered");
  });

  it("is sent by the alarm if the disk fails after it was accepted, and no error goes unhandled", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const [from, to] = [await createMailbox(), await createMailbox()];
    await runInDurableObject(actorOf(from.mailbox), (_, { storage }) => {
      vi.spyOn(storage, "sync").mockRejectedValueOnce(new Error("The disk is gone"));
    });
    const { body } = await send(from, { to: to.mailbox });
    await evict(from.mailbox);
    await ringAlarm(from.mailbox);
    await vi.waitFor(async () => expect((await email(from, body.id)).status).toBe("delivered"));
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it("waits while the mailbox is paused, and is sent when it is resumed", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    await fill(to, FULL);
    const { body } = await send(from, { to: to.mailbox }, {}, "?wait=10");
    await fill(to, 0);
    expect(body.status).toBe("queued");
    await api("/v1/mailbox/pause", { key: from.api_key, method: "PATCH" });
    advance(61_000);
    await ringAlarm(from.mailbox);
    expect(await inboxOf(to)).toEqual([]);
    await api("/v1/mailbox/resume", { key: from.api_key, method: "PATCH" });
    await vi.waitFor(async () => expect((await email(from, body.id)).status).toBe("delivered"));
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it("is delivered to a paused mailbox", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    await api("/v1/mailbox/pause", { key: to.api_key, method: "PATCH" });
    expect((await send(from, { to: to.mailbox }, {}, "?wait=10")).body.delivery_status).toBe("delivered");
  });

  it("is neither sent nor left in any table if its owner deletes it first", async () => {
    const box = await createMailbox();
    const { body } = await send(box, {}, {}, "?wait=10");
    await api(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    for (const table of ["outbox", "recipient", "message", "content"]) {
      expect(await rowsOf(box.mailbox, `SELECT * FROM ${table}`)).toEqual([]);
    }
  });
});

describe("files of a message", () => {
  const bytes = new Uint8Array(300_000).map((_, index) => index % 251);
  const upload = async (box: TestMailbox, body: Uint8Array, filename: string) =>
    (
      await ask<{ id: string }>(`/v1/attachments?filename=${encodeURIComponent(filename)}`, {
        key: box.api_key,
        body,
        headers: { "Content-Type": "application/pdf" },
      })
    ).body.id;
  const download = async (box: TestMailbox, id: string) =>
    new Uint8Array(await (await api(`/v1/attachments/${id}`, { key: box.api_key })).arrayBuffer());

  it("arrive byte for byte, whether uploaded before or part of the request, and can be downloaded on both sides", async () => {
    const [from, to] = [await createMailbox(), await createMailbox()];
    const attachments = [
      { attachment_id: await upload(from, bytes, "größe.pdf") },
      { filename: "note.txt", content: Buffer.from("note").toString("base64"), content_type: "text/plain" },
    ];
    const { body } = await send(from, { to: to.mailbox, attachments }, {}, "?wait=10");
    expect(body.delivery_status).toBe("delivered");
    const [arrived] = await inboxOf(to);
    for (const [box, id] of [
      [from, body.id],
      [to, arrived?.id ?? ""],
    ] as const) {
      const { attachments: shown } = await email(box, id);
      expect(shown.map(({ filename, size_bytes }) => [filename, size_bytes])).toEqual([
        ["größe.pdf", bytes.byteLength],
        ["note.txt", 4],
      ]);
      expect(await download(box, shown[0]?.id ?? "")).toEqual(bytes);
    }
    const raw = await api(`/v1/emails/${body.id}/raw`, { key: from.api_key });
    const text = await raw.text();
    expect(text.length).toBe(Number(raw.headers.get("Content-Length")));
    expect(text).toContain(Buffer.from(bytes).toString("base64").slice(0, 76));
  });

  it("can be attachments of an email in the mailbox", async () => {
    const [from, to, third] = [await createMailbox(), await createMailbox(), await createMailbox()];
    const attachments = [{ filename: "a.bin", content: Buffer.from("abc").toString("base64") }];
    await send(from, { to: to.mailbox, attachments }, {}, "?wait=10");
    const [arrived] = await inboxOf(to);
    const { attachments: held } = await email(to, arrived?.id ?? "");
    const passedOn = { to: third.mailbox, attachments: [{ attachment_id: held[0]?.id }] };
    expect((await send(to, passedOn, {}, "?wait=10")).body.delivery_status).toBe("delivered");
    const [last] = await inboxOf(third);
    const [file] = (await email(third, last?.id ?? "")).attachments;
    expect(new TextDecoder().decode(await download(third, file?.id ?? ""))).toBe("abc");
  });

  it("that do not exist, or belong to another mailbox, are named in the error", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const foreign = await upload(other, bytes, "x.pdf");
    for (const attachment_id of [foreign, "nonsense"]) {
      const { status, body } = await send(box, { attachments: [{ attachment_id }] });
      expect([status, body]).toMatchObject([400, { details: [{ path: "attachments.0.attachment_id" }] }]);
    }
    expect(await inboxOf(box)).toEqual([]);
  });

  it("are stored as long as the message", async () => {
    const box = await createMailbox();
    const id = await upload(box, bytes, "x.pdf");
    const { body } = await send(box, { attachments: [{ attachment_id: id }] }, {}, "?wait=10");
    advance(30 * DAY_MS);
    await ringAlarm(box.mailbox);
    const [file] = (await email(box, body.id)).attachments;
    expect(await download(box, file?.id ?? "")).toEqual(bytes);
    await api(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    await ringAlarm(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT * FROM upload")).toEqual([]);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ storage_bytes: 0 });
  });
});
