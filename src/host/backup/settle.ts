import type { DatabaseSync } from "node:sqlite";
import { locatorOf } from "../../contract/key.ts";
import { IMPORT_KEPT_MS } from "../../contract/moving.ts";
import { lastAfterRestore } from "../../lib/log-numbers.ts";
import {
  DIRECTORY_FOLDER,
  MAILBOX_FOLDER,
  MONITOR_FOLDER,
  allRows,
  columnsOf,
  hasTable,
  objectFile,
  openWritable,
} from "./data-folder.ts";

const MS_TO_NS = 1_000_000n;
/** The key of the alarm in an object's own table. */
const ALARM_KEY = 1;

/** Facts about a restore that decide how an object is prepared. */
export interface Settling {
  path: string;
  /** When the snapshot was taken. */
  at: string;
  nowMs: number;
  /** Whether messages that were waiting may be sent, because nothing was sent after the backup. */
  sendsAgain: boolean;
  /** Whether the directory lists a mailbox. */
  isListed(address: string): boolean;
  /** Whether the bucket will have a blob. */
  hasBlob: (key: string) => boolean;
}

/** The result for one object. */
export interface Settled {
  /** When its alarm rings, in ns since 1970; null = never. */
  alarm: bigint | null;
  /** The name of a mailbox's object; null for other objects. */
  name: string | null;
  /** Recipients whose message may have been sent since the backup. */
  uncertain: number;
}

/** Prepares the restored database of an object for the time that has passed since its backup. */
export function settle(file: string, settling: Settling): Settled {
  const database = openWritable(file);
  try {
    const isMailbox = settling.path.startsWith(`${MAILBOX_FOLDER}/`) && hasTable(database, "account");
    const address = isMailbox ? addressOf(database) : null;
    const uncertain = address === null ? 0 : settleMailbox(database, address, settling);
    if (settling.path.startsWith(`${MONITOR_FOLDER}/`)) settleMonitor(database);
    return {
      alarm: alarmOf(database),
      name: address === null ? null : locatorOf(address),
      uncertain,
    };
  } finally {
    database.close();
  }
}

/** The address of a mailbox; null if there is none. */
export function addressOf(database: DatabaseSync): string | null {
  if (!hasTable(database, "account")) return null;
  const [account] = allRows(database, "SELECT address FROM account");
  return account === undefined ? null : String(account["address"]);
}

function settleMailbox(database: DatabaseSync, address: string, settling: Settling): number {
  database.exec("BEGIN");
  const columns = columnsOf(database, "account");
  // A mailbox of a release without this column gets it when it is opened, with the number of its last entry.
  if (columns.has("last_event")) setLastEvent(database, lastAfterRestore);
  if (columns.has("directory_due") && !settling.isListed(address)) {
    database.prepare("UPDATE account SET directory_due = ?").run(settling.nowMs);
    setAlarm(database, BigInt(settling.nowMs) * MS_TO_NS);
  }
  const uncertain = settling.sendsAgain ? 0 : holdSends(database, settling);
  endImports(database, settling);
  database.exec("COMMIT");
  return uncertain;
}

/** Sets the newest number of a mailbox's log from what it is. */
export function setLastEvent(database: DatabaseSync, next: (last: number) => number): void {
  const [account] = allRows(database, "SELECT last_event FROM account");
  if (account === undefined) return;
  database.prepare("UPDATE account SET last_event = ?").run(next(Number(account["last_event"])));
}

/**
 * Marks the recipients of waiting messages as `unknown`: the server may have sent them after the backup. Nothing more is
 * tried for them.
 */
function holdSends(database: DatabaseSync, { at, nowMs }: Settling): number {
  if (!hasTable(database, "outbox") || !hasTable(database, "recipient")) return 0;
  const columns = columnsOf(database, "outbox");
  const waiting = "SELECT seq FROM recipient WHERE state IN ('queued', 'handing', 'ending')";
  database.exec(`UPDATE message SET status = 'unknown' WHERE status = 'queued' AND seq IN (${waiting})`);
  const dues = ["due_at", "inside_due_at"].filter((column) => columns.has(column));
  const none = dues.map((column) => `${column} = NULL`).join(", ");
  database.exec(`UPDATE outbox SET ${none} WHERE seq IN (${waiting})`);
  const { changes } = database
    .prepare(
      "UPDATE recipient SET state = 'unknown', at = ?, diagnostic = ? WHERE state IN ('queued', 'handing', 'ending')",
    )
    .run(nowMs, `restored from the backup of ${at}: it may have been sent after that`);
  return Number(changes);
}

