import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SearchPage } from "../../src/contract/message.ts";
import { fixOf } from "../../src/contract/problem.ts";
import { emailRoutes } from "../../src/contract/routes/emails.ts";
import type { InboxFilters } from "../../src/contract/routes.ts";
import { SEQ_PER_MS, type Seq } from "../../src/lib/ids.ts";
import { parseSearchQuery } from "../../src/mail/search/search-query.ts";
import { MESSAGES } from "../../src/mailbox/messages/schema.ts";
import { Matches } from "../../src/mailbox/search/matches.ts";
import { MAX_RANKED } from "../../src/mailbox/search/ranking.ts";
import { soughtOf } from "../../src/mailbox/search/rules.ts";
import { ROWS_A_TURN, type Turns } from "../../src/mailbox/turns.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";
import { runs } from "../runs.ts";

const FILTERS: InboxFilters = emailRoutes.inbox.query.parse({ limit: "100" });
const VOCABULARY = ["otter", "badger", "heron", "lynx", "mole"];

/** A mail: its number, and the words of its subject and its body. */
interface Mail {
  seq: Seq;
  subject: readonly string[];
  body: readonly string[];
}

/** A mailbox that holds these mails, and no others. */
async function mailboxWith(mails: readonly Mail[]): Promise<NodeMailbox> {
  const mailbox = await NodeMailbox.create();
  const id = await mailbox.receive("From: ann@example.com\r\nSubject: First\r\n\r\nHello\r\n");
  await mailbox.life.search.search(OPERATOR, FILTERS, { text: "hello", mode: "keyword" });
  const { sql } = mailbox.storage;
  mailbox.storage.transactionSync(() => {
    for (const { seq, subject, body } of mails) {
      const text = subject.join(" ");
      sql.exec(
        `INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
        attachment_count, labels, size_bytes) SELECT ?, ?, direction, status, listing, to_address, sender_folded, ?,
        attachment_count, labels, size_bytes FROM message WHERE seq = (SELECT max(seq) FROM message)`,
        seq,
        seq,
        text,
      );
      sql.exec("INSERT INTO search (rowid, subject, body) VALUES (?, ?, ?)", seq, text, body.join(" "));
    }
  });
  await mailbox.life.messages.deleteEmail(OPERATOR, id);
  return mailbox;
}

interface Term {
  words: readonly string[];
}
/** A search: of each list one term must occur, and none of those that are left out. */
interface Expression {
  groups: readonly (readonly Term[])[];
  excluded: readonly Term[];
}

const WORD = fc.constantFrom(...VOCABULARY);
const TERM = fc.record({ words: fc.array(WORD, { minLength: 1, maxLength: 3 }) });
const EXPRESSION: fc.Arbitrary<Expression> = fc.record({
  groups: fc.array(fc.array(TERM, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  excluded: fc.array(TERM, { maxLength: 1 }),
});

const written = ({ words }: Term): string => (words.length === 1 ? words.join("") : `"${words.join(" ")}"`);
const textOf = ({ groups, excluded }: Expression): string =>
  [
    ...groups.map((terms) => terms.map(written).join(" OR ")),
    ...excluded.map((term) => `-${written(term)}`),
  ].join(" ");

const stands = ({ words }: Term, text: readonly string[]): boolean =>
  text.some((_, at) => words.every((word, more) => text[at + more] === word));
const holds = (mail: Mail, term: Term): boolean => stands(term, mail.subject) || stands(term, mail.body);
const matches = (mail: Mail, { groups, excluded }: Expression): boolean =>
  groups.every((terms) => terms.some((term) => holds(mail, term))) &&
  !excluded.some((term) => holds(mail, term));

function ended<T>(turns: Turns<T>): T {
  for (;;) {
    const turn = turns.next();
    if (turn.done === true) return turn.value;
  }
}

const storedRows = (mailbox: NodeMailbox) =>
  mailbox.rows<{ rows: number; newest: number }>(
    "SELECT count(*) AS rows, max(id) AS newest FROM search_docsize",
  );

describe("matches that are looked for in ranges", () => {
  const FIRST: Seq = 1_000_000 * SEQ_PER_MS;
  const TEXT = fc.array(WORD, { maxLength: 6 });
  const MAILS = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), subject: TEXT, body: TEXT }), {
    maxLength: 40,
  });

  it("are those of a plain look at every mail: for words, phrases, OR, minus, filters, bounds and offsets", async () => {
    await fc.assert(
      fc.asyncProperty(
        MAILS,
        fc.array(fc.tuple(EXPRESSION, fc.nat(90), fc.nat(90)), { minLength: 8 }),
        async (gaps, asked) => {
          let seq = FIRST;
          const mails = gaps.map(({ gap, subject, body }) => ({ seq: (seq += gap), subject, body }));
          const mailbox = await mailboxWith(mails);
          const before = storedRows(mailbox);
          for (const [expression, one, other] of asked) {
            const [min, max] = [FIRST + Math.min(one, other), FIRST + Math.max(one, other)];
            for (const subject of [null, "otter"]) {
              const query = parseSearchQuery(textOf(expression));
              const selection = { labels: [], limit: 1, offset: 0, below: null, isBounded: true, mails: 0 };
              const sought = soughtOf(query, {
                ...selection,
                params: [min, max, null, null, null, subject, null],
              });
              if (sought === null) throw new Error("The expression has no words");
              const wanted = mails
                .filter((mail) => mail.seq >= min && mail.seq <= max && matches(mail, expression))
                .filter((mail) => subject === null || mail.subject.includes(subject))
                .map((mail) => mail.seq)
                .toReversed();
              const { life } = mailbox;
              for (const offset of [0, one % 5]) {
                const limit = 1 + (other % 50);
                const found = new Matches(life.context.tables(MESSAGES), life.searchIndex, sought, 2);
                expect(ended(found.down({ max, limit, offset }))).toEqual(
                  wanted.slice(offset, offset + limit),
                );
              }
            }
          }
          expect(storedRows(mailbox)).toEqual(before);
        },
      ),
      { numRuns: runs(40) },
    );
  }, 120_000);
});

