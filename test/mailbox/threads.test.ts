import { afterEach, describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import {
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  message,
  resetClock,
  type TestMailbox,
} from "../harness.ts";

interface Thread {
  thread_id: string;
  emails: { id: string; subject: string; body_text: string }[];
  next_cursor: string | null;
}
interface ThreadPage {
  threads: { thread_id: string; latest_email_id: string; subject: string; message_count: number }[];
  next_cursor: string | null;
}

afterEach(resetClock);

/** A message with the id `<name@t>`, in reply to `parents`, nearest last. */
function mail(
  name: string,
  parents: string[] = [],
  parts: { subject?: string; from?: string; body?: string } = {},
) {
  const { subject = `Subject ${name}`, from = `${name}@example.com`, body = `Body ${name}` } = parts;
  const ids = parents.map((parent) => `<${parent}@t>`);
  const refs = ids.length === 0 ? [] : [`In-Reply-To: ${ids.at(-1)}`, `References: ${ids.join(" ")}`];
  return message([`Message-ID: <${name}@t>`, `From: ${from}`, `Subject: ${subject}`, ...refs], body);
}

async function receive(box: TestMailbox, raw: string): Promise<{ id: string; thread: string }> {
  const { id } = (await deliver(box.mailbox, raw)).body;
  return { id, thread: await threadOf(box, id) };
}

const threadOf = async (box: TestMailbox, id: string) =>
  (await ask<{ thread_id: string }>(`/v1/emails/${id}`, { key: box.api_key })).body.thread_id;
const read = async (box: TestMailbox, id: string, query = "") =>
  (await ask<Thread>(`/v1/threads/${id}?${query}`, { key: box.api_key })).body;
const list = async (box: TestMailbox, query = "") =>
  (await ask<ThreadPage>(`/v1/threads?${query}`, { key: box.api_key })).body;

describe("a thread", () => {
  it("holds a message and the replies to it, oldest first, by either path", async () => {
    const box = await createMailbox();
    const root = await receive(box, mail("root"));
    const reply = await receive(box, mail("reply", ["root"]));
    const deeper = await receive(box, mail("deeper", ["root", "reply"]));
    expect([reply.thread, deeper.thread]).toEqual([root.thread, root.thread]);
    const thread = await read(box, root.thread);
    expect(thread.thread_id).toBe(root.thread);
    expect(thread.emails.map((email) => email.id)).toEqual([root.id, reply.id, deeper.id]);
    expect((await ask(`/v1/thread?id=${root.thread}`, { key: box.api_key })).body).toEqual(thread);
    const email = await ask(`/v1/emails/${reply.id}`, { key: box.api_key });
    expect(thread.emails[1]).toEqual(email.body);
  });

  it("includes a first message that arrives after its replies", async () => {
    const box = await createMailbox();
    const reply = await receive(box, mail("reply", ["root"]));
    const root = await receive(box, mail("root"));
    expect(root.thread).toBe(reply.thread);
    await evict(box.mailbox);
    const grandchild = await receive(box, mail("grandchild", ["unseen", "reply"]));
    expect(grandchild.thread).toBe(root.thread);
  });

  it("joins two replies to a message that never arrived", async () => {
    const box = await createMailbox();
    const one = await receive(box, mail("one", ["missing"]));
    const two = await receive(box, mail("two", ["missing"]));
    expect(two.thread).toBe(one.thread);
    expect((await list(box)).threads).toMatchObject([{ message_count: 2, latest_email_id: two.id }]);
  });

  it("is merged from two by a message that links them, and both old ids still lead to it", async () => {
    const box = await createMailbox();
    const a = await receive(box, mail("a"));
    const b = await receive(box, mail("b"));
    const c = await receive(box, mail("c"));
    expect(new Set([a.thread, b.thread, c.thread]).size).toBe(3);
    await receive(box, mail("b-and-c", ["b", "c"]));
    await receive(box, mail("a-and-c", ["a", "c"]));
    await evict(box.mailbox);
    const whole = await read(box, a.thread);
    expect(whole.emails).toHaveLength(5);
    expect(await read(box, b.thread)).toEqual(whole);
    expect(await read(box, c.thread)).toEqual(whole);
    expect((await list(box)).threads).toMatchObject([{ message_count: 5 }]);
    expect(await threadOf(box, c.id)).toBe(whole.thread_id);
    const late = await receive(box, mail("late", ["c"]));
    expect(late.thread).toBe(whole.thread_id);
  });

  it("is not joined by mail that only has the same subject", async () => {
    const box = await createMailbox();
    const one = await receive(box, mail("one", [], { subject: "Re: Hello" }));
    const two = await receive(box, mail("two", [], { subject: "Re: Hello" }));
    expect(two.thread).not.toBe(one.thread);
  });

  it("cannot be joined by copying a Message-ID", async () => {
    const box = await createMailbox();
    const root = await receive(box, mail("root"));
    const copy = await receive(box, mail("root", [], { body: "I am someone else." }));
    expect(copy.id).not.toBe(root.id);
    expect(copy.thread).not.toBe(root.thread);
    const reply = await receive(box, mail("reply", ["root"]));
    expect(reply.thread).toBe(root.thread);
    expect((await read(box, root.thread)).emails.map((email) => email.id)).toEqual([root.id, reply.id]);
  });

  it("never spans two mailboxes", async () => {
    const a = await createMailbox();
    const b = await createMailbox();
    const root = await receive(a, mail("root"));
    const reply = await receive(b, mail("reply", ["root"]));
    expect((await api(`/v1/threads/${root.thread}`, { key: b.api_key })).status).toBe(404);
    expect((await read(b, reply.thread)).emails).toHaveLength(1);
  });

  it("is bounded and complete with 5,000 references, its own id among them, a cycle and empty ids", async () => {
    const box = await createMailbox();
    const many = Array.from({ length: 5_000 }, (_, n) => `<ref${n}@t>`).join(" ");
    const first = await deliver(
      box.mailbox,
      message(["Message-ID: <self@t>", `References: <self@t> <> ${many}`, "In-Reply-To: <self@t>"]),
    );
    expect(first.status).toBe(202);
    const x = await receive(box, mail("x", ["y"]));
    const y = await receive(box, mail("y", ["x"]));
    expect(y.thread).toBe(x.thread);
    const last = await receive(box, mail("last", ["ref4999"]));
    expect(last.thread).toBe(await threadOf(box, first.body.id));
  });

  it("answers 404 when all its emails are deleted, and keeps its id when only the first is", async () => {
    const box = await createMailbox();
    const root = await receive(box, mail("root"));
    const reply = await receive(box, mail("reply", ["root"]));
    await ask(`/v1/emails/${root.id}`, { key: box.api_key, method: "DELETE" });
    expect((await read(box, root.thread)).emails.map((email) => email.id)).toEqual([reply.id]);
    const later = await receive(box, mail("later", ["root"]));
    expect(later.thread).toBe(root.thread);
    for (const { id } of [reply, later])
      await ask(`/v1/emails/${id}`, { key: box.api_key, method: "DELETE" });
    const gone = await ask(`/v1/threads/${root.thread}`, { key: box.api_key });
    expect([gone.status, gone.body]).toEqual([404, problemBody(notFound("Thread"))]);
  });

  it("that is long answers its newest page, and a cursor to older emails", async () => {
    const box = await createMailbox();
    const { thread } = await receive(box, mail("m0"));
    for (let n = 1; n < 7; n += 1) await deliver(box.mailbox, mail(`m${n}`, [`m${n - 1}`]));
    const first = await read(box, thread, "limit=3");
    expect(first.emails.map((email) => email.subject)).toEqual(["Subject m4", "Subject m5", "Subject m6"]);
    await deliver(box.mailbox, mail("m7", ["m6"]));
    const second = await read(box, thread, `limit=3&cursor=${first.next_cursor}`);
    expect(second.emails.map((email) => email.subject)).toEqual(["Subject m1", "Subject m2", "Subject m3"]);
    const third = await read(box, thread, `limit=3&cursor=${second.next_cursor}`);
    expect(third.emails.map((email) => email.subject)).toEqual(["Subject m0"]);
    expect(third.next_cursor).toBeNull();
    expect((await read(box, thread)).next_cursor).toBeNull();
  });

  it("is also paged by bytes: large emails come a few at a time, and all of them come", async () => {
    const box = await createMailbox();
    const body = "x".repeat(900_000);
    const { thread } = await receive(box, mail("big0", [], { body }));
    for (let n = 1; n < 6; n += 1) await deliver(box.mailbox, mail(`big${n}`, ["big0"], { body }));
    let pages = 0;
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { emails, next_cursor }: Thread = await read(box, thread, `cursor=${cursor}`);
      expect(emails.length).toBeGreaterThan(0);
      expect(emails.every((email) => email.body_text.trim() === body)).toBe(true);
      pages += 1;
      seen.unshift(...emails.map((email) => email.subject));
      cursor = next_cursor;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((n) => `Subject big${n}`));
    expect(pages).toBe(2);
  });
});

