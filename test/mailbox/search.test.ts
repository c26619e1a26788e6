import { runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  actorOf,
  advance,
  ask,
  createMailbox,
  deliver,
  message,
  plainMessage,
  resetClock,
  rowsOf,
  setClock,
  type TestMailbox,
} from "../harness.ts";

interface Hit {
  id: string;
  subject: string;
  snippet: string;
  score: number;
  highlights: string[];
}
interface Page {
  emails: Hit[];
  search_mode: string;
  hint?: string;
  next_cursor: string | null;
}

afterEach(resetClock);

const search = (box: TestMailbox, query: string, more = "") =>
  ask<Page>(`/v1/search?q=${encodeURIComponent(query)}&limit=100${more}`, { key: box.api_key });
const found = async (box: TestMailbox, query: string, more = "") =>
  (await search(box, query, more)).body.emails.map((email) => email.subject);

const withFile = (subject: string, filename: string) =>
  message(
    [
      `Subject: ${subject}`,
      `Message-ID: <${crypto.randomUUID()}@x>`,
      "Content-Type: multipart/mixed; boundary=x",
    ],
    `--x\nContent-Disposition: attachment; filename="${filename}"\n\nA\n--x--`,
  );

/** Day n of the mail of the shared mailbox. */
const day = (n: number) => Date.UTC(2026, 5, n, 12);

describe("a search that waits for its turn", () => {
  it("leaves its place when its client hangs up", async () => {
    const box = await createMailbox();
    const blocked = Promise.withResolvers<void>();
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => {
      for (const id of ["one", "two"]) {
        void life.scans.call(id, (scan) =>
          life.scans.run(scan, async () => {
            await blocked.promise;
            return { ok: true, value: null };
          }),
        );
      }
    });
    const begin = async (signal?: AbortSignal): Promise<number | null> => {
      const answer = ask(`/v1/search?q=${crypto.randomUUID()}&mode=keyword`, { key: box.api_key, signal });
      return answer.then(({ status }) => status).catch(() => null);
    };
    for (let round = 0; round < 4; round += 1) {
      const hangUp = new AbortController();
      const lost = Array.from({ length: 16 }, () => begin(hangUp.signal));
      await new Promise((resolve) => setTimeout(resolve, 50));
      hangUp.abort();
      await Promise.all(lost);
    }
    const waiting = begin();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await runInDurableObject(actorOf(box.mailbox), () => blocked.resolve());
    expect(await waiting).toBe(200);
  });
});

