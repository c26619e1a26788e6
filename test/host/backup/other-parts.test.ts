// Backup and restore of those parts of a mailbox and of a deployment that other parts of the program own.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { BLOB_COLUMNS, namedBlobs } from "../../../src/host/backup/bucket.ts";
import { MONITOR_FOLDER, mailboxFile, objectFile } from "../../../src/host/backup/data-folder.ts";
import { currentDataVersion } from "../../../src/host/data-version.ts";
import { IMPORTS } from "../../../src/mailbox/imports/schema.ts";
import { BLOBS_WITHIN } from "../../../src/mailbox/messages/rows.ts";
import { SCHEMAS } from "../../../src/mailbox/schemas.ts";
import { MONITOR_MIGRATIONS } from "../../../src/metrics/schema.ts";
import { FakeData, tempFolder } from "./rig.ts";
import { backUpTo, restoreTo as restoreAsCommand } from "./rig-run.ts";

const ADA = "ada@mailkeep.test";
const MAILBOX_PARTS = path.resolve(import.meta.dirname, "../../../src/mailbox");

/** Restores the newest snapshot, of everything or of one mailbox. Resolves to a way to read the data folder. */
async function restoreTo(dataDir: string, dir: string, only: string | null = null) {
  await restoreAsCommand(dataDir, dir, only === null ? {} : { only });
  return (file: string, query: string): unknown[] => {
    const database = new DatabaseSync(path.join(dataDir, file));
    try {
      return database
        .prepare(query)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      database.close();
    }
  };
}

const versionText = (format: number): string =>
  JSON.stringify({ format, written_by: "9.8.7", readable_from: "9.8.0" });

describe("a backup of a mailbox", () => {
  /** The SELECTs with which the parts of a mailbox name their blobs when it ends. */
  async function selects(): Promise<string[]> {
    const files = readdirSync(MAILBOX_PARTS, { recursive: true, encoding: "utf8" });
    const modules: { BLOB_KEYS?: string }[] = await Promise.all(
      files
        .filter((file) => path.basename(file) === "rows.ts")
        .map((file) => import(path.join(MAILBOX_PARTS, file))),
    );
    return [...modules.flatMap(({ BLOB_KEYS }) => BLOB_KEYS ?? []), ...ofMessages()];
  }

  /** Messages name theirs in turns, a row with several keys. */
  function ofMessages(): string[] {
    const [, columns = ""] = /SELECT (.+) FROM content/.exec(BLOBS_WITHIN.text) ?? [];
    return columns
      .split(", ")
      .map((column) => `SELECT ${column} AS key FROM content WHERE ${column} IS NOT NULL`);
  }

  it("has every blob that the mailbox would erase at its end, but uploads and archives that are still arriving", async () => {
    const all = await selects();
    const tables = all.flatMap((text) => Array.from(text.matchAll(/\bFROM (\w+)/g), ([, table]) => table));
    expect(new Set(BLOB_COLUMNS.map(({ table }) => table))).toEqual(new Set(tables));
    const database = new DatabaseSync(":memory:");
    // A schema that was cut out of another one has its tables by the steps of that one.
    for (const { steps, madeBy } of SCHEMAS)
      if (madeBy === undefined) for (const step of steps) database.exec(step);
    database.exec(`INSERT INTO content (seq, detail, attachments, raw_key, parts_key, body_key) VALUES
        (1, '', '', 'raw/1', 'parts/1', 'body/1'), (2, '', '', 'rows:raw/2', NULL, NULL), (3, '', '', NULL, NULL, NULL);
      INSERT INTO upload VALUES ('a', 'upload/whole', '', '', 1, 'hash', 1, 1), ('b', 'upload/coming', '', '', 1, NULL, 1, 1);`);
    database.exec(`INSERT INTO refused_mail (id, digest, reason, verified, from_address, from_name, subject, size_bytes,
        received_at, expires_at, detail, raw_key) VALUES
        ('a', 'a', '', 0, '', '', '', 1, 1, 1, '', 'refused/large'), ('b', 'b', '', 0, '', '', '', 1, 1, 1, '', NULL);`);
    for (const status of ["receiving", "waiting", "running", "done", "failed"]) {
      database.exec(`INSERT INTO import (id, key, format, labels, size_bytes, status, created_at, due_at)
        VALUES ('${status}', 'import/${status}', '', '', 1, '${status}', 1, 1)`);
    }
    const erased = database
      .prepare(all.join(" UNION "))
      .all()
      .map(({ key }) => String(key));
    const taken = new Set(namedBlobs(database));
    database.close();
    expect(erased.filter((key) => !taken.has(key)).toSorted()).toEqual([
      "import/receiving",
      "rows:raw/2",
      "upload/coming",
    ]);
    expect(taken.size).toBe(erased.length - 3);
  });

  it("of an earlier release takes the blobs that its columns name", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE content (seq, raw_key); INSERT INTO content VALUES (1, 'raw/1')");
    expect(namedBlobs(database)).toEqual(["raw/1"]);
    database.close();
  });
});

