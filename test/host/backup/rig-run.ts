import { backUp } from "../../../src/host/backup/backup.ts";
import type { BackupResult } from "../../../src/host/backup/backup.ts";
import { Pace } from "../../../src/host/backup/pace.ts";
import { Repository, RepositoryTarget } from "../../../src/host/backup/repository.ts";
import { plainSealer } from "../../../src/host/backup/seal.ts";
import type { Sealer } from "../../../src/host/backup/seal.ts";
import { openerFor } from "../../../src/host/backup/snapshot.ts";
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
    const result = await backUp({ dataDir, target, sealer, state, pace, only, onProgress: () => {} });
    await saveState(dataDir, id, state);
    return result;
  } finally {
    await release();
  }
}

/** Checks all snapshots. */
export async function checked(dir: string, identity: string | null = null): Promise<Verified> {
  const repository = await Repository.open(dir);
  const snapshots = await repository.snapshots();
  const opener = await openerFor(repository, identity);
  return verify({ repository, opener, snapshots, signal: never, onProgress: () => {} });
}