describe("the list of threads", () => {
  it("shows each once, newest first, with the fields of its latest message", async () => {
    const box = await createMailbox();
    const a = await receive(box, mail("a", [], { from: "Ann <ann@example.com>" }));
    const b = await receive(box, mail("b", [], { from: "bob@example.com" }));
    const reply = await receive(
      box,
      mail("a2", ["a"], { from: "Cy <cy@example.com>", subject: "Re: a", body: "Your code is 482913" }),
    );
    const { threads, next_cursor } = await list(box);
    expect(next_cursor).toBeNull();
    expect(threads).toEqual([
      {
        thread_id: a.thread,
        latest_email_id: reply.id,
        subject: "Re: a",
        from_address: "cy@example.com",
        from_name: "Cy",
        received_at: expect.stringMatching(/Z$/) as string,
        code: "482913",
        has_attachments: false,
        message_count: 2,
        participants: expect.arrayContaining(["ann@example.com", "cy@example.com"]) as string[],
      },
      expect.objectContaining({ thread_id: b.thread, latest_email_id: b.id, message_count: 1 }) as object,
    ]);
  });

  it("shows each thread once, page by page, while replies and new threads arrive", async () => {
    const box = await createMailbox();
    const wanted: string[] = [];
    for (let n = 0; n < 9; n += 1) wanted.unshift((await receive(box, mail(`t${n}`))).thread);
    const seen: string[] = [];
    let round = 0;
    for (let cursor: string | null = ""; cursor !== null; round += 1) {
      const page: ThreadPage = await list(box, `limit=2&cursor=${cursor}`);
      seen.push(...page.threads.map((thread) => thread.thread_id));
      cursor = page.next_cursor;
      await deliver(box.mailbox, mail(`new${round}`));
      // A reply makes the oldest thread the newest one: it must still be shown in its place.
      await deliver(box.mailbox, mail(`reply${round}`, ["t0"]));
      await deliver(box.mailbox, mail(`other${round}`, [`t${8 - round}`]));
    }
    expect(seen).toEqual(wanted);
  });

  it("is empty in an empty mailbox", async () => {
    expect(await list(await createMailbox())).toEqual({ threads: [], next_cursor: null });
  });
});
