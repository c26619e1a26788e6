import { afterEach, describe, expect, it } from "vitest";
import {
  actorOf,
  advance,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  resetClock,
  setClock,
  type TestMailbox,
} from "../harness.ts";

interface Answer {
  id?: string;
  code: string | null;
  link?: string | null;
  confidence?: number | null;
  link_confidence?: number | null;
  alternatives?: { code: string; confidence: number }[];
  evidence?: string[];
  from?: string;
  subject?: string;
  received_at?: string;
}

afterEach(resetClock);

const code = (box: TestMailbox, query = "", signal?: AbortSignal) =>
  ask<Answer>(`/v1/code?${query}`, { key: box.api_key, signal });
const codeMail = (digits: string, from = "Shop <no-reply@shop.example>") =>
  plainMessage({ subject: `Your code`, from, body: `Your verification code is ${digits}.` });
const linkMail = () =>
  plainMessage({
    subject: "Confirm",
    body: "Please confirm your email address:\nhttps://shop.example/verify?token=abcdef0123456789\n",
  });

/** Resolves when the mailbox has received the waiting calls made so far: it serves calls in order. */
const settled = async (box: TestMailbox) => {
  await api("/v1/mailbox", { key: OPERATOR });
  await actorOf(box.mailbox).takeRowCost();
};

describe("GET /v1/code", () => {
  it("answers at once with the newest code, every field of it", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("111222"));
    const now = Date.now();
    setClock(now);
    const { body } = await deliver(box.mailbox, codeMail("482913"));
    await deliver(box.mailbox, plainMessage({ subject: "No code here" }));
    const answer = await code(box);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id: body.id,
        code: "482913",
        link: null,
        confidence: expect.closeTo(0.95, 1),
        link_confidence: null,
        alternatives: [],
        evidence: expect.arrayContaining(["named: verification code", "length"]),
        from: "no-reply@shop.example",
        subject: "Your code",
        received_at: new Date(now).toISOString(),
      },
    ]);
    expect((await code(box)).body.code).toBe("482913");
  });

  it("shows confidence and evidence of a link without a code", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, linkMail());
    const { body } = await code(box, "kind=link");
    expect(body.confidence).toBeGreaterThan(0.7);
    expect(body.link_confidence).toBe(body.confidence);
    expect(body.evidence).toEqual(expect.arrayContaining(["link_path", "link_announced", "link_token"]));
  });

  it("waits on where a code is less sure than min_confidence asks for", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Anmeldung", body: "Code: 118204" }));
    const { body } = await code(box);
    const sureness = body.confidence ?? 0;
    expect([body.code, sureness < 0.99]).toEqual(["118204", true]);
    expect((await code(box, `min_confidence=${sureness}`)).body.code).toBe("118204");
    const waiting = code(box, "min_confidence=0.99&timeout=1");
    await deliver(box.mailbox, plainMessage({ subject: "Anmeldung", body: "Code: 571946" }));
    expect((await waiting).body).toEqual({ code: null });
  });

  it("answers nothing that it is less sure of than the least, whatever min_confidence says", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Hello", body: "We met 4829 at the fair." }));
    expect((await code(box, "min_confidence=0&timeout=1")).body).toEqual({ code: null });
  });

  it.each(["1.5", "-1", "much", "0,9"])(
    "refuses min_confidence=%s and says what it must be",
    async (value) => {
      const box = await createMailbox();
      const { status, body } = await code(box, `min_confidence=${value}`);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain("min_confidence: must be a number from 0 to 1, such as 0.9");
    },
  );

  it("gives a waiting call the same answer as a later one", async () => {
    const box = await createMailbox();
    const waiting = code(box, "timeout=55");
    await settled(box);
    await deliver(box.mailbox, codeMail("482913"));
    expect((await waiting).body).toEqual((await code(box)).body);
  });

  it("answers { code: null } with 200 if none came in time", async () => {
    const box = await createMailbox();
    const answer = await code(box, "timeout=1");
    expect([answer.status, answer.body]).toEqual([200, { code: null }]);
  });

  it("finds the code of an HTML-only mail", async () => {
    const box = await createMailbox();
    const body = "<p>Your verification code is</p><p><b>771 204</b></p>";
    await deliver(box.mailbox, plainMessage({ headers: ["Content-Type: text/html"], body }));
    expect((await code(box)).body.code).toBe("771204");
  });

  it("counts only mail that was received strictly after since", async () => {
    const box = await createMailbox();
    const now = Date.now();
    setClock(now);
    await deliver(box.mailbox, codeMail("482913"));
    const at = (ms: number) => `since=${new Date(ms).toISOString()}&timeout=1`;
    expect((await code(box, at(now - 1))).body.code).toBe("482913");
    expect((await code(box, at(now))).body.code).toBeNull();
    expect((await code(box, at(now + 1))).body.code).toBeNull();
  });

  it("counts none of several codes received in exactly the millisecond of since", async () => {
    const box = await createMailbox();
    const now = Date.now();
    setClock(now);
    for (const digits of ["111222", "333444", "482913"]) await deliver(box.mailbox, codeMail(digits));
    const since = (ms: number) => `since=${new Date(ms).toISOString()}&timeout=1`;
    expect((await code(box, since(now))).body.code).toBeNull();
    expect((await code(box, since(now - 1))).body.code).toBe("482913");
  });

  it("skips an older code before since, and waits", async () => {
    const box = await createMailbox();
    const now = Date.now();
    setClock(now);
    await deliver(box.mailbox, codeMail("111222"));
    const waiting = code(box, `since=${new Date(now).toISOString()}`);
    await settled(box);
    advance(1);
    await deliver(box.mailbox, codeMail("482913"));
    expect((await waiting).body.code).toBe("482913");
  });

  it("filters by sender, in address or name, in any case", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("482913", "Bank <x@bank.example>"));
    await deliver(box.mailbox, codeMail("111222", "Attacker <x@evil.example>"));
    expect((await code(box)).body.code).toBe("111222");
    expect((await code(box, "from=BANK.example")).body.code).toBe("482913");
    expect((await code(box, "from=bank")).body.code).toBe("482913");
    expect((await code(box, "from=%25&timeout=1")).body.code).toBeNull();
    const waiting = code(box, "from=third.example");
    await settled(box);
    await deliver(box.mailbox, codeMail("333444", "x@fourth.example"));
    await deliver(box.mailbox, codeMail("555666", "x@third.example"));
    expect((await waiting).body.code).toBe("555666");
  });

  it("distinguishes codes and links by kind", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("482913"));
    const { body } = await deliver(box.mailbox, linkMail());
    expect((await code(box)).body.code).toBe("482913");
    expect((await code(box, "kind=code")).body.code).toBe("482913");
    const link = { id: body.id, code: null, link: "https://shop.example/verify?token=abcdef0123456789" };
    expect((await code(box, "kind=link")).body).toMatchObject(link);
    expect((await code(box, "kind=any")).body).toMatchObject(link);
    await deliver(box.mailbox, codeMail("555666"));
    expect((await code(box, "kind=any")).body.code).toBe("555666");
    expect((await ask("/v1/code?kind=magic", { key: box.api_key })).status).toBe(400);
  });

  it("does not wake a call that waits for a code by a link, nor the other way round", async () => {
    const box = await createMailbox();
    const forCode = code(box, "kind=code");
    const forLink = code(box, "kind=link");
    await settled(box);
    await deliver(box.mailbox, linkMail());
    expect((await forLink).body.link).toContain("verify");
    await deliver(box.mailbox, codeMail("482913"));
    expect((await forCode).body.code).toBe("482913");
  });

  it.each(["56", "3600", "999999999"])("limits a timeout of %s instead of refusing it", async (timeout) => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("482913"));
    expect((await code(box, `timeout=${timeout}`)).status).toBe(200);
  });
});