describe("search finds", () => {
  let box: TestMailbox;

  beforeAll(async () => {
    box = await createMailbox();
    const utf8 = ["Content-Type: text/plain; charset=utf-8"];
    const [local = "", domain = ""] = box.mailbox.split("@");
    const mails: [string, string?][] = [
      [
        plainMessage({
          subject: "Invoice March",
          body: "Please pay the amount due.",
          from: "Ann Archer <ann@shop.example>",
        }),
      ],
      [plainMessage({ subject: "Lunch", body: "The invoice can wait, said the quick brown fox." })],
      [plainMessage({ subject: "Running late", body: "brown quick fox", from: "Bob <bob@example.com>" })],
      [withFile("Plans", "floor-plan-2026.pdf")],
      [
        plainMessage({
          subject: "=?utf-8?q?Caf=C3=A9_in_Z=C3=BCrich?=",
          body: "Señor Ångström lädt ein",
          headers: utf8,
        }),
      ],
      [
        plainMessage({
          subject: "=?utf-8?b?5Lya6K2w5a6J5o6S?=",
          body: "我们明天在北京开会。",
          headers: utf8,
        }),
      ],
      [
        plainMessage({
          subject: "Tokyo",
          body: "東京タワーで会いましょう。한국어 문장입니다.",
          headers: utf8,
        }),
      ],
      [plainMessage({ subject: "Your login", body: "Your verification code is 482913" })],
      [plainMessage({ subject: "Weekly digest", headers: ["List-Id: <digest.example>"] })],
      [plainMessage({ subject: "To the tag" }), `${local}+orders@${domain}`],
    ];
    for (const [index, [raw, to = box.mailbox]] of mails.entries()) {
      setClock(day(index + 1));
      await deliver(to, raw);
    }
    resetClock();
  });

  it.each<[string, string, string[]]>([
    ["a word in subject or body", "invoice", ["Invoice March", "Lunch"]],
    ["a word in any case", "INVOICE", ["Invoice March", "Lunch"]],
    ["words that must all be there", "invoice amount", ["Invoice March"]],
    ["words of two fields", "march amount", ["Invoice March"]],
    ["the stem of a word", "invoices", ["Invoice March", "Lunch"]],
    ["a phrase in its order", '"quick brown fox"', ["Lunch"]],
    ["a phrase in no other order", '"brown quick"', ["Running late"]],
    ["a prefix", "invo*", ["Invoice March", "Lunch"]],
    ["no prefix that was not asked for", "invo", []],
    ["one word or the other", "amount OR digest", ["Weekly digest", "Invoice March"]],
    ["a word without another", "invoice -lunch", ["Invoice March"]],
    ["a sender's name", "archer", ["Invoice March"]],
    ["a sender's address", "shop.example", ["Invoice March"]],
    ["a code", "482913", ["Your login"]],
    ["an attachment's name", "floor-plan-2026.pdf", ["Plans"]],
    ["a part of an attachment's name", "floor", ["Plans"]],
    ["words without their accents", "cafe zurich", ["Café in Zürich"]],
    ["words with their accents", "Señor Ångström", ["Café in Zürich"]],
    ["accents that the text has not", "íñvóicé màrch", ["Invoice March"]],
    ["two Chinese characters", "北京", ["会議安排"]],
    ["two Chinese characters of a subject", "安排", ["会議安排"]],
    ["two Japanese characters", "東京", ["Tokyo"]],
    ["katakana within a word", "タワー", ["Tokyo"]],
    ["two Korean characters", "한국", ["Tokyo"]],
    ["no characters that do not stand side by side", "京北", []],
    ["from:", "from:bob", ["Running late"]],
    ["from: by address", "from:ann@shop.example", ["Invoice March"]],
    ["to:", "to:+orders", ["To the tag"]],
    ["subject:", "subject:invoice", ["Invoice March"]],
    ["subject: of several words", 'subject:"running late"', ["Running late"]],
    ["has:attachment", "has:attachment", ["Plans"]],
    ["label:", "label:newsletter", ["Weekly digest"]],
    ["an operator and a word", "label:personal invoice", ["Invoice March", "Lunch"]],
    ["two operators", "from:ann subject:march", ["Invoice March"]],
    ["two labels that no email has both", "label:newsletter label:personal", []],
    ["before:, that day excluded", "before:2026-06-03", ["Lunch", "Invoice March"]],
    ["after:, that day included", "after:2026-06-10", ["To the tag"]],
    ["before: and after:", "after:2026-06-02 before:2026-06-04", ["Running late", "Lunch"]],
    ["nothing of what is not there", "unheard-of", []],
    ["nothing where no word was given", '"" () * -', []],
  ])("%s", async (_, query, wanted) => {
    const { status, body } = await search(box, query);
    expect(status).toBe(200);
    expect(body.emails.map((email) => email.subject).toSorted()).toEqual(wanted.toSorted());
  });

  it("emails that match both the words and the filters of the request", async () => {
    expect(await found(box, "invoice", "&from=archer")).toEqual(["Invoice March"]);
    expect(await found(box, "invoice", "&subject=lunch")).toEqual(["Lunch"]);
    expect(await found(box, "invoice", "&label=newsletter")).toEqual([]);
    expect(await found(box, "plan", "&has_attachment=false")).toEqual([]);
    expect(await found(box, "invoice", `&since=${new Date(day(2)).toISOString()}`)).toEqual(["Lunch"]);
    expect(await found(box, "invoice", `&until=${new Date(day(1)).toISOString()}`)).toEqual([
      "Invoice March",
    ]);
    expect(await found(box, "invoice", `&to=${box.mailbox}`)).toHaveLength(2);
    expect(await found(box, "from:bob", "&from=ann")).toEqual([]);
  });

  it("the same by `query` and by `q`, which are one parameter", async () => {
    const q = await ask("/v1/search?q=invoice", { key: box.api_key });
    const query = await ask("/v1/search?query=invoice", { key: box.api_key });
    expect(q.body).toEqual(query.body);
  });

  it("matches in the subject before matches in the body", async () => {
    expect(await found(box, "invoice")).toEqual(["Invoice March", "Lunch"]);
    const { body } = await search(box, "invoice");
    const [first, second] = body.emails;
    expect(first?.score).toBeGreaterThan(second?.score ?? Infinity);
  });

  it("emails by operators alone, newest first", async () => {
    const { body } = await search(box, "label:personal");
    const ids = body.emails.map((email) => email.id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(ids.length).toBeGreaterThan(3);
  });

  it("a snippet and highlights around each hit, as text", async () => {
    const own = await createMailbox();
    const filler = "nothing to see here ".repeat(100);
    await deliver(
      own.mailbox,
      plainMessage({ subject: "Far", body: `${filler}the needle <b>itself</b> ${filler}` }),
    );
    const { body } = await search(own, "needle");
    expect(body.emails[0]?.snippet).toContain("needle");
    expect(body.emails[0]?.snippet.length).toBeLessThanOrEqual(160);
    expect(body.emails[0]?.highlights.join()).toContain("needle");
  });

  it("emails by keywords in every mode if there is no model, and says so", async () => {
    for (const mode of ["", "keyword", "semantic", "hybrid"]) {
      const { body } = await search(box, "invoice", `&mode=${mode}`);
      expect(body.search_mode).toBe("keyword");
      expect(body.emails).toHaveLength(2);
      expect(typeof body.hint).toBe(mode === "keyword" ? "undefined" : "string");
    }
  });
});

describe("a search of very many words", () => {
  it("says in every mode that it did not read all of them", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Parcel" }));
    const words = ["parcel", ...Array.from({ length: 39 }, (_, at) => `w${at}`)].join(" OR ");
    for (const mode of ["keyword", "semantic", "hybrid"]) {
      const { body } = await search(box, words, `&mode=${mode}`);
      expect(body.emails).toHaveLength(1);
      expect(body.hint).toContain("Only the first 32 words, phrases and conditions");
    }
  });
});

