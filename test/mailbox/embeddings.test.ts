import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { EmailPage } from "../../src/contract/message.ts";
import type { Stats } from "../../src/contract/mailbox.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  kill,
  message,
  OPERATOR,
  resetClock,
  ringAlarm,
  rowsOf,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

/** The vocabulary of the test's model: words of one line have the same meaning. */
const MEANINGS = [
  ["invoice", "bill", "payment", "rechnung"],
  ["flight", "plane", "departure", "boarding"],
  ["dinner", "restaurant", "table", "lunch"],
  ["password", "login", "security", "sign-in"],
];

/** A model that runs in the test; it may fail, hang, refuse texts or change its dimensions. */
const model = {
  calls: [] as string[][],
  dimensions: MEANINGS.length + 1,
  status: 200,
  hangs: false,
  refuses: "",
  refusal: 400,
  down: false,
  /** The model answers when this is resolved. */
  gate: Promise.resolve(),
};

function vectorOf(text: string): number[] {
  const lower = text.toLowerCase();
  const near = MEANINGS.map((words) => words.filter((word) => lower.includes(word)).length);
  return [...near, 0.1, ...Array<number>(10).fill(0)].slice(0, model.dimensions);
}

function serve(input: string[], signal: AbortSignal | null | undefined): Promise<Response> {
  model.calls.push(input);
  if (model.down) return Promise.reject(new TypeError("connection refused"));
  if (model.hangs) {
    return new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  }
  const refused = model.refuses !== "" && input.some((text) => text.includes(model.refuses));
  const status = refused ? model.refusal : model.status;
  const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
  return model.gate.then(() => Response.json({ data }, { status }));
}

function modelRuns(): void {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(globalThis, "fetch").mockImplementation((_, init) =>
    serve((JSON.parse(init?.body as string) as { input: string[] }).input, init?.signal),
  );
}

afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
  Object.assign(model, { calls: [], dimensions: MEANINGS.length + 1, status: 200, hangs: false });
  Object.assign(model, { refuses: "", refusal: 400, down: false, gate: Promise.resolve() });
});

/** Gives a running actor a model. */
async function useModel({ mailbox }: TestMailbox, name = "tiny"): Promise<void> {
  await setVariables(mailbox, { EMBEDDINGS_URL: "http://model.test/v1", EMBEDDINGS_MODEL: name });
}

async function mailboxWithModel(): Promise<TestMailbox> {
  modelRuns();
  const box = await createMailbox();
  await useModel(box);
  return box;
}

let sent = 0;
async function mail(
  box: TestMailbox,
  subject: string,
  text = "",
  from = "Ann <ann@example.net>",
): Promise<string> {
  sent += 1;
  const raw = message(
    [`From: ${from}`, `To: ${box.mailbox}`, `Subject: ${subject}`, `Message-ID: <e${sent}@x>`],
    text,
  );
  return (await deliver(box.mailbox, raw)).body.id;
}

const progress = async (box: TestMailbox) =>
  (await ask<Stats>("/v1/stats", { key: box.api_key })).body.embeddings;

const isEmbedded = (box: TestMailbox) =>
  expect.poll(async () => (await progress(box))?.pending, { timeout: 10_000 }).toBe(0);

async function search(
  box: TestMailbox,
  query: string,
  more = "",
): Promise<EmailPage & { subjects: string[] }> {
  const { body } = await ask<EmailPage>(`/v1/search?q=${encodeURIComponent(query)}${more}`, {
    key: box.api_key,
  });
  return { ...body, subjects: body.emails.map(({ subject }) => subject) };
}

const semantic = "&mode=semantic";

