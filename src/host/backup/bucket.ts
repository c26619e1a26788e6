import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fileOfKey, isDiskKey } from "../../lib/disk-key.ts";
import { allRows, columnsOf, hasTable, namesIn, openWritable } from "./data-folder.ts";
import type { BlobEntry } from "./format.ts";
import { withImage } from "./image.ts";

/** A blob: its row in the local bucket, and its files in order. */
export interface StoredBlob {
  key: string;
  size: number;
  row: BlobEntry["row"];
  /** Names of its files. A blob that was uploaded in parts has several. */
  files: string[];
}

/** Stands for the row of a blob that is a file and has none. */
const NO_ROW: BlobEntry["row"] = {
  version: "",
  etag: "",
  uploaded: "0",
  http_metadata: "{}",
  custom_metadata: "{}",
};

/** The columns of a blob's row, without key and size. */
export const ROW_COLUMNS = ["version", "etag", "uploaded", "http_metadata", "custom_metadata"] as const;

/**
 * Columns that name blobs in the database of a mailbox, with the rows that count: all but uploads and archives that are still
 * arriving. Nobody was told that those are stored, and a restored mailbox erases them when their time is over.
 */
export const BLOB_COLUMNS = [
  { table: "content", column: "raw_key", rows: "raw_key IS NOT NULL" },
  { table: "content", column: "parts_key", rows: "parts_key IS NOT NULL" },
  { table: "content", column: "body_key", rows: "body_key IS NOT NULL" },
  { table: "refused_mail", column: "raw_key", rows: "raw_key IS NOT NULL" },
  { table: "upload", column: "key", rows: "sha256 IS NOT NULL" },
  { table: "import", column: "key", rows: "status IN ('waiting', 'running')" },
] as const;

/**
 * The keys of the bucket's blobs that a mailbox names. Blobs in rows (`rows:…`) are in its database already. `schema` is the
 * name of an attached database.
 */
export function namedBlobs(database: DatabaseSync, schema = "main"): string[] {
  const keys = BLOB_COLUMNS.flatMap(({ table, column, rows }) =>
    // A mailbox that has not been opened since an earlier release lacks the columns of later ones.
    columnsOf(database, table, schema).has(column)
      ? allRows(database, `SELECT ${column} AS key FROM ${schema}.${table} WHERE ${rows}`)
      : [],
  );
  return [...new Set(keys.map(({ key }) => String(key)))].filter((key) => !key.startsWith("rows:"));
}

/** The keys of the bucket's blobs that an attached mailbox has reserved or would erase later. */
export function plannedErasures(database: DatabaseSync, schema: string): string[] {
  const tables = ["blob_to_erase", "late_blob"].filter((table) => hasTable(database, table, schema));
  const keys = tables.flatMap((table) => allRows(database, `SELECT key FROM ${schema}.${table}`));
  return keys.map(({ key }) => String(key)).filter((key) => !key.startsWith("rows:"));
}

/**
 * Writes the rows of restored blobs into a database of the local bucket. A draft came from the snapshot and loses its other rows.
 *
 * @returns false if the database has no tables yet.
 */
export function writeBlobRows(file: string, blobs: readonly BlobEntry[], isDraft: boolean): boolean {
  const database = openWritable(file, isDraft);
  try {
    if (!hasTable(database, "_mf_objects")) return false;
    database.exec("BEGIN");
    if (isDraft)
      for (const table of ["_mf_multipart_parts", "_mf_multipart_uploads", "_mf_objects"])
        database.exec(`DELETE FROM ${table}`);
    const insert = database.prepare(
      `INSERT OR REPLACE INTO _mf_objects (key, blob_id, size, checksums, ${ROW_COLUMNS.join(", ")})
        VALUES (?, ?, ?, '{}', ?, ?, CAST(? AS INTEGER), ?, ?)`,
    );
    for (const blob of blobs) {
      if (isDiskKey(blob.key)) continue;
      const values = ROW_COLUMNS.map((column) => blob.row[column]);
      insert.run(blob.key, restoredBlobFile(blob), blob.size, ...values);
    }
    database.exec("COMMIT");
    return true;
  } finally {
    database.close();
  }
}

const FILES_OF_KEY = `SELECT blob_id AS file FROM _mf_objects WHERE key = ? AND blob_id IS NOT NULL
  UNION SELECT blob_id FROM _mf_multipart_parts
    WHERE object_key = ? OR upload_id IN (SELECT upload_id FROM _mf_multipart_uploads WHERE key = ?)`;
const FORGET_KEY = [
  "DELETE FROM _mf_multipart_parts WHERE object_key = ? OR upload_id IN (SELECT upload_id FROM _mf_multipart_uploads WHERE key = ?)",
  "DELETE FROM _mf_multipart_uploads WHERE key = ?",
  "DELETE FROM _mf_objects WHERE key = ?",
] as const;

