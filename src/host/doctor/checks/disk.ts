import { existsSync } from "node:fs";
import path from "node:path";
import { fine, wrong } from "../finding.ts";
import { shellWord } from "../shell-word.ts";
import type { Check, Machine } from "./check.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** Room for the mails that arrive at the same time: each is on disk as a whole while it is stored. */
const FULL_BYTES = 256 * MIB;
const LOW_BYTES = 5 * GIB;
const LOW_SHARE = 0.1;
/** Free inodes: each mailbox needs a few. */
const LOW_FILES = 10_000;

/** The room of the disk that holds the data folder. */
export const diskCheck: Check<Machine> = {
  topic: "disk",
  async run({ settings: { dataDir } }, world) {
    const folder = existing(dataDir);
    const { bytes, freeBytes, files, freeFiles } = await world.room(folder);
    const left = `${inWords(freeBytes)} of ${inWords(bytes)}`;
    const command = `du -xh -d 2 ${shellWord(folder)} | sort -h | tail -n 20`;
    if (freeBytes < FULL_BYTES)
      return [wrong("disk.full", `The disk of ${folder} has ${left} left`, command)];
    const low = freeBytes < LOW_BYTES && freeBytes < bytes * LOW_SHARE;
    const fewFiles = files > 0 && freeFiles < Math.min(LOW_FILES, files * LOW_SHARE);
    const found = [
      ...(low ? [wrong("disk.low", `The disk of ${folder} has ${left} left`, command)] : []),
      ...(fewFiles
        ? [
            wrong(
              "disk.inodes",
              `The file system of ${folder} has room for ${freeFiles} more files`,
              `du -x --inodes -d 2 ${shellWord(folder)} | sort -n | tail -n 20`,
            ),
          ]
        : []),
    ];
    return found.length > 0 ? found : [fine("disk", `The disk of ${folder} has ${left} left`)];
  },
};

/** The folder itself, or its nearest parent that exists. */
function existing(folder: string): string {
  return existsSync(folder) || folder === path.dirname(folder) ? folder : existing(path.dirname(folder));
}

function inWords(bytes: number): string {
  return bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.round(bytes / MIB)} MiB`;
}