describe("a wait for a code", () => {
  it("is ended by the commit that stores the code, for every waiting call", async () => {
    const box = await createMailbox();
    const waiting = Array.from({ length: 20 }, () => code(box, "timeout=55"));
    await settled(box);
    const { body } = await deliver(box.mailbox, codeMail("482913"));
    for (const { body: answer } of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ id: body.id, code: "482913" });
    }
  });

  it("continues when mail without a code arrives", async () => {
    const box = await createMailbox();
    const order: string[] = [];
    const waiting = code(box, "timeout=55").then(() => order.push("waiter"));
    await settled(box);
    await deliver(box.mailbox, plainMessage({ subject: "Nothing for the waiter" }));
    expect(order).toEqual([]);
    await deliver(box.mailbox, codeMail("482913"));
    await waiting;
    expect(order).toEqual(["waiter"]);
  });

  it("reads no row while nothing comes: nobody polls", async () => {
    const box = await createMailbox();
    await api("/v1/me", { key: box.api_key });
    const waiting = code(box, "timeout=1");
    await settled(box);
    await actorOf(box.mailbox).takeRowCost();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await actorOf(box.mailbox).takeRowCost()).toEqual({ read: 0, written: 0 });
    expect((await waiting).body.code).toBeNull();
  });

  it("is 401 when its key is revoked, and continues for other keys", async () => {
    const box = await createMailbox();
    const { body: made } = await ask<{ id: string; api_key: string }>("/v1/keys", {
      key: box.api_key,
      method: "POST",
    });
    const revoked = ask("/v1/code?timeout=55", { key: made.api_key });
    const kept = code(box, "timeout=55");
    await settled(box);
    await ask(`/v1/keys/${made.id}`, { key: box.api_key, method: "DELETE" });
    expect((await revoked).status).toBe(401);
    await deliver(box.mailbox, codeMail("482913"));
    expect((await kept).body.code).toBe("482913");
  });

  it("is 403 when the mailbox is paused", async () => {
    const box = await createMailbox();
    const waiting = ask("/v1/code?timeout=55", { key: box.api_key });
    await settled(box);
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    const answer = await waiting;
    expect([answer.status, answer.body]).toEqual([403, { error: "Mailbox is paused" }]);
  });

  it("is 401 when the mailbox is deleted, and 404 for the operator", async () => {
    const box = await createMailbox();
    const own = ask("/v1/code?timeout=55", { key: box.api_key });
    const operator = ask(`/v1/code?timeout=55&mailbox=${box.mailbox}`, { key: OPERATOR });
    await settled(box);
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect((await own).status).toBe(401);
    expect((await operator).status).toBe(404);
  });

  it("is 401 when the mailbox expires meanwhile", async () => {
    const box = await bootstrap();
    const { body: me } = await ask<{ expires_at: string }>("/v1/me", { key: box.api_key });
    setClock(Date.parse(me.expires_at) - 100);
    const waiting = ask("/v1/code?timeout=55", { key: box.api_key });
    await settled(box);
    advance(100);
    expect((await waiting).status).toBe(401);
  });

  it("is 401 when its key expires meanwhile", async () => {
    const box = await createMailbox();
    const end = Date.now() + 3_600_000;
    const { body: made } = await ask<{ api_key: string }>("/v1/keys", {
      key: box.api_key,
      json: { expires_at: new Date(end).toISOString() },
    });
    setClock(end - 100);
    const waiting = ask("/v1/code?timeout=55", { key: made.api_key });
    await settled(box);
    advance(100);
    expect((await waiting).status).toBe(401);
  });
});