describe("a search cursor", () => {
  it("pages through all hits once, while mail arrives that would rank first", async () => {
    const box = await createMailbox();
    const wanted: string[] = [];
    for (let n = 0; n < 11; n += 1) {
      wanted.push((await deliver(box.mailbox, plainMessage({ subject: `needle ${n}` }))).body.id);
    }
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: { body: Page } = await ask(`/v1/search?q=needle&limit=3&cursor=${cursor}`, {
        key: box.api_key,
      });
      seen.push(...body.emails.map((email) => email.id));
      cursor = body.next_cursor;
      await deliver(box.mailbox, plainMessage({ subject: "needle needle needle" }));
    }
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });

  it("pages through hits of operators alone, too", async () => {
    const box = await createMailbox();
    for (let n = 0; n < 7; n += 1) await deliver(box.mailbox, plainMessage({ subject: `m${n}` }));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: { body: Page } = await ask(`/v1/inbox?query=from:ann&limit=2&cursor=${cursor}`, {
        key: box.api_key,
      });
      seen.push(...body.emails.map((email) => email.subject));
      cursor = body.next_cursor;
      await deliver(box.mailbox, plainMessage({ subject: "new" }));
    }
    expect(seen).toEqual(["m6", "m5", "m4", "m3", "m2", "m1", "m0"]);
  });

  it("begins after offset", async () => {
    const box = await createMailbox();
    for (let n = 0; n < 3; n += 1) await deliver(box.mailbox, plainMessage({ subject: `needle ${n}` }));
    const { body: all } = await search(box, "needle");
    const { body: rest } = await search(box, "needle", "&offset=1");
    expect(rest.emails.map((email) => email.id)).toEqual(all.emails.slice(1).map((email) => email.id));
  });
});