describe("a restore", () => {
  it.each([null, mailboxFile(ADA)])(
    "refuses data of a newer version before it writes anything (%s)",
    async (only) => {
      const data = new FakeData();
      data.addMailbox(ADA);
      writeFileSync(path.join(data.dir, "version.json"), versionText(currentDataVersion().format + 1));
      const dir = tempFolder();
      await backUpTo(dir, data.dir, only === null ? {} : { only });
      const dataDir = path.join(tempFolder(), "data");
      await expect(restoreTo(dataDir, dir, only)).rejects.toThrow(
        `${dir} was written by Mailkeep 9.8.7. This is ${currentDataVersion().written_by}, which cannot read it; nothing was changed.`,
      );
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  it("of one mailbox refuses a folder of a newer version, and tells an older one that it now has newer data", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    const { format } = currentDataVersion();
    writeFileSync(path.join(data.dir, "version.json"), versionText(format));
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const target = new FakeData();
    const file = path.join(target.dir, "version.json");
    writeFileSync(file, versionText(format + 1));
    await expect(restoreTo(target.dir, dir, ada)).rejects.toThrow("Versions from 9.8.0 on can read it");
    expect(existsSync(path.join(target.dir, ada))).toBe(false);
    rmSync(file);
    await restoreTo(target.dir, dir, ada);
    expect(readFileSync(file, "utf8")).toBe(versionText(format));
  });

  it("goes on with an import whose archive the backup has, and ends one whose archive it lacks", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    const archive = randomBytes(5_000);
    data.addBlob(ada, "import/running", [archive]);
    data.change(ada, (database) => {
      database.exec("DELETE FROM content WHERE raw_key IS NOT NULL");
      for (const step of IMPORTS.steps) database.exec(step);
      for (const status of ["receiving", "waiting", "running"]) {
        database.exec(`INSERT INTO import (id, key, format, labels, size_bytes, status, cursor, created_at, due_at)
          VALUES ('${status}', 'import/${status}', 'tar', '[]', 5000, '${status}', 1024, 1, 2)`);
      }
    });
    const dir = tempFolder();
    expect((await backUpTo(dir, data.dir)).missing).toEqual(["import/waiting"]);
    const rows = await restoreTo(path.join(tempFolder(), "data"), dir);
    expect(
      rows(ada, "SELECT id, status, cursor, error, due_at > 2 AS later FROM import ORDER BY id"),
    ).toEqual([
      { id: "receiving", status: "receiving", cursor: 1_024, error: null, later: 0 },
      { id: "running", status: "running", cursor: 1_024, error: null, later: 0 },
      {
        id: "waiting",
        status: "failed",
        cursor: 1_024,
        error: expect.stringContaining("import it again"),
        later: 1,
      },
    ]);
    expect(rows(data.bucketFile, "SELECT key, size FROM _mf_objects")).toEqual([
      { key: "import/running", size: archive.byteLength },
    ]);
  });

  it("keeps all counts, and forgets what was waiting then and what the doctor found then", async () => {
    const data = new FakeData();
    const monitor = objectFile(MONITOR_FOLDER, "monitor");
    data.addMailbox(ADA);
    data.addObject(
      monitor,
      `${MONITOR_MIGRATIONS.map(({ sql }) => sql).join(";")};
      INSERT INTO figure VALUES ('total', 0, '{"mailkeep_receipts_total":[7]}');
      INSERT INTO activity VALUES ('ada', 1, 2, 3, 4, 5, 6, 7);
      INSERT INTO diagnosis VALUES (1, 8, '{}')`,
    );
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const rows = await restoreTo(path.join(tempFolder(), "data"), dir);
    expect(rows(monitor, "SELECT span, series FROM figure")).toEqual([
      { span: "total", series: '{"mailkeep_receipts_total":[7]}' },
    ]);
    for (const table of ["activity", "diagnosis"])
      expect(rows(monitor, `SELECT * FROM ${table}`)).toEqual([]);
  });
});
