import { afterEach, describe, expect, it } from "vitest";
import { advance, ask, createMailbox, deliver, evict, message, resetClock, rowsOf } from "../harness.ts";

afterEach(resetClock);

const DAY_MS = 86_400_000;

let count = 0;
/** A message with its own Message-ID; `before` are lines that relays add at the top. */
function mail(parts: { id?: string; body?: string; before?: string[]; headers?: string[] } = {}): string {
  count += 1;
  const { id = `<dup${count}@example.com>`, body = "The content.", before = [], headers = [] } = parts;
  return message([...before, `Message-ID: ${id}`, "Subject: Once", ...headers], body);
}

const stored = async (key: string) =>
  (await ask<{ emails: { id: string }[] }>("/v1/inbox?limit=100", { key })).body.emails.map(({ id }) => id);

describe("the same message again", () => {
  it("is one email, and the answer has the first one's id", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail();
    const first = await deliver(mailbox, raw);
    expect(first.body.duplicate).toBe(false);
    const second = await deliver(mailbox, raw);
    expect([second.status, second.body]).toEqual([202, { id: first.body.id, duplicate: true }]);
    expect(await stored(api_key)).toEqual([first.body.id]);
  });

  it("is one email if it comes by another path: Received lines and authentication results may differ", async () => {
    const { mailbox, api_key } = await createMailbox();
    const id = "<retry@example.com>";
    const first = await deliver(
      mailbox,
      mail({ id, before: ["Received: from a by b; Mon, 2 Nov 2026 10:00:00 +0000"] }),
    );
    const before = [
      "Return-Path: <x@example.com>",
      "Received: from a by c;",
      "\tTue, 3 Nov 2026 11:00:00 +0000",
      "Authentication-Results: mx.mailkeep.test; spf=pass",
      "Received: from a by b; Mon, 2 Nov 2026 10:00:00 +0000",
    ];
    expect((await deliver(mailbox, mail({ id, before }))).body).toEqual({
      id: first.body.id,
      duplicate: true,
    });
    expect(await stored(api_key)).toHaveLength(1);
  });

  it("is one email whatever the envelope sender", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail();
    await deliver(mailbox, raw, "one@example.com");
    expect((await deliver(mailbox, raw, "two@example.com")).body.duplicate).toBe(true);
    expect(await stored(api_key)).toHaveLength(1);
  });

  it("is one row after twenty deliveries at the same time", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(mailbox, raw)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
    expect(await stored(api_key)).toHaveLength(1);
    expect((await ask("/v1/stats", { key: api_key })).body).toMatchObject({ total_emails: 1 });
  });

  it("is one email for five days, also after a restart; then it is stored again", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail();
    const first = await deliver(mailbox, raw);
    await evict(mailbox);
    advance(5 * DAY_MS - 60_000);
    expect((await deliver(mailbox, raw)).body).toEqual({ id: first.body.id, duplicate: true });
    advance(60_000);
    const late = await deliver(mailbox, raw);
    expect(late.body.duplicate).toBe(false);
    expect((await deliver(mailbox, raw)).body).toEqual({ id: late.body.id, duplicate: true });
    expect(await stored(api_key)).toEqual([late.body.id, first.body.id]);
  });

  it("is one email when it is large", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail({ body: "x".repeat(700_000) });
    const first = await deliver(mailbox, raw);
    expect((await deliver(mailbox, raw)).body).toEqual({ id: first.body.id, duplicate: true });
    expect(await stored(api_key)).toHaveLength(1);
  });

  it("is a new email in another mailbox", async () => {
    const a = await createMailbox();
    const b = await createMailbox();
    const raw = mail();
    await deliver(a.mailbox, raw);
    expect((await deliver(b.mailbox, raw)).body.duplicate).toBe(false);
  });
});

describe("a message that is not the same", () => {
  it("is stored even if an attacker used its Message-ID first", async () => {
    const { mailbox, api_key } = await createMailbox();
    const id = "<guessed@bank.example>";
    await deliver(mailbox, mail({ id, body: "Planted by an attacker." }));
    const genuine = mail({ id, body: "Your code is 482913." });
    expect((await deliver(mailbox, genuine)).body.duplicate).toBe(false);
    expect((await deliver(mailbox, genuine)).body.duplicate).toBe(true);
    expect(await stored(api_key)).toHaveLength(2);
  });

  it.each([
    ["another Subject", { headers: ["Subject: Twice"] }],
    ["another recipient in To", { headers: ["To: someone@example.com"] }],
    ["one more blank in the body", { body: "The  content." }],
    ["another signature", { headers: ["DKIM-Signature: v=1; b=AAAA"] }],
  ])("is stored when it has %s", async (_, change) => {
    const { mailbox, api_key } = await createMailbox();
    const id = "<changed@example.com>";
    await deliver(mailbox, mail({ id }));
    expect((await deliver(mailbox, mail({ id, ...change }))).body.duplicate).toBe(false);
    expect(await stored(api_key)).toHaveLength(2);
  });

  it("is stored each time if it has no Message-ID: a repeat is better than a loss", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = message(["Subject: Anonymous", "From: a@example.com"]);
    for (let time = 0; time < 3; time += 1) expect((await deliver(mailbox, raw)).body.duplicate).toBe(false);
    for (const id of ["", "<>", "   "]) {
      const empty = mail({ id });
      await deliver(mailbox, empty);
      expect((await deliver(mailbox, empty)).body.duplicate).toBe(false);
    }
    expect(await stored(api_key)).toHaveLength(9);
  });

  it("is stored again after its owner deleted it, if the sender repeats it after five days", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = mail();
    const { body } = await deliver(mailbox, raw);
    await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
    advance(5 * DAY_MS);
    expect((await deliver(mailbox, raw)).body.duplicate).toBe(false);
    expect(await stored(api_key)).toHaveLength(1);
  });
});

describe("a stored Message-ID", () => {
  it("is a digest of fixed length, however long the id", async () => {
    const { mailbox } = await createMailbox();
    await deliver(mailbox, mail({ id: `<${"l".repeat(900)}@example.com>` }));
    const known = await rowsOf<{ message_id: string }>(mailbox, "SELECT message_id FROM known_id");
    expect(known.map((row) => row.message_id.length)).toEqual([32]);
  });
});
