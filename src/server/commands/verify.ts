import path from "node:path";
import type { ServerCommand } from "../command.ts";
import { BackupError } from "../../host/backup/format.ts";
import { Repository } from "../../host/backup/repository.ts";
import { openerFor } from "../../host/backup/snapshot.ts";
import { verify as verifySnapshots } from "../../host/backup/verify.ts";
import {
  EXIT,
  chooseSnapshot,
  endProgress,
  exitCodeOf,
  mebibytes,
  outputOf,
  progressOf,
  readWords,
} from "./backup-command.ts";

const HELP = `mailkeep-server verify DIR     Checks every snapshot of the backup in DIR without restoring it

It compares the SHA-256 of every stored file. If the backup is not encrypted, or with --identity, it also unpacks the chunks
and compares their contents.

  --identity FILE       The age identity file, for an encrypted backup
  --snapshot ID         Only this snapshot
  --json                Prints JSON on a terminal too

Exit code: 0 whole, 1 failed and may work later, 2 wrong use, 9 damaged.
`;

const OPTIONS = {
  identity: { type: "string" },
  snapshot: { type: "string" },
  json: { type: "boolean" },
} as const;

/** The most faults that are printed on a terminal; JSON has all. */
const MAX_SHOWN = 20;

export const verify: ServerCommand = {
  summary: "Checks a backup without restoring it",
  help: HELP,
  async run(words, context) {
    const { place, values } = readWords("verify", words, OPTIONS);
    return exitCodeOf(context, async () => {
      const repository = await Repository.open(path.resolve(place));
      const opener = await openerFor(repository, values.identity ?? null);
      const chosen = await chooseSnapshot(repository, values.snapshot, () => true);
      const output = outputOf(context, values.json === true);
      const { faults, ...found } = await verifySnapshots({
        repository,
        opener,
        snapshots: values.snapshot === undefined ? await repository.snapshots() : [chosen],
        signal: context.signal,
        onProgress: progressOf(context, output),
      });
      endProgress(context);
      const { snapshots, files, bytes, isOpened } = found;
      await output.value({ snapshots, files, bytes, contents_checked: isOpened, faults }, () => [
        `${snapshots} snapshots, ${files} files, ${mebibytes(bytes)}: ${faults.length === 0 ? "whole" : `${faults.length} faults`}`,
        ...(isOpened
          ? []
          : [
              "The backup is encrypted: only the stored bytes were checked. With --identity FILE the contents are checked too.",
            ]),
        ...faults.slice(0, MAX_SHOWN).map((fault) => output.safe(fault)),
      ]);
      if (faults.length === 0) return EXIT.done;
      throw new BackupError(
        "broken",
        `${faults.length} files are damaged or missing: remove the damaged ones, then run mailkeep-server backup, which writes them again if the data folder still has their contents`,
      );
    });
  },
};
