import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { PART_BYTES } from "../../src/blobs/r2.ts";
import { OWNERS } from "../../src/contract/scope.ts";
import { Database } from "../../src/lib/sql.ts";
import { migrate } from "../../src/lib/migrate.ts";
import type { Access } from "../../src/mailbox/access.ts";
import { Account } from "../../src/mailbox/account.ts";
import { MIGRATIONS } from "../../src/mailbox/migrations.ts";
import { INSERT_ACCOUNT } from "../../src/mailbox/statements.ts";
import {
  beginUpload,
  completeUpload,
  expireUploads,
  findUpload,
  releaseUploads,
  uploadsDue,
  useUploads,
} from "../../src/mailbox/uploads.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  resetClock,
  ringAlarm,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_800_000_000_000;
const SHA = "0".repeat(64);

afterEach(() => {
  resetClock();
});

/** Runs over a mailbox's tables of the test's own. */
async function withMailbox(work: (db: Database, account: Account) => void): Promise<void> {
  const scratch = env.MAILBOX.getByName(`scratch-${crypto.randomUUID()}`);
  await runInDurableObject(scratch, (_, state) => {
    const db = new Database(state.storage);
    migrate(db, MIGRATIONS);
    db.run(INSERT_ACCOUNT, "box@mailkeep.test", "permanent", 1, null, 42, "2026-11", 0);
    const account = Account.open(db);
    if (account === null) throw new Error("There is no account");
    work(db, account);
  });
}

/** A whole upload of 1,000 bytes. */
function stored(db: Database, account: Account, id: string, nowMs = NOW): void {
  beginUpload(
    db,
    account,
    { id, key: `key-${id}`, filename: "a", contentType: "a/b", sizeBytes: 5_000 },
    nowMs,
  );
  completeUpload(db, account, { id, sizeBytes: 1_000, sha256: SHA }, nowMs);
}

const ERASURES = { text: "SELECT key FROM blob_to_erase ORDER BY key" };
const STORAGE = { text: "SELECT storage_bytes FROM account" };

describe("an upload that a message uses", () => {
  it("does not expire while it is used, and is found all the while", async () => {
    await withMailbox((db, account) => {
      stored(db, account, "one");
      stored(db, account, "two");
      expect(useUploads(db, 7, ["one"], NOW + 1)).toEqual({ ok: true, value: null });
      expect(uploadsDue(db)).toBe(NOW + DAY_MS);
      expireUploads(db, account, NOW + 40 * DAY_MS);
      expect(findUpload(db, "one", NOW + 40 * DAY_MS)).toMatchObject({ sizeBytes: 1_000, expiresAt: null });
      expect(findUpload(db, "two", NOW + 1)).toBeNull();
      expect([uploadsDue(db), db.all(ERASURES)]).toEqual([null, [{ key: "key-two" }]]);
      expect([account.row.storage_bytes, db.all(STORAGE)]).toEqual([1_000, [{ storage_bytes: 1_000 }]]);
    });
  });

  it("lives its day to the end when the message lets go of it before", async () => {
    await withMailbox((db, account) => {
      stored(db, account, "one");
      useUploads(db, 7, ["one"], NOW + HOUR_MS);
      releaseUploads(db, 7, NOW + 2 * HOUR_MS);
      expect(uploadsDue(db)).toBe(NOW + DAY_MS);
      expireUploads(db, account, NOW + DAY_MS - 1);
      expect(findUpload(db, "one", NOW + DAY_MS - 1)).not.toBeNull();
    });
  });

  it("ends at once when the message lets go of it after its day", async () => {
    await withMailbox((db, account) => {
      stored(db, account, "one");
      useUploads(db, 7, ["one"], NOW);
      releaseUploads(db, 7, NOW + 3 * DAY_MS);
      expect(uploadsDue(db)).toBe(NOW + 3 * DAY_MS);
      expireUploads(db, account, NOW + 3 * DAY_MS);
      expect(db.all(ERASURES)).toEqual([{ key: "key-one" }]);
      expect(account.row.storage_bytes).toBe(0);
    });
  });

  it("may be used by several, and stays for the last of them, however often each comes and goes", async () => {
    await withMailbox((db, account) => {
      stored(db, account, "one");
      for (const message of [7, 8, 7]) useUploads(db, message, ["one", "one"], NOW);
      releaseUploads(db, 7, NOW + 2 * DAY_MS);
      releaseUploads(db, 7, NOW + 2 * DAY_MS);
      expect(uploadsDue(db)).toBeNull();
      releaseUploads(db, 8, NOW + 2 * DAY_MS);
      expect(uploadsDue(db)).toBe(NOW + 2 * DAY_MS);
      releaseUploads(db, 9, NOW);
    });
  });

  it("is all of what a message names, or none of it", async () => {
    await withMailbox((db, account) => {
      stored(db, account, "one");
      beginUpload(
        db,
        account,
        { id: "coming", key: "k", filename: "a", contentType: "a/b", sizeBytes: 1 },
        NOW,
      );
      for (const missing of ["unknown", "coming"]) {
        expect(useUploads(db, 7, ["one", missing], NOW)).toMatchObject({
          ok: false,
          error: { code: "not_found" },
        });
      }
      expect(useUploads(db, 7, ["one"], NOW + DAY_MS)).toMatchObject({ ok: false });
      expect(db.all({ text: "SELECT * FROM upload_use" })).toEqual([]);
      expect(uploadsDue(db)).toBe(NOW + HOUR_MS);
    });
  });
});

