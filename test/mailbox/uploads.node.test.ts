import { describe, expect, it } from "vitest";
import type { Uploads } from "../../src/mailbox/uploads/uploads.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_800_000_000_000;
const SHA = "0".repeat(64);

/** A mailbox in Node, and its uploads at some time. */
class Mailbox {
  readonly #mailbox: NodeMailbox;

  constructor(mailbox: NodeMailbox) {
    this.#mailbox = mailbox;
  }

  get life() {
    return this.#mailbox.life;
  }

  get account() {
    return this.#mailbox.account;
  }

  at(nowMs: number): Uploads {
    this.#mailbox.nowMs = nowMs;
    return this.life.uploads;
  }

  rows(text: string): object[] {
    return this.#mailbox.rows(text);
  }
}

async function withMailbox(work: (mailbox: Mailbox) => Promise<void>): Promise<void> {
  await work(new Mailbox(await NodeMailbox.create()));
}

const fileOf = (id: string) => ({ id, key: `key-${id}`, filename: "a", contentType: "a/b" });

/** A whole upload of 1,000 bytes. */
async function stored(mailbox: Mailbox, id: string, nowMs = NOW): Promise<void> {
  const uploads = mailbox.at(nowMs);
  const begun = uploads.beginUpload(OPERATOR, { ...fileOf(id), sizeBytes: 5_000, mostBytes: null });
  const whole = await uploads.completeUpload(OPERATOR, { id, sizeBytes: 1_000, sha256: SHA });
  if (!begun.ok || !whole.ok) throw new Error("The upload was refused");
}

const ERASURES = "SELECT key FROM blob_to_erase ORDER BY key";
const STORAGE = "SELECT storage_bytes FROM account";

describe("an upload that a message uses", () => {
  it("does not expire while it is used, and can still be found", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      const { account } = mailbox;
      await stored(mailbox, "one");
      await stored(mailbox, "two");
      expect(mailbox.at(NOW + 1).use(7, ["one"])).toEqual({ ok: true, value: null });
      expect(uploads.dues()[0]).toBe(NOW + DAY_MS);
      mailbox.at(NOW + 40 * DAY_MS).pump(NOW + 40 * DAY_MS);
      expect(mailbox.at(NOW + 40 * DAY_MS).find("one")).toMatchObject({ sizeBytes: 1_000, expiresAt: null });
      expect(mailbox.at(NOW + 1).find("two")).toBeNull();
      expect([uploads.dues()[0], mailbox.rows(ERASURES)]).toEqual([null, [{ key: "key-two" }]]);
      expect([account.row.storage_bytes, mailbox.rows(STORAGE)]).toEqual([1_000, [{ storage_bytes: 1_000 }]]);
    });
  });

  it("still lives for 24 hours if the message releases it earlier", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      await stored(mailbox, "one");
      mailbox.at(NOW + HOUR_MS).use(7, ["one"]);
      uploads.release(7, NOW + 2 * HOUR_MS);
      expect(uploads.dues()[0]).toBe(NOW + DAY_MS);
      mailbox.at(NOW + DAY_MS - 1).pump(NOW + DAY_MS - 1);
      expect(mailbox.at(NOW + DAY_MS - 1).find("one")).not.toBeNull();
    });
  });

  it("is erased at once if the message releases it after its 24 hours", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      const { account } = mailbox;
      await stored(mailbox, "one");
      mailbox.at(NOW).use(7, ["one"]);
      uploads.release(7, NOW + 3 * DAY_MS);
      expect(uploads.dues()[0]).toBe(NOW + 3 * DAY_MS);
      mailbox.at(NOW + 3 * DAY_MS).pump(NOW + 3 * DAY_MS);
      expect(mailbox.rows(ERASURES)).toEqual([{ key: "key-one" }]);
      expect(account.row.storage_bytes).toBe(0);
    });
  });

  it("can be used by several messages, and stays until the last one releases it, even if calls are repeated", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      await stored(mailbox, "one");
      for (const message of [7, 8, 7]) mailbox.at(NOW).use(message, ["one", "one"]);
      uploads.release(7, NOW + 2 * DAY_MS);
      uploads.release(7, NOW + 2 * DAY_MS);
      expect(uploads.dues()[0]).toBeNull();
      uploads.release(8, NOW + 2 * DAY_MS);
      expect(uploads.dues()[0]).toBe(NOW + 2 * DAY_MS);
      uploads.release(9, NOW);
    });
  });

  it("is used only if all other uploads of the message can be used too", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      await stored(mailbox, "one");
      uploads.beginUpload(OPERATOR, { ...fileOf("coming"), sizeBytes: 1, mostBytes: null });
      for (const missing of ["unknown", "coming"]) {
        expect(mailbox.at(NOW).use(7, ["one", missing])).toMatchObject({
          ok: false,
          error: { code: "not_found" },
        });
      }
      expect(mailbox.at(NOW + DAY_MS).use(7, ["one"])).toMatchObject({ ok: false });
      expect(mailbox.rows("SELECT * FROM upload_use")).toEqual([]);
      expect(uploads.dues()[0]).toBe(NOW + HOUR_MS);
    });
  });
});

describe("uploads that expire", () => {
  it("are erased 500 at a time, the oldest first; the rest stays due", async () => {
    await withMailbox(async (mailbox) => {
      const { uploads } = mailbox.life;
      const { account } = mailbox;
      for (let n = 0; n < 501; n += 1) await stored(mailbox, `u${n}`, NOW + n);
      mailbox.at(NOW + 2 * DAY_MS).pump(NOW + 2 * DAY_MS);
      expect(uploads.dues()[0]).toBe(NOW + 500 + DAY_MS);
      mailbox.at(NOW + 2 * DAY_MS).pump(NOW + 2 * DAY_MS);
      expect([uploads.dues()[0], account.row.storage_bytes, mailbox.rows(ERASURES).length]).toEqual([
        null,
        0,
        501,
      ]);
    });
  });
});
