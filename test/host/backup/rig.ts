import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { BUCKET_FOLDER, mailboxFile, objectFile } from "../../../src/host/backup/data-folder.ts";
import { fileOfKey, isDiskKey } from "../../../src/lib/disk-key.ts";
import { directoryShard } from "../../../src/contract/directory.ts";

export const BUCKET = "mailkeep-blobs";
/** The columns that a backup reads or a restore changes, as a mailbox has them. */
const MAILBOX_TABLES = `
CREATE TABLE account (one INTEGER PRIMARY KEY, address TEXT NOT NULL, last_event INTEGER NOT NULL, directory_due INTEGER);
CREATE TABLE message (seq INTEGER PRIMARY KEY, status TEXT NOT NULL);
CREATE TABLE content (seq INTEGER PRIMARY KEY, raw BLOB, raw_key TEXT, parts_key TEXT, body_key TEXT);
CREATE TABLE outbox (seq INTEGER PRIMARY KEY, due_at INTEGER, inside_due_at INTEGER);
CREATE TABLE recipient (seq INTEGER, position INTEGER, state TEXT, at INTEGER, diagnostic TEXT, PRIMARY KEY (seq, position));
CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB);`;
const BUCKET_TABLES = `
CREATE TABLE _mf_objects (key TEXT PRIMARY KEY, blob_id TEXT, version TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
  uploaded INTEGER NOT NULL, checksums TEXT NOT NULL, http_metadata TEXT NOT NULL, custom_metadata TEXT NOT NULL);
CREATE TABLE _mf_multipart_uploads (upload_id TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE _mf_multipart_parts (upload_id TEXT, part_number INTEGER, blob_id TEXT NOT NULL, object_key TEXT);`;

/** A folder that is removed after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A data folder as a stopped server leaves it, with as many tables as a backup knows. */
export class FakeData {
  readonly dir = path.join(tempFolder(), "data");

  constructor() {
    this.#write(
      "do/mailkeep-Mailbox/metadata.sqlite",
      "CREATE TABLE _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID",
    );
    this.#write(this.bucketFile, BUCKET_TABLES);
    writeFileSync(path.join(this.dir, "secrets.json"), `{"auth_token":"${"t".repeat(32)}"}`);
  }

  get bucketFile(): string {
    return `${BUCKET_FOLDER}/${"ab".repeat(32)}.sqlite`;
  }

  /** Adds a mailbox with one message, listed or not. */
  addMailbox(address: string, options: { raw?: Buffer; isListed?: boolean } = {}): string {
    const file = mailboxFile(address);
    this.#write(file, MAILBOX_TABLES);
    this.change(file, (database) => {
      database.prepare("INSERT INTO account VALUES (1, ?, 7, NULL)").run(address);
      database.exec("INSERT INTO message VALUES (1, 'received')");
      database.prepare("INSERT INTO content (seq, raw) VALUES (1, ?)").run(options.raw ?? randomBytes(3_000));
    });
    if (options.isListed !== false) this.list(address);
    return file;
  }

  /** Adds the database of another object. */
  addObject(file: string, script: string): void {
    this.#write(file, script);
  }

  list(address: string): void {
    const file = objectFile("do/mailkeep-Directory", directoryShard(address));
    this.#write(file, "CREATE TABLE IF NOT EXISTS entry (address TEXT PRIMARY KEY)");
    this.change(file, (database) => void database.prepare("INSERT INTO entry VALUES (?)").run(address));
  }

  /** Adds a blob whose key the message of a mailbox names. */
  addBlob(file: string, key: string, parts: readonly Buffer[]): void {
    const folder = path.join(this.dir, "r2", BUCKET, "blobs");
    mkdirSync(folder, { recursive: true });
    if (isDiskKey(key)) writeFileSync(path.join(folder, fileOfKey(key)), Buffer.concat(parts));
    else this.#addObject(folder, key, parts);
    this.change(
      file,
      (database) =>
        void database
          .prepare("INSERT INTO content (seq, raw_key) VALUES ((SELECT max(seq) + 1 FROM content), ?)")
          .run(key),
    );
  }

  /** Adds an object of the bucket. */
  #addObject(folder: string, key: string, parts: readonly Buffer[]): void {
    const names = parts.map((part) => {
      const name = randomBytes(20).toString("hex");
      writeFileSync(path.join(folder, name), part);
      return name;
    });
    const size = parts.reduce((sum, part) => sum + part.byteLength, 0);
    this.change(this.bucketFile, (database) => {
      const [only] = names;
      database
        .prepare("INSERT INTO _mf_objects VALUES (?, ?, 'v', ?, 'e', 1797971862453, '{}', '{}', '{}')")
        .run(key, names.length === 1 && only !== undefined ? only : null, size);
      if (names.length > 1)
        for (const [at, name] of names.entries())
          database.prepare("INSERT INTO _mf_multipart_parts VALUES ('u', ?, ?, ?)").run(at + 1, name, key);
    });
  }

  change<T>(file: string, work: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(path.join(this.dir, file));
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  #write(file: string, script: string): void {
    const full = path.join(this.dir, file);
    mkdirSync(path.dirname(full), { recursive: true });
    this.change(file, (database) => database.exec(`PRAGMA journal_mode = WAL; ${script}`));
  }
}
