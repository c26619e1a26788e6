import { randomBytes } from "node:crypto";
import fs, {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fileOfKey, isDiskKey } from "../../../src/lib/disk-key.ts";
import { mailboxFile } from "../../../src/host/backup/data-folder.ts";
import { restoreMailbox } from "../../../src/host/backup/mailbox-restore.ts";
import { STAGING_FOLDER, completeSwap, swapMailbox } from "../../../src/host/backup/mailbox-swap.ts";
import { STATE_FOLDER } from "../../../src/host/backup/state.ts";
import { Repository } from "../../../src/host/backup/repository.ts";
import { openerFor, readSnapshot } from "../../../src/host/backup/snapshot.ts";
import { WEBHOOKS } from "../../../src/mailbox/webhooks/schema.ts";
import { BUCKET, FakeData, tempFolder } from "./rig.ts";
import { backUpTo, restoreTo } from "./rig-run.ts";

const ADA = "ada@mailkeep.test";
const BEN = "ben@mailkeep.test";
const ALARMS = "do/mailkeep-Mailbox/metadata.sqlite";
/** For tests that sync many files, in ms: disks are slow beside other work. */
const PATIENCE_MS = 120_000;
const OTHER_USER = 12_345;
const file = mailboxFile(ADA);

/** The rows of a query in a database of a data folder. */
function rows(dataDir: string, name: string, query: string): unknown[] {
  const database = new DatabaseSync(path.join(dataDir, name));
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** A data folder with two mailboxes and a backup of it; later the first mailbox has other mail, another alarm and another large file. */
async function changedSinceBackup(): Promise<{ data: FakeData; dir: string }> {
  const data = new FakeData();
  data.addMailbox(ADA, { raw: Buffer.from("of the backup") });
  data.addBlob(file, "owner/kept", [Buffer.from("kept")]);
  data.addBlob(file, "disk:owner/kept", [Buffer.from("kept as a file")]);
  data.addMailbox(BEN);
  data.addBlob(mailboxFile(BEN), "other/1", [Buffer.from("of Ben")]);
  data.change(file, (database) => database.exec("INSERT INTO _cf_METADATA VALUES (1, 5)"));
  const dir = tempFolder();
  await backUpTo(dir, data.dir);
  data.addBlob(file, "owner/newer", [Buffer.from("newer "), Buffer.from("in parts")]);
  data.addBlob(file, "disk:owner/newer", [Buffer.from("newer file")]);
  data.change(file, (database) =>
    database.exec(
      "UPDATE content SET raw = 'newer' WHERE raw IS NOT NULL; UPDATE _cf_METADATA SET value = 9",
    ),
  );
  data.change(ALARMS, (database) =>
    database.exec(`INSERT INTO _cf_ALARM VALUES ('${path.basename(file, ".sqlite")}', 9, 'name')`),
  );
  return { data, dir };
}

/** Everything that belongs to the first mailbox: mail, large files byte for byte, and its alarm. */
function stateOf(dataDir: string) {
  const raws = rows(dataDir, file, "SELECT CAST(raw AS TEXT) AS raw FROM content WHERE raw IS NOT NULL");
  const keys = rows(
    dataDir,
    file,
    "SELECT raw_key AS key FROM content WHERE raw_key IS NOT NULL ORDER BY key",
  ) as { key: string }[];
  const bucket = new FakeData().bucketFile;
  const blobs = keys.map(({ key }) => {
    if (isDiskKey(key))
      return readFileSync(path.join(dataDir, "r2", BUCKET, "blobs", fileOfKey(key)), "utf8");
    const parts = rows(
      dataDir,
      bucket,
      `SELECT blob_id AS file, 0 AS part FROM _mf_objects WHERE key = '${key}' AND blob_id IS NOT NULL
       UNION SELECT blob_id, part_number FROM _mf_multipart_parts WHERE object_key = '${key}' ORDER BY part`,
    ) as { file: string }[];
    return parts
      .map((part) => readFileSync(path.join(dataDir, "r2", BUCKET, "blobs", part.file), "utf8"))
      .join("");
  });
  const alarms = rows(
    dataDir,
    ALARMS,
    "SELECT scheduled_time > 100 AS now, scheduled_time = 9 AS old FROM _cf_ALARM",
  );
  return { raws, keys: keys.map(({ key }) => key), blobs, alarms };
}

const OLD = {
  raws: [{ raw: "newer" }],
  keys: ["disk:owner/kept", "disk:owner/newer", "owner/kept", "owner/newer"],
  blobs: ["kept as a file", "newer file", "kept", "newer in parts"],
  alarms: [{ now: 0, old: 1 }],
};
const RESTORED = {
  raws: [{ raw: "of the backup" }],
  keys: ["disk:owner/kept", "owner/kept"],
  blobs: ["kept as a file", "kept"],
  alarms: [{ now: 0, old: 0 }],
};

/** Prepares a restore that replaces the mailbox, and swaps nothing. */
async function prepare(dataDir: string, dir: string): Promise<void> {
  const repository = await Repository.open(dir);
  const opener = await openerFor(repository, null);
  if (opener === null) throw new Error("the backup is not encrypted");
  const snapshot = await readSnapshot(repository, (await repository.snapshots()).at(-1) ?? "", opener);
  const staged = path.join(dataDir, STAGING_FOLDER);
  await restoreMailbox({
    snapshot,
    dataDir,
    mailbox: file,
    replaces: true,
    sendsAgain: true,
    signal: new AbortController().signal,
    onProgress: () => {},
    swap: async () => cpSync(staged, `${staged}.copy`, { recursive: true }),
  });
  fs.renameSync(`${staged}.copy`, staged);
}

/** Names of functions that change the disk. */
const CHANGES = ["renameSync", "rmSync", "writeFileSync", "fsyncSync"] as const;

/** After `count` changes of the disk, every further one throws, as if the process were dead. Returns how many were asked for. */
function dieAfter(count: number): () => number {
  let asked = 0;
  for (const name of CHANGES) {
    const real = fs[name] as (...words: unknown[]) => unknown;
    vi.spyOn(fs, name).mockImplementation((...words: unknown[]) => {
      asked += 1;
      if (asked > count) throw new Error("the process is dead");
      return Reflect.apply(real, fs, words) as undefined;
    });
  }
  syncBuiltinESMExports();
  return () => asked;
}

/** The message of what `work` throws. */
function errorOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe("a restore of one mailbox", () => {
  it(
    "leaves the old mailbox or the restored one, whole, whenever the process dies",
    async () => {
      const { data, dir } = await changedSinceBackup();
      await prepare(data.dir, dir);
      expect(stateOf(data.dir)).toEqual(OLD);
      const seen: string[] = [];
      for (let count = 0; ; count += 1) {
        const copy = path.join(tempFolder(), "data");
        cpSync(data.dir, copy, { recursive: true });
        const asked = dieAfter(count);
        const died = errorOf(() => swapMailbox(copy));
        vi.restoreAllMocks();
        syncBuiltinESMExports();
        expect([undefined, "the process is dead"]).toContain(died);
        // The next start.
        completeSwap(copy);
        completeSwap(copy);
        const isRestored =
          rows(
            copy,
            file,
            "SELECT 1 FROM content WHERE raw = 'of the backup' OR CAST(raw AS TEXT) = 'of the backup'",
          ).length > 0;
        expect([count, stateOf(copy)]).toEqual([count, isRestored ? RESTORED : OLD]);
        seen.push(isRestored ? "restored" : "old");
        if (asked() <= count) break;
      }
      expect(new Set(seen)).toEqual(new Set(["old", "restored"]));
      expect(seen.indexOf("restored")).toBe(seen.lastIndexOf("old") + 1);
    },
    PATIENCE_MS,
  );

  it(
    "changes nothing if a prepared file is gone",
    async () => {
      const { data, dir } = await changedSinceBackup();
      for (const name of ["mailbox.sqlite", "plan.json", "blob-"]) {
        await prepare(data.dir, dir);
        const folder = path.join(data.dir, STAGING_FOLDER);
        rmSync(path.join(folder, readdirSync(folder).find((one) => one.startsWith(name)) ?? ""));
        expect(() => swapMailbox(data.dir)).toThrow("run the restore again");
        expect(stateOf(data.dir)).toEqual(OLD);
      }
      expect(readdirSync(data.dir).toSorted()).toEqual(["backup", "do", "r2", "secrets.json"]);
    },
    PATIENCE_MS,
  );

  it("leaves no file of the replaced mailbox, nothing prepared, and the mailboxes of others as they were", async () => {
    const { data, dir } = await changedSinceBackup();
    const ben = readFileSync(path.join(data.dir, mailboxFile(BEN)));
    await restoreTo(data.dir, dir, { only: file, replaces: true, sendsAgain: true });
    expect(stateOf(data.dir)).toEqual(RESTORED);
    expect(rows(data.dir, data.bucketFile, "SELECT key FROM _mf_objects ORDER BY key")).toEqual([
      { key: "other/1" },
      { key: "owner/kept" },
    ]);
    expect(readdirSync(path.join(data.dir, "r2", BUCKET, "blobs"))).toHaveLength(3);
    expect(existsSync(path.join(data.dir, STAGING_FOLDER))).toBe(false);
    expect(readFileSync(path.join(data.dir, mailboxFile(BEN))).equals(ben)).toBe(true);
    // The same once more: the files have the same names.
    await restoreTo(data.dir, dir, { only: file, replaces: true, sendsAgain: true });
    expect(stateOf(data.dir)).toEqual(RESTORED);
  });

  it("goes on with the numbers of the replaced log, and with webhooks that arrived since as delivered", async () => {
    const data = new FakeData();
    data.addMailbox(ADA);
    data.change(file, (database) => {
      for (const step of WEBHOOKS.steps) database.exec(step);
      database.exec(`INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts, due_at)
        VALUES (1, 1, 'k', 'e', 1, 'l', 'u', 'pending', 0, 0), (2, 2, 'k', 'e', 1, 'l', 'u', 'pending', 0, 0)`);
    });
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    data.change(file, (database) =>
      database.exec(`UPDATE account SET last_event = 5000000;
        UPDATE delivery SET state = 'delivered', attempts = 1, due_at = NULL WHERE id = 1;
        INSERT INTO attempt VALUES (1, 1, 7, 200, NULL, 3, 'ok')`),
    );
    await restoreTo(data.dir, dir, { only: file, replaces: true });
    expect(rows(data.dir, file, "SELECT last_event FROM account")).toEqual([{ last_event: 6_000_000 }]);
    expect(rows(data.dir, file, "SELECT id, state, attempts, due_at FROM delivery")).toEqual([
      { id: 1, state: "delivered", attempts: 1, due_at: null },
      { id: 2, state: "pending", attempts: 0, due_at: 0 },
    ]);
    expect(rows(data.dir, file, "SELECT delivery, status FROM attempt")).toEqual([
      { delivery: 1, status: 200 },
    ]);
  });

  it("replaces a mailbox whose database is damaged, but only if it is told to", async () => {
    const { data, dir } = await changedSinceBackup();
    writeFileSync(path.join(data.dir, file), randomBytes(20_000));
    rmSync(path.join(data.dir, `${file}-wal`), { force: true });
    await expect(restoreTo(data.dir, dir, { only: file })).rejects.toThrow("--replace");
    await restoreTo(data.dir, dir, { only: file, replaces: true, sendsAgain: true });
    expect(stateOf(data.dir)).toMatchObject({ raws: RESTORED.raws, blobs: RESTORED.blobs });
  });

  // Only root can give files to another user.
  it.skipIf(process.getuid?.() !== 0)(
    "is refused to root where the server is another user, who could lead root elsewhere by a link",
    async () => {
      const { data, dir } = await changedSinceBackup();
      const elsewhere = tempFolder();
      rmSync(path.join(data.dir, STATE_FOLDER), { recursive: true, force: true });
      symlinkSync(elsewhere, path.join(data.dir, STATE_FOLDER));
      chownSync(data.dir, OTHER_USER, OTHER_USER);
      const tried = restoreTo(data.dir, dir, { only: file, replaces: true, sendsAgain: true });
      await expect(tried).rejects.toThrow(`belongs to the user ${OTHER_USER}`);
      expect([readdirSync(elsewhere), statSync(elsewhere).uid]).toEqual([[], 0]);
    },
  );

  // Only root can give files to another user.
  it.skipIf(process.getuid?.() !== 0)(
    "of all mailboxes by root belongs to the owner of the folder, or of the one that it lies in, and follows no link",
    async () => {
      const { dir } = await changedSinceBackup();
      const parent = tempFolder();
      chownSync(parent, OTHER_USER, OTHER_USER);
      const foreign = path.join(tempFolder(), "foreign");
      writeFileSync(foreign, "root's");
      const own = path.join(parent, "own");
      mkdirSync(own);
      symlinkSync(foreign, path.join(own, "link"));
      for (const restored of [own, path.join(parent, "new")]) {
        await restoreTo(restored, dir);
        const names = ["", ...readdirSync(restored, { recursive: true, encoding: "utf8" })];
        const owners = names.map((name) => lstatSync(path.join(restored, name)).uid);
        expect([names.length > 5, new Set(owners)]).toEqual([true, new Set([OTHER_USER])]);
      }
      expect(statSync(foreign).uid).toBe(0);
      const trap = path.join(parent, "trap");
      mkdirSync(trap);
      symlinkSync(path.dirname(foreign), path.join(trap, "do"));
      await expect(restoreTo(trap, dir)).rejects.toThrow("trap/do is a link: remove it");
      expect(readdirSync(path.dirname(foreign))).toEqual(["foreign"]);
    },
  );

  it("brings no mailbox back that was damaged at the backup already, and keeps the one that is there", async () => {
    const { data, dir: _ } = await changedSinceBackup();
    const good = readFileSync(path.join(data.dir, file));
    const bad = Buffer.from(good);
    bad.fill(255, 4_096);
    writeFileSync(path.join(data.dir, file), bad);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    writeFileSync(path.join(data.dir, file), good);
    await expect(restoreTo(data.dir, dir, { only: file, replaces: true })).rejects.toThrow(
      "damaged at the time of the backup",
    );
    expect(stateOf(data.dir)).toEqual(OLD);
    expect(existsSync(path.join(data.dir, STAGING_FOLDER))).toBe(false);
  });
});
