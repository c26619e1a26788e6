import { describe, expect, it } from "vitest";
import { hasSchema, migrate, type Migration } from "../../src/lib/migrate.ts";
import { Schemas } from "../../src/lib/schemas.ts";
import { Database, type Query } from "../../src/lib/sql.ts";
import { EARLIER_STEPS } from "../../src/mailbox/earlier-schema.ts";
import { FIND_MESSAGE } from "../../src/mailbox/messages/rows.ts";
import { EARLIER, SCHEMAS } from "../../src/mailbox/schemas.ts";
import { VERSION } from "../../src/contract/product.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";
import { NodeStorage } from "./node-storage.ts";

/** Runs over a database of its own. */
async function withDatabase(work: (db: Database) => void | Promise<void>): Promise<void> {
  await work(new Database(new NodeStorage()));
}

/** Runs over a database that an earlier release is to fill; `open` makes the mailbox of today of it. */
async function withOld(work: (db: Database, open: () => NodeMailbox) => void | Promise<void>): Promise<void> {
  const storage = new NodeStorage();
  await work(new Database(storage), () => NodeMailbox.open(storage));
}

/** The row of a mailbox, as releases up to 0.1.0 wrote it. */
const INSERT_ACCOUNT: Query<
  never,
  [string, string, number, expiresAt: number | null, lastSeq: number, string, number]
