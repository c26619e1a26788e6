import { backUp } from "../../../src/host/backup/backup.ts";
import type { BackupResult } from "../../../src/host/backup/backup.ts";
import { restoreMailbox } from "../../../src/host/backup/mailbox-restore.ts";
import { swapMailbox } from "../../../src/host/backup/mailbox-swap.ts";
import { Pace } from "../../../src/host/backup/pace.ts";
import { Repository, RepositoryTarget } from "../../../src/host/backup/repository.ts";
import { restore } from "../../../src/host/backup/restore.ts";
import type { RestoreResult } from "../../../src/host/backup/restore.ts";
import { plainSealer } from "../../../src/host/backup/seal.ts";
import type { Sealer } from "../../../src/host/backup/seal.ts";
import { openerFor, readSnapshot } from "../../../src/host/backup/snapshot.ts";
import { loadState, saveState } from "../../../src/host/backup/state.ts";
import type { BackupState } from "../../../src/host/backup/state.ts";
import { verify } from "../../../src/host/backup/verify.ts";
import type { Verified } from "../../../src/host/backup/verify.ts";

const never = new AbortController().signal;

/** Backs up as the command does, in this process. */
export async function backUpTo(
  dir: string,
  dataDir: string,
  options: { sealer?: (state: BackupState) => Sealer; only?: string } = {},
): Promise<BackupResult> {
  const repository = await Repository.openOrMake(dir, options.sealer !== undefined);
  const release = await repository.lock();
  try {
    const { id } = repository.header;
    const state = await loadState(dataDir, id);
    const target = await RepositoryTarget.open(repository);
    const sealer = options.sealer?.(state) ?? plainSealer();
    const pace = new Pace(Infinity, never);
    const only = options.only ?? null;
    const result = await backUp({
      dataDir,
      target,
      sealer,
      state,
      pace,
      only,
      settings: null,
      onProgress: () => {},
    });
    await saveState(dataDir, id, state);
    return result;
  } finally {
    await release();
  }
}

/** Restores the newest snapshot as the command does, of everything or of one mailbox, into a folder without a server. */
export async function restoreTo(
  dataDir: string,
  dir: string,
  options: { only?: string; replaces?: boolean; identity?: string; sendsAgain?: boolean } = {},
): Promise<RestoreResult> {
  const repository = await Repository.open(dir);
  const opener = await openerFor(repository, options.identity ?? null);
  if (opener === null) throw new Error("an identity is needed");
  const snapshot = await readSnapshot(repository, (await repository.snapshots()).at(-1) ?? "", opener);
  const sendsAgain = options.sendsAgain === true;
  const common = { snapshot, dataDir, sendsAgain, signal: never, onProgress: () => {} };
  if (options.only === undefined) return restore(common);
  const swap = async (): Promise<void> => swapMailbox(dataDir);
  return restoreMailbox({ ...common, mailbox: options.only, replaces: options.replaces === true, swap });
}

/** Checks all snapshots. */
export async function checked(dir: string, identity: string | null = null): Promise<Verified> {
  const repository = await Repository.open(dir);
  const snapshots = await repository.snapshots();
  const opener = await openerFor(repository, identity);
  return verify({ repository, opener, snapshots, signal: never, onProgress: () => {} });
}