describe("a repeated search", () => {
  it("is correct after every change, and reads no row until there is one", async () => {
    const box = await createMailbox();
    const first = await deliver(box.mailbox, plainMessage({ subject: "Otter one" }));
    const ids = async (more = "") => (await search(box, "otter", more)).body.emails.map(({ id }) => id);
    expect(await ids()).toEqual([first.body.id]);
    await actorOf(box.mailbox).takeRowCost();
    expect(await ids()).toEqual([first.body.id]);
    expect(await actorOf(box.mailbox).takeRowCost()).toEqual({ read: 0, written: 0 });
    expect(await ids("&subject=two")).toEqual([]);
    const second = await deliver(box.mailbox, plainMessage({ subject: "Otter two" }));
    expect((await ids()).toSorted()).toEqual([first.body.id, second.body.id].toSorted());
    expect(await ids("&subject=two")).toEqual([second.body.id]);
    expect(await ids("&label=seen")).toEqual([]);
    const call = { key: box.api_key, method: "PATCH", json: { add_labels: ["seen"] } };
    await ask(`/v1/emails/${first.body.id}`, call);
    expect(await ids("&label=seen")).toEqual([first.body.id]);
    await ask(`/v1/emails/${second.body.id}`, { key: box.api_key, method: "DELETE" });
    expect(await ids()).toEqual([first.body.id]);
  });

  it("is answered from the cache when a few searches alternate", async () => {
    const box = await createMailbox();
    const words = ["alder", "birch", "cedar", "dogwood", "elm", "fir"];
    for (const word of words) await deliver(box.mailbox, plainMessage({ subject: word }));
    for (const word of [...words, ...words, ...words.toReversed()])
      expect(await found(box, word)).toEqual([word]);
  });
});

describe("a search with an unusual text", () => {
  let box: TestMailbox;
  let schema: unknown;
  const readSchema = () => rowsOf(box.mailbox, "SELECT name, sql FROM sqlite_master ORDER BY name");

  beforeAll(async () => {
    box = await createMailbox();
    for (const subject of ["alpha", "beta", "NEAR", "a AND b"])
      await deliver(box.mailbox, plainMessage({ subject }));
    // The first search makes the full-text index.
    await ask("/v1/search?q=alpha", { key: box.api_key });
    schema = await readSchema();
  });

  const HOSTILE = [
    '"',
    '"""',
    "a AND",
    "AND",
    "OR OR",
    "NOT",
    "NOT NOT a",
    "*",
    "a*b*",
    "nope:x",
    "subject:",
    "from:*",
    "-a",
    "--",
    "-",
    "NEAR(",
    "NEAR(a b, 3)",
    "(",
    ")",
    "((((a",
    "''",
    "'; DROP TABLE message--",
    ";",
    "^a",
    "{subject body}: a",
    "a + b",
    "a:b:c",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\u202e\u200b",
    "before:9999-99-99",
    "after:-1",
    "before:",
    "has:",
    "has:nothing",
    "label:'",
    "%",
    "_%",
    "\\",
    "[a",
    "?1",
    ":name",
    "@name",
    "$name",
    "(".repeat(10_240),
    '"'.repeat(10_240),
    "a ".repeat(5_120),
    "-a ".repeat(3_000),
    "from:a ".repeat(1_400),
    "x".repeat(10_240),
    "北".repeat(10_240),
    "\u0301".repeat(1_000),
    "\u{1f600}".repeat(1_000),
  ];

  it.each(
    HOSTILE.map((query) => [query.length > 40 ? `${query.slice(0, 12)}… ×${query.length}` : query, query]),
  )("succeeds: %j", async (_, query) => {
    for (const path of ["search", "inbox"]) {
      const { status } = await ask(`/v1/${path}?query=${encodeURIComponent(query.toWellFormed())}`, {
        key: box.api_key,
      });
      expect(status).toBe(200);
    }
  });

  it("succeeds for 200 random strings, and changes no table", async () => {
    const word = fc.constantFrom(
      '"',
      "(",
      ")",
      "*",
      "-",
      "AND",
      "OR",
      "NOT",
      "NEAR",
      "from:",
      "has:",
      "a",
      "北",
      " ",
    );
    const query = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.array(word, { maxLength: 20 }).map((words) => words.join("")),
      fc.array(word, { maxLength: 20 }).map((words) => words.join(" ")),
    );
    await fc.assert(
      fc.asyncProperty(
        query.filter((text) => text !== ""),
        async (text) => {
          const { status } = await search(box, text);
          expect(status).toBe(200);
        },
      ),
      { numRuns: 200 },
    );
    expect(await readSchema()).toEqual(schema);
    expect(await found(box, "alpha")).toEqual(["alpha"]);
  });

  it("never shows another mailbox's mail", async () => {
    const other = await createMailbox();
    await deliver(other.mailbox, plainMessage({ subject: "topsecret of another" }));
    for (const query of [
      "topsecret",
      "from:ann topsecret",
      "another",
      "label:personal",
      "-nothing",
      "a OR topsecret",
    ]) {
      expect(JSON.stringify((await search(box, query)).body)).not.toContain("topsecret");
    }
    expect(await found(other, "topsecret")).toEqual(["topsecret of another"]);
  });
});

