import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../whole-file.ts";
import type { BlobEntry, FileEntry } from "./format.ts";
import type { Signature } from "./image.ts";

/** Folder inside the data folder: state beside the data, and temporary copies of databases. */
export const STATE_FOLDER = "backup";
const VERSION = 1;

/** The result of the last run into one backup folder, by which unchanged files are not read again. Without it everything is read. */
export interface BackupState {
  version: number;
  /** The secret of the names of chunks in an encrypted backup. */
  name_key: string;
  /** The recipients of the encrypted backup, sorted; null before the first run ended. */
  recipients: string[] | null;
  /** Databases by path: the entry of each, and its signature at that time. */
  files: Record<string, { signature: Signature; entry: FileEntry }>;
  /** Blobs by key. A blob never changes. */
  blobs: Record<string, BlobEntry>;
}

/** The state for a backup folder, by the id in its header. */
export async function loadState(dataDir: string, id: string): Promise<BackupState> {
  try {
    const state: BackupState = JSON.parse(await readFile(fileOf(dataDir, id), "utf8"));
    if (state.version === VERSION) return state;
  } catch {
    // Missing or damaged: everything is read again, and an encrypted backup begins with new names.
  }
  return {
    version: VERSION,
    name_key: randomBytes(32).toString("hex"),
    recipients: null,
    files: {},
    blobs: {},
  };
}

/** Writes the state whole or not at all. */
export async function saveState(dataDir: string, id: string, state: BackupState): Promise<void> {
  const file = fileOf(dataDir, id);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, JSON.stringify(state));
}

function fileOf(dataDir: string, id: string): string {
  return path.join(dataDir, STATE_FOLDER, `${id}.json`);
}
