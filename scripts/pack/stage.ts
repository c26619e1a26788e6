import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { thirdPartyText } from "./third-party.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A package whose programs are written. */
export interface Staged {
  manifest: Record<string, unknown>;
  /** Files that its programs are made of. */
  inputs: readonly string[];
}

/** Fills the folder of a package. Declarations of an earlier build stay if `write` writes none. */
export async function stage(folder: string, write: (draft: string) => Promise<Staged>): Promise<void> {
  const name = path.basename(folder);
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const { manifest, inputs } = await write(draft);
    cpSync(path.join(ROOT, "LICENSE"), path.join(draft, "LICENSE"));
    cpSync(path.join(ROOT, `scripts/pack/${name}.md`), path.join(draft, "README.md"));
    const thirdParty = thirdPartyText(inputs);
    if (thirdParty !== "") writeFileSync(path.join(draft, "THIRD-PARTY.md"), thirdParty);
    writeFileSync(path.join(draft, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    replaceFiles(folder, draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves the files of `draft` to `folder`, and removes others. A command that starts meanwhile finds every file. */
function replaceFiles(folder: string, draft: string): void {
  const written = filesIn(draft);
  for (const file of written) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    renameSync(path.join(draft, file), path.join(folder, file));
  }
  const hasTypes = written.some((file) => file.startsWith(TYPES));
  const kept = new Set(written);
  for (const file of filesIn(folder)) {
    if (!kept.has(file) && (hasTypes || !file.startsWith(TYPES))) rmSync(path.join(folder, file));
  }
}
const TYPES = `types${path.sep}`;

/** The files below a folder, by their paths in it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/**
 * Packs the folder of a package next to it; returns the path of the tarball. The same package always makes the same bytes: npm
 * writes no times and no owners.
 */
export async function tarball(folder: string): Promise<string> {
  const target = path.dirname(folder);
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", folder, "--pack-destination", target, "--ignore-scripts", "--silent"],
    { cwd: ROOT },
  );
  return path.join(target, stdout.trim());
}
