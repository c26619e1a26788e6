import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notFound, problemBody } from "../../src/contract/problem.ts";
import type { KeyList } from "../../src/contract/mailbox.ts";
import type { Email } from "../../src/contract/message.ts";
import type { Ask, MailboxKey, Service } from "./client.ts";
import { message, newMessageId } from "./messages.ts";
import { Server } from "./server.ts";
import { deliver, sendMail } from "./smtp.ts";

const FOREIGN = { error: "forbidden", message: "Key not authorized for this mailbox" };

let server: Server;
let service: Service;
let own: MailboxKey;
let other: MailboxKey;
let theirs: Email;
let ours: Email;

beforeAll(async () => {
  server = await Server.start();
  service = server.service;
  [own, other] = [await service.createMailbox(), await service.createMailbox()];
  [ours, theirs] = [await fill(own), await fill(other)];
}, 180_000);

afterAll(() => server.stop());

/** Delivers a mail with an attachment, a code, and words that only this mailbox has. */
async function fill(box: MailboxKey): Promise<Email> {
  const name = box.mailbox.split("@")[0] ?? "";
  await sendMail(server.smtpPort, {
    from: `friend-of-${name}@example.com`,
    to: box.mailbox,
    subject: `Only for ${name}`,
    text: "Your verification code is 661924.",
    attachments: [{ filename: `${name}.txt`, content: "Top secret" }],
  });
  const [summary] = await service.inbox(box.api_key);
  return service.email(box.api_key, summary?.id ?? "");
}

/** Everything by which a caller could distinguish two refusals. */
async function seen(path: string, ask: Ask): Promise<unknown> {
  const { status, headers, bytes } = await service.call(path, ask);
  const { date: _, "x-request-id": __, ...visible } = headers;
  return { status, headers: visible, body: bytes.toString("utf8") };
}

/** Valid ids that name nothing. */
const NOBODYS = ["0199d4a0-1234-7abc-8def-0123456789ab", "0199d4a0-1234-7abc-8def-000000000000"];

describe("an id of another mailbox", () => {
  const requests: { method: string; path: string; what: Parameters<typeof notFound>[0]; json?: unknown }[] = [
    { method: "GET", path: "/v1/emails/:id", what: "Email" },
    { method: "GET", path: "/v1/email?id=:id", what: "Email" },
    { method: "GET", path: "/v1/emails/:id/raw", what: "Email" },
    { method: "DELETE", path: "/v1/emails/:id", what: "Email" },
    { method: "DELETE", path: "/v1/email?id=:id", what: "Email" },
    {
      method: "PATCH",
      path: "/v1/emails/:id",
      what: "Email",
      json: { add_labels: ["x"] },
    },
    { method: "GET", path: "/v1/threads/:id", what: "Thread" },
    { method: "GET", path: "/v1/thread?id=:id", what: "Thread" },
    { method: "GET", path: "/v1/attachments/:id", what: "Attachment" },
    { method: "GET", path: "/v1/attachment?id=:id", what: "Attachment" },
  ];
  const everyIdOf = ({ id, thread_id, attachments }: Email) => [id, thread_id, attachments[0]?.id ?? ""];

  it.each(requests)(
    "gets the same answer as an id that never existed: $method $path",
    async ({ method, path, what, json }) => {
      const at = (id: string) => path.replace(":id", id);
      const ask = { key: own.api_key, method, json };
      const unknown = await seen(at(NOBODYS[0] ?? ""), ask);
      const body = JSON.stringify(problemBody(notFound(what)));
      expect(unknown).toMatchObject({ status: 404, body });
      for (const id of [...NOBODYS, ...everyIdOf(theirs)]) expect(await seen(at(id), ask)).toEqual(unknown);
      // The operator who names this mailbox does not find the other one's mail there either.
      const onOwn = `${path.includes("?") ? "&" : "?"}mailbox=${encodeURIComponent(own.mailbox)}`;
      for (const id of everyIdOf(theirs)) {
        const answer = await service.ask(`${at(id)}${onOwn}`, { key: service.operator, method, json });
        expect([answer.status, answer.body.error]).toEqual([404, `${what} not found`]);
      }
    },
  );

  it("still names its unchanged email after all these calls", async () => {
    expect(await service.email(other.api_key, theirs.id)).toEqual(theirs);
    const attachment = await service.call(`/v1/attachments/${theirs.attachments[0]?.id}`, {
      key: other.api_key,
    });
    expect(attachment.bytes.toString()).toBe("Top secret");
  });

  it("does not name a key either", async () => {
    const keys = await service.get<KeyList>("/v1/keys", other.api_key);
    const revoke = (id: string) => seen(`/v1/keys/${id}`, { key: own.api_key, method: "DELETE" });
    const unknown = await revoke(NOBODYS[0] ?? "");
    expect(unknown).toMatchObject({ status: 404 });
    expect(keys.keys).toHaveLength(1);
    for (const { id } of keys.keys) expect(await revoke(id)).toEqual(unknown);
    expect((await service.call("/v1/me", { key: other.api_key })).status).toBe(200);
  });

  it("used as a cursor shows no mail of that mailbox", async () => {
    await service.handOver(other.mailbox, message({ subject: "Second" }));
    const page = await service.get<{ next_cursor: string }>("/v1/inbox?limit=1", other.api_key);
    const { emails } = await service.get<{ emails: { id: string }[] }>(
      `/v1/inbox?cursor=${page.next_cursor}`,
      own.api_key,
    );
    expect(emails.every((one) => one.id === ours.id)).toBe(true);
  });
});

