import { beforeAll, describe, expect, it } from "vitest";
import type { SearchPage, EmailPage, ThreadPage } from "../../src/contract/message.ts";
import type { Answer } from "../../src/contract/problem.ts";
import type { InboxFilters } from "../../src/contract/routes.ts";
import { SEQ_PER_MS } from "../../src/lib/ids.ts";
import type { Query } from "../../src/lib/sql.ts";
import * as codeRows from "../../src/mailbox/codes/rows.ts";
import * as exportRows from "../../src/mailbox/exporting/rows.ts";
import * as logRows from "../../src/mailbox/log/rows.ts";
import * as messageRows from "../../src/mailbox/messages/rows.ts";
import * as listings from "../../src/mailbox/reading/rows.ts";
import { SCHEMAS } from "../../src/mailbox/schemas.ts";
import { MAX_RANKED } from "../../src/mailbox/search/ranking.ts";
import * as searchRows from "../../src/mailbox/search/rows.ts";
import { ROWS_A_TURN } from "../../src/mailbox/turns.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

/** More mails than two turns look at. */
const MAILS = 2 * ROWS_A_TURN + 500;
/** Mails between those that have a word in the subject, too. */
const HEADED = 100;

const FILTERS: InboxFilters = {
  mailbox: null,
  limit: 100,
  offset: 0,
  cursor: null,
  direction: null,
  label: null,
  mode: "keyword",
  query: null,
  from: null,
  to: null,
  subject: null,
  has_attachment: null,
  since: null,
  until: null,
};

/** The mails below the newest one are copies of it, one each 2 ms; `n` counts them down. */
const COPIES = `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${MAILS})`;
const NUMBER = `(seq - n * ${2 * SEQ_PER_MS})`;

async function largeMailbox(): Promise<NodeMailbox> {
  const mailbox = await NodeMailbox.create();
  await mailbox.receive("From: ann@example.com\r\nSubject: Otter\r\n\r\nYour code is 482913\r\n");
  const run = (text: string) => mailbox.storage.sql.exec(text);
  await mailbox.life.search.search(OPERATOR, FILTERS, { text: "otter", mode: "keyword" });
  mailbox.storage.transactionSync(() => {
    run(`${COPIES} INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
      code, code_evidence, attachment_count, labels, size_bytes)
      SELECT ${NUMBER}, CASE WHEN n % 3 = 0 THEN ${NUMBER} ELSE 7 END, direction, status, listing, to_address,
      CASE WHEN n = ${MAILS} THEN 'first@example.com' ELSE sender_folded END, iif(n % ${HEADED} = 0, 'otter', 'else'), code, code_evidence, 0,
      CASE WHEN n % 2 = 0 THEN '["even"]' ELSE '[]' END, size_bytes FROM message, copy`);
    run(`INSERT INTO content (seq, detail, attachments, body) SELECT m.seq, detail, attachments, body
      FROM message m, content c WHERE m.seq <> c.seq`);
    run(`INSERT INTO message_label (label, seq) SELECT 'even', seq FROM message WHERE labels = '["even"]'`);
    run(`${COPIES} INSERT INTO search (rowid, subject, names, addresses, body, code, attachments)
      SELECT ${NUMBER}, iif(n % ${HEADED} = 0, 'otter', ''), '', iif(n = ${MAILS}, 'first', ''), 'otter', '', '' FROM message, copy
      WHERE seq = (SELECT max(seq) FROM message)`);
    run(`${COPIES} INSERT INTO event (seq, kind, at, data) SELECT n + 1, iif(n = ${MAILS}, 'message.bounced', kind), at, data
      FROM event, copy`);
  });
  run(`UPDATE account SET last_event = ${MAILS + 1}, inbound = ${MAILS + 1}`);
  mailbox.die();
  return mailbox;
}

const emailsOf = (page: Answer<string>): SearchPage["emails"] & EmailPage["emails"] => {
  if (!page.ok) throw new Error(page.error.error);
  return (JSON.parse(page.value) as SearchPage).emails;
};
const cursorOf = (page: Answer<string>): string | null =>
  page.ok ? (JSON.parse(page.value) as SearchPage).next_cursor : null;