> = {
  text: `INSERT INTO account (one, address, kind, status, created_at, expires_at, last_seq, month, directory_due,
    inbound, outbound, month_count, unparsed, storage_bytes) VALUES (1, ?, ?, 'active', ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
};

const STEPS: Migration[] = [
  { id: "001-one", sql: "CREATE TABLE one (a TEXT)" },
  { id: "002-two", sql: "CREATE TABLE two (a TEXT); INSERT INTO two (a) VALUES ('kept')" },
  { id: "003-three", sql: "ALTER TABLE two ADD COLUMN b TEXT" },
];
const IDS = { text: "SELECT id FROM migration ORDER BY position" };
const TWO = { text: "SELECT a FROM two" };

describe("migrate", () => {
  it("applies each step once, in order, from every earlier version", async () => {
    for (let version = 0; version <= STEPS.length; version += 1) {
      await withDatabase((db) => {
        expect(hasSchema(db)).toBe(false);
        migrate(db, STEPS.slice(0, version));
        migrate(db, STEPS);
        migrate(db, STEPS);
        expect(db.all(IDS)).toEqual(STEPS.map(({ id }) => ({ id })));
        expect(db.all(TWO)).toEqual([{ a: "kept" }]);
        expect(hasSchema(db)).toBe(true);
      });
    }
  });

  it("refuses data of a newer release by the name of the step it does not know, and changes nothing", async () => {
    await withDatabase((db) => {
      migrate(db, STEPS);
      expect(() => migrate(db, STEPS.slice(0, 2))).toThrow(/003-three.*newer release/);
      expect(db.all(IDS)).toHaveLength(3);
    });
  });

  it("refuses steps that were reordered or renamed", async () => {
    await withDatabase((db) => {
      migrate(db, STEPS.slice(0, 2));
      expect(() =>
        migrate(
          db,
          [STEPS[1], STEPS[0], STEPS[2]].filter((step) => step !== undefined),
        ),
      ).toThrow(/001-one/);
      expect(db.all(IDS)).toHaveLength(2);
    });
  });

  it("applies all missing steps or none", async () => {
    await withDatabase((db) => {
      migrate(db, STEPS.slice(0, 1));
      const broken = [...STEPS.slice(0, 2), { id: "003-broken", sql: "CREATE TABLE nonsense (" }];
      expect(() => migrate(db, broken)).toThrow(/nonsense|syntax|incomplete/);
      expect(db.all(IDS)).toEqual([{ id: "001-one" }]);
      migrate(db, STEPS);
      expect(db.all(IDS)).toHaveLength(3);
    });
  });
});

const HELLO = "From: ann@example.com\r\nSubject: Hello\r\n\r\nHello.\r\n";
const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
const tablesOf = (mailbox: NodeMailbox) => mailbox.rows<{ name: string }>(TABLES).map(({ name }) => name);

describe("the tables of a mailbox", () => {
  it("are one at first; receiving mail adds only those of the log and of messages", async () => {
    const mailbox = await NodeMailbox.create();
    expect(tablesOf(mailbox)).toEqual(["account"]);
    await mailbox.receive(HELLO);
    const messages = ["content", "known_id", "message", "message_label"];
    expect(tablesOf(mailbox)).toEqual(["account", "event", ...messages].toSorted());
  });

  it("take 18 pages of 4 KB at most with one mail of 2 KB, those of the platform included", async () => {
    const mailbox = await NodeMailbox.create();
    const fields =
      "From: Ann <ann@example.com>\r\nSubject: Your verification code\r\nMessage-ID: <one@example.com>\r\n";
    const lines = "The code is 482913, and the rest of the mail says nothing of it.\r\n".repeat(28);
    await mailbox.receive(`${fields}\r\n${lines}`);
    const [count] = mailbox.rows<{ page_count: number }>("SELECT page_count FROM pragma_page_count()");
    // The platform keeps its alarm in a table, and the name of the object in another one.
    expect((count?.page_count ?? Number.NaN) + 2).toBeLessThanOrEqual(18);
  });

  it("of every other capability can be read before they exist, and are then empty", async () => {
    const { life, nowMs } = await NodeMailbox.create();
    const { settings, reading, webhooks, uploads, domains, takeover, outbox, jobs } = life;
    expect(settings.overview(OPERATOR)).toMatchObject({
      ok: true,
      value: { webhooks: [], hasUnsent: false },
    });
    expect(settings.stats(OPERATOR).ok).toBe(true);
    expect((await reading.threads(OPERATOR, { limit: 10, cursor: null })).ok).toBe(true);
    expect(webhooks.targets.all()).toEqual([]);
    expect([uploads.find("any"), takeover.progress(), outbox.obstacle()]).toEqual([null, null, null]);
    expect(domains.listDomains(OPERATOR)).toMatchObject({ value: { domains: [] } });
    expect(jobs.dues(nowMs).filter((due) => due !== null)).toEqual([]);
  });

  it("are created by the first write, in its transaction: if it fails, they do not exist", async () => {
    const mailbox = await NodeMailbox.create();
    const { uploads, blobs, context } = mailbox.life;
    const broken = () =>
      context.commit(() => {
        blobs.reserve("key", 5);
        throw new Error("broken");
      });
    expect(broken).toThrow("broken");
    expect(tablesOf(mailbox)).not.toContain("blob_to_erase");
    expect(blobs.dues()).toEqual([null]);
    blobs.reserve("key", 5);
    expect(blobs.dues()).toEqual([5]);
    expect(uploads.dues()).toEqual([null]);
  });

  it("are the same, column by column and index by index, as those that earlier releases made", async () => {
    const fresh = new NodeStorage();
    // The chain did not have the columns that later steps add.
    const first = EARLIER.made.map(({ name, steps }) => ({ name, steps: steps.slice(0, 1) }));
    const schemas = new Schemas(new Database(fresh), first);
    for (const schema of first) schemas.make(schema);
    await withOld((db) => {
      migrate(db, EARLIER_STEPS);
      const shapeOf = (database: Database) =>
        Object.fromEntries(
          database.all<{ name: string }, []>({ text: TABLES }).map(({ name }) => [
            name,
            [
              database.all({ text: `PRAGMA table_info(${name})` }),
              database
                .all<{ name: string; partial: number; unique: number }, []>({
                  text: `SELECT name, partial, "unique" FROM pragma_index_list('${name}') ORDER BY name`,
                })
                .map((index) => [index, database.all({ text: `PRAGMA index_info(${index.name})` })]),
            ],
          ]),
        );
      expect(shapeOf(new Database(fresh))).toEqual(shapeOf(db));
    });
  });

  it("of an earlier release are adopted once, and then migrate like its own", async () => {
    const storage = new NodeStorage();
    const db = new Database(storage);
    migrate(db, EARLIER_STEPS);
    db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
    const IDS = { text: "SELECT id FROM migration ORDER BY position" };
    NodeMailbox.open(storage);
    const once = db.all(IDS);
    // Of the steps that are done at once, the last one is recorded.
    const laterSteps = EARLIER.made
      .filter(({ steps }) => steps.length > 1)
      .map(({ name, steps }) => `${name}-${steps.length}`);
    const [firstLater, ...otherLater] = laterSteps;
    expect(once).toEqual(
      [
        ...EARLIER_STEPS.map(({ id }) => id),
        ...EARLIER.made.map(({ name }) => `${name}-1`),
        firstLater,
        `v${VERSION}`,
        ...otherLater,
      ].map((id) => ({ id })),
    );
    NodeMailbox.open(storage);
    expect(db.all(IDS)).toEqual(once);
  });

  it("of a newer release are refused; the error names the version that wrote them, and the step that this one does not know", async () => {
    const { storage } = await NodeMailbox.create();
    const db = new Database(storage);
    const [{ steps } = { steps: "" }] = db.all<{ steps: string }, []>({ text: "SELECT steps FROM account" });
    expect(steps.split(" ")).toContain(`v${VERSION}`);
    db.run({ text: "UPDATE account SET steps = ?" }, `${steps} dreams-1`);
    expect(() => NodeMailbox.open(storage)).toThrow("does not know its step dreams-1");
    db.run({ text: "UPDATE account SET steps = ?" }, `${steps} v9.2.0 dreams-1 v9.10.0`);
    expect(() => NodeMailbox.open(storage)).toThrow(
      `The data was written by version 9.10.0: this version, ${VERSION}, does not know its step dreams-1. Run 9.10.0 or newer.`,
    );
    db.run({ text: "UPDATE account SET steps = ?" }, steps);
    expect(NodeMailbox.open(storage).account.row.address).toBe("box@mailkeep.test");
  });

  it("get the steps that a later release adds when the mailbox opens, if the tables exist", async () => {
    await withDatabase((db) => {
      const notes = { name: "notes", steps: ["CREATE TABLE note (a TEXT)"] };
      const other = { name: "other", steps: ["CREATE TABLE other (a TEXT)"] };
      new Schemas(db, [notes, other]).make(notes);
      const later = { name: "notes", steps: [...notes.steps, "ALTER TABLE note ADD COLUMN b TEXT"] };
      const schemas = new Schemas(db, [later, other]);
      schemas.open();
      expect(db.all({ text: "PRAGMA table_info(note)" })).toHaveLength(2);
      expect([schemas.isMade(later), schemas.isMade(other)]).toEqual([true, false]);
    });
  });

  it("are not made by a call that is still under way when the mailbox is erased", async () => {
    const mailbox = await NodeMailbox.create({
      directoryOf: () => ({ report: async () => {}, remove: async () => {} }),
    });
    await mailbox.receive("From: ann@example.com\r\nSubject: Hello\r\n\r\nHello.\r\n");
    const { blobs, lifecycle } = mailbox.life;
    await lifecycle.end();
    expect(() => blobs.reserve("key", 5)).toThrow(/erased or never created/);
    expect(tablesOf(mailbox)).toEqual([]);
  });

  it("are not made for search by reindexing a mailbox that holds no message", async () => {
    const mailbox = await NodeMailbox.create();
    expect(mailbox.life.reindexing.allInbound(OPERATOR, { cursor: null, limit: 10 })).toMatchObject({
      value: { messages: [], nextCursor: null },
    });
    expect(tablesOf(mailbox)).toEqual(["account"]);
  });

  it("have different names", () => {
    expect(new Set(SCHEMAS.map(({ name }) => name)).size).toBe(SCHEMAS.length);
  });
});

describe("a mailbox of an earlier release", () => {
  it("has migration steps with unique names in ascending order", () => {
    const ids = EARLIER_STEPS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  it("at step 001 keeps its counters, and has an empty log", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 1));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      const { life, account } = open();
      expect(account.row).toMatchObject({
        address: "old@mailkeep.test",
        last_seq: 42,
        last_event: 0,
      });
      expect(life.log.after(0, 10)).toEqual([]);
    });
  });

  it("at step 002 keeps its log, and has no webhook secret, target or delivery", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 2));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script("UPDATE account SET last_event = 1");
      db.script("INSERT INTO event (seq, kind, at, data) VALUES (1, 'message.received', 5, '{}')");
      const { life, account } = open();
      expect(account.row).toMatchObject({
        last_event: 1,
        webhook_secret: null,
        webhook_secret_before: null,
        webhook_secret_changed_at: null,
      });
      expect(life.log.after(0, 10)).toMatchObject([{ seq: 1, at: 5 }]);
      for (const table of ["webhook_target", "delivery", "attempt"]) {
        expect(db.all({ text: `SELECT * FROM ${table}` })).toEqual([]);
      }
    });
  });

  it("at step 003 lists its mail, and has no sent messages and no uploads", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 3));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
        attachment_count, labels, size_bytes) VALUES (42, 42, 'inbound', 'received', '{}', '', '', '', 0, '[]', 1)`);
      const { account } = open();
      expect(account.row).toMatchObject({ last_seq: 42, sends_day: "", sends_count: 0 });
      expect(db.all(FIND_MESSAGE, 42)).toMatchObject([{ seq: 42 }]);
      for (const table of ["upload", "outbox", "recipient", "suppression", "send_key"]) {
        expect(db.all({ text: `SELECT * FROM ${table}` })).toEqual([]);
      }
    });
  });

  it("at step 006 continues to send waiting messages, inside or outside by the domain of each recipient", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 6));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      for (const [seq, due] of [
        [1, 50],
        [2, 60],
        [3, 70],
      ]) {
        db.script(`INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, tries, due_at, told_sent)
          VALUES (${seq}, '{}', '', '', '[]', '', 0, 2, ${due}, 0)`);
      }
      db.script(`INSERT INTO recipient (seq, position, address, state, at) VALUES
        (1, 0, 'Ann@Mailkeep.test', 'queued', 1), (2, 0, 'ben@elsewhere.example', 'queued', 1),
        (3, 0, 'ann@mailkeep.test', 'queued', 1), (3, 1, 'cleo@xmailkeep.test', 'queued', 1)`);
      const { life } = open();
      const { outbox } = life;
      expect([outbox.due("inside", 100, 10), outbox.due("outside", 100, 10)]).toEqual([
        [1, 3],
        [2, 3],
      ]);
      expect(outbox.recipients(3).map(({ inside }) => inside)).toEqual([1, 0]);
      expect(db.all({ text: "SELECT tries, inside_tries FROM outbox ORDER BY seq" })).toEqual([
        { tries: 2, inside_tries: 2 },
        { tries: 2, inside_tries: 0 },
        { tries: 2, inside_tries: 2 },
      ]);
    });
  });

  it("at step 007 marks mail that was never sent, and reports it and failed webhooks to the directory", async () => {
    const withRows = (script: string, check: (db: Database, mailbox: NodeMailbox) => void) =>
      withOld((db, open) => {
        migrate(db, EARLIER_STEPS.slice(0, 7));
        db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
        db.script("UPDATE account SET directory_due = NULL");
        db.script(script);
        check(db, open());
      });
    const mail = (
      seq: number,
    ) => `INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, tries, told_sent)
      VALUES (${seq}, '{}', '', '', '[]', '', 0, 1, 1);`;
    const recipients = `INSERT INTO recipient (seq, position, address, state, at, inside, diagnostic) VALUES
      (1, 0, 'ann@mailkeep.test', 'delivered', 1, 1, NULL),
      (1, 1, 'ben@elsewhere.example', 'sent', 1, 0, 'Kept here: this deployment has no way out (OUTBOUND=local)'),
      (2, 0, 'cleo@elsewhere.example', 'sent', 1, 0, '250 2.0.0 Taken')`;
    await withRows(`${mail(1)}${mail(2)}${recipients}`, (db, mailbox) => {
      expect(db.all({ text: "SELECT seq FROM outbox WHERE kept = 1" })).toEqual([{ seq: 1 }]);
      expect(mailbox.account.row.directory_due).toBe(0);
    });
    await withRows(
      "INSERT INTO webhook_target (label, url, status, failures, created_at) VALUES ('', 'https://x', 'failed', 10, 1)",
      (_, { account }) => expect(account.row.directory_due).toBe(0),
    );
    await withRows(mail(2), (_, { account }) => expect(account.row.directory_due).toBeNull());
  });

  it("at step 007 hands out its codes, with the confidence null", async () => {
    await withOld(async (db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 7));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
        code, attachment_count, labels, size_bytes)
        VALUES (42, 42, 'inbound', 'received', '{"from_address":"","subject":""}', '', '', '', '482913', 0, '[]', 1)`);
      const { life } = open();
      const filters = {
        kind: "code" as const,
        since: null,
        from: null,
        timeout: 0,
        consume: false,
        min_confidence: 0.9,
        mailbox: null,
      };
      const answer = await life.codes.code(OPERATOR, filters, "");
      expect(answer).toMatchObject({ value: { code: "482913", confidence: null, evidence: [] } });
      expect(db.all({ text: "SELECT code_reader FROM message" })).toEqual([{ code_reader: 1 }]);
    });
  });

  it("at step 012 believes reports only about recipients whose host took the message, found by the shared token", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 12));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO outbox (seq, message, text, html, files, return_path, token, smtp_utf8, tries, due_at, told_sent)
        VALUES (1, '{}', '', '', '[]', 'old+b.x@mailkeep.test', 'x', 0, 1, 50, 1)`);
      db.script(`INSERT INTO recipient (seq, position, address, state, at, inside, diagnostic) VALUES
        (1, 0, 'sent@elsewhere.example', 'sent', 10, 0, '250 2.0.0 Ok: queued as 4F2A6B7C8D'),
        (1, 1, 'waits@elsewhere.example', 'queued', 10, 0, '450 later'),
        (1, 2, 'refused@elsewhere.example', 'bounced', 10, 0, '550 no'),
        (1, 3, 'inside@mailkeep.test', 'delivered', 10, 1, '250 fine')`);
      const { life } = open();
      const { outbox } = life;
      expect(outbox.ofToken("x", 0)).toBeNull();
      expect(outbox.ofSharedToken("x", 0).map(({ address }) => address)).toEqual(["sent@elsewhere.example"]);
      expect(outbox.ofSharedToken("x", 10)).toEqual([]);
      const [, waits] = outbox.recipients(1);
      expect([waits?.state, waits?.token]).toEqual(["queued", null]);
      expect(outbox.due("outside", 100, 10)).toEqual([1]);
    });
  });

  it("at step 012 keeps the attempts of its queued mail, and its Idempotency-Keys", async () => {
    await withOld((db, open) => {
      const before = EARLIER_STEPS.findIndex(({ id }) => id === "012-code-evidence") + 1;
      migrate(db, EARLIER_STEPS.slice(0, before));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, tries, due_at, told_sent)
        VALUES (42, '{}', '', '', '[]', '', 0, 3, 50, 0)`);
      db.script("INSERT INTO send_key (key, digest, seq, at) VALUES ('order-1', 'd', 42, 5)");
      const { life } = open();
      const { outbox } = life;
      expect(outbox.find(42)?.tries).toEqual({
        inside: { made: 0, unended: 0, dueAt: null },
        outside: { made: 3, unended: 0, dueAt: 50 },
      });
      expect([outbox.keyed("order-1", 0), outbox.storedAnswer(42)]).toEqual([{ digest: "d", seq: 42 }, null]);
    });
  });

  it("at step 003 keeps its webhooks and its counters, and has no upload", async () => {
    await withOld((db, open) => {
      migrate(db, EARLIER_STEPS.slice(0, 3));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script("UPDATE account SET storage_bytes = 12345");
      db.script(
        "INSERT INTO webhook_target (label, url, status, failures, created_at) VALUES ('', 'https://x', 'active', 0, 1)",
      );
      const { life, account } = open();
      expect(account.row).toMatchObject({ address: "old@mailkeep.test", storage_bytes: 12_345 });
      expect(db.all({ text: "SELECT url FROM webhook_target" })).toEqual([{ url: "https://x" }]);
      expect([life.uploads.dues(), life.uploads.find("any")]).toEqual([[null], null]);
    });
  });
});
