// Settings in a backup: the file of the settings, and the certificates and keys that it names. All of it is secret, so only an
// encrypted backup has it.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod";
import { isSet } from "../../config/check.ts";
import { ALL_SETTINGS } from "../../config/fault-lines.ts";
import { BackupError, broken } from "./format.ts";

/** The settings, among the files of a snapshot. */
export const SETTINGS_FILE = "settings.json";
/** The restored file of the settings, in the folder of restored settings. */
export const RESTORED_ENV = "mailkeep.env";

/** Variables that may name a file. */
const FILE_VARIABLES = [
  "TLS_CERT",
  "TLS_KEY",
  "SMTP_TLS_CERT",
  "SMTP_TLS_KEY",
  "DKIM_PRIVATE_KEY",
  "NODE_EXTRA_CA_CERTS",
] as const;
/** A chain of certificates has some KB. */
const MAX_FILE_CHARS = 1_000_000;

const TEXT = z.string().max(MAX_FILE_CHARS);
const SETTINGS = z.object({
  /** Lines of `NAME=value`. */
  env: TEXT,
  /** Absolute paths of the machine that was backed up. */
  files: z.array(z.object({ variable: z.enum(FILE_VARIABLES), path: z.string().max(4_096), text: TEXT })),
});
export type BackedUpSettings = z.output<typeof SETTINGS>;

/** Settings that a backup can hold, and what could not be read. */
export interface ReadSettings {
  settings: BackedUpSettings;
  /** Each as `VARIABLE path`. */
  unreadable: string[];
}

/** Reads the settings of a server: of its file, else those that the environment sets. Null if there are none. */
export async function readBackupSettings(
  env: Readonly<Record<string, string | undefined>>,
  envFile: string | null,
): Promise<ReadSettings | null> {
  const text = envFile === null ? linesOf(env) : await readFile(envFile, "utf8");
  const variables = envFile === null ? env : parseEnv(text);
  const named = FILE_VARIABLES.flatMap((variable) => {
    const value = variables[variable] ?? "";
    return value === "" || value.includes("-----BEGIN") ? [] : [{ variable, path: path.resolve(value) }];
  });
  if (text === "" && named.length === 0) return null;
  const files: BackedUpSettings["files"] = [];
  const unreadable: string[] = [];
  for (const file of named) {
    const contents = await readFile(file.path, "utf8").catch(() => null);
    if (contents === null || contents.length > MAX_FILE_CHARS)
      unreadable.push(`${file.variable} ${file.path}`);
    else files.push({ ...file, text: contents });
  }
  return { settings: { env: text, files }, unreadable };
}

/** The settings of an environment as the lines of a file. */
function linesOf(env: Readonly<Record<string, string | undefined>>): string {
  const names = Object.keys(ALL_SETTINGS).filter((name) => isSet(env, name));
  return names.map((name) => `${name}=${quoted(env[name] ?? "")}\n`).join("");
}

/** A value in quotes that it does not contain itself: nothing is escaped inside of them. */
function quoted(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  const quote = ["'", "`", '"'].find((one) => !value.includes(one)) ?? '"';
  return `${quote}${value}${quote}`;
}

/** Reads the settings of a snapshot. Throws a {@link BackupError}. */
export function parseBackupSettings(text: string): BackedUpSettings {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // It is refused below.
  }
  const read = SETTINGS.safeParse(value);
  if (read.success) return read.data;
  throw broken(SETTINGS_FILE, "it does not describe settings");
}

/** Where a restored file is, and where it was on the machine that was backed up. */
export interface RestoredSetting {
  file: string;
  was: string | null;
}

/** Throws a {@link BackupError} unless a folder is empty or missing. */
export async function refuseUnlessEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length > 0) throw new BackupError("usage", `--settings ${folder}: the folder is not empty`);
}

/** Writes settings into an empty folder that only its owner can read. The names of the files come from this program alone. */
export async function writeSettings(settings: BackedUpSettings, folder: string): Promise<RestoredSetting[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const restored: RestoredSetting[] = [];
  const write = async (name: string, text: string, was: string | null): Promise<void> => {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    restored.push({ file, was });
  };
  if (settings.env !== "") await write(RESTORED_ENV, settings.env, null);
  for (const { variable, path: was, text } of settings.files) await write(`${variable}.pem`, text, was);
  return restored;
}
