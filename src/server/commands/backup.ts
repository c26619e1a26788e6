import path from "node:path";
import type { CommandContext, ServerCommand } from "../command.ts";
import type { Output } from "../../cli/terminal/output.ts";
import { backUp } from "../../host/backup/backup.ts";
import type { BackupResult } from "../../host/backup/backup.ts";
import { expectDataFolder, mailboxFile } from "../../host/backup/data-folder.ts";
import { BackupError, FIRST_FORMAT, HEADER_FILE } from "../../host/backup/format.ts";
import { Pace } from "../../host/backup/pace.ts";
import { README } from "../../host/backup/readme.ts";
import { Repository, RepositoryTarget } from "../../host/backup/repository.ts";
import { readBackupSettings, type ReadSettings } from "../../host/backup/settings.ts";
import { ageSealer, plainSealer } from "../../host/backup/seal.ts";
import type { Sealer } from "../../host/backup/seal.ts";
import { loadState, saveState } from "../../host/backup/state.ts";
import type { BackupState } from "../../host/backup/state.ts";
import { TarTarget } from "../../host/backup/tar.ts";
import type { Target } from "../../host/backup/target.ts";
import { refuseHalfRestored } from "../../host/backup/mark.ts";
import { refuseNewerData } from "../../host/data-version.ts";
import { Refusal } from "../../host/refusal.ts";
import {
  EXIT,
  dataDirOf,
  endProgress,
  exitCodeOf,
  mebibytes,
  outputOf,
  progressOf,
  readWords,
  wholeNumber,
} from "./backup-command.ts";

const MB = 1_000_000;

const HELP = `mailkeep-server backup DIR     Adds a snapshot to the backup in the folder DIR; data that it has already are not written again
mailkeep-server backup -       Writes a complete backup with one snapshot to stdout, as a tar archive

The server may run meanwhile. Run the command as the server's user, with the server's DATA_DIR.

  --recipient AGE1…     Encrypts to this age recipient (age-keygen makes one); may be repeated; else BACKUP_RECIPIENT.
                        Only an encrypted backup has secrets.json, the settings, and the certificates and keys they name
  --env-file FILE       The settings of the server; else those of the environment
  --mailbox ADDRESS     Only this mailbox
  --keep N              Afterwards removes all but the newest N snapshots of all mailboxes; nothing if this one has damaged parts
  --rate MB             Reads at most this many megabytes a second
  --data-dir DIR        Instead of the variable DATA_DIR
  --json                Prints JSON on a terminal too

Exit code: 0 done, 1 failed and may work later, 2 wrong use, 9 the backup in DIR is damaged.
`;

const OPTIONS = {
  recipient: { type: "string", multiple: true },
  mailbox: { type: "string" },
  keep: { type: "string" },
  rate: { type: "string" },
  "data-dir": { type: "string" },
  json: { type: "boolean" },
} as const;

/** The options of the command. */
interface Job {
  dataDir: string;
  recipients: string[];
  only: string | null;
  keep: number | null;
  bytesPerSecond: number;
  isJson: boolean;
}

export const backup: ServerCommand = {
  summary: "Backs up the mailboxes of this machine while the server runs",
  help: HELP,
  async run(words, context) {
    const { place, values } = readWords("backup", words, OPTIONS);
    const rate = wholeNumber("rate", values.rate);
    return exitCodeOf(context, async () => {
      const job: Job = {
        dataDir: dataDirOf(values["data-dir"], context),
        recipients: recipientsOf(values.recipient, context),
        only: values.mailbox === undefined ? null : mailboxFile(values.mailbox),
        keep: wholeNumber("keep", values.keep),
        bytesPerSecond: rate === null ? Infinity : rate * MB,
        isJson: values.json === true,
      };
      if (job.keep !== null && (job.only !== null || place === "-"))
        throw new Refusal(
          "--keep cannot be used with --mailbox or with -: it removes snapshots of all mailboxes from a folder",
        );
      expectDataFolder(job.dataDir);
      refuseHalfRestored(job.dataDir);
      // It could name blobs in tables that this version does not know.
      refuseNewerData(job.dataDir);
      return place === "-" ? toStdout(job, context) : toFolder(path.resolve(place), job, context);
    });
  },
};

/** Who can open the backup: the option, else the variable, which may name several with commas or blanks between them. */
function recipientsOf(option: readonly string[] | undefined, { env }: CommandContext): string[] {
  const named = option ?? (env["BACKUP_RECIPIENT"] ?? "").split(/[\s,]+/).filter((one) => one !== "");
  return [...new Set(named)].toSorted();
}

async function toFolder(dir: string, job: Job, context: CommandContext): Promise<number> {
  const repository = await Repository.openOrMake(dir, job.recipients.length > 0);
  const release = await repository.lock();
  try {
    const { id } = repository.header;
    const state = await loadState(job.dataDir, id);
    expectRecipients(state, job, dir);
    // The state is saved before the run too: if an encrypted run is killed, the next one uses the same names of chunks.
    await saveState(job.dataDir, id, state);
    const target = await RepositoryTarget.open(repository, new Pace(job.bytesPerSecond, context.signal));
    const result = await run(job, { target, sealer: sealerOf(job, state), state }, context);
    noteDamaged(target.damaged, dir, outputOf(context, job.isJson, true));
    await saveState(job.dataDir, id, state);
    const removed = job.keep === null || !isWhole(result) ? null : await repository.prune(job.keep);
    return await report({ ...result, removed }, dir, job, outputOf(context, job.isJson));
  } finally {
    await release();
  }
}

