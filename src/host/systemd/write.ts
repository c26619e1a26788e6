import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { INSTALLED_FOLDERS, type InstalledFile } from "./units.ts";

/**
 * Writes the files of an installation below a root, each whole or not at all, and prints for each whether it was written or kept.
 * Throws the error of the system if it may not write.
 */
export function writeInstallation(
  files: readonly InstalledFile[],
  root: string,
  say: (line: string) => void,
): void {
  for (const { path: folder, mode } of INSTALLED_FOLDERS) {
    mkdirSync(path.join(root, folder), { recursive: true, mode });
  }
  for (const file of files) say(`${writeFile(file, root)} ${file.path}`);
}

function writeFile({ path: name, text, mode, isKept }: InstalledFile, root: string): string {
  const file = path.join(root, name);
  const before = existsSync(file) ? readFileSync(file, "utf8") : null;
  if (before !== null && isKept) return "kept     ";
  if (before === text) return "unchanged";
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.new`;
  // A file of an interrupted installation may have another mode.
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode });
  // The umask removes bits from the mode of a new file.
  chmodSync(draft, mode);
  renameSync(draft, file);
  return before === null ? "written  " : "changed  ";
}