/** The names of the files of blobs in a database of the local bucket. No workerd may run. */
export function filesOfKeys(file: string, keys: readonly string[]): string[] {
  return inBucket(file, (database) => {
    const find = database.prepare(FILES_OF_KEY);
    return keys.flatMap((key) => find.all(key, key, key).map((row) => String(row["file"])));
  });
}

/** Removes the rows of blobs from a database of the local bucket, but not their files. No workerd may run. */
export function forgetKeys(file: string, keys: readonly string[]): void {
  inBucket(file, (database) => {
    database.exec("BEGIN");
    for (const query of FORGET_KEY) {
      const forget = database.prepare(query);
      const count = query.split("?").length - 1;
      for (const key of keys) forget.run(...Array<string>(count).fill(key));
    }
    database.exec("COMMIT");
    return [];
  });
}

/** Nothing, if the bucket has no such database or it has no tables yet. */
function inBucket(file: string, work: (database: DatabaseSync) => string[]): string[] {
  if (!existsSync(file)) return [];
  const database = openWritable(file, false);
  try {
    return hasTable(database, "_mf_objects") ? work(database) : [];
  } finally {
    database.close();
  }
}

/** Finds the files of blobs. The bucket's database is read again when it does not have a key. */
export class BucketReader {
  readonly #dataDir: string;
  readonly #databases: readonly string[];
  readonly #scratch: string;
  #blobs: Map<string, StoredBlob> | null = null;
  #reading: Promise<Map<string, StoredBlob>> | null = null;

  constructor(dataDir: string, databases: readonly string[], scratch: string) {
    this.#dataDir = dataDir;
    this.#databases = databases.filter((file) => !file.endsWith("/metadata.sqlite"));
    this.#scratch = scratch;
  }

  /** Null if there is no such blob. */
  async find(key: string): Promise<StoredBlob | null> {
    if (isDiskKey(key)) return this.#findFile(key);
    return this.#blobs?.get(key) ?? (await this.#read()).get(key) ?? null;
  }

  /** The name of the bucket that has a blob, and the paths of its files. Null if a file is gone. */
  async filesOf({ files }: Pick<StoredBlob, "files">): Promise<{ bucket: string; paths: string[] } | null> {
    for (const bucket of await namesIn(path.join(this.#dataDir, "r2"))) {
      const paths = files.map((file) => path.join(this.#dataDir, "r2", bucket, "blobs", file));
      const found = await Promise.all(paths.map(isFile));
      if (paths.length > 0 && found.every(Boolean)) return { bucket, paths };
    }
    return null;
  }

  async #findFile(key: string): Promise<StoredBlob | null> {
    const file = fileOfKey(key);
    const place = await this.filesOf({ files: [file] });
    const size = place === null ? null : await sizeOf(place.paths[0] ?? "");
    return size === null ? null : { key, size, row: NO_ROW, files: [file] };
  }

  /** Calls at the same time share one reading. */
  #read(): Promise<Map<string, StoredBlob>> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readAll(): Promise<Map<string, StoredBlob>> {
    const blobs = new Map<string, StoredBlob>();
    for (const file of this.#databases) {
      await withImage(path.join(this.#dataDir, file), this.#scratch, async (image) => {
        const database = image.open();
        try {
          if (!hasTable(database, "_mf_objects")) return;
          for (const blob of readBlobs(database)) blobs.set(blob.key, blob);
        } finally {
          database.close();
        }
      });
    }
    this.#blobs = blobs;
    return blobs;
  }
}

function readBlobs(database: DatabaseSync): StoredBlob[] {
  const parts = new Map<string, string[]>();
  const ofParts = "SELECT object_key, blob_id FROM _mf_multipart_parts WHERE object_key IS NOT NULL";
  for (const { object_key, blob_id } of allRows(database, `${ofParts} ORDER BY object_key, part_number`)) {
    const key = String(object_key);
    parts.set(key, [...(parts.get(key) ?? []), String(blob_id)]);
  }
  return allRows(database, `SELECT key, blob_id, size, ${ROW_COLUMNS.join(", ")} FROM _mf_objects`).map(
    (row) => {
      const key = String(row["key"]);
      return {
        key,
        size: Number(row["size"]),
        row: {
          version: String(row["version"]),
          etag: String(row["etag"]),
          uploaded: String(row["uploaded"]),
          http_metadata: String(row["http_metadata"]),
          custom_metadata: String(row["custom_metadata"]),
        },
        files: row["blob_id"] === null ? (parts.get(key) ?? []) : [String(row["blob_id"])],
      };
    },
  );
}

/** The name of the file that a restored blob gets: the same at each restore, so that a repeated one leaves no second file. */
export function restoredBlobFile(entry: BlobEntry): string {
  if (isDiskKey(entry.key)) return fileOfKey(entry.key);
  return createHash("sha256").update(`${entry.key}\n${entry.sha256}`).digest("hex");
}

async function isFile(file: string): Promise<boolean> {
  return (await sizeOf(file)) !== null;
}

/** The size of a file; null if it was erased meanwhile, or is in another bucket's folder. */
async function sizeOf(file: string): Promise<number | null> {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