async function toStdout(job: Job, context: CommandContext): Promise<number> {
  const { stdout } = context;
  if (stdout.isTTY)
    throw new Refusal(
      "backup - writes an archive to stdout, which is a terminal: redirect it to a file or a program",
    );
  const state = await loadState(job.dataDir, "none");
  const sealer = sealerOf(job, state);
  const header = {
    mailkeep_backup: FIRST_FORMAT,
    id: state.name_key.slice(0, 32),
    encrypted: job.recipients.length > 0,
    made_at: new Date().toISOString(),
  };
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.byteLength === 0 || stdout.write(bytes)) return;
    await new Promise<void>((resolve) => void stdout.once("drain", resolve));
  };
  const target = new TarTarget(write, sealer.suffix);
  await target.add(HEADER_FILE, Buffer.from(`${JSON.stringify(header, null, 2)}\n`));
  await target.add("README.txt", Buffer.from(README));
  const result = await run(job, { target, sealer, state }, context);
  return report({ ...result, removed: null }, "stdout", job, outputOf(context, job.isJson, true));
}

async function run(
  job: Job,
  parts: { target: Target; sealer: Sealer; state: BackupState },
  context: CommandContext,
): Promise<RunResult> {
  const output = outputOf(context, job.isJson, true);
  const show = progressOf(context, output);
  const isSealed = job.recipients.length > 0 && job.only === null;
  const read = isSealed ? await readBackupSettings(context.env, context.envFile) : null;
  try {
    const result = await backUp({
      ...parts,
      dataDir: job.dataDir,
      only: job.only,
      settings: read?.settings ?? null,
      pace: new Pace(job.bytesPerSecond, context.signal),
      onProgress: show,
    });
    return { ...result, settings: read };
  } finally {
    endProgress(context);
  }
}

function noteDamaged(chunks: readonly string[], dir: string, output: Output): void {
  if (chunks.length === 0) return;
  output.note(
    `${dir} had ${chunks.length} damaged chunks, such as ${chunks[0]}: this snapshot has good copies of those that it needs. Run verify to see which older snapshots are damaged, and check the disk`,
  );
}

/** `settings`: those that went into the snapshot. */
type RunResult = BackupResult & { settings: ReadSettings | null };

/** Whether a snapshot has a good copy of everything, so that older ones may go. */
function isWhole({ missing, damaged }: BackupResult): boolean {
  return missing.length + damaged.length === 0;
}

/** Refuses other recipients than before: chunks that exist stay encrypted to the earlier ones. */
function expectRecipients(state: BackupState, { recipients }: Job, dir: string): void {
  if (recipients.length === 0) return;
  if (state.recipients !== null && state.recipients.join() !== recipients.join())
    throw new BackupError(
      "usage",
      `${dir} is encrypted to ${state.recipients.join(", ")}: name the same recipients, or use another folder`,
    );
  state.recipients = recipients;
}

function sealerOf({ recipients }: Job, state: BackupState): Sealer {
  return recipients.length === 0 ? plainSealer() : ageSealer(recipients, state.name_key);
}

async function report(
  result: RunResult & { removed: { snapshots: number; chunks: number } | null },
  where: string,
  job: Job,
  output: Output,
): Promise<number> {
  const { snapshot, mailboxes, unchanged, counts, missing, damaged, removed, settings } = result;
  const unreadable = settings?.unreadable ?? [];
  const value = {
    snapshot,
    mailboxes,
    unchanged_databases: unchanged,
    read_bytes: counts.read,
    written_bytes: counts.stored,
    written_chunks: counts.chunks,
    missing_blobs: missing,
    damaged_databases: damaged,
    has_secrets: result.hasSecrets,
    has_settings: settings !== null,
    unreadable_settings: unreadable,
    ...(removed === null ? {} : { removed_snapshots: removed.snapshots, removed_chunks: removed.chunks }),
  };
  await output.value(value, () => [
    `Snapshot ${snapshot} in ${where}: ${mailboxes} mailboxes, ${unchanged} databases unchanged`,
    `Read ${mebibytes(counts.read)}, wrote ${mebibytes(counts.stored)} in ${counts.chunks} chunks`,
    ...(removed === null ? [] : [`Removed ${removed.snapshots} snapshots and ${removed.chunks} chunks`]),
  ]);
  if (job.only === null && !result.hasSecrets)
    output.note(
      `secrets.json, the settings and the certificates are not in this backup: only encrypted ones (--recipient) contain them. Keep a copy of ${path.join(job.dataDir, "secrets.json")}`,
    );
  if (unreadable.length > 0)
    output.error(
      `Files that the settings name cannot be read by this user, and are not in this backup: ${unreadable.join(", ")}`,
      "run the command as a user who can read them; the rest of the snapshot is whole",
    );
  for (const [what, names] of [
    ["databases that SQLite cannot read", damaged],
    ["missing files that mailboxes refer to", missing],
  ] as const) {
    if (names.length === 0) continue;
    output.error(
      `${job.dataDir} has ${names.length} ${what}: ${names.slice(0, 3).join(", ")}`,
      "restore these mailboxes from an earlier snapshot; the rest of this one is whole",
    );
  }
  if (isWhole(result)) return unreadable.length === 0 ? EXIT.done : EXIT.failed;
  if (job.keep !== null)
    output.note(
      `--keep ${job.keep} removed nothing: an older snapshot may have the last good copy of these. It removes snapshots again once a run finds everything whole`,
    );
  return EXIT.failed;
}
