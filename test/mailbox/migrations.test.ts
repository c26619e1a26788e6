import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { hasSchema, migrate, type Migration } from "../../src/lib/migrate.ts";
import { Database } from "../../src/lib/sql.ts";
import { Account } from "../../src/mailbox/account.ts";
import { codeAnswer, newestHit } from "../../src/mailbox/codes.ts";
import { eventsAfter } from "../../src/mailbox/log.ts";
import { Mailbox } from "../../src/mailbox/mailbox.ts";
import { MIGRATIONS } from "../../src/mailbox/migrations.ts";
import { Outbox } from "../../src/mailbox/outbox.ts";
import { INSERT_ACCOUNT, LIST_NEWEST } from "../../src/mailbox/statements.ts";
import { findUpload, uploadsDue } from "../../src/mailbox/uploads.ts";
import { actorOf, api, ask, createMailbox, deliver, evict, plainMessage, rowsOf } from "../harness.ts";

/** Runs over a database of its own. */
async function withDatabase(work: (db: Database) => void): Promise<void> {
  const scratch = env.MAILBOX.getByName(`scratch-${crypto.randomUUID()}`);
  await runInDurableObject(scratch, (_, state) => work(new Database(state.storage)));
}

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

describe("a mailbox whose data a newer release wrote (F19)", () => {
  it("refuses to open with a clear error, loses nothing, and works again under that release", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Kept" }));
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      const { sql } = state.storage;
      sql.exec("INSERT INTO migration (id, position) VALUES ('999-future', 999)");
      expect(() => new Mailbox(state, env)).toThrow(/999-future.*newer release/);
      sql.exec("DELETE FROM migration WHERE id = '999-future'");
      expect(() => new Mailbox(state, env)).not.toThrow();
    });
    await evict(box.mailbox);
    expect((await ask("/v1/inbox", { key: box.api_key })).body).toMatchObject({
      emails: [{ subject: "Kept" }],
    });
  });
});

