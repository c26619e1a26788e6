import { runInDurableObject } from "cloudflare:test";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { Tool } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  actorOf,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  DOMAIN,
  message,
  OPERATOR,
  plainMessage,
  type TestMailbox,
} from "../harness.ts";
import { callTool, LEGACY, MODERN, REVISIONS, rpc, type RpcAsk } from "../mcp.ts";

const AUTHENTIC = "Authentication-Results: mx.mailkeep.test; dmarc=pass header.from=example.com";
const FILE = "name,amount\nAnn,12\n";

/** A mail with HTML, a link, a quote and a file. */
const RICH = message(
  [
    "From: Shop <news@example.com>",
    "Subject: Your order 4711",
    AUTHENTIC,
    'Content-Type: multipart/mixed; boundary="x"',
  ],
  [
    "--x",
    "Content-Type: text/html; charset=utf-8",
    "",
    '<p>Thank you. <a href="https://shop.example/orders/4711">See your order</a></p>',
    "--x",
    'Content-Type: text/csv; name="items.csv"',
    'Content-Disposition: attachment; filename="items.csv"',
    "",
    FILE,
    "--x--",
  ].join("\n"),
);

let box: TestMailbox;
let order: string;
let tools: Tool[];

beforeAll(async () => {
  box = await createMailbox();
  await deliver(box.mailbox, plainMessage({ subject: "Hello", from: "Ann <ann@example.com>" }));
  order = (await deliver(box.mailbox, RICH)).body.id;
  tools = (await rpc("tools/list", {}, { key: box.api_key })).result["tools"] as Tool[];
});

const call = <Value = Record<string, unknown>>(name: string, input: object = {}, asked: RpcAsk = {}) =>
  callTool<Value>(box.api_key, name, input, asked);

/** Checks a result against the schema that the tool announces, and its text against it. */
async function checked(name: string, input: object = {}, asked: RpcAsk = {}) {
  const result = await call(name, input, asked);
  expect(result).not.toHaveProperty("isError");
  const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
  const validate = new CfWorkerJsonSchemaValidator().getValidator(schema);
  expect(validate(result.value)).toMatchObject({ valid: true });
  expect(JSON.parse(result.content[0]?.type === "text" ? result.content[0].text : "")).toEqual(result.value);
  return result;
}

type Summary = { id: string; untrusted_subject: string };
const subjects = (value: { emails: Summary[] }) => value.emails.map((email) => email.untrusted_subject);

describe("check_mail", () => {
  it("lists received mail, newest first, and the place in the log", async () => {
    const { value } = await checked("check_mail");
    expect(value).toMatchObject({
      emails: [
        { id: order, from: "news@example.com", untrusted_subject: "Your order 4711", has_attachments: true },
        { untrusted_subject: "Hello" },
      ],
      cursor: 2,
    });
  });

  it("goes on at a cursor, oldest first, and leaves what is cut to the next call", async () => {
    const own = await createMailbox();
    for (const subject of ["one", "two", "three"]) await deliver(own.mailbox, plainMessage({ subject }));
    type Page = { emails: Summary[]; cursor: number };
    const check = async (input: object) => (await callTool<Page>(own.api_key, "check_mail", input)).value;
    const first = await check({ unread_since: 0, limit: 2 });
    expect(subjects(first)).toEqual(["one", "two"]);
    const second = await check({ unread_since: first.cursor, limit: 2 });
    expect(subjects(second)).toEqual(["three"]);
    expect(await check({ unread_since: second.cursor })).toEqual({ emails: [], cursor: second.cursor });
    expect(subjects(await check({ unread_since: 0, from: "nobody" }))).toEqual([]);
  });

  it("says that a cursor is not of this mailbox", async () => {
    const { isError, value } = await call("check_mail", { unread_since: 99 });
    expect(isError).toBe(true);
    expect(value).toMatchObject({ code: "invalid", retryable: false });
  });
});