describe("a parameter that names another mailbox", () => {
  const reads = [
    "/v1/me",
    "/v1/inbox",
    "/v1/search?q=only",
    "/v1/code?timeout=1",
    "/v1/threads",
    "/v1/stats",
    "/v1/mailbox",
    "/v1/keys",
  ];
  const unknown = "nobody-at-all@mailkeep.test";
  const forms = (address: string) => {
    const at = encodeURIComponent(address);
    const self = encodeURIComponent(own.mailbox);
    return [
      `mailbox=${at}`,
      `to=${at}`,
      `mailbox=${self}&mailbox=${at}`,
      `mailbox=${at}&mailbox=${self}`,
      `mailbox%5B%5D=${at}`,
      `address=${at}`,
      `mailbox=${at.toUpperCase()}`,
      `mailbox=${at.replace("%40", "%2Btag%40")}`,
    ];
  };

  it.each(reads)("is 403 on %s, and the same whether or not that mailbox exists", async (path) => {
    for (const address of [other.mailbox, unknown]) {
      for (const form of forms(address)) {
        const answer = await service.ask(`${path}${path.includes("?") ? "&" : "?"}${form}`, {
          key: own.api_key,
        });
        expect([form, answer.status, answer.body]).toEqual([form, 403, FOREIGN]);
      }
    }
  });

  it("is 403 on calls that change something, and changes nothing", async () => {
    const query = `?mailbox=${encodeURIComponent(other.mailbox)}`;
    const changes: [string, string, unknown?][] = [
      ["PATCH", "/v1/mailbox", { display_name: "Mine" }],
      ["PATCH", "/v1/mailbox/pause"],
      ["PATCH", "/v1/mailbox/resume"],
      ["DELETE", "/v1/mailbox"],
      ["POST", "/v1/keys", {}],
      ["DELETE", `/v1/emails/${theirs.id}`],
    ];
    for (const [method, path, json] of changes) {
      const answer = await service.ask(`${path}${query}`, { key: own.api_key, method, json });
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, FOREIGN]);
    }
    for (const { mailbox, api_key } of [own, other]) {
      expect(await service.get("/v1/mailbox", api_key)).toMatchObject({
        mailbox,
        status: "active",
        display_name: null,
      });
    }
  });

  it("is allowed if it is the key's own mailbox, in any spelling", async () => {
    const [name, domain] = own.mailbox.split("@");
    for (const written of [own.mailbox, own.mailbox.toUpperCase(), `${name}+tag@${domain}`]) {
      for (const parameter of ["mailbox", "to"]) {
        const path = `/v1/inbox?${parameter}=${encodeURIComponent(written)}`;
        expect([path, (await service.call(path, { key: own.api_key })).status]).toEqual([path, 200]);
      }
    }
  });

  it("in the path is allowed for the operator only", async () => {
    for (const address of [own.mailbox, other.mailbox, unknown]) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await service.ask(`/v1/mailboxes/${address}`, { key: own.api_key, method });
        expect([answer.status, answer.body.code]).toEqual([403, "insufficient_scope"]);
      }
    }
    for (const path of ["/v1/mailboxes", `/v1/inbound?to=${encodeURIComponent(own.mailbox)}&from=`]) {
      const method = path.includes("inbound") ? "POST" : "GET";
      const headers = method === "POST" ? { "Content-Type": "message/rfc822" } : {};
      const answer = await service.ask(path, { key: own.api_key, method, headers });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "insufficient_scope"]);
    }
  });
});