describe("the schema of a mailbox", () => {
  it("has steps with unique names in rising order", () => {
    const ids = MIGRATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  it("is upgraded from every version with its mail in place", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "From before" }));
    await evict(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT id FROM migration ORDER BY position")).toEqual(
      MIGRATIONS.map(({ id }) => ({ id })),
    );
    expect((await api("/v1/inbox", { key: box.api_key })).status).toBe(200);
  });

  it("of 001 goes on with an empty log, its counters kept", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 1));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      migrate(db, MIGRATIONS);
      expect(Account.open(db)?.row).toMatchObject({
        address: "old@mailkeep.test",
        last_seq: 42,
        last_event: 0,
      });
      expect(eventsAfter(db, 0, 10)).toEqual([]);
    });
  });

  it("of 002 goes on with its log, without a secret, a target or a delivery", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 2));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script("UPDATE account SET last_event = 1");
      db.script("INSERT INTO event (seq, kind, at, data) VALUES (1, 'message.received', 5, '{}')");
      migrate(db, MIGRATIONS);
      expect(Account.open(db)?.row).toMatchObject({
        last_event: 1,
        webhook_secret: null,
        webhook_secret_before: null,
        webhook_secret_changed_at: null,
      });
      expect(eventsAfter(db, 0, 10)).toMatchObject([{ seq: 1, at: 5 }]);
      for (const table of ["webhook_target", "delivery", "attempt"]) {
        expect(db.all({ text: `SELECT * FROM ${table}` })).toEqual([]);
      }
    });
  });

  it("of 003 goes on with its mail in sight, nothing sent and nothing uploaded", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 3));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
        attachment_count, labels, size_bytes) VALUES (42, 42, 'inbound', 'received', '{}', '', '', '', 0, '[]', 1)`);
      migrate(db, MIGRATIONS);
      expect(Account.open(db)?.row).toMatchObject({ last_seq: 42, sends_day: "", sends_count: 0 });
      expect(db.all(LIST_NEWEST, 100, 10)).toMatchObject([{ seq: 42 }]);
      for (const table of ["upload", "outbox", "recipient", "suppression", "send_key"]) {
        expect(db.all({ text: `SELECT * FROM ${table}` })).toEqual([]);
      }
    });
  });

  it("of 006 tries on what waits, each recipient the way it has to go", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 6));
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
      migrate(db, MIGRATIONS);
      const outbox = new Outbox(db);
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

  it("of 007 knows its mail that was kept, and tells the directory of it and of webhooks that failed", async () => {
    const withRows = (script: string, check: (db: Database) => void) =>
      withDatabase((db) => {
        migrate(db, MIGRATIONS.slice(0, 7));
        db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
        db.script("UPDATE account SET directory_due = NULL");
        db.script(script);
        migrate(db, MIGRATIONS);
        check(db);
      });
    const due = (db: Database) => Account.open(db)?.row.directory_due;
    const mail = (
      seq: number,
    ) => `INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, tries, told_sent)
      VALUES (${seq}, '{}', '', '', '[]', '', 0, 1, 1);`;
    const recipients = `INSERT INTO recipient (seq, position, address, state, at, inside, diagnostic) VALUES
      (1, 0, 'ann@mailkeep.test', 'delivered', 1, 1, NULL),
      (1, 1, 'ben@elsewhere.example', 'sent', 1, 0, 'Kept here: this deployment has no way out (OUTBOUND=local)'),
      (2, 0, 'cleo@elsewhere.example', 'sent', 1, 0, '250 2.0.0 Taken')`;
    await withRows(`${mail(1)}${mail(2)}${recipients}`, (db) => {
      expect(db.all({ text: "SELECT seq FROM outbox WHERE kept = 1" })).toEqual([{ seq: 1 }]);
      expect(due(db)).toBe(0);
    });
    await withRows(
      "INSERT INTO webhook_target (label, url, status, failures, created_at) VALUES ('', 'https://x', 'failed', 10, 1)",
      (db) => expect(due(db)).toBe(0),
    );
    await withRows(mail(2), (db) => expect(due(db)).toBeNull());
  });

  it("of 007 hands out its codes, how sure they are unknown", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 7));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
        code, attachment_count, labels, size_bytes)
        VALUES (42, 42, 'inbound', 'received', '{"from_address":"","subject":""}', '', '', '', '482913', 0, '[]', 1)`);
      migrate(db, MIGRATIONS);
      const hit = newestHit(db, {
        kind: "code",
        since: null,
        from: null,
        timeout: 1,
        consume: false,
        mailbox: null,
      });
      const view = { mailbox: "old@mailkeep.test", tail: 0n, lastSeq: 42 };
      expect(codeAnswer(hit, view)).toMatchObject({ code: "482913", confidence: null, evidence: [] });
      expect(db.all({ text: "SELECT code_reader FROM message" })).toEqual([{ code_reader: 1 }]);
    });
  });

  it("of 012 believes reports of whom a host has taken, as far as that host told, and of nobody else", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 12));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO outbox (seq, message, text, html, files, return_path, token, smtp_utf8, tries, due_at, told_sent)
        VALUES (1, '{}', '', '', '[]', 'old+b.x@mailkeep.test', 'x', 0, 1, 50, 1)`);
      db.script(`INSERT INTO recipient (seq, position, address, state, at, inside, diagnostic) VALUES
        (1, 0, 'sent@elsewhere.example', 'sent', 10, 0, '250 2.0.0 Ok: queued as 4F2A6B7C8D'),
        (1, 1, 'waits@elsewhere.example', 'queued', 10, 0, '450 later'),
        (1, 2, 'refused@elsewhere.example', 'bounced', 10, 0, '550 no'),
        (1, 3, 'inside@mailkeep.test', 'delivered', 10, 1, '250 fine')`);
      migrate(db, MIGRATIONS);
      const outbox = new Outbox(db);
      expect(outbox.ofToken("x", 0)).toBeNull();
      expect(outbox.ofSharedToken("x", 0).map(({ address }) => address)).toEqual(["sent@elsewhere.example"]);
      expect(outbox.ofSharedToken("x", 10)).toEqual([]);
      const [, waits] = outbox.recipients(1);
      expect([waits?.state, waits?.token]).toEqual(["queued", null]);
      expect(outbox.due("outside", 100, 10)).toEqual([1]);
    });
  });

  it("of 012 goes on with mail that a death cut short, and with its Idempotency-Keys", async () => {
    await withDatabase((db) => {
      const before = MIGRATIONS.findIndex(({ id }) => id === "012-code-evidence") + 1;
      migrate(db, MIGRATIONS.slice(0, before));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script(`INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, tries, due_at, told_sent)
        VALUES (42, '{}', '', '', '[]', '', 0, 3, 50, 0)`);
      db.script("INSERT INTO send_key (key, digest, seq, at) VALUES ('order-1', 'd', 42, 5)");
      migrate(db, MIGRATIONS);
      const outbox = new Outbox(db);
      expect(outbox.find(42)?.tries).toEqual({
        inside: { made: 0, unended: 0, dueAt: null },
        outside: { made: 3, unended: 0, dueAt: 50 },
      });
      expect([outbox.keyed("order-1", 0), outbox.keptAnswer(42)]).toEqual([{ digest: "d", seq: 42 }, null]);
    });
  });

  it("of 003 goes on with its webhooks and its counters, without an upload", async () => {
    await withDatabase((db) => {
      migrate(db, MIGRATIONS.slice(0, 3));
      db.run(INSERT_ACCOUNT, "old@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
      db.script("UPDATE account SET storage_bytes = 12345");
      db.script(
        "INSERT INTO webhook_target (label, url, status, failures, created_at) VALUES ('', 'https://x', 'active', 0, 1)",
      );
      migrate(db, MIGRATIONS);
      expect(Account.open(db)?.row).toMatchObject({ address: "old@mailkeep.test", storage_bytes: 12_345 });
      expect(db.all({ text: "SELECT url FROM webhook_target" })).toEqual([{ url: "https://x" }]);
      expect([uploadsDue(db), findUpload(db, "any", 1)]).toEqual([null, null]);
    });
  });
});