/** Ends imports whose archive the backup does not have. Others go on from where they were. */
function endImports(database: DatabaseSync, { at, nowMs, hasBlob }: Settling): void {
  if (!hasTable(database, "import")) return;
  const end = database.prepare("UPDATE import SET status = 'failed', error = ?, due_at = ? WHERE id = ?");
  const why = `The mailbox was restored from the backup of ${at}, which lacks the archive: import it again`;
  for (const row of allRows(database, "SELECT id, key FROM import WHERE status IN ('waiting', 'running')")) {
    const [id, key] = [String(row["id"]), String(row["key"])];
    if (!key.startsWith("rows:") && !hasBlob(key)) end.run(why, nowMs + IMPORT_KEPT_MS, id);
  }
}

/**
 * Removes what was true only at the time of the backup: the work that waited in mailboxes, which tell of theirs again, and what
 * the doctor found. The counts stay; Prometheus takes lower ones for a new start. A halt of all sending stays too.
 */
function settleMonitor(database: DatabaseSync): void {
  for (const table of ["activity", "diagnosis"])
    if (hasTable(database, table)) database.exec(`DELETE FROM ${table}`);
}

function alarmOf(database: DatabaseSync): bigint | null {
  if (!hasTable(database, "_cf_METADATA")) return null;
  const [alarm] = allRows(database, `SELECT value FROM _cf_METADATA WHERE key = ${ALARM_KEY}`);
  return typeof alarm?.["value"] === "bigint" ? alarm["value"] : null;
}

/** Sets the alarm of an object, unless an earlier one is set. */
function setAlarm(database: DatabaseSync, atNs: bigint): void {
  const earlier = alarmOf(database);
  if (earlier !== null && earlier <= atNs) return;
  database.exec("CREATE TABLE IF NOT EXISTS _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)");
  database.prepare("INSERT OR REPLACE INTO _cf_METADATA (key, value) VALUES (?, ?)").run(ALARM_KEY, atNs);
}

/** The addresses that a restored part of the directory lists. */
export function listedAddresses(file: string): string[] {
  const database = openWritable(file);
  try {
    if (!hasTable(database, "entry")) return [];
    return allRows(database, "SELECT address FROM entry").map(({ address }) => String(address));
  } finally {
    database.close();
  }
}

/** Removes from a part of the directory the mailboxes that the snapshot lacks: they were created after the backup had read all mailboxes. */
export function unlistMissing(file: string, path: string, files: ReadonlySet<string>): void {
  if (!path.startsWith(`${DIRECTORY_FOLDER}/`)) return;
  const missing = listedAddresses(file).filter(
    (address) => !files.has(objectFile(MAILBOX_FOLDER, locatorOf(address))),
  );
  const database = openWritable(file);
  try {
    for (const address of missing) database.prepare("DELETE FROM entry WHERE address = ?").run(address);
  } finally {
    database.close();
  }
}

/** When the alarm of an object rings, in ns since 1970, by its own database; null: never. */
export function alarmOfFile(file: string): bigint | null {
  const database = openWritable(file, false);
  try {
    return alarmOf(database);
  } finally {
    database.close();
  }
}

/** An alarm in the list of a class. */
export interface Alarm {
  /** The id of the object. */
  id: string;
  /** In ns since 1970. */
  at: bigint;
  name: string | null;
}

/** This is workerd's table; it is missing if workerd never stored an alarm here. */
const ALARM_TABLE =
  "CREATE TABLE IF NOT EXISTS _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID";
const PUT_ALARM = "INSERT OR REPLACE INTO _cf_ALARM (actor_id, scheduled_time, actor_name) VALUES (?, ?, ?)";

/** Writes the alarms of restored objects into a database from a snapshot, which loses all others. */
export function writeAlarms(file: string, alarms: readonly Alarm[]): void {
  const database = openWritable(file);
  try {
    database.exec("BEGIN");
    database.exec(ALARM_TABLE);
    database.exec("DELETE FROM _cf_ALARM");
    const insert = database.prepare(PUT_ALARM);
    for (const { id, at, name } of alarms) insert.run(id, at, name);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

/** Sets the alarm of one object in the list of a stopped server, or removes it. */
export function writeAlarm(file: string, { id, at, name }: Omit<Alarm, "at"> & { at: bigint | null }): void {
  const database = openWritable(file, false);
  try {
    database.exec(ALARM_TABLE);
    if (at === null) database.prepare("DELETE FROM _cf_ALARM WHERE actor_id = ?").run(id);
    else database.prepare(PUT_ALARM).run(id, at, name);
  } finally {
    database.close();
  }
}