describe("read_mail", () => {
  it("shows text, links by number, files, and who was verified", async () => {
    const { value } = await checked("read_mail", { id: order });
    expect(value).toMatchObject({
      id: order,
      from: "news@example.com",
      sender_verified: true,
      untrusted_text: expect.stringMatching(
        /^<mail (\d{12})>\nThank you\. See your order \[1\]\n<\/mail \1>$/,
      ),
      omitted_tokens: 0,
      hidden: { css: 0, comments: 0 },
      links: [{ n: 1, host: "shop.example", untrusted_label: "See your order", flags: [] }],
      attachments: [{ filename: "items.csv", untrusted_filename: "items.csv", content_type: "text/csv" }],
    });
    expect(JSON.stringify(value)).not.toContain("orders/4711");
  });

  it("adds the addresses of links on request", async () => {
    const { value } = await checked("read_mail", { id: order, include: ["urls"] });
    expect(value["links"]).toEqual([
      {
        n: 1,
        host: "shop.example",
        untrusted_label: "See your order",
        flags: [],
        untrusted_url: "https://shop.example/orders/4711",
      },
    ]);
  });

  it("cuts the text to the budget and says how much is left out", async () => {
    const { body } = await deliver(box.mailbox, plainMessage({ body: "word ".repeat(1_000) }));
    const { value } = await checked("read_mail", { id: body.id, budget: 100 });
    // Tokens are estimated, and one word a thousand times is no text that the estimate was made for.
    expect(String(value["untrusted_text"]).length).toBeLessThan(800);
    expect(value["omitted_tokens"]).toBeGreaterThan(400);
    expect((await checked("read_mail", { id: body.id, budget: 5_000 })).value["omitted_tokens"]).toBe(0);
  });

  it("`sender_verified` is false without a DMARC result", async () => {
    const { value } = await checked("check_mail", { from: "ann@", limit: 1 });
    const [{ id } = { id: "" }] = value["emails"] as Summary[];
    expect((await checked("read_mail", { id })).value["sender_verified"]).toBe(false);
  });
});

describe("other reads", () => {
  it("search_mail finds mail by its words", async () => {
    const { value } = await checked("search_mail", { query: "order 4711" });
    expect(value).toMatchObject({ emails: [{ id: order }], search_mode: "keyword" });
    const query = Array.from({ length: 33 }, (_, at) => `w${at}`).join(" ");
    const { value: long } = await checked("search_mail", { query });
    expect(long["hint"]).toContain("Only the first 32 words");
  });

  it("read_thread shows each email's new text once, the newest within the budget first", async () => {
    const own = await createMailbox();
    const id = "<begin@example.com>";
    await deliver(
      own.mailbox,
      message([`Message-ID: ${id}`, "From: a@example.com", "Subject: Talk"], "first ".repeat(100)),
    );
    const answer = [`In-Reply-To: ${id}`, "From: b@example.com", "Subject: Re: Talk"];
    const { body } = await deliver(
      own.mailbox,
      message(answer, `second\n\nOn Monday a@example.com wrote:\n> ${"first ".repeat(100)}`),
    );
    const email = await ask<{ thread_id: string }>(`/v1/emails/${body.id}`, { key: own.api_key });
    const input = { thread_id: email.body.thread_id, budget: 60 };
    const { value } = await callTool<{ emails: { untrusted_text: string; omitted_tokens: number }[] }>(
      own.api_key,
      "read_thread",
      input,
    );
    const texts = value.emails.map((one) => one.untrusted_text.split("\n")[1]);
    expect(texts).toEqual([expect.stringMatching(/^first first/), "second"]);
    expect(value.emails[1]).toMatchObject({ omitted_tokens: 0 });
    expect(value.emails[0]?.omitted_tokens).toBeGreaterThan(50);
  });

  it("extract answers as POST /v1/extract does", async () => {
    const input = { email_id: order, type: "order" };
    const { value } = await checked("extract", input);
    const { body } = await ask("/v1/extract", { key: box.api_key, json: input });
    expect(value).toEqual(body);
  });

  it("mailbox_status tells address, rights and sends, also of a paused mailbox", async () => {
    const own = await createMailbox();
    const status = async () => (await callTool(own.api_key, "mailbox_status")).value;
    expect(await status()).toMatchObject({
      mailbox: own.mailbox,
      scope: "mailbox",
      sends_today: 0,
      paused: false,
    });
    await ask("/v1/mailbox/pause", { key: own.api_key, method: "PATCH", json: {} });
    expect(await status()).toMatchObject({ mailbox: own.mailbox, paused: true });
    expect((await callTool(own.api_key, "check_mail")).value).toMatchObject({ code: "paused" });
  });
});

