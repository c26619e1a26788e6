import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { locatorOf } from "../../src/contract/key.ts";
import type { Email, EmailPage, Thread } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import {
  actorOf,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  evict,
  message,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  type Ask,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

afterEach(() => resetClock());

type Told = Sent & { error: string; details?: { path: string; message: string }[] };

const post = (box: TestMailbox, path: string, json: unknown, more: Ask = {}) =>
  ask<Told>(`/v1/${path}`, { key: box.api_key, json, ...more });
const send = (box: TestMailbox, json: object, query = "") =>
  post(box, `send${query}`, { to: "ann@example.net", subject: "Hello", text: "Hello.", ...json });
const reply = (box: TestMailbox, id: string, json: object, more: Ask = {}) =>
  post(box, `emails/${id}/reply`, { text: "Yes.", ...json }, more);
const forward = (box: TestMailbox, id: string, json: object, more: Ask = {}) =>
  post(box, `emails/${id}/forward`, { to: "cy@example.net", ...json }, more);

const email = async (box: TestMailbox, id: string) =>
  (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body;
const rawOf = async (box: TestMailbox, id: string) => {
  const response = await api(`/v1/emails/${id}/raw`, { key: box.api_key });
  return new TextDecoder().decode(await response.arrayBuffer());
};
const inboxOf = async (box: TestMailbox) =>
  (await ask<EmailPage>("/v1/inbox?direction=inbound", { key: box.api_key })).body.emails;
const recipientsOf = async (box: TestMailbox, id: string) =>
  (await email(box, id)).delivery.map(({ recipient }) => recipient);
const outboundOf = async (box: TestMailbox) =>
  (await ask<{ outbound: number }>("/v1/stats", { key: box.api_key })).body.outbound;
const uploadsOf = (box: TestMailbox) => rowsOf(box.mailbox, "SELECT id FROM upload");
const storageOf = async (box: TestMailbox) =>
  (await ask<{ storage_bytes: number }>("/v1/stats", { key: box.api_key })).body.storage_bytes;
/** The blobs of a mailbox, in its rows and in the bucket. */
const blobsOf = async (box: TestMailbox) => {
  const rows = await rowsOf<{ key: string }>(box.mailbox, "SELECT DISTINCT key FROM blob_chunk");
  const { objects } = await env.BLOBS.list();
  const ours = objects.filter(({ key }) => key.includes(locatorOf(box.mailbox)));
  return [...rows, ...ours].map(({ key }) => key).toSorted();
};
const download = async (box: TestMailbox, id: string) =>
  new Uint8Array(await (await api(`/v1/attachments/${id}`, { key: box.api_key })).arrayBuffer());

/** A received message with these header lines; answers its id. */
async function received(box: TestMailbox, lines: readonly string[], body?: string): Promise<string> {
  return (await deliver(box.mailbox, message(lines, body))).body.id;
}

/** A multipart message with one file for each of `files`, and its parts' own header lines. */
function withFiles(files: readonly { lines: string[]; content: string }[], html = "<p>See</p>"): string {
  const parts = [
    ["Content-Type: text/html", "", html],
    ...files.map(({ lines, content }) => [...lines, "Content-Transfer-Encoding: base64", "", content]),
  ];
  const body = [...parts.flatMap((part) => ["--x", ...part]), "--x--"].join("\n");
  return message(
    ["From: Ann <ann@example.com>", "Subject: Files", "Content-Type: multipart/mixed; boundary=x"],
    body,
  );
}

/** Bindings that count the calls which a request makes to its mailbox. */
function countingCalls(box: TestMailbox) {
  const calls: Record<string, number> = {};
  const actor = actorOf(box.mailbox);
  const counted = new Proxy(actor, {
    get(target, property) {
      calls[String(property)] = (calls[String(property)] ?? 0) + 1;
      return Reflect.get(target, property);
    },
  });
  return { calls, vars: { MAILBOX: { getByName: () => counted } } };
}

const base64 = (bytes: string | Uint8Array) =>
  Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\n");

describe("a reply", () => {
  it("goes to the author with subject, ancestry and quote, and joins the thread on both sides", async () => {
    const [ann, bob] = [await createMailbox(), await createMailbox()];
    const question = await send(ann, { to: bob.mailbox, subject: "Lunch?", text: "At noon?" }, "?wait=10");
    const [arrived] = await inboxOf(bob);
    const { status, body } = await reply(bob, arrived?.id ?? "", { text: "Yes." });
    expect(status).toBe(200);
    expect(body).toMatchObject({ thread_id: arrived?.thread_id, sends_today: 1, daily_send_limit: 100 });
    const sent = await email(bob, body.id);
    expect(sent).toMatchObject({
      to_address: ann.mailbox,
      cc_address: "",
      subject: "Re: Lunch?",
      in_reply_to: question.body.message_id,
      references: question.body.message_id,
    });
    expect(sent.body_text).toMatch(/^Yes\.\n\nOn .* wrote:\n> At noon\?$/);
    await expect
      .poll(async () => (await inboxOf(ann)).map((back) => back.thread_id))
      .toEqual([question.body.thread_id]);
  });

  it("has the complete chain of references, through any number of replies", async () => {
    const [ann, bob] = [await createMailbox(), await createMailbox()];
    const first = await send(ann, { to: bob.mailbox }, "?wait=10");
    const ids = [first.body.message_id];
    for (const [from, to] of [
      [bob, ann],
      [ann, bob],
      [bob, ann],
    ] as const) {
      const [newest] = await inboxOf(from);
      const answer = await post(from, `emails/${newest?.id}/reply?wait=10`, { text: "Re." });
      expect(answer.body.delivery_status).toBe("delivered");
      expect((await email(from, answer.body.id)).references).toBe(ids.join(" "));
      ids.push(answer.body.message_id);
      expect((await email(to, (await inboxOf(to))[0]?.id ?? "")).references).toBe(ids.slice(0, -1).join(" "));
    }
    const thread = await ask<Thread>(`/v1/threads/${first.body.thread_id}`, { key: ann.api_key });
    expect(thread.body.emails.map(({ message_id }) => message_id)).toEqual(ids);
  });

  it("goes to all with reply_all, but not to the mailbox itself and to nobody twice; also to the caller's cc and bcc", async () => {
    const box = await createMailbox();
    const id = await received(box, [
      "From: Ann <ann@example.com>",
      `To: ${box.mailbox}, Bob <bob@example.net>`,
      "Cc: cy@example.net, ANN@example.com",
      "Subject: All",
    ]);
    const one = await reply(box, id, {});
    expect(await recipientsOf(box, one.body.id)).toEqual(["ann@example.com"]);
    const all = await reply(box, id, { reply_all: true, cc: "Di <di@example.net>", bcc: "ed@example.net" });
    expect(await recipientsOf(box, all.body.id)).toEqual([
      "ann@example.com",
      "bob@example.net",
      "cy@example.net",
      "di@example.net",
      "ed@example.net",
    ]);
    expect(await email(box, all.body.id)).toMatchObject({
      cc_address: "Bob <bob@example.net>, cy@example.net, Di <di@example.net>",
    });
    expect(await rawOf(box, all.body.id)).not.toContain("ed@example.net");
  });

  it("goes to the Reply-To addresses", async () => {
    const box = await createMailbox();
    const id = await received(box, ["From: ann@example.com", "Reply-To: desk@example.com", "Subject: Hi"]);
    expect(await recipientsOf(box, (await reply(box, id, {})).body.id)).toEqual(["desk@example.com"]);
  });

  it("comes from the tagged address that the message was sent to, unless the request names another", async () => {
    const box = await createMailbox();
    const tagged = box.mailbox.replace("@", "+shop@");
    await api("/v1/mailbox", { key: box.api_key, method: "PATCH", json: { display_name: "The agent" } });
    const raw = message(["From: ann@example.com", `To: Shop <${tagged}>`, "Subject: Order"]);
    const { id } = (await deliver(tagged.toUpperCase(), raw)).body;
    const sender = async (sent: { body: Told }) => {
      const { from_address, from_name, metadata } = await email(box, sent.body.id);
      expect(metadata.envelope_from.startsWith(`${box.mailbox.split("@")[0]}+b.`)).toBe(true);
      return `${from_name} <${from_address}>`;
    };
    const answer = await reply(box, id, {});
    expect(await sender(answer)).toBe(`The agent <${tagged}>`);
    // A further reply comes from the same address.
    expect(await sender(await reply(box, answer.body.id, {}))).toBe(`The agent <${tagged}>`);
    expect(await sender(await reply(box, id, { from: `Me <${box.mailbox}>` }))).toBe(`Me <${box.mailbox}>`);
    expect(await sender(await reply(box, id, { from: [] }))).toBe(`The agent <${tagged}>`);
  });

  it("never comes from a return path", async () => {
    const box = await createMailbox();
    const first = await send(box, {});
    const path = (await email(box, first.body.id)).metadata.envelope_from;
    const { id } = (await deliver(path, message(["From: ann@example.com", "Subject: Hi"]))).body;
    const { body } = await reply(box, id, {});
    expect(await email(box, body.id)).toMatchObject({ from_address: box.mailbox });
  });

  it("to an outgoing message goes to its recipients, whatever its Reply-To", async () => {
    const box = await createMailbox();
    const sent = await send(box, {
      to: "Bob <bob@example.net>",
      cc: "cy@example.net",
      reply_to: "desk@example.com",
    });
    const one = await reply(box, sent.body.id, {});
    expect(await email(box, one.body.id)).toMatchObject({
      to_address: "bob@example.net",
      cc_address: "",
      in_reply_to: sent.body.message_id,
      thread_id: sent.body.thread_id,
    });
    const all = await reply(box, sent.body.id, { reply_all: true });
    expect(await recipientsOf(box, all.body.id)).toEqual(["bob@example.net", "cy@example.net"]);
  });

  it("to a message without any address is refused", async () => {
    const box = await createMailbox();
    for (const lines of [
      ["Subject: Hi"],
      ["From: Nobody at all", "Subject: Hi"],
      ["From: <a b@c>", "Reply-To: x"],
    ]) {
      const id = await received(box, [...lines, `X-Test: ${Math.random()}`]);
      expect(await reply(box, id, { reply_all: true })).toMatchObject({
        status: 400,
        body: { error: "This email names no address that can be replied to" },
      });
    }
    expect(await outboundOf(box)).toBe(0);
  });

  it("joins the thread of a message without a Message-ID", async () => {
    const box = await createMailbox();
    const id = await received(box, ["From: ann@example.com", "Subject: No id"]);
    const { thread_id } = await email(box, id);
    const { body } = await reply(box, id, {});
    expect(body.thread_id).toBe(thread_id);
    expect(await email(box, body.id)).toMatchObject({ in_reply_to: null, references: null });
  });

  it("omits the quote on request, and does not repeat a subject's prefix", async () => {
    const box = await createMailbox();
    const id = await received(box, ["From: ann@example.com", "Subject: AW: Hi"], "Secret.");
    const { body } = await reply(box, id, { text: "No.", html: "<p>No.</p>", quote: false });
    expect(await email(box, body.id)).toMatchObject({
      subject: "Re: Hi",
      body_text: "No.",
      body_html: "<p>No.</p>",
    });
  });

  it("quotes an HTML message by its escaped text", async () => {
    const box = await createMailbox();
    const id = await received(
      box,
      ["From: ann@example.com", "Subject: Page", "Content-Type: text/html"],
      "<p>1 &lt; 2</p><script>alert(1)</script>",
    );
    const { body } = await reply(box, id, { text: "", html: "<p>So it is.</p>" });
    const { body_html } = await email(box, body.id);
    expect(body_html).toContain("<p>So it is.</p>");
    expect(body_html).toContain("1 &lt; 2");
    expect(body_html).not.toContain("<script");
  });

  it("reads an original whose body is too large for its row", async () => {
    const box = await createMailbox();
    const id = await received(
      box,
      [
        "From: ann@example.com",
        "Subject: Long",
        "Message-ID: <long@example.com>",
        "References: <root@example.com>",
      ],
      `The beginning.\n${"x".repeat(70).concat("\n").repeat(10_000)}`,
    );
    const { body } = await reply(box, id, {});
    const sent = await email(box, body.id);
    expect(sent).toMatchObject({
      references: "<root@example.com> <long@example.com>",
      to_address: "ann@example.com",
    });
    expect(sent.body_text).toContain("> The beginning.\n");
    expect(sent.body_text).toMatch(/\[…\]$/);
  });

  it("carries the caller's attachments and none of the original", async () => {
    const box = await createMailbox();
    const file = { lines: ['Content-Disposition: attachment; filename="a.txt"'], content: base64("A") };
    const id = (await deliver(box.mailbox, withFiles([file]))).body.id;
    const attachments = [{ filename: "b.txt", content: base64("B") }];
    const { body } = await reply(box, id, { attachments });
    expect((await email(box, body.id)).attachments.map(({ filename }) => filename)).toEqual(["b.txt"]);
  });

  it("allows 50 recipients, those of the original included, and refuses more", async () => {
    const box = await createMailbox();
    const others = Array.from({ length: 48 }, (_, n) => `r${n}@example.net`).join(", ");
    const id = await received(box, [
      "From: ann@example.com",
      `To: ${box.mailbox}, ${others}`,
      "Subject: Many",
    ]);
    const full = await reply(box, id, { reply_all: true, cc: "last@example.net" });
    expect(await recipientsOf(box, full.body.id)).toHaveLength(50);
    expect(
      await reply(box, id, { reply_all: true, cc: ["one@example.net", "two@example.net"] }),
    ).toMatchObject({
      status: 400,
      body: { error: "Too many recipients (max 50 total across to/cc/bcc)" },
    });
  });

  it("may have the maximum length, which leaves no room for the quote, and not a byte more", async () => {
    const box = await createMailbox();
    const id = await received(box, ["From: ann@example.com", "Subject: Long"], "Quoted.");
    const most = await reply(box, id, { text: "x".repeat(500_000) });
    expect((await email(box, most.body.id)).body_text).toBe("x".repeat(500_000));
    expect(await reply(box, id, { text: "x".repeat(500_001) })).toMatchObject({
      status: 400,
      body: { error: "Body too large" },
    });
    expect(await reply(box, id, { text: "", html: "x".repeat(1_000_000) })).toMatchObject({ status: 200 });
    expect(await reply(box, id, { text: "" })).toMatchObject({
      status: 400,
      body: { error: "Either text or html body is required" },
    });
  });

  it("is refused to a suppressed address, and does not count against the daily limit then", async () => {
    const box = await createMailbox();
    const gone = "nobody-at-all@mailkeep.test";
    await send(box, { to: gone }, "?wait=10");
    const id = await received(box, [`From: ${gone}`, "Subject: Hi"]);
    expect(await reply(box, id, {})).toMatchObject({
      status: 400,
      body: { error: `Recipient is suppressed: ${gone} (bounce)` },
    });
    expect(await outboundOf(box)).toBe(1);
  });
});

const BY_MACHINE = { headers: { "Auto-Submitted": "auto-replied" } };

describe("an automatic reply", () => {
  const MACHINES = ["Auto-Submitted: auto-replied", "List-Id: <l.example.com>", "Precedence: bulk"];

  it.each(MACHINES)("is refused to automatic mail: %s", async (line) => {
    const box = await createMailbox();
    const [id, messageId] = [
      await received(box, ["From: ann@example.com", "Message-ID: <m@example.com>", line]),
      "<m@example.com>",
    ];
    for (const refused of [
      await reply(box, id, BY_MACHINE),
      await send(box, { in_reply_to: messageId, ...BY_MACHINE }),
      await forward(box, id, { to: "Ann <ANN+x@example.com>", ...BY_MACHINE }),
    ]) {
      expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, "headers.Auto-Submitted"]);
    }
    expect(await outboundOf(box)).toBe(0);
    for (const { status } of [
      await reply(box, id, {}),
      await send(box, { in_reply_to: messageId }),
      await forward(box, id, { to: "ann@example.com" }),
      // Forwarded to others it is new mail, not a reply.
      await forward(box, id, BY_MACHINE),
    ]) {
      expect(status).toBe(200);
    }
  });

  it("is refused to mail with a null return path", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage(), "")).body;
    expect((await reply(box, id, BY_MACHINE)).status).toBe(400);
    expect((await reply(box, id, {})).status).toBe(200);
  });

  it("to a person is marked as automatic, and goes to the return path only, whatever Reply-To says", async () => {
    const box = await createMailbox();
    const lines = ["From: Ann <ann@example.com>", "Reply-To: everybody@example.com", `To: ${box.mailbox}`];
    const raw = message([...lines, "Cc: bob@example.net", "Subject: A person"]);
    const { id } = (await deliver(box.mailbox, raw, "ann.path@example.com")).body;
    const { body } = await reply(box, id, BY_MACHINE);
    expect(await recipientsOf(box, body.id)).toEqual(["ann.path@example.com"]);
    expect(await rawOf(box, body.id)).toContain("Auto-Submitted: auto-replied\r\n");
    expect(await reply(box, id, { ...BY_MACHINE, reply_all: true })).toMatchObject({
      status: 400,
      body: { details: [{ path: "reply_all" }] },
    });
    const saysNo = { headers: { "Auto-Submitted": "no" } };
    expect(await recipientsOf(box, (await reply(box, id, saysNo)).body.id)).toEqual([
      "everybody@example.com",
    ]);
  });

  it("to a mailbox of this deployment goes to its address, and not to its return path", async () => {
    const [box, ann] = [await createMailbox(), await createMailbox()];
    await send(ann, { to: box.mailbox, reply_to: "everybody@example.com" }, "?wait=10");
    const [arrived] = await inboxOf(box);
    const { body } = await post(box, `emails/${arrived?.id}/reply?wait=10`, { text: "Yes.", ...BY_MACHINE });
    expect(await recipientsOf(box, body.id)).toEqual([ann.mailbox]);
    expect((await inboxOf(ann)).map(({ to_address }) => to_address)).toEqual([ann.mailbox]);
  });

  it("is refused if the return path is not a valid address", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage(), "ann@[192.0.2.1]")).body;
    expect(await reply(box, id, BY_MACHINE)).toMatchObject({
      status: 400,
      body: { error: "This email names no address that can be replied to" },
    });
  });

  it("can answer a message that the mailbox sent itself, or does not know", async () => {
    const box = await createMailbox();
    const first = await send(box, BY_MACHINE);
    const next = await send(box, { in_reply_to: first.body.message_id, ...BY_MACHINE });
    expect([next.status, next.body.thread_id]).toEqual([200, first.body.thread_id]);
    expect((await send(box, { in_reply_to: "<unknown@example.com>", ...BY_MACHINE })).status).toBe(200);
    const reminder = await reply(box, first.body.id, BY_MACHINE);
    expect(await recipientsOf(box, reminder.body.id)).toEqual(["ann@example.net"]);
  });

  it("ends a loop between two mailboxes that answer everything", async () => {
    const [one, other] = [await createMailbox(), await createMailbox()];
    const passOn = async (from: TestMailbox, to: TestMailbox, id: string) =>
      post(from, `emails/${id}/forward?wait=10`, {
        to: to.mailbox,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    const { id } = (await deliver(one.mailbox, plainMessage())).body;
    expect((await passOn(one, other, id)).body.delivery_status).toBe("delivered");
    const [arrived] = await inboxOf(other);
    expect(await passOn(other, one, arrived?.id ?? "")).toMatchObject({
      status: 400,
      body: { details: [{ path: "headers.Auto-Submitted" }] },
    });
  });
});