describe("mail of another mailbox", () => {
  it("is not found by search, not listed by any filter, and its code is not handed out", async () => {
    const name = other.mailbox.split("@")[0] ?? "";
    const found = expect.objectContaining({ id: theirs.id });
    const queries = [
      name,
      `"Only for ${name}"`,
      `${name}*`,
      `from:${name}`,
      `subject:${name}`,
      `${name}.txt`,
    ];
    for (const query of queries) {
      expect([query, await service.search(own.api_key, query)]).toEqual([query, []]);
      expect([query, await service.search(other.api_key, query)]).toEqual([
        query,
        expect.arrayContaining([found]),
      ]);
    }
    for (const filter of [`from=${name}`, `subject=${name}`, `query=${name}`]) {
      const listed = (key: string) => service.get<{ emails: unknown[] }>(`/v1/inbox?${filter}`, key);
      expect((await listed(own.api_key)).emails).toEqual([]);
      expect((await listed(other.api_key)).emails).toEqual(expect.arrayContaining([found]));
    }
    expect(await service.code(own.api_key, { timeout: 1, from: `friend-of-${name}` })).toEqual({
      code: null,
    });
    expect((await service.code(own.api_key)).id).toBe(ours.id);
  });

  it("is in no thread of this one, even if a message here refers to it", async () => {
    const messageId = newMessageId();
    const [first, second] = [await service.createMailbox(), await service.createMailbox()];
    await service.handOver(first.mailbox, message({ messageId, subject: "Private" }));
    const reply = message({ subject: "Re: Private", headers: [`In-Reply-To: ${messageId}`] });
    await service.handOver(second.mailbox, reply);
    const [mine, ...more] = await service.threads(second.api_key);
    expect(more).toEqual([]);
    expect(mine).toMatchObject({ subject: "Re: Private", message_count: 1 });
    expect((await service.threads(first.api_key)).map((one) => one.message_count)).toEqual([1]);
  });

  it("stays when this mailbox is erased", async () => {
    const [gone, kept] = [await service.createMailbox(), await service.createMailbox()];
    const bytes = message({ subject: "To both" });
    await deliver(server.smtpPort, { from: "a@b.example", to: [gone.mailbox, kept.mailbox], bytes });
    expect((await service.call("/v1/mailbox", { key: gone.api_key, method: "DELETE" })).status).toBe(200);
    expect((await service.call("/v1/inbox", { key: gone.api_key })).status).toBe(401);
    const [summary] = await service.inbox(kept.api_key);
    expect((await service.raw(kept.api_key, summary?.id ?? "")).equals(bytes)).toBe(true);
  });
});

describe("a provisional key", () => {
  it("reads its own mail, downloads nothing and administers nothing", async () => {
    const box = await service.bootstrap();
    const email = await fill(box);
    expect(email.attachments[0]?.downloadable).toBe(false);
    expect((await service.raw(box.api_key, email.id)).length).toBe(email.size_bytes);
    const refused: [string, string, unknown?][] = [
      ["GET", `/v1/attachments/${email.attachments[0]?.id}`],
      ["GET", `/v1/attachments/${theirs.attachments[0]?.id}`],
      ["DELETE", `/v1/emails/${email.id}`],
      ["PATCH", `/v1/emails/${email.id}`, { add_labels: ["x"] }],
      ["GET", "/v1/mailbox"],
      ["PATCH", "/v1/mailbox/pause"],
      ["GET", "/v1/keys"],
      ["POST", "/v1/keys", {}],
      ["GET", "/v1/mailboxes"],
      ["POST", "/v1/mailboxes", { name: "mine" }],
      ["GET", `/v1/mailboxes/${other.mailbox}`],
    ];
    for (const [method, path, json] of refused) {
      const answer = await service.ask(path, { key: box.api_key, method, json });
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        403,
        expect.objectContaining({
          error: "forbidden",
          code: "insufficient_scope",
          upgrade: expect.any(String),
        }),
      ]);
    }
    expect(await service.email(box.api_key, email.id)).toEqual(email);
  });
});