describe("get_attachment", () => {
  const file = async () => {
    const { value } = await call<{ attachments: { id: string }[] }>("read_mail", { id: order });
    return value.attachments[0]?.id ?? "";
  };

  it("names size, type and address first, as a resource link too", async () => {
    const id = await file();
    const { value, content } = await checked("get_attachment", { id });
    expect(value).toEqual({
      filename: "items.csv",
      untrusted_filename: "items.csv",
      content_type: "text/csv",
      size_bytes: expect.any(Number),
      resource_link: `attachment://${id}`,
      url: `https://api.example/v1/attachments/${id}`,
    });
    expect(content[1]).toEqual({
      type: "resource_link",
      uri: `attachment://${id}`,
      name: "items.csv",
      mimeType: "text/csv",
      size: value["size_bytes"],
    });
  });

  it("gives the text or the bytes on request", async () => {
    const id = await file();
    expect((await checked("get_attachment", { id, as: "text" })).value["untrusted_text"]).toContain("Ann,12");
    const { value } = await checked("get_attachment", { id, as: "base64" });
    expect(Buffer.from(String(value["untrusted_base64"]), "base64").toString()).toContain("Ann,12");
  });

  it("refuses bytes that are too many for a message, and names the way to them", async () => {
    const large = "QUJD".repeat(400_000);
    const lines = [
      "From: a@example.com",
      "Subject: x",
      "Content-Type: application/zip",
      "Content-Transfer-Encoding: base64",
    ];
    const { body } = await deliver(
      box.mailbox,
      message([...lines, "Content-Disposition: attachment; filename=a.zip"], large),
    );
    const { value } = await call<{ attachments: { id: string }[] }>("read_mail", { id: body.id });
    const id = value.attachments[0]?.id ?? "";
    expect((await call("get_attachment", { id })).isError).toBeUndefined();
    expect((await call("get_attachment", { id, as: "base64" })).value).toMatchObject({
      code: "too_large",
      fix: expect.stringContaining("Download"),
    });
    expect(
      (await rpc("resources/read", { uri: `attachment://${id}` }, { key: box.api_key })).error,
    ).toMatchObject({ code: -32_602 });
    expect(
      (await rpc("resources/read", { uri: `mail://${body.id}/raw` }, { key: box.api_key })).error,
    ).toMatchObject({ code: -32_602 });
  });
});