describe("a forward", () => {
  const png = new Uint8Array(5_000).map((_, index) => (index * 7) % 256);
  const files = [
    {
      lines: ["Content-Type: image/png", "Content-ID: <logo@x>", "Content-Disposition: inline"],
      content: base64(png),
    },
    {
      lines: ['Content-Disposition: attachment; filename="größe.txt"', "Content-ID: <unseen@x>"],
      content: base64("A"),
    },
    { lines: ["Content-Type: nonsense", "Content-Disposition: attachment"], content: base64("?") },
    { lines: ['Content-Disposition: attachment; filename="empty.txt"'], content: "" },
  ];
  const page = '<p>Look: <img src="cid:logo@x"></p>';

  it("carries the message and its attachments byte for byte, inline images included", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const id = (await deliver(box.mailbox, withFiles(files, page))).body.id;
    const { body } = await post(box, `emails/${id}/forward?wait=10`, { to: other.mailbox, text: "For you." });
    expect(body).toMatchObject({ delivery_status: "delivered", thread_id: (await email(box, id)).thread_id });
    const sent = await email(box, body.id);
    expect(sent).toMatchObject({ subject: "Fwd: Files", in_reply_to: null });
    expect(sent.body_text).toMatch(/^For you\.\n\n-+ Forwarded message -+\nFrom: Ann <ann@example\.com>\n/);
    expect(sent.body_html).toContain(page);
    const [arrived] = await inboxOf(other);
    const { attachments } = await email(other, arrived?.id ?? "");
    expect(
      attachments.map((file) => [file.filename, file.content_type, file.content_id, file.size_bytes]),
    ).toEqual([
      ["attachment-1.png", "image/png", "logo@x", 5_000],
      ["größe.txt", "text/plain", null, 1],
      [expect.any(String), "application/octet-stream", null, 1],
      ["empty.txt", "text/plain", null, 0],
    ]);
    expect(await download(other, attachments[0]?.id ?? "")).toEqual(png);
    expect(await download(box, sent.attachments[0]?.id ?? "")).toEqual(png);
  });

  it("omits the attachments on request, and puts the caller's first", async () => {
    const box = await createMailbox();
    const id = (await deliver(box.mailbox, withFiles(files, page))).body.id;
    const without = await forward(box, id, { with_attachments: false });
    expect((await email(box, without.body.id)).attachments).toEqual([]);
    const attachments = [{ filename: "mine.txt", content: base64("M") }];
    const both = await forward(box, id, { attachments });
    const names = (await email(box, both.body.id)).attachments.map(({ filename }) => filename);
    expect([names.length, names[0]]).toEqual([5, "mine.txt"]);
  });

  it("reads attachments of a large message from the blob store", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const large = new Uint8Array(3_000_000).map((_, index) => (index * 31) % 251);
    const file = { lines: ['Content-Disposition: attachment; filename="large.bin"'], content: base64(large) };
    const id = (await deliver(box.mailbox, withFiles([files[1] ?? file, file]))).body.id;
    const { body } = await post(box, `emails/${id}/forward?wait=20`, { to: other.mailbox });
    expect(body.delivery_status).toBe("delivered");
    const [arrived] = await inboxOf(other);
    const { attachments } = await email(other, arrived?.id ?? "");
    expect(attachments.map(({ size_bytes }) => size_bytes)).toEqual([1, 3_000_000]);
    expect(await download(other, attachments[1]?.id ?? "")).toEqual(large);
  });

  it("of an outgoing message uses its uploads without copying them", async () => {
    const box = await createMailbox();
    const attachments = [{ filename: "a.txt", content: base64("A") }];
    const sent = await send(box, { attachments });
    const { body } = await forward(box, sent.body.id, {});
    expect(await uploadsOf(box)).toHaveLength(1);
    await api(`/v1/emails/${sent.body.id}`, { key: box.api_key, method: "DELETE" });
    const [file] = (await email(box, body.id)).attachments;
    expect(new TextDecoder().decode(await download(box, file?.id ?? ""))).toBe("A");
  });

  it("reads a small message once, however many attachments it has, and each is unchanged", async () => {
    const box = await createMailbox();
    const contents = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(n));
    const many = contents.map((content, n) => ({
      lines: [`Content-Disposition: attachment; filename="${n}.txt"`],
      content: base64(content),
    }));
    const { id } = (await deliver(box.mailbox, withFiles(many))).body;
    const { vars, calls } = countingCalls(box);
    const { body } = await forward(box, id, {}, { vars });
    expect(calls.raw).toBe(1);
    const { attachments } = await email(box, body.id);
    const sent = await Promise.all(attachments.map((file) => download(box, file.id)));
    expect(sent.map((bytes) => new TextDecoder().decode(bytes))).toEqual(contents);
  });

  it("carries 100 attachments at most, the caller's included, and is refused before any is copied", async () => {
    const box = await createMailbox();
    const many = Array.from({ length: 99 }, (_, n) => ({
      lines: [`Content-Disposition: attachment; filename="${n}.txt"`],
      content: base64(`${n}`),
    }));
    const id = (await deliver(box.mailbox, withFiles(many))).body.id;
    const mine = { filename: "m.txt", content: base64("M") };
    expect(await forward(box, id, { attachments: [mine, mine] })).toMatchObject({
      status: 400,
      body: { details: [{ path: "attachments" }] },
    });
    expect(await uploadsOf(box)).toEqual([]);
    const { body } = await forward(box, id, { attachments: [mine] });
    expect((await email(box, body.id)).attachments).toHaveLength(100);
  });

  it("needs a recipient, and neither text nor html", async () => {
    const box = await createMailbox();
    const id = await received(box, ["Subject: Empty"], "");
    expect(await forward(box, id, { to: [] })).toMatchObject({
      status: 400,
      body: { error: "Missing required fields: to" },
    });
    expect((await forward(box, id, {})).status).toBe(200);
  });

  it("has one header section, whatever the original's header contains", async () => {
    const box = await createMailbox();
    const id = await received(box, [
      "From: =?utf-8?q?=3D=3Futf-8=3Fq=3F=3D0D=3D0ABcc=3A=5Fx=40example=2Eorg=3F=3D?= <ann@example.com>",
      "Subject: =?utf-8?q?Hi=0D=0ABcc:_x@example.org?=",
      "Message-ID: <a b\u00e9@example.com>",
    ]);
    for (const { body } of [await forward(box, id, {}), await reply(box, id, {})]) {
      const [head = ""] = (await rawOf(box, body.id)).split("\r\n\r\n");
      expect(head).not.toMatch(/^bcc:/im);
      expect(head).not.toContain("=?utf-8?q?=0D");
      expect(await recipientsOf(box, body.id)).not.toContain("x@example.org");
    }
  });
});

