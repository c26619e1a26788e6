import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Email } from "../../src/contract/message.ts";
import type { EmailPage } from "../../src/contract/message.ts";
import type { MailboxKey, Service } from "./client.ts";
import { filler, message, newMessageId } from "./messages.ts";
import { Server } from "./server.ts";
import { SmtpConnection, deliver, sendMail, stuffed } from "./smtp.ts";

/** The largest message that is received: 25 MiB (docs/limits.md#receiving). */
const MAX_MESSAGE_BYTES = 26_214_400;

let server: Server;
let service: Service;

beforeAll(async () => {
  server = await Server.start();
  service = server.service;
}, 180_000);

afterAll(() => server.stop());

/** Sends exact bytes by SMTP to one mailbox and returns the stored email. */
async function received(box: MailboxKey, bytes: Buffer, to = box.mailbox, from = "a@b.example") {
  const replies = await deliver(server.smtpPort, { from, to: [to], bytes });
  expect(replies.data).toMatch(/^250 2\.0\.0 Ok: \S+$/);
  const [summary] = (await service.get<EmailPage>("/v1/inbox?limit=1", box.api_key)).emails;
  if (!summary) throw new Error("The inbox is empty");
  const email = await service.email(box.api_key, summary.id);
  expect(Email.safeParse(email).error).toBeUndefined();
  expect(email).toMatchObject(summary);
  return email;
}

describe("an agent without a human", () => {
  it("gets a mailbox, waits for the code that a mail brings, and reads the mail", async () => {
    const box = await service.bootstrap();
    const [code, sent] = await Promise.all([
      service.code(box.api_key),
      sendMail(server.smtpPort, {
        from: '"Example Shop" <shop@example.com>',
        to: box.mailbox,
        subject: "Your code",
        text: "Your verification code is 482913. It expires in ten minutes.",
      }),
    ]);
    expect(sent.accepted).toEqual([box.mailbox]);
    expect(code).toMatchObject({ code: "482913", from: "shop@example.com", subject: "Your code" });
    const inbox = await service.inbox(box.api_key);
    expect(inbox).toHaveLength(1);
    expect(inbox[0]).toMatchObject({
      id: code.id,
      mailbox: box.mailbox,
      from_address: "shop@example.com",
      from_name: "Example Shop",
      to_address: box.mailbox,
      subject: "Your code",
      code: "482913",
      direction: "inbound",
      status: "received",
      has_attachments: false,
    });
    const email = await service.email(box.api_key, inbox[0]?.id ?? "");
    expect(email.body_text).toContain("Your verification code is 482913.");
    expect(email.message_id).toBe(sent.messageId);
    expect(email.metadata).toMatchObject({ envelope_from: "shop@example.com", received_via: "smtp" });
    const raw = (await service.raw(box.api_key, email.id)).toString("utf8");
    expect(raw).toContain(`Message-ID: ${sent.messageId}\r\n`);
    expect(email.size_bytes).toBe(raw.length);
  });

  it("finds its mail by words, and follows a thread from the mail to its reply", async () => {
    const box = await service.bootstrap();
    const question = await sendMail(server.smtpPort, {
      from: "ann@example.com",
      to: box.mailbox,
      subject: "Delivery of the gramophone",
      text: "When does the gramophone arrive?",
    });
    await sendMail(server.smtpPort, {
      from: "ben@example.org",
      to: box.mailbox,
      subject: "Delivery of the gramophone",
      text: "A stranger who asks the same about his own gramophone.",
    });
    await sendMail(server.smtpPort, {
      from: "cat@example.com",
      to: box.mailbox,
      subject: "Re: Delivery of the gramophone",
      text: "On Tuesday, by lorry.",
      inReplyTo: question.messageId,
      references: question.messageId,
    });

    expect((await service.search(box.api_key, "lorry")).map((one) => one.from_address)).toEqual([
      "cat@example.com",
    ]);
    expect(await service.search(box.api_key, "gramophone")).toHaveLength(3);
    expect((await service.search(box.api_key, "gramophone from:ben")).map((one) => one.from_address)).toEqual(
      ["ben@example.org"],
    );

    const threads = await service.threads(box.api_key);
    expect(threads.map((one) => [one.from_address, one.message_count])).toEqual([
      ["cat@example.com", 2],
      ["ben@example.org", 1],
    ]);
    const thread = await service.thread(box.api_key, threads[0]?.thread_id ?? "");
    expect(thread.emails.map((one) => one.from_address)).toEqual(["ann@example.com", "cat@example.com"]);
  });

  it("reads a mail that is HTML only, as text with its links, and gets the code out of it", async () => {
    const box = await service.bootstrap();
    await sendMail(server.smtpPort, {
      from: "login@example.com",
      to: box.mailbox,
      subject: "Sign in",
      html: `<style>p { color: red }</style><p>Your sign-in code:</p><p><b>739 204</b></p>
        <p><a href="https://example.com/help?a=1&amp;b=2">Help</a></p><div style="display:none">code 111111</div>`,
    });
    const code = await service.code(box.api_key);
    expect(code.code).toBe("739204");
    const email = await service.email(box.api_key, code.id ?? "");
    expect(email.body_text).toContain("Your sign-in code:");
    expect(email.body_text).toContain("https://example.com/help?a=1&b=2");
    expect(email.body_text).not.toMatch(/color: red|111111|<\w/);
    expect(email.body_html).toContain("<b>739 204</b>");
  });
});