describe("a search by meaning", () => {
  it("finds emails without any common word, and shows its mode", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Your invoice for May", "Please transfer 12 EUR.");
    await mail(box, "Boarding opens soon", "Your flight leaves at 9.");
    await mail(box, "Table for two", "See you at the restaurant.");
    await isEmbedded(box);
    const found = await search(box, "Rechnung", semantic);
    expect(found).toMatchObject({
      search_mode: "semantic",
      subjects: [expect.stringContaining("invoice"), expect.anything(), expect.anything()],
    });
    expect(found).not.toHaveProperty("hint");
    const hybrid = await search(box, "plane");
    expect([hybrid.search_mode, hybrid.subjects[0]]).toEqual(["hybrid", "Boarding opens soon"]);
    const keyword = await search(box, "plane", "&mode=keyword");
    expect([keyword.search_mode, keyword.subjects]).toEqual(["keyword", []]);
  });

  it("ranks hits of both words and meaning first in a hybrid search", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Payment received", "Thank you.");
    await mail(box, "Bill of May", "The bill is attached.");
    await mail(box, "Bill Gates", "A biography of a man with a plane, a flight and a boarding pass.");
    await isEmbedded(box);
    expect((await search(box, "bill")).subjects).toEqual(["Bill of May", "Bill Gates", "Payment received"]);
  });

  it("applies filters, operators and exclusions in every mode", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice 1", "from the shop", "Shop <shop@example.net>");
    await mail(box, "Invoice 2", "from the bank", "Bank <bank@example.net>");
    await mail(box, "Payment reminder", "draft", "Bank <bank@example.net>");
    await isEmbedded(box);
    for (const mode of ["semantic", "hybrid"]) {
      const by = async (query: string, more = "") =>
        (await search(box, query, `&mode=${mode}${more}`)).subjects.toSorted();
      expect(await by("bill from:shop")).toEqual(["Invoice 1"]);
      expect(await by("bill", "&from=bank")).toEqual(["Invoice 2", "Payment reminder"]);
      expect(await by("bill -draft")).toEqual(["Invoice 1", "Invoice 2"]);
      expect(await by("bill", "&label=nothing")).toEqual([]);
      expect(await by("bill before:2020-01-01")).toEqual([]);
      expect(await by("bill has:attachment")).toEqual([]);
    }
    // A search of operators only has no text to compare.
    expect(await search(box, "from:shop", semantic)).toMatchObject({
      search_mode: "keyword",
      subjects: ["Invoice 1"],
    });
  });

  it("pages without repeats or gaps while mail arrives", async () => {
    const box = await mailboxWithModel();
    for (let number = 0; number < 7; number += 1) await mail(box, `Invoice ${number}`);
    await isEmbedded(box);
    for (const mode of ["semantic", "hybrid"]) {
      const seen: string[] = [];
      let cursor = "";
      do {
        const page = await search(box, "payment invoice", `&mode=${mode}&limit=3${cursor}`);
        seen.push(...page.subjects);
        if (cursor === "") await mail(box, `Invoice that came later (${mode})`);
        await isEmbedded(box);
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
      } while (cursor !== "");
      expect(seen.filter((subject) => /^Invoice \d$/.test(subject)).toSorted()).toHaveLength(7);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).not.toContain(`Invoice that came later (${mode})`);
    }
  });

  it("no longer finds erased emails, also after a restart", async () => {
    const box = await mailboxWithModel();
    const id = await mail(box, "Invoice");
    await mail(box, "Flight");
    await isEmbedded(box);
    expect((await search(box, "bill", semantic)).subjects).toEqual(["Invoice", "Flight"]);
    await api(`/v1/emails/${id}`, { key: box.api_key, method: "DELETE" });
    expect((await search(box, "bill", semantic)).subjects).toEqual(["Flight"]);
    await evict(box.mailbox);
    await useModel(box);
    expect((await search(box, "bill", semantic)).subjects).toEqual(["Flight"]);
    expect(await progress(box)).toMatchObject({ embedded: 1, pending: 0 });
  });

  it("calls the model only for authorized callers, and once for the same words", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice");
    await isEmbedded(box);
    model.calls = [];
    expect((await api("/v1/search?q=bill", { key: `mk_${"0".repeat(64)}` })).status).toBe(401);
    expect(model.calls).toEqual([]);
    await search(box, "bill");
    await search(box, "bill", "&limit=1");
    expect(model.calls).toEqual([["bill"]]);
  });

  it("calls the model once for words that are searched twice at the same time", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice");
    await isEmbedded(box);
    model.calls = [];
    await Promise.all([search(box, "bill"), search(box, "bill", "&limit=1")]);
    expect(model.calls).toEqual([["bill"]]);
  });
});

