import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { CommandContext, ServerCommand } from "../command.ts";
import type { Output } from "../../cli/terminal/output.ts";
import { mailboxFile, SECRETS_FILE } from "../../host/backup/data-folder.ts";
import { BackupError } from "../../host/backup/format.ts";
import { Repository } from "../../host/backup/repository.ts";
import { refuseRoot, restoreMailbox } from "../../host/backup/mailbox-restore.ts";
import { completeSwap, swapMailbox } from "../../host/backup/mailbox-swap.ts";
import { DAMAGED_SUFFIX, restore as restoreSnapshot } from "../../host/backup/restore.ts";
import type { RestoreOptions, RestoreResult } from "../../host/backup/restore.ts";
import type { Opener } from "../../host/backup/seal.ts";
import {
  parseBackupSettings,
  refuseUnlessEmpty,
  SETTINGS_FILE,
  writeSettings,
  type RestoredSetting,
} from "../../host/backup/settings.ts";
import { contentsOf, extract, openerFor, readSnapshot } from "../../host/backup/snapshot.ts";
import type { Snapshot } from "../../host/backup/snapshot.ts";
import { unpackTar } from "../../host/backup/tar.ts";
import { askForSwap } from "../../host/control.ts";
import { lockDataDir, lockHolder } from "../../host/lock.ts";
import { Refusal } from "../../host/refusal.ts";
import {
  EXIT,
  chooseSnapshot,
  dataDirOf,
  endProgress,
  exitCodeOf,
  mebibytes,
  outputOf,
  progressOf,
  readWords,
} from "./backup-command.ts";

const HELP = `mailkeep-server restore DIR    Restores the newest snapshot of all mailboxes from the backup in the folder DIR
mailkeep-server restore -      Does the same from a tar archive on stdin

Without --mailbox the server must be stopped and DATA_DIR empty. With it the server may run: it pauses for about a second.
Messages that were waiting to be sent are marked "unknown", because they may have been sent after the backup.

  --identity FILE       The age identity file, for an encrypted backup
  --mailbox ADDRESS     Only this mailbox
  --replace             In the place of the mailbox that is there: what it got since the backup is lost
  --snapshot ID         This snapshot instead of the newest
  --resend              Sends the waiting messages: only if the old server sent nothing after the backup
  --settings DIR        Only the settings, the certificates and keys, and secrets.json of an encrypted backup, into the
                        empty folder DIR; the server may run
  --data-dir DIR        Instead of the variable DATA_DIR
  --json                Prints JSON on a terminal too

Exit code: 0 done, 1 failed and may work later, 2 wrong use, 9 the backup is damaged.
`;

const OPTIONS = {
  identity: { type: "string" },
  mailbox: { type: "string" },
  replace: { type: "boolean" },
  snapshot: { type: "string" },
  resend: { type: "boolean" },
  settings: { type: "string" },
  "data-dir": { type: "string" },
  json: { type: "boolean" },
} as const;

/** The suffix of the folder beside the data folder into which an archive is unpacked. */
const UNPACKED = ".restoring";

interface Job {
  dataDir: string;
  only: string | null;
  replaces: boolean;
  identity: string | null;
  snapshot: string | undefined;
  sendsAgain: boolean;
  /** Absolute: only settings are restored, into this folder; null: the data are. */
  settingsDir: string | null;
  isJson: boolean;
}

export const restore: ServerCommand = {
  summary: "Restores mailboxes from a backup",
  help: HELP,
  async run(words, context) {
    const { place, values } = readWords("restore", words, OPTIONS);
    if (values.replace === true && values.mailbox === undefined)
      throw new Refusal(
        "--replace needs --mailbox ADDRESS: all mailboxes are restored only into an empty DATA_DIR",
      );
    if (values.settings !== undefined && values.mailbox !== undefined)
      throw new Refusal("--settings and --mailbox exclude each other: one restores settings, the other mail");
    return exitCodeOf(context, async () => {
      const job: Job = {
        dataDir: dataDirOf(values["data-dir"], context),
        only: values.mailbox === undefined ? null : mailboxFile(values.mailbox),
        replaces: values.replace === true,
        identity: values.identity ?? null,
        snapshot: values.snapshot,
        sendsAgain: values.resend === true,
        settingsDir: values.settings === undefined ? null : path.resolve(values.settings),
        isJson: values.json === true,
      };
      if (job.only !== null) await refuseRoot(job.dataDir);
      return place === "-" ? fromStdin(job, context) : fromFolder(path.resolve(place), job, context);
    });
  },
};