describe("a reply and a forward", () => {
  it("answer 404 for an email that does not exist, of another mailbox, or deleted", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const foreign = (await deliver(other.mailbox, plainMessage())).body.id;
    const gone = (await deliver(box.mailbox, plainMessage())).body.id;
    await api(`/v1/emails/${gone}`, { key: box.api_key, method: "DELETE" });
    for (const id of [foreign, gone, crypto.randomUUID(), "nonsense"]) {
      for (const { status, body } of [await reply(box, id, {}), await forward(box, id, {})]) {
        expect([status, body]).toEqual([404, problemBody(notFound("Email"))]);
      }
    }
    expect(await outboundOf(other)).toBe(0);
  });

  it("send once under an Idempotency-Key, even after the email is deleted, and copy no file for the repeat", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const file = { lines: ['Content-Disposition: attachment; filename="a.txt"'], content: base64("A") };
    const id = (await deliver(box.mailbox, withFiles([file]))).body.id;
    const more = { headers: { "Idempotency-Key": "passed-on" } };
    const first = await forward(box, id, { to: other.mailbox }, more);
    await api(`/v1/emails/${id}`, { key: box.api_key, method: "DELETE" });
    const again = await forward(box, id, { to: other.mailbox }, more);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect(await uploadsOf(box)).toHaveLength(1);
    expect(await outboundOf(box)).toBe(1);
    for (const { status } of [
      await forward(box, id, { to: other.mailbox, text: "Other" }, more),
      await reply(box, id, {}, more),
      await post(box, "send", { to: other.mailbox, subject: "x", text: "x" }, more),
    ]) {
      expect(status).toBe(422);
    }
  });

  it("that are refused leave no copy of a file behind, and take no room", async () => {
    const box = await createMailbox();
    const large = new Uint8Array(600_000).map((_, index) => index % 251);
    const files = ["A", large].map((bytes, index) => ({
      lines: [`Content-Disposition: attachment; filename="${index}.txt"`],
      content: base64(bytes),
    }));
    const { id } = (await deliver(box.mailbox, withFiles(files))).body;
    const nobody = "nobody-at-all@mailkeep.test";
    await send(box, { to: nobody }, "?wait=10");
    await Promise.all(Array.from({ length: 99 }, () => send(box, {})));
    const before = [await storageOf(box), await blobsOf(box)];

    const attachments = [{ filename: "mine.txt", content: base64("M") }];
    const missing = [...attachments, { attachment_id: crypto.randomUUID() }];
    const key = { headers: { "Idempotency-Key": "refused" } };
    for (const [status, refused] of [
      [403, await forward(box, id, { from: "ceo@example.com", attachments })],
      [400, await reply(box, id, { attachments: missing })],
      [400, await forward(box, id, { to: nobody, attachments })],
      [429, await forward(box, id, {}, key)],
    ] as const) {
      expect(refused.status).toBe(status);
      expect(await uploadsOf(box)).toEqual([]);
    }
    // The alarm, which is due, erases the bytes.
    await ringAlarm(box.mailbox);
    expect([await storageOf(box), await blobsOf(box)]).toEqual(before);
  });

  it("do not erase an upload of the caller if they are refused", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage())).body;
    const upload = await ask<{ id: string }>("/v1/attachments?filename=a.txt", {
      key: box.api_key,
      body: "A",
    });
    const attachments = [{ attachment_id: upload.body.id }];
    expect((await forward(box, id, { from: "ceo@example.com", attachments })).status).toBe(403);
    expect((await forward(box, id, { attachments })).status).toBe(200);
  });

  it("that come at the same time under one key are one message", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const id = await received(box, [`From: ${other.mailbox}`, "Subject: Once"]);
    const more = { headers: { "Idempotency-Key": "at-once" } };
    const mine = { filename: "mine.txt", content: base64("M") };
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        post(box, `emails/${id}/reply?wait=10`, { text: "Yes.", attachments: [mine] }, more),
      ),
    );
    expect(new Set(all.map(({ status, body }) => `${status} ${body.id} ${body.status}`)).size).toBe(1);
    expect(all[0]?.body.delivery_status).toBe("delivered");
    expect(await inboxOf(other)).toHaveLength(1);
    expect(await uploadsOf(box)).toHaveLength(1);
  });

  it("count against the daily limit like any send, and are refused beyond it", async () => {
    const box = await createMailbox();
    const id = (await deliver(box.mailbox, plainMessage())).body.id;
    await Promise.all(Array.from({ length: 99 }, () => send(box, {})));
    expect((await reply(box, id, {})).body.sends_today).toBe(100);
    for (const { status, body } of [await reply(box, id, {}), await forward(box, id, {})]) {
      expect([status, body.error]).toEqual([429, "Daily send limit reached (100/100)"]);
    }
  });

  it("are also open to the operator, who names the mailbox", async () => {
    const box = await createMailbox();
    const id = (await deliver(box.mailbox, plainMessage())).body.id;
    const path = `/v1/emails/${id}/reply?mailbox=${box.mailbox}`;
    expect((await ask(path, { key: OPERATOR, json: { text: "Yes." } })).status).toBe(200);
  });
});

