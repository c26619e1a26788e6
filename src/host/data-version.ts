import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { VERSION } from "../contract/product.ts";
import { Refusal } from "./refusal.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * The formats of stored data, the newest last, each with the first version that wrote it. A version reads every format up to
 * its own. A format is added with the first migration after a release (docs/contributing.md#add-a-migration).
 */
export const FORMATS = [
  { format: 1, since: "0.1.0" },
  { format: 2, since: "0.2.0" },
] as const;

/** The file in the data folder that says which version wrote it. Folders of versions before 0.2.0 have none. */
export const VERSION_FILE = "version.json";

/** The contents of that file. */
export interface DataVersion {
  /** The format of the data. */
  format: number;
  /** The version that last opened the folder. */
  written_by: string;
  /** The oldest version that can read the folder. */
  readable_from: string;
}

const VERSION_TEXT = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/);
const STORED: z.ZodType<DataVersion> = z.object({
  format: z.int().positive(),
  written_by: VERSION_TEXT,
  readable_from: VERSION_TEXT,
});

/** The contents of the file as this version writes them. */
export function currentDataVersion(): DataVersion {
  const { format, since } = FORMATS[FORMATS.length - 1] ?? { format: 1, since: VERSION };
  return { format, written_by: VERSION, readable_from: since };
}

/** Reads which version wrote a data folder; null for a new folder and for one of a version before 0.2.0. */
export function readDataVersion(dataDir: string): DataVersion | null {
  const file = path.join(dataDir, VERSION_FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // If the folder cannot be used at all, locking it will fail with the reason.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
    throw new Refusal(`${file} cannot be read: make it readable for the user of this server`);
  }
  const stored = parseDataVersion(text);
  if (stored === null) {
    throw new Refusal(
      `${file} is damaged, so it is unknown which version wrote the data: restore the file from a backup`,
    );
  }
  return stored;
}

/** Reads the text of a version file; null if it is damaged. */
export function parseDataVersion(text: string): DataVersion | null {
  try {
    const stored = STORED.safeParse(JSON.parse(text));
    return stored.success ? stored.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}

/** Throws a {@link Refusal} for a data folder that only a newer version can read. Changes nothing. */
export function refuseNewerData(dataDir: string): void {
  const stored = readDataVersion(dataDir);
  if (stored !== null) refuseNewerVersion(stored, { name: dataDir, command: "npm start" });
}

/** Throws a {@link Refusal} for data that only a newer version can read. `command` is what that version is to run. */
export function refuseNewerVersion(
  { format, written_by, readable_from }: DataVersion,
  { name, command }: { name: string; command: string },
): void {
  if (format <= currentDataVersion().format) return;
  throw new Refusal(
    [
      `${name} was written by Mailkeep ${written_by}. This is ${VERSION}, which cannot read it; nothing was changed.`,
      `Versions from ${readable_from} on can read it. In the repository: git pull && ${command}`,
    ].join("\n"),
  );
}

/**
 * Notes in a data folder that this version writes to it. The caller holds the lock and has written nothing else yet. The file is
 * written whole or not at all, and is on disk when the function returns.
 */
export async function writeDataVersion(dataDir: string): Promise<void> {
  const file = path.join(dataDir, VERSION_FILE);
  const text = `${JSON.stringify(currentDataVersion(), null, 2)}\n`;
  if (JSON.stringify(readDataVersion(dataDir)) === JSON.stringify(currentDataVersion())) return;
  await writeWhole(file, text);
}
