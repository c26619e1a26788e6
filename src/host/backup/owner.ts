import { constants, existsSync } from "node:fs";
import { lchown, lstat, open, readdir, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { BackupError } from "./format.ts";

/** A user and its group, by their ids. */
export interface Owner {
  uid: number;
  gid: number;
}

const FOLDERS = ["do", "r2"];
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * The user that must own the files which root restores into a folder: the owner of the folder, or of the one that it is or will be in,
 * unless that is root. Null if nothing is to be given away. Throws a {@link BackupError} if that user has put a link in the way.
 */
export async function ownerOfRestored(dataDir: string): Promise<Owner | null> {
  // Without /proc nothing can be given away safely.
  if (process.getuid?.() !== 0 || !existsSync("/proc/self/fd")) return null;
  for (const name of FOLDERS) {
    const found = await lstat(path.join(dataDir, name)).catch(() => null);
    if (found?.isSymbolicLink() === true)
      throw new BackupError(
        "usage",
        `${path.join(dataDir, name)} is a link: remove it, or restore elsewhere`,
      );
  }
  for (let folder = dataDir; ; folder = path.dirname(folder)) {
    const found = await lstat(folder).catch(() => null);
    if (found !== null && found.uid !== 0) return { uid: found.uid, gid: found.gid };
    if (folder === path.dirname(folder)) return null;
  }
}

/**
 * Gives a folder and everything in it to a user. Each folder is opened and not followed as a link, and its files are named by that
 * descriptor: the user may put links in their place meanwhile, and nothing outside of the folder changes its owner.
 */
export async function giveTo(owner: Owner, dataDir: string): Promise<void> {
  const folder = await open(dataDir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await giveContents(owner, folder);
    await folder.chown(owner.uid, owner.gid);
  } finally {
    await folder.close();
  }
}

async function giveContents(owner: Owner, folder: FileHandle): Promise<void> {
  const here = `/proc/self/fd/${folder.fd}`;
  for (const name of await readdir(here)) {
    const place = `${here}/${name}`;
    const found = await lstat(place);
    // A file with another name elsewhere is none that the restore has made.
    if (found.isFile() && found.nlink > 1) continue;
    if (found.isDirectory()) await giveTo(owner, place);
    else await lchown(place, owner.uid, owner.gid);
  }
}