describe("in_reply_to", () => {
  it("adds the references of a message that the mailbox stores, received or sent", async () => {
    const box = await createMailbox();
    await received(box, [
      "From: ann@example.com",
      "Subject: Third",
      "Message-ID: <3@example.com>",
      "References: <1@example.com> <2@example.com>",
    ]);
    const fourth = await send(box, { in_reply_to: "<3@example.com>" });
    expect((await email(box, fourth.body.id)).references).toBe(
      "<1@example.com> <2@example.com> <3@example.com>",
    );
    const fifth = await send(box, { in_reply_to: fourth.body.message_id });
    expect(await email(box, fifth.body.id)).toMatchObject({
      in_reply_to: fourth.body.message_id,
      references: `<1@example.com> <2@example.com> <3@example.com> ${fourth.body.message_id}`,
      thread_id: fourth.body.thread_id,
    });
  });

  it("is the only reference if the mailbox does not store that message", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    await received(other, ["From: a@x.com", "Message-ID: <held@x.com>", "References: <secret@x.com>"]);
    const { body } = await send(box, { in_reply_to: "held@x.com" });
    expect(await email(box, body.id)).toMatchObject({
      in_reply_to: "<held@x.com>",
      references: "<held@x.com>",
    });
  });

  it("must be one Message-ID, which is checked only after the key", async () => {
    const box = await createMailbox();
    const wrong = { in_reply_to: "<a@x.com> <b@x.com>" };
    expect(await send(box, wrong)).toMatchObject({
      status: 400,
      body: { details: [{ path: "in_reply_to" }] },
    });
    expect(await send(await bootstrap(), wrong)).toMatchObject({ status: 403 });
  });
});