describe("a mailbox with more mail than one turn looks at", () => {
  let mailbox: NodeMailbox;
  beforeAll(async () => {
    mailbox = await largeMailbox();
  }, 60_000);

  const inbox = (more: Partial<InboxFilters>) =>
    mailbox.life.reading.inbox(OPERATOR, { ...FILTERS, ...more });
  const search = (text: string, more: Partial<InboxFilters> = {}) =>
    mailbox.life.search.search(OPERATOR, { ...FILTERS, ...more }, { text, mode: "keyword" });

  it("lists the only mail of a sender, although it is the oldest, and the rest after an offset", async () => {
    expect(emailsOf(await inbox({ from: "first@" }))).toHaveLength(1);
    expect(emailsOf(await search("from:first@"))).toHaveLength(1);
    expect(emailsOf(await search("otter from:first@"))).toHaveLength(1);
    expect(emailsOf(await search("first -absent"))).toHaveLength(1);
    expect(emailsOf(await search("-otter"))).toEqual([]);
    const last = emailsOf(await inbox({ from: "example", offset: MAILS - 1 }));
    expect(last.map(({ id }) => id)).toEqual(
      emailsOf(await inbox({ offset: MAILS - 1 })).map(({ id }) => id),
    );
    expect(last).toHaveLength(2);
  });

  it("receives mail between the turns of a listing, which does not show it", async () => {
    const ended: string[] = [];
    const listing = inbox({ from: "nobody" }).then((page) => {
      ended.push("listing");
      return emailsOf(page);
    });
    await mailbox.receive("From: nobody@example.com\r\nSubject: Meanwhile\r\n\r\nOtter\r\n");
    ended.push("receipt");
    expect(await listing).toEqual([]);
    expect(ended).toEqual(["receipt", "listing"]);
    mailbox.storage.sql.exec("DELETE FROM search WHERE rowid = (SELECT max(seq) FROM message)");
    mailbox.storage.sql.exec("DELETE FROM message WHERE seq = (SELECT max(seq) FROM message)");
    mailbox.life.reading.pages.forget();
  });

  it("receives mail between the turns of a listing of the newest, if reports hide what follows or an offset skips it", async () => {
    const oldest = emailsOf(await inbox({ offset: MAILS, limit: 1 })).map(({ id }) => id);
    const hide = (hidden: number) =>
      mailbox.storage.sql.exec(
        `UPDATE message SET hidden = ${hidden} WHERE seq > (SELECT min(seq) FROM message) AND seq < (SELECT max(seq) FROM message)`,
      );
    const turnsOf = async (more: Partial<InboxFilters>): Promise<{ shown: string[]; ended: string[] }> => {
      const ended: string[] = [];
      mailbox.life.reading.pages.forget();
      const listing = inbox(more).then((page) => {
        ended.push("listing");
        return emailsOf(page).map(({ id }) => id);
      });
      const id = await mailbox.receive("From: a@example.com\r\nSubject: Meanwhile\r\n\r\nMeanwhile\r\n");
      ended.push("receipt");
      const shown = await listing;
      await mailbox.life.messages.deleteEmail(OPERATOR, id);
      return { shown, ended };
    };
    hide(1);
    const hidden = await turnsOf({ limit: 2 });
    expect(hidden).toEqual({ shown: [expect.any(String), ...oldest], ended: ["receipt", "listing"] });
    hide(0);
    const skipped = await turnsOf({ offset: MAILS, limit: 1 });
    expect(skipped).toEqual({ shown: oldest, ended: ["receipt", "listing"] });
    const others = await turnsOf({ offset: MAILS + 1, limit: 1 });
    expect(others.shown).toEqual([]);
  });

  it("finds a match of any offset in turns, and every match from there on", async () => {
    const all = emailsOf(await inbox({ offset: MAILS - 2 })).map(({ id }) => id);
    const found = async (offset: number) =>
      emailsOf(await search("otter", { offset, limit: 100 })).map(({ id }) => id);
    expect(await found(MAILS - 2)).toEqual(all);
    for (const offset of [ROWS_A_TURN + MAX_RANKED - 50, 2 * ROWS_A_TURN + MAX_RANKED - 50]) {
      const listed = emailsOf(await inbox({ offset, limit: 100 })).map(({ id }) => id);
      expect(await found(offset)).toEqual(listed);
    }
  });

  it("shows every match once: of the newest those with the word in the subject first, then all by their age", async () => {
    const seen: { id: string; score: number }[] = [];
    for (let cursor: string | null = null; seen.length < 1_500;) {
      const page = await search("otter", { cursor });
      seen.push(...emailsOf(page).map(({ id, score }) => ({ id, score: score ?? 0 })));
      cursor = cursorOf(page);
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    const best = seen.slice(0, MAX_RANKED);
    expect(best.filter(({ score }) => score > 1)).toHaveLength(1 + Math.floor((MAX_RANKED - 1) / HEADED));
    for (const [at, { id, score }] of seen.entries()) {
      const next = seen[at + 1];
      if (next === undefined) break;
      expect(score > next.score || (score === next.score && id > next.id)).toBe(true);
    }
    const skipped = emailsOf(await search("otter", { offset: 700, limit: 1 }));
    expect(skipped[0]?.id).toBe(seen[700]?.id);
  });

  it("finds a rare word by its frequency, and pages through a label from any place", async () => {
    const [found] = emailsOf(await search("482913"));
    expect(found?.score).toBeGreaterThan(3);
    const first = await search("label:even", { limit: 2 });
    const second = await search("label:even", { limit: 2, cursor: cursorOf(first) });
    const both = await inbox({ label: "even", limit: 4 });
    const ids = [...emailsOf(first), ...emailsOf(second)].map(({ id }) => id);
    expect(ids).toEqual(emailsOf(both).map(({ id }) => id));
  });

  it("lists threads below one that holds two thirds of the mail", async () => {
    const page = await mailbox.life.reading.threads(OPERATOR, { limit: 3, cursor: null });
    const { threads } = JSON.parse(page.ok ? page.value : "{}") as ThreadPage;
    expect(threads.map(({ message_count }) => message_count)).toEqual([1, MAILS - Math.floor(MAILS / 3), 1]);
  });

  it("answers the last event of a rare kind, and exports every mail", async () => {
    const filters = { after: 0, types: ["message.bounced" as const], limit: 10, wait: 0 };
    const changes = await mailbox.life.feed.changes(
      OPERATOR,
      { ...filters, mailbox: null, webhook_body: false },
      "w",
    );
    expect(changes.ok && changes.value.events.map(({ seq }) => seq)).toEqual([MAILS + 1]);
    const { exporting } = mailbox.life;
    const start = exporting.exportStart(OPERATOR, null, { id: "e", run: "r" });
    if (!start.ok) throw new Error(start.error.error);
    let exported = 0;
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Answer<ArrayBuffer> = exporting.exportSeqs(OPERATOR, from, start.value.last);
      const seqs = new Float64Array(page.ok ? page.value : []);
      exported += seqs.length;
      from = seqs.at(-1);
    }
    expect(exported).toBe(MAILS + 1);
  });

  it("answers an event that comes between the turns of a call, and a last_seq that is not before it", async () => {
    const filters = { after: 0, types: ["message.bounced" as const], limit: 10, wait: 0 };
    const asked = mailbox.life.feed.changes(
      OPERATOR,
      { ...filters, mailbox: null, webhook_body: false },
      "w",
    );
    const { log, context } = mailbox.life;
    const [bounced] = log.after(MAILS, 1);
    if (bounced === undefined) throw new Error("The log has no such event");
    const { seq } = context.commit(() => log.append(mailbox.account, bounced));
    const changes = await asked;
    expect(changes.ok && changes.value.events.map((event) => event.seq)).toEqual([MAILS + 1, seq]);
    expect(changes.ok && changes.value.last_seq).toBe(seq);
  });

  it("does not move more mail than a receipt may when a mail refers to two large threads", async () => {
    const raw = (id: string, references: string) =>
      `From: a@example.com\r\nMessage-ID: <${id}@x>\r\nReferences: ${references}\r\n\r\n${id}\r\n`;
    await mailbox.receive(raw("one", "<one-root@x>"));
    await mailbox.receive(raw("two", "<two-root@x>"));
    const [one, two] = mailbox.rows<{ thread: number }>(
      "SELECT thread FROM message ORDER BY seq DESC LIMIT 2",
    );
    mailbox.storage.sql.exec(
      `UPDATE message SET thread = ${one?.thread ?? 0} WHERE seq IN (SELECT seq FROM message ORDER BY seq LIMIT 2000)`,
    );
    mailbox.storage.sql.exec(
      `UPDATE message SET thread = ${two?.thread ?? 0} WHERE seq IN (SELECT seq FROM message ORDER BY seq LIMIT 1500 OFFSET 2000)`,
    );
    await mailbox.receive(raw("both", "<one-root@x> <two-root@x>"));
    const [both] = mailbox.rows<{ thread: number }>("SELECT thread FROM message ORDER BY seq DESC LIMIT 1");
    expect([one?.thread, two?.thread]).toContain(both?.thread);
    const sizes = mailbox.rows<{ n: number }>(
      `SELECT count(*) AS n FROM message WHERE thread IN (${one?.thread ?? 0}, ${two?.thread ?? 0}) GROUP BY thread ORDER BY n`,
    );
    expect(sizes.map(({ n }) => n)).toEqual([1_502, 2_001]);
  });

  it("does not move more mail than a receipt may when a mail refers to many threads of some size", async () => {
    const raw = (id: string, references: string) =>
      `From: a@example.com\r\nMessage-ID: <${id}@x>\r\nReferences: ${references}\r\n\r\n${id}\r\n`;
    const ids = ["q", "r", "s", "t"];
    for (const id of ids) await mailbox.receive(raw(id, `<${id}-root@x>`));
    const threads = mailbox
      .rows<{ thread: number }>("SELECT thread FROM message ORDER BY seq DESC LIMIT 4")
      .map(({ thread }) => thread);
    for (const [at, thread] of threads.entries()) {
      mailbox.storage.sql.exec(
        `UPDATE message SET thread = ${thread} WHERE seq IN (SELECT seq FROM message ORDER BY seq LIMIT 450 OFFSET ${4_000 + at * 450})`,
      );
    }
    await mailbox.receive(raw("all", ids.map((id) => `<${id}-root@x>`).join(" ")));
    const sizes = mailbox.rows<{ n: number }>(
      `SELECT count(*) AS n FROM message WHERE thread IN (${threads.join()}) GROUP BY thread ORDER BY n`,
    );
    expect(sizes.map(({ n }) => n)).toEqual([451, 3 * 451 + 1]);
  });
});