describe("what changes something", () => {
  it("send_mail sends, and a repeat with the same key sends nothing", async () => {
    const other = await createMailbox();
    const input = { to: other.mailbox, subject: "Hi", text: "Hello.", idempotency_key: "k1" };
    const sent = await checked("send_mail", input);
    const again = await checked("send_mail", input);
    expect(again.value["id"]).toBe(sent.value["id"]);
    const { value } = await callTool<{ emails: Summary[] }>(other.api_key, "wait_for_mail", {
      subject: "Hi",
      timeout_seconds: 20,
    });
    expect(value).toMatchObject({ untrusted_subject: "Hi", from: box.mailbox });
    expect(subjects((await callTool<{ emails: Summary[] }>(other.api_key, "check_mail")).value)).toEqual([
      "Hi",
    ]);
  });

  it("reply answers in the conversation", async () => {
    const other = await createMailbox();
    const { body } = await deliver(
      other.mailbox,
      plainMessage({ from: `Box <${box.mailbox}>`, subject: "Question" }),
    );
    const { value } = await callTool(other.api_key, "reply", { email_id: body.id, text: "Answer." });
    const sent = await ask(`/v1/emails/${String(value["id"])}`, { key: other.api_key });
    expect(sent.body).toMatchObject({
      subject: "Re: Question",
      to_address: box.mailbox,
      thread_id: value["thread_id"],
    });
  });

  it("organize labels and erases, and skips ids that name no email", async () => {
    const { body } = await deliver(box.mailbox, plainMessage({ subject: "Sort me" }));
    const ids = [body.id, "no-such-email"];
    expect((await checked("organize", { ids, add_labels: ["todo"] })).value).toEqual({ changed: 1 });
    const { value } = await call<{ emails: Summary[] }>("check_mail", { label: "todo" });
    expect(subjects(value)).toEqual(["Sort me"]);
    expect((await checked("organize", { ids, delete: true })).value).toEqual({ changed: 1 });
    expect((await call("read_mail", { id: body.id })).value).toMatchObject({ code: "not_found" });
  });

  it("tells a provisional key that it may not, and where it gets one that may", async () => {
    const { api_key: key } = await bootstrap();
    const { isError, value } = await callTool(key, "send_mail", {
      to: "a@b.example",
      subject: "x",
      text: "x",
    });
    expect(isError).toBe(true);
    expect(value).toEqual({
      code: "insufficient_scope",
      message: "A provisional key may not do this",
      fix: expect.stringContaining("https://api.example/claim"),
      retryable: false,
      retry_after_seconds: null,
    });
  });
});