describe("uploads that expire", () => {
  it("do so some hundred at a time, the oldest first; the rest stays due", async () => {
    await withMailbox((db, account) => {
      for (let n = 0; n < 501; n += 1) stored(db, account, `u${n}`, NOW + n);
      expireUploads(db, account, NOW + 2 * DAY_MS);
      expect(uploadsDue(db)).toBe(NOW + 500 + DAY_MS);
      expireUploads(db, account, NOW + 2 * DAY_MS);
      expect([uploadsDue(db), account.row.storage_bytes, db.all(ERASURES).length]).toEqual([null, 0, 501]);
    });
  });
});

describe("the uploads of a mailbox", () => {
  const access = (scope = OWNERS): Access => ({
    credential: { kind: "operator" },
    scopes: scope,
    foreign: false,
    whilePaused: false,
    fault: null,
    upgradeUrl: "",
  });
  const upload = async (own: TestMailbox, bytes: Uint8Array) =>
    (
      await ask<{ id: string; sha256: string; expires_at: string }>("/v1/attachments?filename=a.bin", {
        key: own.api_key,
        body: bytes,
      })
    ).body;

  it("are found by their ids as what they are, for whoever sends them", async () => {
    const own = await createMailbox();
    const actor = actorOf(own.mailbox);
    for (const bytes of [10, PART_BYTES + 1]) {
      const { id } = await upload(own, new Uint8Array(bytes));
      const rows = await rowsOf<{ id: string; key: string }>(own.mailbox, "SELECT id, key FROM upload");
      expect(await actor.attachment(access(), id)).toMatchObject({
        ok: true,
        value: {
          upload: id,
          partsKey: rows.find((row) => row.id === id)?.key,
          stored: { filename: "a.bin", contentType: "application/octet-stream", sizeBytes: bytes, offset: 0 },
        },
      });
      expect(await actor.attachment(access([]), id)).toMatchObject({ ok: false });
    }
    expect(await actor.attachment(access(), "unknown")).toMatchObject({ error: { code: "not_found" } });
  });

  it("stay through every alarm as long as a message uses them, and are erased with the mailbox", async () => {
    const own = await createMailbox();
    const before = (await env.BLOBS.list()).objects.length;
    const { id } = await upload(own, new Uint8Array(PART_BYTES));
    await runInDurableObject(actorOf(own.mailbox), (_, state) => {
      useUploads(new Database(state.storage), 7, [id], Date.now());
    });
    advance(3 * DAY_MS);
    await ringAlarm(own.mailbox);
    expect((await api(`/v1/attachments/${id}`, { key: own.api_key })).status).toBe(200);
    expect(await alarmOf(own.mailbox)).toBeNull();
    const { body } = await ask("/v1/mailbox", { key: own.api_key, method: "DELETE" });
    expect(body).toMatchObject({ ok: true, r2_blobs_deleted: 1 });
    expect((await env.BLOBS.list()).objects.length).toBe(before);
  });
});
