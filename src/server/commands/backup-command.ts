// Shared by backup, restore and verify: arguments, output, exit codes.
import { setPriority } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsConfig } from "node:util";
import { Output } from "../../cli/terminal/output.ts";
import { BackupError } from "../../host/backup/format.ts";
import type { Repository } from "../../host/backup/repository.ts";
import { Refusal } from "../../host/refusal.ts";
import type { CommandContext } from "../command.ts";

/** The exit code of each kind of failure. */
export const EXIT = { done: 0, failed: 1, usage: 2, broken: 9 } as const;
/** The priority (nice) of the commands: a server on the same machine goes first. */
const NICE = 10;
const PROGRESS_MS = 1_000;
/** Programs get progress less often than people. */
const PROGRESS_JSON_MS = 10_000;
const CLEAR = "\r\x1b[K";
const MIB = 1_048_576;

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The arguments of a command: one folder (or `-`), and options. Throws a {@link Refusal}. */
export function readWords<Known extends Options>(name: string, words: readonly string[], options: Known) {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Refusal(
      `${error instanceof Error ? error.message : String(error)}; try mailkeep-server ${name} --help`,
    );
  }
  const [place, ...more] = parsed.positionals;
  if (place === undefined || more.length > 0)
    throw new Refusal(`mailkeep-server ${name} needs one folder, or -; try mailkeep-server ${name} --help`);
  return { place, values: parsed.values };
}

/** The data folder of the server: the option `--data-dir`, else the variable DATA_DIR, else `data`. */
export function dataDirOf(option: string | undefined, { env }: CommandContext): string {
  return path.resolve(option ?? (env["DATA_DIR"] || "data"));
}

/** A whole number from 1; null if the option is not given. Throws a {@link Refusal}. */
export function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Refusal(`--${name} ${text}: must be a whole number from 1`);
  return Number(text);
}

/** The output of a command. If stdout carries an archive, all text goes to stderr. */
export function outputOf({ stdout, stderr, env }: CommandContext, json: boolean, isArchive = false): Output {
  return new Output({ stdout: isArchive ? stderr : stdout, stderr, env, json });
}

/** Runs a command at low priority; prints what failed and resolves to the exit code. */
export async function exitCodeOf(context: CommandContext, work: () => Promise<number>): Promise<number> {
  try {
    setPriority(NICE);
  } catch {
    // Without that right, the command keeps the priority that it has.
  }
  try {
    return await work();
  } catch (error) {
    const say = (line: string): void => void context.stderr.write(`${line}\n`);
    if (error instanceof BackupError) {
      say(`error: ${error.message}`);
      return EXIT[error.kind];
    }
    if (context.signal.aborted) {
      say("Interrupted. To go on, run the same command again.");
      return EXIT.failed;
    }
    if (error instanceof Error && "code" in error && "syscall" in error) {
      say(`error: ${error.message}`);
      return EXIT.failed;
    }
    throw error;
  }
}

/** Shows the progress of a command: one line on a terminal, JSON lines in a pipe. */
export function progressOf(context: CommandContext, output: Output): (done: number, total: number) => void {
  let lastMs = performance.now();
  const isTerminal = context.stderr.isTTY && !output.isJsonAsked;
  return (done, total) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < (isTerminal ? PROGRESS_MS : PROGRESS_JSON_MS)) return;
    lastMs = nowMs;
    if (isTerminal) context.stderr.write(`${CLEAR}${done} of ${total}`);
    else if (output.isJson) context.stderr.write(`${JSON.stringify({ progress: { done, total } })}\n`);
  };
}

/** Erases the line of progress. */
export function endProgress({ stderr }: CommandContext): void {
  if (stderr.isTTY) stderr.write(CLEAR);
}

/** The id of the snapshot to use: the given one, or else the newest that `fits`. Throws a {@link BackupError}. */
export async function chooseSnapshot(
  repository: Repository,
  id: string | undefined,
  fits: (id: string) => boolean,
): Promise<string> {
  const all = await repository.snapshots();
  if (id !== undefined) {
    if (all.includes(id)) return id;
    throw new BackupError(
      "usage",
      `--snapshot ${id}: ${repository.dir} has no such snapshot; it has ${all.join(", ") || "none"}`,
    );
  }
  const newest = all.findLast(fits);
  if (newest === undefined)
    throw new BackupError(
      "broken",
      `${repository.dir} has no complete snapshot: run mailkeep-server backup again`,
    );
  return newest;
}

/** Bytes as a person reads them. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