describe("waiting", () => {
  const waiters = (address: string) => runInDurableObject(actorOf(address), ({ life }) => life.codes.waiting);
  const waitUntilWaiting = (address: string, count: number) =>
    expect.poll(() => waiters(address), { timeout: 10_000 }).toBe(count);

  it.each(REVISIONS)(
    "wait_for_code gets a code that arrives while it waits, and hears of the wait (%s)",
    async (revision) => {
      const own = await createMailbox();
      const waited = callTool(
        own.api_key,
        "wait_for_code",
        { timeout_seconds: 20 },
        { revision, meta: { progressToken: "p" } },
      );
      await waitUntilWaiting(own.mailbox, 1);
      await deliver(
        own.mailbox,
        plainMessage({
          subject: "Your code",
          body: "Your verification code is 482913.",
          headers: [AUTHENTIC],
        }),
      );
      const { value, answer } = await waited;
      expect(value).toEqual({
        code: "482913",
        link: null,
        from: "ann@example.com",
        sender_verified: true,
        email_id: expect.any(String),
      });
      expect(answer.notifications[0]).toMatchObject({
        method: "notifications/progress",
        params: { progressToken: "p", progress: 0, total: 20 },
      });
      expect(await waiters(own.mailbox)).toBe(0);
    },
  );

  it("wait_for_code makes an expectation at once, and then waits for mail of that domain alone", async () => {
    const own = await createMailbox();
    const { value: made } = await callTool(own.api_key, "wait_for_code", { from_domain: "Example.com" });
    expect(made).toEqual({
      code: null,
      waited_seconds: 0,
      expect: expect.any(String),
      address: own.mailbox,
    });
    const stranger = await deliver(
      own.mailbox,
      plainMessage({ from: "a@evil.example", body: "Your verification code is 666666." }),
    );
    const rejected = [{ email_id: stranger.body.id, reason: "other_domain" }];
    const again = { expect: made["expect"], timeout_seconds: 1 };
    expect((await callTool(own.api_key, "wait_for_code", again)).value).toMatchObject({
      code: null,
      expect: made["expect"],
      rejected,
    });
    await deliver(
      own.mailbox,
      plainMessage({ body: "Your verification code is 482913.", headers: [AUTHENTIC, `To: ${own.mailbox}`] }),
    );
    expect((await callTool(own.api_key, "wait_for_code", again)).value).toMatchObject({
      code: "482913",
      from: "ann@example.com",
      sender_verified: true,
      rejected,
    });
  });

  it.each([
    [{ expect: "x", from_domain: "example.com" }, "from_domain: must be left out with expect"],
    [{ from_domain: "example.com", from: "ann" }, "from: must be left out with from_domain and expect"],
    [{ from_domain: "com" }, 'from_domain: must be a domain with one owner: names below "com"'],
    [{ strict: false }, "strict: must be left out without from_domain"],
  ])("wait_for_code refuses %j", async (input, message) => {
    const { value, isError } = await call("wait_for_code", input);
    expect([isError, value["message"]]).toEqual([true, expect.stringContaining(message)]);
  });

  it("wait_for_code releases unproven mail of the domain with strict: false", async () => {
    const own = await createMailbox();
    const { value: made } = await callTool(own.api_key, "wait_for_code", {
      from_domain: "example.com",
      strict: false,
    });
    await deliver(own.mailbox, plainMessage({ body: "Your verification code is 482913." }));
    const again = { expect: made["expect"], timeout_seconds: 1 };
    expect((await callTool(own.api_key, "wait_for_code", again)).value).toMatchObject({
      code: "482913",
      sender_verified: false,
    });
  });

  it("wait_for_code says that none came, and how long it waited", async () => {
    const { value } = await call("wait_for_code", { timeout_seconds: 1, from: "nobody@" });
    expect(value).toEqual({ code: null, waited_seconds: expect.any(Number) });
  });

  it("wait_for_code hands out no code of an earlier sign-in", async () => {
    const own = await createMailbox();
    await deliver(
      own.mailbox,
      plainMessage({ subject: "Your code", body: "Your verification code is 111222." }),
    );
    const later = new Date(Date.now() + 1_000).toISOString();
    expect(
      (await callTool(own.api_key, "wait_for_code", { timeout_seconds: 1, since: later })).value["code"],
    ).toBeNull();
    expect((await callTool(own.api_key, "wait_for_code", { timeout_seconds: 1 })).value["code"]).toBe(
      "111222",
    );
  });

  it.each(REVISIONS)("a client that hangs up leaves no wait behind (%s)", async (revision) => {
    const own = await createMailbox();
    const gone = new AbortController();
    const waited = callTool(
      own.api_key,
      "wait_for_code",
      { timeout_seconds: 60 },
      { revision, signal: gone.signal },
    );
    waited.catch(() => {});
    await waitUntilWaiting(own.mailbox, 1);
    gone.abort();
    await expect.poll(() => waiters(own.mailbox), { timeout: 10_000 }).toBe(0);
  });

  it.each(REVISIONS)(
    "notifications/cancelled ends the wait of the request that it names (%s)",
    async (revision) => {
      const own = await createMailbox();
      const asked = { revision, id: "wait-1" };
      const waited = callTool(own.api_key, "wait_for_code", { timeout_seconds: 60 }, asked);
      const other = callTool(
        own.api_key,
        "wait_for_code",
        { timeout_seconds: 60 },
        { revision, id: "wait-2" },
      );
      await waitUntilWaiting(own.mailbox, 2);
      const cancel = (requestId: string) =>
        rpc("notifications/cancelled", { requestId }, { key: own.api_key, revision, id: null });
      expect((await cancel("wait-1")).status).toBe(202);
      await waitUntilWaiting(own.mailbox, 1);
      expect((await waited).value).toMatchObject({ code: null });
      await cancel("wait-2");
      expect((await other).value).toMatchObject({ code: null });
    },
  );

  it("wait_for_mail sees mail that fits, and no other", async () => {
    const own = await createMailbox();
    const waited = callTool(own.api_key, "wait_for_mail", { subject: "invoice", timeout_seconds: 20 });
    const listening = () => runInDurableObject(actorOf(own.mailbox), ({ life }) => life.feed.waiting);
    await expect.poll(listening, { timeout: 10_000 }).toBe(1);
    await deliver(own.mailbox, plainMessage({ subject: "Hello" }));
    await expect.poll(listening, { timeout: 10_000 }).toBe(1);
    await deliver(own.mailbox, plainMessage({ subject: "Your Invoice 7", headers: [AUTHENTIC] }));
    expect((await waited).value).toMatchObject({
      untrusted_subject: "Your Invoice 7",
      sender_verified: true,
    });
  });

  it("wait_for_mail sees mail that came just before, or since a cursor, or says that none came", async () => {
    const own = await createMailbox();
    await deliver(own.mailbox, plainMessage({ subject: "early" }));
    const wait = async (input: object) =>
      (await callTool(own.api_key, "wait_for_mail", { timeout_seconds: 1, ...input })).value;
    expect(await wait({})).toMatchObject({ untrusted_subject: "early" });
    expect(await wait({ after: 0, from: "ANN@" })).toMatchObject({ untrusted_subject: "early" });
    expect(await wait({ after: 1 })).toEqual({ email: null });
    expect(await wait({ thread_id: "none" })).toEqual({ email: null });
  });
});