describe("a search for words that begin alike", () => {
  it("reads a prefix of too many words as a word and says so, and finds a longer one", async () => {
    const mailbox = await NodeMailbox.create();
    for (const text of ["k", "kiwi"]) {
      await mailbox.receive(`From: a@example.com\r\nSubject: One\r\n\r\n${text}\r\n`);
    }
    const search = async (text: string) => {
      mailbox.life.reading.pages.forget();
      const page = await mailbox.life.search.search(OPERATOR, FILTERS, { text, mode: "keyword" });
      const { emails, hint = "" } = JSON.parse(page.ok ? page.value : "{}") as SearchPage;
      return [emails.length, hint.includes("prefix")];
    };
    expect(await search("k*")).toEqual([2, false]);
    const words = Array.from({ length: 25 }, (_, at) => `k%x${at}`).join(" ");
    mailbox.storage.sql
      .exec(`${COPIES} INSERT INTO search (rowid, subject, names, addresses, body, code, attachments)
      SELECT n, '', '', '', format('${words}', ${Array.from({ length: 25 }, () => "n").join()}), '', '' FROM copy`);
    expect(await search("k*")).toEqual([1, true]);
    expect(await search("kiw*")).toEqual([1, false]);
    expect(await search("one -k*")).toEqual([1, true]);
  });
});

