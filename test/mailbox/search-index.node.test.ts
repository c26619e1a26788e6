import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emailRoutes } from "../../src/contract/routes/emails.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";
import { runs } from "../runs.ts";

const FILTERS = emailRoutes.inbox.query.parse({ limit: "50" });
const QUERIES = [
  "invoice",
  "invoice -paid",
  '"red fox"',
  "手机",
  "from:ann",
  "subject:invoice fox",
  "-invoice",
  "inv*",
];
const WORDS = ["invoice", "paid", "red", "fox", "手机号码", "code", "Ångström", "réseau", "running"];

const mailOf = (number: number, words: readonly string[]): string =>
  `From: Ann <ann${number % 3}@example.com>\r\nTo: Box <box@mailkeep.test>\r\nSubject: ${words[0] ?? "none"} ${number}\r\n` +
  `Message-ID: <${number}@example.com>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${words.join(" ")}\r\n`;

const isIndexed = (mailbox: NodeMailbox): boolean =>
  mailbox.rows("SELECT name FROM sqlite_master WHERE name = 'search'").length > 0;
const waiting = (mailbox: NodeMailbox): number =>
  mailbox.rows("SELECT seq FROM content WHERE words IS NOT NULL").length;

async function answers(mailbox: NodeMailbox): Promise<string[]> {
  const found = QUERIES.map((text) =>
    mailbox.life.search.search(OPERATOR, FILTERS, { text, mode: "keyword" }),
  );
  return (await Promise.all(found)).map((answer) => (answer.ok ? answer.value : answer.error.error));
}

const MAILS = fc.array(fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 }), {
  minLength: 1,
  maxLength: 40,
});

/** Two mailboxes with the same mails: one has indexed none yet, if they are few; the other each on its arrival. */
async function filled(
  texts: readonly string[][],
): Promise<{ late: NodeMailbox; early: NodeMailbox; ids: string[] }> {
  const [late, early] = [await NodeMailbox.create(), await NodeMailbox.create()];
  const ids: string[] = [];
  for (const [number, words] of texts.entries()) {
    const id = await late.receive(mailOf(number, words));
    expect(await early.receive(mailOf(number, words))).toBe(id);
    early.life.searchIndex.complete();
    ids.push(id);
  }
  return { late, early, ids };
}

const idsIn = (page: string): string[] =>
  (JSON.parse(page) as { emails: { id: string }[] }).emails.map(({ id }) => id).toSorted();

describe("the full-text index of a small mailbox", () => {
  it("is made for the first email, if that comes while a model embeds the text of a search", async () => {
    const asked = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const network = {
      fetch: async () => {
        asked.resolve();
        await arrived.promise;
        return Response.json({ data: [{ index: 0, embedding: [1, 1] }] });
      },
    };
    const mailbox = await NodeMailbox.create(
      {},
      {
        EMBEDDINGS_URL: "http://model.example/v1/embeddings",
        EMBEDDINGS_MODEL: "tiny",
        OPERATOR_NETWORK: network,
      },
    );
    const searching = mailbox.life.search.search(OPERATOR, FILTERS, { text: "invoice", mode: "hybrid" });
    await asked.promise;
    const id = await mailbox.receive(mailOf(1, ["invoice"]));
    arrived.resolve();
    const found = await searching;
    expect(found.ok && idsIn(found.value)).toEqual([id]);
  });

  it("is made by the first search, or by the first email beyond 32", async () => {
    const [searched, grown] = [await NodeMailbox.create(), await NodeMailbox.create()];
    for (let number = 0; number < 32; number += 1) {
      await grown.receive(mailOf(number, ["invoice"]));
      if (number < 3) await searched.receive(mailOf(number, ["invoice"]));
    }
    expect([searched, grown].map(isIndexed)).toEqual([false, false]);
    expect([searched, grown].map(waiting)).toEqual([3, 32]);
    await answers(searched);
    await grown.receive(mailOf(32, ["invoice"]));
    expect([searched, grown].map(isIndexed)).toEqual([true, true]);
    expect([searched, grown].map(waiting)).toEqual([0, 0]);
    expect(grown.rows("SELECT rowid FROM search WHERE search MATCH 'invoice'")).toHaveLength(33);
  });

  it("answers every search as an index that had each mail from its arrival, scores included", async () => {
    await fc.assert(
      fc.asyncProperty(MAILS, async (texts) => {
        const { late, early } = await filled(texts);
        expect(await answers(late)).toEqual(await answers(early));
      }),
      { numRuns: runs(8) },
    );
  }, 60_000);

  it("is made by a report, as are the indexes of codes and blobs: reports do not count as emails, and any number may come", async () => {
    const mailbox = await NodeMailbox.create();
    await mailbox.receiveReport(mailOf(1, ["late"]));
    expect(isIndexed(mailbox)).toBe(true);
    expect(
      mailbox.rows(
        "SELECT name FROM sqlite_master WHERE name IN ('message_code', 'message_link', 'content_blobs')",
      ),
    ).toHaveLength(3);
    expect(mailbox.account.row.inbound).toBe(0);
  });

  it("finds the same mails after others were erased and read again", async () => {
    await fc.assert(
      fc.asyncProperty(MAILS, fc.nat(40), fc.nat(40), async (texts, erased, read) => {
        const { late, early, ids } = await filled(texts);
        const gone = ids[erased % ids.length] ?? "";
        const again = ids.filter((id) => id !== gone)[read % ids.length];
        for (const mailbox of [late, early]) {
          await mailbox.life.messages.deleteEmail(OPERATOR, gone);
          if (again !== undefined) await mailbox.readAgain(again, mailOf(99, ["fox", "invoice"]));
        }
        // An index that had an erased mail still counts its words when it weighs others.
        expect((await answers(late)).map(idsIn)).toEqual((await answers(early)).map(idsIn));
      }),
      { numRuns: runs(8) },
    );
  }, 60_000);

  it("is made at once for a mail with many words", async () => {
    const mailbox = await NodeMailbox.create();
    await mailbox.receive(mailOf(1, ["short"]));
    expect(isIndexed(mailbox)).toBe(false);
    await mailbox.receive(
      mailOf(
        2,
        Array.from({ length: 2_000 }, (_, index) => `word${index}`),
      ),
    );
    expect(isIndexed(mailbox)).toBe(true);
    expect(waiting(mailbox)).toBe(0);
  });

  it("is not made by a search of a mailbox that holds nothing", async () => {
    const mailbox = await NodeMailbox.create();
    expect(await answers(mailbox)).toHaveLength(QUERIES.length);
    expect(isIndexed(mailbox)).toBe(false);
  });
});