describe("resources and prompts", () => {
  it("lists the newest mail without a stranger's words, and reads mail, message and file", async () => {
    const key = box.api_key;
    const listed = (await rpc("resources/list", {}, { key })).result["resources"] as {
      uri: string;
      name: string;
    }[];
    expect(listed.some(({ uri }) => uri === `mail://${order}`)).toBe(true);
    expect(JSON.stringify(listed)).not.toContain("4711");
    const read = async (uri: string) => (await rpc("resources/read", { uri }, { key })).result["contents"];
    expect(await read(`mail://${order}`)).toMatchObject([
      { text: expect.stringContaining("untrusted_subject") },
    ]);
    const [raw] = (await read(`mail://${order}/raw`)) as { blob: string; mimeType: string }[];
    expect(raw?.mimeType).toBe("message/rfc822");
    expect(Buffer.from(raw?.blob ?? "", "base64").toString()).toBe(RICH);
  });

  it.each(REVISIONS)("a resource that is not there is an error that names it (%s)", async (revision) => {
    for (const uri of ["mail://no-such-mail", "mail://x/y/z", "file:///etc/passwd", "attachment://nope"]) {
      const { error } = await rpc("resources/read", { uri }, { key: box.api_key, revision });
      expect(error).toMatchObject({ code: -32_602, data: { uri } });
    }
  });

  it("fills a prompt with the caller's words", async () => {
    const { result } = await rpc(
      "prompts/get",
      { name: "sign_up_somewhere", arguments: { site: "shop.example" } },
      { key: box.api_key },
    );
    expect(JSON.stringify(result["messages"])).toContain("Sign up at shop.example");
    expect(
      (await rpc("prompts/get", { name: "sign_up_somewhere" }, { key: box.api_key })).error,
    ).toMatchObject({ message: "site: is required" });
    expect((await rpc("prompts/get", { name: "__proto__" }, { key: box.api_key })).error?.code).toBe(-32_602);
    const names = (
      (await rpc("prompts/list", {}, { key: box.api_key })).result["prompts"] as { name: string }[]
    ).map(({ name }) => name);
    expect(names).toEqual(["sign_up_somewhere", "triage_inbox"]);
  });
});

describe("the operator", () => {
  it("creates, lists and pauses mailboxes", async () => {
    const name = `made-${Math.random().toString(36).slice(2, 8)}`;
    const made = await callTool<TestMailbox>(OPERATOR, "create_mailbox", { name });
    expect(made.value).toEqual({ mailbox: `${name}@${DOMAIN}`, api_key: expect.stringMatching(/^mk_/) });
    const paused = await callTool(OPERATOR, "pause_mailbox", { address: made.value.mailbox });
    expect(paused.value).toEqual({ mailbox: made.value.mailbox, status: "paused" });
    const resumed = await callTool(OPERATOR, "pause_mailbox", { address: made.value.mailbox, paused: false });
    expect(resumed.value["status"]).toBe("active");
    expect((await callTool(OPERATOR, "list_mailboxes", { limit: 1 })).value).toMatchObject({
      mailboxes: [{ kind: expect.any(String) }],
    });
    expect((await callTool(OPERATOR, "deployment_status")).value).toMatchObject({
      mail_domain: DOMAIN,
      sends_by: "local",
    });
  });

  it("reads the mailbox that the address of the server names", async () => {
    const path = `/mcp?mailbox=${encodeURIComponent(box.mailbox)}`;
    const { value } = await callTool<{ emails: Summary[] }>(
      OPERATOR,
      "check_mail",
      { from: "news@" },
      { path },
    );
    expect(value.emails[0]?.id).toBe(order);
    expect((await callTool(OPERATOR, "check_mail")).value).toMatchObject({
      code: "invalid",
      fix: expect.stringContaining("/mcp?mailbox="),
    });
  });

  it("no other key knows its tools", async () => {
    for (const name of [
      "create_mailbox",
      "list_mailboxes",
      "pause_mailbox",
      "deployment_status",
      "no_such_tool",
    ]) {
      const { error } = (await call(name)).answer;
      expect(error).toEqual({ code: -32_602, message: "Unknown tool" });
    }
  });
});