/** More vectors than a search compares, and more than stay in memory. */
const MANY = 70_000;
/** Vectors that one search reads from disk. */
const COMPARED = 20_000;

describe("a search by meaning in a mailbox of many mails", () => {
  /** A mailbox with an old mail, `MANY` meaningless vectors, and a new mail. */
  async function largeMailbox(): Promise<TestMailbox> {
    const box = await mailboxWithModel();
    await mail(box, "Invoice of an old order", "", "Shop <shop@example.net>");
    advance(86_400_000);
    await mail(box, "Payment of today", "", "Bank <bank@example.net>");
    await isEmbedded(box);
    await rowsOf(
      box.mailbox,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO embedding (seq, generation, vector)
        SELECT (SELECT min(seq) FROM message) + i, 1, x'000000007F' FROM n`,
      MANY,
    );
    await rowsOf(box.mailbox, "UPDATE embedding_state SET embedded = embedded + ?", MANY);
    await evict(box.mailbox);
    await useModel(box);
    return box;
  }

  it("compares the newest emails and the best keyword hits, and says so", async () => {
    const box = await largeMailbox();
    const far = await search(box, "rechnung", semantic);
    expect(far).toMatchObject({
      search_mode: "semantic",
      subjects: ["Payment of today"],
      hint: expect.stringContaining(`only the newest ${COMPARED} emails and the 1000 best matches by words`),
    });
    for (const mode of ["semantic", "hybrid"]) {
      const byWords = await search(box, "invoice", `&mode=${mode}`);
      expect(byWords.subjects.toSorted()).toEqual(["Invoice of an old order", "Payment of today"]);
    }
  });

  it("compares all emails that pass a filter, if they are few enough, and then adds no hint", async () => {
    const box = await largeMailbox();
    const found = await search(box, "rechnung from:shop", semantic);
    expect(found.subjects).toEqual(["Invoice of an old order"]);
    expect(found).not.toHaveProperty("hint");
  });

  it("reads no more vectors than it compares, and answers other calls meanwhile", async () => {
    const box = await largeMailbox();
    await search(box, "rechnung", semantic);
    const actor = actorOf(box.mailbox);
    await actor.takeRowCost();
    const order: string[] = [];
    const searching = search(box, "rechnung", semantic).then(() => order.push("search"));
    const others = Promise.all(
      Array.from({ length: 3 }, async () => ask("/v1/stats", { key: box.api_key })),
    ).then(() => order.push("others"));
    await Promise.all([searching, others]);
    expect(order).toEqual(["others", "search"]);
    expect((await actor.takeRowCost()).read).toBeLessThan(COMPARED + 2_000);
  });

  it("pages without repeats", async () => {
    const box = await largeMailbox();
    const first = await search(box, "invoice", `${semantic}&limit=1`);
    const second = await search(box, "invoice", `${semantic}&limit=1&cursor=${first.next_cursor}`);
    expect([...first.subjects, ...second.subjects].toSorted()).toEqual([
      "Invoice of an old order",
      "Payment of today",
    ]);
  });
});

describe("a search by filters alone", () => {
  it("needs no call of the model, and gets no hint about it", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice", "", "Shop <shop@example.net>");
    await isEmbedded(box);
    Object.assign(model, { calls: [], down: true });
    const found = await search(box, "from:shop -draft");
    expect(found).toMatchObject({ search_mode: "keyword", subjects: ["Invoice"] });
    expect(found).not.toHaveProperty("hint");
    expect(model.calls).toEqual([]);
  });
});

describe("a search without an answer of the model", () => {
  it.each([
    ["it is down", () => (model.down = true)],
    ["it fails", () => (model.status = 500)],
    ["it answers with the wrong dimension", () => (model.dimensions = 3)],
  ])("uses keywords, and a hint says so: %s", async (_, breakModel) => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice");
    await isEmbedded(box);
    breakModel();
    expect(await search(box, "invoice")).toMatchObject({
      search_mode: "keyword",
      hint: "The embedding model does not answer, so results come from keywords",
      subjects: ["Invoice"],
    });
  });

  it("uses keywords if no model is configured", async () => {
    const box = await createMailbox();
    await mail(box, "Invoice");
    expect(await search(box, "invoice")).toMatchObject({
      search_mode: "keyword",
      hint: "No embedding model is configured, so results come from keywords",
      subjects: ["Invoice"],
    });
    expect(await progress(box)).toBeNull();
  });
});

describe("embedding", () => {
  it("delays no received mail while the model hangs, and continues when it is back", async () => {
    const box = await mailboxWithModel();
    model.hangs = true;
    await mail(box, "Invoice");
    await expect.poll(() => model.calls.length).toBe(1);
    await mail(box, "Flight");
    expect(await progress(box)).toMatchObject({ embedded: 0, pending: 2 });
    await kill(box.mailbox);
    model.hangs = false;
    await useModel(box);
    await ringAlarm(box.mailbox);
    await isEmbedded(box);
    expect((await search(box, "bill", semantic)).subjects[0]).toBe("Invoice");
  });

  it("is retried by the alarm after a failure, with growing delays, and shows the error", async () => {
    const box = await mailboxWithModel();
    model.status = 500;
    await mail(box, "Invoice");
    for (const pauseMs of [15_000, 30_000, 60_000]) {
      await expect.poll(async () => (await progress(box))?.error).toBe("The model answered 500");
      const due = (await alarmOf(box.mailbox)) ?? 0;
      expect(due - Date.now()).toBeLessThanOrEqual(pauseMs);
      expect(due - Date.now()).toBeGreaterThan(pauseMs / 2 - 1_000);
      const calls = model.calls.length;
      advance(pauseMs);
      await ringAlarm(box.mailbox);
      await expect.poll(() => model.calls.length).toBeGreaterThan(calls);
    }
    model.status = 200;
    advance(120_000);
    await ringAlarm(box.mailbox);
    await isEmbedded(box);
    expect(await progress(box)).toMatchObject({ embedded: 1, failed: 0, error: null });
  });

  it("is not retried earlier because mail arrives", async () => {
    const box = await mailboxWithModel();
    model.status = 500;
    await mail(box, "Invoice");
    // After three or more failures, the delay is at least two minutes.
    const alarmAfterRing = async () => {
      await ringAlarm(box.mailbox);
      return ((await alarmOf(box.mailbox)) ?? 0) - Date.now();
    };
    for (const failures of [1, 2, 3, 4]) {
      await expect.poll(() => model.calls.length).toBeGreaterThanOrEqual(failures);
      if (failures < 4) advance(61_000);
      if (failures < 4) await ringAlarm(box.mailbox);
    }
    await expect.poll(alarmAfterRing).toBeGreaterThan(100_000);
    await mail(box, "Flight");
    expect(((await alarmOf(box.mailbox)) ?? 0) - Date.now()).toBeGreaterThan(100_000);
  });

  it("with wrong dimensions stores nothing, and waits for the right model", async () => {
    const box = await mailboxWithModel();
    await mail(box, "Invoice");
    await isEmbedded(box);
    model.dimensions = 3;
    await mail(box, "Flight");
    await expect
      .poll(async () => (await progress(box))?.error)
      .toBe("The model answered with 3 dimensions in place of 5");
    expect(await rowsOf(box.mailbox, "SELECT seq FROM embedding")).toHaveLength(1);
    model.dimensions = 5;
    advance(20_000);
    await ringAlarm(box.mailbox);
    await isEmbedded(box);
    expect((await search(box, "plane", semantic)).subjects).toEqual(["Flight", "Invoice"]);
  });

  it("skips the one message that the model refuses, and no other", async () => {
    const box = await mailboxWithModel();
    model.refuses = "poison";
    for (let number = 0; number < 6; number += 1)
      await mail(box, number === 3 ? "poison" : `Invoice ${number}`);
    await isEmbedded(box);
    expect(await progress(box)).toMatchObject({ embedded: 5, failed: 1, error: null });
    expect((await search(box, "bill", semantic)).subjects).toHaveLength(5);
    expect((await search(box, "poison", "&mode=keyword")).subjects).toEqual(["poison"]);
  });

  it("skips a message on which the model fails repeatedly, whatever the error", async () => {
    const box = await mailboxWithModel();
    Object.assign(model, { refuses: "poison", refusal: 500 });
    for (const subject of ["Invoice 1", "poison", "Invoice 2"]) await mail(box, subject);
    await expect
      .poll(
        async () => {
          advance(3_600_000);
          await ringAlarm(box.mailbox);
          return (await progress(box))?.pending;
        },
        { timeout: 10_000 },
      )
      .toBe(0);
    expect(await progress(box)).toMatchObject({ embedded: 2, failed: 1, error: null });
  });

  it("does not count refused messages that are erased before or after the answer", async () => {
    const box = await mailboxWithModel();
    model.refuses = "poison";
    const refused = await mail(box, "poison");
    await mail(box, "Invoice");
    await isEmbedded(box);
    expect(await progress(box)).toMatchObject({ embedded: 1, pending: 0, failed: 1 });
    await api(`/v1/emails/${refused}`, { key: box.api_key, method: "DELETE" });
    await api(`/v1/emails/${refused}`, { key: box.api_key, method: "DELETE" });
    expect(await progress(box)).toMatchObject({ embedded: 1, pending: 0, failed: 0 });
    const gate = Promise.withResolvers<void>();
    Object.assign(model, { gate: gate.promise, calls: [] });
    const gone = await mail(box, "poison");
    await expect.poll(() => model.calls.length).toBe(1);
    await api(`/v1/emails/${gone}`, { key: box.api_key, method: "DELETE" });
    gate.resolve();
    await mail(box, "Flight");
    await expect.poll(async () => (await progress(box))?.embedded).toBe(2);
    expect(await progress(box)).toMatchObject({ embedded: 2, pending: 0, failed: 0 });
  });

  it("skips no message if the model refuses everything", async () => {
    const box = await mailboxWithModel();
    model.status = 400;
    await mail(box, "Invoice");
    await expect.poll(async () => (await progress(box))?.error).toBe("The model answered 400");
    expect(await progress(box)).toMatchObject({ embedded: 0, failed: 0, pending: 1 });
  });

  it("starts again with another model, newest first, and old vectors match nothing", async () => {
    const box = await mailboxWithModel();
    const subjects = ["Invoice", "Flight", "Dinner"];
    for (const subject of subjects) await mail(box, subject);
    await isEmbedded(box);
    await useModel(box, "larger");
    model.dimensions = 7;
    model.calls = [];
    expect(await progress(box)).toMatchObject({
      embedded: 0,
      pending: 3,
      model: expect.stringContaining("larger") as string,
    });
    await ringAlarm(box.mailbox);
    await isEmbedded(box);
    expect(model.calls.flat().map((text) => text.split("\n")[0])).toEqual(["Dinner", "Flight", "Invoice"]);
    expect((await search(box, "bill", semantic)).subjects[0]).toBe("Invoice");
    expect(await rowsOf(box.mailbox, "SELECT seq FROM embedding")).toHaveLength(3);
  });

  it("never compares vectors of different models, even with equal dimensions", async () => {
    const box = await mailboxWithModel();
    for (const subject of ["Invoice", "Flight", "Dinner"]) await mail(box, subject);
    await isEmbedded(box);
    for (const dimensions of [5, 7]) {
      await useModel(box, `of ${dimensions}`);
      model.dimensions = dimensions;
      expect(await search(box, "bill", semantic)).toMatchObject({
        subjects: [],
        search_mode: "semantic",
        hint: "By meaning 0 of 3 emails are found so far",
      });
    }
  });

  it("includes mail from before a model was configured", async () => {
    const box = await createMailbox();
    for (let number = 0; number < 70; number += 1) await mail(box, `Invoice ${number}`);
    modelRuns();
    await useModel(box);
    expect((await search(box, "bill", semantic)).hint).toContain("0 of 70 emails");
    await ringAlarm(box.mailbox);
    await isEmbedded(box);
    expect(await progress(box)).toMatchObject({ embedded: 70 });
    expect(Math.max(...model.calls.map((texts) => texts.length))).toBe(32);
  });

  it("uses the new text of an email, and not its quotes", async () => {
    const box = await mailboxWithModel();
    await mail(
      box,
      "Re: plans",
      "Lunch is fine.\n\nOn Mon, 1 May 2026 Bob <bob@x.example> wrote:\n> Your invoice, bill and payment",
    );
    await isEmbedded(box);
    expect(model.calls.flat().join()).toContain("Lunch is fine.");
    expect(model.calls.flat().join()).not.toContain("invoice");
  });

  it("is repeated for all reindexed mail, even if a batch is under way", async () => {
    const box = await mailboxWithModel();
    for (const subject of ["Invoice", "Flight", "Dinner"]) await mail(box, subject);
    await isEmbedded(box);
    const gate = Promise.withResolvers<void>();
    Object.assign(model, { gate: gate.promise, calls: [] });
    await mail(box, "Login");
    await expect.poll(() => model.calls.length).toBe(1);
    await reread(box);
    gate.resolve();
    await expect
      .poll(() => new Set(model.calls.flat().map((text) => text.split("\n")[0])), { timeout: 10_000 })
      .toEqual(new Set(["Login", "Dinner", "Flight", "Invoice"]));
    await expect.poll(async () => (await progress(box))?.embedded).toBe(4);
  });

  it("reaches imported mail, and asks the model for no other mail a second time", async () => {
    const box = await mailboxWithModel();
    for (const subject of ["Invoice", "Flight"]) await mail(box, subject);
    await isEmbedded(box);
    model.calls = [];
    for (const [at, subject] of ["Dinner", "Login"].entries()) {
      const body = `Date: Fri, ${at + 1} Mar 2019 10:00:00 +0000\nSubject: ${subject}\n\nx\n`;
      expect((await ask("/v1/import", { key: box.api_key, body })).status).toBe(202);
      await expect.poll(async () => (await progress(box))?.embedded, { timeout: 10_000 }).toBe(3 + at);
    }
    expect(model.calls.flat().map((text) => text.split("\n")[0])).toEqual(["Dinner", "Login"]);
  });

  it("is repeated only when reindexing is complete, with the new texts", async () => {
    const box = await mailboxWithModel();
    for (const subject of ["Invoice", "Flight", "Dinner"]) await mail(box, subject);
    await isEmbedded(box);
    await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
      storage.sql.exec("UPDATE message SET listing = replace(listing, 'Dinner', 'Damage')");
    });
    model.calls = [];
    await reread(box);
    await expect.poll(() => model.calls.flat().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    await isEmbedded(box);
    expect(model.calls.flat().map((text) => text.split("\n")[0])).toEqual(["Dinner", "Flight", "Invoice"]);
  });

  it("shows the name of the model, and not its URL", async () => {
    const box = await mailboxWithModel();
    expect((await progress(box))?.model).toBe("tiny");
  });
});

/** Reindexes all mail as the operator. */
async function reread(box: TestMailbox): Promise<void> {
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `/v1/mailboxes/${box.mailbox}/reindex?limit=2&cursor=${cursor}`;
    const page = await ask<{ next_cursor: string | null }>(path, { key: OPERATOR, method: "POST" });
    cursor = page.body.next_cursor;
  }
}