describe("a code that is consumed", () => {
  it("is handed out once, across a restart too, and stays in the email", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("111222"));
    const { body } = await deliver(box.mailbox, codeMail("482913"));
    expect((await code(box, "consume=true")).body.code).toBe("482913");
    await evict(box.mailbox);
    expect((await code(box, "consume=1")).body.code).toBe("111222");
    expect((await code(box, "timeout=1")).body).toEqual({ code: null });
    expect((await ask(`/v1/emails/${body.id}`, { key: box.api_key })).body).toMatchObject({ code: "482913" });
  });

  it("goes to one of two waiting calls; the other waits for the next", async () => {
    const box = await createMailbox();
    const answered: string[] = [];
    const wait = (name: string) =>
      code(box, "consume=true&timeout=55").then(({ body }) => answered.push(`${name} ${body.code}`));
    const both = [wait("one"), wait("two")];
    await settled(box);
    await deliver(box.mailbox, codeMail("482913"));
    await Promise.race(both);
    expect(answered).toHaveLength(1);
    expect((await code(box, "timeout=1")).body.code).toBeNull();
    await deliver(box.mailbox, codeMail("555666"));
    await Promise.all(both);
    expect(answered.map((line) => line.slice(4)).toSorted()).toEqual(["482913", "555666"]);
    expect(new Set(answered.map((line) => line.split(" ")[0])).size).toBe(2);
  });

  it("is not lost when a waiting client closes its connection: the next call gets it", async () => {
    const box = await createMailbox();
    const hangUp = new AbortController();
    const lost = code(box, "consume=true&timeout=55", hangUp.signal).catch(() => null);
    await settled(box);
    hangUp.abort();
    await lost;
    await deliver(box.mailbox, codeMail("482913"));
    expect((await code(box, "consume=true")).body.code).toBe("482913");
  });

  it("goes to the latest call of a client whose earlier one is still open", async () => {
    const box = await createMailbox();
    const abandoned = code(box, "consume=true&timeout=2");
    await settled(box);
    const retry = code(box, "consume=true&timeout=55");
    await settled(box);
    await deliver(box.mailbox, codeMail("482913"));
    expect((await retry).body.code).toBe("482913");
    expect((await abandoned).body.code).toBeNull();
  });

  it("is handed out once to twenty simultaneous calls", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("482913"));
    const answers = await Promise.all(Array.from({ length: 20 }, () => code(box, "consume=true&timeout=1")));
    expect(answers.filter(({ body }) => body.code !== null)).toHaveLength(1);
  });

  it("is never one that the filter excludes", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, codeMail("482913", "a@bank.example"));
    await deliver(box.mailbox, codeMail("111222", "a@shop.example"));
    await code(box, "consume=true&from=shop");
    expect((await code(box)).body.code).toBe("482913");
  });
});