describe("a permanent mailbox", () => {
  it("downloads an attachment whole and in ranges, and never as a type that a browser renders", async () => {
    const box = await service.createMailbox();
    const content = randomBytes(70_000);
    await sendMail(server.smtpPort, {
      from: "ann@example.com",
      to: box.mailbox,
      subject: "Plans",
      text: "See the plans.",
      attachments: [{ filename: "plän e.html", content, contentType: "text/html" }],
    });
    const [summary] = await service.inbox(box.api_key);
    expect(summary).toMatchObject({ has_attachments: true, attachment_count: 1 });
    const email = await service.email(box.api_key, summary?.id ?? "");
    const [attachment] = email.attachments;
    expect(attachment).toMatchObject({ filename: "plän e.html", size_bytes: 70_000, downloadable: true });

    const path = `/v1/attachments/${attachment?.id}`;
    const whole = await service.call(path, { key: box.api_key });
    expect(whole.status).toBe(200);
    expect(whole.bytes.equals(content)).toBe(true);
    expect(whole.headers["content-disposition"]).toMatch(
      /^attachment;.*filename\*=UTF-8''pl%C3%A4n%20e\.html/,
    );
    expect(whole.headers["x-content-type-options"]).toBe("nosniff");
    expect(whole.headers["content-security-policy"]).toBe("default-src 'none'; sandbox");

    const range = await service.call(path, { key: box.api_key, headers: { Range: "bytes=100-299" } });
    expect(range.status).toBe(206);
    expect(range.headers["content-range"]).toBe("bytes 100-299/70000");
    expect(range.bytes.equals(content.subarray(100, 300))).toBe(true);
    const beyond = await service.call(path, { key: box.api_key, headers: { Range: "bytes=70000-" } });
    expect(beyond.status).toBe(416);
  });
});

