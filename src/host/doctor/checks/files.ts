import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSecrets, secretsPath } from "../../secrets.ts";
import { fine, wrong, type Finding } from "../finding.ts";
import type { World } from "../ports/world.ts";
import { shellWord } from "../shell-word.ts";
import type { Check, Machine } from "./check.ts";

/** Permission bits. */
const OTHERS_READ = 0o004;
const NOT_OWNER = 0o077;
const OWNER_WRITES = 0o300;
/** The owner is checked for at most this many files: a folder of 20,000 mailboxes has more. */
const MAX_FILES = 2_000;

/** The code of a file error, such as ENOENT. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const isDenied = (error: unknown): boolean => ["EACCES", "EPERM"].includes(codeOf(error));

/** Files with secrets that the settings name, and the file of the settings itself. */
export const filesCheck: Check<Machine> = {
  topic: "files",
  async run({ envFile, secretFiles }, world) {
    const files = [...new Set([...(envFile === null ? [] : [envFile]), ...secretFiles])];
    const found = await Promise.all(
      files.map(async (file): Promise<Finding[]> => {
        const { mode } = await world.stat(file);
        if ((mode & OTHERS_READ) === 0) return [];
        return [
          wrong(
            "files.open",
            `${file} can be read by every user of this machine`,
            `chmod o-rwx ${shellWord(file)}`,
          ),
        ];
      }),
    );
    const open = found.flat();
    return open.length > 0 || files.length === 0
      ? open
      : [fine("files", `Only their users can read ${files.join(", ")}`)];
  },
};

/** The secrets of the data folder. */
export const secretsCheck: Check<Machine> = {
  topic: "secrets",
  async run({ settings: { dataDir, worker } }, world) {
    const file = secretsPath(dataDir);
    try {
      const [text, { mode }] = [await readFile(file, "utf8"), await world.stat(file)];
      if (parseSecrets(text) === null) {
        const command = `mv ${shellWord(file)} ${shellWord(`${file}.damaged`)}`;
        return [wrong("secrets.damaged", `${file} is damaged`, command)];
      }
      return (mode & NOT_OWNER) === 0
        ? [fine("secrets", `${file} is whole, and only its owner can read it`)]
        : [wrong("secrets.open", `${file} can be read by other users`, `chmod 600 ${shellWord(file)}`)];
    } catch (error) {
      // The finding about the data folder says that it cannot be read.
      if (isDenied(error)) return [];
      if (codeOf(error) !== "ENOENT") throw error;
      const isUsed = worker.AUTH_TOKEN === null && (await holdsMailboxes(dataDir));
      const command = `ls -l ${shellWord(path.join(dataDir, "secrets.json"))}*`;
      return isUsed
        ? [wrong("secrets.lost", `${dataDir} holds mailboxes, and its secrets.json is gone`, command)]
        : [];
    }
  },
};

async function holdsMailboxes(dataDir: string): Promise<boolean> {
  const names = await readdir(path.join(dataDir, "do")).catch(() => []);
  return names.length > 0;
}

/** Checks that the data folder exists, is writable, is closed to other users, and has one owner throughout. */
export const dataCheck: Check<Machine> = {
  topic: "data",
  async run({ settings: { dataDir } }, world) {
    const folder = shellWord(dataDir);
    try {
      const { mode, uid } = await world.stat(dataDir);
      if ((mode & OWNER_WRITES) !== OWNER_WRITES) {
        return [
          wrong("data.readonly", `The owner of ${dataDir} may not write into it`, `chmod u+rwx ${folder}`),
        ];
      }
      const found: Finding[] = [];
      const foreign = await foreignFile(world, dataDir, uid);
      if (foreign !== null) {
        const command = `chown -R --reference=${folder} ${folder}`;
        found.push(wrong("data.owner", `${foreign} belongs to another user than ${dataDir}`, command));
      }
      if ((mode & NOT_OWNER) !== 0) {
        found.push(wrong("data.open", `Other users can look into ${dataDir}`, `chmod 700 ${folder}`));
      }
      return found.length > 0
        ? found
        : [fine("data", `${dataDir} belongs to one user, who alone can look into it`)];
    } catch (error) {
      if (codeOf(error) === "ENOENT") {
        return [
          wrong(
            "data.missing",
            `${dataDir}, the folder of DATA_DIR, is not there`,
            `mkdir -p -m 700 ${folder}`,
          ),
        ];
      }
      if (!isDenied(error)) throw error;
      const command = `sudo -u "$(stat -c %U ${folder})" mailkeep-server doctor`;
      return [wrong("data.unreadable", `This user may not look into ${dataDir}`, command)];
    }
  },
};

/** A file below the folder whose owner is not `owner`; null if none of the checked ones is. */
async function foreignFile(world: World, folder: string, owner: number): Promise<string | null> {
  const queue = [folder];
  let seen = 0;
  for (let next = queue.shift(); next !== undefined && seen < MAX_FILES; next = queue.shift()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const file = path.join(next, entry.name);
      seen += 1;
      // The file is gone: a running server removes files.
      const uid = (await world.stat(file).catch(() => null))?.uid ?? owner;
      if (uid !== owner) return file;
      if (entry.isDirectory()) queue.push(file);
      if (seen >= MAX_FILES) break;
    }
  }
  return null;
}