async function fromStdin(job: Job, context: CommandContext): Promise<number> {
  const folder = `${job.dataDir}${UNPACKED}`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await unpackTar(context.stdin, folder);
    return await fromFolder(folder, job, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fromFolder(dir: string, job: Job, context: CommandContext): Promise<number> {
  const repository = await Repository.open(dir);
  const opener = await openerFor(repository, job.identity);
  if (opener === null) throw new BackupError("usage", `${dir} is encrypted: give --identity FILE`);
  const snapshot = await chosenSnapshot(repository, opener, job);
  const { id } = snapshot.manifest.head;
  const output = outputOf(context, job.isJson);
  if (job.settingsDir !== null) return restoreSettings(snapshot, job.settingsDir, output);
  const { result, pausedMs } = await restoreOf(job, {
    snapshot,
    dataDir: job.dataDir,
    sendsAgain: job.sendsAgain,
    signal: context.signal,
    onProgress: progressOf(context, output),
  });
  endProgress(context);
  await report(result, { id, pausedMs }, job, context);
  return result.damaged.length === 0 ? EXIT.done : EXIT.failed;
}

/** Writes the settings and the secrets of a snapshot into an empty folder. */
async function restoreSettings(snapshot: Snapshot, folder: string, output: Output): Promise<number> {
  await refuseUnlessEmpty(folder);
  const { entries, head } = snapshot.manifest;
  const entryOf = (name: string) => entries.find((one) => one.kind === "file" && one.path === name);
  const [settings, secrets] = [entryOf(SETTINGS_FILE), entryOf(SECRETS_FILE)];
  if (settings === undefined && secrets === undefined)
    throw new BackupError("usage", `The snapshot ${head.id} has no settings: only encrypted ones have them`);
  const found =
    settings === undefined
      ? { env: "", files: [] }
      : parseBackupSettings((await contentsOf(snapshot, settings)).toString("utf8"));
  const restored = await writeSettings(found, folder);
  if (secrets !== undefined) {
    const file = path.join(folder, SECRETS_FILE);
    await extract(snapshot, secrets, file);
    restored.push({ file, was: null });
  }
  await output.value({ snapshot: head.id, settings: restored }, () => settingLines(restored, output));
  return EXIT.done;
}

/** Where each restored file belongs. */
function settingLines(restored: readonly RestoredSetting[], output: Output): string[] {
  return restored.map(({ file, was }) => `${file}${was === null ? "" : ` (was ${output.safe(was)})`}`);
}

/** Restores all or one mailbox. `pausedMs` is how long a running server did not answer; null: none ran. */
async function restoreOf(
  { only, replaces, dataDir }: Job,
  options: RestoreOptions,
): Promise<{ result: RestoreResult; pausedMs: number | null }> {
  if (only === null) return { result: await restoreSnapshot(options), pausedMs: null };
  const one = { ...options, mailbox: only, replaces };
  if (lockHolder(dataDir) !== null) {
    let pausedMs = 0;
    const swap = async (): Promise<void> => void (pausedMs = await askForSwap(dataDir));
    return { result: await restoreMailbox({ ...one, swap }), pausedMs };
  }
  const lock = lockDataDir(dataDir);
  try {
    completeSwap(dataDir);
    return {
      result: await restoreMailbox({ ...one, swap: async () => swapMailbox(dataDir) }),
      pausedMs: null,
    };
  } finally {
    lock.release();
  }
}

/** The snapshot to restore: the chosen one, else the newest, for one mailbox the newest that has it. */
async function chosenSnapshot(repository: Repository, opener: Opener, job: Job): Promise<Snapshot> {
  const { only } = job;
  const all = only === null || job.snapshot !== undefined ? [] : await repository.snapshots();
  for (const id of all.toReversed()) {
    const snapshot = await readSnapshot(repository, id, opener);
    if (snapshot.manifest.entries.some((entry) => entry.kind === "file" && entry.path === only))
      return snapshot;
  }
  const id = await chooseSnapshot(repository, job.snapshot, (one) => only !== null || one.endsWith("-all"));
  return readSnapshot(repository, id, opener);
}

async function report(
  result: RestoreResult,
  { id, pausedMs }: { id: string; pausedMs: number | null },
  job: Job,
  context: CommandContext,
): Promise<void> {
  const { mailboxes, blobs, bytes, uncertain, damaged, hasSecrets } = result;
  const output = outputOf(context, job.isJson);
  await output.value(
    {
      snapshot: id,
      mailboxes,
      blobs,
      bytes,
      uncertain_sends: uncertain,
      damaged_databases: damaged,
      has_secrets: hasSecrets,
      settings: result.settings,
      paused_ms: pausedMs,
    },
    () => [
      `Restored ${id} into ${job.dataDir}: ${mailboxes} mailboxes, ${blobs} large files, ${mebibytes(bytes)}; each compared with its SHA-256`,
      ...(pausedMs === null
        ? []
        : [`The server paused for ${(pausedMs / 1_000).toFixed(1)} s, and serves the mailbox now`]),
      ...(result.settings.length === 0
        ? []
        : [
            "The settings, for you to put where this machine has them:",
            ...settingLines(result.settings, output),
          ]),
    ],
  );
  if (damaged.length > 0)
    output.error(
      `${damaged.length} databases were damaged at the time of the backup already: ${damaged.slice(0, 3).join(", ")}`,
      `restore these mailboxes from an earlier snapshot, with --mailbox and --snapshot; what was left of each lies beside its place, as …${DAMAGED_SUFFIX}`,
    );
  if (uncertain > 0)
    output.note(
      `${uncertain} recipients of waiting messages are "unknown": they may have been sent after the backup. Send those again that did not arrive.`,
    );
  if (job.only === null && !hasSecrets)
    output.note(
      `The backup has no secrets.json: put your copy into ${job.dataDir} before the server starts, or it makes new secrets.`,
    );
}