describe("recipients", () => {
  it("each get one message with their own envelope, and an unknown one does not affect the others", async () => {
    const [one, two] = [await service.createMailbox(), await service.createMailbox()];
    const bytes = message({ subject: "To you both", headers: ["To: undisclosed-recipients:;"] });
    const replies = await deliver(server.smtpPort, {
      from: "ann@example.com",
      to: [one.mailbox, "nobody-here@mailkeep.test", two.mailbox],
      bytes,
    });
    expect(replies.rcpt).toEqual([
      expect.stringMatching(/^250 2\.1\.5 /),
      "550 5.1.1 <nobody-here@mailkeep.test>: no such mailbox",
      expect.stringMatching(/^250 2\.1\.5 /),
    ]);
    expect(replies.data).toMatch(/^250 2\.0\.0 Ok: \S+ \S+$/);
    const ids: string[] = [];
    for (const box of [one, two]) {
      const [summary, ...others] = await service.inbox(box.api_key);
      expect(others).toEqual([]);
      expect(summary).toMatchObject({ mailbox: box.mailbox, to_address: box.mailbox });
      const email = await service.email(box.api_key, summary?.id ?? "");
      expect(email.metadata.envelope_to).toBe(box.mailbox);
      expect((await service.raw(box.api_key, email.id)).equals(bytes)).toBe(true);
      ids.push(email.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it("of another domain, and mailboxes that were deleted, are unknown", async () => {
    const box = await service.createMailbox();
    expect((await service.call("/v1/mailbox", { key: box.api_key, method: "DELETE" })).status).toBe(200);
    const to = [box.mailbox, "someone@example.com"];
    const replies = await deliver(server.smtpPort, { from: "a@b.example", to, bytes: message() });
    expect(replies.rcpt).toEqual(to.map((one) => `550 5.1.1 <${one}>: no such mailbox`));
    expect(replies.data).toBeNull();
    expect((await service.call("/v1/me", { key: box.api_key })).status).toBe(401);
  });

  it("with a +tag reach the mailbox, which sees the tag", async () => {
    const box = await service.createMailbox();
    const tagged = box.mailbox.replace("@", "+orders@").toUpperCase();
    const email = await received(box, message(), tagged);
    expect(email.to_address).toBe(box.mailbox.replace("@", "+orders@"));
    expect(email.mailbox).toBe(box.mailbox);
  });

  it("receive mail while their mailbox is paused, and can read it when it is resumed", async () => {
    const box = await service.createMailbox();
    const bytes = message({ subject: "While you slept" });
    expect((await service.call("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" })).status).toBe(200);
    const refused = await service.ask("/v1/inbox", { key: box.api_key });
    expect([refused.status, refused.body]).toEqual([403, { error: "Mailbox is paused" }]);
    const replies = await deliver(server.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes });
    expect(replies.data).toMatch(/^250 /);
    await service.call("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    expect((await service.inbox(box.api_key)).map((one) => one.subject)).toEqual(["While you slept"]);
  });

  it("receive mail from the null sender", async () => {
    const box = await service.createMailbox();
    const email = await received(box, message({ from: "MAILER-DAEMON@example.com" }), box.mailbox, "");
    expect(email.metadata.envelope_from).toBe("");
    expect(email.from_address).toBe("MAILER-DAEMON@example.com");
  });
});

describe("a repeat", () => {
  it("by a sender that got no answer is one mail; a mail without Message-ID is never a repeat", async () => {
    const box = await service.createMailbox();
    const known = message({ subject: "Again" });
    const retried = Buffer.concat([Buffer.from("Received: by another.example\r\n"), known]);
    const anonymous = message({ subject: "Anonymous", messageId: null });
    for (const bytes of [known, known, retried, anonymous, anonymous]) {
      const replies = await deliver(server.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes });
      expect(replies.data).toMatch(/^250 /);
    }
    const subjects = (await service.inbox(box.api_key)).map((one) => one.subject);
    expect(subjects).toEqual(["Anonymous", "Anonymous", "Again"]);
  });

  it("of a Message-ID with other content is another mail", async () => {
    const box = await service.createMailbox();
    const messageId = newMessageId();
    for (const subject of ["Forged", "Genuine"]) await received(box, message({ messageId, subject }));
    expect((await service.inbox(box.api_key)).map((one) => one.subject)).toEqual(["Genuine", "Forged"]);
  });
});

describe("bytes", () => {
  const every = Buffer.from(
    Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x0d && byte !== 0x0a),
  );
  const messages: Record<string, Buffer> = {
    "8-bit and control bytes": message({ body: Buffer.concat([every, Buffer.from("\r\n")]) }),
    "8-bit header": Buffer.from(
      "Subject: gr\xfc\xdfe\r\nFrom: M\xfcller <m@example.com>\r\n\r\nx\r\n",
      "latin1",
    ),
    "lines that begin with dots": message({ body: ".\n..\n...\n.a\n\n.\n\n..\n" }),
    "a dot before everything": Buffer.from(".Subject: x\r\n\r\nx\r\n"),
    "bare CR and bare LF": message({ body: Buffer.from("a\nb\rc\n\nd\r\r\n") }),
    "a line of 100,000 characters": message({ body: `${"y".repeat(100_000)}\n` }),
    "no header": Buffer.from("\r\nOnly a body.\r\n"),
    "no body": Buffer.from("Subject: Only a header\r\n"),
    "one empty line": Buffer.from("\r\n"),
  };

  it.each(Object.keys(messages))("come back as sent: %s", async (name) => {
    const bytes = messages[name] ?? Buffer.alloc(0);
    const box = await service.createMailbox();
    const email = await received(box, bytes);
    expect(await service.raw(box.api_key, email.id)).toEqual(bytes);
    expect(email.size_bytes).toBe(bytes.length);
  });

  it.each([524_287, 524_288, 524_289, 24 * 1024 * 1024, MAX_MESSAGE_BYTES])(
    "come back as sent: a message of %i",
    async (size) => {
      const box = await service.createMailbox();
      const header = message({ subject: "Large", body: "" });
      const bytes = Buffer.concat([header, filler(size - header.length)]);
      expect(bytes.length).toBe(size);
      const email = await received(box, bytes);
      expect(email).toMatchObject({ subject: "Large", size_bytes: size });
      expect((await service.raw(box.api_key, email.id)).equals(bytes)).toBe(true);
      expect((await service.search(box.api_key, "large")).map((one) => one.id)).toEqual([email.id]);
    },
  );

  it("of a large attachment come back as the sender encoded them, whole and in ranges", async () => {
    const box = await service.createMailbox();
    const content = randomBytes(3_000_000);
    await sendMail(server.smtpPort, {
      from: "ann@example.com",
      to: box.mailbox,
      subject: "Film",
      attachments: [
        { filename: "one.bin", content: content.subarray(0, 10) },
        { filename: "two.bin", content },
      ],
    });
    const [summary] = await service.inbox(box.api_key);
    const email = await service.email(box.api_key, summary?.id ?? "");
    expect(email.attachments.map((one) => one.size_bytes)).toEqual([10, 3_000_000]);
    const path = `/v1/attachments/${email.attachments[1]?.id}`;
    const whole = await service.call(path, { key: box.api_key });
    expect(whole.bytes.equals(content)).toBe(true);
    const last = await service.call(path, { key: box.api_key, headers: { Range: "bytes=-5" } });
    expect(last.bytes).toEqual(content.subarray(-5));
  });
});

describe("a message over the limit", () => {
  it("is refused at MAIL FROM when its SIZE says so, and the limit itself is not", async () => {
    const sender = await SmtpConnection.open(server.smtpPort);
    expect(await sender.say(`MAIL FROM:<a@b.example> SIZE=${MAX_MESSAGE_BYTES + 1}`)).toMatch(
      /^552 5\.3\.4 /,
    );
    expect(await sender.say(`MAIL FROM:<a@b.example> SIZE=${MAX_MESSAGE_BYTES}`)).toMatch(/^250 /);
    await sender.quit();
  });

  it("is refused at DATA and not stored, and the connection continues", async () => {
    const box = await service.createMailbox();
    const header = message({ subject: "Too large", body: "" });
    const bytes = Buffer.concat([header, filler(MAX_MESSAGE_BYTES + 1 - header.length)]);
    const sender = await SmtpConnection.open(server.smtpPort);
    const refused = await sender.deliver({ from: "a@b.example", to: [box.mailbox], bytes });
    expect(refused.data).toMatch(/^552 5\.3\.4 /);
    const small = message({ subject: "Small" });
    expect((await sender.deliver({ from: "a@b.example", to: [box.mailbox], bytes: small })).data).toMatch(
      /^250 /,
    );
    await sender.quit();
    expect((await service.inbox(box.api_key)).map((one) => one.subject)).toEqual(["Small"]);
    expect((await service.ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ total_emails: 1 });
  });

  it("is counted without the dots that SMTP adds", async () => {
    const box = await service.createMailbox();
    const header = message({ subject: "Dots", body: "" });
    const lines = filler(MAX_MESSAGE_BYTES - header.length, ".");
    const bytes = Buffer.concat([header, lines]);
    expect(stuffed(bytes).length).toBeGreaterThan(MAX_MESSAGE_BYTES);
    const email = await received(box, bytes);
    expect((await service.raw(box.api_key, email.id)).equals(bytes)).toBe(true);
  });

  it("is refused over HTTP with 413 and not stored, whether or not its length is announced", async () => {
    const box = await service.createMailbox();
    const path = `/v1/inbound?${new URLSearchParams({ from: "a@b.example", to: box.mailbox }).toString()}`;
    const ask = { key: service.operator, method: "POST" };
    // Only the first bytes are sent: the announced length is enough to refuse.
    const announced = await service.call(path, {
      ...ask,
      headers: { "Content-Type": "message/rfc822", "Content-Length": MAX_MESSAGE_BYTES + 1 },
      body: "Subject: x\r\n",
      keepOpen: true,
    });
    expect(announced.status).toBe(413);
    const streamed = await service.call(path, {
      ...ask,
      headers: { "Content-Type": "message/rfc822", "Transfer-Encoding": "chunked" },
      body: filler(MAX_MESSAGE_BYTES + 1),
    });
    expect(streamed.status).toBe(413);
    expect(await service.inbox(box.api_key)).toEqual([]);
  });
});