describe("a search that looks at more mail than one statement may", () => {
  it("finds a phrase in an old mail, before and after a receipt, and leaves the index as it was", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, plainMessage({ subject: "Old", body: "lynx mole" }));
    await search(box, "lynx");
    const newer = `WITH RECURSIVE newer (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM newer WHERE n < 3000)`;
    await rowsOf(
      box.mailbox,
      `${newer} INSERT INTO search (rowid, body) SELECT m.seq + n, 'mole and lynx' FROM newer, message m`,
    );
    // The width of a range goes by the mails that the mailbox counts.
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => {
      Object.assign(life.context.account()?.row ?? {}, { inbound: 1_000_000 });
    });
    const count = () => rowsOf(box.mailbox, "SELECT count(*) AS n, max(id) AS newest FROM search_docsize");
    const before = await count();
    advance(10_000);
    const ids = async (query: string) => (await search(box, query)).body.emails.map(({ id }) => id);
    expect(await ids('"lynx mole"')).toEqual([body.id]);
    const later = await deliver(box.mailbox, plainMessage({ subject: "Later", body: "lynx mole" }));
    expect((await ids('"lynx mole"')).toSorted()).toEqual([body.id, later.body.id].toSorted());
    expect(await ids('lynx -"mole and"')).toEqual(expect.arrayContaining([body.id, later.body.id]));
    await ask(`/v1/emails/${later.body.id}`, { key: box.api_key, method: "DELETE" });
    expect(await ids('"lynx mole"')).toEqual([body.id]);
    expect(await count()).toEqual(before);
  });
});

describe("a search in a thread", () => {
  it("ranks a mail that contains the word before one that only quotes it", async () => {
    const box = await createMailbox();
    const quote = (text: string) => `On Mon, 1 May 2026 Ann <ann@x.example> wrote:\n> ${text}`;
    const reply = (id: string, text: string) =>
      message(
        ["From: b@x.example", `Subject: Re: ${id}`, `Message-ID: <${id}@x>`, "In-Reply-To: <plans@x>"],
        text,
      );
    const says = "At the lighthouse, please.";
    await deliver(box.mailbox, reply("says", `${says}\n\n${quote("The lighthouse, then?")}`));
    await deliver(box.mailbox, reply("quotes", `Fine.\n\n${quote("The lighthouse, the lighthouse.")}`));
    expect(await found(box, "lighthouse", "&mode=keyword")).toEqual(["Re: says", "Re: quotes"]);
  });
});
