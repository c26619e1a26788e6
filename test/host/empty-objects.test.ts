import { mkdir, mkdtemp, readFile, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeEmptyObjects } from "../../src/host/empty-objects.ts";

const NAME = "5a1358e078bab3341a46cada5d02a1d97929cacc195a3bef5885cd8a27a6091f";

let dataDir: string;
let mailboxes: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "mailkeep-sweep-"));
  mailboxes = path.join(dataDir, "do", "mailkeep-Mailbox");
  await mkdir(mailboxes, { recursive: true });
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** An object as workerd leaves it: `sql` as it was run, in write-ahead mode, never checkpointed. */
async function leave(sql: string, folder = mailboxes, name = NAME): Promise<void> {
  const live = path.join(dataDir, "live.sqlite");
  const db = new DatabaseSync(live);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  db.exec(sql);
  // Copied while it is open: closing it would move the data into the main file.
  for (const suffix of ["", "-wal", "-shm"]) {
    const bytes = await readFile(`${live}${suffix}`).catch(() => null);
    if (bytes) await writeFile(path.join(folder, `${name}.sqlite${suffix}`), bytes);
  }
  db.close();
  await rm(live);
}

const left = async (): Promise<string[]> => (await readdir(mailboxes)).toSorted();

describe("sweep before workerd starts", () => {
  it("removes an object of an address that nobody created, with what lies beside it", async () => {
    await leave("PRAGMA user_version");
    expect(await left()).toEqual([`${NAME}.sqlite`, `${NAME}.sqlite-shm`, `${NAME}.sqlite-wal`]);
    expect((await readFile(path.join(mailboxes, `${NAME}.sqlite-wal`))).length).toBe(0);
    removeEmptyObjects(dataDir);
    expect(await left()).toEqual([]);
  });

  it.each([0, 4_096])("removes an object of %i bytes that has no write-ahead log", async (bytes) => {
    const file = path.join(mailboxes, `${NAME}.sqlite`);
    await writeFile(file, "");
    await truncate(file, bytes);
    removeEmptyObjects(dataDir);
    expect(await left()).toEqual([]);
  });

  it.each([4_096, 2_000, 50])(
    "keeps a database that was cut off to %i bytes, because it is damaged",
    async (bytes) => {
      const file = path.join(mailboxes, `${NAME}.sqlite`);
      const db = new DatabaseSync(file);
      db.exec("CREATE TABLE message (subject TEXT); INSERT INTO message VALUES ('lost')");
      db.close();
      await truncate(file, bytes);
      removeEmptyObjects(dataDir);
      expect(await left()).toEqual([`${NAME}.sqlite`]);
    },
  );

  it("keeps an object whose data is still in the write-ahead log", async () => {
    await leave("CREATE TABLE message (subject TEXT); INSERT INTO message VALUES ('kept')");
    expect((await readFile(path.join(mailboxes, `${NAME}.sqlite`))).length).toBe(4_096);
    removeEmptyObjects(dataDir);
    expect(await left()).toHaveLength(3);
    const db = new DatabaseSync(path.join(mailboxes, `${NAME}.sqlite`));
    expect(db.prepare("SELECT subject FROM message").get()).toEqual({ subject: "kept" });
    db.close();
  });

  it.each([1, 4_095, 4_097, 8_192])("keeps an object of %i bytes", async (bytes) => {
    const file = path.join(mailboxes, `${NAME}.sqlite`);
    await writeFile(file, "");
    await truncate(file, bytes);
    removeEmptyObjects(dataDir);
    expect(await left()).toEqual([`${NAME}.sqlite`]);
  });

  it("keeps Miniflare's own file and whatever else is no object", async () => {
    const others = ["metadata.sqlite", "abc.sqlite", `${NAME}.sqlite.bak`, `${NAME.toUpperCase()}.sqlite`];
    for (const name of others) await writeFile(path.join(mailboxes, name), "");
    removeEmptyObjects(dataDir);
    expect(await left()).toEqual(others.toSorted());
  });

  it("follows no link out of the data folder", async () => {
    const outside = path.join(dataDir, "outside.sqlite");
    await writeFile(outside, "");
    await symlink(outside, path.join(mailboxes, `${NAME}.sqlite`));
    removeEmptyObjects(dataDir);
    expect(await left()).toEqual([`${NAME}.sqlite`]);
  });

  it("does the same for client budgets, and leaves the directory alone", async () => {
    for (const name of ["mailkeep-ClientBudget", "mailkeep-Directory"]) {
      const folder = path.join(dataDir, "do", name);
      await mkdir(folder);
      await writeFile(path.join(folder, `${NAME}.sqlite`), "");
    }
    removeEmptyObjects(dataDir);
    expect(await readdir(path.join(dataDir, "do", "mailkeep-ClientBudget"))).toEqual([]);
    expect(await readdir(path.join(dataDir, "do", "mailkeep-Directory"))).toHaveLength(1);
  });

  it("stops when its time is over", async () => {
    await leave("PRAGMA user_version");
    removeEmptyObjects(dataDir, 0);
    expect(await left()).toHaveLength(3);
  });

  it("says nothing of a data folder without objects, nor of one that it cannot clean", async () => {
    await rm(path.join(dataDir, "do"), { recursive: true });
    expect(() => removeEmptyObjects(dataDir)).not.toThrow();
    await writeFile(path.join(dataDir, "do"), "");
    expect(() => removeEmptyObjects(dataDir)).not.toThrow();
  });
});
