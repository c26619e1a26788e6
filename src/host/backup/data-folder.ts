import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SQLOutputValue } from "node:sqlite";
import { locatorOf } from "../../contract/key.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { BackupError } from "./format.ts";
import { withImage } from "./image.ts";
import type { Image } from "./image.ts";

/** The name of the worker in front of the names of its classes, in the folders below `do/`. */
const WORKER = "mailkeep";
export const MAILBOX_FOLDER = `do/${WORKER}-Mailbox`;
export const DIRECTORY_FOLDER = `do/${WORKER}-Directory`;
export const MONITOR_FOLDER = `do/${WORKER}-Monitor`;
/** Beside the databases of a class: its alarms. */
export const ALARMS_FILE = "metadata.sqlite";
/** Says which version wrote the data folder, so that an older one refuses it. */
export const VERSION_FILE = "version.json";
export const SECRETS_FILE = "secrets.json";
export const BUCKET_FOLDER = "r2/miniflare-R2BucketObject";
const DATABASE = /^[0-9a-f]{64}\.sqlite$/;
const ID_BYTES = 16;

/** The databases of a data folder, by their paths inside it. */
export interface DataFolder {
  /** Databases of objects, the directory last, so that it lists no mailbox that had ended before the backup read it. */
  objects: string[];
  /** The alarms of each class. */
  alarms: string[];
  /** The databases of the bucket. */
  bucket: string[];
}

/** Throws a {@link BackupError} for a folder that is no data folder: with `--keep`, an empty snapshot would replace a good one. */
export function expectDataFolder(dataDir: string): void {
  if (!existsSync(path.join(dataDir, "do")))
    throw new BackupError(
      "usage",
      `${dataDir} holds no data of a server: set DATA_DIR, or --data-dir, to the server's data folder`,
    );
}

/** Lists the databases of a data folder. */
export async function listDataFolder(dataDir: string): Promise<DataFolder> {
  const classes = (await namesIn(path.join(dataDir, "do"))).filter((name) => name.startsWith(`${WORKER}-`));
  const folders = classes.map((name) => `do/${name}`);
  const ordered = [
    ...folders.filter((folder) => folder !== DIRECTORY_FOLDER),
    ...folders.filter((folder) => folder === DIRECTORY_FOLDER),
  ];
  const objects: string[] = [];
  const alarms: string[] = [];
  for (const folder of ordered) {
    for (const name of await namesIn(path.join(dataDir, folder))) {
      if (DATABASE.test(name)) objects.push(`${folder}/${name}`);
      else if (name === ALARMS_FILE) alarms.push(`${folder}/${name}`);
    }
  }
  const bucket = (await namesIn(path.join(dataDir, BUCKET_FOLDER)))
    .filter((name) => DATABASE.test(name) || name === ALARMS_FILE)
    .map((name) => `${BUCKET_FOLDER}/${name}`);
  return { objects, alarms, bucket };
}

/** The file of the object with a name. Its id is derived as the local runtime does: a keyed digest of the name, then a digest of that. */
export function objectFile(folder: string, name: string): string {
  const key = createHash("sha256").update(path.posix.basename(folder)).digest();
  const digest = (text: string | Buffer): Buffer =>
    createHmac("sha256", key).update(text).digest().subarray(0, ID_BYTES);
  const id = digest(name);
  return `${folder}/${id.toString("hex")}${digest(id).toString("hex")}.sqlite`;
}

/** The file of the mailbox with an address. Throws a {@link BackupError} if it is none. */
export function mailboxFile(address: string): string {
  const canonical = canonicalAddress(address);
  if (canonical === null) throw new BackupError("usage", `--mailbox ${address}: must be an email address`);
  return objectFile(MAILBOX_FOLDER, locatorOf(canonical));
}

/** Adds the names of objects with an alarm, by the paths of their databases. */
export async function readAlarmNames(
  dataDir: string,
  files: readonly string[],
  scratch: string,
  names: Map<string, string>,
): Promise<void> {
  for (const file of files) {
    await withImage(path.join(dataDir, file), scratch, async (image) => {
      for (const { actor_id, actor_name } of rowsOf(image, "_cf_ALARM", "actor_id, actor_name")) {
        if (typeof actor_name === "string")
          names.set(`${path.posix.dirname(file)}/${String(actor_id)}.sqlite`, actor_name);
      }
    });
  }
}

/** Opens a database for writing. The file is synced once, when it is complete, and not by each transaction. */
export function openWritable(file: string, isDraft = true): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA synchronous = ${isDraft ? "OFF" : "FULL"}`);
  return database;
}

/** A row as SQLite gives it. */
export type Row = Record<string, SQLOutputValue>;

/** Rows of a table of an image; none if it has no such table. */
export function rowsOf(image: Image, table: string, columns: string): Row[] {
  const database = image.open();
  try {
    return hasTable(database, table) ? allRows(database, `SELECT ${columns} FROM ${table}`) : [];
  } finally {
    database.close();
  }
}

/** All rows of a query, integers as bigint. */
export function allRows(database: DatabaseSync, query: string): Row[] {
  const statement = database.prepare(query);
  statement.setReadBigInts(true);
  return statement.all();
}

/** Whether a database has a table. `schema` is the name of an attached database. */
export function hasTable(database: DatabaseSync, table: string, schema = "main"): boolean {
  const query = `SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = ?`;
  return database.prepare(query).get(table) !== undefined;
}

/** The columns of a table; none if there is no such table. `schema` is the name of an attached database. */
export function columnsOf(database: DatabaseSync, table: string, schema = "main"): ReadonlySet<string> {
  const columns = allRows(database, `SELECT name FROM pragma_table_info('${table}', '${schema}')`);
  return new Set(columns.map(({ name }) => String(name)));
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