describe("every statement that a large mailbox runs often", () => {
  let mailbox: NodeMailbox;
  beforeAll(async () => {
    mailbox = await NodeMailbox.create();
    await mailbox.receive("From: ann@example.com\r\nSubject: Otter\r\n\r\nYour code is 482913\r\n");
    const { schemas } = mailbox.life.context;
    mailbox.storage.transactionSync(() => SCHEMAS.forEach((schema) => schemas.make(schema)));
  });

  const KEY = /^SEARCH \w+( USING INTEGER PRIMARY KEY| USING PRIMARY KEY)/;
  const BLOBS = /^SEARCH content USING COVERING INDEX content_blobs \(seq>\?/;
  const MATCHES = /^SCAN f VIRTUAL TABLE INDEX \d+:M\d/;
  const statements: [string, Pick<Query<object, never>, "text">, RegExp][] = [
    ["emails that pass filters", listings.TURNS.all.some.read, KEY],
    ["the number of these", listings.TURNS.all.some.count, KEY],
    ["the end of such a turn", listings.TURNS.all.none.end, KEY],
    ["emails of a label", listings.TURNS.labelled.some.read, KEY],
    ["the end of a turn among them", listings.TURNS.labelled.some.end, KEY],
    ["threads", listings.LIST_THREADS, KEY],
    ["emails of a thread", listings.THREAD_PAGE_SIZES, /^SEARCH m USING (COVERING )?INDEX message_thread/],
    ["one email", messageRows.FIND_EMAIL, KEY],
    ["a known Message-ID", messageRows.FIND_BEARER, KEY],
    ["the size of a thread", messageRows.COUNT_THREAD, /^SEARCH message USING COVERING INDEX message_thread/],
    ["blobs of messages", messageRows.BLOBS_WITHIN, BLOBS],
    ["the end of a turn among messages with blobs", messageRows.LAST_OF_NEXT_WITH_BLOBS, BLOBS],
    ["the end of a turn among messages", messageRows.LAST_OF_NEXT, KEY],
    ["messages to read again", messageRows.LIST_FOR_REINDEX, KEY],
    ["the newest code", codeRows.NEWEST_CODE, /^SEARCH message USING INDEX message_code/],
    ["the newest link", codeRows.NEWEST_LINK, /^SEARCH message USING INDEX message_link/],
    ["matches", searchRows.MATCHES_DOWN, MATCHES],
    ["the end of a range of matches", searchRows.ROW_AT, KEY],
    ["their heads", searchRows.HEADS, KEY],
    ["their scores", searchRows.SCORES, MATCHES],
    ["matches that pass filters", searchRows.PASSING, /^SCAN f VIRTUAL TABLE INDEX 1:$/],
    ["hits", searchRows.READ_HITS, KEY],
    ["events", logRows.EVENTS_AFTER, KEY],
    ["events of a kind", logRows.EVENTS_OF_TURN, KEY],
    ["the end of a turn of events", logRows.END_OF_TURN, KEY],
    ["the oldest event", logRows.OLDEST, /^SCAN event$/],
    ["events to erase", logRows.ERASE, KEY],
    ["an export's list", exportRows.LIST_SEQS, KEY],
    ["an email of an export", exportRows.READ, KEY],
  ];

  it.each(statements)("%s: goes by an index, in its order, and sorts nothing", (_, { text }, first) => {
    const steps = mailbox.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => detail);
    const own = steps.filter((step) => !/^(CO-ROUTINE|MULTI-INDEX)/.test(step));
    expect(own[0]).toMatch(first);
    // Subqueries scan what they are given: the rows of a turn, or the texts of an operator.
    const scans = own.filter((step) => /^SCAN \w+$/.test(step) && !/^SCAN (m|l|f|p)$/.test(step));
    expect(scans).toEqual(first.source.includes("SCAN event") ? ["SCAN event"] : []);
    // Of the scores, there are MAX_RANKED at most to sort.
    const sorts = steps.filter((step) => /TEMP B-TREE/.test(step) && !/json_group_array/.test(step));
    expect(sorts).toHaveLength(text === searchRows.SCORES.text ? 1 : 0);
  });
});
