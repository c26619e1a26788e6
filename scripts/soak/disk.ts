import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { freemem } from "node:os";
import path from "node:path";

const BALLAST = "ballast";
const PIECE = Buffer.alloc(65_536);

/** A file system of limited size for the data folder, so that it can be filled without harm to the machine. */
export class SmallDisk {
  /** The folder to use. */
  readonly folder: string;
  /** How it is limited; null if it is not, because mounting needs root. */
  readonly kind: string | null;

  private constructor(folder: string, kind: string | null) {
    this.folder = folder;
    this.kind = kind;
  }

  /** Mounts an ext4 file system in a file, or else one in memory, at `parent`/disk. */
  static open(parent: string, megabytes: number): SmallDisk {
    const folder = path.join(parent, "disk");
    mkdirSync(folder);
    const image = path.join(parent, "disk.img");
    const ways: [string, () => void][] = [
      [
        "ext4 in a file",
        () => {
          writeFileSync(image, "");
          truncateSync(image, megabytes * 1_000_000);
          run("mkfs.ext4", ["-q", "-m", "0", image]);
          run("mount", ["-o", "loop", image, folder]);
        },
      ],
      [
        "tmpfs",
        () => {
          // Filling it takes memory, so it gets at most half of what is free.
          const size = Math.min(megabytes * 1_000_000, Math.floor(freemem() / 2));
          run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
        },
      ],
    ];
    const kind = ways.find(([, mount]) => succeeds(mount))?.[0] ?? null;
    if (kind === null) rmSync(image, { force: true });
    return new SmallDisk(folder, kind);
  }

  /** Writes until nothing more fits. */
  fill(): void {
    const file = path.join(this.folder, BALLAST);
    const { bavail, bsize } = statfsSync(this.folder);
    succeeds(() => run("fallocate", ["-l", String(Math.max(1, bavail * bsize)), file]));
    const descriptor = openSync(file, "a");
    try {
      while (succeeds(() => void writeSync(descriptor, PIECE)));
      while (succeeds(() => void writeSync(descriptor, PIECE, 0, 512)));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Makes room again. */
  free(): void {
    rmSync(path.join(this.folder, BALLAST), { force: true });
  }

  close(): void {
    if (this.kind !== null) succeeds(() => run("umount", ["-l", this.folder]));
  }
}

function run(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: "ignore" });
}

function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
