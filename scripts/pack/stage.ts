import { execFile } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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

/**
 * Fills `folder` with a package and packs it next to the folder; returns the path of the tarball. The same package always makes
 * the same bytes: npm writes no times and no owners.
 */
export async function pack(folder: string, stage: (folder: string) => Promise<Staged>): Promise<string> {
  const name = path.basename(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { manifest, inputs } = await stage(folder);
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(path.join(ROOT, "LICENSE"), path.join(folder, "LICENSE"));
  cpSync(path.join(ROOT, `scripts/pack/${name}.md`), path.join(folder, "README.md"));
  const thirdParty = thirdPartyText(inputs);
  if (thirdParty !== "") writeFileSync(path.join(folder, "THIRD-PARTY.md"), thirdParty);
  const target = path.dirname(folder);
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", folder, "--pack-destination", target, "--ignore-scripts", "--silent"],
    { cwd: ROOT },
  );
  return path.join(target, stdout.trim());
}