describe("a deployment that sends nothing (OUTBOUND=none)", () => {
  const vars = { OUTBOUND: "none" };
  const NOT_AVAILABLE = { status: 501, body: { error: "Email sending is not available" } };

  it("answers 501 to callers that may send, whatever the request, and accepts nothing", async () => {
    const box = await createMailbox();
    const id = (await deliver(box.mailbox, plainMessage())).body.id;
    const more = { vars, headers: { "Idempotency-Key": "none" } };
    expect(await post(box, "send", { to: "a@x.com", subject: "x", text: "x" }, more)).toMatchObject(
      NOT_AVAILABLE,
    );
    expect(await reply(box, id, {}, { vars })).toMatchObject(NOT_AVAILABLE);
    expect(await forward(box, id, {}, { vars })).toMatchObject(NOT_AVAILABLE);
    expect(await outboundOf(box)).toBe(0);
    const temporary = await bootstrap();
    expect((await reply(temporary, id, {}, { vars })).status).toBe(403);
    expect((await reply({ ...box, api_key: "mk_wrong" }, id, {}, { vars })).status).toBe(401);
  });

  it("does not send messages that were accepted before, until sending is configured again", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    await setVariables(box.mailbox, vars);
    // The router still has the old settings and accepts the message.
    const { body } = await send(box, { to: other.mailbox }, "?wait=1");
    await ringAlarm(box.mailbox);
    expect((await email(box, body.id)).status).toBe("queued");
    expect(await inboxOf(other)).toEqual([]);
    await evict(box.mailbox);
    await expect
      .poll(async () => (await ringAlarm(box.mailbox), (await email(box, body.id)).status))
      .toBe("delivered");
  });

  it("shows that in the capabilities of /v1/me", async () => {
    const [box, temporary] = [await createMailbox(), await bootstrap()];
    const me = async (key: string, more: Ask = {}) =>
      (await ask<{ send: boolean; capabilities: string[] }>("/v1/me", { key, ...more })).body;
    expect((await me(box.api_key)).send).toBe(true);
    expect((await me(OPERATOR)).send).toBe(true);
    expect(await me(temporary.api_key)).toMatchObject({ send: false });
    expect((await me(temporary.api_key)).capabilities).not.toContain("send");
    expect((await me(box.api_key)).capabilities).toContain("send");
    expect((await me(box.api_key, { vars })).send).toBe(false);
    expect((await me(OPERATOR, { vars })).send).toBe(false);
  });
});

describe("a JSON body with files in it", () => {
  const LIMIT = 25_000_000;
  /** A body of this many bytes, nearly all of them a file. */
  const padded = (bytes: number) => {
    const withFile = (content: string) =>
      JSON.stringify({ text: "Hi.", attachments: [{ filename: "a.bin", content }] });
    const room = bytes - withFile("").length;
    return withFile("A".repeat(room - (room % 4))).padEnd(bytes, " ");
  };

  it("may have 25 MB; beyond that the error names the upload route", async () => {
    const box = await createMailbox();
    const id = (await deliver(box.mailbox, plainMessage())).body.id;
    const headers = { "Content-Type": "application/json" };
    const path = `/v1/emails/${id}/reply`;
    expect((await ask(path, { key: box.api_key, body: padded(LIMIT), headers })).status).toBe(200);
    expect(await ask(path, { key: box.api_key, body: padded(LIMIT + 1), headers })).toMatchObject({
      status: 413,
      body: { error: expect.stringContaining("POST /v1/attachments") as string },
    });
  });
});