describe("a search of a mailbox with several ranges of mail", () => {
  const MAILS = 6_000;
  const NEWEST: Seq = 1_790_000_000_000 * SEQ_PER_MS;
  let mailbox: NodeMailbox;
  let mails: readonly Mail[];

  beforeAll(async () => {
    mails = Array.from({ length: MAILS }, (_, n) => {
      // Some mails have numbers without a free one between them.
      const seq = NEWEST - Math.floor(n / 50) * SEQ_PER_MS - (n % 50);
      const body = n % 2 === 0 ? ["otter", "lynx", "and", "mole"] : ["badger", "mole", "and", "lynx"];
      if (n % 7 === 0) body.push("heron");
      if (n > 4_000 && n < 4_100) body.push("lynx", "mole");
      if (n > 5_000 && n < 5_600) body.push("otter", "badger");
      if (n === 3_000) body.push("quokka");
      return { seq, subject: n % 30 === 0 ? ["otter", "mole"] : ["else"], body };
    }).toReversed();
    mailbox = await mailboxWith(mails);
    // The width of a range goes by the mails that the mailbox counts.
    mailbox.storage.sql.exec("UPDATE account SET inbound = 1000000");
    mailbox.die();
  }, 60_000);

  const search = async (
    text: string,
    more: Partial<InboxFilters> = {},
    isReadOnly = false,
  ): Promise<SearchPage> => {
    mailbox.life.reading.pages.forget();
    const page = await mailbox.life.search.search(
      OPERATOR,
      { ...FILTERS, ...more },
      { text, mode: "keyword", isReadOnly },
    );
    if (!page.ok) throw new Error(page.error.error);
    return JSON.parse(page.value) as SearchPage;
  };
  const seqOf = (id: string): Seq =>
    Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * SEQ_PER_MS +
    (Number.parseInt(id.slice(14, 18), 16) & 0xfff);

  /** The matches as one statement for all mails would find and rank them. */
  const wantedOf = (expression: Expression, isWanted: (mail: Mail) => boolean): Seq[] => {
    const found = mails.filter((mail) => isWanted(mail) && matches(mail, expression)).toReversed();
    const terms = expression.groups.flat();
    const isCounted = [...terms, ...expression.excluded].every(
      (term) => mails.filter((mail) => holds(mail, term)).length <= 2_000,
    );
    const scores = new Map<Seq, number>();
    if (found.length <= MAX_RANKED && isCounted) {
      const { match } = parseSearchQuery(textOf(expression));
      const scored = mailbox.storage.sql
        .exec<{ seq: Seq; score: number }>(
          "SELECT rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score FROM search WHERE search MATCH ?",
          match,
        )
        .toArray();
      for (const { seq, score } of scored) scores.set(seq, score);
    } else {
      for (const { seq, subject } of found.slice(0, MAX_RANKED)) {
        const there = terms.filter(({ words }) => subject.join(" ").includes(words.join(" "))).length;
        scores.set(seq, there === terms.length ? 3 : there > 0 ? 2 : 1);
      }
    }
    return found
      .map(({ seq }) => seq)
      .toSorted((one, other) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0) || other - one);
  };

  const cases: [string, Expression, Partial<InboxFilters>?][] = [
    ["a phrase that never matches", { groups: [[{ words: ["mole", "otter", "lynx"] }]], excluded: [] }],
    ["a phrase that few old mails hold", { groups: [[{ words: ["lynx", "mole"] }]], excluded: [] }],
    [
      "words that stand together in old mails",
      { groups: [[{ words: ["otter"] }], [{ words: ["badger"] }]], excluded: [] },
    ],
    [
      "a rare word beside a phrase",
      { groups: [[{ words: ["quokka"] }], [{ words: ["lynx", "and"] }]], excluded: [] },
    ],
    ["a word without another", { groups: [[{ words: ["otter"] }]], excluded: [{ words: ["lynx"] }] }],
    ["a word without a phrase", { groups: [[{ words: ["heron"] }]], excluded: [{ words: ["lynx", "and"] }] }],
  ];

  const pagesOf = async (text: string, more: Partial<InboxFilters>): Promise<Seq[]> => {
    const seen: Seq[] = [];
    for (let cursor: string | null = null; ;) {
      const page: SearchPage = await search(text, { ...more, cursor });
      seen.push(...page.emails.map(({ id }) => seqOf(id)));
      cursor = page.next_cursor;
      if (cursor === null || seen.length >= 1_000) return seen;
    }
  };

  /** The answers of pages by cursor and of one after an offset, and those that are wanted. */
  const answersOf = async (expression: Expression, more: Partial<InboxFilters>, offset: number) => {
    const { since = null, until = null, subject = null } = more;
    const wanted = wantedOf(expression, (mail) => {
      const isWithin =
        mail.seq >= (since ?? 0) * SEQ_PER_MS && (until === null || mail.seq < (until + 1) * SEQ_PER_MS);
      return isWithin && (subject === null || mail.subject.includes(subject));
    });
    const text = textOf(expression);
    const seen = await pagesOf(text, more);
    const skipped = await search(text, { ...more, offset });
    return {
      shown: [seen, skipped.emails.map(({ id }) => seqOf(id))],
      wanted: [wanted.slice(0, 1_000), wanted.slice(offset, offset + 100)],
    };
  };

  it.each(cases)("answers the same as one statement: %s", async (_, expression) => {
    const bounds = { since: 1_789_999_999_900, until: 1_789_999_999_990 };
    for (const [more, offset] of [
      [{}, 250] as const,
      [{ subject: "otter" }, 10] as const,
      [bounds, 3] as const,
    ]) {
      const { shown, wanted } = await answersOf(expression, more, offset);
      expect(shown).toEqual(wanted);
    }
  });

  it("answers the same as one statement for any expression, filter, bound and offset", async () => {
    const bound = fc.option(fc.integer({ min: 0, max: 130 }).map((ago) => 1_790_000_000_000 - ago));
    const more = fc.record({ since: bound, until: bound, subject: fc.constantFrom(null, "otter") });
    await fc.assert(
      fc.asyncProperty(EXPRESSION, more, fc.nat(MAILS), async (expression, filters, offset) => {
        const { shown, wanted } = await answersOf(expression, filters, offset);
        expect(shown).toEqual(wanted);
      }),
      { numRuns: runs(40) },
    );
  }, 120_000);

  it("leaves out the mails with a phrase, if there are no words to look for", async () => {
    const written = { groups: [], excluded: [{ words: ["lynx", "and"] }] };
    const wanted = mails.filter((mail) => mail.subject.includes("otter") && matches(mail, written));
    const seqs = wanted.map(({ seq }) => seq).toReversed();
    const before = storedRows(mailbox);
    for (const offset of [0, 7]) {
      const { emails } = await search('subject:otter -"lynx and"', { offset });
      expect(emails.map(({ id }) => seqOf(id))).toEqual(seqs.slice(offset, offset + 100));
    }
    expect(storedRows(mailbox)).toEqual(before);
  });

  it("answers the same while the disk is full, and writes nothing if it is told so", async () => {
    const asked = ['"mole otter lynx"', '"lynx mole" -heron', "otter -lynx", 'subject:otter -"lynx and"'];
    const idsOf = async (isReadOnly = false) =>
      Promise.all(asked.map(async (text) => (await search(text, {}, isReadOnly)).emails.map(({ id }) => id)));
    const wanted = await idsOf();
    const before = storedRows(mailbox);
    mailbox.storage.failing = Number.MAX_SAFE_INTEGER;
    expect(await idsOf(true)).toEqual(wanted);
    expect(mailbox.storage.failing).toBe(Number.MAX_SAFE_INTEGER);
    expect(await idsOf()).toEqual(wanted);
    expect(mailbox.storage.failing).toBeLessThan(Number.MAX_SAFE_INTEGER);
    mailbox.storage.failing = 0;
    expect(storedRows(mailbox)).toEqual(before);
  });

  it("takes back its own rows only, within a transaction of the caller", () => {
    const { life, storage } = mailbox;
    const before = storedRows(mailbox);
    const found = () => mailbox.rows("SELECT rowid FROM search WHERE search MATCH 'wombat'").length;
    const counts = storage.transactionSync(() => {
      storage.sql.exec("INSERT INTO search (rowid, body) VALUES (7, 'wombat')");
      const within = life.searchIndex.withRows([[3, "wombat"]], found);
      return [within, found()];
    });
    expect(counts).toEqual([2, 1]);
    expect(found()).toBe(1);
    storage.sql.exec("DELETE FROM search WHERE rowid = 7");
    expect(storedRows(mailbox)).toEqual(before);
  });

  describe("of many clients at once", () => {
    const start = (at: number, waitId = "") =>
      mailbox.life.search.search(
        OPERATOR,
        { ...FILTERS, offset: at },
        { text: '"mole otter lynx"', mode: "keyword", waitId },
      );
    /** How many ranges of mail `work` looks at. */
    const rangesOf = async (work: (looks: () => number) => Promise<unknown>): Promise<number> => {
      mailbox.life.reading.pages.forget();
      const looks = vi.spyOn(mailbox.life.searchIndex, "withRows");
      const count = () => looks.mock.calls.length;
      await work(count);
      const counted = count();
      looks.mockRestore();
      return counted;
    };

    it("runs in as many as may wait, and refuses the others before they read anything", async () => {
      mailbox.life.reading.pages.forget();
      const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => start(at)));
      expect(answers.filter(({ ok }) => ok)).toHaveLength(34);
      for (const answer of answers.slice(34)) {
        const problem = answer.ok ? null : answer.error;
        expect(problem).toMatchObject({ code: "rate_limited", retryAfterSeconds: 2 });
        expect(problem === null ? "" : fixOf(problem)).toBe("Wait 2 s, then repeat the call.");
      }
      expect((await start(40)).ok).toBe(true);
    });

    it("looks at nothing more for those that hung up, before or during their search", async () => {
      expect(await rangesOf(() => start(50))).toBe(2);
      const before = await rangesOf(async () => {
        const answers = Array.from({ length: 20 }, (_, at) => start(60 + at, `gone-${at}:`));
        mailbox.life.forgetWait("gone-");
        for (const answer of await Promise.all(answers)) expect(answer.ok).toBe(false);
      });
      expect(before).toBe(0);
      const during = await rangesOf(async (looks) => {
        const answer = start(90, "gone:");
        // No second turn runs meanwhile: it waits for the event loop.
        while (looks() === 0) await Promise.resolve();
        mailbox.life.forgetWait("gone:");
        expect((await answer).ok).toBe(false);
      });
      expect(during).toBe(1);
    });

    it("stops a list that looks for a sender, and gives no place to a caller without a key", async () => {
      const stranger = { ...OPERATOR, credential: { kind: "key", secretHash: "1".repeat(64) } } as const;
      const wanted = { text: '"mole otter lynx"', mode: "keyword" };
      const refused = await Promise.all(
        Array.from({ length: 40 }, () => mailbox.life.search.search(stranger, FILTERS, wanted)),
      );
      for (const answer of refused) expect(answer.ok ? null : answer.error.code).toBe("unauthorized");
      const list = mailbox.life.reading.inbox(OPERATOR, { ...FILTERS, from: "nobody@x.example" }, "gone:");
      mailbox.life.forgetWait("gone:");
      expect((await list).ok).toBe(false);
    });
  });

  it("lets a receipt run between its turns, and leaves the index as it was", async () => {
    const before = storedRows(mailbox);
    const ended: string[] = [];
    const searching = search('"mole otter lynx" OR "otter mole heron"').then(({ emails }) => {
      ended.push("search");
      return emails.length;
    });
    const id = await mailbox.receive(
      "From: ann@example.com\r\nSubject: Meanwhile\r\n\r\notter mole heron\r\n",
    );
    ended.push("receipt");
    expect(await searching).toBe(0);
    expect(ended).toEqual(["receipt", "search"]);
    expect((await search('"otter mole heron"')).emails).toHaveLength(1);
    await mailbox.life.messages.deleteEmail(OPERATOR, id);
    expect(storedRows(mailbox)).toEqual(before);
    expect(MAILS).toBeGreaterThan(ROWS_A_TURN);
  });
});
