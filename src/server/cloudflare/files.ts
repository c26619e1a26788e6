import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { configFolder, readJsonFile, writePrivateFile, type Env } from "../../cli/profile/files.ts";
import { Stop } from "../../host/cloudflare/failure.ts";
import {
  JournalShape,
  KeptJournal,
  type Journal,
  type JournalContents,
} from "../../host/cloudflare/journal.ts";

/** The deployment that the files belong to. */
export interface DeploymentName {
  accountId: string;
  worker: string;
}

/** 256 bits, as for the secrets of a server on one machine. */
const SECRET_BYTES = 32;

/** The file that remembers what `up` made. */
export function journalFile(env: Env, { accountId, worker }: DeploymentName): string {
  return path.join(configFolder(env), "cloudflare", `${accountId}-${worker}.json`);
}

/** The file of the operator's key. */
export function keyFile(env: Env, { accountId, worker }: DeploymentName): string {
  return path.join(configFolder(env), "cloudflare", `${accountId}-${worker}.key`);
}

/** The file that is there while a process changes a deployment. */
export function lockFile(env: Env, { accountId, worker }: DeploymentName): string {
  return path.join(configFolder(env), "cloudflare", `${accountId}-${worker}.lock`);
}

/** The deployments of which this machine has a journal. Throws a stop for a damaged one. */
export function listDeployments(env: Env): JournalContents[] {
  const folder = path.join(configFolder(env), "cloudflare");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => {
    const [, accountId = "", worker = ""] = /^([^-]+)-(.+)\.json$/.exec(file) ?? [];
    const journal = worker === "" ? null : readJournal(env, { accountId, worker });
    return journal === null ? [] : [journal.contents];
  });
}

/** The journal of a deployment; null where this machine has none. Throws a stop for a damaged one. */
export function readJournal(env: Env, name: DeploymentName): Journal | null {
  const file = journalFile(env, name);
  let json: unknown;
  try {
    json = readJsonFile(file);
  } catch {
    throw damaged(file);
  }
  if (json === undefined) return null;
  const read = JournalShape.safeParse(json);
  if (!read.success) throw damaged(file);
  return journalIn(file, read.data);
}

/** The journal of a deployment: the one of this machine, or a new one, which is written with its first entry. */
export function openJournal(
  env: Env,
  name: DeploymentName,
  fresh: Pick<JournalContents, "zone" | "domain">,
): Journal {
  const kept = readJournal(env, name);
  if (kept !== null) return kept;
  const { accountId: account, worker } = name;
  return journalIn(journalFile(env, name), {
    version: 1,
    account,
    worker,
    ...fresh,
    made: [],
    deployed: null,
  });
}

/** Removes the files of a deployment that is gone. */
export function removeFiles(env: Env, name: DeploymentName): void {
  for (const file of [journalFile(env, name), keyFile(env, name)]) rmSync(file, { force: true });
}

/** The operator's key of a deployment; null where this machine does not have it. */
export function readKey(env: Env, name: DeploymentName): string | null {
  const file = keyFile(env, name);
  return existsSync(file) ? readFileSync(file, "utf8").trim() || null : null;
}

/** The operator's key from its file; else a new one, which is written to the file first. */
export function keyOrNew(env: Env, name: DeploymentName): string {
  const kept = readKey(env, name);
  if (kept !== null) return kept;
  const key = newSecret();
  writePrivateFile(keyFile(env, name), `${key}\n`);
  return key;
}

/** 256 random bits. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function journalIn(file: string, contents: JournalContents): Journal {
  return new KeptJournal(contents, (changed) =>
    writePrivateFile(file, `${JSON.stringify(changed, null, 2)}\n`),
  );
}

function damaged(file: string): Stop {
  return new Stop(`${file} is damaged: it says what mailkeep-server up made`, `mv '${file}' '${file}.bad'`);
}