describe("words of strangers", () => {
  /** All strings of a value that stand in no field named `untrusted_…`. */
  function trustedTexts(value: unknown): string[] {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) =>
      name.startsWith("untrusted_") ? [] : [name, ...trustedTexts(member)],
    );
  }

  const word = fc.stringMatching(/^[A-Za-z]{3,9}$/);
  const sentence = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => `OBEYME ${words.join(" ")}`);
  const hostile = fc.record({
    subject: sentence,
    name: sentence,
    body: sentence,
    file: sentence,
    label: sentence,
    address: sentence,
  });

  it("stand in fields named untrusted_… alone, whatever a mail holds", async () => {
    const own = await createMailbox();
    await fc.assert(
      fc.asyncProperty(hostile, async ({ subject, name, body, file, label, address }) => {
        const raw = message(
          [
            `From: "${name}" <${address}>`,
            `Subject: ${subject}`,
            `Message-ID: <${Math.random()}@example.com>`,
            'Content-Type: multipart/mixed; boundary="x"',
          ],
          [
            "--x",
            "Content-Type: text/html",
            "",
            `<p>${body}</p><a href="https://evil.example/${label.replaceAll(" ", "/")}">${label}</a>`,
            "--x",
            `Content-Type: ${file}/x`,
            `Content-Disposition: attachment; filename="${file}.txt"`,
            "",
            body,
            "--x--",
          ].join("\n"),
        );
        const { body: stored } = await deliver(own.mailbox, raw);
        const texts: string[] = [];
        const note = (result: {
          structuredContent?: unknown;
          content?: unknown[];
          answer: { error?: unknown };
        }) => {
          // The text of a result is its structured content once more.
          texts.push(
            ...trustedTexts(result.structuredContent),
            ...trustedTexts(result.content?.slice(1)),
            JSON.stringify(result.answer.error ?? ""),
          );
        };
        const own_ = (tool: string, input: object) => callTool(own.api_key, tool, input);
        const mail = await own_("read_mail", { id: stored.id, include: ["urls", "quoted"] });
        const files = mail.value["attachments"] as { id: string }[];
        const summary = await own_("check_mail", {});
        note(mail);
        note(summary);
        note(await own_("search_mail", { query: "obeyme" }));
        note(await own_("read_thread", { thread_id: mail.value["thread_id"] }));
        note(await own_("wait_for_mail", {}));
        for (const { id } of files)
          for (const as of ["link", "text", "base64"]) note(await own_("get_attachment", { id, as }));
        note(await own_("extract", { email_id: stored.id, type: "code" }));
        texts.push(JSON.stringify((await rpc("resources/list", {}, { key: own.api_key })).result));
        expect(files).toHaveLength(1);
        expect(texts.filter((text) => /obeyme/i.test(text))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it.each([LEGACY, MODERN] as const)("an error quotes nothing of what was sent (%s)", async (revision) => {
    const { value, answer } = await call("read_mail", { id: "OBEYME now", budget: "OBEYME" }, { revision });
    expect(value).toMatchObject({ code: "invalid", message: "budget: must be a number" });
    expect(JSON.stringify(answer.result)).not.toContain("OBEYME");
    expect((await call("OBEYME", {}, { revision })).answer.error).toEqual({
      code: -32_602,
      message: "Unknown tool",
    });
  });
});
