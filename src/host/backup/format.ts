// The format of a backup folder: docs/backup.md describes it for readers without this program.
import * as z from "zod";

/** The version of the format. A program reads its own version and earlier ones, and refuses newer ones. */
export const FORMAT = 2;
/** The format of a folder, and of a snapshot without settings: earlier programs read these too. */
export const FIRST_FORMAT = 1;
/** Files are cut into chunks of this many bytes; the last chunk is shorter. A database page never spans two chunks. */
export const CHUNK_BYTES = 1_048_576;
/** The file by which a backup folder is recognized. */
export const HEADER_FILE = "mailkeep-backup.json";
/** A list names the manifest and all chunks of a snapshot with their SHA-256. It is written last and makes the snapshot exist. */
export const LIST_SUFFIX = ".sha256";
/** The most bytes of a manifest, unpacked: about two million files. A larger one is refused before it fills the memory. */
export const MAX_MANIFEST_BYTES = 1_073_741_824;

/** Damage of a backup or wrong use of it, printed as its message. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  /** `broken`: the backup is damaged. `failed`: the same command may succeed later. `usage`: another command is needed. */
  readonly kind: "broken" | "failed" | "usage";

  constructor(kind: BackupError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

export const HEADER = z.object({
  mailkeep_backup: z.int().positive(),
  id: z.string().regex(/^[0-9a-f]{32}$/),
  encrypted: z.boolean(),
  made_at: z.string().max(40),
});
export type Header = z.output<typeof HEADER>;

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const KEY = z.string().min(1).max(1_024);
const NUMBER_TEXT = z.string().regex(/^-?[0-9]{1,19}$/);
const CONTENT = {
  size: z.int().nonnegative(),
  /** SHA-256 of the whole file. */
  sha256: HASH,
  chunks: z.array(HASH),
};

/** The paths that a manifest may name: databases of objects and of the bucket, their alarms, and three files. */
export const PATH = z
  .string()
  .regex(
    /^(?:do\/mailkeep-[A-Za-z]{1,64}\/(?:[0-9a-f]{64}|metadata)\.sqlite|r2\/miniflare-R2BucketObject\/(?:[0-9a-f]{64}|metadata)\.sqlite|secrets\.json|version\.json|settings\.json)$/,
  );

export const SNAPSHOT_ID = /^\d{8}T\d{9}Z-(?:all|one)$/;

const HEAD = z.object({
  kind: z.literal("snapshot"),
  format: z.int().positive(),
  id: z.string().regex(SNAPSHOT_ID),
  begun_at: z.string().max(40),
  /** The secret of the names of chunks, in hex; null: names are plain SHA-256. */
  name_key: HASH.nullable(),
});
const FILE = z.object({
  kind: z.literal("file"),
  path: PATH,
  /** The moment whose state the file has. */
  at: z.string().max(40),
  ...CONTENT,
  /** The name that the runtime gave the object when it set an alarm; null: it has none. */
  name: z.string().max(4_096).nullable(),
  /** Keys of the blobs that a mailbox names. */
  blobs: z.array(KEY).optional(),
});
export const BLOB = z.object({
  kind: z.literal("blob"),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  key: KEY,
  ...CONTENT,
  /** Its row in the bucket's database, besides key and size. */
  row: z.object({
    version: z.string().max(256),
    etag: z.string().max(256),
    uploaded: NUMBER_TEXT,
    http_metadata: z.string().max(65_536),
    custom_metadata: z.string().max(65_536),
  }),
});
const END = z.object({ kind: z.literal("end"), entries: z.int().nonnegative() });

export type SnapshotHead = z.output<typeof HEAD>;
export type FileEntry = z.output<typeof FILE>;
export type BlobEntry = z.output<typeof BLOB>;
export type Entry = FileEntry | BlobEntry;

const LINE = z.discriminatedUnion("kind", [HEAD, FILE, BLOB, END]);

export interface Manifest {
  head: SnapshotHead;
  entries: Entry[];
}

/** The text of a manifest: one JSON value a line; the first tells what it is, and the last how many there are between. */
export function manifestText({ head, entries }: Manifest): string {
  const end = { kind: "end", entries: entries.length } as const;
  return [head, ...entries, end].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads a manifest, which may be damaged or hostile. Throws a {@link BackupError} that names the line. */
export function readManifest(text: string, where: string): Manifest {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw broken(where, "it is cut off");
  const [head, ...rest] = lines.map((line, at) => readLine(line, `${where}, line ${at + 1}`));
  const end = rest.pop();
  if (head?.kind !== "snapshot") throw broken(where, "its first line is not that of a snapshot");
  if (head.format > FORMAT) throw newer(where, head.format);
  if (end?.kind !== "end" || end.entries !== rest.length) throw broken(where, "it is cut off");
  const entries = rest.filter((entry) => entry.kind === "file" || entry.kind === "blob");
  if (entries.length < rest.length) throw broken(where, "a line is out of place");
  const names = new Set<string>();
  for (const entry of entries) {
    const name = nameOfEntry(entry);
    if (names.has(name)) throw broken(where, `it names ${name} twice`);
    names.add(name);
    if (entry.chunks.length !== Math.ceil(entry.size / CHUNK_BYTES))
      throw broken(where, `the size of ${name} does not fit its chunks`);
  }
  return { head, entries };
}

/** The name by which a message mentions a file of a manifest. */
export function nameOfEntry(entry: Entry): string {
  return entry.kind === "file" ? entry.path : `blob ${entry.key}`;
}

function readLine(line: string, where: string): z.output<typeof LINE> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw broken(where, "it is not JSON");
  }
  const read = LINE.safeParse(value);
  if (read.success) return read.data;
  const format = z.object({ kind: z.literal("snapshot"), format: z.int() }).safeParse(value);
  if (format.success && format.data.format > FORMAT) throw newer(where, format.data.format);
  const [issue] = read.error.issues;
  throw broken(where, `${issue?.path.join(".") || "the line"} is not as the format has it`);
}

/** Reads the header of a backup folder. Throws a {@link BackupError}. */
export function readHeader(text: string, where: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken(where, "it is not JSON");
  }
  const version = z.object({ mailkeep_backup: z.int() }).safeParse(value);
  if (version.success && version.data.mailkeep_backup > FIRST_FORMAT)
    throw newer(where, version.data.mailkeep_backup);
  const header = HEADER.safeParse(value);
  if (!header.success) throw broken(where, "it does not describe a backup");
  return header.data;
}

function newer(where: string, format: number): BackupError {
  return new BackupError(
    "usage",
    `${where} has format ${format}, and this version of mailkeep-server reads formats up to ${FORMAT}: use a newer version`,
  );
}

/** The error of a damaged file of a backup. */
export function broken(where: string, what: string): BackupError {
  return new BackupError("broken", `${where}: ${what}`);
}

/** The path of a chunk inside a backup folder. */
export function chunkPath(name: string, suffix: string): string {
  return `chunks/${name.slice(0, 2)}/${name}${suffix}`;
}

/** The id of a snapshot that begins now. Ids sort by time. */
export function newSnapshotId(now: Date, scope: "all" | "one"): string {
  return `${now.toISOString().replaceAll(/[-:.]/g, "")}-${scope}`;
}
